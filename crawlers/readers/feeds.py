"""Product feeds of shop systems: Shopify's /products.json and the WooCommerce Store API."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from crawlers.readers import pictures, prices, schema
from crawlers.readers.reading import Reading
from crawlers.readers.texts import plain, squeeze
from crawlers.readers.urls import absolute

_COLOR = frozenset(
    {"color", "colour", "farbe", "couleur", "colore", "cor", "färg", "farve", "kolor", "kleur", "väri", "shade"}
)
_SIZE = frozenset(
    {
        "size",
        "größe",
        "grösse",
        "taille",
        "talla",
        "taglia",
        "tamanho",
        "storlek",
        "størrelse",
        "rozmiar",
        "maat",
        "koko",
    }
)


def read(data: bytes | str, url: str, base_url: str | None = None) -> list[Reading]:
    """Read a product feed into one Reading per product; an answer that is no feed gives an empty list."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    base = base_url or url
    if isinstance(value, dict) and isinstance(value.get("products"), list):
        return [made for entry in value["products"] if isinstance(entry, dict) if (made := _shopify(entry, base))]
    if isinstance(value, list):
        return [made for entry in value if isinstance(entry, dict) and "prices" in entry if (made := _woo(entry, base))]
    return []


def _finish(product: dict[str, Any]) -> Reading:
    made = {key: value for key, value in product.items() if value not in (None, "", [], {})}
    evidence = dict.fromkeys(sorted(set(made) - {"url"}), "feed")
    images = tuple(image["url"] for image in made.get("images", ()))
    return Reading(
        made,
        evidence,
        page_type="product",
        url=made.get("url", ""),
        canonical_url=made.get("url", ""),
        images=images,
        title=made["name"],
        breadcrumbs=tuple(step["name"] for step in made.get("breadcrumbs", ())),
        published_at=made.get("publishedAt"),
    )


def _old(value: Any, price: Decimal | None) -> Decimal | None:
    pair = prices.structured(value)
    return pair[0] if pair and price is not None and pair[0] > price else None


def _range(product: dict[str, Any], amounts: list[Decimal], currency: str | None) -> None:
    if amounts:
        low, high = min(amounts), max(amounts)
        product["price"] = prices.text_of(low, currency)
        if high > low:
            product["priceLow"], product["priceHigh"] = prices.text_of(low, currency), prices.text_of(high, currency)


def _shopify(entry: Mapping[str, Any], base: str) -> Reading | None:
    name, handle = squeeze(entry.get("title"), 500), squeeze(entry.get("handle"), 300)
    if not name or not handle:
        return None
    options = {
        f"option{order}": squeeze(option.get("name") if isinstance(option, dict) else option, 100)
        for order, option in enumerate(schema.listed(entry.get("options")), 1)
    }
    color_key = next((key for key, label in options.items() if (label or "").casefold() in _COLOR), None)
    size_key = next((key for key, label in options.items() if (label or "").casefold() in _SIZE), None)
    page = absolute(f"/products/{quote(handle, safe='')}", base)
    rows, amounts, olds, stock = [], [], [], []
    for variant in schema.listed(entry.get("variants")):
        if not isinstance(variant, dict):
            continue
        pair = prices.structured(variant.get("price"))
        price = pair[0] if pair else None
        old = _old(variant.get("compare_at_price"), price)
        amounts += [price] if price is not None else []
        olds += [old] if old is not None else []
        available = variant.get("available")
        stock += ["InStock" if available else "OutOfStock"] if isinstance(available, bool) else []
        row = {
            "color": squeeze(variant.get(color_key)) if color_key else None,
            "size": squeeze(variant.get(size_key)) if size_key else None,
            "sku": squeeze(variant.get("sku")),
            "price": prices.text_of(price) if price is not None else None,
            "regularPrice": prices.text_of(old) if old is not None else None,
            "availability": stock[-1] if isinstance(available, bool) else None,
            "url": f"{page}?variant={variant['id']}" if page and isinstance(variant.get("id"), int) else None,
        }
        rows.append((variant.get("id"), {key: value for key, value in row.items() if value}))
    images, by_color = _shopify_images(entry, rows, base)
    colors = list(dict.fromkeys(row["color"] for _, row in rows if "color" in row))
    product: dict[str, Any] = {
        "url": page,
        "name": name,
        "brand": {"name": brand} if (brand := squeeze(entry.get("vendor"), 200)) else None,
        "description": plain(entry.get("body_html")),
        "category": squeeze(entry.get("product_type"), 200),
        "productId": squeeze(entry.get("id")),
        "tags": _tags(entry.get("tags")),
        "colors": colors,
        "color": colors[0] if len(colors) == 1 else None,
        "sizes": list(dict.fromkeys(row["size"] for _, row in rows if "size" in row)),
        "availability": ("InStock" if "InStock" in stock else "OutOfStock") if stock else None,
        "images": [{"url": url} for url in images],
        "mainImage": {"url": images[0]} if images else None,
        "imagesByColor": by_color,
        "variants": [row for _, row in rows],
        "regularPrice": prices.text_of(max(olds)) if olds else None,
        "publishedAt": squeeze(entry.get("published_at")) or squeeze(entry.get("created_at")),
    }
    _range(product, amounts, None)
    return _finish(product)


def _tags(value: Any) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else schema.listed(value)
    return [text for part in parts if (text := squeeze(part, 200))]


def _shopify_images(
    entry: Mapping[str, Any], rows: list[tuple[Any, dict[str, Any]]], base: str
) -> tuple[list[str], dict[str, list[str]]]:
    urls: list[str] = []
    by_color: dict[str, list[str]] = {}
    color_of = {identity: row.get("color") for identity, row in rows}
    for image in schema.listed(entry.get("images")):
        url = absolute(image.get("src") if isinstance(image, dict) else image, base)
        if not url:
            continue
        urls.append(url)
        for identity in schema.listed(image.get("variant_ids") if isinstance(image, dict) else None):
            color = color_of.get(identity) if isinstance(identity, int | str) else None
            if color and url not in by_color.setdefault(color, []):
                by_color[color].append(url)
    return pictures.merge(map(pictures.picture, urls)), by_color


def _woo(entry: Mapping[str, Any], base: str) -> Reading | None:
    name, page = squeeze(entry.get("name"), 500), absolute(entry.get("permalink"), base)
    if not name or not page:
        return None
    stated = entry.get("prices")
    holder: Mapping[str, Any] = stated if isinstance(stated, dict) else {}
    currency = prices.currency_of(squeeze(holder.get("currency_code")))
    unit = holder.get("currency_minor_unit")
    places = unit if isinstance(unit, int) and 0 <= unit <= 6 else prices.MINOR_UNITS.get(currency or "", 2)
    between = holder.get("price_range")
    bounds = (
        [_minor(between.get(key), places) for key in ("min_amount", "max_amount")] if isinstance(between, dict) else []
    )
    price = _minor(holder.get("price"), places)
    amounts = [bound for bound in bounds if bound is not None] or ([price] if price is not None else [])
    regular = _minor(holder.get("regular_price"), places)
    shots = [image for image in schema.listed(entry.get("images")) if isinstance(image, dict)]
    found = [
        shot for image in shots for shot in [*_full(image, base), *pictures.srcset(squeeze(image.get("srcset")), base)]
    ]
    urls = pictures.merge(found)
    terms = {
        squeeze(group.get("name"), 60): [squeeze(schema.named(term), 60) for term in schema.listed(group.get("terms"))]
        for group in schema.listed(entry.get("attributes"))
        if isinstance(group, dict)
    }
    colors = [term for label, names in terms.items() if (label or "").casefold() in _COLOR for term in names if term]
    sizes = [term for label, names in terms.items() if (label or "").casefold() in _SIZE for term in names if term]
    in_stock = entry.get("is_in_stock")
    product: dict[str, Any] = {
        "url": page,
        "name": name,
        "sku": squeeze(entry.get("sku")),
        "productId": squeeze(entry.get("id")),
        "description": plain(entry.get("description")) or plain(entry.get("short_description")),
        "currency": currency,
        "availability": ("InStock" if in_stock else "OutOfStock") if isinstance(in_stock, bool) else None,
        "breadcrumbs": [
            {"name": title, **({"url": link} if (link := absolute(group.get("link"), base)) else {})}
            for group in schema.listed(entry.get("categories"))
            if isinstance(group, dict)
            if (title := squeeze(group.get("name"), 200))
        ],
        "brand": {"name": brand} if (brand := schema.named(entry.get("brands"))) else None,
        "tags": [text for tag in schema.listed(entry.get("tags")) if (text := schema.named(tag))],
        "colors": colors,
        "color": colors[0] if len(colors) == 1 else None,
        "sizes": sizes,
        "images": [{"url": url} for url in urls],
        "mainImage": {"url": urls[0]} if urls else None,
        "variants": [_woo_variant(row) for row in schema.listed(entry.get("variations")) if isinstance(row, dict)],
    }
    _range(product, amounts, currency)
    for key in ("price", "priceLow", "priceHigh"):
        if key in product:
            product[key] = f"{Decimal(product[key]):.{places}f}"
    if regular is not None and amounts and regular > min(amounts):
        product["regularPrice"] = f"{regular:.{places}f}"
    return _finish(product)


def _full(image: Mapping[str, Any], base: str) -> list[pictures.Picture]:
    url = absolute(image.get("src"), base)
    return [pictures.picture(url)] if url else []


def _woo_variant(row: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for choice in schema.listed(row.get("attributes")):
        label = (squeeze(choice.get("name")) or "").casefold() if isinstance(choice, dict) else ""
        if label in _COLOR | _SIZE and (value := squeeze(choice.get("value"), 60)):
            made["color" if label in _COLOR else "size"] = value
    return made


def _minor(value: Any, places: int) -> Decimal | None:
    text = squeeze(value, 20) or ""
    return Decimal(text).scaleb(-places) if text.isascii() and text.isdigit() else None
