"""The second night: unchanged pages and photos cost almost nothing, are seen all the same, and what changed is told."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from conftest_shop import Answer, jpeg, product_html

from catalog import views
from catalog.store import Catalog
from crawlers import rendering, run
from crawlers.limits import CrawlLimits
from crawlers.sites import Site
from demo import shop as demo_shop

FIRST = datetime(2026, 6, 1, 3, tzinfo=UTC)
KEYS = {"products": "product_id", "photos": "photo_id"}
LIMITS = CrawlLimits(page_seconds=30, photo_seconds=30, longest_wait=3, retries=1, seconds=240)


def site(url, **keys):
    given = {"name": "testwick", "start_urls": [url + "/"], "allow_loopback": True, "delay": 0, "concurrency": 8}
    return Site(**{**given, "render": "never", **keys})


def crawl(root, where, now, **limits):
    given = CrawlLimits(**{**vars(LIMITS), **limits})
    return run.crawl(Catalog(root), [where], now=now, limits=given, log=root.parent / "crawl.log")


def seen(root, now):
    rows = Catalog(root).read("sightings").to_pylist()
    return {(row["url"], row["page_url"]): row["photo_id"] for row in rows if row["seen_at"] == now}


def told(result, subject="product"):
    found = [row for row in result.ledger.to_pylist() if row["subject"] == subject]
    return {row["id"]: (row["reason"], json.loads(row["evidence"] or "{}")) for row in found}


@pytest.mark.slow
def test_a_second_night_over_the_demo_shop_costs_a_tenth(tmp_path):
    built = demo_shop.build(tmp_path / "shop", 1, 7, None, 16, 4)
    with demo_shop.serve(built) as url:
        where = site(url, render="auto")
        nights = [FIRST + timedelta(days=day) for day in (0, 1, 20)]
        results = [crawl(tmp_path / "c", where, night).report["testwick"] for night in nights]
    first, second, later = results
    assert second["bytes"] <= 0.1 * first["bytes"], results
    if rendering.browser() is None:
        assert later["bytes"] <= 0.1 * first["bytes"], results
    for night, report in zip(nights, results, strict=True):
        assert seen(tmp_path / "c", night) == seen(tmp_path / "c", FIRST)
        assert report["products"] == first["products"]
        assert set(report["errors"]) <= {"robots", "no_product"}, results  # the sitemap lists categories among products
    assert len(seen(tmp_path / "c", FIRST)) >= 32
    assert Catalog(tmp_path / "c").read("products").num_rows == first["products"]
    products = views.products(Catalog(tmp_path / "c")).to_pylist()
    assert {(row["first_seen"], row["last_seen"]) for row in products} == {(nights[0], nights[-1])}
    assert Catalog(tmp_path / "c").read("photos").num_rows == first["photos_new"]
    assert second["pages_unchanged"] >= first["products"] - 3  # scripted ones may be asked for by the browser


@pytest.mark.slow
@pytest.mark.parametrize("dated", [False, True])
def test_the_bytes_told_are_those_that_the_server_sent_and_a_second_night_costs_a_tenth(shop, tmp_path, dated):
    """Dated: the sitemap spares asking at all, and what nobody was asked for costs nothing, not even a head."""
    shop.tags = True
    if dated:
        entries = "".join(f"<url><loc>{shop.url}/p/{n}</loc><lastmod>2026-05-20</lastmod></url>" for n in range(12))
        shop.routes["/sitemap.xml"] = Answer(f"<urlset>{entries}</urlset>".encode(), kind="text/xml")
    for n in range(12):  # of a size that photos have
        shop.routes[f"/img/{n}-0.jpg"] = Answer(jpeg(300 + n, (900, 1200)), kind="image/jpeg")
    shop.routes["/p/5"] = Answer(b"out of order", 500)
    shop.routes["/p/6"] = Answer(product_html(6), cut=300)  # bytes of an answer that is no good came all the same
    sent, told = [], []
    for day in range(2):
        wrote, asked = shop.wrote, len(shop.seen)
        report = crawl(tmp_path / "c", site(shop.url, discover=["sitemap"]), FIRST + timedelta(days=day)).report[
            "testwick"
        ]
        status_lines = 24 * (len(shop.seen) - asked)  # the one part of an answer that is not counted
        assert shop.wrote - wrote - status_lines <= report["bytes"] <= shop.wrote - wrote
        assert report["requests"] == len(shop.seen) - asked
        sent.append(shop.wrote - wrote)
        told.append(report["bytes"])
    assert sent[1] <= 0.1 * sent[0], (sent, told)


@pytest.mark.slow
def test_what_changed_is_told_and_what_is_gone_is_delisted(shop, tmp_path):
    shop.tags = True
    root, where = tmp_path / "c", site(shop.url)
    first = crawl(root, where, FIRST)
    id_of = {row["name"]: row["product_id"] for row in Catalog(root).read("products").to_pylist()}
    one, two, three = (id_of[f"Linen Shirt {number}"] for number in (1, 2, 3))
    assert {reason for reason, _ in told(first).values()} == {"new"}
    assert len(told(first)) == 12

    kept = dict(shop.routes)
    shop.routes["/p/1"] = Answer(product_html(1).replace(b"11.50", b"9.00"))
    shop.routes["/img/1-0.jpg"] = Answer(jpeg(900), kind="image/jpeg")
    del shop.routes["/p/2"]
    listing = shop.routes["/c/shirts?page=2"].body
    shop.routes["/c/shirts?page=2"] = Answer(listing.replace(b"/p/3", b"/p/4"))  # nothing leads to 3 any more
    shop.seen.clear()
    second = crawl(root, where, FIRST + timedelta(days=1))
    verdicts = told(second)
    assert verdicts[one][0] == "changed"
    assert verdicts[one][1]["changed"] == {"price": ["11.50", "9.00"]}
    assert (verdicts[two][0], verdicts[two][1]["why"]) == ("delisted", "http_404")
    assert {reason for product, (reason, _) in verdicts.items() if product not in {one, two}} == {"same"}
    assert shop.hits["304 /p/3"] == 1
    asked = [path for path, headers in shop.seen if path.startswith("/p/") and "If-None-Match" not in headers]
    assert asked == []
    report = second.report["testwick"]
    assert (report["products_changed"], report["products_delisted"], report["photos_new"]) == (1, 1, 1)
    prices = [row["price"] for row in Catalog(root).read("products").to_pylist() if row["product_id"] == one]
    assert sorted(prices) == ["11.50", "9.00"]
    assert told(second, "photo")[f"{shop.url}/img/1-0.jpg"][0] == "new"
    assert not any(page.endswith("/p/2") for _, page in seen(root, FIRST + timedelta(days=1)))

    shop.routes.update(kept)
    third = told(crawl(root, where, FIRST + timedelta(days=2)))
    assert third[two][0] == "relisted"
    assert third[one][1]["changed"] == {"price": ["9.00", "11.50"]}
    shop.seen.clear()
    shop.routes["/p/3"] = Answer(b"out of order", 500)
    fourth = told(crawl(root, where, FIRST + timedelta(days=3)))
    assert (fourth[three][0], fourth[three][1]["why"]) == ("unreachable", "http_500")


@pytest.mark.slow
def test_what_a_sitemap_spares_is_asked_for_in_time(shop, tmp_path):
    shop.tags = True
    entries = "".join(f"<url><loc>{shop.url}/p/{n}</loc><lastmod>2026-05-{n + 1:02}</lastmod></url>" for n in range(12))
    spaces = "http://www.sitemaps.org/schemas/sitemap/0.9"
    shop.routes["/sitemap.xml"] = Answer(f'<urlset xmlns="{spaces}">{entries}</urlset>'.encode(), kind="text/xml")
    root, where = tmp_path / "c", site(shop.url, discover=["sitemap"])

    def night(day):
        shop.seen.clear()
        report = crawl(root, where, FIRST + timedelta(days=day)).report["testwick"]
        assert (report["products"], report["photos"]) == (12, 24)
        return [(path, "If-None-Match" in headers) for path, headers in shop.seen if path.startswith(("/p/", "/img/"))]

    assert len(night(0)) == 36
    assert night(1) == []
    shop.routes["/sitemap.xml"].body = shop.routes["/sitemap.xml"].body.replace(b"2026-05-05", b"2026-06-02")
    assert night(2) == [("/p/4", True)]
    asked = night(8)
    assert {conditional for _, conditional in asked} == {True}
    assert sum(path.startswith("/p/") for path, _ in asked) == 11  # one was asked for six days ago
    assert {asked for path, asked in night(31) if path.startswith("/p/")} == {False}


@pytest.mark.slow
def test_rows_that_the_catalog_lost_come_back_the_next_night(shop, tmp_path):
    shop.tags = True
    root = tmp_path / "c"
    crawl(root, site(shop.url), FIRST)
    wanted = {name: {row[key] for row in Catalog(root).read(name).to_pylist()} for name, key in KEYS.items()}
    for name in KEYS:
        files = [path for path in root.rglob("*.parquet") if name in path.relative_to(root).as_posix()]
        assert files
        for path in files:
            path.unlink()
    assert {name: Catalog(root).read(name).num_rows for name in KEYS} == dict.fromkeys(KEYS, 0)
    crawl(root, site(shop.url), FIRST + timedelta(days=1))
    assert {name: {row[key] for row in Catalog(root).read(name).to_pylist()} for name, key in KEYS.items()} == wanted
