"""One crawl over everything a hostile or broken server can do: nothing hangs, nothing leaks, every failure is in the ledger."""

import gzip
import json
import os
import socket
import struct
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from conftest_shop import Answer, jpeg, listing_html, product_html

from catalog.store import Catalog
from crawlers import rendering, run
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
LIMITS = CrawlLimits(
    page_seconds=4, photo_seconds=3, longest_wait=5, retries=1, seconds=90, page_bytes=2_000_000, photo_bytes=300_000
)


def busy(times, header):
    state = {"left": times}

    def route(server, handler):
        if state["left"]:
            state["left"] -= 1
            return Answer(b"later", 429 if header.isdigit() else 503, {"Retry-After": header})
        return Answer(product_html(31, photos=0))

    return route


def endless(head, line, sent):
    """Return a route that writes ``line`` over and over until the client hangs up; ``sent`` counts the bytes."""

    def route(server, handler):
        # What waits in the system's own buffer was not taken in by the client: keep that little.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        handler.wfile.write(head)
        for _ in range(1_000_000_000 // len(line)):
            handler.wfile.write(line)
            sent.append(len(line))

    return route


def reset(server, handler):
    """Break the connection off in the middle of a body, with a reset instead of an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<h1>half")
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(handler.connection.detach())


def slow_head(server, handler):
    """Send a head that never ends, a byte every 0.3 s: faster than any timeout between two bytes."""
    for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 600:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if server.stopping.wait(0.3):
            return


@pytest.fixture
def hostile(server):
    routes = server.routes
    routes["/robots.txt"] = Answer(b"", 404)
    port = server.url.rpartition(":")[2]
    routes["/hop/metadata"] = Answer(status=302, headers={"Location": "http://169.254.169.254/latest/"})
    routes["/hop/file"] = Answer(status=302, headers={"Location": "file:///etc/passwd"})
    pages = {
        "/p/metadata": Answer(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"}),
        "/p/file": Answer(status=302, headers={"Location": "file:///etc/passwd"}),
        "/p/private": Answer(status=302, headers={"Location": "http://10.1.2.3/"}),
        "/p/second-metadata": Answer(status=302, headers={"Location": "/hop/metadata"}),
        "/p/second-file": Answer(status=302, headers={"Location": "/hop/file"}),
        "/p/number": Answer(status=302, headers={"Location": f"http://2130706433:{port}/secret"}),
        "/p/octal": Answer(status=302, headers={"Location": f"http://0177.1:{port}/secret"}),
        "/p/mapped": Answer(status=302, headers={"Location": f"http://[::ffff:127.0.0.1]:{port}/secret"}),
        "/p/user": Answer(status=302, headers={"Location": f"http://a:b@127.0.0.1:{port}/secret"}),
        "/p/dot": Answer(status=302, headers={"Location": f"http://localhost.:{port}/secret"}),
        "/p/data": Answer(status=302, headers={"Location": "data:text/html,<h1>x"}),
        "/p/refresh": Answer(b'<meta http-equiv="refresh" content="0;url=http://169.254.169.254/">'),
        "/p/slow": Answer(product_html(1), drip=0.3),
        "/p/cut": Answer(product_html(2), cut=200),
        "/p/half": Answer(gzip.compress(product_html(2))[:-60], headers={"Content-Encoding": "gzip"}),
        "/p/crawling": Answer(product_html(1), drip=1),
        "/p/cookies": Answer(product_html(7), headers={"Set-Cookie": "a=" + "b" * 60_000}),
        "/p/bomb": Answer(gzip.compress(b" " * 60_000_000), headers={"Content-Encoding": "gzip"}),
        "/p/pdf": Answer(b"%PDF-1.7 junk", kind="application/pdf"),
        "/p/gone": Answer(b"gone", 410),
        "/p/broken": Answer(b"oops", 500),
        "/p/busy": busy(1, "1"),
        "/p/noai": Answer(product_html(4, extra='<meta name="robots" content="noai, noimageai">')),
        "/p/links": Answer(
            b"<h1>all</h1>" + b"".join(b'<a href="/q/%d"><img src="/img/q.jpg"></a>' % n for n in range(10_000))
        ),
        "/p/good": Answer(
            product_html(5, photos=0).replace(
                b'"image": []',
                b'"image": ["/img/ok.jpg", "/img/page.jpg", "/img/vector.jpg", "/img/empty.jpg", "/img/huge.jpg", "/img/drip.jpg", '
                b'"/img/refused.jpg", "http://192.168.7.7/a.jpg", "http://[::1]:9/a.jpg", "/img/missing.jpg", "data:image/png;base64,AAAA", '
                b'"/img/away.jpg"]',
            )
        ),
        "/p/xss": Answer(product_html(6, photos=0).replace(b"Linen Shirt 6", b"../../../etc/passwd")),
        "/p/empty": Answer(b""),
        "/p/nul": Answer(b"\x00\xff" * 5000),
    }
    routes["/p/loop"] = lambda server, handler: Answer(
        status=302, headers={"Location": handler.path + ("&n=1" if "?" in handler.path else "?n=1")}
    )
    routes["/p/gate"] = busy(9, format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True))
    routes["/c/grow"] = lambda server, handler: Answer(
        listing_html(range(40, 42), handler.path + ("&" if "?" in handler.path else "?") + "x=1")
    )
    server.sent = {"body": [], "cookies": []}
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    pages["/p/reset"], pages["/p/slow-head"] = reset, slow_head
    pages["/p/gigabyte"] = endless(ok + b"Connection: close\r\n\r\n", b"<p>" + b"x" * 99_997, server.sent["body"])
    pages["/p/heads"] = endless(ok, b"Set-Cookie: a=b\r\n" * 100, server.sent["cookies"])
    routes |= pages
    routes["/img/ok.jpg"] = Answer(jpeg(1), kind="image/jpeg")
    routes["/img/page.jpg"] = Answer(b"<!doctype html><h1>not a photo</h1>")
    routes["/img/vector.jpg"] = Answer(b"<svg xmlns='http://www.w3.org/2000/svg'/>", kind="image/svg+xml")
    routes["/img/empty.jpg"] = Answer(b"", kind="image/jpeg")
    routes["/img/huge.jpg"] = Answer(jpeg(2) + b"\x00" * 400_000, kind="image/jpeg")
    routes["/img/drip.jpg"] = Answer(jpeg(3), kind="image/jpeg", drip=0.2)
    routes["/img/refused.jpg"] = Answer(jpeg(4), kind="image/jpeg", headers={"X-Robots-Tag": "noimageai"})
    routes["/img/away.jpg"] = Answer(status=302, headers={"Location": "http://169.254.169.254/x.jpg"})
    for number in (40, 41):
        routes[f"/p/{number}"] = Answer(product_html(number, photos=0))
    names = [*pages, "/p/loop", "/p/gate", "/c/grow"]
    tiles = "".join(f'<li><a href="{name}"><img src="/img/t.jpg"></a></li>' for name in names)
    routes["/"] = Answer(f"<!doctype html><title>shop</title><h1>Shop</h1><ul>{tiles}</ul>".encode())
    return server


@pytest.mark.slow
def test_hostile_server(hostile, tmp_path):
    site = Site(
        name="hostile",
        start_urls=[hostile.url + "/"],
        allow_loopback=True,
        delay=0,
        concurrency=8,
        render="never",
        max_pages=60,
        discover=["category"],
    )
    began = time.monotonic()
    result = run.crawl(Catalog(tmp_path / "c"), [site], now=NOW, limits=LIMITS, log=tmp_path / "log")
    assert time.monotonic() - began < 75
    rows = {row["id"].removeprefix(hostile.url): (row["outcome"], row["reason"]) for row in result.ledger.to_pylist()}
    dropped = {
        "/p/metadata": "refused_address",
        "/p/private": "refused_address",
        "/p/second-metadata": "refused_address",
        "/p/number": "refused_address",
        "/p/octal": "refused_address",
        "/p/mapped": "refused_address",
        "/p/user": "refused_address",
        "/p/dot": "refused_address",
        "/p/refresh": "refused_address",
        "/p/reset": "reset",
        "/p/cut": "reset",
        "/p/slow-head": "timeout",
        "/p/loop": "redirect_loop",
        "/p/slow": "timeout",
        "/p/bomb": "too_large",
        "/p/gigabyte": "too_large",
        "/p/heads": "too_large",
        "/p/half": "truncated",
        "/p/crawling": "timeout",
        "/p/pdf": "wrong_content_type",
        "/p/gone": "http_410",
        "/p/broken": "http_500",
        "/p/gate": "http_503",
        "/img/page.jpg": "wrong_content_type",
        "/img/vector.jpg": "vector",
        "/img/empty.jpg": "empty",
        "/img/huge.jpg": "too_large",
        "/img/drip.jpg": "timeout",
        "/img/refused.jpg": "noimageai",
        "http://192.168.7.7/a.jpg": "refused_address",
        "http://[::1]:9/a.jpg": "refused_address",
        "/img/missing.jpg": "http_404",
        "/img/away.jpg": "refused_address",
        "/img/4-0.jpg": "noai",
        "/p/empty": "no_product",
        "/p/nul": "no_product",
    }
    assert {name: rows.get(name) for name in dropped} == {name: ("dropped", reason) for name, reason in dropped.items()}
    assert {rows[name] for name in ("/p/file", "/p/second-file", "/p/data")} == {("dropped", "bad_redirect")}
    assert hostile.hits["/secret"] == 0
    assert rows["/img/ok.jpg"] == ("kept", "new")
    assert rows["/p/busy"] == ("kept", "product")
    report = result.report["hostile"]
    assert report["waits"] >= 1
    assert sum(hostile.sent["body"]) < 20_000_000
    assert sum(hostile.sent["cookies"]) < 10_000_000
    assert hostile.hits["/img/4-0.jpg"] == 0
    assert hostile.hits["/c/grow"] <= 3
    assert report["pages_over_limit"] > 0
    catalog = Catalog(tmp_path / "c")
    names = {row["name"] for row in catalog.read("products").to_pylist()}
    assert {"Linen Shirt 5", "Linen Shirt 31", "../../../etc/passwd"} <= names
    assert [row["photo_id"] for row in catalog.read("photos").to_pylist()] == [catalog.put_image(jpeg(1))]
    failed = {
        row["url"].removeprefix(hostile.url): row["status"]
        for row in catalog.read("sightings").to_pylist()
        if row["photo_id"] is None
    }
    assert failed["/img/huge.jpg"] == "too_large"
    assert json.dumps(sorted(path.name for path in tmp_path.iterdir())) == '["c", "log"]'


@pytest.mark.slow
def test_an_index_of_itself_and_one_without_end_take_no_more_than_their_share(server, tmp_path):
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

    def index(server, handler):
        number = int(handler.path.partition("n=")[2] or 0)
        names = ["/sitemap.xml", *(f"/sitemap.xml?n={number * 30 + more}" for more in range(1, 31))]
        entries = "".join(f"<sitemap><loc>{server.url}{name}</loc></sitemap>" for name in names)
        return Answer(f"<sitemapindex {space}>{entries}</sitemapindex>".encode(), kind="text/xml")

    server.routes["/sitemap.xml"] = index
    server.routes["/"] = Answer(product_html(1, photos=1))
    server.routes["/img/1-0.jpg"] = Answer(jpeg(1), kind="image/jpeg")
    where = Site(name="index", start_urls=[server.url + "/"], allow_loopback=True, delay=0, render="never")
    limits = CrawlLimits(page_seconds=20, retries=0, seconds=90, sitemaps=50)
    result = run.crawl(Catalog(tmp_path / "c"), [where], now=NOW, limits=limits, log=tmp_path / "log")
    asked = [path for path, _ in server.seen if path.startswith("/sitemap.xml")]
    assert len(asked) == len(set(asked)) == 50
    told = {row["id"]: json.loads(row["evidence"]) for row in result.ledger.to_pylist() if "sitemap" in row["id"]}
    assert sum(row.get("sitemaps_left", 0) for row in told.values()) > 0
    assert "sitemaps_left" not in told[server.url + "/sitemap.xml"]
    assert result.report["index"]["products"] == 1


def raw(data):
    """Return a route that writes ``data``, head and all, and closes."""

    def route(server, handler):
        handler.wfile.write(data)

    return route


@pytest.mark.slow
def test_answers_against_the_rules_end_once_and_are_told_as_what_they_are(server, tmp_path):
    far = "Mon, 01 Jun 99999999999999999999 03:02:00 GMT"
    page, ok = product_html(1, photos=0), b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    busy_once = []

    def waits(server, handler):
        busy_once.append(1)
        return Answer(product_html(2, photos=0)) if busy_once[1:] else Answer(b"later", 429, {"Retry-After": far})

    kept = {
        "/p/dated": Answer(page, headers={"Last-Modified": far}),
        "/p/waits": waits,
        "/p/hints": raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + b"\r\n" + page),
        "/p/utf16": Answer(product_html(3, photos=0).decode().encode("utf-16"), kind="text/html"),
        "/p/surrogate": Answer(product_html(4, photos=0).replace(b'"name": "', b'"name": "\\ud83d ')),
        "/p/jar": raw(ok + b"Set-Cookie: a=b\r\n" * 1000 + b"\r\n" + product_html(5, photos=0)),
    }
    dropped = {
        "/p/same": (Answer(b"", 304), "http_304"),
        "/p/port": (Answer(b"", 302, {"Location": "http://127.0.0.1:99999/"}), "bad_redirect"),
        "/p/bracket": (Answer(b"", 302, {"Location": "http://[::1"}), "bad_redirect"),
        "/p/script": (Answer(b"", 302, {"Location": "javascript:alert(1)"}), "bad_redirect"),
        "/p/length": (raw(ok + b"Content-Length: -5\r\n\r\n" + page), "bad_answer"),
        "/p/lengths": (raw(ok + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\n" + page), "bad_answer"),
        "/p/status": (raw(b"HTTP/1.1 abc OK\r\n\r\n"), "bad_answer"),
        "/p/br": (Answer(page, headers={"Content-Encoding": "br"}), "bad_answer"),
        "/p/zstd": (Answer(page, headers={"Content-Encoding": "zstd"}), "bad_answer"),
        "/p/deflate": (Answer(page, headers={"Content-Encoding": "deflate"}), "bad_answer"),
        "/p/chunks": (raw(ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + page), "reset"),
        "/p/continues": (raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000), "too_large"),
    }
    server.routes |= kept | {name: answer for name, (answer, _) in dropped.items()}
    tiles = "".join(f'<li><a href="{name}"><img src="/img/t.jpg"></a></li>' for name in [*kept, *dropped])
    server.routes["/"] = Answer(f"<!doctype html><title>shop</title><h1>Shop</h1><ul>{tiles}</ul>".encode())
    where = Site(
        name="rules", start_urls=[server.url + "/"], allow_loopback=True, delay=0, render="never",
        platform="generic", discover=["category"],
    )  # fmt: skip
    began = time.monotonic()
    with pytest.raises(run.IncompleteCrawlError, match="no photo") as told:
        run.crawl(Catalog(tmp_path / "c"), [where], now=NOW, limits=LIMITS, log=tmp_path / "log")
    assert time.monotonic() - began < 60
    rows = {row["id"].removeprefix(server.url): row["reason"] for row in told.value.result.ledger.to_pylist()}
    assert {name: rows.get(name) for name in kept} == dict.fromkeys(kept, "product")
    assert {name: rows.get(name) for name in dropped} == {name: reason for name, (_, reason) in dropped.items()}
    assert server.hits["/p/same"] == 1
    assert max(server.hits.values()) <= 3


REBINDING = """
import pathlib, socket
ask = socket.getaddrinfo

def getaddrinfo(host, port, *rest, **more):
    if host not in ("rebind.example", b"rebind.example"):
        return ask(host, port, *rest, **more)
    with pathlib.Path(__file__).with_name("lookups").open("a+") as told:
        told.seek(0)
        address = "127.0.0.1" if len(told.readlines()) % 2 else "198.51.100.7"
        print(address, file=told)
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, int(port or 0)))]

socket.getaddrinfo = getaddrinfo
from crawlers import guard
refusal = guard.refusal
guard.refusal = lambda ip, **more: None if ip == "198.51.100.7" else refusal(ip, **more)  # a net for examples, as public
"""


@pytest.mark.slow
@pytest.mark.parametrize("render", ["never", "always"])
def test_a_name_that_turns_to_this_machine_between_two_lookups_gains_nothing(server, tmp_path, monkeypatch, render):
    if render == "always" and rendering.browser() is None:
        pytest.skip("no Chromium on this machine")
    port = server.url.rpartition(":")[2]
    away = f"http://rebind.example:{port}"
    photos = f'"image": ["/img/1.jpg", "{away}/secret.jpg"]'.encode()
    page = product_html(1, photos=0).replace(b'"image": []', photos)
    scripted = f'<script>for (const n of [1, 2, 3]) fetch("{away}/secret?" + n).catch(() => 0)</script></body>'
    server.routes["/"] = Answer(page.replace(b"</body>", scripted.encode()))
    server.routes["/img/1.jpg"] = Answer(jpeg(1), kind="image/jpeg")
    folder = tmp_path / "patch"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(REBINDING)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    where = Site(name="rebind", start_urls=[server.url + "/"], allow_loopback=True, delay=0, render=render)
    limits = CrawlLimits(page_seconds=20, photo_seconds=3, retries=2, seconds=90)
    run.crawl(Catalog(tmp_path / "c"), [where], now=NOW, limits=limits, log=tmp_path / "log")
    lookups = (folder / "lookups").read_text().split()
    assert lookups[:2] == ["198.51.100.7", "127.0.0.1"]
    assert server.hits["/img/1.jpg"] == 1
    assert not any("secret" in path for path, _ in server.seen)
    assert not any("rebind" in headers["Host"] for _, headers in server.seen)
