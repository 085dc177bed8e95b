"""Crawls of a real server on loopback: what is kept, what a second crawl adds, what goes wrong and how it is told."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog import ids, views
from catalog.store import Catalog
from crawlers import run
from crawlers.errors import CrawlError
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

JUNE = datetime(2026, 6, 1, 3, tzinfo=UTC)
JULY = datetime(2026, 7, 1, 3, tzinfo=UTC)
pytestmark = pytest.mark.slow
LIMITS = CrawlLimits(page_seconds=30, photo_seconds=30, longest_wait=3, retries=1, seconds=240)


def site(server, **keys) -> Site:
    given = {
        "name": "testwick",
        "start_urls": [server.url + "/"],
        "allow_loopback": True,
        "delay": 0,
        "concurrency": 8,
        "render": "never",
        "licence": "CC0-1.0",
        **keys,
    }
    return Site(**given)


def crawl(root: Path, where: Site, now: datetime = JUNE) -> run.CrawlResult:
    return run.crawl(Catalog(root), [where], now=now, limits=LIMITS, log=root.parent / "crawl.log")


def test_shop(shop, tmp_path):
    result = crawl(tmp_path / "c", site(shop))
    report = result.report["testwick"]
    assert (report["products"], report["photos"], report["photos_new"], report["looks"]) == (12, 25, 25, 1)
    assert report["errors"] == {"robots": 1}
    catalog = Catalog(tmp_path / "c")
    products = {row["name"]: row for row in catalog.read("products").to_pylist()}
    assert len(products) == 12
    one = products["Linen Shirt 4"]
    assert (one["price"], one["currency"], one["brand"], one["colour"], one["availability"]) == (
        "14.50",
        "EUR",
        "Testwick",
        "blue",
        "InStock",
    )
    assert one["canonical_url"] == f"{shop.url}/p/4"
    assert one["product_id"] == ids.product_id("testwick", f"{shop.url}/p/4")
    assert one["first_seen"] == one["last_seen"] == JUNE
    assert json.loads(one["evidence"])["price"] == "jsonld"
    photos = catalog.read("photos").to_pylist()
    assert len({row["photo_id"] for row in photos}) == 25
    for row in photos:
        assert ids.sha256(catalog.get_image(row["photo_id"])) == row["photo_id"]
        assert (row["mime"], row["licence"], row["first_seen"]) == ("image/jpeg", "CC0-1.0", JUNE)
        assert json.loads(row["robots"])["robots_txt"] == "allowed"
    look = next(row for row in photos if row["origin"] == "street")
    assert look["product_id"] is None
    assert look["setting"] == "street"
    assert look["shows"] == [products[f"Linen Shirt {n}"]["product_id"] for n in (1, 7, 9)]
    sightings = catalog.read("sightings").to_pylist()
    assert Counter(row["status"] for row in sightings) == {"new": 25}
    assert all(row["seen_at"] == JUNE for row in sightings)
    ledger = result.ledger.to_pylist()
    assert Counter((row["subject"], row["outcome"]) for row in ledger if row["subject"] == "photo") == {
        ("photo", "kept"): 25
    }
    assert any(row["reason"] == "robots" and row["id"].endswith("/private/x") for row in ledger)
    assert shop.hits["/private/x"] == 0
    assert max(Counter(path for path, _ in shop.seen if path.startswith(("/p/", "/img/"))).values()) == 1


def test_again_at_the_same_time_changes_nothing_and_later_adds_sightings(shop, tmp_path):
    root = tmp_path / "c"
    crawl(root, site(shop))

    def parts():
        return {path: path.read_bytes() for path in root.rglob("*.parquet") if path.parent.name != "ledger"}

    before = parts()
    crawl(root, site(shop))
    assert parts() == before
    assert shop.hits["304"] == 25
    crawl(root, site(shop), JULY)
    catalog = Catalog(root)
    assert catalog.read("photos").num_rows == 25
    assert Counter((row["seen_at"], row["status"]) for row in catalog.read("sightings").to_pylist()) == {
        (JUNE, "new"): 25,
        (JULY, "same"): 25,
    }
    assert catalog.read("products").num_rows == 12  # nothing changed, so there is nothing to say again
    assert {(row["first_seen"], row["last_seen"]) for row in views.products(catalog).to_pylist()} == {(JUNE, JULY)}


def test_sites_that_give_nothing_are_named_and_the_others_kept(shop, tmp_path):
    down = site(shop, name="down", start_urls=["http://127.0.0.1:9/"])
    empty = site(
        shop, name="empty", start_urls=[shop.url + "/looks/1"], discover=["category"], deny=["/p/", "/c/", r"/\w*$"]
    )
    with pytest.raises(CrawlError) as error:
        run.crawl(
            Catalog(tmp_path / "c"), [down, site(shop), empty], now=JUNE, limits=LIMITS, log=tmp_path / "crawl.log"
        )
    told = str(error.value)
    assert "'down'" in told
    assert "127.0.0.1:9" in told
    assert "refused" in told
    assert "'empty'" in told
    assert "'testwick'" not in told
    assert error.value.result.report["testwick"]["products"] == 12
    assert Catalog(tmp_path / "c").read("products").num_rows == 12


def test_a_catalog_that_cannot_be_written_loses_nothing(shop, tmp_path):
    root = tmp_path / "c"
    root.mkdir()
    (root / "images").write_text("in the way")
    with pytest.raises(CrawlError, match=r"'testwick'.*could not be written"):
        crawl(root, site(shop))
    (root / "images").unlink()
    report = crawl(root, site(shop)).report["testwick"]
    assert (report["products"], report["photos_new"]) == (12, 25)
    assert Catalog(root).read("photos").num_rows == 25


def test_refused_before_anything_is_asked(tmp_path):
    somewhere = Site(name="x", start_urls=["https://shop.example/"], enabled=False)
    with pytest.raises(CrawlError, match="none enabled"):
        run.crawl(Catalog(tmp_path), [somewhere], now=JUNE)
    with pytest.raises(CrawlError, match="time without zone"):
        run.crawl(Catalog(tmp_path), [somewhere], now=datetime(2026, 6, 1))  # noqa: DTZ001 - that is the point
