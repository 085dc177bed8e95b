"""When a page was there: every date that speaks of it, and whether they agree."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from crawlers.media import time_of

CLOCK = timedelta(minutes=10)
"""How far a server's clock may be off."""
DAY = timedelta(days=1)
"""Dates without an hour or a zone are right to a day."""


def agreement(
    fetched: datetime, headers: Mapping[str, str | None], lastmod: str | None, published: str | None
) -> dict[str, Any]:
    """Return the dates of a page as ISO text and under ``disagree`` each pair that contradicts, empty when none does.

    ``fetched`` is the wall clock of the answer, ``headers`` the answer's (lower case), ``lastmod`` the sitemap's date,
    ``published`` what the page claims. A page cannot be made after it was fetched or after its own last change.
    """
    found = {
        "fetched": fetched,
        "server": time_of(headers.get("date")),
        "last_modified": time_of(headers.get("last-modified")),
        "sitemap": time_of(lastmod),
        "published": time_of(published),
    }
    rules = (
        ("server", "fetched", CLOCK),
        ("last_modified", "fetched", CLOCK),
        ("sitemap", "fetched", DAY),
        ("published", "fetched", DAY),
        ("published", "last_modified", DAY),
        ("published", "sitemap", DAY),
    )
    wrong = [f"{a} after {b}" for a, b, by in rules if (one := found[a]) and (two := found[b]) and one > two + by]
    late = found["server"]
    if late and late < fetched - CLOCK:  # an answer out of a cache has a Date, and an Age, of its own
        wrong.append("server before fetched")
    return {**{name: value.isoformat() for name, value in found.items() if value}, "disagree": wrong}
