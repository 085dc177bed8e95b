"""One page, fetched once, for a person at a terminal: guarded, capped and polite like a crawl."""

import http.client
import socket
import ssl
import time
import zlib
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from crawlers import guard
from crawlers.errors import CrawlError

HOPS = 5
BYTES = 10_000_000
SECONDS = 40.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """A page as it came: ``url`` is where the redirects ended."""

    url: str
    body: bytes


class _Checked(http.client.HTTPConnection):
    """Connects to the very address that was checked, so that a name cannot resolve to another one in between."""

    def __init__(self, host: str, port: int, address: str, *, tls: bool) -> None:
        super().__init__(host, port, timeout=SECONDS / 4)
        self._address, self._tls = address, tls

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._tls:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def fetch(url: str, *, user_agent: str, allow_loopback: bool = False, obey_robots: bool = True) -> Fetched:
    """Fetch a page of at most 10 MB within 40 seconds over at most five redirects.

    Raises CrawlError when an address may not be connected to, robots.txt disallows the page, or the answer is not 200.
    """
    deadline = time.monotonic() + SECONDS
    for _ in range(HOPS + 1):
        if obey_robots and not _allowed(url, user_agent, deadline, allow_loopback):
            raise CrawlError(f"{url}: robots.txt disallows it; save the page by hand and read the file")
        status, target, body = _once(url, user_agent, deadline, allow_loopback)
        if status == http.client.OK:
            return Fetched(url, body)
        if status not in REDIRECTS or not target:
            raise CrawlError(f"{url} answered {status}; check the address")
        url = urljoin(url, target)
    raise CrawlError(f"{url}: more than {HOPS} redirects; give the final address")


def _allowed(url: str, user_agent: str, deadline: float, allow_loopback: bool) -> bool:
    from protego import Protego

    status, _, body = _once(urljoin(url, "/robots.txt"), user_agent, deadline, allow_loopback)
    if status != http.client.OK:
        return True
    return bool(Protego.parse(body.decode("utf-8", "replace")).can_fetch(url, user_agent))


def _once(url: str, user_agent: str, deadline: float, allow_loopback: bool) -> tuple[int, str | None, bytes]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if reason := guard.check_url(url, frozenset({host}) if allow_loopback else frozenset()):
        raise CrawlError(f"{url} is not fetched: {reason}")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = _Checked(host, port, _resolved(url, host, port, allow_loopback), tls=parts.scheme == "https")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        headers = {"User-Agent": user_agent, "Accept": "text/html,*/*;q=0.5", "Accept-Encoding": "gzip"}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = _capped(answer, url, deadline)
        if answer.headers.get("Content-Encoding") == "gzip":
            body = _unpacked(body, url)
        return answer.status, answer.headers.get("Location"), body
    except (OSError, http.client.HTTPException) as error:
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


def _capped(answer: http.client.HTTPResponse, url: str, deadline: float) -> bytes:
    body = bytearray()
    while chunk := answer.read1(65536):
        body += chunk
        if len(body) > BYTES:
            raise CrawlError(f"{url} is larger than {BYTES:,} bytes; save what matters of it and read the file")
        if time.monotonic() > deadline:
            raise CrawlError(f"{url} took longer than {SECONDS:.0f} s; try again later")
    return bytes(body)


def _unpacked(body: bytes, url: str) -> bytes:
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        page = stream.decompress(body, BYTES)
    except zlib.error as error:
        raise CrawlError(f"{url}: its gzip body is damaged ({error}); try again") from error
    if stream.unconsumed_tail:
        raise CrawlError(f"{url} unpacks to more than {BYTES:,} bytes; save what matters of it and read the file")
    return page
