from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import urllib.robotparser
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest

from demo.shop import Catalogue, ShopError, serve

_SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
_IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"


@pytest.fixture(scope="module")
def base(spring: Catalogue) -> Iterator[str]:
    with serve(spring) as url:
        yield url


def get(base: str, target: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    line = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        line.request(method, target, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = line.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        line.close()


def test_one_connection_serves_many_requests(base: str, spring: Catalogue) -> None:
    line = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
    line.request("GET", "/")
    assert line.getresponse().read()
    first = line.sock
    for product in spring.products[:4]:
        line.request("GET", product.path)
        answer = line.getresponse()
        assert answer.status == 200
        assert answer.version == 11
        assert len(answer.read()) == int(answer.headers["Content-Length"])
        assert line.sock is first
    line.close()


def test_conditional_requests(base: str, spring: Catalogue) -> None:
    path = spring.products[0].photos[0].path
    status, headers, body = get(base, path)
    assert status == 200
    assert headers["Content-Type"] == "image/jpeg"
    assert body == (spring.root / spring.products[0].photos[0].file).read_bytes()
    tag, changed = headers["ETag"], headers["Last-Modified"]
    assert get(base, path, If_None_Match=tag)[0] == 304
    assert get(base, path, If_None_Match=f'"other", W/{tag}')[0] == 304
    assert get(base, path, If_None_Match='"other"', If_Modified_Since=changed)[0] == 200
    assert get(base, path, If_Modified_Since=changed)[::2] == (304, b"")
    assert get(base, path, If_Modified_Since="Mon, 01 Jan 2024 00:00:00 GMT")[0] == 200
    assert get(base, path, If_Modified_Since="yesterday")[0] == 200


def test_head_sends_the_length_without_the_body(base: str) -> None:
    status, headers, body = get(base, "/looks", "HEAD")
    assert status == 200
    assert int(headers["Content-Length"]) > 500
    assert body == b""


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/nowhere", 404), ("/products/none", 404), ("/collections/all?page=99", 404), ("/collections/all?page=2x", 200),
        ("/photos/../season-1.json", 404), ("/photos/..%2fseason-1.json", 404), ("/truth-season-1.json", 404), ("/collections/all/", 301),
        ("/api/app/none.json", 404), ("/about", 200), ("/cart", 200),
    ],
)  # fmt: skip
def test_statuses(base: str, target: str, status: int) -> None:
    found, headers, _ = get(base, target)
    assert found == status
    if status == 301:
        assert headers["Location"] == "/collections/all"


def test_other_methods_and_odd_hosts_are_refused(base: str) -> None:
    assert get(base, "/", "POST")[0] == 501
    assert get(base, "/", Host="evil host/<x>")[0] == 400


def test_sitemap_lists_everything_that_robots_allow(base: str, spring: Catalogue) -> None:
    tree = ET.fromstring(get(base, "/sitemap.xml")[2])
    rows = {u.findtext(f"{_SITEMAP}loc"): u for u in tree}
    for product in spring.products:
        row = rows[base + product.path]
        assert row.findtext(f"{_SITEMAP}lastmod") == product.published
        images = [i.text for i in row.iter(f"{_IMAGE}loc")]
        assert images == [base + p.path for p in product.photos]
    assert {base + look.path for look in spring.looks} <= set(rows)
    robots = urllib.robotparser.RobotFileParser()
    robots.parse(get(base, "/robots.txt")[2].decode().splitlines())
    assert all(robots.can_fetch("any", str(url)) for url in rows)
    assert not robots.can_fetch("any", f"{base}/members/x")
    assert robots.crawl_delay("any") is None
    assert robots.site_maps() == [f"{base}/sitemap.xml"]


def test_hidden_product_is_only_behind_the_disallowed_door(base: str, spring: Catalogue) -> None:
    assert spring.hidden is not None
    handle = spring.hidden.handle
    for target in ("/", "/sitemap.xml", "/collections/all", "/products.json"):
        assert handle not in get(base, target)[2].decode()
    assert handle in get(base, "/members/")[2].decode()
    assert get(base, f"/members/{handle}")[0] == 200
    assert get(base, f"/products/{handle}")[0] == 404


def test_pages_of_a_department_name_each_product_once(base: str, spring: Catalogue) -> None:
    html = "".join(
        get(base, f"/collections/all?page={k}")[2].decode() for k in (1, 2)[: 1 + (len(spring.products) > 12)]
    )
    assert all(html.count(f'class="card" href="{p.path}"') == 1 for p in spring.products)


def test_seasons_differ_only_where_they_should(base: str, spring: Catalogue, autumn: Catalogue) -> None:
    with serve(autumn) as later:
        gone = {p.path for p in spring.products} - {p.path for p in autumn.products}
        assert gone
        assert all(get(later, path)[0] == 404 for path in gone)
        kept = spring.products[0]
        for photo in kept.photos:
            assert get(base, photo.path)[1]["ETag"] == get(later, photo.path)[1]["ETag"]


def test_feed_is_json(base: str) -> None:
    status, headers, body = get(base, "/products.json?limit=2&page=1")
    assert status == 200
    assert headers["Content-Type"].startswith("application/json")
    assert len(json.loads(body)["products"]) <= 2


def test_taken_port_is_said_in_one_sentence(base: str, spring: Catalogue) -> None:
    port = urlsplit(base).port
    assert port is not None
    with pytest.raises(ShopError, match=f"port {port} on 127.0.0.1 is taken"), serve(spring, port=port):
        pass


@pytest.mark.slow
def test_browser_draws_the_script_section(base: str, spring: Catalogue, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    product = next(p for p in spring.products if p.shape == "script")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", f"--user-data-dir={tmp_path}"]
    done = subprocess.run(
        [chromium, *flags, "--dump-dom", base + product.path], capture_output=True, text=True, timeout=90, check=True
    )
    assert f"<h1>{product.title}</h1>" in done.stdout
    assert product.photos[-1].path in done.stdout
    assert f"€{product.price}" in done.stdout
