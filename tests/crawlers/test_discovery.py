"""What of a site is followed: scope, budgets of links, guards of pagination."""

from dataclasses import replace

from crawlers.discovery import Scope
from crawlers.limits import CrawlLimits
from crawlers.readers.reading import Reading
from crawlers.sites import Site

HOME = "https://shop.example/en/"


def scope(**keys):
    return Scope(Site(name="shop", start_urls=[HOME], **keys), CrawlLimits(listing_pages=3, links_per_page=4))


def listing(number, links, nxt):
    url = f"https://shop.example/c?page={number}"
    return Reading(None, reason="listing", page_type="listing", url=url, product_links=tuple(links), next_url=nxt)


def test_scope():
    site = scope(allow=["/en/"], deny=["/en/gift"])
    assert site.holds(HOME)
    assert site.holds("https://www.shop.example/en/p/1")
    assert not site.holds("https://shop.example/de/p/1")
    assert not site.holds("https://shop.example/en/gift-cards")
    assert not site.holds("https://other.example/en/p/1")
    assert not site.holds("https://shop.example.evil.example/en/p/1")


def test_seeds_and_feeds():
    seeds = [(task.url, task.role, task.optional) for task in scope(sitemaps=["https://shop.example/s.xml"]).seeds()]
    assert seeds == [("https://shop.example/s.xml", "sitemap", False), ("https://shop.example/sitemap.xml", "sitemap", True),
                     (HOME, "start", False)]  # fmt: skip
    assert scope().feeds() == ["https://shop.example/products.json?limit=250&page=1"]
    assert scope(platform="generic").feeds() == []
    assert "wc/store" in scope(platform="woocommerce").feeds()[0]


def test_links_of_a_listing():
    site = scope(looks=["/looks/"])
    urls = [f"https://shop.example/p/{number}?utm_source=x" for number in range(9)] + ["https://other.example/p/1"]
    reading = replace(listing(1, urls, "https://shop.example/c?page=2"), page_links=("https://shop.example/looks/1",))
    found = [(task.url, task.role, task.depth) for task in site.links(reading, reading.url, "listing", 1)]
    assert found[:4] == [(f"https://shop.example/p/{number}", "product", 2) for number in range(4)]
    assert found[4:] == [("https://shop.example/c?page=2", "listing", 1), ("https://shop.example/looks/1", "look", 2)]


def test_a_product_page_leads_to_products_only():
    reading = Reading(
        {"name": "x"},
        url="https://shop.example/p/1",
        product_links=("https://shop.example/p/2",),
        page_links=("https://shop.example/c",),
    )
    assert [task.url for task in scope().links(reading, reading.url, "product", 1)] == ["https://shop.example/p/2"]


def test_pagination_ends():
    site = scope()
    assert site.may_turn(listing(1, ["a", "b"], "https://shop.example/c?page=2"), "https://shop.example/c?page=1")
    assert not site.may_turn(listing(2, ["a"], "https://shop.example/c?page=3"), "https://shop.example/c?page=2")
    assert site.may_turn(listing(3, ["c"], "https://shop.example/c?page=4"), "https://shop.example/c?page=3")
    assert not site.may_turn(listing(4, ["d"], "https://shop.example/c?page=5"), "https://shop.example/c?page=4")
    grown = "https://shop.example/c?" + "&".join(f"x={number}" for number in range(60))
    assert not scope().may_turn(listing(1, ["a"], grown), "https://shop.example/c?x=1")
