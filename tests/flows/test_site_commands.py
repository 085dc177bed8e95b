"""What a maintainer asks of one shop: its nights, its dead letters, another try, and when a photo was there."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from catalog.store import Catalog
from crawlers import run
from crawlers.run import CrawlLimits
from crawlers.sites import Site
from flows.settings import HOME
from flows.why import life

sys.path.insert(0, str(HOME / "tests" / "crawlers"))

from conftest_shop import Answer, server, shop  # noqa: F401 - fixtures

NIGHT = datetime(2026, 6, 1, 3, tzinfo=UTC)
pytestmark = pytest.mark.slow


def lookbench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", "site", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=HOME)


def test_a_night_is_told_its_failures_tried_again_and_its_photos_dated(
    shop: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    good = {path: shop.routes[path] for path in ("/p/1", "/img/3-0.jpg", "/p/8")}
    shop.routes |= {"/p/1": Answer(b"later", 500), "/img/3-0.jpg": Answer(b"later", 500), "/p/8": Answer(b"no", 404)}
    where = Site(name="testwick", start_urls=[shop.url + "/"], allow_loopback=True, delay=0, render="never")
    limits = CrawlLimits(retries=0, seconds=120)
    run.crawl(Catalog(root), [where], now=NIGHT, limits=limits, log=tmp_path / "log")

    report = json.loads(lookbench("report", "testwick", "--root", root, "--json").stdout)
    (night,) = report["nights"]
    figures = report["nights"][night]
    assert (night, figures["products"], figures["photos"], figures["ended"]) == (NIGHT.isoformat(), 10, 20, "finished")
    assert figures["dead"] == {"http_404": 1, "http_500": 2, "robots": 1}
    assert figures["left"] == 0
    assert figures["bytes"] > 20_000
    dead = {row["url"].removeprefix(shop.url): row["reason"] for row in report["dead_letters"]}
    assert dead == {"/p/1": "http_500", "/img/3-0.jpg": "http_500", "/p/8": "http_404", "/private/x": "robots"}
    told = lookbench("report", "testwick", "--root", root).stderr
    assert "10 products (10 new, 0 changed, 0 gone)" in told
    assert "http_404 1, http_500 2" in told
    unknown = lookbench("report", "other", "--root", root)
    assert (unknown.returncode, "never crawled" in unknown.stderr, "testwick" in unknown.stderr) == (1, True, True)

    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "testwick.yaml").write_text(where.model_dump_json())
    settings = tmp_path / "lookbench.yaml"
    settings.write_text(
        (HOME / "lookbench.yaml").read_text().replace("sites: crawlers/sites", f"sites: {tmp_path}/sites")
    )
    none = lookbench("retry", "testwick", "--reason", "dns", "--root", root, "--settings", settings)
    assert none.returncode == 1
    assert "no dead letter of reason 'dns' (dead: http_404 1, http_500 2, robots 1)" in none.stderr
    shop.routes |= good
    done = lookbench("retry", "testwick", "--reason", "http_500", "--root", root, "--settings", settings, "--json")
    after = json.loads(done.stdout)
    assert (after["tried"], after["products"], after["photos"]) == (2, 11, 23), done.stderr
    assert sorted(row["reason"] for row in after["dead_letters"]) == ["http_404", "robots"]
    assert after["errors"] == {"http_404": 1, "robots": 1}
    assert after["bytes"] > figures["bytes"]

    rows = Catalog(root).read("sightings").to_pylist()
    of_photo = [(row["status"], row["seen_at"]) for row in rows if row["url"].endswith("/img/3-0.jpg")]
    assert sorted(of_photo) == [("http_500", NIGHT), ("new", NIGHT)]
    ledger = [row for row in Catalog(root).read("ledger").to_pylist() if row["id"] == f"{shop.url}/p/1"]
    assert sorted((row["outcome"], row["reason"]) for row in ledger) == [("dropped", "http_500"), ("kept", "product")]

    photo = next(row["photo_id"] for row in rows if row["url"].endswith("/img/1-0.jpg"))
    page = tmp_path / "page.html"
    shown = lookbench("evidence", photo, "--root", root, "--out", page, "--json")
    evidence = json.loads(shown.stdout)
    assert page.read_bytes() == shop.routes["/p/1"].body
    assert (evidence["at"], evidence["seen_at"]) == (f"{shop.url}/p/1", NIGHT.isoformat())
    assert evidence["dates"]["disagree"] == []
    assert abs(datetime.fromisoformat(evidence["dates"]["server"]) - datetime.now(UTC)).total_seconds() < 600
    (seen,) = [event for event in life(Catalog(root), photo) if event["outcome"] == "seen"]
    assert seen["evidence"]["warc"] == evidence["warc"]
    early = lookbench("evidence", f"{shop.url}/p/1", "--until", "2026-05-01", "--root", root)
    assert early.returncode == 1
    assert "no bytes of" in early.stderr
