"""A forward proxy on loopback through which the browser goes, so that the guard sees every hop it makes.

A browser follows redirects, resolves names and opens sockets by itself; routes seen from outside miss the second hop.
The proxy resolves each host, refuses addresses that the guard refuses, and connects to the address that it checked.
"""

import asyncio
import logging
import re
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from crawlers import guard

log = logging.getLogger("crawl")
HEAD_BYTES = 65_536
MOST_BYTES = 64_000_000
SECONDS = 60.0
_DROPPED = (b"proxy-connection:", b"connection:", b"keep-alive:", b"proxy-authorization:")

_CHUNKED = re.compile(rb"(?im)^transfer-encoding\s*:")


def listen() -> socket.socket:
    """Return a socket that listens on a free port of loopback."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.bind(("127.0.0.1", 0))
    made.listen(64)
    made.setblocking(False)
    return made


class GuardProxy:
    """Serves CONNECT and plain HTTP for one crawl, one request a connection.

    ``loopback_hosts`` are the hosts that may be this machine; after ``most`` bytes received nothing more is fetched.
    ``count`` is told the size of what came.
    """

    def __init__(self, loopback_hosts: frozenset[str], most: float = float("inf")) -> None:
        self.loopback_hosts, self.most = loopback_hosts, most
        self.refused: list[str] = []
        self.received = 0
        self.count: Callable[[int], Any] = lambda _: None
        self._server: asyncio.Server | None = None

    async def start(self, listening: socket.socket) -> None:
        """Begin to serve on a socket made by ``listen``."""
        self._server = await asyncio.start_server(self._serve, sock=listening, limit=HEAD_BYTES)

    def close(self) -> None:
        """Stop to take connections."""
        if self._server:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS):
                await self._handle(reader, writer)
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            log.debug("browser connection ended: %s", error)
        finally:
            writer.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, version = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host, port = parts.hostname or "", parts.port or (443 if tunnel or parts.scheme == "https" else 80)
        address = await self._checked(host, port) if tunnel or parts.scheme == "http" else None
        if address is None or self.received > self.most:
            await _refuse(writer, b"403 Forbidden")
            return
        if not tunnel and _CHUNKED.search(head):
            await _refuse(writer, b"411 Length Required")  # how much of it to pass on, and no more, is not told
            return
        upstream, sink = await asyncio.open_connection(address, port, limit=HEAD_BYTES)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_tunnel(reader, sink), self._receive(upstream, writer))
                return
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            sink.write(_once(f"{method} {path} {version}".encode("latin-1"), head))
            sending = asyncio.create_task(_pipe(reader, sink, _body_bytes(head)))
            try:
                answer = await upstream.readuntil(b"\r\n\r\n")
                while re.match(rb"HTTP/1\.[01] 1", answer):  # nothing yet
                    answer = await upstream.readuntil(b"\r\n\r\n")
                writer.write(_once(answer.split(b"\r\n", 1)[0], answer))
                self._took(len(answer))
                await self._receive(upstream, writer)
            finally:
                sending.cancel()
        finally:
            sink.close()

    def _took(self, size: int) -> None:
        self.received += size
        self.count(size)

    async def _receive(self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        total = 0
        while (data := await upstream.read(65_536)) and total <= MOST_BYTES and self.received <= self.most:
            total += len(data)
            self._took(len(data))
            writer.write(data)
            await writer.drain()
        writer.close()

    async def _checked(self, host: str, port: int) -> str | None:
        """Return an address of ``host`` that may be connected to, or None."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        for entry in found:
            address = str(entry[4][0])
            if guard.refusal(address, allow_loopback=host in self.loopback_hosts) is None:
                return address
        self.refused.append(host)
        log.warning("the browser was kept from %s: not a public address", host)
        return None


async def _refuse(writer: asyncio.StreamWriter, status: bytes) -> None:
    writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    await writer.drain()


def _once(first: bytes, head: bytes) -> bytes:
    """Return a head whose connection ends with it: a connection that is kept would carry requests to other hosts."""
    lines = [line for line in head.split(b"\r\n")[1:] if line and not line.lower().startswith(_DROPPED)]
    return b"\r\n".join([first, *lines, b"Connection: close", b"", b""])


def _body_bytes(head: bytes) -> int:
    found = re.search(rb"(?im)^content-length:\s*(\d{1,8})\r$", head)
    return int(found[1]) if found else 0


async def _tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _pipe(reader, writer)
    writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int = MOST_BYTES) -> None:
    while most > 0 and (data := await reader.read(min(most, 65_536))):
        most -= len(data)
        writer.write(data)
        await writer.drain()
