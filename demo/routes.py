"""Which answer belongs to which path: pages, feeds, pictures."""

from __future__ import annotations

import json
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from demo import markup, pages
from demo.records import Catalogue, Photo, Product
from demo.style import APP, CSS
from demo.wording import slug

_MOST_ROWS = 250  # Shopify's own ceiling for one page of the feed


@dataclass(frozen=True)
class Answer:
    """A response: status, MIME type, body and day of last change; `location` for redirects."""

    status: int
    mime: str
    body: bytes
    modified: str
    location: str = ""


class Router:
    """Answers of one catalogue. Pages are made on demand; nothing outside of the catalogue's pictures is read."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._products = {p.handle: p for p in catalogue.products}
        self._looks = {item.handle: item for item in catalogue.looks}
        self._departments = {slug(n): (n, items) for n, items in pages.departments(catalogue).items()}
        hidden = (catalogue.hidden,) if catalogue.hidden else ()
        self._photos: dict[str, Photo] = {p.name: p for item in (*catalogue.products, *hidden) for p in item.photos}
        self._photos |= {item.photo.name: item.photo for item in catalogue.looks}
        days = [p.published for p in catalogue.products] + [item.published for item in catalogue.looks]
        self._latest = max(days, default="2026-01-01")

    def answer(self, target: str, base: str) -> Answer:
        """Answer of a request target such as `/collections/all?page=2`, for a shop at `base`."""
        parts = urlsplit(target)
        path, query = parts.path, parse_qs(parts.query)
        if path != "/" and path.endswith("/") and path != "/members/":
            return Answer(
                301, "text/plain", b"", self._latest, path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
            )
        head, _, rest = path.strip("/").partition("/")
        found = self._fixed(path, query, base) or self._named(head, rest, query, base)
        return found or self._html(
            pages.page(self._catalogue, "Not found", "<h1>Not found</h1><p>This page is not here any more.</p>"), 404
        )

    def _fixed(self, path: str, query: dict[str, list[str]], base: str) -> Answer | None:
        shop = self._catalogue
        if path == "/":
            return self._html(pages.home(shop, base))
        if path == "/looks":
            return self._html(pages.looks(shop, base))
        if path == "/about":
            return self._html(pages.about(shop, base))
        if path == "/members/":
            return self._members(base)
        if path in ("/search", "/cart"):
            return self._html(
                pages.page(shop, path[1:].title(), f"<h1>{path[1:].title()}</h1><p>Nothing here yet.</p>")
            )
        if path == "/robots.txt":
            return self._plain(robots(base))
        if path == "/sitemap.xml":
            return Answer(200, "application/xml", sitemap(shop, base).encode(), self._latest)
        if path == "/products.json":
            limit = min(max(_number(query, "limit", 30), 1), _MOST_ROWS)
            return self._json(markup.feed(shop, base, limit, max(_number(query, "page", 1), 1)))
        if path == "/assets/shop.css":
            return Answer(200, "text/css; charset=utf-8", CSS.encode(), "2026-01-05")
        if path == "/assets/app.js":
            return Answer(200, "text/javascript; charset=utf-8", APP.encode(), "2026-01-05")
        return None

    def _named(self, head: str, rest: str, query: dict[str, list[str]], base: str) -> Answer | None:
        shop = self._catalogue
        item = self._products.get(rest.removesuffix(".json") if head == "api" else rest)
        if head == "products" and item and item.shape != "script":
            return self._html(pages.product(shop, item, base), day=item.published)
        if head == "app" and item and item.shape == "script":
            return self._html(pages.app_shell(shop, item, base), day=item.published)
        if head == "api" and rest.startswith("app/"):
            record = self._products.get(rest.removeprefix("app/").removesuffix(".json"))
            return (
                self._json(markup.app_record(record), record.published) if record and record.shape == "script" else None
            )
        if head == "looks" and rest in self._looks:
            found = self._looks[rest]
            return self._html(pages.look(shop, found, base), day=found.published)
        if head == "collections" and rest in self._departments:
            return self._collection(rest, query, base)
        if head == "photos" and rest in self._photos:
            return self._photo(self._photos[rest])
        if head == "members" and shop.hidden and rest == shop.hidden.handle:
            return self._html(pages.product(shop, shop.hidden, base))
        return None

    def _collection(self, name: str, query: dict[str, list[str]], base: str) -> Answer | None:
        title, items = self._departments[name]
        number = _number(query, "page", 1)
        ordered: list[Product] = (
            sorted(items, key=lambda p: float(p.price)) if query.get("sort") == ["price"] else items
        )
        if not 1 <= number <= max((len(items) + pages.PER_PAGE - 1) // pages.PER_PAGE, 1):
            return None
        return self._html(pages.collection(self._catalogue, title, ordered, number, base))

    def _members(self, base: str) -> Answer:
        hidden = self._catalogue.hidden
        link = f'<p><a href="/members/{hidden.handle}">{escape(hidden.title)}</a></p>' if hidden else ""
        return self._html(pages.page(self._catalogue, "Members", f"<h1>Members&rsquo; preview</h1>{link}"))

    def _photo(self, photo: Photo) -> Answer | None:
        file = Path(photo.file)
        path = file if file.is_absolute() else self._catalogue.root / file
        if not path.is_file():
            return None
        return Answer(
            200, mimetypes.guess_type(photo.name)[0] or "application/octet-stream", path.read_bytes(), photo.modified
        )

    def _html(self, text: str, status: int = 200, day: str = "") -> Answer:
        return Answer(status, "text/html; charset=utf-8", text.encode(), day or self._latest)

    def _plain(self, text: str) -> Answer:
        return Answer(200, "text/plain; charset=utf-8", text.encode(), "2026-01-05")

    def _json(self, data: object, day: str = "") -> Answer:
        return Answer(
            200, "application/json; charset=utf-8", json.dumps(data, ensure_ascii=False).encode(), day or self._latest
        )


def _number(query: dict[str, list[str]], name: str, default: int) -> int:
    text = query.get(name, [""])[0]
    return int(text) if text.isdecimal() and len(text) < 7 else default


def robots(base: str) -> str:
    """robots.txt: members, basket, search and sorted lists are closed; no crawl delay is asked."""
    return f"User-agent: *\nDisallow: /members/\nDisallow: /cart\nDisallow: /search\nDisallow: /*?sort=\nAllow: /\n\nSitemap: {base}/sitemap.xml\n"


def sitemap(shop: Catalogue, base: str) -> str:
    """Sitemap with last changes and pictures (Google's image extension)."""
    rows = [_row(f"{base}/", "", ())]
    rows += [_row(f"{base}/collections/{slug(n)}", "", ()) for n in pages.departments(shop)]
    rows += [_row(f"{base}{p.path}", p.published, tuple(f"{base}{x.path}" for x in p.photos)) for p in shop.products]
    rows += [_row(f"{base}{x.path}", x.published, (f"{base}{x.photo.path}",)) for x in shop.looks]
    spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {spaces}>\n{"".join(rows)}</urlset>\n'


def _row(url: str, day: str, images: tuple[str, ...]) -> str:
    stamp = f"<lastmod>{day}</lastmod>" if day else ""
    shown = "".join(f"<image:image><image:loc>{escape(i)}</image:loc></image:image>" for i in images)
    return f"<url><loc>{escape(url)}</loc>{stamp}{shown}</url>\n"
