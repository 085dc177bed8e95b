"""What each night at a site brought, kept from night to night; dead letters, and how to try them once more."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from crawlers.errors import SiteError
from crawlers.frontier import Frontier, Yield


def remember(frontier: Frontier, now: str, figures: dict[str, Any]) -> None:
    """Keep the figures of the crawl that the frontier holds under its time, with what is dead and what is left."""
    counts = frontier.counts()
    dead = Counter(reason for _, reason in frontier.dead())
    left = counts["frontier"] + counts["leased"]
    told = {**figures, "left": left, "dead": dict(sorted(dead.items()))}
    frontier.note(Yield(memory={("night", now): told}))


def unfinished(frontier: Frontier) -> dict[str, Any]:
    """Return the figures of a crawl whose process died before it could tell any."""
    state = frontier.notes("state")
    return {
        **state.get("figures", {}),
        "errors": state.get("errors", {}),
        **state.get("traffic", {}),
        "ended": "killed",
    }


@contextmanager
def opened(state: Path, site: str) -> Iterator[Frontier]:
    """Open the frontier of a site that was crawled; raises SiteError for one that was not."""
    path = state / f"{site}.sqlite"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in state.glob("*.sqlite"))) or "none"
        raise SiteError(f"site {site!r} was never crawled into this catalog (crawled: {known})")
    frontier = Frontier(path)
    try:
        yield frontier
    finally:
        frontier.close()


def report(state: Path, site: str) -> dict[str, Any]:
    """Return ``nights`` (figures by time, oldest first, the running or killed one included) and ``dead_letters``: url,
    role and reason of what the last night gave up."""
    with opened(state, site) as frontier:
        nights = frontier.recalled("night")
        now = frontier.notes("crawl").get("now")
        if now and now not in nights:
            counts = frontier.counts()
            nights[now] = {**unfinished(frontier), "left": counts["frontier"] + counts["leased"]}
        dead = [{"url": task.url, "role": task.role, "reason": reason} for task, reason in frontier.dead()]
    return {"site": site, "nights": dict(sorted(nights.items())), "dead_letters": dead}


def retry(state: Path, site: str, reason: str | None = None) -> tuple[datetime, int]:
    """Put the dead letters of the last night back, those of one ``reason`` or all; return the night and how many.

    A crawl with that night's clock goes on with them. Raises SiteError when there is none.
    """
    with opened(state, site) as frontier:
        now = frontier.notes("crawl").get("now")
        reasons = Counter(why for _, why in frontier.dead())
        back = frontier.retry(reason)
        if not now or not back:
            told = ", ".join(f"{why} {count}" for why, count in sorted(reasons.items())) or "none"
            raise SiteError(
                f"site {site!r} has no dead letter{f' of reason {reason!r}' if reason else ''} (dead: {told})"
            )
        left = [row for row in frontier.ledger() if row["outcome"] == "dropped" and row["subject"] != "product"]
        errors = dict(Counter(row["reason"] for row in left))
        frontier.note(Yield(notes={("crawl", "state"): "retry", ("state", "errors"): errors}))
    return datetime.fromisoformat(now), back
