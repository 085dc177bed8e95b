"""The outline of a page: its texts, links, pictures and headings in order, and which of them are about other things."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crawlers.readers.texts import squeeze, tokens
from crawlers.readers.urls import absolute, page_key
from crawlers.readers.vocabulary import DIALOGS, GALLERIES, OTHERS, PRICES, STRUCK, TRAILS

MAX_ELEMENTS = 60_000
_SKIP = frozenset(
    {"script", "style", "template", "svg", "head", "iframe", "object", "math", "option", "datalist", "textarea"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NAV = frozenset({"header", "footer", "nav"})
_MAIN = frozenset({"main", "article"})
_BUTTONS = frozenset({"submit", "button"})
# Windows over the page, as of a cart or of another product's quick view.
_DIALOGS = "descendant::dialog | descendant::*[@role='dialog' or @role='alertdialog']"
_WINDOWS = tokens(*DIALOGS)
_LINES = frozenset({"div", "p", "br"})
_IMAGES = frozenset({"img", "amp-img"})
_STRUCK_TAGS = frozenset({"del", "s", "strike"})


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
    """Flat, ordered view of a page; ``zones.focus`` finds the title and what belongs to other products (``others``)."""

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
    tiles: list[Link] | None = None
    others: tuple[Sequence[int], Sequence[int]] = ((), ())

    def is_other(self, at: int) -> bool:
        """Return whether a position lies in navigation or in a region about other products."""
        starts, ends = self.others
        index = bisect_right(starts, at) - 1
        return index >= 0 and at <= ends[index]

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

    body = root.find("body")
    walk = _Walk(Outline(base), root if body is None else body)
    walker = etree.iterwalk(walk.body, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            walk.leave(element)
        elif element.tag in _SKIP or walk.at >= MAX_ELEMENTS or _is_hidden(element):
            walk.pass_over(element)
            walker.skip_subtree()
        else:
            walk.enter(element)
    out = walk.out
    out.zones += [(*out.spans[element], "other") for element in walk.body.xpath(_DIALOGS) if element in out.spans]
    out.links.sort(key=lambda link: link.at)
    out.headings.sort(key=lambda heading: heading[0])
    return out


class _Walk:
    """The state of one walk over a page: where it is, which links are open, what surrounds it."""

    def __init__(self, out: Outline, body: Any) -> None:
        self.out, self.body = out, body
        self.at = self.nav_depth = self.main_depth = 0
        self.struck: list[bool] = [False]
        self.names: list[frozenset[str]] = [frozenset(), frozenset(), frozenset()]
        self.open: list[Link] = []
        self.passed: Any = None

    def pass_over(self, element: Any) -> None:
        """Give an element a position but no content."""
        self.at += 1
        self.out.spans[element] = (self.at, self.at)
        self.passed = element

    def enter(self, element: Any) -> None:
        """Begin an element: its names, link or picture, and the text before its first child."""
        self.at += 1
        tag, get = element.tag, element.get
        own = tokens(get("class"), get("id"), get("data-testid"), get("aria-label"), get("itemprop"), get("data-test"))
        if not own.isdisjoint(TRAILS):
            self.out.trails.append(element)
        style = get("style") or ""
        lined = tag in _STRUCK_TAGS or "line-through" in style
        self.struck.append(self.struck[-1] or lined or not own.isdisjoint(STRUCK))
        self.names.append(own)
        self.out.spans[element] = (self.at, self.at)
        self.main_depth += tag in _MAIN
        self.nav_depth += tag in _NAV and not self.main_depth
        if tag == "a" and (url := absolute(get("href"), self.out.base)):
            self.open.append(Link(self.at, self.at, url, element, page_key(url), in_nav=self.nav_depth > 0))
        elif tag in _IMAGES or "url(" in style:
            self.out.images.append((self.at, element))
            if self.open:
                self.open[-1].pictured = True
        elif tag == "input" and get("type") in _BUTTONS and get("value"):
            self.text(get("value"), element)
        if not own.isdisjoint(PRICES) and (label := get("aria-label")) and _says_more(label, element):
            self.text(label, element)
        if element.text:
            self.text(element.text, element)

    def leave(self, element: Any) -> None:
        """End an element: its span, its zone, and the text behind it."""
        if element is self.passed:
            self.passed = None
        else:
            self.close(element)
        if element.tail and element is not self.body:
            self.text(element.tail, element.getparent())

    def close(self, element: Any) -> None:
        """Record what a whole element was: a zone, a heading, a link."""
        out, tag = self.out, element.tag
        start = out.spans[element][0]
        out.spans[element] = (start, self.at)
        own = self.names.pop()
        self.struck.pop()
        self.main_depth -= tag in _MAIN
        if tag in _NAV and not self.main_depth:
            self.nav_depth -= 1
            out.zones.append((start, self.at, "nav"))
        elif (
            (tag == "aside" and not own & GALLERIES)
            or own & OTHERS
            or {"you", "may"} <= own
            or {"cross", "sell"} <= own
            or (not own.isdisjoint(_WINDOWS) and not DIALOGS.isdisjoint((element.get("class") or "").split()))
        ):
            out.zones.append((start, self.at, "other"))
        if tag in _HEADINGS and (text := squeeze(_lined(element), 300)):
            out.headings.append((start, self.at, element, text))
        if self.open and self.open[-1].element is element:
            self.open[-1].end = self.at
            out.links.append(self.open.pop())

    def text(self, raw: str, element: Any) -> None:
        """Record a run of text that is not blank."""
        text = squeeze(raw, 2000)
        if not text:
            return
        self.at += 1
        if self.open:
            self.open[-1].text = f"{self.open[-1].text} {text}".strip()[:500]
        near = self.names[-1] | self.names[-2] | self.names[-3]
        self.out.texts.append(Text(self.at, text, element, self.struck[-1], near))


def _lined(element: Any, depth: int = 0) -> str:
    """Return a heading's text with a blank between elements that a page sets as lines of their own: brand and name."""
    made, touches = element.text or "", False
    if depth == 20:
        return "".join(element.itertext())
    for child in element:
        line = child.tag in _LINES
        apart = line or (touches and child.tag not in {"sup", "sub"})
        made += f"{' ' * apart}{_lined(child, depth + 1)}{' ' * line}{child.tail or ''}"
        touches = not child.tail
    return made


def _says_more(label: str, element: Any) -> bool:
    """Return whether a label holds a number and the element that it labels none, as where a price is drawn."""
    return any(map(str.isdigit, label)) and not any(map(str.isdigit, "".join(element.itertext())))


def _is_hidden(element: Any) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or bool(style and "display:none" in style.replace(" ", "").casefold())


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
