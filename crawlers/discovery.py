"""Finding pages: what robots.txt, sitemaps and feeds name, which links of a page are worth following."""

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from crawlers.limits import CrawlLimits
from crawlers.readers.reading import Reading
from crawlers.readers.urls import canonical, page_key, same_site, tongue
from crawlers.sites import Site
from crawlers.tasks import Role, Task

FEED = "/products.json?limit=250&page=1"
FOREIGN = -1
"""Rank of a product's page in another language than that of the start page: after everything else."""
STORE = "/wp-json/wc/store/v1/products?per_page=100&page=1"


class Scope:
    """What of the web belongs to a site, and how far a crawl follows its links."""

    def __init__(self, site: Site, limits: CrawlLimits) -> None:
        self.site, self.limits = site, limits
        self.roots = list(dict.fromkeys(urljoin(url, "/") for url in site.start_urls))
        self._starts = {page_key(start) for start in site.start_urls}
        self._tongues = {said for url in site.start_urls if (said := tongue(url))}
        self._shown: dict[str, set[str]] = {}
        self._turned: Counter[str] = Counter()

    def holds(self, url: str) -> bool:
        """Return whether an address is a page of this site that its file lets be fetched."""
        host = urlsplit(url).hostname or ""
        if not any(host == own or same_site(url, f"http://{own}/") for own in self.site.hosts):
            return False
        if any(re.search(pattern, url) for pattern in self.site.deny):
            return False
        named = page_key(url) in self._starts or any(re.search(pattern, url) for pattern in self.site.allow)
        return named or not self.site.allow

    def page(self, url: str, role: Role, depth: int, parent: str | None = None) -> Iterator[Task]:
        """Yield the task for a page if it is in scope; a page of looks is recognised by its address."""
        address = canonical(url)
        if self.holds(address):
            is_look = any(re.search(pattern, address) for pattern in self.site.looks)
            foreign = role == "product" and self._tongues and tongue(address) not in self._tongues
            yield Task(address, "look" if is_look else role, depth, parent, priority=FOREIGN if foreign else None)

    def starts(self, url: str) -> None:
        """Learn the language of a start page where it led to: products are read in it where they have it."""
        self._tongues.add(tongue(url))

    def feeds(self) -> list[str]:
        """Return the first page of every product feed that the site may have."""
        discover, platform = self.site.discover, self.site.platform
        found = []
        for root in self.roots:
            if platform in {"auto", "shopify"} and "products_json" in discover:
                found.append(urljoin(root, FEED))
            if platform == "woocommerce" or "store_api" in discover:
                found.append(urljoin(root, STORE))
        return found

    def seeds(self) -> Iterator[Task]:
        """Yield what a crawl begins with: sitemaps and start pages."""
        if "sitemap" in self.site.discover:
            for url in self.site.sitemaps:
                yield Task(url, "sitemap")
            for root in self.roots:
                yield Task(urljoin(root, "/sitemap.xml"), "sitemap", optional=True)
        for url in self.site.start_urls:
            yield from self.page(url, "start", 0)

    def links(self, reading: Reading, url: str, role: Role, depth: int) -> Iterator[Task]:
        """Yield what a page leads to: products; from pages that are none, the next page and categories."""
        if "category" not in self.site.discover and role != "look":
            return
        if depth < self.limits.depth:
            for link in reading.product_links[: self.limits.links_per_page]:
                yield from self.page(link, "product", depth + 1, url)
        if reading.product is not None:
            return
        if reading.next_url and self.may_turn(reading, url):
            yield from self.page(reading.next_url, "listing", depth, url)
        if depth < 3 and reading.page_type in {"other", "listing", "look"}:
            for link in reading.page_links[: self.limits.links_per_page]:
                yield from self.page(link, "category", depth + 1, url)

    def may_turn(self, reading: Reading, url: str) -> bool:
        """Return whether a listing's next page is worth asking for: new products here, and no query that grows."""
        key = page_key(url)
        known = self._shown.setdefault(key, set())
        fresh = set(reading.product_links) - known
        known |= fresh
        self._turned[key] += 1
        grown = len(urlsplit(reading.next_url or "").query) > 2 * len(urlsplit(url).query) + 60
        return bool(fresh) and self._turned[key] <= self.limits.listing_pages and not grown
