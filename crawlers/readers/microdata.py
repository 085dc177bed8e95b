"""Microdata: items with their properties, itemref included, and properties that lie outside any item."""

from dataclasses import dataclass, field
from typing import Any

from crawlers.readers.texts import squeeze

_ADDRESS = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "source": "src",
    "track": "src",
    "video": "src",
    "object": "data",
}
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-zoom-image", "data-large_image")
MAX_ITEMS = 3000


@dataclass
class Items:
    """The items of a page: ``top`` lists (node, element) of items that are no property of another one."""

    top: list[tuple[dict[str, Any], Any]] = field(default_factory=list)
    loose: list[tuple[str, str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Syntax:
    scope: str
    kind: str
    prop: str
    identity: str


_MICRODATA = _Syntax("itemscope", "itemtype", "itemprop", "itemid")
_RDFA = _Syntax("typeof", "typeof", "property", "resource")


def read(root: Any) -> Items:
    """Read the microdata of a parsed page (an lxml element) as plain nodes like those of JSON-LD.

    A property with a ``content`` attribute says more than its text, so where one property is nested in another of
    the same name its value comes last. Standard: https://html.spec.whatwg.org/multipage/microdata.html
    """
    return _read(root, _MICRODATA)


def read_rdfa(root: Any) -> Items:
    """Read RDFa Lite (``typeof`` and ``property``) the same way. Standard: https://www.w3.org/TR/rdfa-lite/"""
    found = _read(root, _RDFA)
    found.loose = []
    return found


def _read(root: Any, syntax: _Syntax) -> Items:
    found = Items()
    nodes: dict[Any, dict[str, Any]] = {}
    marked = root.xpath(f"//*[@{syntax.scope} or @{syntax.prop}]")[:MAX_ITEMS]
    for element in marked:
        if element.get(syntax.scope) is not None:
            kinds = (element.get(syntax.kind) or "").split()
            nodes[element] = {"@type": kinds} if kinds else {}
            if identity := element.get(syntax.identity):
                nodes[element]["@id"] = identity
    owners = _referred(root, nodes) if syntax is _MICRODATA else {}
    for element in marked:
        node = nodes.get(element)
        names = [name.removeprefix("schema:") for name in (element.get(syntax.prop) or "").split()]
        names = [name for name in names if ":" not in name or name.startswith("http")]
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
        if isinstance(value, dict) and element.get("content"):
            value.setdefault("name", squeeze(element.get("content")))
        for name in names:
            if value not in (None, ""):
                owner.setdefault(name.rsplit("/", 1)[-1], []).append(value)
    return found


def _referred(root: Any, nodes: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Return who owns the properties that items take in by itemref; references that would close a circle are left
    out."""
    owners: dict[Any, dict[str, Any]] = {}
    for element, node in nodes.items():
        above = set(element.iterancestors())
        for name in (element.get("itemref") or "").split()[:20]:
            for target in root.xpath("//*[@id=$name]", name=name)[:1]:
                if target is element or target in above or target.get("itemref") is not None:
                    continue
                if target.get("itemprop") is not None:
                    owners[target] = node
                    continue
                for below in target.xpath(".//*[@itemprop]"):
                    inside = next((up for up in below.iterancestors() if up in nodes or up is target), None)
                    if inside is target and below.get("itemref") is None:
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


def unlisted(node: dict[str, Any]) -> dict[str, Any]:
    """Return an item with single values taken out of their lists, except the list elements."""

    def look(value: Any, depth: int = 0) -> Any:
        if depth > 12:
            return None
        if isinstance(value, list):
            return look(value[0], depth + 1) if len(value) == 1 else [look(entry, depth + 1) for entry in value]
        return {key: look(entry, depth + 1) for key, entry in value.items()} if isinstance(value, dict) else value

    return {
        key: [look(entry) for entry in value] if key == "itemListElement" else look(value)
        for key, value in node.items()
    }
