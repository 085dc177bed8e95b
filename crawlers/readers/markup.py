"""Bytes to a parsed page: encodings as browsers guess them, broken markup accepted."""

import re
from typing import Any

MAX_BYTES = 16_000_000
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.IGNORECASE)
_KANA = re.compile(r"[\u3041-\u30fa]")
# Labels that browsers read as a larger encoding than they name.
_ALIASES = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "windows-1252"), "cp1252"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "sjis", "windows-31j", "ms_kanji"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "ksc5601"), "cp949"),
    **dict.fromkeys(("utf8", "utf-8"), ""),
    "iso-8859-9": "cp1254",
    "x-euc-jp": "euc_jp",
}
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
    """Return bytes as text: by byte order mark, as UTF-8 where they are that whatever they declare, by the declared
    charset, or by the letters that come out."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    letters = sum(char > "\x7f" for char in text)
    if text.count("\ufffd") * 4 < letters:  # a few strange bytes in a UTF-8 page
        return text
    found = _CHARSET.search(data[:4096])
    declared = found[1].decode("ascii", "replace").casefold() if found else ""
    charsets: tuple[str | None, ...] = (_ALIASES.get(declared, declared), _japanese(data), "cp1252")
    for charset in charsets:
        try:
            if charset and charset != "utf-8":
                return data.decode(charset, "replace")
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _japanese(data: bytes) -> str | None:
    """Return the Japanese encoding by which the bytes hold the most kana, or None when neither gives many."""
    counts = {}
    for name in ("euc_jp", "cp932"):
        text = data.decode(name, "replace")
        counts[name] = len(_KANA.findall(text)) - 4 * text.count("\ufffd")
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > 8 else None
