"""The browser: used only where the plain HTML lacks the product, and kept from addresses that are not public."""

import contextlib
import json
import pathlib
import re
import socket
import tempfile
import time
from datetime import UTC, datetime, timedelta

import psutil
import pytest
from conftest_shop import Answer, jpeg

from catalog.store import Catalog
from crawlers import readers, rendering, run
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
SHELL = """<!doctype html><html lang="en"><head><title>Testwick</title></head><body><div id="app"></div><script>
fetch("%(api)s").then(r => r.json()).then(p => {
  document.title = p.name;
  document.getElementById("app").innerHTML = `<main><h1>${p.name}</h1><p class="price">€${p.price}</p><img src="${p.image}"
    width="300" height="400"><button>Add to bag</button></main>`;
});
fetch("http://localhost:%(port)s/secret").catch(() => 0);
fetch("/away").catch(() => 0);
</script></body></html>"""


def test_memory_learns_by_section():
    memory = rendering.Memory()
    for number in range(3):
        assert memory.worth(f"https://x.example/app/{number}")
        memory.learn(f"https://x.example/app/{number}", rendered=True, read=False)
    assert not memory.worth("https://x.example/app/9")
    assert memory.worth("https://x.example/shop/9")
    for number in range(2):
        memory.learn(f"https://x.example/shop/{number}", rendered=True, read=True)
    assert memory.at_once("https://x.example/shop/9")
    memory.learn("https://x.example/shop/3", rendered=False, read=True)
    assert not memory.at_once("https://x.example/shop/9")


def test_a_verdict_is_remembered_and_checked_each_night():
    memory = rendering.Memory({"app": [3, 0, 0], "blog": [0, 3, 1], "mixed": [2, 0, 4]})
    assert [memory.at_once(f"https://x.example/app/{number}") for number in range(3)] == [False, True, True]
    assert memory.told("https://x.example/app/1") == ("app", [1, 0, 0])
    memory.learn("https://x.example/app/0", rendered=False, read=True)  # the site changed its ways
    assert not memory.at_once("https://x.example/app/4")
    assert memory.worth("https://x.example/blog/1")
    memory.learn("https://x.example/blog/1", rendered=True, read=False)
    assert not memory.worth("https://x.example/blog/2")
    assert memory.told("https://x.example/blog/1") == ("blog", [0, 3, 0])
    assert not memory.at_once("https://x.example/mixed/1")


def test_a_shell_lacks_content_and_a_text_page_does_not():
    shell = SHELL % {"api": "/api", "port": 1}
    assert rendering.lacks_content(readers.read(shell, "https://x.example/app/1"), shell)
    text = "<script>var a</script><h1>About us</h1><p>" + "word " * 400
    assert not rendering.lacks_content(readers.read(text, "https://x.example/about"), text)
    plain = "<h1>Empty</h1>"
    assert not rendering.lacks_content(readers.read(plain, "https://x.example/p"), plain)


def scripted(shop, count):
    """Add a section of ``count`` products that only scripts show, and nothing else to find."""
    port = shop.url.rsplit(":", 1)[1]
    for number in range(count):
        shop.routes[f"/app/{number}"] = Answer((SHELL % {"api": f"/api/{number}", "port": port}).encode())
        record = {"name": f"Scripted Coat {number}", "price": f"{80 + number}.00", "image": f"/img/app-{number}.jpg"}
        shop.routes[f"/api/{number}"] = Answer(json.dumps(record).encode(), kind="application/json")
        shop.routes[f"/img/app-{number}.jpg"] = Answer(jpeg(300 + number), kind="image/jpeg")
    shop.routes["/away"] = Answer(status=302, headers={"Location": f"http://localhost:{port}/secret"})
    shop.routes["/secret"] = Answer(b"secret")
    links = "".join(f'<a href="/app/{number}"><img src="/img/app-{number}.jpg"></a>' for number in range(count))
    shop.routes["/c/app"] = Answer(f"<!doctype html><title>Coats</title><h1>Coats</h1><div>{links}</div>".encode())


def crawled(shop, tmp_path, now=NOW, caps=None, **keys):
    given = {"name": "testwick", "start_urls": [shop.url + "/"], "allow_loopback": True, "delay": 0, "concurrency": 8}
    limits = CrawlLimits(**{"page_seconds": 60, "photo_seconds": 40, "retries": 1, "seconds": 240, **(caps or {})})
    site = Site(**{**given, **keys})
    return run.crawl(Catalog(tmp_path / "c"), [site], now=now, limits=limits, log=tmp_path / "log").report["testwick"]


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_only_the_scripted_section_is_rendered(shop, tmp_path):
    scripted(shop, 3)
    shop.routes["/"] = Answer(
        b'<title>Testwick</title><h1>Testwick</h1><nav><a href="/c/shirts">Shirts</a><a href="/c/app">Coats</a></nav>'
    )
    report = crawled(shop, tmp_path)
    assert (report["products"], report["rendered"]) == (15, 3)
    rows = {row["name"]: row for row in Catalog(tmp_path / "c").read("products").to_pylist()}
    assert [
        (rows[f"Scripted Coat {number}"]["price"], rows[f"Scripted Coat {number}"]["currency"]) for number in range(3)
    ] == [("80.00", "EUR"), ("81.00", "EUR"), ("82.00", "EUR")]
    assert shop.hits["/away"] == 3
    assert shop.hits["/secret"] == 0
    assert "kept from localhost" in (tmp_path / "log").read_text()


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_a_killed_browser_costs_no_page_and_the_next_night_renders_at_once(shop, tmp_path):
    scripted(shop, 4)
    api = shop.routes["/api/1"]
    killed = []

    def kill_browser(server, handler):
        for process in [] if killed else psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # others of the crawl end meanwhile
                command = process.cmdline()
                if any("--proxy-server" in word for word in command) and not any("--type=" in w for w in command):
                    process.kill()
                    killed.append(process.pid)
                    break
        return api

    shop.routes["/api/1"] = kill_browser
    where = {"start_urls": [shop.url + "/c/app"], "discover": ["category"], "allow": ["/app/"]}
    report = crawled(shop, tmp_path, **where)
    assert len(killed) == 1
    assert (report["products"], report["rendered"], report["photos"]) == (4, 4, 4)
    assert report["errors"] == {}
    assert {shop.hits[f"/app/{number}"] for number in (0, 2, 3)} <= {2, 3}  # plain, rendered, in the crash

    shop.hits.clear()
    report = crawled(shop, tmp_path, now=NOW + timedelta(days=1), **where)
    assert (report["products"], report["rendered"]) == (4, 4)
    assert sorted(shop.hits[f"/app/{number}"] for number in range(4)) == [1, 1, 1, 2]  # one is checked


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_a_page_that_eats_memory_costs_no_other(shop, tmp_path):
    scripted(shop, 4)
    eats = "<script>const kept = []; for (;;) kept.push(new Array(100000).fill(Math.random()).map(String));</script>"
    shop.routes["/app/2"] = Answer(f"<!doctype html><title>Eats</title><div id=app></div>{eats}".encode())
    where = {"start_urls": [shop.url + "/c/app"], "discover": ["category"], "allow": ["/app/"], "concurrency": 2}
    report = crawled(shop, tmp_path, **where)
    assert (report["products"], report["photos"]) == (3, 3)
    assert report["errors"] == {"browser": 1}


def counted(tmp_path, name):
    found = re.findall(rf"'{re.escape(name)}': (\d+)", (tmp_path / "log").read_text())
    return int(found[-1]) if found else 0


APP = {"discover": ["category"], "allow": ["/app/"], "render": "always"}


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_what_pages_leave_behind_is_thrown_away(shop, tmp_path):
    scripted(shop, 7)
    told = []
    leaves = """<script>
    const kept = document.cookie.length + ":" + localStorage.length;
    document.cookie = "visit%(number)d=" + "x".repeat(900) + "; path=/; max-age=9999";
    localStorage.setItem("visit%(number)d", "x".repeat(90000));
    fetch("/told?kept=" + kept);
    </script>"""
    for number in range(7):
        page = shop.routes[f"/app/{number}"].body
        shop.routes[f"/app/{number}"] = Answer(page + (leaves % {"number": number}).encode())
    shop.routes["/told"] = lambda server, handler: told.append(handler.path.partition("kept=")[2]) or Answer(b"thanks")
    where = {"start_urls": [shop.url + "/c/app"], **APP}
    report = crawled(shop, tmp_path, caps={"pages_per_context": 3}, **where)
    assert (report["products"], report["photos"], report["errors"]) == (7, 7, {})
    found = [(int(cookies), int(stored)) for cookies, stored in (value.split(":") for value in told)]
    assert len(found) == 7
    assert max(stored for _, stored in found) <= 2  # of the two pages before it in its context
    assert max(cookies for cookies, _ in found) <= 2 * 920
    assert counted(tmp_path, "playwright/context_count") == 3  # 8 pages, the listing among them
    assert counted(tmp_path, "playwright/context_count/max_concurrent") <= 2
    assert counted(tmp_path, "playwright/browser_count") == 1


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_a_browser_that_takes_too_much_memory_is_started_anew_and_its_pages_rendered_again(shop, tmp_path):
    scripted(shop, 4)
    leaks = "<script>const kept = []; setInterval(() => kept.push(new Uint8Array(4e7).fill(7)), 50);</script>"
    good, visits = shop.routes["/app/1"], []
    leaking = Answer(good.body.replace(b"<script>", leaks.encode() + b"<script>", 1).replace(b"/api/1", b"/api/never"))
    shop.routes["/app/1"] = lambda server, handler: visits.append(1) or (leaking if len(visits) == 1 else good)
    shop.routes["/api/never"] = lambda server, handler: server.stopping.wait(60)
    where = {"start_urls": [shop.url + "/c/app"], **APP}
    report = crawled(shop, tmp_path, caps={"browser_bytes": 900_000_000}, **where)
    assert (report["products"], report["photos"], report["errors"]) == (4, 4, {})
    assert len(visits) == 2
    assert counted(tmp_path, "lookbench/browser_too_large") == 1
    assert counted(tmp_path, "playwright/browser_count") == 2
    shop.routes["/app/1"] = leaking  # however often it is tried
    report = crawled(shop, tmp_path, now=NOW + timedelta(days=1), caps={"browser_bytes": 900_000_000}, **where)
    assert (report["products"], report["errors"]) == (3, {"browser": 1})


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_a_page_that_never_lets_go_ends_and_costs_no_other(shop, tmp_path):
    scripted(shop, 4)
    hangs = "<script>setTimeout(() => { for (;;); }, 300);</script>"
    shop.routes["/app/2"] = Answer(f"<!doctype html><title>Hangs</title><div id=app></div>{hangs}".encode())
    where = {"start_urls": [shop.url + "/c/app"], **APP}
    began = time.monotonic()
    report = crawled(shop, tmp_path, caps={"page_seconds": 12, "retries": 0}, **where)
    assert (report["products"], report["errors"]) == (3, {"timeout": 1})
    assert time.monotonic() - began < 120


ESCAPES = """<script>
const away = "http://localhost:%(port)s/secret", own = "http://127.0.0.1:%(port)s";
new WebSocket("ws://localhost:%(port)s/secret-socket");
navigator.serviceWorker.register("/worker.js").catch(() => 0);
window.open("/popup"); window.open(away);
new Worker(URL.createObjectURL(new Blob([`importScripts("${away}-worker")`])));
const frame = document.createElement("iframe"); frame.src = away + "-frame"; document.documentElement.append(frame);
fetch("file:///etc/hostname").catch(() => 0);
navigator.sendBeacon(away, "x");
const peer = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:%(udp)s"},
  {urls: "turn:127.0.0.1:%(udp)s?transport=udp", username: "a", credential: "b"}]});
peer.createDataChannel("x"); peer.createOffer().then(offer => peer.setLocalDescription(offer));
const link = document.createElement("a"); link.href = "/download.bin"; link.download = "x.html"; link.click();
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_a_page_reaches_nothing_by_the_other_ways_out_of_a_browser(shop, tmp_path):
    scripted(shop, 3)
    told = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(0.1)
        values = {"port": shop.url.rpartition(":")[2], "udp": ear.getsockname()[1]}
        for number in range(3):
            page = shop.routes[f"/app/{number}"].body
            shop.routes[f"/app/{number}"] = Answer(page.replace(b"<body>", b"<body>" + (ESCAPES % values).encode()))
        shop.routes["/popup"] = Answer(b"<title>popup</title><script>fetch('/from-popup')</script>")
        shop.routes["/download.bin"] = Answer(b"x" * 1000, kind="application/octet-stream")
        before = set(pathlib.Path(tempfile.gettempdir()).rglob("x.html"))
        report = crawled(shop, tmp_path, start_urls=[shop.url + "/c/app"], **APP)
        with contextlib.suppress(TimeoutError):
            told.append(ear.recv(999))
    assert (report["products"], report["errors"]) == (3, {})
    paths = {path.partition("?")[0] for path, _ in shop.seen}
    assert not {path for path in paths if "secret" in path or path == "/worker.js"}, paths
    assert told == [], "a packet left the browser beside the proxy"
    assert set(pathlib.Path(tempfile.gettempdir()).rglob("x.html")) == before
    assert counted(tmp_path, "playwright/page_count/max_concurrent") <= 12


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_what_scripts_load_counts_and_ends_a_night_and_both_schemes_share_a_browser(shop, tmp_path):
    scripted(shop, 6)
    for number in range(6):
        page = shop.routes[f"/app/{number}"].body
        shop.routes[f"/app/{number}"] = Answer(
            page.replace(b"<body>", b"<body><script src=/big.js?%d></script>" % number)
        )
    shop.routes["/big.js"] = Answer(b"//" + b"x" * 400_000, kind="text/javascript")
    secure = shop.url.replace("http:", "https:") + "/app/secure"
    shop.routes["/c/app"].body += f'<a href="{secure}"><img src="/img/app-0.jpg"></a>'.encode()
    where = {"start_urls": [shop.url + "/c/app"], "render": "always", **APP}
    report = crawled(shop, tmp_path, caps={"retries": 0}, **where)
    assert report["products"] == 6
    assert 6 * 400_000 < report["bytes"] < 7 * 400_000
    assert counted(tmp_path, "playwright/browser_count") == 1
    assert "ERR_SSL_PROTOCOL_ERROR" in (tmp_path / "log").read_text()
    report = crawled(shop, tmp_path, now=NOW + timedelta(days=1), caps={"total_bytes": 1_000_000}, **where)
    assert report["ended"] == "byte_limit"
    assert report["bytes"] < 2_200_000
