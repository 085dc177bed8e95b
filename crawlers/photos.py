"""The photo desk: which photos a crawl asks for, what each turned out to be, and which pages show it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from catalog.ids import product_id
from crawlers import failures, media
from crawlers.frontier import Frontier
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

    def dump(self) -> dict[str, Any]:
        """Return plain data of which ``load`` makes the same again."""
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Asked":
        """Read what ``dump`` gave, after its way through JSON."""
        sights = [Sight.load(sight) for sight in value["sights"]]
        kept = Kept(**value["kept"]) if value["kept"] else None
        return cls(**{**value, "sights": sights, "kept": kept})


class PhotoDesk:
    """Asks for each photo once however many pages show it; knows which page is which product."""

    def __init__(self, recorder: Recorder, limits: CrawlLimits) -> None:
        self.recorder, self.limits = recorder, limits
        self.asked: dict[str, Asked] = {}
        self.product_of: dict[str, str] = {}
        self._changed: set[str] = set()
        self._named: set[str] = set()

    def load(self, frontier: Frontier) -> None:
        """Go on where a crawl that ended early was."""
        self.product_of |= frontier.notes("product")
        self.asked |= {url: Asked.load(value) for url, value in frontier.notes("photo").items()}

    def take(self) -> dict[tuple[str, str], Any]:
        """Return as notes what changed since the last call."""
        notes: dict[tuple[str, str], Any] = {("photo", url): self.asked[url].dump() for url in self._changed}
        notes |= {("product", key): self.product_of[key] for key in self._named}
        self._changed.clear()
        self._named.clear()
        return notes

    def name(self, urls: Iterable[str], identity: str) -> None:
        """Remember which product some pages are."""
        for key in map(page_key, urls):
            self.product_of[key] = identity
            self._named.add(key)

    def wanted(self, urls: Sequence[str], sight: Sight) -> Iterator[str]:
        """Yield the photos that were not asked for yet; the others learn of one more page that shows them."""
        for url in urls:
            if rule := media.forbidden(sight.rules):
                self.recorder.sighting(None, url, sight, rule)
            elif url in self.asked:
                self.asked[url].sights.append(sight)
                self._changed.add(url)
                if self.asked[url].status:
                    self.settle(url)
            elif len(self.asked) >= self.limits.photos:
                self.recorder.figures["photos_over_limit"] += 1
            else:
                self.asked[url] = Asked([sight])
                self._changed.add(url)
                yield url

    def headers(self, url: str) -> dict[str, str]:
        """Return request headers for a photo, conditional when the catalog has it from an earlier crawl."""
        known = self.recorder.validators.get(url)
        spare = media.conditional(known) if known and self.recorder.catalog.has_image(known["photo_id"]) else {}
        return {**spare, "Accept": ACCEPT}

    def answered(self, url: str, response: Any) -> None:
        """Keep a photo, or record why it is none; raises StoreError when it cannot be kept."""
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

    def lost(self, url: str, reason: str) -> None:
        """Record why a photo could not be fetched."""
        self.asked[url].status = reason
        self.settle(url)

    def settle(self, url: str, *, last: bool = False) -> None:
        """Record the verdict on a photo for the pages that show it.

        Looks wait for the end (``last``): only then all products are known.
        """
        asked = self.asked[url]
        self._changed.add(url)
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
