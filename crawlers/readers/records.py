"""What a source of markup claims about a product, before the sources are merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

BUYABLE = ("InStock", "LimitedAvailability", "PreOrder")
_AVAILABILITY = {
    "instock": "InStock",
    "instoreonly": "InStock",
    "onlineonly": "InStock",
    "madetoorder": "InStock",
    "available": "InStock",
    "availablefororder": "InStock",
    "true": "InStock",
    "yes": "InStock",
    "instocknow": "InStock",
    "limitedavailability": "LimitedAvailability",
    "lowstock": "LimitedAvailability",
    "limited": "LimitedAvailability",
    "preorder": "PreOrder",
    "presale": "PreOrder",
    "backorder": "PreOrder",
    "backordered": "PreOrder",
    "outofstock": "OutOfStock",
    "soldout": "OutOfStock",
    "discontinued": "OutOfStock",
    "oos": "OutOfStock",
    "unavailable": "OutOfStock",
    "false": "OutOfStock",
    "no": "OutOfStock",
    "notavailable": "OutOfStock",
    "reserved": "OutOfStock",
}


@dataclass
class Offer:
    """One way to buy: price, currency, availability and what tells it apart."""

    price: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    regular: Decimal | None = None
    currency: str | None = None
    availability: str | None = None
    sku: str | None = None
    gtin: str | None = None
    url: str | None = None
    size: str | None = None
    color: str | None = None
    images: list[str] = field(default_factory=list)


@dataclass
class Claim:
    """All that one source says about one product; absent fields are None or empty."""

    source: str
    name: str | None = None
    brand: str | None = None
    description: str | None = None
    sku: str | None = None
    mpn: str | None = None
    product_id: str | None = None
    gtins: list[str] = field(default_factory=list)
    color: str | None = None
    size: str | None = None
    material: str | None = None
    gender: str | None = None
    category: str | None = None
    style: str | None = None
    url: str | None = None
    group_id: str | None = None
    published_at: str | None = None
    images: list[str] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    variants: list["Claim"] = field(default_factory=list)
    stubs: list[str] = field(default_factory=list)
    is_group: bool = False

    def every_offer(self) -> Iterator[Offer]:
        """Yield the offers of the product and of its variants."""
        yield from self.offers
        for variant in self.variants:
            yield from variant.offers

    def prices(self) -> tuple[Decimal, Decimal] | None:
        """Return the lowest and highest price of all offers, or None."""
        bounds = [bound for offer in self.every_offer() for bound in (offer.price, offer.low, offer.high) if bound]
        return (min(bounds), max(bounds)) if bounds else None

    def currency(self) -> str | None:
        """Return the first currency that an offer names."""
        return next((offer.currency for offer in self.every_offer() if offer.currency), None)

    def availability(self) -> str | None:
        """Return the best availability of all offers: one size in stock makes the product buyable."""
        return best_availability([offer.availability for offer in self.every_offer()])


def availability_of(value: object) -> str | None:
    """Return InStock, LimitedAvailability, PreOrder or OutOfStock for any usual spelling of it, else None."""
    if isinstance(value, bool):
        return "InStock" if value else "OutOfStock"
    if not isinstance(value, str):
        return None
    tail = value.strip().rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    return _AVAILABILITY.get("".join(char for char in tail.casefold() if char.isalpha()))


def best_availability(values: Sequence[str | None]) -> str | None:
    """Return the availability that lets one buy the most."""
    return next((known for known in (*BUYABLE, "OutOfStock") if known in values), None)


def valid_gtin(value: object) -> str | None:
    """Return a GTIN of 8, 12, 13 or 14 digits whose check digit is right, else None (GS1 General Specifications
    7.9)."""
    text = str(value).strip().replace(" ", "").replace("-", "") if isinstance(value, str | int) else ""
    if len(text) not in (8, 12, 13, 14) or not (text.isascii() and text.isdigit()) or not text.strip("0"):
        return None
    digits = [int(char) for char in reversed(text)]
    total = sum(digit * (3 if index % 2 else 1) for index, digit in enumerate(digits))
    return text if total % 10 == 0 else None
