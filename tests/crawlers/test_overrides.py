"""Page objects of one site: their fields go before the reader's, their failures cost nothing."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest_shop import Answer, product_html

from catalog.store import Catalog
from crawlers import readers, run, sites
from crawlers.errors import SiteError
from crawlers.limits import CrawlLimits
from crawlers.overrides import Overrides

PAGES = """
from web_poet import WebPage, field, handle_urls
from zyte_common_items import Brand, ProductPage


@handle_urls("127.0.0.1/p/1")
class Shirt(ProductPage):
    @field
    def name(self):
        return self.css("h1::text").get().upper()

    @field
    def brand(self):
        return Brand(name="Peat & Moor")


@handle_urls("127.0.0.1/p/2")
class Plain(WebPage):
    @field
    def color(self):
        return "moss"

    @field
    def mainImage(self):
        return {"url": str(self.urljoin("/img/2-1.jpg"))}


@handle_urls("127.0.0.1/p/3")
class Broken(WebPage):
    @field
    def name(self):
        return self.css("h7::text").get().strip()


@handle_urls("127.0.0.1/p/4")
class Mistyped(WebPage):
    @field
    def price(self):
        return 14.5


@handle_urls("127.0.0.1/odd")
class Odd(WebPage):
    @field
    def name(self):
        return self.css(".odd::text").get()

    @field
    def images(self):
        return [{"url": str(self.urljoin("/img/5-0.jpg"))}]
"""
LIMITS = CrawlLimits(page_seconds=30, photo_seconds=30, retries=1, seconds=240)


@pytest.mark.slow
def test_fields_of_page_objects_go_first_and_failures_cost_nothing(shop, tmp_path):
    shop.routes["/p/1"] = Answer(product_html(1))
    shop.routes["/odd"] = Answer(b"<html><title>x</title><div class=odd>Peat Scarf</div><a href='/p/1'>more</a>")
    (tmp_path / "shop_pages.py").write_text(PAGES.replace("127.0.0.1", shop.url.removeprefix("http://")))
    file = tmp_path / "shop.yaml"
    file.write_text(
        f"name: testwick\nstart_urls: [{shop.url}/, {shop.url}/odd]\nallow_loopback: true\nrender: never\ndelay: 0\n"
        "concurrency: 8\npages: shop_pages.py\n"
    )
    catalog = Catalog(tmp_path / "c")
    now = datetime(2026, 6, 1, 3, tzinfo=UTC)
    result = run.crawl(catalog, sites.load(file), now=now, limits=LIMITS, log=tmp_path / "crawl.log")
    rows = {row["url"].removeprefix(shop.url): row for row in catalog.read("products").to_pylist()}
    assert len(rows) == 13
    one, two, three, four, odd = (rows[path] for path in ("/p/1", "/p/2", "/p/3", "/p/4", "/odd"))
    assert (one["name"], one["brand"], one["price"]) == ("LINEN SHIRT 1", "Peat & Moor", "11.50")
    told = json.loads(one["evidence"])
    assert (told["name"], told["brand"], told["price"]) == ("page object Shirt", "page object Shirt", "jsonld")
    assert (two["name"], two["colour"]) == ("Linen Shirt 2", "moss")
    assert [url[-7:] for url in two["photo_urls"]] == ["2-1.jpg", "2-0.jpg"]
    assert (three["name"], four["price"]) == ("Linen Shirt 3", "14.50")
    assert (odd["name"], [url[-7:] for url in odd["photo_urls"]]) == ("Peat Scarf", ["5-0.jpg"])
    failed = {row["id"][-4:]: json.loads(row["evidence"]).get("page_object", "") for row in result.ledger.to_pylist()}
    assert failed["/p/3"].startswith("Broken: AttributeError")
    assert "field price is 14.5, not text" in failed["/p/4"]
    assert not failed["/p/1"]
    assert "read without its page object" in (tmp_path / "crawl.log").read_text()


def test_a_site_file_names_its_page_objects_or_is_refused(tmp_path):
    file = tmp_path / "shop.yaml"
    file.write_text("name: x\nstart_urls: [https://shop.example/]\npages: away.py\n")
    with pytest.raises(SiteError, match=r"pages: there is no file .*away\.py"):
        sites.load(file)


def test_the_example_reads_what_it_says():
    (site,) = sites.load(Path(sites.__file__).parent / "sites" / "example.yaml")
    pages = Overrides(site)
    body = product_html(3, related="<nav class=trail><a href='/a'>Shirts</a><a href='/b'>Moss</a></nav>")
    for place, told in (("products", ("Moss", "Example")), ("p", ("blue", "Testwick"))):
        reading = readers.read(body, f"https://shop.example/{place}/3")
        found, failed = pages.read(reading, body)
        assert failed is None
        assert (found.product["color"], found.product["brand"]["name"]) == told
        assert found.product["price"] == "13.50"


@pytest.mark.parametrize(
    ("code", "told"), [("import nothing_of_that_name", "ModuleNotFoundError"), ("x = 1", "no page object")]
)
def test_a_module_that_is_none_is_told(tmp_path, code, told):
    (tmp_path / "a.py").write_text(code)
    with pytest.raises(SiteError, match=told):
        Overrides(sites.Site(name="x", start_urls=["https://shop.example/"], pages=str(tmp_path / "a.py")))
