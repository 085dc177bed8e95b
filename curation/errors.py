"""Errors of the curation room."""

from catalog.errors import LookbenchError


class CurationError(LookbenchError):
    """A model, an index or an input that curation cannot use."""
