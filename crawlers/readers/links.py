"""Links worth following: to products, to the next page of a listing, to categories."""

from typing import Any

from crawlers.readers import outline, zones
from crawlers.readers.outline import Link, Outline
from crawlers.readers.urls import absolute, canonical, distinct, is_home, page_key, same_site
from crawlers.readers.vocabulary import NEXT_PAGE, NO_CATALOGUE, PAGERS


def products(out: Outline, stated: list[str]) -> list[str]:
    """Return product addresses: those that markup states, or else the tiles of the page, in order and once each."""
    if stated:
        bare = {page_key(url): url for url in stated}
        return distinct([canonical(url) for url in bare.values()])
    tiles = [link for link in zones.tile_links(out) if _is_main(out, link)]
    folders = {link.key.rpartition("/")[0] for link in tiles}
    inside = {link.at for link in tiles}
    found = [
        link
        for link in out.links
        if link.at in inside or (link.key.rpartition("/")[0] in folders and _is_main(out, link))
    ]
    own = page_key(out.base)
    return [url for url in distinct([canonical(link.url) for link in found]) if page_key(url) != own]


def _is_main(out: Outline, link: Link) -> bool:
    zone = next(
        (kind for low, high, kind in out.zones if low <= link.at <= high and not low <= out.title_at <= high), None
    )
    return (
        zone is None
        and not link.in_nav
        and not is_home(link.url)
        and not NO_CATALOGUE.search(link.url)
        and same_site(link.url, out.base)
    )


def next_page(out: Outline, root: Any) -> str | None:
    """Return the address of the next page of a listing, or None on the last."""
    for element in root.xpath("//link[@rel='next'] | //a[contains(concat(' ', @rel, ' '), ' next ')]"):
        if url := absolute(element.get("href"), out.base):
            return url
    own = page_key(out.base)
    for link in out.links:
        label = link.text or link.element.get("aria-label") or link.element.get("title") or ""
        names = outline.names_around(link.element, 4)
        if (
            NEXT_PAGE.match(label.strip())
            and (link.key == own or names & PAGERS or "next" in names)
            and same_site(link.url, out.base)
        ):
            return link.url
    return None


def pages(out: Outline) -> list[str]:
    """Return the other links of the page on its own site, for discovery of categories: no carts, no accounts, no
    search."""
    own = page_key(out.base)
    found = [
        canonical(link.url)
        for link in out.links
        if link.key != own and same_site(link.url, out.base) and not NO_CATALOGUE.search(link.url)
    ]
    return distinct(found)[:2000]
