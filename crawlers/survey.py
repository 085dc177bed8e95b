"""A first look at a shop that nobody described yet: what runs it, what it sells, lacks and allows."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from crawlers import media, platforms, readers, rendering
from crawlers.discovery import FEED, STORE
from crawlers.errors import CrawlError
from crawlers.fetch import AnsweredError, Fetched, Visitor
from crawlers.readers.reading import Reading
from crawlers.readers.sitemaps import Entry
from crawlers.readers.urls import canonical, distinct, is_home, neutral, same_site, tongue

SAMPLES = 5
TRIES = 15
SITEMAPS = 12
SITEMAP_BYTES = 60_000_000
PATIENCE = 30.0
"""Seconds between two pages beyond which nobody waits for a survey."""
GROUPS = 12
FIELDS = ("name", "price", "currency", "images", "brand", "color", "breadcrumbs", "description", "availability", "sku")
_SELLS = re.compile(r"product|prod[_-]|/p/|/dp/|/item|artikel|produkt|produit|producto|prodotto", re.IGNORECASE)


@dataclass
class Group:
    """Pages of one sitemap whose addresses are built alike; one that was tried tells what the others are."""

    urls: list[str]
    asked: int = 0
    tried: int = 0
    """Pages that came; what could not be fetched tells nothing of the others."""
    read: int = 0
    shells: int = 0

    def next(self) -> str | None:
        """Return the next page to try, or None when there were enough: they are spread over the group, since neighbours
        resemble each other."""
        last = len(self.urls) - 1
        places = list(dict.fromkeys(step * last // (SAMPLES - 1) for step in (0, SAMPLES - 1, 2, 1, 3)))
        if self.asked == len(places):
            return None
        self.asked += 1
        return self.urls[places[self.asked - 1]]


@dataclass
class Survey:
    """What was found at a shop."""

    url: str
    platform: str = "generic"
    language: str | None = None
    allowed: bool = True
    crawl_delay: float | None = None
    rules: tuple[str, ...] = ()
    sitemaps: list[dict[str, Any]] = field(default_factory=list)
    feed: dict[str, Any] | None = None
    products: int | None = None
    counted: str = "nothing"
    partly: bool = False
    """Whether there is more than was counted."""
    read: list[dict[str, Any]] = field(default_factory=list)
    unread: list[dict[str, Any]] = field(default_factory=list)
    shells: list[str] = field(default_factory=list)
    browser: str = "no"
    troubles: list[str] = field(default_factory=list)


def survey(url: str, visitor: Visitor, render: Callable[[str], str | None] | None = None) -> Survey:
    """Look at the shop whose home page is ``url``: some 25 requests at most, each as polite as ``visitor``.

    ``render`` returns the HTML of a page after its scripts, or None; without it a page that seems to need a browser is
    only suspected to. Raises CrawlError when the home page cannot be fetched; a refusal by robots.txt is a verdict.
    """
    found = Survey(url)
    rules = visitor.robots(url)
    found.crawl_delay = rules.crawl_delay(visitor.user_agent)
    visitor.pause = max(visitor.pause, found.crawl_delay or 0.0)
    found.allowed = bool(rules.can_fetch(url, visitor.user_agent))
    if not found.allowed:
        return found
    home = visitor.get(url)
    reading = readers.read(home.body, home.url)
    found.url, found.platform, found.language = home.url, platforms.of(home.body, home.headers), reading.language
    found.rules = media.directives([home.headers.get("x-robots-tag", ""), *reading.robots])
    if visitor.pause > PATIENCE:
        found.troubles.append(f"{visitor.pause:g} s must lie between two pages: only the home page was looked at")
        return found
    _feed(found, visitor)
    groups = _groups(_once(_walk(found, visitor, list(rules.sitemaps)), tongue(found.url)))
    by_sitemap = bool(groups)
    if not groups:
        groups = _linked(found, visitor, reading, home)
    _sample(found, visitor, groups)
    sold = sum(len(group.urls) * group.read / group.tried for group in groups if group.tried)
    found.partly |= any(not group.tried for group in groups)
    if found.feed and (found.feed["products"] or 0) >= sold:
        found.products, found.counted, found.partly = found.feed["products"], "feed", found.feed["more"]
    elif sold:
        found.products, found.counted = round(sold), "sitemap" if by_sitemap else "links of two pages"
    _compare(found, render)
    if not found.products and found.browser == "yes":
        alike = sum(len(group.urls) * group.shells / group.tried for group in groups if group.tried)
        found.products, found.counted = round(alike), "pages like the one rendered"
    return found


def _try(found: Survey, get: Callable[[str], Fetched], url: str, *, guessed: bool = False) -> Fetched | None:
    try:
        return get(url)
    except CrawlError as error:
        missing = isinstance(error, AnsweredError) and error.status in {404, 410}
        if not (guessed and missing) and str(error) not in found.troubles:
            found.troubles.append(str(error))
        return None


def _feed(found: Survey, visitor: Visitor) -> None:
    """Ask for the product feed that the shop system offers; a missing one is no trouble."""
    if found.platform not in platforms.FEEDS:
        return
    place = urljoin(found.url, FEED if found.platform == "shopify" else STORE)
    page = _try(found, visitor.get, place, guessed=True)
    products = readers.read_feed(page.body, page.url) if page else []
    if page and products:
        total = page.headers.get("x-wp-total", "")
        count = int(total) if total.isascii() and total.isdigit() else len(products)
        found.feed = {"url": place, "products": count, "more": not total and len(products) >= 250}


def _walk(found: Survey, visitor: Visitor, named: list[str]) -> Iterator[tuple[str, Entry]]:
    """Yield the entries of the shop's sitemaps with the sitemap each is from, those of products first."""
    waiting = [urljoin(found.url, url) for url in named] or [urljoin(found.url, "/sitemap.xml")]
    known = set(waiting)

    def get(url: str) -> Fetched:
        return visitor.get(url, SITEMAP_BYTES)

    while waiting and len(found.sitemaps) < SITEMAPS:
        waiting.sort(key=lambda url: not _SELLS.search(url))
        place = waiting.pop(0)
        if not (page := _try(found, get, place, guessed=not named)):
            continue
        read = readers.read_sitemap(page.body, page.url)
        pages = read.pages()
        found.sitemaps.append({"url": place, "pages": len(pages), "maps": len(read.sitemaps), "reason": read.reason})
        more = [url for url, _ in read.sitemaps if url not in known and same_site(url, found.url)]
        known |= set(more)
        waiting += more
        yield from ((place, entry) for entry in pages if same_site(entry.url, found.url))
    found.partly |= bool(waiting)
    found.troubles += [f"{len(waiting)} more sitemaps were not read"] if waiting else []


def _once(entries: Iterable[tuple[str, Entry]], own: str) -> list[tuple[str, Entry]]:
    """Return one entry for the languages of a page: that of the home page's language, or else the first listed."""
    found: dict[str, tuple[str, Entry]] = {}
    for place, entry in entries:
        key = neutral(canonical(entry.url))
        if key not in found or (tongue(entry.url) == own != tongue(found[key][1].url)):
            found[key] = (place, entry)
    return list(found.values())


def _groups(entries: Iterable[tuple[str, Entry]]) -> list[Group]:
    """Sort the pages of sitemaps by how their addresses are built, the likeliest to sell something first."""
    by_key: dict[tuple[str, int, str], list[str]] = {}
    for place, entry in entries:
        parts = urlsplit(entry.url).path.strip("/").split("/")
        by_key.setdefault((place, len(parts), parts[0] if len(parts) > 1 else ""), []).append(canonical(entry.url))
    if len(by_key) > GROUPS:  # the first part of the path names a product or brand, no section
        merged: dict[tuple[str, int, str], list[str]] = {}
        for (place, depth, first), urls in by_key.items():
            merged.setdefault((place, depth, first if len(urls) >= 20 else ""), []).extend(urls)
        by_key = merged
    order = sorted(by_key.items(), key=lambda pair: (not _SELLS.search(f"{pair[0][0]} {pair[1][0]}"), -len(pair[1])))
    return [Group(distinct(urls)) for _, urls in order]


def _linked(found: Survey, visitor: Visitor, reading: Reading, home: Fetched) -> list[Group]:
    """Return the products that the home page, or else its first categories, link to."""
    if reading.product is not None:
        return [Group([home.url])]
    links = list(reading.product_links)
    for url in [link for link in reading.page_links if not is_home(link)][:3]:
        if len(links) >= SAMPLES * 4:
            break
        if page := _try(found, visitor.get, url):
            links += readers.read(page.body, page.url).product_links or [page.url]
    return [Group(urls)] if (urls := distinct(links)) else []


def _sample(found: Survey, visitor: Visitor, groups: list[Group]) -> None:
    """Read products, one of each group first, then more of those groups that gave some."""
    seen: set[str] = set()
    for turn in range(SAMPLES):
        for group in groups:
            done = len(found.read) >= SAMPLES or sum(one.asked for one in groups) >= TRIES
            if done or (turn and not group.read and len(groups) > 1):
                continue
            url = group.next()
            if url is None or url in seen or not (page := _try(found, visitor.get, url)):
                continue
            seen.add(url)
            group.tried += 1
            before = len(found.shells)
            group.read += _keep(found, page)
            group.shells += len(found.shells) - before


def _keep(found: Survey, page: Fetched) -> bool:
    reading = readers.read(page.body, page.url)
    if reading.product is None:
        found.unread.append({"url": page.url, "reason": reading.reason})
        if rendering.lacks_content(reading, page.body.decode("utf-8", "replace")):
            found.shells.append(page.url)
        return False
    found.rules = tuple(dict.fromkeys([*found.rules, *media.directives(reading.robots)]))
    found.read.append(_row(reading))
    return True


def _row(reading: Reading) -> dict[str, Any]:
    item = reading.product or {}
    missing = [name for name in FIELDS if not item.get(name)]
    return {
        "url": reading.url,
        "name": item.get("name"),
        "price": item.get("price") or item.get("priceLow"),
        "currency": item.get("currency"),
        "photos": len(reading.images),
        "source": reading.evidence.get("name"),
        "missing": missing,
    }


def _compare(found: Survey, render: Callable[[str], str | None] | None) -> None:
    """Say whether the shop needs a browser: render a page that looks like the shell of a script, and compare."""
    if not found.shells:
        return
    if render is None:
        found.browser = "perhaps"
        return
    html = render(found.shells[0])
    reading = readers.read(html, found.shells[0]) if html else None
    if reading is None or reading.product is None:
        found.browser = "does not help"
        return
    found.browser = "yes"
    found.read.append(_row(reading))
