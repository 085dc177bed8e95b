"""The ground floor: content-addressed images, the one decode path, table schemas, ledgers and resumable steps."""
