"""Loaded by name, by Scrapy: downloader middlewares that keep a crawl polite and safe.

Robots, Retry-After, the throttle, and the guard of every hop.
"""

import asyncio
import logging
import time
import zlib
from collections import Counter
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.core import downloader
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Request, Response
from twisted.python.failure import Failure

from crawlers import failures, guard

log = logging.getLogger(__name__)
BUSY = (429, 503)
MOST = 60_000_000


class Refused(IgnoreRequest):  # type: ignore[misc]
    """A request that the guard does not let out; ``reason`` is the code for the ledger."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Guard:
    """Refuses requests, redirected ones included, to other schemes and to addresses that are not public."""

    def __init__(self, crawler: Any) -> None:
        self.loopback = frozenset(crawler.settings.getlist("LOOKBENCH_LOOPBACK_HOSTS"))

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Guard":
        """Build the middleware from the crawler's settings."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise Refused for an address that may not be fetched."""
        reason = guard.check_url(request.url, self.loopback)
        if reason:
            raise Refused("refused_address", reason)


class Robots(RobotsTxtMiddleware):  # type: ignore[misc]  # Scrapy is untyped
    """Scrapy's robots.txt middleware, except that a failing or silent server means "not now" and a missing file means
    "all" (RFC 9309, 2.3.1), and that no more of a file is read than guard.ROBOTS_BYTES.

    Pages of a host whose robots.txt cannot be had fail for the reason for which that failed.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._silent: dict[str, Refused] = {}
        self._received: Counter[str] = Counter()
        crawler.signals.connect(self._some, signal=signals.bytes_received)

    async def process_request(self, request: Request, spider: Any = None) -> None:  # noqa: ARG002 - Scrapy's signature
        """Raise Refused or IgnoreRequest for a page that may not be fetched."""
        await super().process_request(request)
        silent = self._silent.get(urlsplit(request.url).netloc)
        if silent and not request.meta.get("dont_obey_robotstxt"):
            raise silent

    def _some(self, data: bytes, request: Request) -> None:
        if not request.meta.get("dont_obey_robotstxt"):
            return
        self._received[request.url] += len(data)
        if self._received[request.url] > guard.ROBOTS_BYTES:
            raise StopDownload(fail=False)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == 429:
            response = response.replace(body=b"User-agent: *\nDisallow: /\n")
        elif response.status >= 400:
            response = response.replace(body=b"")
        elif len(response.body) >= guard.ROBOTS_BYTES:
            log.warning("%s is larger than %d bytes; its rest is ignored", response.url, guard.ROBOTS_BYTES)
            request.meta["robots_read"] = guard.ROBOTS_BYTES
            read = response.body[: guard.ROBOTS_BYTES].rpartition(b"\n")[0]  # half a rule would be another rule
            response = response.replace(body=read)
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        kind = failures.kind(Failure(exc))
        if kind != "redirect_loop":  # a missing file, says the RFC
            self._silent[netloc] = Refused(kind, f"the robots.txt of {netloc} cannot be read: {exc}")
        super()._robots_error(exc, netloc)


class Unchanged:
    """Answers for the server, with 304, where a page need not be asked for (``request.meta["unchanged"]``).

    It comes after robots.txt: what may not be fetched any more is not seen either.
    """

    def process_request(self, request: Request) -> Response | None:
        """Return the answer, or None for a request that must go out."""
        at = request.meta.get("unchanged")
        return Response(at, status=304, flags=["unchanged"], request=request) if at else None


class Complete:
    """Asks again for a gzipped answer that ends too early: Scrapy would take the half that it can unpack."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Complete":
        """Build the middleware."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Return the answer, or the request once more; raise Refused when the repetitions are used up."""
        packed = response.headers.get("Content-Encoding", b"").strip().lower() in {b"gzip", b"x-gzip"}
        if (
            not packed
            or "download_stopped" in response.flags
            or not response.body
            or _ends(response.body, request.meta.get("download_maxsize", MOST))
        ):
            return response
        again = get_retry_request(request, spider=self.crawler.spider, reason="truncated")
        if again is None:
            raise Refused("truncated", f"{response.url}: the gzip stream ends too early")
        return again


def _ends(data: bytes, most: int) -> bool:
    """Return whether a gzip stream comes to its end, or is larger than ``most`` bytes: that is not judged here."""
    inflater, total = zlib.decompressobj(wbits=31), 0
    try:
        while data and not inflater.eof and total <= most:
            total += len(inflater.decompress(data, 1_000_000))
            data = inflater.unconsumed_tail
    except zlib.error:
        return False
    return inflater.eof or total > most


class Throttle(AutoThrottle):  # type: ignore[misc]  # Scrapy is untyped
    """Scrapy's AutoThrottle, except that the delay which robots.txt asks for holds, and that a busy server is asked
    half as often. As in Scrapy's, an answer that is no success never makes a crawl faster."""

    def _response_downloaded(self, response: Response, request: Request, spider: Any) -> None:
        super()._response_downloaded(response, request, spider)
        key, slot = self._get_slot(request, spider)
        if slot is None:
            return
        if response.status in BUSY:
            slot.delay = min(2 * slot.delay, self.maxdelay)
        slot.delay = max(slot.delay, self.crawler.engine.downloader.per_slot_settings.get(key, {}).get("delay", 0.0))


class Downloader(downloader.Downloader):  # type: ignore[misc]  # Scrapy is untyped
    """Scrapy's downloader, except for three things.

    A request takes its place in its host's line at once: Scrapy 2.19 counts a request only when its task begins, a turn
    of the loop later; until then the place looks free, and all that stands in line goes out together, whatever the
    concurrency.

    The delay that was promised to a host counts from the answer to the last request, where that has come before the
    next one's turn: a server sees a request when its connection stands, which may be long after its turn came, so
    that turns alone would let the next one arrive too early.

    What comes over the wire is counted (``lookbench/received_bytes``), also of answers that never come to their end.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._last: dict[str, Request] = {}
        crawler.signals.connect(self._head, signal=signals.headers_received)
        crawler.signals.connect(self._answered, signal=signals.response_downloaded)
        crawler.signals.connect(self._some, signal=signals.bytes_received)

    def promised(self, host: str) -> float:
        """Return the seconds between two requests to a host that a crawl never goes below."""
        return float(self.per_slot_settings.get(host, {}).get("delay", self.settings.getfloat("DOWNLOAD_DELAY")))

    def give_up(self, why: Refused, host: str | None = None) -> None:
        """Fail the requests that wait for their turn, all of them or those to one host (with its port)."""
        for slot in self.slots.values():
            waiting = list(slot.queue)
            leaving = [entry for entry in waiting if host is None or urlsplit(entry[0].url).netloc == host]
            slot.queue.clear()
            slot.queue.extend(entry for entry in waiting if entry not in leaving)
            for _, answer in leaving:
                answer.errback(Failure(why))

    def _wait_for_download(self, slot: Any, request: Request, answer: Any) -> Any:
        slot.transferring.add(request)
        self._last[request.meta[self.DOWNLOAD_SLOT]] = request
        return super()._wait_for_download(slot, request, answer)

    def _head(self, headers: Any, request: Request) -> None:
        self._received(sum(len(name) + len(value) + 4 for name, values in headers.items() for value in values))
        self._answered(request)

    def _answered(self, request: Request) -> None:
        host = request.meta.get(self.DOWNLOAD_SLOT)
        slot = self.slots.get(host)
        if slot and self._last.get(host) is request:
            slot.lastseen = max(slot.lastseen, time.monotonic() + self.promised(host) - slot.delay)

    def _some(self, data: bytes) -> None:
        self._received(len(data))

    def _received(self, size: int) -> None:
        self.crawler.stats.inc_value("lookbench/received_bytes", size)


class RetryAfter:
    """Waits as long as a busy server asks (429, 503 with Retry-After in seconds or as a date), then asks again.

    While a host waits no other request goes to it. Waits beyond the limit give the page up with its status.
    """

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        self.longest = crawler.settings.getfloat("LOOKBENCH_LONGEST_WAIT")
        self.times = crawler.settings.getint("RETRY_TIMES")
        self.until: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RetryAfter":
        """Build the middleware from the crawler's settings."""
        made = cls(crawler)
        crawler.signals.connect(made.downloaded, signal=signals.response_downloaded)
        return made

    def downloaded(self, response: Response, request: Request) -> None:
        """Keep the requests that are already in line for a busy host from going out with its answer."""
        from scrapy.utils.asyncio import call_later

        slot = self.crawler.engine.downloader.slots.get(request.meta.get("download_slot"))
        if response.status not in BUSY or slot is None or (wait := self.wait(response, request)) > self.longest:
            return
        slot.close()  # its timer; the new one goes on with the line
        slot.latercall = call_later(wait, self.crawler.engine.downloader._latercall, slot)  # noqa: SLF001

    def wait(self, response: Response, request: Request) -> float:
        """Return the seconds that a busy answer asks for, or some that grow with each one when it does not say."""
        asked = seconds_of(response.headers.get("Retry-After", b"").decode("latin-1"), datetime.now(UTC))
        return min(2.0 ** (request.meta.get("busy_times", 0) + 1), self.longest) if asked is None else asked

    async def process_request(self, request: Request) -> None:
        """Hold the request while its host asked for patience."""
        host = urlsplit(request.url).netloc
        while (left := self.until.get(host, 0.0) - time.monotonic()) > 0:
            if self.crawler.spider.stopping:
                raise Refused("stopped", self.crawler.spider.stopping)
            await asyncio.sleep(min(left, 1.0))

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        """Turn a busy answer into a later request for the same page."""
        tried = request.meta.get("busy_times", 0)
        if response.status not in BUSY or tried >= self.times:
            return response
        wait = self.wait(response, request)
        stats = self.crawler.stats
        stats.inc_value(f"lookbench/busy/{response.status}")
        if wait > self.longest:
            log.info(
                "%s asks to wait %.0f s, more than %.0f s: left for the next crawl", response.url, wait, self.longest
            )
            return response
        host = urlsplit(request.url).netloc
        now = time.monotonic()
        before, until = max(self.until.get(host, 0.0), now), now + wait
        self.until[host] = max(before, until)
        stats.inc_value("lookbench/wait_seconds", max(until - before, 0.0))  # several answers ask for one pause
        again = request.replace(dont_filter=True, priority=request.priority - 1)
        again.meta.update(
            {"busy_times": tried + 1, "waited": [*request.meta.get("waited", ()), [response.status, wait]]}
        )
        return again


def seconds_of(value: str, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, or None when it is not there or unreadable."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:300])  # more digits are no number to Python, and far beyond any wait
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds(), 0.0)
