"""Page readers: markup, feeds and sitemaps in, products and links out. No network, no clock."""

from typing import Any

from crawlers.readers.feeds import read as read_feed
from crawlers.readers.page import read
from crawlers.readers.reading import Reading
from crawlers.readers.sitemaps import Sitemap
from crawlers.readers.sitemaps import read as read_sitemap

__all__ = ["Reading", "Sitemap", "document", "read", "read_feed", "read_sitemap"]


def document(data: bytes, url: str, base_url: str | None = None) -> dict[str, Any]:
    """Read any file a shop serves (page, product feed, sitemap) into one JSON document.

    A page gives ``{"product", "evidence", ...}``, a feed ``{"products": [{"product", "evidence"}, ...]}``, a sitemap
    ``{"product": None, "product_urls", "images", "lastmod", ...}``.
    """
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"{", b"[")):
        readings = read_feed(data, url, base_url)
        if readings:
            return {
                "products": [{"product": reading.product, "evidence": reading.evidence} for reading in readings],
                "page_type": "feed",
            }
        return {
            "product": None,
            "evidence": {},
            "page_type": "other",
            "reason": "no product: JSON that is no product feed known here",
        }
    if start.startswith(b"\x1f\x8b") or b"<urlset" in start or b"<sitemapindex" in start:
        return read_sitemap(data, base_url or url).document()
    return read(data, url, base_url).document()
