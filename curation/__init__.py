"""Curation: screen, detect, crop, fingerprint, and never release a duplicate."""
