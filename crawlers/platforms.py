"""Which shop system made a page, told by the traces that it leaves in markup and headers."""

import re
from collections.abc import Mapping

_TRACES: tuple[tuple[str, str], ...] = (
    ("shopify", r"cdn\.shopify\.com|Shopify\.(?:theme|shop)\b|myshopify\.com|/cdn/shop/|shopify-section"),
    ("woocommerce", r"wp-content/plugins/woocommerce|class=\"[^\"]*\bwoocommerce\b|wc-block-|wc_add_to_cart_params"),
    ("magento", r"Magento_(?:Ui|Theme|Catalog|Customer)|text/x-magento-init|/static/version\d+/frontend/|mage/cookies"),
    ("salesforce", r"/on/demandware\.(?:store|static)|dwvar_|dw/image/v2|dwanalytics"),
    ("prestashop", r"var prestashop\s*=|/modules/ps_\w+|content=\"PrestaShop\""),
    ("bigcommerce", r"cdn\d*\.bigcommerce\.com|stencil-utils|window\.BCData|bigcommerce\.com/s-"),
    ("shopware", r"content=\"[^\"]*Shopware|/bundles/storefront/|shopware\.apps"),
    ("oscar", r"/static/oscar/|oscar\.(?:init|messages)\b|csrfmiddlewaretoken[\s\S]{0,20000}\bproduct_pod\b"),
    ("opencart", r"index\.php\?route=product/|catalog/view/theme/"),
    ("squarespace", r"static1?\.squarespace\.com|Static\.SQUARESPACE_CONTEXT"),
    ("wix", r"static\.wixstatic\.com|wix-ecommerce|X-Wix-"),
    ("ecwid", r"app\.ecwid\.com/script"),
    ("centra", r"\bcentra(?:cdn|\.com)\b"),
)
_HEADERS = {"x-shopify-stage": "shopify", "x-shopid": "shopify", "x-magento-vary": "magento", "x-wix-request-id": "wix"}
FEEDS = frozenset({"shopify", "woocommerce"})
"""Systems that offer a product feed that the crawler reads."""


def of(body: bytes, headers: Mapping[str, str]) -> str:
    """Return the shop system of a page, or ``generic`` when nothing tells."""
    told = next((system for name, system in _HEADERS.items() if name in headers), None)
    text = body[:600_000].decode("utf-8", "replace")
    return told or next((system for system, traces in _TRACES if re.search(traces, text, re.IGNORECASE)), "generic")
