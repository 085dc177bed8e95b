"""Loaded by name, by Scrapy: a host that turns every request away is left alone."""

import logging
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from scrapy.http import Request, Response
from twisted.python.failure import Failure

from crawlers import failures
from crawlers.politeness import Refused

log = logging.getLogger("crawl")
TURNED_AWAY = "turned_away"
"""Reason code of a request that was not sent because its host turned away the ones before."""
_NO = frozenset({401, 403, 429})
_SILENCE = frozenset({"timeout", "refused", "reset", "dns", "certificate"})


class Breaker:
    """Sends no more requests, this night, to a host of which so many in a row came to nothing.

    Refusals, errors of the server and connections without an answer count, each after its repetitions; any other answer
    begins the count anew.
    """

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        self.most = crawler.settings.getint("LOOKBENCH_REFUSALS")
        self._row: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Breaker":
        """Build the middleware from the crawler's settings."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise Refused for a host that is left alone."""
        host = urlsplit(request.url).netloc
        if self._row[host] >= self.most:
            raise self._refusal(host)

    def process_response(self, request: Request, response: Response) -> Response:
        """Count an answer."""
        if "unchanged" not in response.flags:  # nobody was asked
            self._count(request, f"http_{response.status}" if response.status in _NO or response.status >= 500 else "")
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a request without an answer."""
        kind = failures.kind(Failure(exception))
        if kind in _SILENCE:
            self._count(request, kind)

    def _count(self, request: Request, reason: str) -> None:
        host = urlsplit(request.url).netloc
        if not reason:
            self._row[host] = 0
            return
        self._row[host] += 1
        if self._row[host] == self.most:
            log.warning(
                "%s: %d requests in a row came to nothing (%s); left alone until the next crawl",
                host,
                self.most,
                reason,
            )
            self.crawler.engine.downloader.give_up(self._refusal(host), host)

    def _refusal(self, host: str) -> Refused:
        return Refused(TURNED_AWAY, f"{host} turned away {self.most} requests in a row")
