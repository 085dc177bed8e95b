"""Loaded by name, in the process of a crawl: the spider.

It fetches tasks, reads pages, keeps what they show; each task ends in one transaction of the frontier.
"""

import logging
import re
import socket
from collections.abc import AsyncIterator, Iterator
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
from crawlers.discovery import Scope
from crawlers.frontier import Frontier
from crawlers.limits import CrawlLimits
from crawlers.photos import PhotoDesk
from crawlers.proxy import GuardProxy
from crawlers.readers.reading import Reading
from crawlers.readers.urls import canonical, is_home, page_key, same_site
from crawlers.recorder import Recorder, Sight
from crawlers.sites import Site
from crawlers.tasks import Task

log = logging.getLogger("crawl")
EXPORT_ROWS = 400
_NO_LOSS = {"http_404", "http_410", "http_403", "robots"}


class ShopSpider(scrapy.Spider):  # type: ignore[misc]  # Scrapy is untyped
    """Crawls one site; what it finds goes through its frontier into the catalog."""

    name = "shop"

    def __init__(
        self, site: Site, recorder: Recorder, frontier: Frontier, limits: CrawlLimits, listening: socket.socket
    ) -> None:
        super().__init__(name=site.name)
        self.site, self.recorder, self.frontier, self.limits = site, recorder, frontier, limits
        self.scope = Scope(site, limits)
        self.desk = PhotoDesk(recorder, limits)
        self.desk.load(frontier)
        self.memory = rendering.Memory()
        self.can_render = site.render != "never" and rendering.browser() is not None
        self.listening = listening
        self.proxy = GuardProxy(site.hosts if site.allow_loopback else frozenset())
        self.feed: dict[str, Reading] = {}
        self.pages = frontier.pages()

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "ShopSpider":
        """Build the spider and listen for robots.txt files."""
        spider: ShopSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_read, signal=signals.robots_parsed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Read the product feeds, since pages are completed from them, then fill the frontier."""
        await self.proxy.start(self.listening)
        for url in self.scope.feeds():
            await self.read_feed(url)
        tasks = list(self.scope.seeds())
        tasks += [task for reading in self.feed.values() for task in self.scope.page(reading.url, "product", 1)]
        self.frontier.note(self.recorder.take(self.budgeted(tasks)))
        requests: list[Request] = []  # the frontier hands them out
        for request in requests:
            yield request

    def request_of(self, task: Task) -> Request:
        """Return the request for a task."""
        limit = {"sitemap": self.limits.sitemap_bytes, "photo": self.limits.photo_bytes}
        meta = {"task": task, "download_maxsize": limit.get(task.role, self.limits.page_bytes)}
        if task.role == "photo":
            meta |= {"handle_httpstatus_list": [304], "download_timeout": self.limits.photo_seconds}
            return Request(
                task.url, self.photo, errback=self.photo_lost, headers=self.desk.headers(task.url), meta=meta
            )
        if task.role == "sitemap":
            return Request(task.url, self.sitemap, errback=self.lost, meta=meta)
        always = self.site.render == "always" or (self.site.render == "auto" and self.memory.at_once(task.url))
        if task.render or (self.can_render and always):
            meta |= rendering.meta()
        return Request(task.url, self.page, errback=self.lost, meta=meta)

    def budgeted(self, tasks: list[Task]) -> list[Task]:
        """Return tasks without the pages beyond the crawl's limit."""
        most = min(self.site.max_pages, self.limits.pages)
        found = []
        for task in tasks:
            if task.key.startswith("page ") and not self.frontier.knows(task.key):
                if self.pages >= most:
                    self.recorder.figures["pages_over_limit"] += 1
                    continue
                self.pages += 1
            found.append(task)
        return found

    @contextmanager
    def step(self, task: Task, dead: str | None = None) -> Iterator[list[Task]]:
        """Work on a task and end it with all that was found; tasks appended to the list go to the frontier.

        A catalog that cannot be written ends the crawl and leaves the task open; any other failure gives the task up.
        """
        found: list[Task] = []
        try:
            yield found
            self.frontier.finish(task.key, self.recorder.take(self.budgeted(found), self.desk.take()), dead=dead)
            if self.frontier.outbox() >= EXPORT_ROWS:
                self.recorder.export(self.frontier)
        except StoreError as error:
            self.recorder.errors["disk"] += 1
            log.error("%s", error)  # noqa: TRY400 - the message says all
            raise CloseSpider("disk") from error
        except CloseSpider:
            raise
        except Exception:
            log.exception("%s %s: given up", task.role, task.url)
            self.recorder.take([], {})
            self.recorder.page(task.url, "error", kept=False, evidence={"role": task.role})
            self.frontier.finish(task.key, self.recorder.take([]), dead="error")

    # discovery --------------------------------------------------------------------------------------------

    def robots_read(self, robotparser: Any, request: Request) -> None:
        """Obey Crawl-delay, never going below the site file's own delay, and take the sitemaps that are named."""
        host = urlsplit(request.url).hostname or ""
        rules = getattr(robotparser, "rp", None)
        asked = rules.crawl_delay(self.recorder.user_agent) if rules else None
        downloader = self.crawler.engine.downloader
        if asked:
            delay = min(max(float(asked), self.site.delay), self.limits.longest_wait)
            downloader.per_slot_settings[host] = {"delay": delay, "concurrency": 1}
            if host in downloader.slots:
                downloader.slots[host].delay, downloader.slots[host].concurrency = delay, 1
            self.recorder.figures["crawl_delay_s"] = max(self.recorder.figures["crawl_delay_s"], int(delay))
        if rules and host in self.site.hosts and "sitemap" in self.site.discover:
            named = [urljoin(request.url, url) for url in list(rules.sitemaps)[:50]]
            self.frontier.push(Task(url, "sitemap", optional=True) for url in named if same_site(url, request.url))

    async def read_feed(self, url: str) -> None:
        """Keep the products of a feed, page after page until one brings nothing new; a site without feed is no loss."""
        for number in range(1, self.limits.feed_pages + 1):
            address = re.sub(r"([?&]page=)\d+", rf"\g<1>{number}", url)
            request = Request(address, meta={"download_maxsize": self.limits.sitemap_bytes})
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

    def sitemap(self, response: Response) -> None:
        """Follow the pages and further sitemaps of a sitemap."""
        task: Task = response.meta["task"]
        with self.step(task) as found:
            read = readers.read_sitemap(response.body, response.url)
            evidence = {"reason": read.reason} if read.reason else {"pages": len(read.entries)}
            kept = not read.reason or task.optional
            self.recorder.page(task.url, "unread" if read.reason else "sitemap", kept=kept, evidence=evidence)
            if task.depth < 3:
                named = [url for url, _ in read.sitemaps[: self.limits.sitemaps] if self.scope.holds(url)]
                found += [Task(url, "sitemap", task.depth + 1) for url in named]
            found.extend(
                task for entry in read.pages() for task in self.scope.page(entry.url, "product", 1, response.url)
            )

    # pages ------------------------------------------------------------------------------------------------

    def page(self, response: Response) -> None:
        """Read a page: keep its product or look, follow its links, ask for its photos."""
        task: Task = response.meta["task"]
        if self.crawler.stats.get_value("downloader/response_bytes", 0) > self.limits.total_bytes:
            raise CloseSpider("byte_limit")
        with self.step(task) as found:
            declared = failures.content_type(response)
            if not isinstance(response, TextResponse) or (declared and not re.search(r"html|xml|text/plain", declared)):
                self.recorder.page(task.url, "wrong_content_type", kept=False, evidence={"content_type": declared})
            elif not self.scope.holds(canonical(response.url)):
                self.recorder.page(task.url, "left_site", kept=False, evidence={"to": response.url})
            else:
                self.read_page(response, task, found)

    def read_page(self, response: TextResponse, task: Task, found: list[Task]) -> None:
        """Read the HTML of a page, or ask for it again with the browser."""
        rendered = bool(response.meta.get("playwright"))
        reading = readers.read(response.text, response.url)
        self.memory.learn(response.url, rendered=rendered, read=reading.page_type != "other")
        plain = self.can_render and self.site.render == "auto" and not rendered
        if plain and rendering.lacks_content(reading, response.text) and self.memory.worth(response.url):
            found.append(Task(task.url, task.role, task.depth, task.parent, render=True))
            return
        self.recorder.figures["pages"] += 1
        self.recorder.figures["rendered"] += rendered
        tags = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        rules = media.directives([*tags, *reading.robots])
        feed = self.feed.pop(page_key(reading.canonical_url or reading.url), None)
        product = feed if reading.product is None and reading.page_type == "other" else rows.with_feed(reading, feed)
        if task.role == "look" and reading.product is None and reading.images:
            found += self.keep_look(reading, response, task, rules)
        elif product is not None and product.product is not None:
            found += self.keep_product(product, response, task, rules)
        elif reading.page_type == "look":
            found += self.keep_look(reading, response, task, rules)
        else:
            wanted = task.role == "product" and reading.page_type == "other" and not is_home(response.url)
            evidence = {"reason": reading.reason, "rendered": rendered, "at": response.url}
            self.recorder.page(
                task.url, "no_product" if wanted else reading.page_type, kept=not wanted, evidence=evidence
            )
        if "nofollow" not in rules:
            found += self.scope.links(reading, response.url, task.role, task.depth)

    def keep_product(self, reading: Reading, response: Response, task: Task, rules: tuple[str, ...]) -> Iterator[Task]:
        """Record a product and ask for its photos."""
        identity = self.recorder.product(reading, sha256(response.body))
        self.desk.name([response.url, task.url, reading.url, rows.address_of(reading)], identity)
        evidence = {"product_id": identity, "source": reading.evidence.get("name"), "at": response.url}
        self.recorder.page(task.url, "product", evidence=evidence)
        self.recorder.figures["products"] = len(set(self.desk.product_of.values()))
        published = media.time_of((reading.product or {}).get("publishedAt"))
        sight = Sight(response.url, identity, origin=self.site.origin, published_at=published, rules=rules)
        for url in self.desk.wanted(reading.images[: self.site.max_photos_per_product], sight):
            yield Task(url, "photo", parent=response.url)

    def keep_look(self, reading: Reading, response: Response, task: Task, rules: tuple[str, ...]) -> Iterator[Task]:
        """Record a look and ask for its photo; what it shows is settled when all products are known."""
        self.recorder.page(task.url, "look", evidence={"links": len(reading.product_links), "at": response.url})
        self.recorder.figures["looks"] += 1
        published = media.time_of(reading.published_at)
        sight = Sight(response.url, None, tuple(reading.product_links), "street", published, rules)
        for url in self.desk.wanted(reading.images[:1], sight):
            yield Task(url, "photo", parent=response.url, priority=0)

    def lost(self, failure: Any) -> None:
        """Record why a page or sitemap could not be fetched; a missing optional one is no loss."""
        request = failure.request
        task, reason = request.meta["task"], failures.kind(failure)
        with self.step(task, dead=reason):
            if not (task.optional and reason in _NO_LOSS):
                evidence = {"role": task.role, "at": request.url, "error": failures.text(failure)}
                self.recorder.page(task.url, reason, kept=False, evidence=evidence)

    # photos -----------------------------------------------------------------------------------------------

    def photo(self, response: Response) -> None:
        """Keep a photo, or record why it is none."""
        task: Task = response.meta["task"]
        with self.step(task):
            self.desk.answered(task.url, response)

    def photo_lost(self, failure: Any) -> None:
        """Record why a photo could not be fetched."""
        task, reason = failure.request.meta["task"], failures.kind(failure)
        with self.step(task, dead=reason):
            self.desk.lost(task.url, reason)

    def closed(self, reason: str) -> None:
        """Settle the looks of a crawl that came to its end, and write what waits."""
        self.recorder.close_reason = reason
        self.proxy.close()
        try:
            if reason == "finished":
                self.desk.close()
                self.frontier.note(self.recorder.take([], self.desk.take()))
            self.recorder.export(self.frontier)
        except StoreError as error:
            self.recorder.errors["disk"] += 1
            log.error("%s", error)  # noqa: TRY400 - the message says all
