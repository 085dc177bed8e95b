"""A forward proxy on loopback through which the browser goes, so that the guard sees every hop it makes.

A browser follows redirects, resolves names and opens sockets by itself; routes seen from outside miss the second hop.
The proxy resolves each host, refuses addresses that the guard refuses, and connects to the address that it checked.
"""

import asyncio
import logging
import socket
from urllib.parse import urlsplit

from crawlers import guard

log = logging.getLogger("crawl")
HEAD_BYTES = 65_536
MOST_BYTES = 64_000_000
SECONDS = 60.0
_DROPPED = (b"proxy-connection:", b"connection:", b"keep-alive:", b"proxy-authorization:")


def listen() -> socket.socket:
    """Return a socket that listens on a free port of loopback."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.bind(("127.0.0.1", 0))
    made.listen(64)
    made.setblocking(False)
    return made


class GuardProxy:
    """Serves CONNECT and plain HTTP for one crawl; ``loopback_hosts`` are the hosts that may be this machine."""

    def __init__(self, loopback_hosts: frozenset[str]) -> None:
        self.loopback_hosts = loopback_hosts
        self.refused: list[str] = []
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
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
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
        if address is None:
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return
        upstream, sink = await asyncio.open_connection(address, port)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                lines = [line for line in head.split(b"\r\n")[1:] if line and not line.lower().startswith(_DROPPED)]
                first = f"{method} {path} {version}".encode("latin-1")
                sink.write(b"\r\n".join([first, *lines, b"Connection: close", b"", b""]))
            await asyncio.gather(_pipe(reader, sink), _pipe(upstream, writer))
        finally:
            sink.close()

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


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    total = 0
    while data := await reader.read(65_536):
        total += len(data)
        if total > MOST_BYTES:
            break
        writer.write(data)
        await writer.drain()
    writer.close()
