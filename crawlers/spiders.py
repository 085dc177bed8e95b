"""The spider: discovers pages by robots.txt, sitemaps, feeds and categories, reads them and fetches their photos."""

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Request, Response, TextResponse

from catalog.ids import sha256
from catalog.store import StoreError
from crawlers import failures, media, readers, rendering, rows
from crawlers.limits import CrawlLimits
from crawlers.photos import PhotoDesk
from crawlers.readers.reading import Reading
from crawlers.readers.urls import canonical, is_home, page_key, same_site
from crawlers.recorder import Recorder, Sight
from crawlers.sites import Site

log = logging.getLogger("crawl")
FEED, LISTING, PAGE, PHOTO, LOOK = 40, 30, 20, 10, 0


class ShopSpider(scrapy.Spider):  # type: ignore[misc]  # Scrapy is untyped
    """Crawls one site; all it finds goes to its recorder."""

    name = "shop"

    def __init__(self, site: Site, recorder: Recorder, limits: CrawlLimits, **kwargs: Any) -> None:
        super().__init__(name=site.name, **kwargs)
        self.site, self.recorder, self.limits = site, recorder, limits
        self.memory = rendering.Memory()
        self.can_render = site.render != "never" and rendering.browser() is not None
        self.seen: set[str] = set()
        self.desk = PhotoDesk(recorder, limits)
        self.feed: dict[str, Reading] = {}
        self.listings: dict[str, set[str]] = {}
        self.turned: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "ShopSpider":
        """Build the spider and listen for robots.txt files."""
        spider: ShopSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_read, signal=signals.robots_parsed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Read the product feeds, since pages are completed from them, then yield sitemaps and start pages."""
        roots = list(dict.fromkeys(urljoin(url, "/") for url in self.site.start_urls))
        for root in roots:
            if self.site.platform in {"auto", "shopify"} and "products_json" in self.site.discover:
                await self.read_feed(urljoin(root, "/products.json?limit=250&page=1"))
            if self.site.platform == "woocommerce" or "store_api" in self.site.discover:
                await self.read_feed(urljoin(root, "/wp-json/wc/store/v1/products?per_page=100&page=1"))
        if "sitemap" in self.site.discover:
            for url in dict.fromkeys([*self.site.sitemaps, *(urljoin(root, "/sitemap.xml") for root in roots)]):
                yield self.sitemap_request(url, optional=url not in self.site.sitemaps)
        for reading in list(self.feed.values()):
            if request := self.page_request(reading.url, role="product", depth=1):
                yield request
        for url in self.site.start_urls:
            if request := self.page_request(url, role="start", depth=0):
                yield request

    # requests ---------------------------------------------------------------------------------------------

    def sitemap_request(self, url: str, *, optional: bool, depth: int = 0) -> Request:
        """Return the request for a sitemap; an optional one may be missing."""
        return Request(
            url,
            self.sitemap,
            errback=self.lost,
            priority=FEED,
            meta={
                "role": "sitemap",
                "optional": optional,
                "depth_of": depth,
                "download_maxsize": self.limits.sitemap_bytes,
            },
        )

    def page_request(
        self, url: str, *, role: str, depth: int, parent: str | None = None, render: bool = False
    ) -> Request | None:
        """Return the request for a page that is in scope and was not asked for yet, else None."""
        url = canonical(url)
        if not render and (url in self.seen or not self.in_scope(url)):
            return None
        if len(self.seen) >= min(self.site.max_pages, self.limits.pages):
            self.recorder.figures["pages_over_limit"] += 1
            return None
        self.seen.add(url)
        role = "look" if any(re.search(pattern, url) for pattern in self.site.looks) else role
        at_once = self.can_render and (
            self.site.render == "always" or (self.site.render == "auto" and self.memory.at_once(url))
        )
        extra = rendering.meta() if render or at_once else {}
        priority = LOOK if role == "look" else (PAGE if role == "product" else LISTING)
        return Request(
            url,
            self.page,
            errback=self.lost,
            priority=priority,
            dont_filter=render,
            meta={
                **extra,
                "role": role,
                "depth_of": depth,
                "parent": parent,
                "download_maxsize": self.limits.page_bytes,
            },
        )

    def in_scope(self, url: str) -> bool:
        """Return whether an address is a page of this site that its file lets be fetched."""
        host = urlsplit(url).hostname or ""
        if not any(host == own or same_site(url, f"http://{own}/") for own in self.site.hosts):
            return False
        if any(re.search(pattern, url) for pattern in self.site.deny):
            return False
        starts = {page_key(start) for start in self.site.start_urls}
        return (
            not self.site.allow
            or page_key(url) in starts
            or any(re.search(pattern, url) for pattern in self.site.allow)
        )

    # discovery --------------------------------------------------------------------------------------------

    def robots_read(self, robotparser: Any, request: Request) -> None:
        """Obey Crawl-delay: slow the host down, never below the site file's own delay."""
        host = urlsplit(request.url).hostname or ""
        agent = self.recorder.user_agent
        asked = robotparser.rp.crawl_delay(agent) if hasattr(robotparser, "rp") else None
        downloader = self.crawler.engine.downloader
        if asked:
            delay = min(max(float(asked), self.site.delay), self.limits.longest_wait)
            downloader.per_slot_settings[host] = {"delay": delay, "concurrency": 1}
            if host in downloader.slots:
                downloader.slots[host].delay, downloader.slots[host].concurrency = delay, 1
            self.recorder.figures["crawl_delay_s"] = max(self.recorder.figures["crawl_delay_s"], int(delay))
        if host in self.site.hosts and "sitemap" in self.site.discover and hasattr(robotparser, "rp"):
            for url in list(robotparser.rp.sitemaps)[:50]:
                absolute = urljoin(request.url, url)
                if same_site(absolute, request.url):
                    self.crawler.engine.crawl(self.sitemap_request(absolute, optional=True))

    def sitemap(self, response: Response) -> Iterator[Request]:
        """Follow the pages and further sitemaps of a sitemap."""
        found = readers.read_sitemap(response.body, response.url)
        self.recorder.page(
            response.url,
            "sitemap" if not found.reason else "unread",
            kept=not found.reason or response.meta["optional"],
            evidence={"reason": found.reason} if found.reason else {"pages": len(found.entries)},
        )
        if response.meta["depth_of"] < 3:
            for url, _ in found.sitemaps[: self.limits.sitemaps]:
                yield self.sitemap_request(url, optional=False, depth=response.meta["depth_of"] + 1)
        for entry in found.pages():
            if request := self.page_request(entry.url, role="product", depth=1, parent=response.url):
                yield request

    async def read_feed(self, url: str) -> None:
        """Keep the products of a feed, page after page until one brings nothing new; a site without feed is no loss."""
        for number in range(1, self.limits.feed_pages + 1):
            address = re.sub(r"([?&]page=)\d+", rf"\g<1>{number}", url)
            request = Request(address, meta={"role": "feed", "download_maxsize": self.limits.sitemap_bytes})
            try:
                response = await self.crawler.engine.download_async(request)
            except Exception as error:  # noqa: BLE001 - whatever fails here, the site is still crawled by its pages
                log.info("%s: no feed at %s (%s)", self.site.name, address, error)
                return
            found = readers.read_feed(response.body, response.url) if response.status == 200 else []
            new = [reading for reading in found if page_key(reading.url) not in self.feed]
            if found:
                self.recorder.page(response.url, "feed", evidence={"products": len(found)})
            if not new:
                return
            self.feed |= {page_key(reading.url): reading for reading in new}

    # pages ------------------------------------------------------------------------------------------------

    def page(self, response: Response) -> Iterator[Request]:
        """Read a page: keep its product or look, follow its links, ask for its photos."""
        declared = failures.content_type(response)
        if not isinstance(response, TextResponse) or (declared and not re.search(r"html|xml|text/plain", declared)):
            self.recorder.page(
                response.url,
                "wrong_content_type",
                kept=False,
                evidence={"content_type": declared},
            )
            return
        first = response.meta.get("redirect_urls", [response.url])[0]
        if not self.in_scope(canonical(response.url)):
            self.recorder.page(first, "left_site", kept=False, evidence={"to": response.url})
            return
        if first != response.url:
            self.recorder.page(first, "redirected", evidence={"to": response.url})
        rendered = bool(response.meta.get("playwright"))
        reading = readers.read(response.text, response.url)
        self.memory.learn(response.url, rendered=rendered, read=reading.page_type != "other")
        if (
            self.can_render
            and self.site.render == "auto"
            and not rendered
            and rendering.lacks_content(reading, response.text)
            and self.memory.worth(response.url)
        ):
            role, depth = response.meta["role"], response.meta["depth_of"]
            if again := self.page_request(
                response.url, role=role, depth=depth, parent=response.meta["parent"], render=True
            ):
                yield again
                return
        if self.crawler.stats.get_value("downloader/response_bytes", 0) > self.limits.total_bytes:
            raise CloseSpider("byte_limit")
        self.recorder.figures["pages"] += 1
        self.recorder.figures["rendered"] += rendered
        rules = media.directives(
            [*(value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")), *reading.robots]
        )
        feed = self.feed.pop(page_key(reading.canonical_url or reading.url), None)
        if response.meta["role"] == "look" and reading.product is None and reading.images:
            yield from self.keep_look(reading, response, rules)
        elif reading.product is None and feed is not None and reading.page_type == "other":
            yield from self.keep_product(feed, response, rules)
        elif reading.product is not None:
            yield from self.keep_product(rows.with_feed(reading, feed), response, rules)
        elif reading.page_type == "look":
            yield from self.keep_look(reading, response, rules)
        else:
            wanted = response.meta["role"] == "product" and reading.page_type == "other" and not is_home(response.url)
            self.recorder.page(
                response.url,
                "no_product" if wanted else reading.page_type,
                kept=not wanted,
                evidence={"reason": reading.reason, "rendered": rendered},
            )
        if "nofollow" not in rules:
            yield from self.follow(reading, response)

    def follow(self, reading: Reading, response: Response) -> Iterator[Request]:
        """Follow product links of any page, and of listings and start pages the next page and categories."""
        depth = response.meta["depth_of"]
        if "category" not in self.site.discover and response.meta["role"] != "look":
            return
        for url in reading.product_links[: self.limits.links_per_page]:
            if depth < self.limits.depth and (
                request := self.page_request(url, role="product", depth=depth + 1, parent=response.url)
            ):
                yield request
        if reading.product is not None:
            return
        if reading.next_url and self.may_turn(reading, response):
            request = self.page_request(reading.next_url, role="listing", depth=depth, parent=response.url)
            if request:
                yield request
        if depth < 3 and reading.page_type in {"other", "listing", "look"}:
            for url in reading.page_links[: self.limits.links_per_page]:
                if request := self.page_request(url, role="category", depth=depth + 1, parent=response.url):
                    yield request

    def may_turn(self, reading: Reading, response: Response) -> bool:
        """Return whether a listing's next page is worth asking for: it must show new products and not grow its
        query."""
        key = page_key(response.url)
        known = self.listings.setdefault(key, set())
        fresh = set(reading.product_links) - known
        known |= fresh
        self.turned[key] += 1
        grown = len(urlsplit(reading.next_url or "").query) > 2 * len(urlsplit(response.url).query) + 60
        return bool(fresh) and self.turned[key] <= self.limits.listing_pages and not grown

    def keep_product(self, reading: Reading, response: Response, rules: tuple[str, ...]) -> Iterator[Request]:
        """Record a product and ask for its photos."""
        identity = self.recorder.product(reading, sha256(response.body))
        for url in (response.url, response.request.url, reading.url, rows.address_of(reading)):
            self.desk.product_of[page_key(url)] = identity
        self.recorder.page(
            response.url, "product", evidence={"product_id": identity, "source": reading.evidence.get("name")}
        )
        self.recorder.figures["products"] = len(set(self.desk.product_of.values()))
        published = media.time_of((reading.product or {}).get("publishedAt"))
        sight = Sight(response.url, identity, origin=self.site.origin, published_at=published, rules=rules)
        yield from self.ask(reading.images[: self.site.max_photos_per_product], sight, PHOTO)

    def keep_look(self, reading: Reading, response: Response, rules: tuple[str, ...]) -> Iterator[Request]:
        """Record a look and ask for its photo; what it shows is settled when all products are known."""
        self.recorder.page(response.url, "look", evidence={"links": len(reading.product_links)})
        self.recorder.figures["looks"] += 1
        sight = Sight(
            response.url, None, tuple(reading.product_links), "street", media.time_of(reading.published_at), rules
        )
        yield from self.ask(reading.images[:1], sight, LOOK)

    def ask(self, urls: Sequence[str], sight: Sight, priority: int) -> Iterator[Request]:
        """Ask for the photos of a page."""
        for url, meta, headers in self.desk.wanted(urls, sight):
            yield Request(url, self.photo, errback=self.photo_lost, headers=headers, priority=priority, meta=meta)

    # photos -----------------------------------------------------------------------------------------------

    def photo(self, response: Response) -> None:
        """Keep a photo, or record why it is none."""
        with self.disk():
            self.desk.answered(response)

    def photo_lost(self, failure: Any) -> None:
        """Record why a photo could not be fetched."""
        with self.disk():
            self.desk.lost(failure)

    @contextmanager
    def disk(self) -> Iterator[None]:
        """End the crawl when the catalog cannot be written; the next one fetches the rest."""
        try:
            yield
        except StoreError as error:
            self.recorder.errors["disk"] += 1
            log.error("%s", error)  # noqa: TRY400 - the message says all
            raise CloseSpider("disk") from error

    def lost(self, failure: Any) -> None:
        """Record why a page, sitemap or feed could not be fetched; a missing optional one is no loss."""
        request = failure.request
        reason = failures.kind(failure)
        if request.meta.get("optional") and reason in {"http_404", "http_410", "http_403", "robots"}:
            return
        first = request.meta.get("redirect_urls", [request.url])[0]
        self.recorder.page(
            first,
            reason,
            kept=False,
            evidence={"role": request.meta.get("role"), "at": request.url, "error": failures.text(failure)},
        )

    def closed(self, reason: str) -> None:
        """Settle the looks and write what is pending."""
        self.recorder.close_reason = reason
        self.desk.close()
        self.recorder.flush()
