"""The gallery of the page: the pictures shown of its own product."""

from bisect import bisect_right
from itertools import islice
from typing import Any

from crawlers.readers import pictures
from crawlers.readers.outline import Outline, names_around
from crawlers.readers.pictures import Picture
from crawlers.readers.texts import tokens
from crawlers.readers.urls import page_key
from crawlers.readers.vocabulary import STRIPS

MAX_PICTURES = 60
SMALL = 60
_TURNS = ("data-slide-to", "data-bs-slide-to", "data-slide-index", "data-glide-dir", "data-target-slide")
# Controls in which a picture shows a colour to choose.
_CHOOSERS = frozenset({"swatch", "swatches"})

Shown = tuple[int, Any, list[Picture]]
"""A picture of the page: position, element, addresses."""


def own_images(out: Outline) -> list[Shown]:
    """Return the pictures outside navigation and regions about other products."""
    found = []
    links = [link for link in out.links if link.pictured]
    starts = [link.at for link in links]
    own = page_key(out.base)
    for at, element in out.images:
        if out.is_other(at):
            continue
        before = bisect_right(starts, at) - 1
        link = links[before] if before >= 0 else None
        if link is not None and at <= link.end and link.key != own and not pictures.is_file(link.url):
            continue
        if names_around(element, 4) & _CHOOSERS:
            continue
        if _side(element, "width") < SMALL or _side(element, "height") < SMALL:
            continue
        addresses = [
            entry
            for entry in pictures.of_element(element, out.base)
            if not pictures.is_junk(entry.url, element.get("class"), element.get("id"))
        ]
        if addresses:
            found.append((at, element, addresses))
    return found


def _side(element: Any, name: str) -> int:
    digits = (element.get(name) or "").removesuffix("px").strip()
    return int(digits) if digits.isdigit() and len(digits) < 6 else 10_000


def read(out: Outline, images: list[Shown], known: list[str]) -> list[Picture]:
    """Return every address of the gallery's pictures in page order; ``images`` are the page's own.

    With pictures ``known`` from markup, the gallery is the block around them that does not hold the title; else it is
    the own pictures that share the closest block with the title.
    """
    keys = {pictures.key(url) for url in known}
    if keys:
        anchors = [entry for entry in images if any(picture.key in keys for picture in entry[2])]
        holders = [holder for entry in anchors if (holder := _block(out, entry[1], images)) is not None]
        spans = [out.spans[holder] for holder in holders]
        chosen = [entry for entry in images if entry in anchors or any(low <= entry[0] <= high for low, high in spans)]
    else:
        chosen = _large_first(_nearest(out, images))
    return [address for entry in _without_switches(chosen)[:MAX_PICTURES] for address in _unified(entry[2])]


def _large_first(chosen: list[Shown]) -> list[Shown]:
    """Return a gallery with the strip of small pictures, which may stand before the large ones, behind them."""
    widths = [max(entry.width for entry in addresses) for _, _, addresses in chosen]
    least = max(widths, default=0) / 5
    return [chosen[at] for at in sorted(range(len(chosen)), key=lambda at: widths[at] < least)]


def _without_switches(chosen: list[Shown]) -> list[Shown]:
    """Return a gallery without the small pictures that only turn it, where each has a large one beside it.

    A small one that names a larger file, by a link or an attribute, is kept: nothing else may lead to that file.
    """
    small = [entry for entry in chosen if _turns(entry[1]) and len(entry[2]) == 1]
    large = [entry for entry in chosen if not _turns(entry[1])]
    return large if 0 < len(small) <= len(large) and len(small) + len(large) == len(chosen) else chosen


def _turns(element: Any) -> bool:
    """Return whether a picture lies in what turns a gallery to another picture."""
    for node in (element, *islice(element.iterancestors(), 3)):
        if any(node.get(name) is not None for name in _TURNS) or tokens(node.get("class"), node.get("id")) & STRIPS:
            return True
    return False


def _unified(addresses: list[Picture]) -> list[Picture]:
    """Return the addresses of one element under one key: an element shows one picture."""
    best = max(addresses, key=lambda entry: entry.width)
    return [
        Picture(best.url, best.width, best.key),
        *[entry for entry in addresses if entry.key == best.key and entry is not best],
    ]


def _block(out: Outline, element: Any, images: list[Shown]) -> Any:
    """Return the smallest block around a picture that holds another picture as well but not the title."""
    node = element.getparent()
    own = {entry[2][0].key for entry in images if entry[1] is element}
    for _ in range(7):
        if node is None or node.tag in {"body", "html", "main"}:
            return None
        low, high = out.spans.get(node, (0, -1))
        if low <= out.title_at <= high:
            return None
        if any(low <= at <= high and not own & {entry.key for entry in addresses} for at, _, addresses in images):
            return node
        node = node.getparent()
    return None


def _nearest(out: Outline, images: list[Shown]) -> list[Shown]:
    if out.title_at < 0:
        return images[:1]
    depths: list[tuple[int, Shown]] = []
    for entry in images:
        holder = out.shared(entry[1], out.title_at)
        depth = 0
        while holder is not None:
            depth += 1
            holder = holder.getparent()
        depths.append((depth, entry))
    deepest = max((depth for depth, _ in depths), default=0)
    return [entry for depth, entry in depths if depth == deepest]
