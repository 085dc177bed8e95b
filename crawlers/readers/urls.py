"""Addresses: absolute http(s) only, tracking removed, the same page recognised under its many spellings."""

import re
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from crawlers.readers.vocabulary import TONGUES

MAX_LENGTH = 4096
_HOST = re.compile(r"^(?:[0-9a-f:.]*:[0-9a-f:.]*|[^\s/\\@:\[\]<>\"'`{}|^%]+)$", re.IGNORECASE)
# Most addresses need no joining and no quoting.
_PLAIN = re.compile(r"^https?://[a-z0-9.-]+(?::(?!(?:80|443)/)[0-9]{2,4})?/(?!/)[A-Za-z0-9._~/%?&=+,;:@!$*-]*$")
_JUNK = re.compile(r"[\x00-\x20\x7f]+")
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*", re.IGNORECASE)
_TRACKING = re.compile(
    r"^(?:utm_\w+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|ttclid|mc_[ce]id|_ga|_gl|ref|ref_|referrer|source|campaign"
    r"|list|pos|position|listid|itemlist|trk|tracking|cm_mmc|icid|intcmp|s_kwcid|srsltid|_pos|_sid|_ss|_psq|_fid|pr_\w+"
    r"|phpsessid|jsessionid|sessionid|session_id|sid|osessid|oscsid|cid)$",
    re.IGNORECASE,
)
_LOCALE = re.compile(r"^/(?:[a-z]{2,3}(?:[-_][a-z]{2,4})?/?){0,2}$", re.IGNORECASE)
_PLACE = re.compile(r"^(?:[a-z]{2}[-_])?[a-z]{2}$", re.IGNORECASE)
_TONGUE_QUERY = frozenset({"lang", "language", "locale", "hl"})
_NO_COUNTRY = frozenset({"co", "ai", "io", "me", "tv", "cc", "to"})
_HOME_FILE = re.compile(r"^/(?:index|default|home)\.\w{3,5}$", re.IGNORECASE)


def absolute(url: object, base: str) -> str | None:
    """Return ``url`` as an absolute http(s) address without fragment, or None when it is no such address."""
    if not isinstance(url, str):
        return None
    if len(url) <= MAX_LENGTH and url[:1] in "h/":
        if _PLAIN.match(url):
            return url
        if url.startswith("//") and _PLAIN.match(joined := base.partition(":")[0] + ":" + url):
            return joined
        if url.startswith("/") and "/." not in url and _PLAIN.match(joined := _origin(base) + url):
            return joined
    return _absolute(url, base)


@lru_cache(256)
def _origin(base: str) -> str:
    scheme, mark, rest = base.partition("://")
    return scheme + mark + rest.partition("/")[0].partition("?")[0] if mark else ""


@lru_cache(8192)
def _absolute(url: str, base: str) -> str | None:
    text = url.strip()
    if not text or len(text) > MAX_LENGTH or text[0] in "#{<":
        return None
    text = _JUNK.sub(lambda gap: "%20" if gap.group() == " " else "", text)
    try:
        parts = urlsplit(urljoin(base, text))
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or not _HOST.match(host) or parts.username is not None:
        return None
    name = f"[{host}]" if ":" in host else host
    netloc = name if port is None or (parts.scheme, port) in {("http", 80), ("https", 443)} else f"{name}:{port}"
    return urlunsplit((parts.scheme, netloc, _quote(parts.path) or "/", _quote(parts.query), ""))


def _quote(text: str) -> str:
    if text.isascii() and not re.search(r"[\"<>\\^`{|}]", text):
        return text
    return re.sub(
        r"[^\x21-\x7e]|[\"<>\\^`{|}]",
        lambda char: "".join(f"%{b:02X}" for b in char.group().encode(errors="replace")),
        text,
    )


@lru_cache(8192)
def canonical(url: str) -> str:
    """Return an absolute address without tracking parameters and session ids."""
    if "?" not in url and ";" not in url:
        return url
    parts = urlsplit(url)
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [(key, value) for key, value in pairs if not _TRACKING.match(key)]
        query = query if len(kept) == len(pairs) else urlencode(kept)
    return urlunsplit((parts.scheme, parts.netloc, _SESSION_PATH.sub("", parts.path), query, ""))


def path_of(url: str) -> str:
    """Return the path of an absolute address, ``/`` at least."""
    return "/" + url.partition("://")[2].partition("?")[0].partition("#")[0].partition("/")[2]


def page_key(url: str) -> str:
    """Return what identifies a page whatever its scheme, ``www.``, closing slash or query."""
    host, slash, path = url.partition("://")[2].partition("?")[0].partition("#")[0].partition("/")
    return host.lower().removeprefix("www.") + (slash + path).rstrip("/")


def places(url: str) -> list[str]:
    """Return the countries and languages that an address names: its domain's ending, ``ca.`` before it, ``/en-ca/``."""
    labels = site_of(url).partition(":")[0].split(".")
    ending = labels[-1:] if labels[-1] not in _NO_COUNTRY or labels[-2:-1] == ["com"] else []
    found = [label for label in (*ending, *labels[:-2][:1]) if len(label) == 2]
    return found + [part for part in path_of(url).split("/")[1:4] if _PLACE.match(part)]


def tongue(url: str) -> str:
    """Return the language or country that the path of an address begins with (``en-gb/``), or no text."""
    found = []
    for part in path_of(url).split("/")[1:3]:
        if not _PLACE.match(part) or not TONGUES.intersection(re.split(r"[-_]", part.casefold())):
            break
        found.append(f"{part.casefold()}/")
    return "".join(found)


def neutral(url: str) -> str:
    """Return a canonical address without its language: what the versions of one page in several languages share."""
    said = tongue(url)
    if "?" not in url and not said:
        return url
    parts = urlsplit(url)
    path = "/" + parts.path[1 + len(said) :]
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in pairs if pair[0].casefold() not in _TONGUE_QUERY]
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    return urlunsplit((parts.scheme, parts.netloc, path if path != "/" else parts.path, query, ""))


def site_of(url: str) -> str:
    """Return the host of an address without ``www.``, in lower case."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0].lower().removeprefix("www.")


def same_site(url: str, other: str) -> bool:
    """Return whether two addresses lie on one host or on a subdomain of it."""
    one, two = site_of(url), site_of(other)
    return one == two or one.endswith("." + two) or two.endswith("." + one)


def is_home(url: str) -> bool:
    """Return whether an address is the home page of a shop or of one of its languages."""
    path = path_of(url)
    return bool(_LOCALE.match(path) or _HOME_FILE.match(path))


def distinct(urls: list[str]) -> list[str]:
    """Return addresses once each, in order; one with a query gives way to the same page without one."""
    keys = [page_key(url) if "?" in url else "" for url in urls]
    bare = {page_key(url) for url in urls if "?" not in url}
    seen: dict[str, str] = {}
    for url, key in zip(urls, keys, strict=True):
        known = key if key in bare else (url if key else page_key(url))
        if known not in seen or ("?" in seen[known] and not key):
            seen[known] = url
    return list(seen.values())
