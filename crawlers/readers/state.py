"""Embedded state: framework data in scripts (__NEXT_DATA__, flight rows, window.… = {…}), searched for the page's
product."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from crawlers.readers import flight, jsonld, jsontext, objects, prices, references, schema
from crawlers.readers.records import Claim
from crawlers.readers.texts import alike, squeeze, words
from crawlers.readers.urls import absolute

MAX_NODES = 60_000
_ASSIGN = re.compile(
    r"(?:window|self|globalThis|var|let|const)[\s.]*(?:\[\s*[\"'])?[\w$.]+(?:[\"']\s*\])?\s*=\s*(?=[{\[]|[\"'][{\[])"
    r"|JSON\.parse\(\s*(?=[\"'])|\.push\(\s*(?=\{)"
)
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
# Properties that may hold a product's name, as they are usually spelt.
_NAME = frozenset(
    (
        *("name", "title", "productName", "displayName", "product_name", "productTitle", "item_name", "goods_name"),
        *("nameEN", "fullTitle", "productInfo", "product_info", "productDetails", "productData"),
    )
)
_ELSEWHERE = re.compile(
    r"relat|recommend|similar|upsell|cross|cart|basket|recent|suggest|menu|navigation|wishlist|also|bought",
    re.IGNORECASE,
)
_VARIANT = re.compile(r"variant|skus?\b|sizes?\b", re.IGNORECASE)
_ID = frozenset({"productId", "product_id", "productID", "pid"})
_ACTIVE = re.compile(r"currency\s*=\s*\{\s*\"active\"\s*:\s*\"([A-Z]{3})\"")
_CURRENCY = re.compile(r"currency(?:_?code|_?iso)?\\?[\"']?\s*[:=]\s*\\?[\"']([A-Z]{3})\b", re.IGNORECASE)


def values(scripts: list[tuple[str, str]]) -> Iterator[Any]:
    """Yield the JSON values embedded in (type, text) scripts that are not JSON-LD."""
    for kind, text in scripts:
        if "json" in kind:
            found, _ = jsontext.parse(text) if len(text) <= jsontext.MAX_STATE else ([], None)
            yield from map(references.resolved, found)
            continue
        for match in list(_ASSIGN.finditer(text))[:20]:
            value = jsontext.value_at(text, match.end()) if text[match.end()] in "{[" else _quoted(text, match.end())
            if isinstance(value, dict | list) and value:
                yield references.resolved(value)
    for row in flight.rows([text for _, text in scripts]):
        if row[:1] in "{[" and row:
            found, _ = jsontext.parse(row)
            yield from found


def _quoted(text: str, at: int) -> Any:
    """Return the JSON value in the string literal that starts at ``at``, or None."""
    try:
        if single := _SINGLE.match(text, at):
            body = re.sub(r"\\(.)", lambda pair: "'" if pair[1] == "'" else pair[0], single[1])
            inner: Any = json.loads('"' + re.sub(r'(?<!\\)"', r"\"", body) + '"', strict=False)
        else:
            inner = json.JSONDecoder(strict=False).raw_decode(text, at)[0]
        return json.loads(inner, strict=False) if isinstance(inner, str) else None
    except (ValueError, RecursionError):
        return None


def read(
    scripts: list[tuple[str, str]], base: str, hints: list[str], region: str | None
) -> tuple[jsonld.Graph, Claim | None]:
    """Return schema.org nodes found in state, and the product-like object whose name the page repeats."""
    graph = jsonld.Graph()
    best: tuple[float, Claim] | None = None
    priced: list[Claim] = []
    for value in values(scripts):
        for node, path, currency in _walk(value):
            if schema.types(node) & schema.PRODUCT_TYPES and (
                "offers" in node or "@context" in node or "hasVariant" in node
            ):
                if not _ELSEWHERE.search(path):
                    jsonld.add(graph, [node], base, "state")
                continue
            if not node.keys() & _NAME:
                if _ID & node.keys() and any("rice" in key for key in node) and len(priced) < 200:
                    priced.append(objects.claim(objects.folded(node), base, "", region, currency))
                continue
            if _ELSEWHERE.search(path):
                continue
            facts = objects.folded(node)
            found = _named(facts, hints)
            if found is None:
                continue
            name, score = found
            made = objects.claim(facts, base, name, region, currency)
            score += 2 * bool(made.offers) + bool(made.images) + 0.5 * bool(made.sku) + 0.5 * ("roduct" in path)
            score -= bool(_VARIANT.search(path))
            if (made.offers or made.images) and (best is None or score > best[0]):
                best = (score, made)
    if best is None:
        return graph, None
    own = best[1]
    if not own.prices() and own.product_id:
        own.offers = next(
            (other.offers for other in priced if other.prices() and own.product_id == other.product_id), own.offers
        )
    return graph, own


def _named(facts: Mapping[str, Any], hints: list[str]) -> tuple[str, float] | None:
    """Return an object's name and how well the page repeats it, or None when it does not; a name that says more than
    the page's (a size) gives way to it."""
    for key in objects.NAMES:
        name = squeeze(facts.get(key), 300)
        if not name:
            continue
        if any(name.casefold() == hint.casefold() for hint in hints):
            return name, 3.0
        close = next((hint for hint in hints if alike(name, hint) >= 0.99), None)
        if close and len(name.split()) > 1:
            return (close if words(close) < words(name) else name), 1.0
    return None


def currency(scripts: list[tuple[str, str]]) -> str | None:
    """Return the currency that the scripts of a page name: the one a shop says is active, or the only one."""
    texts = [text for _, text in scripts if "urrency" in text]
    active = {match[1] for text in texts for match in _ACTIVE.finditer(text)}
    named = active or {match[1] for text in texts for match in _CURRENCY.finditer(text)}
    codes = named & prices.CODES
    return next(iter(codes)) if len(codes) == 1 else None


def gallery(scripts: list[tuple[str, str]], base: str) -> list[str]:
    """Return the full-size pictures of a gallery widget's configuration (entries with ``full`` beside ``thumb`` or
    ``img``)."""
    found: list[str] = []
    for kind, text in scripts:
        if '"full"' not in text or not ("json" in kind or "init" in kind):
            continue
        for value in jsontext.parse(text)[0]:
            for node, path, _ in _walk(value):
                if (
                    {"full", "img"} <= node.keys()
                    and not _ELSEWHERE.search(path)
                    and (url := absolute(node["full"], base))
                ):
                    found.append(url)
    return list(dict.fromkeys(found))


def _walk(value: Any) -> Iterator[tuple[Mapping[str, Any], str, str | None]]:
    """Yield (object, path, currency that it or an object around it names)."""
    stack: list[tuple[Any, str, str | None, int]] = [(value, "", None, 0)]
    count = 0
    while stack and count < MAX_NODES:
        entry, path, code, depth = stack.pop()
        count += 1
        if depth > 30:
            continue
        if isinstance(entry, list):
            stack += [
                (child, path, code, depth + 1) for child in reversed(entry[:2000]) if isinstance(child, dict | list)
            ]
        elif isinstance(entry, dict):
            stated = entry.get("currency") or entry.get("currencyCode")
            code = stated if isinstance(stated, str) and stated in prices.CODES else code
            yield entry, path, code
            stack += [
                (child, f"{path}/{key}"[-200:], code, depth + 1)
                for key, child in reversed(list(entry.items()))
                if isinstance(child, dict | list)
            ]
