"""Breadcrumbs as the page shows them."""

import re
from typing import Any

from crawlers.readers.outline import Link, Outline
from crawlers.readers.texts import tokens
from crawlers.readers.urls import same_site
from crawlers.readers.vocabulary import MENUS

Crumbs = list[tuple[str, str | None]]
_SEPARATOR = re.compile(r"^[\s>›»→/|\\•·❯⟩❭⁄–-]+$")
_EDGES = "›»>/|→❯ "


def read(out: Outline) -> Crumbs:
    """Return (name, url) outermost first, or an empty list.

    A container named so wins; otherwise links above the title that are set apart by separators, or that are alone
    in the entries of an ordered list.
    """
    named = [found for holder in _holders(out) if (found := _steps(out, holder))]
    if named:
        return max(named, key=len)
    groups: dict[Any, list[Link]] = {}
    for link in out.links:
        is_step = link.text and not link.pictured and len(link.text) <= 60 and same_site(link.url, out.base)
        if is_step and not link.in_nav and (out.title_at < 0 or link.at < out.title_at):
            groups.setdefault(_block(link), []).append(link)
    ranked = [(score, links) for holder, links in groups.items() if (score := _score(out, holder, links)) > 0]
    links = max(ranked, key=lambda pair: pair[0])[1] if ranked else []
    return [(link.text.strip(_EDGES), link.url) for link in links]


def _labels(element: Any) -> frozenset[str]:
    names = ("class", "id", "aria-label", "itemtype", "data-testid")
    return tokens(*(element.get(name) for name in names))


def _holders(out: Outline) -> list[Any]:
    """Return the elements that call themselves breadcrumbs, outermost only."""
    found: list[Any] = []
    for node in out.trails:
        late = out.title_at >= 0 and out.spans[node][0] > out.title_at + 40
        if not late and not _labels(node) & MENUS and not any(holder in node.iterancestors() for holder in found):
            found.append(node)
    return found[:5]


def _steps(out: Outline, holder: Any) -> Crumbs:
    low, high = out.spans[holder]
    if low <= out.title_at <= high:
        high = out.title_at - 1
    links = [link for link in out.links if low <= link.at <= high]
    steps: Crumbs = []
    for text in out.texts:
        name = text.text.strip(_EDGES)
        if (
            not low <= text.at <= high
            or not name
            or _SEPARATOR.match(text.text)
            or name.endswith(":")
            or len(name) > 80
        ):
            continue
        url = next((link.url for link in links if link.at <= text.at <= link.end), None)
        if not steps or steps[-1][0] != name:
            steps.append((name, url))
    return steps if len(steps) <= 9 else []


def _block(link: Link) -> Any:
    """Return the nearest list or block around a link."""
    node = link.element.getparent()
    for _ in range(4):
        if node is None or node.tag in {"body", "html", "header", "footer", "main"}:
            break
        if node.tag in {"ol", "ul", "nav", "p", "div"}:
            return node
        node = node.getparent()
    return link.element.getparent()


def _score(out: Outline, holder: Any, links: list[Link]) -> float:
    if not 2 <= len(links) <= 8 or holder is None or _labels(holder) & MENUS:
        return 0
    low, high = links[0].at, links[-1].end
    names = {link.text for link in links}
    loose = [text.text for text in out.texts if low <= text.at <= high and text.text not in names]
    apart = sum(1 for text in loose if _SEPARATOR.match(text))
    if apart >= len(links) - 1 and len(loose) == apart:
        return 2 + 0.1 * len(links)
    return 1 + 0.1 * len(links) if holder.tag == "ol" and not loose else 0
