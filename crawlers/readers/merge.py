"""One product out of all sources.

The rules, in full:

1. Order of trust for a field: JSON-LD, microdata, JSON-LD in embedded state, other embedded state, OpenGraph, the
   visible page. Name and description follow it; the page's own product is chosen before (``choose``).
2. Price: a struck-through price beside a lower visible one makes the visible one the price and the struck one the
   regular price. Where two sources of markup disagree, the one that the page shows as its price wins, and a lone one
   that the page shows nowhere is stale. Otherwise rule 1.
3. One buyable size makes the product buyable. Different prices of variants are a range, and ``price`` is its low end
   unless the page shows one of them.
4. Pictures: markup's, then what the gallery around them adds; OpenGraph's picture only when there is no other. One
   address per picture, the largest that the page names.
5. A regular price must be above the price. A GTIN must have the right check digit. A sign that several currencies
   share is settled by path, domain, language or the one code that the scripts name; a bare $ is the US dollar's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from crawlers.readers import pictures, prices
from crawlers.readers.pictures import Picture
from crawlers.readers.records import Claim
from crawlers.readers.texts import words
from crawlers.readers.visible import Seen

_TEXT_FIELDS = (
    ("brand", "brand"),
    ("description", "description"),
    ("sku", "sku"),
    ("mpn", "mpn"),
    ("color", "color"),
    ("size", "size"),
    ("material", "material"),
    ("gender", "gender"),
    ("category", "category"),
    ("group_id", "groupId"),
    ("product_id", "productId"),
    ("published_at", "publishedAt"),
)


class Merged:
    """A product under construction: its fields and where each came from."""

    def __init__(self, url: str) -> None:
        self.product: dict[str, Any] = {"url": url} if url.startswith(("http://", "https://")) else {}
        self.evidence: dict[str, str] = {}

    def put(self, field: str, value: Any, source: str) -> None:
        """Set a field that is not set yet, unless the value is empty."""
        if value not in (None, "", [], {}) and field not in self.product:
            self.product[field] = value
            self.evidence[field] = source


def product(
    claims: Sequence[Claim],
    seen: Seen,
    gallery: Sequence[Picture],
    crumbs: Sequence[tuple[str, str | None, str]],
    url: str,
) -> Merged:
    """Merge claims (in order of trust) with what the page shows into one product."""
    merged = Merged(url)
    names = [(claim.name or "").casefold() for claim in claims]
    agreed = (seen.name or "").casefold() in names
    for claim, name in zip(claims, names, strict=True):
        shop = claim.source == "opengraph" or name.endswith((claim.brand or "\0").casefold())
        if (
            (shop or agreed)
            and seen.name
            and _is_part(seen.name, claim.name, claim.brand or seen.brand, loose=claim.source == "opengraph")
        ):
            merged.put("name", seen.name, "visible")
        merged.put("name", claim.name, claim.source)
    merged.put("name", seen.name, "visible")
    _price(merged, claims, seen)
    for claim in claims:
        merged.put("availability", claim.availability(), claim.source)
    merged.put("availability", seen.availability, "visible")
    for claim in claims:
        for attribute, field in _TEXT_FIELDS:
            value = getattr(claim, attribute)
            merged.put(field, {"name": value} if field == "brand" and value else value, claim.source)
        merged.put(
            "gtin", [{"type": f"gtin{len(code)}", "value": code} for code in dict.fromkeys(claim.gtins)], claim.source
        )
    merged.put("brand", {"name": seen.brand} if seen.brand else None, "visible")
    for field in ("color", "material", "sku"):
        merged.put(field, getattr(seen, field), "visible")
    if crumbs:
        steps = [{"name": name, "url": link} if link else {"name": name} for name, link, _ in crumbs]
        if len(steps) > 1 and steps[-1]["name"].casefold() == str(merged.product.get("name")).casefold():
            steps.pop()
        merged.put("breadcrumbs", steps, crumbs[0][2])
    _images(merged, claims, gallery)
    _variants(merged, claims)
    return merged


# What stands between a product's name and the rest of a title: a separator, or a bracket of Japanese titles.
_CUT = re.compile(r"\s+[-–—|:•·]\s+|\s*[|｜：【】（）]\s*")


def _is_part(heading: str, title: str | None, brand: str | None, *, loose: bool) -> bool:
    """Return whether a title is the page's heading plus other things behind a separator, mostly the shop's name.

    A ``loose`` title, one for sharing, may also say more around the heading: the brand, "buy", the colour. The heading
    is then half of it or three words, so that it is not the brand alone.
    """
    text, folded = heading.casefold(), (title or "").casefold()
    if text == folded or text == (brand or "").casefold():
        return False
    parts = _CUT.split(folded)
    if text in parts or re.search(rf"(?:^|{_CUT.pattern}){re.escape(text)}(?:$|{_CUT.pattern})", folded):
        return True
    holders = [part for part in parts if words(text) <= words(part)]
    return loose and " " in text and any(2 * len(text) >= len(part) or text.count(" ") > 1 for part in holders)


@dataclass(frozen=True)
class _Stated:
    """A price that a source of markup states: its bounds and currency."""

    source: str
    low: Decimal
    high: Decimal
    currency: str | None


def _price(merged: Merged, claims: Sequence[Claim], seen: Seen) -> None:
    stated = [_Stated(claim.source, *bounds, claim.currency()) for claim in claims if (bounds := claim.prices())]
    stated = _as_shown(stated, seen)
    named = [(entry.currency, entry.source) for entry in stated]
    named += [(claim.currency(), claim.source) for claim in claims] + [(seen.currency, "visible")]
    code, code_source = next(((code, source) for code, source in named if code), (None, ""))
    merged.put("currency", code, code_source)
    shown = seen.price if seen.currency in (None, code) or prices.share_sign(seen.currency, code) else None
    stated = [_in_major_units(entry, [*(other.low for other in stated), *seen.amounts]) for entry in stated]
    if stated:
        low, high, source = _settled(stated, shown if seen.sure else None, seen, code)
    elif seen.price is not None:
        low, high, source = seen.price, seen.high or seen.price, "visible"
    else:
        return
    price, origin = low, source
    if high > low:
        merged.put("priceLow", prices.text_of(low, code), source)
        merged.put("priceHigh", prices.text_of(high, code), source)
        if shown is not None and low <= shown <= high and seen.high is None:
            price, origin = shown, "visible"
    merged.put("price", prices.text_of(price, code), origin)
    old = [("visible", seen.regular)]
    old += [(claim.source, offer.regular) for claim in claims for offer in claim.every_offer()]
    for source, amount in old:
        if amount and amount > price:
            merged.put("regularPrice", prices.text_of(amount, code), source)


def _as_shown(stated: list[_Stated], seen: Seen) -> list[_Stated]:
    """Return the stated prices, first the one that the page shows where the others are told in other currencies."""
    code = seen.currency
    if not seen.sure or any(prices.share_sign(code, entry.currency) for entry in stated[:1] if entry.currency):
        return stated
    same = [entry for entry in stated if entry.currency == code and entry.low == seen.price]
    return same + [entry for entry in stated if entry not in same]


def _in_major_units(entry: _Stated, others: Sequence[Decimal]) -> _Stated:
    """Return a stated price in its main unit: a whole amount a hundred times of another one counts cents."""
    if prices.MINOR_UNITS.get(entry.currency or "", 2) == 0:
        return entry
    if entry.low == entry.low.to_integral_value() and any(other and entry.low == 100 * other for other in others):
        return replace(entry, low=entry.low / 100, high=entry.high / 100)
    return entry


def _settled(
    stated: Sequence[_Stated], shown: Decimal | None, seen: Seen, code: str | None
) -> tuple[Decimal, Decimal, str]:
    """Return (low, high, source) by rule 2; the source tells of sources that disagree."""
    first = stated[0]
    says = f"{first.source} says {prices.text_of(first.low, code)}"
    one, struck = first.low == first.high, seen.regular
    if one and shown is not None and shown != first.low and first.low in seen.amounts and first.low != struck:
        return first.low, first.high, first.source  # shown too: the other is a member's or a card's price
    if shown is not None and struck and one and shown < first.low:
        return shown, shown, f"visible ({says}, the page strikes {prices.text_of(struck, code)} through)"
    if shown is not None and not first.low <= shown <= first.high:
        winner = next((entry for entry in stated[1:] if shown in (entry.low, entry.high)), None)
        if winner:
            return shown, shown, f"{winner.source} as shown ({says})"
        if one and len(stated) == 1 and first.low not in seen.told:
            return shown, shown, f"visible ({says})"
    rival = next((entry for entry in stated[1:] if not first.low <= entry.low <= first.high), None)
    note = f" ({rival.source} says {prices.text_of(rival.low, code)})" if rival else ""
    return first.low, first.high, first.source + note


def _images(merged: Merged, claims: Sequence[Claim], gallery: Sequence[Picture]) -> None:
    strong = next((claim for claim in claims if claim.source != "opengraph" and _usable(claim)), None)
    source = strong.source if strong else ""
    weak = next((claim for claim in claims if claim.source == "opengraph" and _usable(claim)), None)
    listed = [pictures.picture(url) for url in _usable(strong)] if strong else []
    if listed or gallery:
        known = {entry.key for entry in [*listed, *gallery]}
        if not listed and weak and gallery:
            for entry in map(pictures.picture, _usable(weak)):
                wide = pictures.is_share_crop(entry.url)
                same = [other for other in gallery if other.key == entry.key]
                listed += same if wide else [entry] * (entry.key in known)
        source = source or ("opengraph" if listed else "visible")
        if any(entry.key not in {known.key for known in listed} for entry in gallery) and source != "visible":
            source = f"{source}, visible"
        urls = pictures.merge([*listed, *gallery])
    elif weak:
        urls, source = pictures.merge(map(pictures.picture, _usable(weak))), "opengraph"
    else:
        return
    merged.put("mainImage", {"url": urls[0]} if urls else None, source)
    merged.put("images", [{"url": url} for url in urls], source)


def _usable(claim: Claim) -> list[str]:
    return [url for url in claim.images if not pictures.is_junk(url)]


def _variants(merged: Merged, claims: Sequence[Claim]) -> None:
    for claim in claims:
        rows = [_variant(variant) for variant in claim.variants] if claim.variants else []
        if not rows and len(claim.offers) > 1:
            rows = [_offer_row(offer, {}) for offer in claim.offers]
        if not rows:
            continue
        merged.put("variants", rows, claim.source)
        for field, key in (("colors", "color"), ("sizes", "size")):
            merged.put(field, list(dict.fromkeys(row[key] for row in rows if row.get(key))), claim.source)
        return


def _variant(variant: Claim) -> dict[str, Any]:
    row: dict[str, Any] = {
        "color": variant.color,
        "size": variant.size,
        "sku": variant.sku,
        "url": variant.url,
        "mpn": variant.mpn,
    }
    if variant.gtins:
        row["gtin"] = [{"type": f"gtin{len(code)}", "value": code} for code in variant.gtins]
    if variant.images:
        row["images"] = [{"url": url} for url in variant.images]
        row["mainImage"] = {"url": variant.images[0]}
    return _offer_row(variant.offers[0], row) if variant.offers else {key: value for key, value in row.items() if value}


def _offer_row(offer: Any, row: dict[str, Any]) -> dict[str, Any]:
    price = offer.price or offer.low
    made = {
        **row,
        "color": row.get("color") or offer.color,
        "size": row.get("size") or offer.size,
        "sku": row.get("sku") or offer.sku,
        "url": row.get("url") or offer.url,
        "price": prices.text_of(price, offer.currency) if price is not None else None,
        "regularPrice": prices.text_of(offer.regular, offer.currency)
        if offer.regular and price and offer.regular > price
        else None,
        "currency": offer.currency,
        "availability": offer.availability,
    }
    if "gtin" not in made and offer.gtin:
        made["gtin"] = [{"type": f"gtin{len(offer.gtin)}", "value": offer.gtin}]
    if "images" not in made and offer.images:
        made["images"], made["mainImage"] = [{"url": url} for url in offer.images], {"url": offer.images[0]}
    return {key: value for key, value in made.items() if value not in (None, "", [])}
