"""schema.org nodes, whether from JSON-LD, microdata or embedded state, as claims."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from crawlers.readers import prices
from crawlers.readers.records import Claim, Offer, availability_of, valid_gtin
from crawlers.readers.texts import plain, squeeze
from crawlers.readers.urls import absolute

PRODUCT_TYPES = frozenset({"product", "productgroup", "productmodel", "individualproduct", "someproducts", "clothing"})
_GTINS = ("gtin", "gtin8", "gtin12", "gtin13", "gtin14", "ean", "isbn")
_OLD_PRICE = ("listprice", "strikethroughprice", "srp", "msrp", "regularprice")
MAX_LIST = 400
# "images.shop.com/a.jpg": dots in the first part, a known ending, and it is no file itself.
_HOST_FIRST = re.compile(
    r"^(?:[a-z0-9-]+\.){1,4}(?:com|net|org|io|co|cloud|shop|store|eu|uk|de|fr|it|es|example)/\S", re.IGNORECASE
)


def types(node: Mapping[str, Any]) -> set[str]:
    """Return the types of a node, lower case, without the vocabulary's address."""
    found = node.get("@type", node.get("type"))
    names = found if isinstance(found, list) else [found]
    return {
        name.strip().rstrip("/").replace("#", "/").rsplit("/", 1)[-1].rsplit(":", 1)[-1].casefold()
        for name in names
        if isinstance(name, str)
    }


def listed(value: Any) -> list[Any]:
    """Return a value as a list: nothing, one thing, or the list it already is (its length capped)."""
    if value is None:
        return []
    return value[:MAX_LIST] if isinstance(value, list) else [value]


def named(value: Any, depth: int = 0) -> str | None:
    """Return the text of a property that is text, a node with a name, or a list of such."""
    for entry in listed(value):
        text = squeeze(
            first(entry, "name", "value", "@value", "legalName", "title") if isinstance(entry, dict) else entry, 500
        )
        if text and not text.startswith(("http://", "https://")):
            return plain(text) if "<" in text else text
        if isinstance(entry, dict) and isinstance(entry.get("name"), dict | list) and depth < 4:
            return named(entry["name"], depth + 1)
    return None


def first(node: Mapping[str, Any], *keys: str) -> Any:
    """Return the first property of a node that is there and not empty."""
    return next((node[key] for key in keys if node.get(key) not in (None, "", [], {})), None)


def images(value: Any, base: str, depth: int = 0) -> list[str]:
    """Return absolute picture addresses of an ``image`` property in any shape."""
    found: list[str] = []
    for entry in listed(value):
        if isinstance(entry, dict):
            url = first(
                entry,
                "contentUrl",
                "url",
                "@id",
                "src",
                "image",
                "contentURL",
                "URL",
                "originalSrc",
                "large",
                "zoom",
                "full",
            )
            found += images(url, base, depth + 1) if isinstance(url, list | dict) and depth < 4 else []
            url = _picture(url, base)
        else:
            url = _picture(entry, base)
        if url and url not in found:
            found.append(url)
    return found


def _picture(value: Any, base: str) -> str | None:
    """Return an absolute address; one that begins with a host name only lacks its scheme."""
    if isinstance(value, str) and _HOST_FIRST.match(value.strip()):
        return absolute("https://" + value.strip(), base)
    return absolute(value, base)


def claim(node: Mapping[str, Any], base: str, source: str, depth: int = 0) -> Claim:
    """Read one Product or ProductGroup node; relative addresses are joined to ``base``."""
    kinds = types(node)
    made = Claim(
        source,
        name=named(node.get("name")),
        brand=named(first(node, "brand", "manufacturer")),
        description=plain(_text(node.get("description"))),
        sku=_text(node.get("sku")),
        mpn=_text(node.get("mpn")),
        product_id=_text(first(node, "productID", "productId")),
        gtins=[code for key in _GTINS for value in listed(node.get(key)) if (code := valid_gtin(value))],
        color=named(first(node, "color", "colour")),
        size=named(node.get("size")),
        material=named(node.get("material")),
        gender=_gender(node),
        category=named(node.get("category")),
        url=absolute(_text(first(node, "url", "@id")), base),
        group_id=_text(first(node, "productGroupID", "inProductGroupWithID")),
        published_at=_text(first(node, "datePublished", "releaseDate")),
        images=images(first(node, "image", "images"), base),
        is_group="productgroup" in kinds,
    )
    for offer in listed(node.get("offers")):
        made.offers += _offers(offer, base, depth)
    _properties(node, made)
    parent = next((entry for entry in listed(node.get("isVariantOf")) if isinstance(entry, dict)), None)
    if parent:
        made.group_id = made.group_id or _text(parent.get("productGroupID"))
        made.brand = made.brand or named(parent.get("brand"))
    if depth < 3:
        _variants(node, made, base, source, depth)
    return made


def _variants(node: Mapping[str, Any], made: Claim, base: str, source: str, depth: int) -> None:
    for entry in [*listed(node.get("hasVariant")), *listed(node.get("model"))]:
        if not isinstance(entry, dict):
            continue
        variant = claim(entry, base, source, depth + 1)
        if variant.name or variant.offers:
            made.variants.append(variant)
        elif variant.url:
            made.stubs.append(variant.url)
    if made.is_group and made.url and made.url.endswith("#group"):
        made.url = None


def _offers(value: Any, base: str, depth: int) -> Iterator[Offer]:
    if not isinstance(value, dict):
        return
    nested = [offer for entry in listed(value.get("offers")) if depth < 4 for offer in _offers(entry, base, depth + 1)]
    currency = prices.currency_of(_text(first(value, "priceCurrency", "pricecurrency")))
    spec_price, spec_regular, spec_currency = _specification(value, currency)
    currency = currency or spec_currency
    item = next((entry for entry in listed(value.get("itemOffered")) if isinstance(entry, dict)), {})
    made = Offer(
        low=_money(value.get("lowPrice"), currency),
        high=_money(value.get("highPrice"), currency),
        regular=spec_regular,
        currency=currency,
        availability=next(
            (known for entry in listed(value.get("availability")) if (known := availability_of(_text(entry)))), None
        ),
        sku=_text(value.get("sku")) or _text(item.get("sku")),
        gtin=next((code for key in _GTINS for holder in (value, item) if (code := valid_gtin(holder.get(key)))), None),
        url=absolute(_text(first(value, "url")), base),
        size=named(first(item, "size") or value.get("size")),
        color=named(first(item, "color", "colour") or value.get("color")),
        images=images(value.get("image") or item.get("image"), base),
    )
    read = [prices.structured(_text(entry), currency) for entry in reversed(listed(value.get("price")))]
    amount = next((pair for pair in read if pair), None)
    made.price = amount[0] if amount else spec_price
    made.currency = made.currency or (amount[1] if amount else None)
    for offer in nested:
        offer.currency = offer.currency or made.currency
        offer.availability = offer.availability or made.availability
    yield from nested
    if not nested or made.low or made.high or made.price:
        if nested and not any(offer.price for offer in nested):
            nested[0].low, nested[0].high = made.low or made.price, made.high or made.price
        elif nested:
            nested[0].low, nested[0].high = nested[0].low or made.low, nested[0].high or made.high
        else:
            yield made


def _specification(value: Mapping[str, Any], currency: str | None) -> tuple[Decimal | None, Decimal | None, str | None]:
    price = regular = None
    for entry in listed(value.get("priceSpecification")):
        if not isinstance(entry, dict):
            continue
        currency = currency or prices.currency_of(_text(entry.get("priceCurrency")))
        amount = _money(first(entry, "price", "minPrice"), currency)
        kind = (_text(entry.get("priceType")) or "").replace("#", "/").rsplit("/", 1)[-1].casefold()
        if kind in _OLD_PRICE:
            regular = regular or amount
        elif "referencequantity" not in {key.casefold() for key in entry} and price is None:
            price = amount
    return price, regular, currency


def _properties(node: Mapping[str, Any], made: Claim) -> None:
    for entry in listed(node.get("additionalProperty")):
        if not isinstance(entry, dict):
            continue
        name, value = (named(entry.get("name")) or "").casefold(), named(entry.get("value"))
        if name in {"color", "colour", "farbe", "couleur", "colore"}:
            made.color = made.color or value
        elif name in {"material", "fabric", "composition", "matiere", "materiale"}:
            made.material = made.material or value
        elif name in {"gender", "department"}:
            made.gender = made.gender or gender_of(value)


def gender_of(text: str | None) -> str | None:
    """Return women, men, girls, boys or unisex for the usual words, else None."""
    words = {
        "female": "women",
        "woman": "women",
        "women": "women",
        "womens": "women",
        "ladies": "women",
        "damen": "women",
        "femme": "women",
        "male": "men",
        "man": "men",
        "men": "men",
        "mens": "men",
        "herren": "men",
        "homme": "men",
        "herr": "men",
        "girl": "girls",
        "girls": "girls",
        "boy": "boys",
        "boys": "boys",
        "unisex": "unisex",
    }
    key = (text or "").rstrip("/").rsplit("/", 1)[-1].casefold().replace("'", "").replace("’", "")
    return words.get(key)


def _gender(node: Mapping[str, Any]) -> str | None:
    audience = next((entry for entry in listed(node.get("audience")) if isinstance(entry, dict)), {})
    return gender_of(_text(first(audience, "suggestedGender")) or _text(node.get("gender")))


def _money(value: Any, currency: str | None) -> Decimal | None:
    pair = prices.structured(_text(value), currency)
    return pair[0] if pair else None


def _text(value: Any) -> str | None:
    for entry in listed(value):
        if isinstance(entry, dict):
            entry = first(entry, "@value", "value", "name", "@id")  # noqa: PLW2901 - unwrapped in place
        text = squeeze(entry, 20_000)
        if text:
            return text
    return None
