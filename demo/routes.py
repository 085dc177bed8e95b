"""Which answer belongs to which path: pages, feeds, pictures."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from demo import markup, pages
from demo.records import Catalogue, Photo
from demo.wording import slug

_OPENED = "2026-01-05"
_MOST_ROWS = 250  # Shopify's own ceiling for one page of the feed


@dataclass(frozen=True)
class Answer:
    """A response: status, MIME type, body and day of last change; `location` for redirects."""

    status: int
    mime: str
    body: bytes
    modified: str
    location: str = ""


@dataclass(frozen=True)
class _Ask:
    """What a maker of answers needs: the path below its section, the query, and the shop's base URL."""

    rest: str
    query: dict[str, list[str]]
    base: str


_Maker = Callable[[_Ask], Answer | None]


class Router:
    """Answers of one catalogue. Pages are made on demand; nothing outside of the catalogue's pictures is read."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._products = catalogue.by_handle
        self._looks = {item.handle: item for item in catalogue.looks}
        self._departments = {slug(n): (n, items) for n, items in catalogue.departments.items()}
        hidden = (catalogue.hidden,) if catalogue.hidden else ()
        self._photos: dict[str, Photo] = {p.name: p for item in (*catalogue.products, *hidden) for p in item.photos}
        self._photos |= {item.photo.name: item.photo for item in catalogue.looks}
        days = [p.published for p in catalogue.products] + [item.published for item in catalogue.looks]
        self._latest = max(days, default=_OPENED)  # pages change with the season: menus, neighbours, footer
        self._fixed, self._sections = self._tables()

    def answer(self, target: str, base: str) -> Answer:
        """Answer of a request target such as `/collections/all?page=2`, for a shop at `base`."""
        parts = urlsplit(target)
        path = parts.path
        if path != "/" and path.endswith("/") and path != "/members/":
            place = path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
            return Answer(301, "text/plain", b"", self._latest, place)
        head, _, rest = path.strip("/").partition("/")
        ask = _Ask(rest, parse_qs(parts.query), base)
        maker = self._fixed.get(path) or self._sections.get(head if rest else "")
        found = maker(ask) if maker else None
        return found or self._html(pages.plain(self._catalogue, "Not found", "This page is not here any more."), 404)

    def _tables(self) -> tuple[dict[str, _Maker], dict[str, _Maker]]:
        """Makers of fixed paths, and of sections that hold many pages."""
        shop = self._catalogue
        fixed: dict[str, _Maker] = {
            "/": lambda ask: self._html(pages.home(shop, ask.base)),
            "/looks": lambda ask: self._html(pages.looks(shop, ask.base)),
            "/about": lambda _: self._html(pages.about(shop)),
            "/members/": lambda _: self._members(),
            "/search": lambda _: self._html(pages.plain(shop, "Search", "Nothing here yet.")),
            "/cart": lambda _: self._html(pages.plain(shop, "Basket", "Nothing here yet.")),
            "/robots.txt": lambda ask: Answer(200, "text/plain; charset=utf-8", robots(ask.base).encode(), _OPENED),
            "/sitemap.xml": lambda ask: Answer(200, "application/xml", sitemap(shop, ask.base).encode(), self._latest),
            "/products.json": self._feed,
            "/assets/shop.css": lambda _: _asset("shop.css", "text/css"),
            "/assets/app.js": lambda _: _asset("app.js", "text/javascript"),
        }
        sections: dict[str, _Maker] = {
            "products": self._product,
            "app": self._shell,
            "api": self._record,
            "looks": self._look,
            "collections": self._collection,
            "photos": self._photo,
            "members": self._member,
        }
        return fixed, sections

    def _feed(self, ask: _Ask) -> Answer:
        limit = min(max(_number(ask.query, "limit", 30), 1), _MOST_ROWS)
        return self._json(markup.feed(self._catalogue, ask.base, limit, max(_number(ask.query, "page", 1), 1)))

    def _product(self, ask: _Ask) -> Answer | None:
        item = self._products.get(ask.rest)
        if item is None or item.shape == "script":
            return None
        return self._html(pages.product(self._catalogue, item, ask.base))

    def _shell(self, ask: _Ask) -> Answer | None:
        item = self._products.get(ask.rest)
        if item is None or item.shape != "script":
            return None
        return self._html(pages.app_shell(self._catalogue, item, ask.base))

    def _record(self, ask: _Ask) -> Answer | None:
        item = self._products.get(ask.rest.removeprefix("app/").removesuffix(".json"))
        if item is None or item.shape != "script" or not ask.rest.startswith("app/"):
            return None
        return self._json(markup.app_record(item))

    def _look(self, ask: _Ask) -> Answer | None:
        item = self._looks.get(ask.rest)
        return self._html(pages.look(self._catalogue, item, ask.base)) if item else None

    def _member(self, ask: _Ask) -> Answer | None:
        hidden = self._catalogue.hidden
        if hidden is None or ask.rest != hidden.handle:
            return None
        return self._html(pages.product(self._catalogue, hidden, ask.base))

    def _members(self) -> Answer:
        hidden = self._catalogue.hidden
        links = [(f"/members/{hidden.handle}", hidden.title)] if hidden else []
        return self._html(pages.plain(self._catalogue, "Members’ preview", "For members only.", links))

    def _collection(self, ask: _Ask) -> Answer | None:
        if ask.rest not in self._departments:
            return None
        title, items = self._departments[ask.rest]
        number = _number(ask.query, "page", 1)
        if not 1 <= number <= max((len(items) + pages.PER_PAGE - 1) // pages.PER_PAGE, 1):
            return None
        ordered = sorted(items, key=lambda p: float(p.price)) if ask.query.get("sort") == ["price"] else items
        return self._html(pages.collection(self._catalogue, title, ordered, number, ask.base))

    def _photo(self, ask: _Ask) -> Answer | None:
        photo = self._photos.get(ask.rest)
        if photo is None:
            return None
        file = Path(photo.file)
        path = file if file.is_absolute() else self._catalogue.root / file
        if not path.is_file():
            return None
        mime = mimetypes.guess_type(photo.name)[0] or "application/octet-stream"
        return Answer(200, mime, path.read_bytes(), photo.modified)

    def _html(self, text: str, status: int = 200) -> Answer:
        return Answer(status, "text/html; charset=utf-8", text.encode(), self._latest)

    def _json(self, data: object) -> Answer:
        body = json.dumps(data, ensure_ascii=False).encode()
        return Answer(200, "application/json; charset=utf-8", body, self._latest)


def _asset(name: str, mime: str) -> Answer:
    data = (Path(__file__).parent / "assets" / name).read_bytes()
    return Answer(200, f"{mime}; charset=utf-8", data, _OPENED)


def _number(query: dict[str, list[str]], name: str, default: int) -> int:
    text = query.get(name, [""])[0]
    return int(text) if text.isdecimal() and len(text) < 7 else default


def robots(base: str) -> str:
    """robots.txt: members, basket, search and sorted lists are closed; no crawl delay is asked."""
    closed = "".join(f"Disallow: {path}\n" for path in ("/members/", "/cart", "/search", "/*?sort="))
    closed = "".join(f"Disallow: {path}\n" for path in ("/members/", "/cart", "/search", "/*?sort="))
    return f"User-agent: *\n{closed}Allow: /\n\nSitemap: {base}/sitemap.xml\n"


def sitemap(shop: Catalogue, base: str) -> str:
    """Sitemap with last changes and pictures (Google's image extension)."""
    rows = [_row(f"{base}/", "", ())]
    rows += [_row(f"{base}/collections/{slug(n)}", "", ()) for n in shop.departments]
    rows += [_row(f"{base}{p.path}", p.published, tuple(f"{base}{x.path}" for x in p.photos)) for p in shop.products]
    rows += [_row(f"{base}{x.path}", x.published, (f"{base}{x.photo.path}",)) for x in shop.looks]
    spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {spaces}>\n{"".join(rows)}</urlset>\n'


def _row(url: str, day: str, images: tuple[str, ...]) -> str:
    stamp = f"<lastmod>{day}</lastmod>" if day else ""
    shown = "".join(f"<image:image><image:loc>{escape(i)}</image:loc></image:image>" for i in images)
    return f"<url><loc>{escape(url)}</loc>{stamp}{shown}</url>\n"
