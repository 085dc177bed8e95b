"""Embedded state: framework data in scripts (__NEXT_DATA__, flight rows, window.… = {…}), searched for the page's
product."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from crawlers.readers import calls, flight, jsonld, jsontext, members, objects, prices, references, schema
from crawlers.readers.records import Claim, Offer
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
        *(
            "nameEN",
            "fullTitle",
            "productInfo",
            "product_info",
            "productDetails",
            "productData",
            "goodsNm",
        ),
    )
)
_VARIANT = re.compile(r"variant|skus?\b|sizes?\b", re.IGNORECASE)
_ID = frozenset({"productId", "product_id", "productID", "pid"})
# Where the widgets of a page keep the prices of its product, without its name.
_CONFIG = re.compile(r"/(?:jsonConfig|spConfig|priceConfig|product_attributes)$")
_DECIMALS = re.compile(r"currencyDecimals\\?[\"']\s*:\s*-?([1-3])\b")
# "$%s", "{{amount}} kr": how a shop writes its prices.
_PATTERN = re.compile(
    r"(?:currency_?format|money_?format|pattern)\\?[\"']\s*:\s*\\?[\"']([^\"'<>]{2,24}?)\\?[\"']", re.IGNORECASE
)
_HOLE = re.compile(r"%s|\{\{[^}]*\}\}|[\s\u00a0]")
_ACTIVE = re.compile(r"currency\s*=\s*\{\s*\"active\"\s*:\s*\"([A-Z]{3})\"")
_CURRENCY = re.compile(r"currency(?:_?code|_?iso)?\\?[\"']?\s*[:=]\s*\\?[\"']([A-Z]{3})\b", re.IGNORECASE)


def values(scripts: list[tuple[str, str]]) -> Iterator[Any]:
    """Yield the JSON values embedded in (type, text) scripts that are not JSON-LD."""
    for kind, text in scripts:
        if "json" in kind or "init" in kind:
            found, _ = jsontext.parse(text) if len(text) <= jsontext.MAX_STATE else ([], None)
            yield from map(references.resolved, found)
            continue
        for match in list(_ASSIGN.finditer(text))[:20]:
            value = jsontext.value_at(text, match.end()) if text[match.end()] in "{[" else _quoted(text, match.end())
            if isinstance(value, dict | list) and value:
                yield references.resolved(value)
        yield from calls.values(text)
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
    scripts: list[tuple[str, str]], base: str, hints: list[str], region: str | None, address: str = ""
) -> tuple[jsonld.Graph, Claim | None]:
    """Return schema.org nodes found in state, and the product-like object whose name the page repeats; ``address`` is
    the page's own and names one of several colours."""
    graph = jsonld.Graph()
    best: tuple[float, str, _Found] | None = None
    priced: list[Claim] = []
    nameless: list[Claim] = []
    for found in (entry for value in values(scripts) for entry in _walk(value)):
        node, path = found.node, found.path
        if schema.types(node) & schema.PRODUCT_TYPES and node.keys() & {"offers", "@context", "hasVariant"}:
            if not objects.ELSEWHERE.search(path):
                jsonld.add(graph, [node], base, "state")
        elif not node.keys() & _NAME:
            if _CONFIG.search(path):
                nameless.append(_claim(found, base, "", region))
            elif _ID & node.keys() and any("rice" in key for key in node) and len(priced) < 200:
                priced.append(_claim(found, base, "", region))
        elif not objects.ELSEWHERE.search(path):
            ranked = _ranked(found, hints, base, region, address)
            best = max((entry for entry in (best, ranked) if entry), key=lambda entry: entry[0], default=None)
    alone = nameless[0] if len(nameless) == 1 and nameless[0].prices() else None
    if best is None:
        return graph, alone
    own = _claim(best[2], base, best[1], region)
    if not own.prices() and own.product_id:
        own.offers = next(
            (other.offers for other in priced if other.prices() and own.product_id == other.product_id), own.offers
        )
    members.complete(own, best[2].node, best[2].parent, (base, region, best[2].currency), address)
    if not own.prices() and alone:
        own.offers = alone.offers
    own.offers = [_in_major_units(offer, scripts) for offer in own.offers]
    return graph, own if own.offers or own.images else None


def _claim(found: "_Found", base: str, name: str, region: str | None) -> Claim:
    return objects.claim(objects.folded(found.node), base, name, region, found.currency)


def _ranked(
    found: "_Found", hints: list[str], base: str, region: str | None, address: str
) -> tuple[float, str, "_Found"] | None:
    """Return how well an object fits the page, the name and the object itself; None where its name is another's."""
    named = _named(objects.folded(found.node), hints)
    if named is None:
        return None
    name, score = named
    made = _claim(found, base, name, region)
    score += 2 * bool(made.offers) + bool(made.images) + 0.5 * bool(made.sku) + 0.5 * ("roduct" in found.path)
    score += 1.5 * members.named_in(address, found.path.rpartition("/")[2], {})
    return score - bool(_VARIANT.search(found.path)), name, found


def _in_major_units(offer: Offer, scripts: list[tuple[str, str]]) -> Offer:
    """Return an offer in main units where the scripts say with how many decimals their whole prices are shown."""
    amounts = [amount for amount in (offer.price, offer.regular) if amount is not None]
    if not amounts or any(amount != amount.to_integral_value() for amount in amounts):
        return offer
    digits = next((int(match[1]) for _, text in scripts if (match := _DECIMALS.search(text))), 0)
    price, regular = (amount.scaleb(-digits) if amount is not None else None for amount in (offer.price, offer.regular))
    return replace(offer, price=price, regular=regular)


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


def currency(scripts: list[tuple[str, str]], region: str | None = None) -> str | None:
    """Return the currency that the scripts of a page name: the one a shop says is active, the only one, or the sign
    of its pattern for prices."""
    texts = [text for _, text in scripts if "urrency" in text]
    active = {match[1] for text in texts for match in _ACTIVE.finditer(text)}
    named = active or {match[1] for text in texts for match in _CURRENCY.finditer(text)}
    codes = named & prices.CODES
    if not codes:
        patterns = {match[1] for text in texts for match in _PATTERN.finditer(text)}
        codes = {code for text in patterns if (code := prices.currency_of(_sign(text), region))}
    return next(iter(codes)) if len(codes) == 1 else None


def _sign(pattern: str) -> str:
    """Return what a pattern for prices holds besides the place of the amount."""
    return _HOLE.sub("", re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), pattern))


def gallery(scripts: list[tuple[str, str]], base: str) -> list[str]:
    """Return the full-size pictures of a gallery widget's configuration (entries with ``full`` beside ``thumb`` or
    ``img``)."""
    found: list[str] = []
    for kind, text in scripts:
        if '"full"' not in text or not ("json" in kind or "init" in kind):
            continue
        for value in jsontext.parse(text)[0]:
            found += [
                url
                for entry in _walk(value)
                if {"full", "img"} <= entry.node.keys() and not objects.ELSEWHERE.search(entry.path)
                if (url := absolute(entry.node["full"], base))
            ]
    return list(dict.fromkeys(found))


class _Found(NamedTuple):
    """An object of state: where it stands, the currency that it or an object around it names, and that object."""

    node: Mapping[str, Any]
    path: str
    currency: str | None
    parent: Mapping[str, Any]


def _walk(value: Any) -> Iterator[_Found]:
    stack: list[tuple[Any, str, str | None, Mapping[str, Any], int]] = [(value, "", None, {}, 0)]
    count = 0
    while stack and count < MAX_NODES:
        entry, path, code, parent, depth = stack.pop()
        count += 1
        if depth > 30:
            continue
        if isinstance(entry, list):
            stack += [
                (child, path, code, parent, depth + 1)
                for child in reversed(entry[:2000])
                if isinstance(child, dict | list)
            ]
        elif isinstance(entry, dict):
            stated = entry.get("currency") or entry.get("currencyCode")
            code = stated if isinstance(stated, str) and stated in prices.CODES else code
            yield _Found(entry, path, code, parent)
            stack += [
                (child, f"{path}/{key}"[-200:], code, entry, depth + 1)
                for key, child in reversed(list(entry.items()))
                if isinstance(child, dict | list)
            ]
