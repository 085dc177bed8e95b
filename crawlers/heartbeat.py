"""One log line a minute that a person can read."""

import logging
from typing import Any

log = logging.getLogger("crawl")
INTERVAL = 60.0


class Heartbeat:
    """Scrapy extension that tells each minute what a crawl has and what it waits for."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self.crawler = crawler
        self.task: Any = None
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Heartbeat":
        """Build the extension."""
        return cls(crawler)

    def opened(self, spider: Any) -> None:
        """Start to tell."""
        from twisted.internet.task import LoopingCall

        self.task = LoopingCall(self.tell, spider)
        self.task.start(INTERVAL, now=False)

    def closed(self, spider: Any) -> None:
        """Tell once more and stop."""
        if self.task and self.task.running:
            self.task.stop()
        self.tell(spider)

    def tell(self, spider: Any) -> None:
        """Write the line."""
        figures, errors, traffic = spider.recorder.figures, spider.recorder.errors, spider.traffic()
        log.info(
            "%s: %d pages, %d products, %d looks, %d photos (%d new), %d failures, %.1f MB, waited %.0f s politely",
            spider.site.name,
            figures["pages"],
            figures["products"],
            figures["looks"],
            figures["photos"],
            figures["photos_new"],
            sum(errors.values()),
            traffic["bytes"] / 1e6,
            traffic["waits"],
        )
