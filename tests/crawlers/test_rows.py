"""Readings as rows: identity by canonical address, gender from breadcrumbs, feeds filling gaps."""

from datetime import UTC, datetime

from catalog import tables
from catalog.ids import product_id
from crawlers import readers, rows
from crawlers.readers.reading import Reading
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SITE = Site(name="shop", start_urls=["https://shop.example/"], language="en")
PAGE = """<link rel="canonical" href="https://shop.example/p/1"><ol class="breadcrumb"><li><a href="/w">Women</a></li><li><a href="/w/c">Coats</a></li></ol>
<h1>Wool Coat</h1><script type="application/ld+json">{"@type":"Product","name":"Wool Coat","datePublished":"2026-05-02","gtin13":"4006381333931",
"image":["/a.jpg"],"offers":{"price":"99.5","priceCurrency":"EUR","availability":"InStock"}}</script>"""


def test_a_row_fits_the_table():
    reading = readers.read(PAGE, "https://shop.example/collections/sale/p/1?utm_source=mail")
    row = rows.product(reading, SITE, NOW, "ab" * 32)
    (stored,) = tables.from_rows("products", [row]).to_pylist()
    assert stored["product_id"] == product_id("shop", "https://shop.example/p/1")
    assert (stored["canonical_url"], stored["gender"], stored["category_path"]) == (
        "https://shop.example/p/1",
        "women",
        ["Women", "Coats"],
    )
    assert (stored["price"], stored["currency"], stored["gtin"], stored["language"]) == (
        "99.50",
        "EUR",
        "4006381333931",
        "en",
    )
    assert stored["published_at"] == datetime(2026, 5, 2, tzinfo=UTC)
    assert stored["photo_urls"] == ["https://shop.example/a.jpg"]


def test_a_canonical_address_elsewhere_is_not_believed():
    reading = readers.read(
        PAGE.replace("https://shop.example/p/1", "https://evil.example/p/1"), "https://shop.example/p/1?fbclid=2&size=m"
    )
    assert rows.address_of(reading) == "https://shop.example/p/1?size=m"


def test_the_feed_fills_gaps_but_never_guesses_a_currency():
    feed = Reading(
        {"url": "https://shop.example/p/1", "name": "Coat (feed)", "tags": ["wool"], "price": "80.00", "sku": "C1"},
        images=("https://shop.example/f.jpg",),
    )
    page = Reading(
        {"url": "https://shop.example/p/1", "name": "Coat"}, {"name": "visible"}, url="https://shop.example/p/1"
    )
    merged = rows.with_feed(page, feed)
    assert merged.product == {"url": "https://shop.example/p/1", "name": "Coat", "tags": ["wool"], "sku": "C1"}
    assert merged.evidence == {"name": "visible", "tags": "feed", "sku": "feed"}
    assert merged.images == ("https://shop.example/f.jpg",)
