"""Date windows: which queries are new enough for a model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import WindowError
from lookbench_eval.samples import Dates


@dataclass(frozen=True)
class Window:
    """Dates of the queries that count.

    A query counts when `date > cutoff` (a model trained until that day may have seen the day itself) and
    `since <= date <= until`. The gallery stays whole unless `cut_gallery`: old answers make a search neither
    easier nor contaminated, as long as the query is new.
    """

    cutoff: date | None = None
    since: date | None = None
    until: date | None = None
    cut_gallery: bool = False
    """Also drop gallery rows that are not newer than the cutoff."""

    @property
    def open(self) -> bool:
        """Whether it lets everything through."""
        return self.cutoff is None and self.since is None and self.until is None

    def mask(self, dates: Dates) -> NDArray[np.bool_]:
        """True for the rows inside, shape (n,). A row without a date is outside of any bound."""
        inside = np.ones(len(dates), dtype=bool)
        if self.cutoff is not None:
            inside &= dates > np.datetime64(self.cutoff)
        if self.since is not None:
            inside &= dates >= np.datetime64(self.since)
        if self.until is not None:
            inside &= dates <= np.datetime64(self.until)
        return inside

    def gallery_mask(self, dates: Dates) -> NDArray[np.bool_]:
        """True for the gallery rows that stay."""
        if self.cut_gallery and self.cutoff is not None:
            return dates > np.datetime64(self.cutoff)
        return np.ones(len(dates), dtype=bool)

    def __str__(self) -> str:
        parts = [f"after {self.cutoff}"] if self.cutoff else []
        parts += [f"from {self.since}"] if self.since else []
        parts += [f"until {self.until}"] if self.until else []
        return ", ".join(parts) or "all dates"


def make(
    cutoff: str | date | None = None,
    since: str | date | None = None,
    until: str | date | None = None,
    *,
    cut_gallery: bool = False,
) -> Window:
    """Build a window from ISO dates. Raises WindowError for a malformed date or an impossible window."""
    window = Window(_day("cutoff", cutoff), _day("since", since), _day("until", until), cut_gallery)
    if window.until and window.since and window.until < window.since:
        raise WindowError(f"until {window.until} lies before since {window.since}; no date is in between")
    if window.until and window.cutoff and window.until <= window.cutoff:
        raise WindowError(f"until {window.until} does not lie after the cutoff {window.cutoff}; no date is in between")
    if cut_gallery and not window.cutoff:
        raise WindowError("the gallery can only be cut together with a cutoff date")
    return window


def refuse_empty(window: Window, dates: Dates, where: str) -> None:
    """Raise WindowError that says which dates exist, for a window that holds no query."""
    known = dates[~np.isnat(dates)]
    if not len(known):
        raise WindowError(f"{where} carries no dates, so no window can be chosen ({window})")
    months, counts = np.unique(known.astype("datetime64[M]"), return_counts=True)
    shown = ", ".join(f"{month} ({count})" for month, count in zip(months[-12:], counts[-12:], strict=True))
    raise WindowError(
        f"no query of {where} is dated {window}; its queries are dated {known.min()} to {known.max()}: {shown}"
    )


def _day(name: str, value: str | date | None) -> date | None:
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise WindowError(f"{name} is {value!r}; write a date such as 2026-03-01") from error
