"""Pages fetched one at a time, for a person at a terminal: guarded, capped and polite like a crawl."""

import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

from crawlers import guard
from crawlers.errors import CrawlError
from crawlers.readers.urls import absolute

HOPS = 5
BYTES = 10_000_000
SECONDS = 40.0
_BUSY = frozenset({429, 503})
_NOT_ASCII = re.compile(r"[^\x21-\x7e]")
"""Bytes of a Location, read as Latin-1, that go back percent-encoded as they came."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class AnsweredError(CrawlError):
    """A page that was not given; ``status`` is what came instead, and the message says what to do about it."""

    _REMEDIES: ClassVar[dict[int, str]] = {
        401: "the shop lets nobody in without a password",
        403: "the shop refuses this crawler; ask it, and name a contact in the user agent",
        429: "the shop wants no more requests now; try again later",
        503: "the shop is busy; try again later",
    }

    def __init__(self, url: str, status: int) -> None:
        remedy = "its server fails; try again later" if status >= 500 else "check the address"
        super().__init__(f"{url} answered {status}: {self._REMEDIES.get(status, remedy)}")
        self.status = status


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

    ``get`` takes a page of at most 10 MB within 40 seconds over at most five redirects. A host that answered 429 or 503
    is not asked again.
    """

    def __init__(self, user_agent: str, *, allow_loopback: bool = False, pause: float = 0.0) -> None:
        self.user_agent, self.allow_loopback, self.pause = user_agent, allow_loopback, pause
        self._robots: dict[str, Any] = {}
        self._busy: dict[str, AnsweredError] = {}
        self._next = 0.0

    def get(self, url: str, most: int = BYTES) -> Fetched:
        """Return the page at ``url``, of at most ``most`` bytes.

        Raises CrawlError when an address may not be connected to, robots.txt disallows the page or cannot be had, and
        AnsweredError when the answer is not 200.
        """
        host = urlsplit(url).netloc
        if host in self._busy:
            raise self._busy[host]
        time.sleep(max(self._next - time.monotonic(), 0.0))
        try:
            where, status, headers, body = self._followed(url, time.monotonic() + SECONDS, obey=True, most=most)
        finally:
            self._next = time.monotonic() + self.pause
        if status != http.client.OK:
            error = AnsweredError(where, status)
            if status in _BUSY:
                self._busy[host] = error
            raise error
        return Fetched(where, body, headers)

    def robots(self, url: str) -> Any:
        """Return the Protego rules of the host of ``url``; a missing file allows all.

        Raises AnsweredError for a server that fails or is busy: until it answers nothing may be fetched (RFC 9309,
        2.3.1.4).
        """
        from protego import Protego

        place = urljoin(url, "/robots.txt")
        if place not in self._robots:
            _, status, _, body = self._followed(place, time.monotonic() + SECONDS, obey=False)
            if status >= 500 or status == 429:
                raise AnsweredError(place, status)
            text = body[: guard.ROBOTS_BYTES].decode("utf-8-sig", "replace") if status == http.client.OK else ""
            self._robots[place] = Protego.parse(text)
        return self._robots[place]

    def _followed(
        self, url: str, deadline: float, *, obey: bool, most: int = BYTES
    ) -> tuple[str, int, dict[str, str], bytes]:
        url = absolute(url, url) or url
        for _ in range(HOPS + 1):
            if reason := guard.check_url(url, frozenset({urlsplit(url).hostname or ""} if self.allow_loopback else ())):
                raise CrawlError(f"{url} is not fetched: {reason}")
            if obey and not self.robots(url).can_fetch(url, self.user_agent):
                raise CrawlError(f"{url}: robots.txt disallows it; save the page by hand and read the file")
            status, headers, body = _once(url, self.user_agent, deadline, self.allow_loopback, most)
            target = headers.get("location")
            if status not in REDIRECTS or not target:
                return url, status, headers, body
            url = urljoin(url, _NOT_ASCII.sub(lambda found: f"%{ord(found[0]):02X}", target.strip()))
        raise CrawlError(f"{url}: more than {HOPS} redirects; give the final address")


def _once(
    url: str, user_agent: str, deadline: float, allow_loopback: bool, most: int
) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = _Checked(host, port, _resolved(url, host, port, allow_loopback), tls=parts.scheme == "https")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with _ended_at(deadline, connection):
            headers = {"User-Agent": user_agent, "Accept": "text/html,*/*;q=0.5", "Accept-Encoding": "gzip"}
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = _capped(answer, url, most)
        if answer.headers.get("Content-Encoding", "").strip().lower() in {"gzip", "x-gzip"}:
            body = _unpacked(body, url, most)
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


def _capped(answer: http.client.HTTPResponse, url: str, most: int) -> bytes:
    body = bytearray()
    while chunk := answer.read1(65536):
        body += chunk
        if len(body) > most:
            raise CrawlError(f"{url} is larger than {most:,} bytes; save what matters of it and read the file")
    if answer.length:
        raise http.client.IncompleteRead(bytes(body), answer.length)
    return bytes(body)


def _unpacked(body: bytes, url: str, most: int) -> bytes:
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        page = stream.decompress(body, most)
    except zlib.error as error:
        raise CrawlError(f"{url}: its gzip body is damaged ({error}); try again") from error
    if stream.unconsumed_tail:
        raise CrawlError(f"{url} unpacks to more than {most:,} bytes; save what matters of it and read the file")
    if not stream.eof:
        raise CrawlError(f"{url}: its gzip body ends too early; try again")
    return page
