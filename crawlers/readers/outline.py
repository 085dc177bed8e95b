"""The outline of a page: its texts, links, pictures and headings in order, and which of them are about other things."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from crawlers.readers.texts import alike, squeeze, tokens
from crawlers.readers.urls import absolute, page_key, same_site

MAX_ELEMENTS = 60_000
_SKIP = frozenset(
    {"script", "style", "template", "svg", "head", "iframe", "object", "math", "option", "datalist", "textarea"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NAV = frozenset({"header", "footer", "nav"})
_STRUCK_TAGS = frozenset({"del", "s", "strike"})
_STRUCK = frozenset("was old strike struck striked strikethrough crossed previous before initial rrp uvp msrp linethrough compare "
                    "stroke through".split())  # fmt: skip
_OTHERS = frozenset(
    "related relateds recommend recommended recommendation recommendations recommender similar upsell upsells crosssell crosssells "
    "recently viewed sponsored suggest suggestion suggestions suggested recs rec also alsolike teaser teasers minicart".split()
)
TRAILS = frozenset(
    "breadcrumb breadcrumbs crumb crumbs trail path brotkrumen ariane migas breadcrumblist".split()
)
_OTHER_HEADING = re.compile(
    r"you (?:may|might|could|will|'ll|’ll) (?:also )?(?:like|love|need)|also (?:like|bought|viewed|love)|recommend|similar|related|"
    r"customers also|others? (?:also )?(?:bought|viewed|like)|goes well|pair (?:it )?with|wear (?:it )?with|complete (?:the|your) look|"
    r"shop the look|recently|last viewed|more (?:from|like)|seen together|bought together|style (?:it )?with|from the .{0,20}edit|"
    r"das könnte|ähnlich|passend|zuletzt|kunden kauften|aussi|similaires|récemment|recommand|complétez|te puede|también|relacionad|"
    r"similares|recientes|potrebbe|simili|correlati|visti|ook leuk|gerelateerd|vergelijkbar|podobne|polecane|passar till|liknande|"
    r"lignende|andre købte|samankaltais|līdzīg|также|похож|関連|おすすめ|相关|추천",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(slots=True)
class Text:
    """A run of text: where it stands, its element, and whether it is struck through or labelled as an old price."""

    at: int
    text: str
    element: Any
    struck: bool
    names: frozenset[str]


@dataclass(slots=True)
class Link:
    """A link with its span of positions and what it holds."""

    at: int
    end: int
    url: str
    element: Any
    key: str
    text: str = ""
    pictured: bool = False
    in_nav: bool = False


@dataclass
class Outline:
    """Flat, ordered view of a page; ``focus`` decides what belongs to other products."""

    base: str
    texts: list[Text] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    images: list[tuple[int, Any]] = field(default_factory=list)
    headings: list[tuple[int, int, Any, str]] = field(default_factory=list)
    zones: list[tuple[int, int, str]] = field(default_factory=list)
    spans: dict[Any, tuple[int, int]] = field(default_factory=dict)
    trails: list[Any] = field(default_factory=list)
    title_at: int = -1
    title: str | None = None
    _tiles: list[Link] | None = None
    _starts: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    def is_other(self, at: int) -> bool:
        """Return whether a position lies in navigation or in a region about other products."""
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at <= self._ends[index]

    def shared(self, one: Any, at: int) -> Any:
        """Return the nearest ancestor of an element whose span holds position ``at``."""
        node = one.getparent()
        while node is not None:
            span = self.spans.get(node)
            if span and span[0] <= at <= span[1]:
                return node
            node = node.getparent()
        return None


def read(root: Any, base: str) -> Outline:
    """Walk the parsed page once and return its outline."""
    from lxml import etree

    out = Outline(base)
    body = root.find("body")
    body = root if body is None else body
    walker = etree.iterwalk(body, events=("start", "end"))
    struck: list[bool] = [False]
    names: list[frozenset[str]] = [frozenset()]
    open_links: list[Link] = []
    nav_depth = main_depth = at = 0
    hidden: Any = None
    for event, element in walker:
        tag = element.tag
        if event == "start":
            at += 1
            if tag in _SKIP or at > MAX_ELEMENTS or _is_hidden(element):
                walker.skip_subtree()
                out.spans[element] = (at, at)
                hidden = element
                continue
            own = (tokens(element.get("class"), element.get("id"), element.get("data-testid"), element.get("aria-label"),
                                   element.get("itemprop"), element.get("data-test")))  # fmt: skip
            if own & TRAILS:
                out.trails.append(element)
            struck.append(
                struck[-1]
                or tag in _STRUCK_TAGS
                or bool(own & _STRUCK)
                or "line-through" in (element.get("style") or "")
            )
            names.append(own)
            out.spans[element] = (at, at)
            main_depth += tag in {"main", "article"}
            if tag in _NAV and not main_depth:
                nav_depth += 1
            if tag == "a" and (url := absolute(element.get("href"), base)):
                open_links.append(Link(at, at, url, element, page_key(url), in_nav=nav_depth > 0))
            elif tag == "img":
                out.images.append((at, element))
                if open_links:
                    open_links[-1].pictured = True
            if element.text:
                at = _text(out, at, element.text, element, struck[-1], names, open_links)
            continue
        if element is hidden:
            hidden = None
        else:
            start = out.spans[element][0]
            out.spans[element] = (start, at)
            own = names.pop()
            struck.pop()
            main_depth -= tag in {"main", "article"}
            if tag in _NAV and not main_depth:
                nav_depth -= 1
                out.zones.append((start, at, "nav"))
            elif tag == "aside" or own & _OTHERS or {"you", "may"} <= own or {"cross", "sell"} <= own:
                out.zones.append((start, at, "other"))
            if tag in _HEADINGS:
                text = squeeze("".join(element.itertext()), 300)
                if text:
                    out.headings.append((start, at, element, text))
            if open_links and open_links[-1].element is element:
                open_links[-1].end = at
                out.links.append(open_links.pop())
        if element.tail and element is not body:
            at = _text(out, at, element.tail, element.getparent(), struck[-1], names, open_links)
    out.links.sort(key=lambda link: link.at)
    out.headings.sort(key=lambda heading: heading[0])
    return out


def _text(
    out: Outline, at: int, raw: str, element: Any, struck: bool, names: list[frozenset[str]], links: list[Link]
) -> int:
    text = squeeze(raw, 2000)
    if not text:
        return at
    if links:
        links[-1].text = f"{links[-1].text} {text}".strip()[:500]
    near = names[-1] | names[-2] if len(names) > 1 else names[-1]
    out.texts.append(Text(at + 1, text, element, struck, near | names[-3] if len(names) > 2 else near))
    return at + 1


def _is_hidden(element: Any) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or bool(style and "display:none" in style.replace(" ", "").casefold())


def focus(out: Outline, hints: list[str]) -> None:
    """Choose the heading that names the page and mark the regions that speak of other products.

    ``hints`` are names that markup or head give, best first: a heading that repeats one beats the first ``<h1>``.
    """
    best, score = None, -1.0
    for order, (start, _, element, text) in enumerate(out.headings):
        in_zone = any(low <= start <= high for low, high, _ in out.zones)
        match = max((alike(text, hint) * (1.0 - 0.1 * index) for index, hint in enumerate(hints[:4])), default=0.0)
        exact = any(text.casefold() == hint.casefold() for hint in hints)
        value = match * 3 + exact * 2 + (2.0 if element.tag == "h1" else 0.0) - (2.5 if in_zone else 0.0) - order * 0.01
        if element.tag != "h1" and match < 0.7:
            continue
        if value > score:
            best, score = (start, text), value
    if best:
        out.title_at, out.title = best
    ranges = [(low, high) for low, high, _ in out.zones if not low <= out.title_at <= high]
    ranges += [(low, high) for low, high in _headed(out) if not low <= out.title_at <= high]
    ranges += _tiles(out)
    out._starts, out._ends = [], []  # noqa: SLF001 - filled here only
    for low, high in sorted(ranges):
        if out._ends and low <= out._ends[-1]:  # noqa: SLF001
            out._ends[-1] = max(out._ends[-1], high)  # noqa: SLF001
        else:
            out._starts.append(low)  # noqa: SLF001
            out._ends.append(high)  # noqa: SLF001


def _headed(out: Outline) -> list[tuple[int, int]]:
    """Return the regions that a heading such as "You may also like" opens."""
    found = []
    for start, _, element, text in out.headings:
        if start == out.title_at or len(text) > 60 or not _OTHER_HEADING.search(text):
            continue
        parent = element.getparent()
        span = out.spans.get(parent) if parent is not None else None
        if span:
            found.append((start, span[1]) if span[0] <= out.title_at <= span[1] else span)
    return found


def tile_links(out: Outline) -> list[Link]:
    """Return the links to other pages of the site that carry a picture or a price, as tiles of products do."""
    from crawlers.readers import pictures, prices

    if out._tiles is None:  # noqa: SLF001 - kept here only
        own = page_key(out.base)
        out._tiles = [  # noqa: SLF001
            link
            for link in out.links
            if link.key != own
            and (link.pictured or any(amount.currency for amount in prices.find(link.text)))
            and same_site(link.url, out.base)
            and not pictures.is_file(link.url)
        ]
    return out._tiles  # noqa: SLF001


def _tiles(out: Outline) -> list[tuple[int, int]]:
    links = tile_links(out)
    found = []
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


def _branch(out: Outline, link: Link, holder: Any) -> list[tuple[int, int]]:
    """Return the small tile around a link whose neighbours share a container with the page's own product."""
    node, size = link.element, link.end - link.at
    while (parent := node.getparent()) is not None and parent is not holder:
        low, high = out.spans[parent]
        if high - low > size + 12 or low <= out.title_at <= high:
            break
        node = parent
    return [out.spans[node]]


def names_around(element: Any, levels: int) -> set[str]:
    """Return the class, id and label words of an element and its nearest ancestors."""
    found: set[str] = set()
    node = element
    for _ in range(levels):
        if node is None:
            break
        found |= tokens(node.get("class"), node.get("id"), node.get("aria-label"), node.get("rel"))
        node = node.getparent()
    return found
