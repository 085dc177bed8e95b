"""Pictures: candidate addresses of an image element, one key per picture, the largest size of each, no icons."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from crawlers.readers.texts import tokens
from crawlers.readers.urls import absolute, path_of
from crawlers.readers.vocabulary import JUNK_PICTURES

# An address without a size: larger than any size that its path names, smaller than a query's width above it.
UNSIZED = 1100
# Hosts of stills of videos.
VIDEO_HOSTS = ("youtube.com", "ytimg.com", "vimeocdn.com")
_SOURCES = (
    "data-zoom-image data-large_image data-large-image data-old-hires data-hires data-zoom data-full "
    "data-zoom-src data-src-zoom-image data-image-large-src data-large-src data-image-large data-src-large "
    "data-original data-lazy-src data-lazy data-src data-image src"
)
SOURCES = tuple(_SOURCES.split())
SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_FILE = re.compile(r"\.(?:jpe?g|png|webp|avif|heic|tiff?|bmp)$", re.IGNORECASE)
_SIZE_NAMES = (
    "w width h height sw sh wid hei wd wdth hgt size scl scale imwidth imheight odnwidth odnheight maxwidth "
    "max-w max-h resize downsize canvas im_w sm sfrm resmode fit q quality qlt quality_auto fmt format fm "
    "auto f type dpr usm op_sharpen sharp bgcolor bg interpolation brightness trim strip optimize v ver "
    "version rev t ts timestamp"
)
_SIZE_QUERY = frozenset(_SIZE_NAMES.split())
_WIDTH_QUERY = ("w", "width", "sw", "wid", "imwidth", "maxwidth", "max-w", "wd", "h", "height", "sh", "hei", "size")
_CROP = re.compile(r"crop|rect|region|gravity|^x$|^y$|focal", re.IGNORECASE)
# Sizes that shops put before the suffix of a file: -600x800, _64x64, _600x, _x800, ._AC_UX679_, @2x, _large.
_SUFFIX = re.compile(
    r"(?:[-_](?P<w>\d{2,4})?x(?P<h>\d{2,4})?(?:_crop_\w+)?(?:@\dx)?|\._[A-Z0-9_,]+_|@\dx"
    r"|_(?:pico|icon|thumb|small|compact|medium|large|grande|master)"
    r"|[-_](?:thumb|thumbnail|small|medium|large|xl|zoom))(?=\.\w{3,5}$)"
)
# Widths behind names: those of Shopify's img_url filter; "zoom", "xl" and "master" are the file as it was given.
_NAMED = {"pico": 16, "icon": 32, "thumb": 50, "small": 100, "compact": 160, "medium": 240, "large": 480, "grande": 600}
_NAMED |= dict.fromkeys(("zoom", "xl", "master"), UNSIZED)
_NO_PICTURE = re.compile(
    r"no[-_]?(?:image|photo|picture|selection|img)\b|no[-_]?(?:image|photo|picture)[-_]|coming[-_ ]?soon"
    r"|image[-_]?(?:not[-_]?available|unavailable|missing)|(?:missing|default)[-_]?(?:image|picture|photo)",
    re.IGNORECASE,
)
_RESIZERS = ("/_next/image", "/_vercel/image", "/_image", "/_ipx")
# Sizes that shops put into the path: /w/600, /600/800, /cache/<hash>, /stencil/500x659, 155300-500-750,
# 45-large_default.
_SIDES = re.compile(r"(?<=\d{4})-(\d{2,4})-(?:\d{2,4}|auto)(?=/)|/stencil/(\d{2,4})(?:w|x\d{2,4})(?=/)")
_PARTS = re.compile(
    r"/w/\d{2,5}(?=/)|/\d{3,4}/\d{3,4}(?=/)|/cache/[0-9a-f]{32}(?=/)|(?<=/stencil)/[^/]+(?=/)"
    r"|(?<=\d{4})-\d{2,4}-(?:\d{2,4}|auto)(?=/)|(?<=\d)-[a-z]+_default(?=/)"
)
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]*url\(\s*['\"]?(?P<url>[^'\")]+)")
# Sizes that shops name by a folder.
_FOLDER = re.compile(r"/(thumbs?|small|sm|medium|mid|md|large|lg|big|xl|xxl)(?=/)")
_FOLDERS = {"thumb": 100, "thumbs": 100, "small": 200, "sm": 200, "medium": 480, "mid": 480, "md": 480}
_FOLDERS |= dict.fromkeys(("big", "xl", "xxl"), UNSIZED + 1)
_CDN_OPTIONS = re.compile(r"/cdn-cgi/image/[^/]*=[^/]*/")
_AMAZON = re.compile(r"_(?:S[XYLR]|U[XYLRS]|AC_U[XYLF]|AC_S[XYLR]|AC_UX|AC_SX)(\d{2,4})")
_TRANSFORM = re.compile(r"^(?:(?:[whq]|dpr|f|c|fl|e|b|ar|t)_[\w.:#-]+)(?:,(?:[a-z]{1,3}_[\w.:#-]+))*$")


@dataclass(frozen=True)
class Picture:
    """One address of a picture with its width in pixels, where known, and what made it known."""

    url: str
    width: int
    key: str


def of_element(image: Any, base: str) -> list[Picture]:
    """Return every usable address of an ``<img>`` (an lxml element), its ``<picture>`` sources and full-size link
    included."""
    found: list[Picture] = []
    parent = image.getparent()
    holders = [image]
    while parent is not None and parent.tag in {"picture", "source"}:  # libxml2 nests what follows a <source> inside it
        holders += parent.xpath("self::source | ./source")
        parent = parent.getparent()
    if parent is not None and parent.tag == "a" and (url := absolute(parent.get("href"), base)) and is_file(url):
        found.append(picture(url, max(width_of(url), UNSIZED)))
    for holder in holders:
        for name in SETS:
            found += list(srcset(holder.get(name), base))
        if (drawn := _BACKGROUND.search(holder.get("style") or "")) and (url := absolute(drawn["url"], base)):
            found.append(picture(url))
        if dynamic := holder.get("data-dynamic-image") or holder.get("data-a-dynamic-image"):
            found += list(_sized(dynamic, base))
        for name in SOURCES:
            stated = holder.get(name)
            if stated and (url := absolute(_filled(holder, stated), base)) and not _is_markup(url):
                found.append(picture(url))
    return found


def _filled(holder: Any, address: str | None) -> str | None:
    """Fill the width into a lazy loader's address template from the widths that it lists; without them it is none."""
    if not address or "{" not in address:
        return address
    widths = [int(width) for width in re.findall(r"\d{2,4}", holder.get("data-widths") or "")[:40]]
    return address.replace("{width}", str(max(widths))) if "{width}" in address and widths else None


def _is_markup(url: str) -> bool:
    return url.casefold().rpartition("?")[0].endswith((".html", ".htm")) or url.casefold().endswith(
        (".html", ".htm", ".svg")
    )


def _sized(text: str, base: str) -> Iterator[Picture]:
    try:
        sizes = json.loads(text)
    except (ValueError, RecursionError):
        return
    for address, size in sizes.items() if isinstance(sizes, dict) else ():
        width = size[0] if isinstance(size, list) and size and isinstance(size[0], int) else 0
        if url := absolute(address, base):
            yield picture(url, min(max(width, 0), 100_000))


def srcset(text: str | None, base: str) -> Iterator[Picture]:
    """Yield the pictures of a srcset: split at commas that follow a blank or descriptor, so commas inside addresses
    stay."""
    for entry in re.findall(r"\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+)([wxh]))?\s*(?:,|$)", (text or "")[:20_000]):
        address, amount, unit = entry
        url = absolute(address, base)
        if not url or address.startswith("data:"):
            continue
        size = float(amount) if re.fullmatch(r"\d{1,6}(\.\d{1,3})?", amount) else 0.0
        hint = width_of(url)
        if unit in {"w", "h"}:
            hint = int(size)
        elif unit == "x":
            hint = hint if hint != UNSIZED else int(600 * size)
        yield picture(url, hint)


def picture(url: str, width: int | None = None) -> Picture:
    """Make a Picture of an absolute address; its width is read from the address when not given."""
    return Picture(url, width_of(url) if width is None else width, key(url))


@lru_cache(8192)
def width_of(url: str) -> int:
    """Return the width that an address names, or UNSIZED."""
    parts = urlsplit(url)
    query = {name.casefold(): value for name, value in parse_qsl(parts.query)}
    for name in _WIDTH_QUERY:
        digits = re.match(r"\d{1,5}", query.get(name, ""))
        if digits:
            return int(digits.group())
    if named := _AMAZON.search(parts.path):
        return int(named[1])
    if suffix := _SUFFIX.search(parts.path):
        size = suffix["w"] or suffix["h"]
        return min(int(size), UNSIZED - 1) if size else _NAMED.get(suffix.group()[1:], 300)
    for segment in parts.path.split("/"):
        if _TRANSFORM.match(segment) and (digits := re.search(r"(?:^|,)[wh]_(\d{1,5})", segment)):
            return int(digits[1])
    if digits := re.search(r"/w/(\d{2,5})/", parts.path) or re.search(r"/(\d{3,4})/\d{3,4}/", parts.path):
        return int(digits[1])
    if folder := _FOLDER.search(parts.path):
        return _FOLDERS.get(folder[1], UNSIZED)
    if sides := _SIDES.search(parts.path):
        return int(sides[1] or sides[2])
    return UNSIZED


@lru_cache(8192)
def key(url: str) -> str:
    """Return one key for all sizes of a picture; crops of it keep a key of their own."""
    parts = urlsplit(url)
    if (
        parts.path.endswith(_RESIZERS)
        and (inner := absolute(dict(parse_qsl(parts.query)).get("url"), url))
        and inner != url
    ):
        return key(inner)
    path = _SUFFIX.sub("", _CDN_OPTIONS.sub("/", unquote(parts.path)))
    path = _FOLDER.sub("", _PARTS.sub("", path))
    if "_" in path and "/" in path:
        path = "/".join(segment for segment in path.split("/") if "crop" in segment or not _TRANSFORM.match(segment))
    pairs = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    crop = any(
        _CROP.search(name) or (name.casefold() == "fit" and "crop" in value)
        for name, value in pairs
        if value != "center"
    )
    kept = sorted(pair for pair in pairs if pair[0].casefold() not in _SIZE_QUERY)
    if crop and kept:
        kept = sorted(pair for pair in pairs if pair[0].casefold() not in {"v", "ver", "version"})
    return f"{parts.netloc.casefold()}{path}{'?' + repr(kept) if kept else ''}"


@lru_cache(8192)
def is_file(url: str) -> bool:
    """Return whether the path of an address ends like a picture file."""
    return bool(_FILE.search(path_of(url)))


def is_junk(url: str, *labels: str | None) -> bool:
    """Return whether an address or its labels speak of an icon, a logo, a placeholder or a tracking pixel."""
    path = path_of(url)
    if path.casefold().endswith((".svg", ".gif", ".ico")) or urlsplit(url).netloc.casefold().endswith(VIDEO_HOSTS):
        return True
    last = "/".join(path.rsplit("/", 3)[-2:])
    # Angular marks what it inserts "ng-star-inserted": no star of a rating.
    named = (label.replace("ng-star-inserted", "") for label in labels if label)
    return bool(_NO_PICTURE.search(last) or tokens(last, *named) & JUNK_PICTURES)


def is_share_crop(url: str) -> bool:
    """Return whether an address asks for the wide crop that social networks show."""
    query = dict(parse_qsl(urlsplit(url).query))
    sides = [query.get(wide, query.get(short, "")) for wide, short in (("w", "width"), ("h", "height"))]
    if all(side.isdigit() for side in sides) and int(sides[1]):
        return int(sides[0]) / int(sides[1]) > 1.7
    return re.search(r"1200[x,_/]6[23]\d", url) is not None


def merge(pictures: Iterable[Picture]) -> list[str]:
    """Return one address per picture, in order of first appearance: the widest, https before http."""
    best: dict[str, Picture] = {}
    for entry in pictures:
        known = best.get(entry.key)
        rank = (entry.width, entry.url.startswith("https:"))
        if known is None or rank > (known.width, known.url.startswith("https:")):
            best[entry.key] = entry
    return [entry.url for entry in best.values()]
