"""Which regions of a page are about its own product and which about others."""

from typing import Any

from crawlers.readers import pictures, prices
from crawlers.readers.outline import Link, Outline
from crawlers.readers.texts import alike, tokens
from crawlers.readers.urls import page_key, same_site
from crawlers.readers.vocabulary import BRANDS, OTHER_HEADING, PRICES


def focus(out: Outline, hints: list[str]) -> None:
    """Choose the heading that names the page and mark the regions that speak of other products.

    ``hints`` are names that markup or head give, best first: a heading that repeats one beats the first ``<h1>``.
    """
    best, score = None, -1.0
    for order, (start, _, element, text) in enumerate(out.headings):
        in_zone = any(low <= start <= high for low, high, _ in out.zones)
        match = max((alike(text, hint) * (1.0 - 0.1 * index) for index, hint in enumerate(hints[:4])), default=0.0)
        exact = any(text.casefold() == hint.casefold() for hint in hints)
        named = not BRANDS.isdisjoint(tokens(element.get("class"), element.get("id"), element.get("data-testid")))
        first = 0.0 if named else exact * 2 + 2.0 * (element.tag == "h1")  # not the brand's heading
        value = match * 3 + first - 2.5 * (in_zone or named) - order * 0.01
        if element.tag != "h1" and match < 0.7:
            continue
        if value > score:
            best, score = (start, text), value
    if best is None:
        best = _unheaded(out, hints)
    if best:
        out.title_at, out.title = best
    ranges = [(low, high) for low, high, _ in out.zones if not low <= out.title_at <= high]
    ranges += [(low, high) for low, high in _headed(out) if not low <= out.title_at <= high]
    ranges += _tiles(out)
    starts: list[int] = []
    ends: list[int] = []
    for low, high in sorted(ranges):
        if ends and low <= ends[-1]:
            ends[-1] = max(ends[-1], high)
        else:
            starts.append(low)
            ends.append(high)
    out.others = (starts, ends)


def _unheaded(out: Outline, hints: list[str]) -> tuple[int, str] | None:
    """Return the text outside navigation that repeats a name of the page which has no heading for it, or the most of
    its share title."""
    names = [hint.casefold() for hint in hints[:4]]
    own = [text for text in out.texts if not any(low <= text.at <= high for low, high, _ in out.zones)]
    same = next((text for text in own if text.text.casefold() in names), None)
    if same is None and names:
        parts = [text for text in own if 3 * len(text.text) >= len(names[0]) and text.text.casefold() in names[0]]
        same = max(parts, key=lambda text: len(text.text), default=None)
    return (same.at, same.text) if same else None


def _headed(out: Outline) -> list[tuple[int, int]]:
    """Return the regions that a heading such as "You may also like" opens."""
    found = []
    for start, _, element, text in out.headings:
        if start == out.title_at or len(text) > 60 or not OTHER_HEADING.search(text):
            continue
        parent = element.getparent()
        span = out.spans.get(parent) if parent is not None else None
        if span:
            found.append((start, span[1]) if span[0] <= out.title_at <= span[1] else span)
    return found


def tile_links(out: Outline) -> list[Link]:
    """Return the links to other pages of the site that carry a picture or a price, as tiles of products do."""
    if out.tiles is None:
        own = page_key(out.base)
        out.tiles = [
            link
            for link in out.links
            if link.key != own
            and (link.pictured or any(amount.currency for amount in prices.find(link.text)))
            and same_site(link.url, out.base)
            and not pictures.is_file(link.url)
        ]
    return out.tiles


def _tiles(out: Outline) -> list[tuple[int, int]]:
    links = tile_links(out)
    found = _pairs(out, links)
    for index, link in enumerate(links):
        if link.at <= out.title_at <= link.end:
            continue
        found.append((link.at, link.end))
        for neighbour in links[max(index - 1, 0) : index] + links[index + 1 : index + 2]:
            if neighbour.key == link.key:
                continue
            holder = out.shared(link.element, neighbour.at)
            span = out.spans.get(holder) if holder is not None else None
            if span is None:
                continue
            if not span[0] <= out.title_at <= span[1]:
                found.append(span)
            else:
                found += _branch(out, link, holder)
    return found


def _pairs(out: Outline, links: list[Link]) -> list[tuple[int, int]]:
    """Return the tiles that stand alone, as on the last page of a list: a picture and a heading lead to one other page,
    and the closest element that holds both as well as a price is about that page."""
    pictured = {link.key: link for link in links if link.pictured}
    headings = {start: element for start, _, element, _ in out.headings}
    found = []
    for link in out.links:
        other = pictured.get(link.key)
        if other is None or link.pictured or not any(link.at - 3 < at < link.at for at in headings):
            continue
        node = out.shared(link.element, other.at)
        span = out.spans.get(node) if node is not None else None
        while span and not span[0] <= out.title_at <= span[1]:
            found.append(span)
            if any(span[0] <= text.at <= span[1] and text.names & PRICES for text in out.texts):
                break
            node = node.getparent()
            span = out.spans.get(node) if node is not None else None
    return found


def _branch(out: Outline, link: Link, holder: Any) -> list[tuple[int, int]]:
    """Return the small tile around a link whose neighbours share a container with the page's own product."""
    node, size = link.element, link.end - link.at
    while (parent := node.getparent()) is not None and parent is not holder:
        low, high = out.spans[parent]
        if high - low > size + 12 or low <= out.title_at <= high:
            break
        node = parent
    return [out.spans[node]]
