"""Breadcrumbs as the page shows them."""

import re

from crawlers.readers.outline import Link, Outline
from crawlers.readers.texts import tokens
from crawlers.readers.urls import same_site

_NAMES = frozenset(
    {"breadcrumb", "breadcrumbs", "crumb", "crumbs", "trail", "path", "brotkrumen", "ariane", "migas", "breadcrumblist"}
)
_SEPARATOR = re.compile(r"^[\s>›»→/|\\•·❯⟩❭⁄-]+$")
_MENU = frozenset({"pagination", "pager", "pages", "menu", "tabs", "social", "sizes", "swatches", "share"})


def read(out: Outline) -> list[tuple[str, str | None]]:
    """Return (name, url) outermost first, or an empty list.

    A container named so wins; otherwise links above the title that are set apart by separators, or that are alone
    in the entries of an ordered list.
    """
    groups: dict[object, list[Link]] = {}
    for link in out.links:
        if link.pictured or not link.text or len(link.text) > 60 or not same_site(link.url, out.base):
            continue
        node, holder, named = link.element.getparent(), None, False
        for _ in range(4):
            if node is None or node.tag in {"body", "html", "header", "footer", "main"}:
                break
            parts = tokens(
                node.get("class"), node.get("id"), node.get("aria-label"), node.get("itemtype"), node.get("data-testid")
            )
            if parts & _NAMES and not parts & _MENU:
                holder, named = node, True
            elif holder is None and node.tag in {"ol", "ul", "nav", "p", "div"}:
                holder = node
            node = node.getparent()
        if holder is None and link.element.getparent() is not None:
            holder = link.element.getparent()
        if holder is not None and (named or not link.in_nav) and (out.title_at < 0 or link.at < out.title_at or named):
            groups.setdefault(holder, []).append(link)
    ranked = [(score, links) for holder, links in groups.items() if (score := _score(out, holder, links)) > 0]
    if not ranked:
        return []
    links = max(ranked, key=lambda pair: pair[0])[1]
    found: list[tuple[str, str | None]] = []
    for link in links:
        if not found or found[-1][0] != link.text:
            found.append((link.text.strip("›»>/ "), link.url))
    return found


def _score(out: Outline, holder: object, links: list[Link]) -> float:
    if len(links) > 8:
        return 0
    names = tokens(*(holder.get(name) for name in ("class", "id", "aria-label", "itemtype", "data-testid")))  # type: ignore[attr-defined]
    if names & _NAMES:
        return 3 + 0.1 * len(links)
    if names & _MENU or len(links) < 2:
        return 0
    low, high = links[0].at, links[-1].end
    inside = [text.text for text in out.texts if low <= text.at <= high]
    loose = [text for text in inside if text not in {link.text for link in links}]
    apart = sum(1 for text in loose if _SEPARATOR.match(text))
    if apart >= len(links) - 1 and len(loose) == apart:
        return 2 + 0.1 * len(links)
    if getattr(holder, "tag", "") == "ol" and not loose:
        return 1 + 0.1 * len(links)
    return 0
