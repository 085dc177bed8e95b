"""Scrapy extensions that look at a crawl from time to time, as long as it runs."""

from abc import ABC, abstractmethod
from typing import Any


class Ticking(ABC):
    """Calls ``look`` every ``SECONDS`` while a spider is open."""

    SECONDS = 60.0
    AT_ONCE = False
    """Whether the first look is when the spider opens."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self.crawler = crawler
        self._task: Any = None
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Ticking":
        """Build the extension."""
        return cls(crawler)

    def opened(self, spider: Any) -> None:
        """Begin to look."""
        from twisted.internet.task import LoopingCall

        self._task = LoopingCall(self.look, spider)
        self._task.start(self.SECONDS, now=self.AT_ONCE)

    def closed(self, spider: Any) -> None:  # noqa: ARG002 - Scrapy's signal
        """Look no more."""
        if self._task and self._task.running:
            self._task.stop()

    @abstractmethod
    def look(self, spider: Any) -> None:
        """Do what is to be done each time."""
