"""JSON-LD: every script, any nesting, references by @id, broken scripts repaired or skipped one by one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawlers.readers import jsontext, schema
from crawlers.readers.records import Claim
from crawlers.readers.texts import squeeze
from crawlers.readers.urls import absolute

MAX_NODES = 20_000
MAX_DEPTH = 24
# A product below one of these keys is another product than the page's own.
OTHERS = frozenset(
    {
        "itemlistelement",
        "mentions",
        "isrelatedto",
        "issimilarto",
        "isaccessoryorsparepartfor",
        "isconsumablefor",
        "recommendation",
        "related",
        "relatedproducts",
        "hasofferCatalog".casefold(),
        "makesoffer",
        "owns",
        "citation",
    }
)
ARTICLES = frozenset({"article", "newsarticle", "blogposting", "techarticle", "advertisercontentarticle", "report"})
LISTS = frozenset({"collectionpage", "itemlist", "searchresultspage", "offercatalog"})


@dataclass
class Graph:
    """What the JSON-LD of a page holds, in page order."""

    products: list[Claim] = field(default_factory=list)
    others: list[Claim] = field(default_factory=list)
    crumbs: list[tuple[str, str | None]] = field(default_factory=list)
    listed_urls: list[str] = field(default_factory=list)
    page_images: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    published_at: str | None = None
    breadcrumb_lists: int = 0
    names: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


def is_script(kind: str | None) -> bool:
    """Return whether a script's type attribute means JSON-LD, whatever its case, blanks and parameters."""
    return (kind or "").split(";", 1)[0].strip().casefold() == "application/ld+json"


def read(scripts: list[str], base: str, source: str = "jsonld") -> Graph:
    """Read all JSON-LD scripts of a page."""
    graph = Graph()
    roots: list[Any] = []
    for number, text in enumerate(scripts, 1):
        values, warning = jsontext.parse(text)
        if warning:
            graph.warnings.append(f"{source} script {number}: {warning}")
        roots += map(jsontext.small_keys, values) if jsontext.has_capital_keys(text) else values
    add(graph, roots, base, source)
    return graph


def add(graph: Graph, roots: list[Any], base: str, source: str) -> None:
    """Add the nodes of parsed JSON-LD values to ``graph``."""
    index = {node["@id"]: node for node, _ in _walk(roots) if isinstance(node.get("@id"), str) and len(node) > 2}
    for node, other in _walk(roots):
        kinds = schema.types(node)
        if kinds & schema.PRODUCT_TYPES:
            made = schema.claim(_resolved(node, index), base, source)
            (graph.others if other else graph.products).append(made)
        elif "breadcrumblist" in kinds and not other:
            _crumbs(graph, node, base)
        elif kinds & LISTS and not other:
            graph.listed_urls += _listed(node, base)
        elif kinds & {"webpage", "itempage"}:
            image = _resolved(node, index).get("primaryImageOfPage")
            graph.page_images += schema.images(image, base)
        if not other:
            graph.kinds |= kinds
            if kinds & (ARTICLES | {"webpage", "itempage"}):
                graph.published_at = graph.published_at or squeeze(node.get("datePublished"))
                if name := squeeze(node.get("headline")):
                    graph.names.add(name)


def _walk(roots: list[Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield (node, belongs to another product) in document order; variants stay inside their group."""
    stack: list[tuple[Any, bool, int]] = [(root, False, 0) for root in reversed(roots)]
    count = 0
    while stack and count < MAX_NODES:
        value, other, depth = stack.pop()
        count += 1
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, list):
            stack += [(entry, other, depth + 1) for entry in reversed(value)]
        elif isinstance(value, dict):
            yield value, other
            product = bool(schema.types(value) & schema.PRODUCT_TYPES)
            for key in reversed(list(value)):
                child = value[key]
                inside = product and key in {"hasVariant", "model", "offers", "isVariantOf", "brand"}
                if isinstance(child, dict | list) and not inside:
                    below = (
                        other
                        or key.casefold() in OTHERS
                        or (product and key.casefold() not in {"@graph", "mainentity"})
                    )
                    stack.append((child, below, depth + 1))


def _resolved(node: Mapping[str, Any], index: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return a node whose bare references ({"@id": ...}) are replaced by the nodes they name, one level deep."""

    def look(value: Any) -> Any:
        if isinstance(value, list):
            return [look(entry) for entry in value[: schema.MAX_LIST]]
        if isinstance(value, dict) and isinstance(value.get("@id"), str) and len(value) <= 2:
            return index.get(value["@id"], value)
        return value

    return {key: look(value) if isinstance(value, dict | list) else value for key, value in node.items()}


def _crumbs(graph: Graph, node: Mapping[str, Any], base: str) -> None:
    entries = [entry for entry in schema.listed(node.get("itemListElement")) if isinstance(entry, dict)]
    trail: list[tuple[float, str, str | None]] = []
    for order, entry in enumerate(entries):
        item = entry.get("item")
        holder: Mapping[str, Any] = item if isinstance(item, dict) else {}
        name = schema.named(entry.get("name")) or schema.named(holder.get("name"))
        url = absolute(schema.first(holder, "@id", "url") if holder else item, base)
        if name:
            trail.append((_position(entry.get("position"), order), name, url))
    found = [(name, url) for _, name, url in sorted(trail, key=lambda step: step[0])]
    graph.breadcrumb_lists += 1
    if len(found) > len(graph.crumbs):
        graph.crumbs = found


def _position(value: Any, order: int) -> float:
    text = str(value).strip()
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d+)?", text) else float(order)


def _listed(node: Mapping[str, Any], base: str) -> list[str]:
    urls = []
    for entry in schema.listed(node.get("itemListElement")):
        if not isinstance(entry, dict):
            continue
        item = entry.get("item")
        holder = item if isinstance(item, dict) else entry
        url = absolute(schema.first(holder, "url", "@id"), base) or absolute(item or entry.get("url"), base)
        if url:
            urls.append(url)
    return urls
