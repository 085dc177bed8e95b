"""One log line a minute that a person can read."""

import logging
from typing import Any

from crawlers.ticking import Ticking

log = logging.getLogger("crawl")


class Heartbeat(Ticking):
    """Scrapy extension that tells each minute what a crawl has and what it waits for."""

    def closed(self, spider: Any) -> None:
        """Tell once more and stop."""
        super().closed(spider)
        self.look(spider)

    def look(self, spider: Any) -> None:
        """Write the line."""
        figures, errors, traffic = spider.recorder.figures, spider.recorder.errors, spider.traffic()
        log.info(
            "%s: %d pages, %d products, %d looks, %d photos (%d new), %d failures%s, %d waiting, %.1f MB, "
            "waited %.0f s politely",
            spider.site.name,
            figures["pages"],
            figures["products"],
            figures["looks"],
            figures["photos"],
            figures["photos_new"],
            sum(errors.values()),
            f" ({', '.join(f'{kind} {count}' for kind, count in errors.most_common(4))})" if errors else "",
            spider.frontier.waiting,
            traffic["bytes"] / 1e6,
            traffic["waits"],
        )
