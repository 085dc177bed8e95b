"""What reading a page gives."""

from dataclasses import dataclass, field
from typing import Any, Literal

PageType = Literal["product", "listing", "article", "look", "other"]


@dataclass(frozen=True)
class Reading:
    """One page as read.

    ``product`` holds zyte-common-items ``Product`` fields (camel case) and, where known, these fields of our own:
    ``priceLow`` and ``priceHigh`` (decimal text, when variants differ), ``groupId``, ``colors``, ``sizes``,
    ``imagesByColor``, ``tags``, ``gender``, ``material``, ``category``, ``language`` and ``publishedAt``. Besides
    InStock and OutOfStock, ``availability`` may be LimitedAvailability or PreOrder.
    ``evidence`` names the source of each field: jsonld, microdata, state, opengraph, feed or visible.
    """

    product: dict[str, Any] | None
    evidence: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    page_type: PageType = "other"
    url: str = ""
    canonical_url: str | None = None
    product_links: tuple[str, ...] = ()
    page_links: tuple[str, ...] = ()
    next_url: str | None = None
    images: tuple[str, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    title: str | None = None
    language: str | None = None
    robots: tuple[str, ...] = ()
    published_at: str | None = None
    warnings: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the reading as the JSON document of ``lookbench read``."""
        shown: dict[str, Any] = {"product": self.product, "evidence": self.evidence, "page_type": self.page_type}
        if self.product is None:
            shown["reason"] = self.reason
            shown["breadcrumbs"] = list(self.breadcrumbs)
            shown["product_urls"] = list(self.product_links)
            shown["next_url"] = self.next_url
            if self.page_type == "look":
                shown["images"] = list(self.images)
        if self.warnings:
            shown["warnings"] = list(self.warnings)
        return shown

    def item(self) -> Any:
        """Return the product as a ``zyte_common_items.Product``; raises ValueError when the page has none."""
        from zyte_common_items import Product

        if self.product is None:
            raise ValueError(f"{self.url} has no product: {self.reason}")
        return Product.from_dict({"url": self.url, **self.product})
