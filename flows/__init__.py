"""The story of an edition: settings, Prefect flows and the ``lookbench`` command."""
