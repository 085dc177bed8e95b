"""What of a site is followed: scope, budgets of links, guards of pagination."""

from dataclasses import replace

import pytest

from crawlers import readers
from crawlers.discovery import FOREIGN, Scope
from crawlers.limits import CrawlLimits
from crawlers.readers.reading import Reading
from crawlers.readers.urls import neutral
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


@pytest.mark.parametrize(
    ("url", "shared"),
    [
        ("https://shop.example/en-gb/p/shirt_3/", "https://shop.example/p/shirt_3/"),
        ("https://shop.example/de/p/shirt_3/", "https://shop.example/p/shirt_3/"),
        ("https://shop.example/ch/fr/p/shirt_3/", "https://shop.example/p/shirt_3/"),
        ("https://shop.example/p/shirt?size=m&lang=fr", "https://shop.example/p/shirt?size=m"),
        ("https://shop.example/de/", "https://shop.example/de/"),  # a home page is nothing without its language
        ("https://shop.example/men/shirt", "https://shop.example/men/shirt"),
        ("https://shop.example/dp/B01", "https://shop.example/dp/B01"),  # two letters, no language
    ],
)
def test_what_the_languages_of_a_page_share(url, shared):
    assert neutral(url) == shared


def test_products_in_other_languages_wait():
    scope = Scope(Site(name="x", start_urls=["https://shop.example/"]), CrawlLimits())
    (task,) = scope.page("https://shop.example/de/p/1", "product", 1)
    assert task.priority is None, "nothing is known of the shop's own language yet"
    scope.starts("https://shop.example/en/")
    found = [next(scope.page(f"https://shop.example/{place}p/1", "product", 1)) for place in ("en/", "de/", "")]
    assert [task.priority for task in found] == [None, FOREIGN, FOREIGN]


def _shown(body: str):
    return readers.read(
        f'<html lang="en"><title>Men | Shop</title><body>{body}</body>', "https://shop.example/men?page=3"
    )


def test_the_last_page_of_a_list_sells_nothing_itself():
    tile = "<a href='/p/1'><img src='/1.jpg'></a><h3><a href='/p/1'>Peat Coat</a></h3><p class=price>£80.00</p>"
    page = _shown(f"<h1>Men</h1><ol><li>{tile}<button>Add to basket</button></li></ol>")
    assert (page.page_type, page.product_links) == ("other", ("https://shop.example/p/1",))


def test_small_pictures_that_turn_a_gallery_are_no_photos():
    large = "".join(f"<div class=item><img src='/cache/{name}.jpg'></div>" for name in ("a1", "b2"))
    small = "".join(f"<li data-slide-to={n}><img src='/cache/{name}.jpg'></li>" for n, name in enumerate(("c3", "d4")))
    sold = "<h1>Peat Coat</h1><p class=price>£80.00</p><button>Add to basket</button>"
    page = _shown(f"<div><div>{large}</div><ol>{small}</ol></div><div>{sold}</div>")
    assert [url[-6:] for url in page.images] == ["a1.jpg", "b2.jpg"]
    only = _shown(f"<div><div></div><ol>{small}</ol></div><div>{sold}</div>")
    assert len(only.images) == 2, "without large ones they are all there is"
