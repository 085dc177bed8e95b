"""Crawling: sites as data, spiders, page readers, politeness and the download of photos."""
