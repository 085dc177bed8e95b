"""A host that turns every request away is left alone until the next night; one that answers now and then is not."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from conftest_shop import Answer, Server, jpeg, product_html

from catalog.store import Catalog
from crawlers import run
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
LIMITS = CrawlLimits(page_seconds=20, photo_seconds=20, longest_wait=1, retries=0, seconds=120, refusals=5)
PRODUCTS = 30
CONCURRENCY = 2
UNDER_WAY = 2 * CONCURRENCY
"""Requests that are on the wire, or answered and not yet counted, when the line is reached."""


def stock(server, photos):
    """A shop of PRODUCTS pages in its sitemap, with their photos at another address."""
    urls = "".join(f"<url><loc>{server.url}/p/{number}</loc></url>" for number in range(PRODUCTS))
    server.routes["/"] = Answer(b"<!doctype html><title>Testwick</title><h1>Testwick</h1>")
    server.routes["/sitemap.xml"] = Answer(f"<urlset>{urls}</urlset>".encode(), kind="application/xml")
    for number in range(PRODUCTS):
        page = product_html(number, photos=1).replace(b'"/img/', f'"{photos}/img/'.encode())
        server.routes[f"/p/{number}"] = Answer(page)


def night(server, tmp_path, now=NOW):
    site = Site(
        name="testwick", start_urls=[server.url + "/"], allow_loopback=True, delay=0, render="never",
        concurrency=CONCURRENCY, platform="generic", discover=["sitemap"],
    )  # fmt: skip
    try:
        result = run.crawl(Catalog(tmp_path / "c"), [site], now=now, limits=LIMITS, log=tmp_path / "log")
    except run.IncompleteCrawlError as error:
        result = error.result
    pages = [row for row in result.ledger.to_pylist() if "/p/" in row["id"] and row["subject"] == "page"]
    return result.report["testwick"], Counter(row["reason"] for row in pages)


@pytest.fixture
def cdn():
    made = Server()
    made.routes |= {f"/img/{number}-0.jpg": Answer(jpeg(number), kind="image/jpeg") for number in range(PRODUCTS)}
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize(("status", "reason"), [(403, "http_403"), (429, "http_429"), (500, "http_500")])
def test_a_shop_that_turns_the_crawl_away_is_left_alone_until_the_next_night(server, cdn, tmp_path, status, reason):
    stock(server, cdn.url)
    good = dict(server.routes)
    asked = []

    def until_the_tenth(page):
        def route(shop, handler):
            asked.append(handler.path)
            return page if len(asked) <= 10 else Answer(b"no", status, {"Retry-After": "3600"})

        return route

    server.routes |= {path: until_the_tenth(page) for path, page in good.items() if path.startswith("/p/")}
    report, reasons = night(server, tmp_path)
    assert report["products"] == 10
    assert LIMITS.refusals <= len(asked) - 10 <= LIMITS.refusals + UNDER_WAY
    assert reasons == {"product": 10, reason: len(asked) - 10, "turned_away": PRODUCTS - len(asked)}
    assert (tmp_path / "log").read_text().count(f"5 requests in a row came to nothing ({reason})") == 1
    assert report["photos"] == 10  # they lie at another host

    server.routes |= good
    report, reasons = night(server, tmp_path, NOW + timedelta(days=1))
    assert (report["products"], reasons["product"]) == (PRODUCTS, PRODUCTS)


@pytest.mark.slow
def test_a_photo_host_that_breaks_off_does_not_end_the_pages(server, cdn, tmp_path):
    stock(server, cdn.url)
    cdn.routes |= dict.fromkeys(cdn.routes, lambda *_: None)  # no answer, and the connection ends
    report, reasons = night(server, tmp_path)
    assert reasons == {"product": PRODUCTS}
    assert set(report["errors"]) == {"reset", "turned_away"}
    assert LIMITS.refusals <= report["errors"]["reset"] <= LIMITS.refusals + UNDER_WAY
    assert sum(report["errors"].values()) == PRODUCTS


@pytest.mark.slow
def test_refusals_between_answers_are_single_pages(server, cdn, tmp_path):
    stock(server, cdn.url)
    for number in range(PRODUCTS):
        if number % 3:  # two refusals, an answer ...; four in a row where the other request overtakes an answer
            server.routes[f"/p/{number}"] = Answer(b"no", 403)
    _, reasons = night(server, tmp_path)
    assert reasons == {"product": PRODUCTS // 3, "http_403": PRODUCTS - PRODUCTS // 3}
