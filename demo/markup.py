"""Product data as pages carry it: JSON-LD in four shapes, OpenGraph tags and the Shopify feed."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from markupsafe import Markup

from demo.records import Catalogue, Look, Photo, Product

_SCHEMA = "https://schema.org"


def _stock(product: Product) -> str:
    return f"{_SCHEMA}/{'InStock' if product.available else 'OutOfStock'}"


def marked_price(product: Product) -> str:
    """Price in the markup: that of before the sale where the page's markup is stale."""
    return product.regular_price if product.stale_markup else product.price


def high_price(product: Product) -> str:
    """Price of the largest size, for products whose price depends on the size."""
    return f"{float(product.price) + 5:.2f}"


def _urls(photos: tuple[Photo, ...], base: str) -> list[str]:
    return [f"{base}{p.path}" for p in photos]


def _offer(product: Product, base: str, **more: str) -> dict[str, Any]:
    return {
        "@type": "Offer", "url": f"{base}{product.path}", "price": marked_price(product),
        "priceCurrency": product.currency,
        "availability": _stock(product), "itemCondition": f"{_SCHEMA}/NewCondition", **more,
    }  # fmt: skip


def _core(product: Product, base: str) -> dict[str, Any]:
    known: dict[str, Any] = {
        "name": product.title, "description": product.description, "image": _urls(product.photos, base),
        "sku": product.sku,
        "gtin13": product.gtin, "color": product.colour, "material": product.material,
        "category": " > ".join(product.breadcrumbs[1:]),
    }  # fmt: skip
    if product.brand:
        known["brand"] = {"@type": "Brand", "name": product.brand}
    return {"@type": "Product", **{k: v for k, v in known.items() if v}}


def json_ld(product: Product, base: str) -> dict[str, Any] | None:
    """JSON-LD of a product page in the product's shape, or None where its page carries none."""
    if product.shape == "offers-list":
        sizes = product.sizes or ("",)
        offers = [_offer(product, base, **({"sku": f"{product.sku}-{s}"} if s else {})) for s in sizes]
        return {"@context": _SCHEMA, **_core(product, base), "releaseDate": product.published, "offers": offers}
    if product.shape == "aggregate-offer":
        offer = {
            "@type": "AggregateOffer", "lowPrice": product.price, "highPrice": high_price(product),
            "priceCurrency": product.currency,
            "offerCount": max(len(product.sizes), 1), "availability": _stock(product),
        }  # fmt: skip
        return {"@context": f"{_SCHEMA}/", **_core(product, base), "offers": offer}
    if product.shape == "graph":
        return _graph(product, base)
    if product.shape == "product-group":
        return _group(product, base)
    return None


def _crumbs(product: Product, base: str) -> dict[str, Any]:
    items = [
        {"@type": "ListItem", "position": k, "name": name}
        for k, name in enumerate((*product.breadcrumbs, product.title), 1)
    ]
    return {"@type": "BreadcrumbList", "@id": f"{base}{product.path}#crumbs", "itemListElement": items}


def _graph(product: Product, base: str) -> dict[str, Any]:
    url = f"{base}{product.path}"
    page = {
        "@type": "ItemPage", "@id": f"{url}#page", "url": url, "name": product.title,
        "datePublished": f"{product.published}T09:00:00+00:00",
        "dateModified": f"{product.published}T09:00:00+00:00", "isPartOf": {"@id": f"{base}/#site"},
        "breadcrumb": {"@id": f"{url}#crumbs"},
    }  # fmt: skip
    offer = _offer(product, base, priceValidUntil="2027-12-31")
    item = {
        **_core(product, base),
        "@id": f"{url}#product",
        "mainEntityOfPage": {"@id": f"{url}#page"},
        "offers": offer,
    }
    site = {"@type": "WebSite", "@id": f"{base}/#site", "url": f"{base}/", "name": "Hawthorn & Loom"}
    maker = {"@type": "Organization", "@id": f"{base}/#shop", "name": "Hawthorn & Loom", "url": f"{base}/"}
    return {"@context": _SCHEMA, "@graph": [maker, site, page, _crumbs(product, base), item]}


def _group(product: Product, base: str) -> dict[str, Any]:
    core = _core(product, base)
    sku, gtin = core.pop("sku"), core.pop("gtin13")
    variants = [
        {
            "@type": "Product", "name": f"{product.title} - {size}", "sku": f"{sku}-{k + 1}", "size": size,
            "image": core["image"][0],
            **({"gtin13": gtin} if k == 0 else {}), "offers": _offer(product, base),
        }
        for k, size in enumerate(product.sizes or ("One size",))
    ]  # fmt: skip
    return {
        "@context": _SCHEMA, **core, "@type": "ProductGroup", "productGroupID": sku, "variesBy": f"{_SCHEMA}/size",
        "url": f"{base}{product.path}",
        "hasVariant": variants,
    }  # fmt: skip


def look_ld(look: Look, base: str, shown: list[str]) -> dict[str, Any]:
    """JSON-LD of a look page: an article with one picture, not a product."""
    return {
        "@context": _SCHEMA, "@type": "Article", "headline": look.title, "articleSection": "Looks",
        "description": look.text,
        "image": [f"{base}{look.photo.path}"], "datePublished": f"{look.published}T08:00:00+00:00",
        "url": f"{base}{look.path}",
        "mentions": [{"@type": "Thing", "url": f"{base}{path}"} for path in shown],
        "author": {"@type": "Organization", "name": "Hawthorn & Loom"},
    }  # fmt: skip


def look_properties(look: Look, base: str) -> list[tuple[str, str]]:
    """OpenGraph properties of a look page."""
    return [
        ("og:type", "article"),
        ("og:title", look.title),
        ("og:url", f"{base}{look.path}"),
        ("og:image", f"{base}{look.photo.path}"),
        ("article:published_time", f"{look.published}T08:00:00+00:00"),
        ("article:section", "Looks"),
    ]


def script(data: dict[str, Any]) -> Markup:
    """A JSON-LD script element; `<` is escaped so that no text can end it."""
    text = json.dumps(data, ensure_ascii=False, indent=1).replace("<", "\\u003c")
    return Markup(f'<script type="application/ld+json">\n{text}\n</script>')  # noqa: S704  (escaped above)


def product_properties(product: Product, base: str) -> list[tuple[str, str]]:
    """OpenGraph properties of a product page that has no other markup."""
    pairs = [
        ("og:type", "product"), ("og:title", product.title), ("og:description", product.description),
        ("og:url", f"{base}{product.path}"),
        ("og:site_name", "Hawthorn & Loom"), ("product:price:amount", product.price),
        ("product:price:currency", product.currency),
        ("product:availability", "in stock" if product.available else "out of stock"),
        ("product:retailer_item_id", product.sku),
        ("product:brand", product.brand), ("product:color", product.colour), ("product:material", product.material),
    ]  # fmt: skip
    for photo in product.photos:
        pairs += [
            ("og:image", f"{base}{photo.path}"), ("og:image:width", str(photo.width)),
            ("og:image:height", str(photo.height)), ("og:image:alt", photo.alt),
        ]  # fmt: skip
    return [(k, v) for k, v in pairs if v]


def app_record(product: Product) -> dict[str, Any]:
    """What the script section fetches: the record from which the browser draws the page."""
    return {
        "title": product.title, "description": product.description, "brand": product.brand, "colour": product.colour,
        "material": product.material,
        "price": product.price, "regularPrice": product.regular_price, "currency": product.currency,
        "available": product.available, "sku": product.sku,
        "breadcrumbs": list(product.breadcrumbs), "sizes": list(product.sizes),
        "details": [list(d) for d in product.details],
        "photos": [{"src": p.path, "alt": p.alt, "width": p.width, "height": p.height} for p in product.photos],
        "published": product.published,
    }  # fmt: skip


FEED_DEPARTMENT = "Trousers & Skirts"


def feed(catalogue: Catalogue, base: str, limit: int, page: int) -> dict[str, Any]:
    """A page of `/products.json` in Shopify's shape; it lists one department (not its script pages)."""
    chosen = [p for p in catalogue.products if p.department == FEED_DEPARTMENT and p.shape != "script"]
    part = chosen[(page - 1) * limit : page * limit]
    return {"products": [_feed_row(p, base) for p in part]}


def _feed_row(product: Product, base: str) -> dict[str, Any]:
    number = int(product.sku.split("-")[1]) + 7_000_000
    stamp = f"{product.published}T09:00:00+00:00"
    sizes = product.sizes or ("Default Title",)
    variants = [
        {
            "id": number * 10 + k, "title": size, "option1": size, "option2": None, "option3": None,
            "sku": f"{product.sku}-{k + 1}",
            "requires_shipping": True, "taxable": True, "featured_image": None, "available": product.available,
            "price": product.price, "grams": 300,
            "compare_at_price": product.regular_price or None, "position": k + 1, "product_id": number,
            "created_at": stamp, "updated_at": stamp,
        }
        for k, size in enumerate(sizes)
    ]  # fmt: skip
    images = [
        {
            "id": number * 10 + k, "created_at": stamp, "position": k + 1, "updated_at": stamp, "product_id": number,
            "variant_ids": [],
            "src": f"{base}{p.path}", "width": p.width, "height": p.height, "alt": p.alt,
        }
        for k, p in enumerate(product.photos)
    ]  # fmt: skip
    return {
        "id": number, "title": product.title, "handle": product.handle,
        "body_html": f"<p>{escape(product.description)}</p>", "published_at": stamp,
        "created_at": stamp, "updated_at": stamp, "vendor": product.brand or "Hawthorn & Loom",
        "product_type": product.department,
        "tags": [v for _, v in product.details], "variants": variants, "images": images,
        "options": [{"name": "Size", "position": 1, "values": list(sizes)}],
    }  # fmt: skip
