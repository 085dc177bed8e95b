"""What earlier nights knew of a site, so that a night asks only for what may have changed."""

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from crawlers import media
from crawlers.frontier import Frontier
from crawlers.limits import CrawlLimits
from crawlers.readers.reading import Reading
from crawlers.recorder import Recorder

TRACKED = (
    "name", "price", "price_low", "price_high", "regular_price", "currency", "availability", "colour", "photo_urls",
)  # fmt: skip
"""Columns of a product whose change is told."""
_TOLD_ELSEWHERE = frozenset({"url", "first_seen", "last_seen", "evidence"})
GONE = frozenset({"http_404", "http_410"})


@functools.cache
def reader(pages: str | None = None) -> str:
    """Return a digest of the code of the reader and of a site's page objects: what another one read is read again."""
    files = sorted((Path(__file__).parent / "readers").glob("*.py")) + ([Path(pages)] if pages else [])
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@dataclass(frozen=True)
class KnownPage:
    """A page as it was last read: ``at`` is where its redirects ended, times are ISO text of the crawl's clock."""

    at: str
    reading: Reading
    page_sha256: str
    reader: str
    read_at: str
    asked_at: str
    validators: dict[str, str] = field(default_factory=dict)
    lastmod: str | None = None
    rendered: bool = False
    rules: tuple[str, ...] = ()
    warc: dict[str, Any] | None = None
    alternates: tuple[str, ...] = ()

    def dump(self) -> dict[str, Any]:
        """Return plain data of which ``load`` makes the same again."""
        return {**vars(self), "reading": vars(self.reading)}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> "KnownPage":
        """Read what ``dump`` gave, after its way through JSON."""
        reading: dict[str, Any] = {
            name: tuple(kept) if isinstance(kept, list) else kept for name, kept in value["reading"].items()
        }
        return cls(
            **{
                **value,
                "reading": Reading(**reading),
                "rules": tuple(value["rules"]),
                "alternates": tuple(value.get("alternates", ())),
            }
        )


class Past:
    """The memory of one site: pages with what they said, photos with their validators, products with their page.

    ``lastmod`` holds what the sitemaps of this night say, by address.
    """

    def __init__(self, frontier: Frontier, recorder: Recorder, limits: CrawlLimits) -> None:
        self.frontier, self.recorder, self.limits = frontier, recorder, limits
        self.now = recorder.now.isoformat()
        self.lastmod: dict[str, str] = frontier.notes("lastmod")
        self._learnt: dict[str, str] = {}

    def _within(self, since: str, days: float) -> bool:
        age = self.recorder.now - datetime.fromisoformat(since)
        return timedelta(0) <= age <= timedelta(days=days)

    def learn(self, lastmod: Mapping[str, str]) -> None:
        """Take the dates that a sitemap names for pages."""
        self.lastmod |= lastmod
        self._learnt |= lastmod

    def take(self) -> dict[tuple[str, str], Any]:
        """Return as notes what was learnt since the last call."""
        notes, self._learnt = {("lastmod", url): date for url, date in self._learnt.items()}, {}
        return notes

    # pages ------------------------------------------------------------------------------------------------

    def page(self, url: str) -> KnownPage | None:
        """Return what is known of the page at ``url``."""
        value = self.frontier.recall("page", url)
        return KnownPage.load(value) if value else None

    def keep(self, url: str, page: KnownPage) -> None:
        """Remember a page."""
        self.recorder.remember("page", url, page.dump())

    def may_stand(self, page: KnownPage) -> bool:
        """Return whether a page that did not change need not be read again: same reader, read not too long ago."""
        return page.reader == reader(self.recorder.site.pages) and self._within(page.read_at, self.limits.reread_days)

    def unchanged(self, url: str, page: KnownPage) -> bool:
        """Return whether nobody needs to ask: the sitemap's date of a product or look is the one it had when read."""
        told = self.lastmod.get(url)
        return (
            told is not None
            and told == page.lastmod
            and page.reading.page_type in {"product", "look"}
            and self._within(page.asked_at, self.limits.trust_days)
        )

    # photos -----------------------------------------------------------------------------------------------

    def photo(self, url: str) -> dict[str, str] | None:
        """Return the photo id and validators last seen at ``url`` if the catalog still has its row and bytes."""
        known: dict[str, str] | None = self.frontier.recall("photo", url)
        if not known or not self.recorder.holds_photo(known["photo_id"]):
            return None
        return known if self.recorder.catalog.has_image(known["photo_id"]) else None

    def keep_photo(self, url: str, photo_id: str, headers: Mapping[str, str | None]) -> None:
        """Remember which photo is at ``url`` and its validators."""
        known = {**media.headers_that_matter(headers), "photo_id": photo_id, "asked_at": self.now}
        self.recorder.remember("photo", url, known)

    def trusted(self, known: Mapping[str, str]) -> bool:
        """Return whether a photo of an unchanged page need not be asked for."""
        return self._within(known["asked_at"], self.limits.trust_days)

    # products ---------------------------------------------------------------------------------------------

    def product(self, page: str, row: Mapping[str, Any]) -> bool:
        """Record what became of a product since ``page`` last showed it: new, relisted, changed or same.

        Return whether its row says anything that the last one did not; the first page of a night counts.
        """
        identity = row["product_id"]
        known = self.frontier.recall("product", identity)
        before = known["row"] if known and known["page"] == page else {}
        now = {name: row[name] for name in TRACKED}
        changes = {name: [before[name], now[name]] for name in before if before[name] != now[name]}
        if row["first_seen"] == self.recorder.now:
            reason = "new"
        elif known and known.get("delisted"):
            reason = "relisted"
        else:
            reason = "changed" if changes else "same"
        evidence: dict[str, Any] = {"seen_at": self.now}
        if changes:
            evidence["changed"] = changes
        if reason == "relisted":
            evidence["delisted"] = known["delisted"]
        if not self.recorder.tell_product(identity, page, reason, evidence):
            return False
        self.recorder.figures[f"products_{reason}"] += 1
        said = {name: value for name, value in row.items() if name not in _TOLD_ELSEWHERE}
        digest = hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()
        known_now = {"page": page, "seen_at": self.now, "row": now, "digest": digest}
        self.recorder.remember("product", identity, known_now)
        return known is None or known["digest"] != digest or not self.recorder.holds_product(identity)

    def unseen(self) -> Iterator[tuple[str, str]]:
        """Yield (product id, page) of products that earlier nights saw and this one did not; delisted ones not."""
        for identity, known in self.frontier.recalled("product").items():
            if known["seen_at"] != self.now and not known.get("delisted"):
                yield identity, known["page"]

    def settle(self) -> None:
        """Tell at the end of a whole crawl which products are gone, with the reason.

        A product whose page could not be asked stays listed, and the ledger says so.
        """
        for identity, page in list(self.unseen()):
            state, reason = self.frontier.fate(f"page {page}") or ("frontier", None)
            evidence = {"page": page, "seen_at": self.now, "why": reason or "the page sells it no more"}
            if state == "done" or reason in GONE:
                known = {**self.frontier.recall("product", identity), "delisted": self.now}
                self.recorder.remember("product", identity, known)
                self.recorder.figures["products_delisted"] += 1
                self.recorder.tell_product(identity, page, "delisted", evidence, kept=False)
            else:
                evidence["why"] = reason or "not asked for"
                self.recorder.tell_product(identity, page, "unreachable", evidence)
