"""Addresses that a crawl may connect to: public ones only, checked after resolution, at every hop."""

import contextlib
import ipaddress
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

HEAD_BYTES = 262_144
"""Largest status line and headers of an answer."""
ROBOTS_BYTES = 512_000
"""What is read of a robots.txt: 500 KiB, as RFC 9309 (2.5) asks and Google does; the rest is ignored."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""The one range of IPv6 that IANA gives out as global unicast."""
refused: dict[str, str] = {}
"""Hosts that a resolver of this process refused, with the address that was the reason."""


def refusal(address: str, *, allow_loopback: bool = False) -> str | None:
    """Return why an IP address may not be connected to, or None when it may.

    Private, loopback, link-local, multicast, unspecified and reserved ranges are refused, also where IPv6 wraps such
    an IPv4 address. ``allow_loopback`` lets loopback pass and nothing else.
    """
    try:
        ip = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return f"{address} is no IP address"
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return refusal(str(inner), allow_loopback=allow_loopback)
    if ip.is_loopback:
        return None if allow_loopback else f"{ip} is this machine itself"
    if not ip.is_global or ip.is_multicast or ip.is_reserved or (ip.version == 6 and ip not in _UNICAST):
        return f"{ip} is not a public address"
    return None


def check_url(url: str, loopback_hosts: frozenset[str] = frozenset()) -> str | None:
    """Return why an address may not be fetched: its scheme, a user name, its host, or the IP address written in it;
    None when it may."""
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return f"{url!r} is no address"
    if parts.scheme not in {"http", "https"}:
        return f"{parts.scheme}: addresses are never fetched"
    if not host:
        return f"{url!r} names no host"
    if "@" in parts.netloc or "\\" in parts.netloc:
        return f"{parts.netloc} holds a user name or a backslash, which readers of addresses take differently"
    if host == "localhost" or host.endswith(".localhost"):
        return None if host in loopback_hosts else f"{host} is this machine itself"
    written = _written(host)
    return refusal(written, allow_loopback=host in loopback_hosts) if written else None


def _written(host: str) -> str | None:
    """Return the IP address that a host is, also in the forms that resolvers and browsers take: ``0x7f.1``,
    ``2130706433``, ``0177.0.0.1``; None for a name."""
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(host.split("%", 1)[0]))
    with contextlib.suppress(OSError, UnicodeError):
        return socket.inet_ntoa(socket.inet_aton(host))
    return None


def limit_heads() -> None:
    """Make this process drop an answer whose headers are larger than HEAD_BYTES.

    Twisted caps the length of a line, not how many there are: a server that never ends its headers fills the memory.
    """
    from twisted.web._newclient import BODY, HTTPClientParser, ParseError

    received = HTTPClientParser.dataReceived

    def capped(parser: Any, data: bytes) -> None:
        if parser.state != BODY:
            parser.head_bytes = getattr(parser, "head_bytes", 0) + len(data)
            if parser.head_bytes > HEAD_BYTES:
                raise ParseError(f"headers larger than {HEAD_BYTES} bytes", data[:80])
        received(parser, data)

    HTTPClientParser.dataReceived = capped


class Resolver:
    """Scrapy's name resolver (setting TWISTED_DNS_RESOLVER) that hands out permitted addresses only.

    The connection goes to exactly the address that was checked, so a name that changes between check and use gains
    nothing.
    """

    def __init__(self, reactor: Any, loopback_hosts: frozenset[str]) -> None:
        self.reactor = reactor
        self.inner = reactor.nameResolver
        self.loopback_hosts = loopback_hosts

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "Resolver":
        """Build the resolver from the crawler's settings."""
        return cls(reactor, frozenset(crawler.settings.getlist("LOOKBENCH_LOOPBACK_HOSTS")))

    def install_on_reactor(self) -> None:
        """Make the reactor resolve names through this resolver."""
        self.reactor.installNameResolver(self)

    def resolveHostName(self, receiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, N803 - Twisted's names
        """Resolve as the reactor does, passing on permitted addresses only."""
        allow = hostName in self.loopback_hosts
        return self.inner.resolveHostName(_Filter(receiver, hostName, allow_loopback=allow), hostName, *args, **kwargs)


class _Filter:
    def __init__(self, receiver: Any, host: str, *, allow_loopback: bool) -> None:
        self.receiver, self.host, self.allow_loopback = receiver, host, allow_loopback
        self.resolutionBegan: Callable[[Any], None] = receiver.resolutionBegan
        self.resolutionComplete: Callable[[], None] = receiver.resolutionComplete

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - Twisted's name
        reason = refusal(address.host, allow_loopback=self.allow_loopback)
        if reason:
            refused[self.host] = reason
        else:
            self.receiver.addressResolved(address)
