"""The page desk: reads pages, keeps what they show, and says what they lead to."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from catalog.ids import sha256
from crawlers import dates, media, readers, rendering, rows, versions
from crawlers.discovery import Scope
from crawlers.overrides import Overrides
from crawlers.past import KnownPage, Past, reader
from crawlers.photos import PhotoDesk
from crawlers.readers.reading import Reading
from crawlers.readers.urls import is_home, neutral, page_key
from crawlers.recorder import Recorder, Sight
from crawlers.sites import Site
from crawlers.tasks import Task
from crawlers.versions import KIND, Versions
from crawlers.warc import PageArchive

log = logging.getLogger("crawl")
UNCHANGED = "unchanged"
"""Flag of an answer that nobody was asked for: the sitemap says that the page did not change."""


@dataclass(frozen=True)
class Seen:
    """A page of this night: read now, or known and unchanged."""

    url: str
    reading: Reading
    rules: tuple[str, ...]
    page_sha256: str
    rendered: bool
    unchanged: bool
    evidence: dict[str, Any] = field(default_factory=dict)
    alternates: tuple[str, ...] = ()


class PageDesk:
    """Turns answers into rows and further tasks; what shows no product may go to the browser once."""

    def __init__(
        self, site: Site, recorder: Recorder, scope: Scope, photos: PhotoDesk, past: Past, archive: PageArchive
    ) -> None:
        self.site, self.recorder, self.scope, self.photos = site, recorder, scope, photos
        self.past, self.archive = past, archive
        self.memory = rendering.Memory(past.frontier.recalled("render"))
        self.can_render = site.render != "never" and rendering.browser() is not None
        self.feed: dict[str, Reading] = {}
        self.overrides = Overrides(site)
        self.versions = Versions(recorder, past.frontier.recalled(KIND))

    def conditions(self, task: Task) -> tuple[dict[str, str], dict[str, Any]]:
        """Return headers and meta of the request for a page: send it only if the page changed, not at all, or rendered.

        What a browser made has no validators: it is rendered again.
        """
        known = self.past.page(task.url)
        stands = known is not None and self.past.may_stand(known)
        if known and stands and self.past.unchanged(task.url, known):
            return {}, {UNCHANGED: known.at}
        always = self.site.render == "always" or (self.site.render == "auto" and self.memory.at_once(task.url))
        if task.render or (self.can_render and always):
            return {}, rendering.meta()
        return media.conditional(known.validators) if known and stands and not known.rendered else {}, {}

    def version(self, task: Task) -> str | None:
        """Return the product that a page shows once more in another language than the one it was read in tonight."""
        key = page_key(neutral(task.url))
        return self.photos.product_of.get(key) if key != page_key(task.url) else None

    # seeing -----------------------------------------------------------------------------------------------

    def again(self, response: Any, task: Task, known: KnownPage) -> Seen:
        """Return a page that did not change as it was read before, and remember that it was there."""
        evidence: dict[str, Any] = {"how": UNCHANGED if UNCHANGED in response.flags else "not_modified"}
        headers = _headers(response)
        kept, lastmod = known.warc, self.past.lastmod.get(task.url)
        if UNCHANGED not in response.flags:
            fetched = datetime.now(UTC)
            evidence["dates"] = dates.agreement(fetched, dict(headers), lastmod, _published(known.reading))
            if kept and (revisit := self.archive.revisit(known.at, fetched, headers, known.page_sha256, kept)):
                evidence["revisit"] = revisit
            self.past.keep(task.url, replace(known, asked_at=self.past.now, lastmod=lastmod or known.lastmod))
        evidence |= {"warc": kept} if kept else {}
        evidence |= _waited(response)
        rules = tuple(dict.fromkeys([*known.rules, *_tags(response)]))
        return Seen(
            known.at,
            known.reading,
            rules,
            known.page_sha256,
            known.rendered,
            unchanged=True,
            evidence=evidence,
            alternates=known.alternates,
        )

    def read(self, response: Any, task: Task) -> Seen | None:
        """Read the HTML of a page and keep it as evidence; None when it should be asked for again with the browser."""
        rendered = bool(response.meta.get("playwright"))
        reading, failed = self.overrides.read(readers.read(response.text, response.url), response.body)
        self.memory.learn(response.url, rendered=rendered, read=reading.page_type != "other")
        self.recorder.remember("render", *self.memory.told(response.url))
        plain = self.can_render and self.site.render == "auto" and not rendered
        if plain and rendering.lacks_content(reading, response.text) and self.memory.worth(response.url):
            return None
        fetched, headers, lastmod = datetime.now(UTC), _headers(response), self.past.lastmod.get(task.url)
        kept = self.archive.keep(response.url, fetched, headers, response.body, rendered=rendered)
        evidence = {"how": "fetched", "dates": dates.agreement(fetched, dict(headers), lastmod, _published(reading))}
        evidence |= {"warc": kept} if kept else {}
        evidence |= _waited(response)
        if failed:
            log.warning("%s: read without its page object, which failed: %s", response.url, failed)
            evidence["page_object"] = failed
        self.recorder.figures["pages_without_bytes"] += not kept
        rules = (*_tags(response), *media.directives(reading.robots))
        links = versions.alternates(response)
        seen = Seen(
            response.url,
            reading,
            rules,
            sha256(response.body),
            rendered,
            unchanged=False,
            evidence=evidence,
            alternates=links,
        )
        known = KnownPage(
            at=seen.url,
            reading=reading,
            page_sha256=seen.page_sha256,
            reader=reader(self.site.pages),
            read_at=self.past.now,
            asked_at=self.past.now,
            validators=media.headers_that_matter(dict(headers)),
            lastmod=lastmod,
            rendered=rendered,
            rules=rules,
            warc=kept,
            alternates=links,
        )
        self.past.keep(task.url, known)
        return seen

    # keeping ----------------------------------------------------------------------------------------------

    def keep(self, seen: Seen, task: Task) -> Iterator[Task]:
        """Record the product or look of a page; yield the photos it shows and the pages it leads to."""
        reading, figures = seen.reading, self.recorder.figures
        figures["pages"] += 1
        figures["pages_unchanged"] += seen.unchanged
        figures["rendered"] += seen.rendered and not seen.unchanged
        feed = self.feed.pop(page_key(reading.canonical_url or reading.url), None)
        product = feed if reading.product is None and reading.page_type == "other" else rows.with_feed(reading, feed)
        if task.role == "look" and reading.product is None and reading.images:
            yield from self._look(seen, task)
        elif product is not None and product.product is not None:
            yield from self._product(replace(seen, reading=product), task)
        elif reading.page_type == "look":
            yield from self._look(seen, task)
        else:
            wanted = task.role == "product" and reading.page_type == "other" and not is_home(seen.url)
            reason = "no_product" if wanted else reading.page_type
            self._tell(seen, task, reason, kept=not wanted, reason=reading.reason, rendered=seen.rendered)
        if "nofollow" not in seen.rules:
            yield from self.scope.links(reading, seen.url, task.role, task.depth)

    def _tell(self, seen: Seen, task: Task, verdict: str, *, kept: bool = True, **more: Any) -> None:
        evidence = {"at": seen.url, "seen_at": self.past.now, **seen.evidence, **more}
        self.recorder.page(task.url, verdict, kept=kept, evidence=evidence)

    def _product(self, seen: Seen, task: Task) -> Iterator[Task]:
        reading = seen.reading
        row = self.recorder.product_row(reading, seen.page_sha256)
        identity, own = row["product_id"], rows.address_of(reading)
        addresses = [seen.url, task.url, own]
        if found := self.versions.find(row, seen.alternates, addresses):
            identity, by = found
            if self.recorder.has_told("product", identity):
                self.photos.name([seen.url, task.url, reading.url], identity)
                self._tell(seen, task, "other_language", product_id=identity, by=by)
                return
            row = self.recorder.known_as(row, identity)  # tonight this page alone shows it
        self.versions.learn(row, seen.alternates, addresses)
        if self.past.product(task.url, row):
            self.recorder.product(row)
        self.photos.name([seen.url, task.url, reading.url, own, neutral(own)], identity)
        self._tell(seen, task, "product", product_id=identity, source=reading.evidence.get("name"))
        self.recorder.figures["products"] = len(set(self.photos.product_of.values()))
        published = media.time_of((reading.product or {}).get("publishedAt"))
        sight = Sight(seen.url, identity, origin=self.site.origin, published_at=published, rules=seen.rules)
        urls = reading.images[: self.site.max_photos_per_product]
        for url in self.photos.wanted(urls, sight, unchanged=seen.unchanged):
            yield Task(url, "photo", parent=seen.url)

    def _look(self, seen: Seen, task: Task) -> Iterator[Task]:
        """Record a look and ask for its photo; what it shows is settled when all products are known."""
        reading = seen.reading
        self._tell(seen, task, "look", links=len(reading.product_links))
        self.recorder.figures["looks"] += 1
        published = media.time_of(reading.published_at)
        sight = Sight(seen.url, None, tuple(reading.product_links), "street", published, seen.rules)
        for url in self.photos.wanted(reading.images[:1], sight, unchanged=seen.unchanged):
            yield Task(url, "photo", parent=seen.url, priority=0)


def _headers(response: Any) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]


def _waited(response: Any) -> dict[str, Any]:
    """Return the pauses that the server asked for and got: status and seconds of each."""
    return {"waited": response.meta["waited"]} if "waited" in response.meta else {}


def _tags(response: Any) -> tuple[str, ...]:
    return media.directives(value for name, value in _headers(response) if name == "x-robots-tag")


def _published(reading: Reading) -> str | None:
    return (reading.product or {}).get("publishedAt") or reading.published_at
