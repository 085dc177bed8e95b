"""How much one crawl may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CrawlLimits:
    """Caps of one crawl of one site; reaching one ends or skips, never fails."""

    pages: int = 20_000
    """Pages asked for at most; the others are left for the next night."""
    photos: int = 100_000
    """Photos fetched at most."""
    seconds: float = 6 * 3600.0
    """Time a site may take; what is left then waits for the next night."""
    total_bytes: int = 20_000_000_000
    """Bytes received at most; what is left then waits for the next night."""
    page_bytes: int = 10_000_000
    """Largest page, unpacked."""
    photo_bytes: int = 40_000_000
    """Largest photo."""
    sitemap_bytes: int = 60_000_000
    """Largest sitemap, unpacked."""
    page_seconds: float = 40.0
    """Time one page may take from first to last byte."""
    photo_seconds: float = 60.0
    """Time one photo may take from first to last byte."""
    longest_wait: float = 300.0
    """Longest pause that a server's Retry-After is granted; beyond it the page waits for the next crawl."""
    refusals: int = 20
    """Refusals, server errors and silences in a row after which a host is left alone until the next crawl."""
    retries: int = 2
    """Times a failed request is repeated."""
    depth: int = 6
    """Links followed in a row from a start page."""
    links_per_page: int = 2000
    """Links taken from one page."""
    listing_pages: int = 300
    """Pages of one listing."""
    feed_pages: int = 200
    """Pages of one feed."""
    sitemaps: int = 500
    """Sitemaps read in one crawl."""
    parallel_sites: int = 2
    """Sites crawled at a time."""
    evidence_bytes: int = 4_000_000_000
    """Packed page bytes kept as evidence (WARC) by one crawl at most."""
    trust_days: float = 7.0
    """Days for which a sitemap that names no change spares asking for a page and its photos."""
    reread_days: float = 30.0
    """Days after which a page is fetched whole, whatever its server says of changes."""
    forget_days: float = 180.0
    """Days after which a page or photo that was not there any more is forgotten."""
    pages_per_context: int = 100
    """Pages that a browser renders before what they left behind (cookies, storage, cache) is thrown away."""
    browser_bytes: int = 2_000_000_000
    """Memory that the browser's processes may take together before it is started anew."""
