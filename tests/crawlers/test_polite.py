"""Politeness, measured at the server: gaps between requests, how many at once, waits, the switch, the budgets."""

import itertools
import json
import re
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import yaml
from conftest_shop import Answer, listing_html, product_html

from catalog.store import Catalog
from crawlers import job, run, sites
from crawlers.errors import CrawlError
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
PHOTO = b"\xff\xd8\xff\xe0 a photo by its first bytes"
pytestmark = pytest.mark.slow


class Watch:
    """Notes when each request came and how many were open at once."""

    def __init__(self, server):
        self.came, self.most, self._open, self._lock = [], 0, 0, threading.Lock()
        answer = server.answer

        def watched(handler):
            with self._lock:
                self.came.append((time.monotonic(), handler.path))
                self._open += 1
                self.most = max(self.most, self._open)
            try:
                answer(handler)
            finally:
                with self._lock:
                    self._open -= 1

        server.answer = watched

    def gaps(self, mark=""):
        times = [at for at, path in self.came if mark in path]
        return [later - earlier for earlier, later in itertools.pairwise(times)]


def site(server, **keys):
    given = {"name": "testwick", "start_urls": [server.url + "/"], "allow_loopback": True, "delay": 0, "concurrency": 8}
    return Site(**{**given, "render": "never", "platform": "generic", **keys})


def crawl(tmp_path, where, now=NOW, **limits):
    given = CrawlLimits(**{"page_seconds": 30, "photo_seconds": 30, "retries": 2, "seconds": 120, **limits})
    return run.crawl(Catalog(tmp_path / "c"), [where], now=now, limits=given, log=tmp_path / "log")


def told(result, id):
    return next(json.loads(row["evidence"] or "{}") for row in result.ledger.to_pylist() if row["id"] == id)


def few(server, count, **answer):
    """Make the server a shop of ``count`` products with one photo each, all on the home page."""
    server.routes["/"] = Answer(listing_html(range(count)))
    for number in range(count):
        server.routes[f"/p/{number}"] = Answer(product_html(number, photos=1), **answer)
        server.routes[f"/img/{number}-0.jpg"] = Answer(PHOTO + bytes([number]), kind="image/jpeg")


def unphotographed(tmp_path, where, **keys):
    """Crawl a shop whose photos fail: that is told as an error, whose result is as good."""
    try:
        return crawl(tmp_path, where, **keys)
    except run.IncompleteCrawlError as error:
        return error.result


@pytest.mark.parametrize("delay", [0.0, 0.2])
def test_crawl_delay_is_kept_whatever_the_throttle_thinks(server, tmp_path, delay):
    few(server, 6)
    server.routes["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 0.8\nDisallow: /img/\n", kind="text/plain")
    watch = Watch(server)
    result = unphotographed(tmp_path, site(server, delay=delay, discover=["category"]))
    assert len(watch.came) == 8
    assert min(watch.gaps()) >= 0.8, watch.gaps()
    assert watch.most == 1
    robots = told(result, server.url + "/robots.txt")
    assert (robots["crawl_delay"], robots["delay"]) == (0.8, 0.8)
    assert result.report["testwick"]["crawl_delay_s"] == 0.8
    assert result.report["testwick"]["robots_refused"] == 6


def test_delay_and_concurrency_of_the_site_file_are_kept(server, tmp_path):
    few(server, 12)
    slow = server.routes["/p/0"]
    for number in range(12):
        server.routes[f"/p/{number}"] = lambda server, handler: time.sleep(0.4) or slow
    watch = Watch(server)
    crawl(tmp_path, site(server, concurrency=3, discover=["category"]))
    assert watch.most == 3  # reached, never passed
    watch = Watch(server)
    crawl(tmp_path, site(server, delay=0.5, discover=["category"], max_pages=6), now=NOW + timedelta(days=1))
    assert len(watch.came) >= 7
    assert min(watch.gaps()) >= 0.5, watch.gaps()


@pytest.mark.parametrize(
    ("status", "header"), [(429, "seconds"), (503, "seconds"), (429, "date"), (503, "date"), (429, "none")]
)
def test_a_busy_server_is_left_alone_as_long_as_it_asks(server, tmp_path, status, header):
    few(server, 4)
    first = []

    def busy(server, handler):
        if first:
            return Answer(product_html(1, photos=0))
        first.append(time.monotonic())
        at = datetime.now(UTC) + timedelta(seconds=4)
        headers = {
            "seconds": {"Retry-After": "3"},
            "date": {"Retry-After": format_datetime(at, usegmt=True)},
            "none": {},
        }
        return Answer(b"later", status, headers[header])

    server.routes["/p/1"] = busy
    watch = Watch(server)
    result = crawl(tmp_path, site(server, concurrency=1, discover=["category"]))
    after = [at - first[0] for at, _ in watch.came if at > first[0]]
    assert min(after) >= {"seconds": 3, "date": 3, "none": 2}[header], after
    assert server.hits["/p/1"] == 2
    report = result.report["testwick"]
    assert (report["products"], report["errors"].get(f"http_{status}")) == (4, None)
    assert report["waits"] == pytest.approx({"seconds": 3, "date": 3.5, "none": 2}[header], abs=0.6)
    assert told(result, server.url + "/p/1")["waited"][0][0] == status


def test_fast_errors_make_no_crawl_faster_and_a_busy_answer_makes_it_slower(server, tmp_path):
    few(server, 16)
    slow = server.routes["/p/0"]

    def first(server, handler):
        time.sleep(1.2)  # raises the delay
        return slow

    server.routes["/p/0"] = first
    for number in range(1, 16):
        server.routes[f"/p/{number}"] = Answer(b"no", 404 if number % 2 else 500)
    watch = Watch(server)
    unphotographed(tmp_path, site(server, delay=0.1, concurrency=1, discover=["category"]), retries=0)
    gaps = watch.gaps("/p/")[1:]  # the first is taken while the slow answer is on its way
    assert len(gaps) >= 13
    assert min(gaps) >= 1.1, gaps


def test_what_forbids_learning_is_obeyed_and_told(server, tmp_path):
    few(server, 5)
    server.routes["/p/1"] = Answer(product_html(1, photos=1), headers={"X-Robots-Tag": "noai"})
    server.routes["/p/2"] = Answer(product_html(2, photos=1, extra='<meta name="robots" content="index, NoImageAI">'))
    server.routes["/p/3"] = Answer(product_html(3, photos=1), headers={"X-Robots-Tag": "otherbot: noai"})
    server.routes["/img/4-0.jpg"].headers["X-Robots-Tag"] = "noimageai"
    result = crawl(tmp_path, site(server, discover=["category"]))
    photos = {row["id"].rpartition("/")[2]: row for row in result.ledger.to_pylist() if row["subject"] == "photo"}
    verdicts = {name: (row["outcome"], row["reason"]) for name, row in photos.items()}
    assert verdicts == {
        "0-0.jpg": ("kept", "new"),
        "1-0.jpg": ("dropped", "noai"),
        "2-0.jpg": ("dropped", "noimageai"),
        "3-0.jpg": ("kept", "new"),
        "4-0.jpg": ("dropped", "noimageai"),
    }
    assert server.hits["/img/1-0.jpg"] == server.hits["/img/2-0.jpg"] == 0
    kept = Catalog(tmp_path / "c").read("photos").to_pylist()
    assert len(kept) == 2
    robots = json.loads(kept[0]["robots"])
    assert robots["robots_txt"] == "allowed"
    assert robots["agent"] == job.USER_AGENT


def test_who_asks_is_told_with_a_contact(server, tmp_path):
    few(server, 1)
    agent = "LookBenchBot/0.1 (+https://lookbench.example/; crawler@lookbench.example)"
    crawl(tmp_path, site(server, user_agent=agent))
    assert {headers["User-Agent"] for _, headers in server.seen} == {agent}
    public = Site(name="public", start_urls=["https://shop.example/"])
    with pytest.raises(CrawlError, match=r"'public'.*names no contact.*user_agent"):
        crawl(tmp_path, public)


def test_a_site_that_is_switched_off_is_left_alone_within_seconds(server, tmp_path):
    few(server, 60)
    server.routes["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 0.5\n", kind="text/plain")
    file = tmp_path / "testwick.yaml"
    written = site(server, discover=["category"]).model_dump(mode="json")
    file.write_text(yaml.safe_dump(written))
    watch = Watch(server)
    switched = []

    def switch(server, handler):
        file.write_text(yaml.safe_dump({**written, "enabled": False}))
        switched.append(time.monotonic())
        return Answer(product_html(5))

    server.routes["/p/5"] = switch
    [where] = sites.load(file)
    result = crawl(tmp_path, where)
    assert time.monotonic() - switched[0] < 12
    assert max(at for at, _ in watch.came) - switched[0] < 4
    assert result.report["testwick"]["ended"] == "switched_off"
    with pytest.raises(CrawlError, match="none enabled"):
        crawl(tmp_path, sites.load(file)[0])
    file.write_text(yaml.safe_dump(written))
    server.routes["/robots.txt"] = Answer(b"", 404)
    server.routes["/p/5"] = Answer(product_html(5))
    report = crawl(tmp_path, where).report["testwick"]
    assert (report["products"], report["ended"]) == (60, "finished")
    assert max(server.hits[f"/p/{number}"] for number in range(60)) == 1  # it went on where it was


def test_a_night_of_few_pages_leaves_the_others_for_the_next(server, tmp_path):
    few(server, 25)
    where = site(server, discover=["category"], max_pages=11)  # the home page and ten products
    nights = [crawl(tmp_path, where, now=NOW + timedelta(days=day)).report["testwick"] for day in range(3)]
    assert [night["pages"] for night in nights] == [11, 11, 11]
    assert nights[0]["ended"] == nights[1]["ended"] == "page_limit"
    assert nights[0]["pages_over_limit"] == 15
    assert Catalog(tmp_path / "c").read("products", ["product_id"]).num_rows == 25
    assert [server.hits[f"/p/{number}"] for number in (0, 9, 10, 19, 20, 24)] == [2, 1, 1, 1, 1, 1]
    report = crawl(tmp_path, site(server, discover=["category"]), now=NOW + timedelta(days=2)).report["testwick"]
    assert (report["products"], report["pages"], report["ended"]) == (25, 26, "finished")  # more allowed: the rest


def test_a_night_of_few_bytes_leaves_the_rest_for_the_next(server, tmp_path):
    few(server, 12)
    for number in range(12):
        server.routes[f"/img/{number}-0.jpg"] = Answer(PHOTO + bytes([number]) * 60_000, kind="image/jpeg")
    where = site(server, discover=["category"], concurrency=1)
    nights = []
    for day in range(6):
        report = crawl(tmp_path, where, now=NOW + timedelta(days=day), total_bytes=200_000).report["testwick"]
        nights.append(report)
        assert report["bytes"] < 200_000 + 2 * 61_000
    assert nights[0]["ended"] == "byte_limit"
    assert Catalog(tmp_path / "c").read("photos").num_rows == 12
    again = crawl(tmp_path, where, now=NOW + timedelta(days=9), total_bytes=200_000).report["testwick"]
    before = len(server.seen)
    over = crawl(tmp_path, where, now=NOW + timedelta(days=9), total_bytes=100).report["testwick"]
    assert again["ended"] == "finished"
    assert over["ended"] == "byte_limit"
    assert len(server.seen) - before <= 4


def test_a_crawl_whose_time_is_over_stops_and_goes_on(server, tmp_path):
    few(server, 12)
    server.routes["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 1\n", kind="text/plain")
    watch = Watch(server)
    report = crawl(tmp_path, site(server, discover=["category"]), seconds=4).report["testwick"]
    assert report["ended"] == "time_limit"
    assert watch.came[-1][0] - watch.came[0][0] < 8
    server.routes["/robots.txt"] = Answer(b"", 404)
    report = crawl(tmp_path, site(server, discover=["category"])).report["testwick"]
    assert (report["products"], report["ended"]) == (12, "finished")
    assert re.search(r"testwick: \d+ pages, \d+ products", (tmp_path / "log").read_text())


def test_of_a_huge_robots_txt_500_kib_hold(server, tmp_path):
    few(server, 4)
    before, line = b"User-agent: *\nDisallow: /p/1\n", b"# padding\n"
    within = before + line * ((512_000 - len(before) - 100) // len(line)) + b"Disallow: /p/2\n"
    server.routes["/robots.txt"] = Answer(within + line * 950_000 + b"Disallow: /p/3\n", kind="text/plain")
    result = crawl(tmp_path, site(server, discover=["category"]))
    assert {path: server.hits[path] for path in ("/p/0", "/p/1", "/p/2", "/p/3")} == {
        "/p/0": 1,
        "/p/1": 0,
        "/p/2": 0,
        "/p/3": 1,
    }
    assert told(result, server.url + "/robots.txt")["read_bytes"] == 512_000
    assert result.report["testwick"]["bytes"] < 2_000_000


def test_a_host_whose_robots_txt_does_not_come_is_left_alone(server, tmp_path):
    few(server, 4)
    server.routes["/robots.txt"] = Answer(b"User-agent: *\nAllow: /\n" * 99, kind="text/plain", drip=0.5)
    with pytest.raises(run.IncompleteCrawlError, match=r"no page could be read .*timeout"):
        crawl(tmp_path, site(server, discover=["category"]), page_seconds=2, retries=0)
    assert set(server.hits) == {"/robots.txt"}
    server.routes["/robots.txt"] = lambda server, handler: Answer(status=302, headers={"Location": "/robots.txt"})
    result = crawl(tmp_path, site(server, discover=["category"]), now=NOW + timedelta(days=1))
    assert result.report["testwick"]["products"] == 4  # RFC 9309, 2.3.1.2: a loop is a missing file
