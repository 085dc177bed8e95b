"""Pages fetched one at a time, for a person at a terminal: guarded, capped and polite like a crawl."""

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from crawlers import guard
from crawlers.errors import CrawlError

HOPS = 5
BYTES = 10_000_000
SECONDS = 40.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """A page as it came: ``url`` is where the redirects ended; names of ``headers`` are lower case."""

    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class _Checked(http.client.HTTPConnection):
    """Connects to the very address that was checked, so that a name cannot resolve to another one in between."""

    def __init__(self, host: str, port: int, address: str, *, tls: bool) -> None:
        super().__init__(host, port, timeout=SECONDS / 4)
        self._address, self._tls = address, tls
        self.line: socket.socket | None = None
        """The socket, also when the answer has taken it over."""

    def connect(self) -> None:
        self.sock = self.line = socket.create_connection((self._address, self.port), self.timeout)
        if self._tls:
            self.sock = self.line = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


class Visitor:
    """Fetches pages one after another: robots.txt is read once per host, and ``pause`` seconds lie between two pages.

    ``get`` takes a page of at most 10 MB within 40 seconds over at most five redirects.
    """

    def __init__(self, user_agent: str, *, allow_loopback: bool = False, pause: float = 0.0) -> None:
        self.user_agent, self.allow_loopback, self.pause = user_agent, allow_loopback, pause
        self._robots: dict[str, Any] = {}
        self._next = 0.0

    def get(self, url: str) -> Fetched:
        """Return the page at ``url``.

        Raises CrawlError when an address may not be connected to, robots.txt disallows the page, or the answer is not
        200.
        """
        time.sleep(max(self._next - time.monotonic(), 0.0))
        try:
            where, status, headers, body = self._followed(url, time.monotonic() + SECONDS, obey=True)
        finally:
            self._next = time.monotonic() + self.pause
        if status != http.client.OK:
            raise CrawlError(f"{where} answered {status}; check the address")
        return Fetched(where, body, headers)

    def robots(self, url: str) -> Any:
        """Return the Protego rules of the host of ``url``; a failing server allows nothing, a missing file all."""
        from protego import Protego

        place = urljoin(url, "/robots.txt")
        if place not in self._robots:
            _, status, _, body = self._followed(place, time.monotonic() + SECONDS, obey=False)
            text = body[: guard.ROBOTS_BYTES].decode("utf-8", "replace") if status == http.client.OK else ""
            busy = status >= 500 or status == 429  # RFC 9309, 2.3.1
            self._robots[place] = Protego.parse("User-agent: *\nDisallow: /" if busy else text)
        return self._robots[place]

    def _followed(self, url: str, deadline: float, *, obey: bool) -> tuple[str, int, dict[str, str], bytes]:
        for _ in range(HOPS + 1):
            if obey and not self.robots(url).can_fetch(url, self.user_agent):
                raise CrawlError(f"{url}: robots.txt disallows it; save the page by hand and read the file")
            status, headers, body = _once(url, self.user_agent, deadline, self.allow_loopback)
            target = headers.get("location")
            if status not in REDIRECTS or not target:
                return url, status, headers, body
            url = urljoin(url, target)
        raise CrawlError(f"{url}: more than {HOPS} redirects; give the final address")


def _once(url: str, user_agent: str, deadline: float, allow_loopback: bool) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if reason := guard.check_url(url, frozenset({host}) if allow_loopback else frozenset()):
        raise CrawlError(f"{url} is not fetched: {reason}")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = _Checked(host, port, _resolved(url, host, port, allow_loopback), tls=parts.scheme == "https")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with _ended_at(deadline, connection):
            headers = {"User-Agent": user_agent, "Accept": "text/html,*/*;q=0.5", "Accept-Encoding": "gzip"}
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = _capped(answer, url)
        if answer.headers.get("Content-Encoding", "").strip().lower() in {"gzip", "x-gzip"}:
            body = _unpacked(body, url)
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, body
    except (OSError, http.client.HTTPException) as error:
        if time.monotonic() > deadline:
            raise CrawlError(f"{url} took longer than {SECONDS:.0f} s; try again later") from error
        raise CrawlError(f"{url} cannot be fetched: {error}; check the address and try again") from error
    finally:
        connection.close()


def _resolved(url: str, host: str, port: int, allow_loopback: bool) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CrawlError(f"{url}: {host} does not resolve ({error}); check the name") from error
    for entry in found:
        if reason := guard.refusal(str(entry[4][0]), allow_loopback=allow_loopback):
            raise CrawlError(f"{url} is not fetched: {reason}")
    return str(found[0][4][0])


@contextmanager
def _ended_at(deadline: float, connection: _Checked) -> Iterator[None]:
    """End a connection when its time is over, whatever it is at: a head of one byte a second meets no timeout."""

    def end() -> None:
        with suppress(OSError):
            if connection.line:  # before that, the timeout of the connection holds
                connection.line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(deadline - time.monotonic(), end)
    timer.start()
    try:
        yield
        if time.monotonic() > deadline:
            raise TimeoutError
    finally:
        timer.cancel()


def _capped(answer: http.client.HTTPResponse, url: str) -> bytes:
    body = bytearray()
    while chunk := answer.read1(65536):
        body += chunk
        if len(body) > BYTES:
            raise CrawlError(f"{url} is larger than {BYTES:,} bytes; save what matters of it and read the file")
    if answer.length:
        raise http.client.IncompleteRead(bytes(body), answer.length)
    return bytes(body)


def _unpacked(body: bytes, url: str) -> bytes:
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        page = stream.decompress(body, BYTES)
    except zlib.error as error:
        raise CrawlError(f"{url}: its gzip body is damaged ({error}); try again") from error
    if stream.unconsumed_tail:
        raise CrawlError(f"{url} unpacks to more than {BYTES:,} bytes; save what matters of it and read the file")
    if not stream.eof:
        raise CrawlError(f"{url}: its gzip body ends too early; try again")
    return page
