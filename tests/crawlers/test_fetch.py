import gzip
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crawlers import fetch as fetching
from crawlers.errors import CrawlError
from crawlers.fetch import Fetched, Visitor

AGENT = "LookBenchBot/0.1 (tests)"
PACKED = gzip.compress(b"<h1>packed</h1>")
BOMB = gzip.compress(b"0" * 60_000_000)


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path in {"/slow-head", "/slow"}:
            drip(self)
            return
        answers: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /members/\n"),
            "/page": (200, {}, b"<h1>plain</h1>"),
            "/packed": (200, {"Content-Encoding": "gzip"}, PACKED),
            "/bomb": (200, {"Content-Encoding": "gzip"}, BOMB),
            "/huge": (200, {}, b"0" * 10_000_001),
            "/moved": (302, {"Location": "/page"}, b""),
            "/inside": (302, {"Location": "http://169.254.169.254/latest/meta-data"}, b""),
            "/file": (302, {"Location": "file:///etc/hostname"}, b""),
            "/half": (200, {"Content-Encoding": "gzip"}, PACKED[:-9]),
            "/cut": (200, {"Content-Length": "99"}, b"<h1>cut"),
            "/user": (302, {"Location": "http://shop.example:pw@127.0.0.1/"}, b""),
            "/number": (302, {"Location": "http://2852039166/latest/meta-data"}, b""),
            "/gr%C3%B6%C3%9Fe": (200, {}, b"<h1>sizes</h1>"),
            "/raw": (302, {"Location": "/größe".encode().decode("latin-1")}, b""),
            "/port": (302, {"Location": "http://127.0.0.1:99999/"}, b""),
            "/loop": (302, {"Location": "/loop"}, b""),
        }
        status, headers, body = answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Send a head, or a body after its head, in bytes that come faster than any timeout between two of them."""
    sent = b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if handler.path == "/slow" else b"X-Slow: ")
    for byte in sent + b"x" * 600:
        try:
            handler.wfile.write(bytes([byte]))
        except OSError:
            return
        time.sleep(0.02)


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
    assert fetch(f"{shop}/größe", allow_loopback=True).body == b"<h1>sizes</h1>"
    assert fetch(f"{shop}/raw", allow_loopback=True).body == b"<h1>sizes</h1>"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/members/1", "robots.txt disallows"),
        ("/inside", r"169\.254\.169\.254 is not a public address"),
        ("/file", "file: addresses are never fetched"),
        ("/half", "ends too early"),
        ("/cut", "cannot be fetched"),
        ("/user", "user name"),
        ("/number", r"169\.254\.169\.254 is not a public address"),
        ("/port", "is no address"),
        ("/missing", "answered 404: check the address"),
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


@pytest.mark.parametrize("path", ["/slow-head", "/slow"])
def test_a_head_or_body_that_drips_ends_in_time(shop: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch(f"{shop}/page", allow_loopback=True)
    monkeypatch.setattr(fetching, "SECONDS", 1.5)
    began = time.monotonic()
    with pytest.raises(CrawlError, match="took longer"):
        fetch(f"{shop}{path}", allow_loopback=True)
    assert time.monotonic() - began < 8


def test_the_address_connected_to_is_the_one_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, connected = ["93.184.216.34", "127.0.0.1"], []
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *given, **more: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), 80))],
    )

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError("no network here")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(CrawlError, match="no network here"):
        fetch("http://rebind.example/page")
    assert connected == [("93.184.216.34", 80)]
    with pytest.raises(CrawlError, match="this machine itself"):
        fetch("http://rebind.example/page")
    assert connected == [("93.184.216.34", 80)]
