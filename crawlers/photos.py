"""The photo desk: which photos a crawl asks for, what each turned out to be, and which pages show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.ids import product_id
from crawlers import failures, media
from crawlers.limits import CrawlLimits
from crawlers.readers.urls import canonical, page_key
from crawlers.recorder import Kept, Recorder, Sight

ACCEPT = "image/avif,image/webp,image/*,*/*;q=0.8"


@dataclass
class Asked:
    """A photo that was asked for: the pages that show it and, once answered, the verdict."""

    sights: list[Sight]
    status: str = ""
    kept: Kept | None = None
    photo_id: str | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    robots: dict[str, Any] = field(default_factory=dict)


class PhotoDesk:
    """Asks for each photo once however many pages show it; knows which page is which product."""

    def __init__(self, recorder: Recorder, limits: CrawlLimits) -> None:
        self.recorder, self.limits = recorder, limits
        self.asked: dict[str, Asked] = {}
        self.product_of: dict[str, str] = {}

    def wanted(self, urls: Sequence[str], sight: Sight) -> Iterator[tuple[str, dict[str, Any], dict[str, str]]]:
        """Yield (address, meta, headers) of photos not asked for yet; the others learn of one more page.

        Raises StoreError when a known verdict cannot be recorded.
        """
        for url in urls:
            if rule := media.forbidden(sight.rules):
                self.recorder.sighting(None, url, sight, rule)
            elif url in self.asked:
                self.asked[url].sights.append(sight)
                if self.asked[url].status:
                    self.settle(url)
            elif len(self.asked) >= self.limits.photos:
                self.recorder.figures["photos_over_limit"] += 1
            else:
                self.asked[url] = Asked([sight])
                yield url, self._meta(url), {**self._conditional(url), "Accept": ACCEPT}

    def _meta(self, url: str) -> dict[str, Any]:
        return {
            "role": "photo",
            "of": url,
            "handle_httpstatus_list": [304],
            "download_maxsize": self.limits.photo_bytes,
            "download_timeout": self.limits.photo_seconds,
        }

    def _conditional(self, url: str) -> dict[str, str]:
        """Return headers that spare the body, when the catalog has the photo from an earlier crawl."""
        known = self.recorder.validators.get(url)
        return media.conditional(known) if known and self.recorder.catalog.has_image(known["photo_id"]) else {}

    def answered(self, response: Any) -> None:
        """Keep a photo, or record why it is none; raises StoreError when it cannot be kept."""
        url = response.meta["of"]
        asked, header = self.asked[url], response.headers
        rules = media.directives(value.decode("latin-1") for value in header.getlist("X-Robots-Tag"))
        asked.robots = {"robots_txt": "allowed", "agent": self.recorder.user_agent, "photo_rules": list(rules)}
        names = ("etag", "last-modified", "content-type")
        asked.headers = {name: value.decode("latin-1") if (value := header.get(name)) else None for name in names}
        if response.status == 304:
            asked.status, asked.photo_id = "same", self.recorder.validators[url]["photo_id"]
        elif reason := media.forbidden(rules) or media.refusal(response.body, failures.content_type(response)):
            asked.status = reason
        else:
            asked.kept = self.recorder.keep(response.body)
            asked.status = "kept"
            self.recorder.figures["photo_bytes"] += len(response.body)
        self.settle(url)

    def lost(self, failure: Any) -> None:
        """Record why a photo could not be fetched."""
        url = failure.request.meta["of"]
        self.asked[url].status = failures.kind(failure)
        self.settle(url)

    def settle(self, url: str, *, last: bool = False) -> None:
        """Record the verdict on a photo for the pages that show it.

        Looks wait for the end (``last``): only then all products are known. Raises StoreError.
        """
        asked = self.asked[url]
        now = asked.sights if last else [sight for sight in asked.sights if not sight.shows]
        asked.sights = [] if last else [sight for sight in asked.sights if sight.shows]
        sights = [self.resolved(sight) for sight in now]
        if asked.kept:
            self.recorder.photo(url, asked.kept, asked.headers, sights, asked.robots)
        else:
            for sight in sights:
                self.recorder.sighting(asked.photo_id, url, sight, asked.status)

    def resolved(self, sight: Sight) -> Sight:
        """Return a sight whose linked pages are replaced by the products they are."""
        if not sight.shows:
            return sight
        known = [self.product_of[page_key(url)] for url in sight.shows if page_key(url) in self.product_of]
        ids = known or [product_id(self.recorder.site.name, canonical(url)) for url in sight.shows]
        return Sight(sight.page_url, None, tuple(dict.fromkeys(ids)), sight.origin, sight.published_at, sight.rules)

    def close(self) -> None:
        """Settle the looks."""
        for url, asked in self.asked.items():
            if asked.status and asked.sights:
                self.settle(url, last=True)
