"""Photos as they come over the wire: what they are by content, which headers matter, what a shop forbids."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MAGIC = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"\xff\x0a", "image/jxl"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
)
_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
    b"msf1": "image/heic",
}
_FORBIDS = frozenset({"noai", "noimageai", "noimageindex"})
_DIRECTIVE = re.compile(r"^\s*(?:(?P<agent>[\w-]+)\s*:)?\s*(?P<rule>[\w-]+)\s*$")


def sniff(data: bytes) -> str | None:
    """Return the media type of image bytes by their content, or None when they are no image known here."""
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12])
    return None


def refusal(data: bytes, declared: str | None) -> str | None:
    """Return the reason code why a body is no photo, or None when it is one."""
    if not data:
        return "empty"
    if sniff(data):
        return None
    head = data[:512].lstrip().lower()
    if head.startswith((b"<svg", b"<?xml")) or "svg" in (declared or ""):
        return "vector"
    return (
        "wrong_content_type"
        if head.startswith((b"<!doctype", b"<html", b"{", b"[")) or (declared or "").startswith("text/")
        else "not_an_image"
    )


def directives(values: Iterable[str]) -> tuple[str, ...]:
    """Return the rules of X-Robots-Tag or meta robots values that are for every agent, lower case."""
    found: list[str] = []
    for value in values:
        for part in value.split(","):
            match = _DIRECTIVE.match(part)
            if match and (match["agent"] or "").casefold() in {"", "lookbench", "lookbenchbot"}:
                found.append(match["rule"].casefold())
    return tuple(dict.fromkeys(found))


def forbidden(rules: Iterable[str]) -> str | None:
    """Return the rule that forbids to use a picture for machine learning, or None."""
    return next((rule for rule in rules if rule in _FORBIDS), None)


def headers_that_matter(headers: Mapping[str, str | None]) -> dict[str, str]:
    """Return the validators and type of an answer: etag, last-modified, content-type; one too long to be sent back to a
    server, which would refuse the request, is left out."""
    names = ("etag", "last-modified", "content-type")
    return {name: value for name in names if (value := headers.get(name)) and len(value) <= 1000}


def conditional(known: Mapping[str, str]) -> dict[str, str]:
    """Return the request headers that ask for a body only if it changed since ``known`` validators."""
    asked = {"If-None-Match": known.get("etag"), "If-Modified-Since": known.get("last-modified")}
    return {name: value for name, value in asked.items() if value}


def time_of(text: str | None) -> datetime | None:
    """Return a date of a page, feed or header as aware UTC time, or None; a time without zone is taken as UTC."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        aware = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    return aware if 1990 <= aware.year <= 2200 else None
