"""Bytes to a parsed page: encodings as browsers guess them, broken markup accepted."""

import re
from typing import Any

MAX_BYTES = 16_000_000
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.IGNORECASE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def parse(html: bytes | str) -> Any:
    """Return the lxml root of a page, or None when there is no markup in it; never raises for bad markup."""
    from lxml import etree

    text = html if isinstance(html, str) else decoded(html[:MAX_BYTES])
    data = text[:MAX_BYTES].replace("\x00", "").encode("utf-8", "replace")
    if not data.strip():
        return None
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, recover=True, no_network=True
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def decoded(data: bytes) -> str:
    """Return bytes as text: by byte order mark, declared charset, UTF-8, or Windows-1252."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    found = _CHARSET.search(data[:4096])
    declared = found[1].decode("ascii", "replace").casefold() if found else "utf-8"
    for name in (declared, "utf-8", "cp1252"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return data.decode("utf-8", "replace")
