"""Microdata: items with their properties, itemref included, and properties that lie outside any item."""

from dataclasses import dataclass, field
from typing import Any

from crawlers.readers.texts import squeeze

_ADDRESS = {"a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "embed": "src", "iframe": "src",
            "source": "src", "track": "src", "video": "src", "object": "data"}  # fmt: skip
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-zoom-image", "data-large_image")
MAX_ITEMS = 3000


@dataclass
class Items:
    """The items of a page: ``top`` lists (node, element) of items that are no property of another one."""

    top: list[tuple[dict[str, Any], Any]] = field(default_factory=list)
    loose: list[tuple[str, str, Any]] = field(default_factory=list)


def read(root: Any) -> Items:
    """Read the microdata of a parsed page (an lxml element) as plain nodes like those of JSON-LD.

    A property with a ``content`` attribute says more than its text, so where one property is nested in another of
    the same name its value comes last. Standard: https://html.spec.whatwg.org/multipage/microdata.html
    """
    found = Items()
    nodes: dict[Any, dict[str, Any]] = {}
    marked = root.xpath("//*[@itemscope or @itemprop]")[:MAX_ITEMS]
    for element in marked:
        if element.get("itemscope") is not None:
            kinds = (element.get("itemtype") or "").split()
            nodes[element] = {"@type": kinds} if kinds else {}
            if identity := element.get("itemid"):
                nodes[element]["@id"] = identity
    owners = _referred(root, nodes)
    for element in marked:
        node = nodes.get(element)
        names = (element.get("itemprop") or "").split()
        owner = owners.get(element)
        if owner is None and names:
            owner = next((nodes[above] for above in element.iterancestors() if above in nodes), None)
        value: Any = node if node is not None else _value(element)
        if owner is None or not names:
            if node is not None:
                found.top.append((node, element))
            elif value and names:
                found.loose += [(name, value, element) for name in names]
            continue
        if node is not None and owner is node:
            continue
        if isinstance(value, dict) and element.get("content"):
            value.setdefault("name", squeeze(element.get("content")))
        for name in names:
            if value not in (None, ""):
                owner.setdefault(name, []).append(value)
    return found


def _referred(root: Any, nodes: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    owners: dict[Any, dict[str, Any]] = {}
    for element, node in nodes.items():
        for name in (element.get("itemref") or "").split()[:20]:
            for target in root.xpath("//*[@id=$name]", name=name)[:1]:
                if target.get("itemprop") is not None:
                    owners[target] = node
                    continue
                for below in target.xpath(".//*[@itemprop]"):
                    inside = next((above for above in below.iterancestors() if above in nodes or above is target), None)
                    if inside is target:
                        owners[below] = node
    return owners


def _value(element: Any) -> str | None:
    content = element.get("content")
    if content is not None:
        return squeeze(content)
    tag = element.tag
    if tag in _ADDRESS:
        address: str | None = element.get(_ADDRESS[tag])
        if tag == "img" and (not address or address.startswith("data:")):
            address = next((element.get(name) for name in _LAZY if element.get(name)), address)
        if address or tag != "a":
            return address
    if tag in {"data", "meter"} and element.get("value"):
        return squeeze(element.get("value"))
    if tag == "time" and element.get("datetime"):
        return squeeze(element.get("datetime"))
    return squeeze("".join(element.itertext()))


def is_a(node: dict[str, Any], kinds: frozenset[str] | set[str]) -> bool:
    """Return whether an item has one of the given types (lower case, without the vocabulary's address)."""
    from crawlers.readers.schema import types

    return bool(types(node) & kinds)
