import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crawlers.errors import CrawlError
from crawlers.fetch import Fetched, Visitor

AGENT = "LookBenchBot/0.1 (tests)"
PACKED = gzip.compress(b"<h1>packed</h1>")
BOMB = gzip.compress(b"0" * 60_000_000)


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        answers: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /members/\n"),
            "/page": (200, {}, b"<h1>plain</h1>"),
            "/packed": (200, {"Content-Encoding": "gzip"}, PACKED),
            "/bomb": (200, {"Content-Encoding": "gzip"}, BOMB),
            "/huge": (200, {}, b"0" * 10_000_001),
            "/moved": (302, {"Location": "/page"}, b""),
            "/inside": (302, {"Location": "http://169.254.169.254/latest/meta-data"}, b""),
            "/file": (302, {"Location": "file:///etc/hostname"}, b""),
            "/loop": (302, {"Location": "/loop"}, b""),
        }
        status, headers, body = answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def fetch(url: str, *, allow_loopback: bool = False) -> Fetched:
    return Visitor(AGENT, allow_loopback=allow_loopback).get(url)


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def test_a_page_comes_whole_unpacked_and_after_redirects(shop: str) -> None:
    assert fetch(f"{shop}/page", allow_loopback=True).body == b"<h1>plain</h1>"
    assert fetch(f"{shop}/packed", allow_loopback=True).body == b"<h1>packed</h1>"
    assert fetch(f"{shop}/moved", allow_loopback=True).url == f"{shop}/page"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/members/1", "robots.txt disallows"),
        ("/missing", "answered 404"),
        ("/inside", r"169\.254\.169\.254 is not a public address"),
        ("/file", "file: addresses are never fetched"),
        ("/loop", "more than 5 redirects"),
        ("/huge", "larger than 10,000,000 bytes"),
        ("/bomb", "unpacks to more than 10,000,000 bytes"),
    ],
)
def test_what_must_not_be_fetched_is_refused(shop: str, path: str, words: str) -> None:
    with pytest.raises(CrawlError, match=words):
        fetch(f"{shop}{path}", allow_loopback=True)


def test_this_machine_is_refused_unless_allowed(shop: str) -> None:
    with pytest.raises(CrawlError, match="this machine itself"):
        fetch(f"{shop}/page")
