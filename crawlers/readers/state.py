"""Embedded state: framework data in scripts (__NEXT_DATA__, flight rows, window.… = {…}), searched for the page's
product."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from crawlers.readers import flight, jsonld, jsontext, prices, schema
from crawlers.readers.records import Claim, Offer, availability_of, valid_gtin
from crawlers.readers.texts import alike, plain, squeeze
from crawlers.readers.urls import absolute

MAX_NODES = 60_000
_ASSIGN = re.compile(
    r"(?:window|self|globalThis|var|let|const)[\s.]*(?:\[\s*[\"'])?[\w$.]+(?:[\"']\s*\])?\s*=\s*(?=[{\[])|JSON\.parse\(\s*(?=[\"'])"
)
_NAME = ("name", "title", "productName", "displayName", "product_name", "productTitle")
_PRICE = (
    "price",
    "salePrice",
    "currentPrice",
    "sellingPrice",
    "finalPrice",
    "final_price",
    "sale_price",
    "priceInfo",
    "prices",
    "current",
    "now",
    "amount",
    "value",
    "min",
    "formattedPrice",
    "formatted",
)
_REGULAR = (
    "previous",
    "was",
    "rrp",
    "original",
    "list",
    "regular",
    "regularPrice",
    "listPrice",
    "originalPrice",
    "compareAtPrice",
    "compare_at_price",
    "regular_price",
    "wasPrice",
    "msrp",
    "strikePrice",
)
_IMAGES = (
    "images",
    "media",
    "gallery",
    "pictures",
    "photos",
    "image",
    "mainImage",
    "featuredImage",
    "imageUrls",
    "mediaGallery",
)
_COLORS = (
    "color",
    "colour",
    "colorName",
    "colourName",
    "selectedColor",
    "selectedColour",
    "colors",
    "colours",
    "tones",
    "color_name",
)
_ELSEWHERE = re.compile(
    r"relat|recommend|similar|upsell|cross|cart|basket|recent|suggest|menu|navigation|wishlist|also|bought",
    re.IGNORECASE,
)
_OF_SITE = re.compile(r"site|shop|config|seo|page|brand|locale", re.IGNORECASE)


def values(scripts: list[tuple[str, str]]) -> Iterator[Any]:
    """Yield the JSON values embedded in (type, text) scripts that are not JSON-LD."""
    for kind, text in scripts:
        if "json" in kind:
            found, _ = jsontext.parse(text) if len(text) <= jsontext.MAX_STATE else ([], None)
            yield from found
            continue
        for match in list(_ASSIGN.finditer(text))[:20]:
            value = jsontext.value_at(text, match.end()) if text[match.end()] in "{[" else _quoted(text, match.end())
            if isinstance(value, dict | list) and value:
                yield value
    for row in flight.rows([text for _, text in scripts]):
        if row[:1] in "{[" and row:
            found, _ = jsontext.parse(row)
            yield from found


def _quoted(text: str, at: int) -> Any:
    if text[at] != '"':
        return None
    try:
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
    for value in values(scripts):
        for node, path in _walk(value):
            if schema.types(node) & schema.PRODUCT_TYPES and (
                "offers" in node or "@context" in node or "hasVariant" in node
            ):
                if not _ELSEWHERE.search(path):
                    jsonld.add(graph, [node], base, "state")
                continue
            name = squeeze(schema.first(node, *_NAME), 300)
            if not name or _ELSEWHERE.search(path):
                continue
            match = max((alike(name, hint) for hint in hints), default=0.0)
            exact = any(name.casefold() == hint.casefold() for hint in hints)
            if not exact and (match < 0.99 or len(name.split()) < 2):
                continue
            made = _claim(node, base, name, region)
            score = (
                2 * exact
                + match
                + 2 * bool(made.offers)
                + bool(made.images)
                + 0.5 * bool(made.sku)
                + ("roduct" in path) * 0.5
            )
            if (made.offers or made.images) and (best is None or score > best[0]):
                best = (score, made)
    return graph, best[1] if best else None


def gallery(scripts: list[tuple[str, str]], base: str) -> list[str]:
    """Return the full-size pictures of a gallery widget's configuration (entries with ``full`` beside ``thumb`` or
    ``img``)."""
    found: list[str] = []
    for kind, text in scripts:
        if '"full"' not in text or not ("json" in kind or "init" in kind):
            continue
        for value in jsontext.parse(text)[0]:
            for node, path in _walk(value):
                if (
                    {"full", "img"} <= node.keys()
                    and not _ELSEWHERE.search(path)
                    and (url := absolute(node["full"], base))
                ):
                    found.append(url)
    return list(dict.fromkeys(found))


def _walk(value: Any) -> Iterator[tuple[Mapping[str, Any], str]]:
    stack: list[tuple[Any, str, int]] = [(value, "", 0)]
    count = 0
    while stack and count < MAX_NODES:
        entry, path, depth = stack.pop()
        count += 1
        if depth > 30:
            continue
        if isinstance(entry, list):
            stack += [(child, path, depth + 1) for child in reversed(entry[:2000]) if isinstance(child, dict | list)]
        elif isinstance(entry, dict):
            yield entry, path
            stack += [
                (child, f"{path}/{key}"[-200:], depth + 1)
                for key, child in reversed(list(entry.items()))
                if isinstance(child, dict | list)
            ]


def _claim(node: Mapping[str, Any], base: str, name: str, region: str | None) -> Claim:
    currency = prices.currency_of(
        _deep_text(node, ("currency", "currencyCode", "priceCurrency", "currency_code", "currencyIso")), region
    )
    if _is_in_cents(node):
        node = {key: value / 100 if isinstance(value, int) and "price" in key else value for key, value in node.items()}
    price, currency = _amount(node, _PRICE, currency, region)
    inner: Mapping[str, Any] = next(
        (node[key] for key in ("price", "prices", "priceInfo") if isinstance(node.get(key), dict)), {}
    )
    regular, _ = _amount({**inner, **node}, _REGULAR, currency, region)
    stock = next(
        (
            known
            for key in (
                "availability",
                "inStock",
                "in_stock",
                "isInStock",
                "available",
                "stockStatus",
                "availabilityStatus",
                "isAvailable",
                "availableForSale",
            )
            if (known := availability_of(node.get(key)))
        ),
        None,
    )
    return Claim(
        "state",
        name=name,
        brand=schema.named(schema.first(node, "brand", "brandName", "vendor", "manufacturer")),
        description=plain(node.get("description")),
        sku=squeeze(schema.first(node, "sku", "SKU", "skuId", "productCode", "styleCode")),
        product_id=squeeze(schema.first(node, "productId", "id", "productID", "pid")),
        gtins=[code for key in ("gtin", "ean", "upc", "barcode", "gtin13") if (code := valid_gtin(node.get(key)))],
        color=_color(node),
        material=schema.named(schema.first(node, "material", "fabric")),
        url=absolute(schema.first(node, "url", "canonicalUrl", "pdpUrl", "link"), base),
        images=_images(node, base),
        offers=[Offer(price=price, regular=regular, currency=currency, availability=stock)]
        if price is not None or stock
        else [],
    )


def _is_in_cents(node: Mapping[str, Any]) -> bool:
    """Return whether an object is a theme's product record, whose prices are whole minor units."""
    whole = isinstance(node.get("price"), int) and not isinstance(node.get("price"), bool)
    return whole and "handle" in node and bool({"compare_at_price", "price_min", "price_varies"} & node.keys())


def _amount(
    node: Mapping[str, Any], keys: tuple[str, ...], currency: str | None, region: str | None, depth: int = 0
) -> tuple[Any, str | None]:
    for key in keys:
        value = node.get(key)
        if isinstance(value, dict) and depth < 3:
            inner = (
                prices.currency_of(_deep_text(value, ("currency", "currencyCode", "currency_code")), region) or currency
            )
            found, inner = _amount(value, _PRICE, inner, region, depth + 1)
            if found is not None:
                return found, inner
        elif isinstance(value, str | int | float) and (pair := prices.structured(value, currency, region)):
            return pair[0], pair[1] or currency
    return None, currency


def _deep_text(node: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    text = squeeze(schema.first(node, *keys), 20)
    if text:
        return text
    for key in ("price", "prices", "priceInfo", "offers"):
        if isinstance(child := node.get(key), dict) and (text := squeeze(schema.first(child, *keys), 20)):
            return text
    return None


def _color(node: Mapping[str, Any]) -> str | None:
    for key in _COLORS:
        entries = schema.listed(node.get(key))
        if len(entries) == 1 and (name := schema.named(entries)):
            return name
    return None


def _images(node: Mapping[str, Any], base: str) -> list[str]:
    for key in _IMAGES:
        found: list[str] = []
        for entry in schema.listed(node.get(key)):
            found += schema.images(entry, base)
        if found:
            return list(dict.fromkeys(found))
    return []
