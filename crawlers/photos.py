"""The photo desk: which photos a crawl asks for, what each turned out to be, and which pages show it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from catalog.ids import product_id
from crawlers import failures, media
from crawlers.frontier import Frontier
from crawlers.limits import CrawlLimits
from crawlers.past import Past
from crawlers.readers.urls import canonical, neutral, page_key
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

    def __init__(self, recorder: Recorder, limits: CrawlLimits, past: Past) -> None:
        self.recorder, self.limits, self.past = recorder, limits, past
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

    def wanted(self, urls: Sequence[str], sight: Sight, *, unchanged: bool = False) -> Iterator[str]:
        """Yield the photos that were not asked for yet; the others learn of one more page that shows them.

        On an ``unchanged`` page a photo that was there some nights ago is seen again without being asked for.
        """
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
                known = self.past.photo(url) if unchanged else None
                if known and self.past.trusted(known):
                    self.asked[url].status, self.asked[url].photo_id = "unchanged", known["photo_id"]
                    self.settle(url)
                else:
                    yield url

    def headers(self, url: str) -> dict[str, str]:
        """Return request headers for a photo, conditional when the catalog has it from an earlier crawl."""
        return {**media.conditional(self.past.photo(url) or {}), "Accept": ACCEPT}

    def answered(self, url: str, response: Any) -> None:
        """Keep a photo, or record why it is none; raises StoreError when it cannot be kept."""
        asked, header = self.asked[url], response.headers
        rules = media.directives(value.decode("latin-1") for value in header.getlist("X-Robots-Tag"))
        asked.robots = {"robots_txt": "allowed", "agent": self.recorder.user_agent, "photo_rules": list(rules)}
        names = ("etag", "last-modified", "content-type")
        asked.headers = {name: value.decode("latin-1") if (value := header.get(name)) else None for name in names}
        known = self.past.photo(url) if response.status == 304 else None
        if known:
            asked.status, asked.photo_id = "same", known["photo_id"]
            self.past.keep_photo(url, known["photo_id"], {**known, **media.headers_that_matter(asked.headers)})
        elif reason := media.forbidden(rules) or media.refusal(response.body, failures.content_type(response)):
            asked.status = reason
        else:
            asked.kept = self.recorder.keep(response.body)
            asked.status = "kept"
            self.past.keep_photo(url, asked.kept.photo_id, asked.headers)
            self.recorder.figures["photo_bytes"] += len(response.body)
        self.settle(url)

    def lost(self, url: str, reason: str) -> None:
        """Record why a photo could not be fetched."""
        self.asked[url].status = reason
        self.settle(url)

    def settle(self, url: str, *, last: bool = False) -> None:
        """Record the verdict on a photo for the pages that show it.

        Looks wait for the end (``last``): only then all products are known. Which pages show a photo that failed is
        kept for another try.
        """
        asked = self.asked[url]
        self._changed.add(url)
        now = asked.sights if last else [sight for sight in asked.sights if not sight.shows]
        if asked.kept or asked.photo_id:
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
        ids = known or [product_id(self.recorder.site.name, neutral(canonical(url))) for url in sight.shows]
        return Sight(sight.page_url, None, tuple(dict.fromkeys(ids)), sight.origin, sight.published_at, sight.rules)

    def close(self) -> None:
        """Settle the looks."""
        for url, asked in self.asked.items():
            if asked.status and asked.sights:
                self.settle(url, last=True)
