"""Loaded by name, by Scrapy: its scheduler over the durable frontier.

Spiders stay ordinary, tasks outlive the process.
"""

from collections import deque
from typing import Any

from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Request

BATCH = 16


class FrontierScheduler(BaseScheduler):  # type: ignore[misc]  # Scrapy is untyped
    """Leases tasks of ``spider.frontier`` and turns them into requests (``spider.request_of``).

    Requests that Scrapy itself makes on the way (redirects, retries) belong to a leased task and are kept in memory.
    """

    def __init__(self) -> None:
        self.hops: deque[Request] = deque()
        self.leased: deque[Any] = deque()
        self.spider: Any = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> "FrontierScheduler":  # noqa: ARG003 - Scrapy's signature
        """Build the scheduler."""
        return cls()

    def open(self, spider: Any) -> None:
        """Begin with what a process that died had leased."""
        self.spider = spider
        spider.frontier.recover()

    def has_pending_requests(self) -> bool:
        """Return whether anything is left to fetch."""
        return bool(self.hops or self.leased or self.spider.frontier.waiting)

    def enqueue_request(self, request: Request) -> bool:
        """Take a redirected or repeated request."""
        self.hops.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request, or None when there is none now."""
        if self.hops:
            return self.hops.popleft()
        if not self.leased and self.spider.frontier.waiting:
            self.leased.extend(self.spider.frontier.lease(BATCH))
        return self.spider.request_of(self.leased.popleft()) if self.leased else None
