"""Errors of the harness: each message says what is wrong, where, with which value, and what to do."""

from collections.abc import Iterable


class HarnessError(Exception):
    """Base of every error that the harness raises on purpose."""


class ReleaseError(HarnessError):
    """A release, or a legacy data set, that cannot be read as it stands."""


class ModelError(HarnessError):
    """A model that cannot be loaded, or that returns something other than vectors."""


class VectorError(HarnessError):
    """Embeddings that cannot be scored: non-finite, zero, or of the wrong shape."""


class MeasureError(HarnessError):
    """A measure that is unknown, or that this data cannot answer."""


class WindowError(HarnessError):
    """A date window that is malformed or holds no query."""


class CacheError(HarnessError):
    """The embedding cache cannot be read or written."""


class ResultError(HarnessError):
    """A result file that is damaged, edited, or not comparable with another."""


def name_some(ids: Iterable[object], limit: int = 5) -> str:
    """Join ids for a message: the first `limit`, then how many are left out."""
    every = [str(one) for one in ids]
    shown = ", ".join(every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"
