"""One product shown in several languages under names that differ is one product, whatever tells it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from conftest_shop import Answer, jpeg

from catalog.store import Catalog
from crawlers import run
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
WORDS = {"en": ("blue-shirt", "Blue Shirt"), "de": ("blaues-hemd", "Blaues Hemd"), "fr": ("chemise-bleue", "Chemise")}


def page(tongue, photos, *, links="", name=None, **fields):
    data = {
        "@type": "Product",
        "name": name or WORDS[tongue][1],
        "image": photos,
        "offers": {"@type": "Offer", "price": "19.90", "priceCurrency": "EUR"},
        **fields,
    }
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    return Answer(f'<!doctype html><html lang="{tongue}"><head>{links}{script}</head><h1>{data["name"]}</h1>'.encode())


def crawl(server, tmp_path, now=NOW):
    server.routes["/sitemap.xml"] = Answer(status=404)
    pages = [path for path in server.routes if "/p/" in path]
    links = "".join(f'<li><a href="{path}"><img src="/t.jpg">{path}</a> 19.90 EUR</li>' for path in pages)
    server.routes["/en/"] = Answer(f'<html lang="en"><h1>Shop</h1><ul>{links}</ul>'.encode())
    for number in range(9):
        server.routes[f"/img/{number}.jpg"] = Answer(jpeg(number), kind="image/jpeg")
    where = Site(name="many", start_urls=[server.url + "/en/"], allow_loopback=True, delay=0, render="never")
    limits = CrawlLimits(page_seconds=20, retries=0, seconds=90)
    result = run.crawl(Catalog(tmp_path / "c"), [where], now=now, limits=limits, log=tmp_path / "log")
    told = {row["id"].removeprefix(server.url): row for row in result.ledger.to_pylist() if row["subject"] == "page"}
    by = {path: json.loads(row["evidence"])["by"] for path, row in told.items() if row["reason"] == "other_language"}
    return result.report["many"], by


def hreflang():
    return "".join(f'<link rel="alternate" hreflang="{t}" href="/{t}/p/{slug}">' for t, (slug, _) in WORDS.items())


@pytest.mark.slow
@pytest.mark.parametrize("evidence", ["hreflang", "gtin", "sku", "photos", None])
def test_translated_names_are_one_product(server, tmp_path, evidence):
    for number, (tongue, (slug, _)) in enumerate(WORDS.items()):
        own = [f"/img/{2 * number}.jpg", f"/img/{2 * number + 1}.jpg"]
        fields = {
            "hreflang": {"photos": own, "links": hreflang()},
            "gtin": {"photos": own, "gtin13": "4006381333931"},
            "sku": {"photos": own, "sku": "BS-7"},
            "photos": {"photos": ["/img/0.jpg", "/img/1.jpg"]},
            None: {"photos": own, "sku": f"BS-{number}"},
        }[evidence]
        server.routes[f"/{tongue}/p/{slug}"] = page(tongue, **fields)
    report, by = crawl(server, tmp_path)
    found = Catalog(tmp_path / "c").read("products").to_pylist()
    if evidence is None:
        assert (report["products"], len(found), by) == (3, 3, {})
        return
    assert (report["products"], [row["language"] for row in found]) == (1, ["en"])
    assert by == {"/de/p/blaues-hemd": evidence, "/fr/p/chemise-bleue": evidence}
    assert report["photos"] == 2
    del server.routes["/en/p/blue-shirt"]  # the other night only the others are there
    report, by = crawl(server, tmp_path, NOW + timedelta(days=1))
    assert (report["products"], len(by)) == (1, 1)
    assert {row["product_id"] for row in Catalog(tmp_path / "c").read("products").to_pylist()} == {
        found[0]["product_id"]
    }


@pytest.mark.slow
def test_what_several_products_of_a_language_share_tells_nothing(server, tmp_path):
    for number, colour in enumerate(("blue", "red")):
        photos = ["/img/0.jpg", "/img/1.jpg"]  # the pictures of the size chart
        server.routes[f"/en/p/{colour}"] = page("en", photos, name=f"{colour} shirt", sku="STYLE-1")
        server.routes[f"/de/p/{number}"] = page("de", photos, name=f"Hemd {number}", sku="STYLE-1")
    report, by = crawl(server, tmp_path)
    assert (report["products"], by) == (4, {})
