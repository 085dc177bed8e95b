"""The browser's proxy asked by hand, as a page that broke out of its browser would: a raw socket, any bytes."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
from conftest_shop import Answer

from crawlers import proxy as proxies
from crawlers.proxy import GuardProxy, listen


@pytest.fixture
def proxy():
    """Serve the guard on a port, with 127.0.0.1 as the only host of this machine that it lets pass; yield the port."""
    listening, ready, loop = listen(), threading.Event(), asyncio.new_event_loop()
    made = GuardProxy(frozenset({"127.0.0.1"}))

    async def begin():
        await made.start(listening)
        ready.set()

    thread = threading.Thread(target=lambda: (loop.run_until_complete(begin()), loop.run_forever()), daemon=True)
    thread.start()
    assert ready.wait(5)
    yield listening.getsockname()[1]
    loop.call_soon_threadsafe(made.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)
    listening.close()


def ask(port, *parts, pause=0.2):
    """Send ``parts`` on one connection, ``pause`` seconds apart, and return all that comes until it is closed."""
    got: list[bytes] = []

    def take(line):
        with contextlib.suppress(ConnectionResetError):
            while data := line.recv(65_536):
                got.append(data)

    with socket.create_connection(("127.0.0.1", port), 10) as line:
        taking = threading.Thread(target=take, args=(line,))
        taking.start()
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            for number, part in enumerate(parts):
                time.sleep(pause if number else 0)
                line.sendall(part)
        taking.join(10)
    return b"".join(got)


def get(target, *headers):
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: shop.example", *headers, "", ""]).encode()


@pytest.fixture
def inside(server):
    """Return a server of this machine that may be reached as 127.0.0.1 and by no other name."""
    server.routes |= {"/a": Answer(b"page a"), "/b": Answer(b"page b"), "/secret": Answer(b"secret")}
    server.port = server.url.rpartition(":")[2]
    return server


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_one_request_a_connection_kept_alive_or_pipelined(inside, proxy, pause):
    first, second = get(f"{inside.url}/a", "Connection: keep-alive"), get(f"http://localhost:{inside.port}/secret")
    got = ask(proxy, first, second, get(f"{inside.url}/b"), pause=pause)
    assert got.startswith(b"HTTP/1.1 200")
    assert got.endswith(b"page a")
    assert b"Connection: close" in got
    assert [path for path, _ in inside.seen] == ["/a"]
    assert inside.seen[0][1]["Connection"] == "close"
    assert ask(proxy, first + second + first).count(b"HTTP/1.") == 1
    assert [path for path, _ in inside.seen] == ["/a", "/a"]


def test_of_a_body_its_length_is_passed_on_and_chunks_are_refused(inside, proxy):
    got = []

    def take(server, handler):
        got.append(handler.rfile.read(int(handler.headers["Content-Length"])))
        return Answer(b"thanks")

    inside.routes["/a"] = take
    line = f"GET {inside.url}/a HTTP/1.1\r\nHost: x\r\n".encode()
    told = ask(proxy, line + b"Content-Length: 5\r\n\r\nhello" + get(f"{inside.url}/secret"))
    assert (told[-6:], got) == (b"thanks", [b"hello"])
    for headers in (b"Transfer-Encoding: chunked\r\n", b"Content-Length: 4\r\ntransfer-encoding : chunked\r\n"):
        began = time.monotonic()
        assert ask(proxy, line + headers + b"\r\n2\r\nhi\r\n0\r\n\r\n").startswith(b"HTTP/1.1 411")
        assert time.monotonic() - began < 5
    assert [path for path, _ in inside.seen] == ["/a"]


REFUSED = [
    "localhost",
    "localhost.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "127.0.0.1.",
    "127.0.0.2",
    "0.0.0.0",
    "169.254.169.254",
    "[fe80::1]",
    "10.0.0.1",
    "a:b@localhost",
    "127.0.0.1@localhost",
    "127.0.0.1\\@localhost",
]


@pytest.mark.parametrize("host", REFUSED)
def test_addresses_that_are_not_public_are_refused_plain_and_tunnelled(inside, proxy, host):
    plain = ask(proxy, get(f"http://{host}:{inside.port}/secret"))
    tunnel = ask(proxy, f"CONNECT {host}:{inside.port} HTTP/1.1\r\n\r\n".encode(), get("/secret"))
    for got in (plain, tunnel):  # closed without a word where the name means nothing
        assert got == b"" or got.startswith(b"HTTP/1.1 403 Forbidden"), got
    assert inside.seen == []


def test_a_tunnel_leads_to_the_address_that_was_checked_whatever_is_said_in_it(inside, proxy):
    opened = f"CONNECT 127.0.0.1:{inside.port} HTTP/1.1\r\nHost: shop.example\r\n\r\n".encode()
    inner = get("/a", "Connection: close")
    got = ask(proxy, opened, inner)
    assert got.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200")
    again = f"CONNECT localhost:{inside.port} HTTP/1.1\r\n\r\n".encode()
    assert b"secret" not in ask(proxy, opened, again, get("/secret"))
    assert [path for path, _ in inside.seen] == ["/a"]


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET http://127.0.0.1\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1:99999/ HTTP/1.1\r\n\r\n",
        b"CONNECT :80 HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1:0 HTTP/1.1\r\n\r\n",
        b"GET https://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET /etc/passwd HTTP/1.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET http://" + b"x" * 300 + b".example/ HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",
        b"\xff\xfe\x00 http://127.0.0.1/ \x00\r\n\r\n",
    ],
    ids=range(14),
)
def test_heads_that_are_none_end_at_once_and_the_next_is_served(inside, proxy, head):
    began = time.monotonic()
    got = ask(proxy, head)
    assert got == b"" or got.startswith(b"HTTP/1.1 403"), got
    assert time.monotonic() - began < 5
    assert ask(proxy, get(f"{inside.url}/a")).endswith(b"page a")


def test_a_head_that_drips_ends_in_time(inside, proxy, monkeypatch):
    monkeypatch.setattr(proxies, "SECONDS", 1.0)
    began = time.monotonic()
    assert ask(proxy, b"GET ", *[b"x"] * 40, pause=0.1) == b""
    assert time.monotonic() - began < 6
    assert inside.seen == []
