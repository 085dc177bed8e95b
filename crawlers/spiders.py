"""Loaded by name, in the process of a crawl: the spider.

It fetches tasks, reads pages, keeps what they show; each task ends in one transaction of the frontier.
"""

import logging
import re
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import Request, Response, TextResponse

from catalog.store import StoreError
from crawlers import ending, failures, readers
from crawlers.discovery import Scope
from crawlers.frontier import Frontier, FrontierError
from crawlers.limits import CrawlLimits
from crawlers.pages import UNCHANGED, PageDesk
from crawlers.past import Past
from crawlers.photos import PhotoDesk
from crawlers.proxy import GuardProxy
from crawlers.readers.urls import canonical, page_key, same_site
from crawlers.recorder import Recorder
from crawlers.sites import Site
from crawlers.tasks import Task
from crawlers.warc import PageArchive

log = logging.getLogger("crawl")
EXPORT_ROWS = 4000
DISK = (StoreError, FrontierError)
NOT_MODIFIED = 304
_CONDITIONS = {b"if-none-match", b"if-modified-since"}
_HTML = r"html|xml|text/plain"
_NO_LOSS = {"http_404", "http_410", "http_403", "robots"}


class ShopSpider(scrapy.Spider):  # type: ignore[misc]  # Scrapy is untyped
    """Crawls one site; what it finds goes through its frontier into the catalog."""

    name = "shop"

    def __init__(
        self,
        site: Site,
        recorder: Recorder,
        frontier: Frontier,
        limits: CrawlLimits,
        listening: socket.socket,
        archive: PageArchive,
    ) -> None:
        super().__init__(name=site.name)
        self.site, self.recorder, self.frontier, self.limits = site, recorder, frontier, limits
        self.scope = Scope(site, limits)
        self.past = Past(frontier, recorder, limits)
        self.photos = PhotoDesk(recorder, limits, self.past)
        self.photos.load(frontier)
        self.desk = PageDesk(site, recorder, self.scope, self.photos, self.past, archive)
        self.archive = archive
        self.listening = listening
        self.proxy = GuardProxy(site.hosts if site.allow_loopback else frozenset(), limits.total_bytes)
        self.stopping: str | None = None
        """Why the crawl ends before its work is done."""
        frontier.allow(min(site.max_pages, limits.pages))

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "ShopSpider":
        """Build the spider and listen for robots.txt files and for the end of the frontier."""
        spider: ShopSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_read, signal=signals.robots_parsed)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        spider.proxy.count = lambda size: crawler.stats.inc_value("lookbench/browser_bytes", size)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Read the product feeds, since pages are completed from them, then fill the frontier."""
        await self.proxy.start(self.listening)
        self.frontier.drop(lambda url: not self.scope.holds(url))
        for url in self.scope.feeds():
            await self.read_feed(url)
        tasks = list(self.scope.seeds())
        tasks += [task for reading in self.desk.feed.values() for task in self.scope.page(reading.url, "product", 1)]
        self.frontier.note(self.recorder.take(tasks))
        requests: list[Request] = []  # the frontier hands them out
        for request in requests:
            yield request

    def request_of(self, task: Task) -> Request:
        """Return the request for a task."""
        limit = {"sitemap": self.limits.sitemap_bytes, "photo": self.limits.photo_bytes}
        meta = {"task": task, "download_maxsize": limit.get(task.role, self.limits.page_bytes)}
        if task.role == "photo":
            meta |= {"handle_httpstatus_list": [NOT_MODIFIED], "download_timeout": self.limits.photo_seconds}
            return Request(
                task.url, self.photo, errback=self.photo_lost, headers=self.photos.headers(task.url), meta=meta
            )
        if task.role == "sitemap":
            return Request(task.url, self.sitemap, errback=self.lost, meta=meta)
        meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        if task.role == "product" and self.desk.version(task):
            return Request(task.url, self.version, errback=self.lost, meta={**meta, UNCHANGED: task.url})
        headers, more = self.desk.conditions(task)
        meta |= more
        return Request(task.url, self.page, errback=self.lost, headers=headers, meta=meta)

    @contextmanager
    def step(self, task: Task, dead: str | None = None) -> Iterator[list[Task]]:
        """Work on a task and end it with all that was found; tasks appended to the list go to the frontier.

        A catalog that cannot be written ends the crawl and leaves the task open; any other failure gives the task up.
        """
        found: list[Task] = []
        try:
            yield found
            self.frontier.finish(task.key, self.recorder.take(found, self.notes()), dead=dead)
            if self.frontier.outbox() >= EXPORT_ROWS:
                self.recorder.export(self.frontier)
        except DISK as error:
            self.recorder.errors["disk"] += 1
            log.error("%s", error)  # noqa: TRY400 - the message says all
            ending.stop(self.crawler, "disk")
            raise CloseSpider("disk") from error
        except CloseSpider:
            raise
        except Exception:
            log.exception("%s %s: given up", task.role, task.url)
            self.recorder.take([], {})
            self.recorder.page(task.url, "error", kept=False, evidence={"role": task.role})
            self.frontier.finish(task.key, self.recorder.take([]), dead="error")
        if self.traffic()["bytes"] > self.limits.total_bytes:
            ending.stop(self.crawler, "byte_limit")

    def traffic(self) -> dict[str, Any]:
        """Return bytes, requests and politeness of this night so far."""
        return self.recorder.traffic_with(self.crawler.stats.get_stats())

    def notes(self) -> dict[tuple[str, str], Any]:
        """Return what a process that goes on after this one needs to know."""
        state = {("archive", self.frontier.owner): self.archive.note(), ("state", "traffic"): self.traffic()}
        return {**self.photos.take(), **self.past.take(), **state}

    # discovery --------------------------------------------------------------------------------------------

    def robots_read(self, robotparser: Any, request: Request) -> None:
        """Obey Crawl-delay, never going below the site file's own delay, and take the sitemaps that are named."""
        host = urlsplit(request.url).hostname or ""
        rules = getattr(robotparser, "rp", None)
        asked = rules.crawl_delay(self.recorder.user_agent) if rules else None
        downloader = self.crawler.engine.downloader
        if asked:
            delay = max(asked, self.site.delay)
            downloader.per_slot_settings[host] = {"delay": delay, "concurrency": 1}
            if host in downloader.slots:
                downloader.slots[host].delay, downloader.slots[host].concurrency = delay, 1
            self.recorder.figures["crawl_delay_s"] = max(self.recorder.figures["crawl_delay_s"], delay)
        told = {"agent": self.recorder.user_agent, "crawl_delay": asked, "delay": downloader.promised(host)}
        told |= {"read_bytes": request.meta["robots_read"]} if "robots_read" in request.meta else {}
        self.recorder.page(urljoin(request.url, "/robots.txt"), "robots_txt", evidence=told)
        if rules and host in self.site.hosts and "sitemap" in self.site.discover:
            named = [urljoin(request.url, url) for url in list(rules.sitemaps)[:50]]
            self.frontier.push(Task(url, "sitemap", optional=True) for url in named if same_site(url, request.url))

    def idle(self) -> None:
        """Ask, when all else is done, for the products of earlier nights that nothing led to."""
        pages = [task for _, url in self.past.unseen() for task in self.scope.page(url, "product", 1)]
        asked = self.frontier.push([replace(task, optional=True) for task in pages])
        if asked:
            raise DontCloseSpider

    async def read_feed(self, url: str) -> None:
        """Keep the products of a feed, page after page until one brings nothing new; a site without feed is no loss."""
        for number in range(1, self.limits.feed_pages + 1):
            if self.stopping:
                return
            address = re.sub(r"([?&]page=)\d+", rf"\g<1>{number}", url)
            request = Request(address, meta={"download_maxsize": self.limits.sitemap_bytes})
            try:
                response = await self.crawler.engine.download_async(request)
            except Exception as error:  # noqa: BLE001 - whatever fails here, the site is still crawled by its pages
                log.info("%s: no feed at %s (%s)", self.site.name, address, error)
                return
            found = readers.read_feed(response.body, response.url) if response.status == 200 else []
            new = [reading for reading in found if page_key(reading.url) not in self.desk.feed]
            if found:
                self.recorder.page(response.url, "feed", evidence={"products": len(found)})
            if not new:
                return
            self.desk.feed |= {page_key(reading.url): reading for reading in new}

    def sitemap(self, response: Response) -> None:
        """Follow the pages and further sitemaps of a sitemap."""
        task: Task = response.meta["task"]
        with self.step(task) as found:
            read = readers.read_sitemap(response.body, response.url)
            evidence: dict[str, Any] = {"reason": read.reason} if read.reason else {"pages": len(read.entries)}
            kept = not read.reason or task.optional
            named = [Task(url, "sitemap", task.depth + 1) for url, _ in read.sitemaps if self.scope.holds(url)]
            new = [further for further in dict.fromkeys(named) if not self.frontier.knows(further.key)]
            room = max(self.limits.sitemaps - self.frontier.sitemaps(), 0) if task.depth < 3 else 0
            found.extend(new[:room])
            if len(new) > room:
                evidence["sitemaps_left"] = len(new) - room
            self.recorder.page(task.url, "unread" if read.reason else "sitemap", kept=kept, evidence=evidence)
            for entry in read.pages():
                pages = list(self.scope.page(entry.url, "product", 1, response.url))
                self.past.learn({page.url: entry.lastmod for page in pages if entry.lastmod})
                found.extend(pages)

    # pages ------------------------------------------------------------------------------------------------

    def page(self, response: Response) -> Request | None:
        """Read a page: keep its product or look, follow its links, ask for its photos."""
        task: Task = response.meta["task"]
        known = self.past.page(task.url) if response.status == NOT_MODIFIED else None
        if response.status == NOT_MODIFIED and (known is None or known.at != response.url):
            if (
                _CONDITIONS.intersection(name.lower() for name in response.request.headers)
                or UNCHANGED in response.flags
            ):
                return _whole(response.request)
            with self.step(task, dead="http_304"):  # asked without a condition, and again it would be no other
                self.recorder.page(task.url, "http_304", kept=False, evidence={"role": task.role, "at": response.url})
            return None
        with self.step(task) as found:
            if task.role == "start":
                self.scope.starts(response.url)
            declared = failures.content_type(response)
            if known:
                found.extend(self.desk.keep(self.desk.again(response, task, known), task))
            elif not isinstance(response, TextResponse) or (declared and not re.search(_HTML, declared)):
                self.recorder.page(task.url, "wrong_content_type", kept=False, evidence={"content_type": declared})
            elif not self.scope.holds(canonical(response.url)):
                self.recorder.page(task.url, "left_site", kept=False, evidence={"to": response.url})
            elif seen := self.desk.read(response, task):
                found.extend(self.desk.keep(seen, task))
            else:
                found.append(replace(task, render=True))
        return None

    def version(self, response: Response) -> None:
        """Record a page that shows a known product in another language; nobody was asked for it."""
        task: Task = response.meta["task"]
        with self.step(task):
            self.recorder.page(task.url, "other_language", evidence={"product_id": self.desk.version(task)})

    def lost(self, failure: Any) -> None:
        """Record why a page or sitemap could not be fetched; a missing optional one is no loss."""
        request = failure.request
        task, reason = request.meta["task"], failures.kind(failure)
        if reason == ending.STOPPED:
            return
        with self.step(task, dead=reason):
            if not (task.optional and reason in _NO_LOSS):
                evidence = {"role": task.role, "at": request.url, "error": failures.text(failure)}
                evidence |= {"waited": request.meta["waited"]} if "waited" in request.meta else {}
                self.recorder.page(task.url, reason, kept=False, evidence=evidence)

    # photos -----------------------------------------------------------------------------------------------

    def photo(self, response: Response) -> None:
        """Keep a photo, or record why it is none."""
        task: Task = response.meta["task"]
        with self.step(task):
            self.photos.answered(task.url, response)

    def photo_lost(self, failure: Any) -> None:
        """Record why a photo could not be fetched."""
        task, reason = failure.request.meta["task"], failures.kind(failure)
        if reason == ending.STOPPED:
            return
        with self.step(task, dead=reason):
            self.photos.lost(task.url, reason)

    def closed(self, reason: str) -> None:
        """Settle the looks of a crawl that came to its end, and write what waits."""
        self.recorder.close_reason = self.stopping or reason
        self.recorder.figures["pages_over_limit"] = self.frontier.left()
        self.proxy.close()
        try:
            if reason == "finished":
                self.photos.close()
                self.past.settle()
            self.archive.seal()
            self.frontier.note(self.recorder.take([], self.notes()))
            self.recorder.export(self.frontier)
        except DISK as error:
            self.recorder.errors["disk"] += 1
            log.error("%s", error)  # noqa: TRY400 - the message says all


def _whole(request: Request) -> Request:
    """Return a request again, now for the whole page: nobody remembers what did not change."""
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _CONDITIONS}
    meta = {name: value for name, value in request.meta.items() if name != UNCHANGED}
    return request.replace(headers=headers, meta=meta, dont_filter=True)
