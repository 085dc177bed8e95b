"""Product-like objects of embedded state, whatever framework wrote them, as claims."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from crawlers.readers import pictures, prices, schema
from crawlers.readers.records import Claim, Offer, availability_of, valid_gtin
from crawlers.readers.texts import plain, squeeze
from crawlers.readers.urls import absolute

# Names of properties, compared without case and separators: "sale_price" and "salePrice" are one.
NAMES = (
    *("name", "title", "productname", "displayname", "producttitle", "itemname", "goodsname", "goodsnm", "nameen"),
    "fulltitle",
)
HOLDERS = ("productinfo", "productdetails", "productdata", "info", "product")
# A price as text ("bestPriceFormatted") goes before its number, which may count cents.
_CURRENT = (
    *("redprice", "yellowprice", "saleprice", "currentprice", "discountedprice", "discounted", "sellingprice"),
    *("finalprice", "bestprice", "specialprice", "promo", "price", "productprice", "goodsprice", "priceinfo", "prices"),
    *("pricing", "pricinginformation", "withtax", "withouttax", "current", "selling", "sale", "now", "amount", "value"),
    *("min", "minprice", "lowprice", "salepricelow", "formattedprice", "formatted", "whiteprice", "baseprice", "base"),
)
_OLD = (
    *("previous", "was", "wasprice", "rrp", "original", "originalprice", "list", "listprice", "regular", "oldprice"),
    *("regularprice", "compareatprice", "msrp", "mrp", "strikeprice", "initialprice", "fullprice", "standardprice"),
    *("normalprice", "retailprice", "pricebeforediscount", "listpricelow", "whiteprice", "base", "baseprice"),
)
_PRICE_HOLDERS = (
    "price",
    "prices",
    "priceinfo",
    "pricing",
    "pricinginformation",
    "productprice",
    "goodsprice",
    "offers",
)
_CURRENCY = ("currency", "currencycode", "pricecurrency", "currencyiso", "currencyisocode", "isocurrencycode")
_STOCK = (
    *("availability", "instock", "isinstock", "available", "stockstatus", "availabilitystatus", "isavailable"),
    "availableforsale",
)
_IMAGES = (
    *("images", "media", "gallery", "pictures", "photos", "image", "mainimage", "featuredimage", "imageurls"),
    *("mediagallery", "contentimages", "viewlist", "vassets", "assets", "xmedia"),
)
_COLORS = (
    "color",
    "colour",
    "colorname",
    "colourname",
    "selectedcolor",
    "selectedcolour",
    "colors",
    "colours",
    "tones",
)
ELSEWHERE = re.compile(
    r"relat|recommend|similar|upsell|cross|cart|basket|recent|suggest|menu|navigation|wishlist|also|bought",
    re.IGNORECASE,
)
"""Keys whose objects are other products than the page's."""
_ADDRESSES = ("imageurl", "imgurl", "deliveryurl", "originimage", "fullscreen", "href")
_SMALL = ("thumb", "swatch", "logo", "icon", "color", "colour")


def folded(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object under its folded property names, with what its ``productInfo`` or the like holds."""
    made = _folded(node)
    if not any(isinstance(made.get(key), str) for key in NAMES):
        inner: Mapping[str, Any] = next((made[key] for key in HOLDERS if isinstance(made.get(key), dict)), {})
        made = {**_folded(inner), **made}
    return made


def _folded(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").replace("-", "").lower(): value for key, value in node.items()}


def currency_in(node: Mapping[str, Any], region: str | None = None) -> str | None:
    """Return the currency that a folded object names, itself or within its price."""
    for holder in (node, *(_folded(node[key]) for key in _PRICE_HOLDERS if isinstance(node.get(key), dict))):
        value = schema.first(holder, *_CURRENCY)
        if isinstance(value, dict):
            value = schema.first(_folded(value), "code", "isocode", "label", "name", "currencycode")
        if code := prices.currency_of(squeeze(value, 20), region):
            return code
    return None


def claim(node: Mapping[str, Any], base: str, name: str, region: str | None, currency: str | None) -> Claim:
    """Read a folded object; ``currency`` is the one that the objects around it name."""
    currency = currency_in(node, region) or currency
    if _is_in_cents(node):
        node = {key: value / 100 if isinstance(value, int) and "price" in key else value for key, value in node.items()}
    price, currency = _amount(node, _CURRENT, currency, region)
    inner: Mapping[str, Any] = next((node[key] for key in _PRICE_HOLDERS if isinstance(node.get(key), dict)), {})
    regular, _ = _amount({**_folded(inner), **node}, _OLD, currency, region)
    stock = next((known for key in _STOCK if (known := availability_of(node.get(key)))), None)
    gtins = [code for key in ("gtin", "ean", "upc", "barcode", "gtin13") if (code := valid_gtin(node.get(key)))]
    offer = Offer(price=price, regular=regular, currency=currency, availability=stock)
    return Claim(
        "state",
        name=name,
        brand=schema.named(schema.first(node, "brand", "brandname", "vendor", "manufacturer")),
        description=plain(node.get("description")),
        sku=squeeze(schema.first(node, "sku", "skuid", "productcode", "stylecode")),
        product_id=squeeze(schema.first(node, "productid", "id", "pid")),
        gtins=gtins,
        color=_color(node),
        material=schema.named(schema.first(node, "material", "fabric")),
        url=absolute(schema.first(node, "url", "canonicalurl", "pdpurl", "link"), base),
        images=_images(node, base),
        offers=[offer] if price is not None or stock else [],
    )


def _is_in_cents(node: Mapping[str, Any]) -> bool:
    """Return whether an object is a theme's product or variant record, whose prices are whole minor units."""
    whole = isinstance(node.get("price"), int) and not isinstance(node.get("price"), bool)
    record = "handle" in node and bool({"compareatprice", "pricemin", "pricevaries"} & node.keys())
    return whole and (record or "publictitle" in node)


def _amount(
    node: Mapping[str, Any], keys: tuple[str, ...], currency: str | None, region: str | None, depth: int = 0
) -> tuple[Decimal | None, str | None]:
    if (minor := _minor(node, currency)) is not None:
        return minor, currency
    for key in keys:
        value = node.get(f"{key}formatted") or node.get(f"{key}formated") or node.get(key)
        if isinstance(value, dict) and depth < 3:
            inner = _folded(value)
            found, code = _amount(inner, _CURRENT, currency_in(inner, region) or currency, region, depth + 1)
            if found is not None:
                return found, code
        elif isinstance(value, str | int | float) and (pair := prices.structured(value, currency, region)) and pair[0]:
            return pair[0], pair[1] or currency
    return None, currency


def _minor(node: Mapping[str, Any], currency: str | None) -> Decimal | None:
    """Return an amount that comes with its scale: ``amount`` and ``divisor``, or ``centAmount``."""
    cents, digits = node.get("centamount"), node.get("fractiondigits", prices.MINOR_UNITS.get(currency or "", 2))
    if isinstance(cents, int) and isinstance(digits, int) and 0 <= digits <= 4:
        return Decimal(cents).scaleb(-digits)
    amount, divisor = node.get("amount"), node.get("divisor")
    if isinstance(amount, int) and isinstance(divisor, int) and divisor in {1, 10, 100, 1000}:
        return Decimal(amount) / divisor
    return None


def _color(node: Mapping[str, Any]) -> str | None:
    for key in _COLORS:
        entries = schema.listed(node.get(key))
        if len(entries) == 1 and (name := schema.named(entries)):
            return name
    return None


def _images(node: Mapping[str, Any], base: str) -> list[str]:
    named = [key for key in node if ("image" in key or "img" in key) and not any(part in key for part in _SMALL)]
    for key in (*_IMAGES, *named):
        value = node.get(key)
        found = [url for entry in schema.listed(value) for url in _addresses(entry, base)[:1]]
        if found:
            return list(dict.fromkeys(found))
    return []


def _addresses(entry: Any, base: str, depth: int = 0) -> list[str]:
    """Return the addresses of one picture of a list, in whatever it is wrapped; templates of addresses are none."""
    if not isinstance(entry, dict):
        named = isinstance(entry, str) and ("/" in entry or pictures.is_file(entry))
        return _plain(schema.images(entry, base)) if named else []
    inner = _folded(entry)
    direct: list[str] = []
    for value in (inner.get("fullurl"), entry, *(inner.get(key) for key in _ADDRESSES)):
        direct = direct or _plain(schema.images(value, base))
    if direct or depth > 2:
        return direct
    parts = [part for value in entry.values() for part in schema.listed(value) if isinstance(part, dict)]
    return [url for part in parts[:60] for url in _addresses(part, base, depth + 1)]


def _plain(urls: list[str]) -> list[str]:
    return [url for url in urls if "%7B" not in url and "($" not in url and "{" not in url]
