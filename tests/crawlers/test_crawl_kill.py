"""A crawl killed with SIGKILL and started again: the union of rows is that of a crawl that was not killed, no row twice."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from conftest_shop import Answer

from catalog.store import Catalog
from crawlers import job, run, warc
from crawlers.errors import CrawlError
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
LIMITS = CrawlLimits(page_seconds=20, photo_seconds=20, longest_wait=3, retries=1, seconds=120)


def site(shop):
    return Site(
        name="testwick", start_urls=[shop.url + "/"], allow_loopback=True, delay=0, concurrency=4, render="never"
    )


def rows(catalog):
    found = {name: catalog.read(name).to_pylist() for name in ("products", "photos", "sightings")}
    keys = {
        "products": ("product_id", "last_seen"),
        "photos": ("photo_id", "product_id"),
        "sightings": ("url", "page_url", "seen_at"),
    }
    for name, key in keys.items():
        identities = [tuple(row[column] for column in key) for row in found[name]]
        assert len(identities) == len(set(identities)), f"a row of {name} twice"
    order = {
        name: sorted(found[name], key=lambda row, key=key: [str(row[column]) for column in key])
        for name, key in keys.items()
    }
    for row in order["sightings"]:
        row["status"] = "seen"  # which of two pages was read first decides who is new
    return order


def kill_after(shop, requests, catalog, tmp_path):
    """Start a crawl and kill it when the server has got ``requests`` requests."""
    child = {}
    reached = threading.Event()
    total = [0]
    answer = shop.answer

    def counting(handler):
        total[0] += 1
        if total[0] == requests:
            os.kill(child["process"].pid, signal.SIGKILL)
            reached.set()
        answer(handler)

    folder = tmp_path / f"job-{requests}"
    folder.mkdir(exist_ok=True)
    path = job.write(folder, catalog, site(shop), NOW, LIMITS, Path(catalog.path) / "crawl")
    shop.answer = counting
    with (tmp_path / "log").open("ab") as log:
        child["process"] = subprocess.Popen(
            [sys.executable, "-m", "crawlers.run", str(path)], cwd=ROOT, stdout=log, stderr=log
        )
        child["process"].wait(120)
    shop.answer = answer
    return reached.is_set()


def check(shop, tmp_path, points):
    whole = Catalog(tmp_path / "whole")
    result = run.crawl(whole, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "log")
    wanted, told = rows(whole), {(row["subject"], row["id"], row["outcome"]) for row in result.ledger.to_pylist()}
    catalog = Catalog(tmp_path / "killed")
    killed = sum(kill_after(shop, point, catalog, tmp_path) for point in points)
    assert killed >= 1
    result = run.crawl(catalog, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "log")
    assert rows(catalog) == wanted
    ledger = [(row["subject"], row["id"], row["outcome"]) for row in result.ledger.to_pylist()]
    assert set(ledger) == told
    assert len(ledger) == len(set(ledger))
    assert result.report["testwick"]["products"] == 12
    read = set()
    for row in catalog.read("ledger").to_pylist():
        evidence = json.loads(row["evidence"] or "{}")
        if kept := evidence.get("warc"):
            headers, body = warc.read(catalog, kept)
            path = evidence["at"].removeprefix(shop.url)
            assert (headers["WARC-Target-URI"], body) == (evidence["at"], shop.routes[path].body)
            read.add(path)
    assert {f"/p/{number}" for number in range(12)} <= read, "the bytes of a page of a killed crawl are gone"


@pytest.mark.slow
def test_killed_once_and_resumed(shop, tmp_path):
    shop.routes["/p/3"] = Answer(shop.routes["/p/3"].body)
    check(shop, tmp_path, [23])


@pytest.mark.slow
def test_killed_at_random_points_and_resumed(shop, tmp_path):
    check(shop, tmp_path, [random.Random(11).randint(4, 14) for _ in range(4)])


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("LOOKBENCH_DRILLS"), reason="long drill: set LOOKBENCH_DRILLS=1")
def test_killed_at_twenty_points(shop, tmp_path):
    # Each start asks for robots.txt and the feed again, so points lie beyond those.
    check(shop, tmp_path, [random.Random(7).randint(3, 8) for _ in range(20)])


@pytest.mark.slow
def test_two_crawls_of_one_site_take_turns(shop, tmp_path):
    whole = Catalog(tmp_path / "whole")
    run.crawl(whole, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "log")
    catalog = Catalog(tmp_path / "shared")
    crawl = partial(run.crawl, catalog, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "both.log")
    shop.hits.clear()
    with ThreadPoolExecutor(2) as pool:
        results = [future.result() for future in [pool.submit(crawl), pool.submit(crawl)]]
    assert rows(catalog) == rows(whole)
    assert "waiting until that ends" in (tmp_path / "both.log").read_text()
    assert [result.report["testwick"]["products"] for result in results] == [12, 12]
    assert shop.hits["304"] == 25  # the second found all photos there


@pytest.mark.slow
@pytest.mark.parametrize("largest", [60_000, 5_000_000])
def test_a_full_disk_ends_a_crawl_that_goes_on_when_there_is_room(shop, tmp_path, largest):
    """The limit of a file's size refuses writes as a full disk does: first the frontier's, then a photo's."""
    shop.routes["/img/3-1.jpg"] = Answer(shop.routes["/img/3-1.jpg"].body + b"\0" * 6_000_000, kind="image/jpeg")
    whole, catalog = Catalog(tmp_path / "whole"), Catalog(tmp_path / "full")
    result = run.crawl(whole, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "log")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        with pytest.raises(CrawlError, match=r"'testwick'.*could not be written"):
            run.crawl(catalog, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "full.log")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    again = run.crawl(catalog, [site(shop)], now=NOW, limits=LIMITS, log=tmp_path / "full.log")
    assert rows(catalog) == rows(whole)
    assert set(again.ledger["id"].to_pylist()) == set(result.ledger["id"].to_pylist())
