"""OpenGraph, the product: and twitter: namespaces, and the other head metadata of a page."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from crawlers.readers import prices
from crawlers.readers.records import Claim, Offer, availability_of, valid_gtin
from crawlers.readers.schema import gender_of
from crawlers.readers.texts import squeeze
from crawlers.readers.urls import absolute


@dataclass
class Head:
    """Head metadata: ``values`` by lower-case name in page order."""

    values: dict[str, list[str]] = field(default_factory=dict)

    def get(self, *names: str) -> str | None:
        """Return the first value that is there under one of the names."""
        return next((value for name in names for value in self.values.get(name, ()) if value), None)


def read(root: Any) -> Head:
    """Collect ``<meta property|name content>`` of a parsed page."""
    head = Head()
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("http-equiv")
        content = squeeze(meta.get("content"))
        if name and content:
            head.values.setdefault(name.strip().casefold(), []).append(content)
    return head


def claim(head: Head, base: str, region: str | None) -> Claim:
    """Return what OpenGraph says about the product of the page."""
    currency = prices.currency_of(
        head.get("product:price:currency", "product:sale_price:currency", "og:price:currency", "og:currency"), region
    )
    price, currency = _money(
        head.get("product:sale_price:amount", "product:price:amount", "og:price:amount", "product:price", "og:price"),
        currency,
        region,
    )
    regular, _ = _money(
        head.get("product:original_price:amount", "og:price:standard_amount", "product:original_price"),
        currency,
        region,
    )
    if price is None:
        price, currency = _money(_card(head, "price", "preis", "prix", "precio"), currency, region)
    usual, _ = _money(head.get("product:price:amount"), currency, region)
    if regular is None and usual is not None and price is not None and usual > price:
        regular = usual
    offer = Offer(
        price=price,
        regular=regular,
        currency=currency,
        availability=availability_of(
            head.get("product:availability", "og:availability", "og:product:availability")
            or _card(head, "availability", "verfügbarkeit")
        ),
    )
    pictures = [
        url
        for value in (
            *head.values.get("og:image:secure_url", ()),
            *head.values.get("og:image", ()),
            *head.values.get("og:image:url", ()),
            *head.values.get("twitter:image", ())[: "og:image" not in head.values],
        )
        if (url := absolute(value, base))
    ]
    gtin = valid_gtin(head.get("product:ean", "product:upc", "product:gtin", "og:upc", "og:ean"))
    return Claim(
        "opengraph",
        name=title(head),
        brand=head.get("product:brand", "og:brand", "og:product:brand"),
        description=head.get("og:description"),
        sku=head.get("product:retailer_item_id", "product:sku"),
        gtins=[gtin] if gtin else [],
        color=head.get("product:color", "og:color", "og:product:color"),
        size=head.get("product:size"),
        material=head.get("product:material"),
        gender=gender_of(head.get("product:target_gender", "product:gender")),
        url=absolute(head.get("og:url"), base),
        group_id=head.get("product:item_group_id"),
        images=list(dict.fromkeys(pictures)),
        offers=[offer] if price is not None or offer.availability else [],
    )


def _card(head: Head, *labels: str) -> str | None:
    """Return the value that the share card shows beside one of the labels (``twitter:label1``, ``twitter:data1``)."""
    for number in "12":
        if (head.get(f"twitter:label{number}") or "").rstrip(":").casefold() in labels:
            return head.get(f"twitter:data{number}")
    return None


def title(head: Head) -> str | None:
    """Return og:title without the site's name."""
    text, site = head.get("og:title", "twitter:title"), head.get("og:site_name")
    return without_site(text, site) if text else None


def without_site(text: str, site: str | None) -> str:
    """Return a title without the site's name at its start or end, bracketed or behind a separator."""
    if not site or text.casefold() == site.casefold():
        return text
    folded, name = text.casefold(), site.casefold()
    for left, right in (("[", "]"), ("(", ")"), ("【", "】")):
        if folded.startswith(f"{left}{name}{right}"):
            return text[len(site) + 2 :].strip()
    for separator in (" | ", " - ", " – ", " — ", " : ", " • ", " · ", ": "):
        if folded.endswith(separator + name):
            return text[: -len(separator + site)].strip()
        if folded.startswith(name + separator):
            return text[len(separator + site) :].strip()
    return text


def _money(text: str | None, currency: str | None, region: str | None) -> tuple[Decimal | None, str | None]:
    pair = prices.structured(text, currency, region) if text else None
    return (pair[0], pair[1] or currency) if pair else (None, currency)
