"""Readings as rows of the catalog's tables."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from catalog.ids import product_id
from crawlers.media import time_of
from crawlers.readers.reading import Reading
from crawlers.readers.schema import gender_of
from crawlers.readers.urls import canonical, neutral, same_site
from crawlers.sites import Site


def address_of(reading: Reading) -> str:
    """Return the address a product is known by: the one its page names as its own, if that is on its site."""
    named = reading.canonical_url
    return named if named and same_site(named, reading.url) else canonical(reading.url)


def identity_of(reading: Reading, site: Site) -> str:
    """Return the id of a product: one for all languages in which a shop shows it."""
    return product_id(site.name, neutral(address_of(reading)))


def product(reading: Reading, site: Site, now: datetime, page_sha256: str) -> dict[str, Any]:
    """Return the ``products`` row of a product page; ``first_seen`` and ``last_seen`` are both ``now``."""
    item: Mapping[str, Any] = reading.product or {}
    crumbs = [step["name"] for step in item.get("breadcrumbs", ())]
    gender = item.get("gender") or next((found for name in crumbs if (found := gender_of(name))), None)
    evidence = {**reading.evidence, "page_sha256": page_sha256, "warnings": list(reading.warnings)}
    return {
        "product_id": identity_of(reading, site),
        "site": site.name,
        "url": reading.url,
        "canonical_url": address_of(reading),
        "name": item.get("name"),
        "brand": (item.get("brand") or {}).get("name"),
        "description": item.get("description"),
        "category_path": crumbs,
        "gender": gender,
        "colour": item.get("color"),
        "material": item.get("material"),
        "price": item.get("price"),
        "price_low": item.get("priceLow"),
        "price_high": item.get("priceHigh"),
        "regular_price": item.get("regularPrice"),
        "currency": item.get("currency"),
        "availability": item.get("availability"),
        "sku": item.get("sku"),
        "gtin": next((code["value"] for code in item.get("gtin", ())), None),
        "group_id": item.get("groupId"),
        "variants": len(item.get("variants", ())),
        "photo_urls": list(reading.images),
        "language": item.get("language") or site.language,
        "published_at": time_of(item.get("publishedAt")),
        "first_seen": now,
        "last_seen": now,
        "evidence": json.dumps(evidence, sort_keys=True),
    }


def with_feed(reading: Reading, feed: Reading | None) -> Reading:
    """Return a page's reading whose missing fields are filled from the shop's product feed."""
    if feed is None or feed.product is None or reading.product is None:
        return reading
    added = {key: value for key, value in feed.product.items() if key not in reading.product and key != "url"}
    if "price" in added and "currency" not in reading.product:
        added = {
            key: value for key, value in added.items() if key not in {"price", "priceLow", "priceHigh", "regularPrice"}
        }
    product_fields = {**reading.product, **added}
    evidence = {**reading.evidence, **dict.fromkeys(added, "feed")}
    images = reading.images or feed.images
    return Reading(**{**vars(reading), "product": product_fields, "evidence": evidence, "images": images})
