"""Loaded by name, by Scrapy: what ends a crawl before its work is done. What is open then stays in the frontier."""

import logging
import time
from typing import Any

from crawlers.politeness import Refused
from crawlers.sites import switched_off
from crawlers.ticking import Ticking

log = logging.getLogger("crawl")
STOPPED = "stopped"
"""Reason code of a request that was not sent because its crawl ends."""


class Ending(Ticking):
    """Scrapy extension that looks every 2 seconds at the kill switch (``enabled`` in the site's file) and the clock."""

    SECONDS = 2.0
    AT_ONCE = True

    def opened(self, spider: Any) -> None:
        """Begin to look."""
        self.until = time.monotonic() + spider.limits.seconds
        super().opened(spider)

    def look(self, spider: Any) -> None:
        """End the crawl if its time is over or its site was switched off."""
        if time.monotonic() > self.until:
            stop(self.crawler, "time_limit")
        elif switched_off(spider.site.file):
            stop(self.crawler, "switched_off")


def stop(crawler: Any, reason: str) -> None:
    """End a crawl: what is on the wire may come in, what waits for its turn is not sent any more."""
    from scrapy.utils.defer import _schedule_coro

    if crawler.spider.stopping:
        return
    log.warning("%s: stopped (%s)", crawler.spider.name, reason)
    crawler.spider.stopping = reason
    crawler.engine.downloader.give_up(Refused(STOPPED, reason))
    _schedule_coro(crawler.engine.close_spider_async(reason=reason))
