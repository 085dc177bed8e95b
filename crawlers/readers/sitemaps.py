"""Sitemaps: indexes, gzip, image and hreflang extensions, plain text lists; entities are never expanded."""

import zlib
from dataclasses import dataclass
from typing import Any

from crawlers.readers.texts import squeeze
from crawlers.readers.urls import absolute, is_home

MAX_BYTES = 60_000_000
MAX_ENTRIES = 100_000
MAX_MEMBERS = 16
"""Gzip files in one: each costs a copy of what follows it."""
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Entry:
    """One page of a sitemap: its address, last change as written, pictures and addresses in other languages."""

    url: str
    lastmod: str | None = None
    images: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sitemap:
    """The pages and the further sitemaps that one sitemap names; ``reason`` says why both are empty."""

    entries: tuple[Entry, ...] = ()
    sitemaps: tuple[tuple[str, str | None], ...] = ()
    reason: str | None = None

    def pages(self) -> list[Entry]:
        """Return the entries that are no home page, the languages of one page counted once (the first listed)."""
        taken: set[str] = set()
        found = []
        for entry in self.entries:
            if is_home(entry.url) or entry.url in taken:
                continue
            taken |= {entry.url, *entry.alternates}
            found.append(entry)
        return found

    def document(self) -> dict[str, Any]:
        """Return the sitemap as the JSON document of ``lookbench read``."""
        return {
            "product": None,
            "reason": self.reason or "sitemap: a list of pages",
            "page_type": "sitemap",
            "product_urls": [entry.url for entry in self.pages()],
            "images": {entry.url: list(entry.images) for entry in self.pages()},
            "lastmod": {entry.url: entry.lastmod for entry in self.pages()},
            "sitemaps": [url for url, _ in self.sitemaps],
        }


def unpacked(data: bytes) -> bytes | None:
    """Return the bytes of a possibly gzipped sitemap, all members of it; None when it is damaged, ends early or grows
    past the cap."""
    if not data.startswith(_GZIP):
        return data[:MAX_BYTES]
    plain = b""
    for _ in range(MAX_MEMBERS):
        inflater = zlib.decompressobj(wbits=31)
        try:
            plain += inflater.decompress(data, MAX_BYTES + 1 - len(plain))
        except zlib.error:
            return None
        if not inflater.eof or len(plain) > MAX_BYTES:
            return None
        data = inflater.unused_data
        if not data.startswith(_GZIP):  # the end, or padding
            return plain
    return None


def read(data: bytes | str, url: str) -> Sitemap:
    """Read a sitemap or sitemap index; never raises, a file that is none comes back empty with a reason."""
    from lxml import etree

    raw = unpacked(data.encode("utf-8", "replace") if isinstance(data, str) else data)
    if raw is None:
        return Sitemap(reason="sitemap refused: damaged gzip, one that ends early, or more than 60 MB unpacked")
    if not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = raw.decode("utf-8", "replace").splitlines()[:MAX_ENTRIES]
        entries = [Entry(found) for line in lines if line.strip().startswith("http") and (found := absolute(line, url))]
        return Sitemap(tuple(entries), reason=None if entries else "no sitemap: neither XML nor a list of addresses")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True
    )
    try:
        root = etree.fromstring(raw.lstrip(b" \t\r\n"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        return Sitemap(reason=f"no sitemap: the XML does not parse ({error})")
    if root is None:
        return Sitemap(reason="no sitemap: the XML does not parse")
    entries, indexes = [], []
    for node in list(root)[:MAX_ENTRIES]:
        kind = _local(node)
        if kind == "url" and (entry := _entry(node, url)):
            entries.append(entry)
        elif kind == "sitemap":
            fields = {_local(child): child for child in node}
            if (loc := fields.get("loc")) is not None and (found := absolute(loc.text, url)):
                indexes.append((found, squeeze(fields["lastmod"].text) if "lastmod" in fields else None))
    reason = None if entries or indexes else "no sitemap: the file names no page"
    return Sitemap(tuple(entries), tuple(indexes), reason)


def _local(node: Any) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _entry(node: Any, base: str) -> Entry | None:
    loc = lastmod = None
    images: list[str] = []
    alternates: list[str] = []
    for child in node:
        kind = _local(child)
        if kind == "loc":
            loc = absolute(child.text, base)
        elif kind == "lastmod":
            lastmod = squeeze(child.text, 40)
        elif kind == "image":
            images += [url for inner in child if _local(inner) == "loc" and (url := absolute(inner.text, base))]
        elif kind == "link" and child.get("rel") == "alternate" and (url := absolute(child.get("href"), base)):
            alternates.append(url)
    return Entry(loc, lastmod, tuple(images), tuple(dict.fromkeys(alternates))) if loc else None
