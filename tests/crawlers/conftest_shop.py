"""A real HTTP server on loopback whose answers tests write route by route, and a small shop on it."""

import io
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image, ImageDraw


@dataclass
class Answer:
    """What a route answers."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    drip: float = 0.0
    """Seconds between two bytes of the body."""
    cut: int | None = None
    """Bytes after which the connection is dropped."""


Route = Answer | Callable[["Server", BaseHTTPRequestHandler], Answer | None]
"""A callable may write its answer by itself and return None."""


class Server:
    """Serves ``routes`` (path with query first, then path alone) on 127.0.0.1 and counts the requests."""

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.hits: Counter[str] = Counter()
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.tags = False
        """Whether pages too, not only photos, have an ETag."""
        self.wrote = 0
        """Bytes written to the wire, heads included."""
        self.stopping = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def setup(self) -> None:
                super().setup()
                write = self.wfile.write

                def counted(data: bytes) -> int:
                    outer.wrote += len(data)
                    return write(data)

                self.wfile.write = counted

            def do_GET(self) -> None:
                outer.answer(self)

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        self.httpd.handle_error = lambda *args: None  # clients hang up here on purpose
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path
        self.hits[path.split("?")[0]] += 1
        self.seen.append((path, dict(handler.headers.items())))
        route = self.routes.get(path) or self.routes.get(path.split("?")[0]) or Answer(b"<h1>not here</h1>", 404)
        try:
            reply = route(self, handler) if callable(route) else route
        except (BrokenPipeError, ConnectionResetError):
            reply = None
        if reply is None:
            handler.close_connection = True
            return
        etag = f'"{sha256(reply.body).hexdigest()[:16]}"'
        tagged = reply.status == 200 and (self.tags or reply.kind.startswith("image/"))
        if tagged and handler.headers.get("If-None-Match") == etag:
            reply = Answer(b"", 304, {}, reply.kind)
            self.hits["304"] += 1
            self.hits[f"304 {path}"] += 1
        try:
            handler.send_response(reply.status)
            handler.send_header("Content-Type", reply.kind)
            if reply.status != 304:
                handler.send_header("Content-Length", reply.headers.pop("Content-Length", None) or str(len(reply.body)))
            if tagged:
                handler.send_header("ETag", etag)
                handler.send_header("Last-Modified", formatdate(1_760_000_000, usegmt=True))
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            if reply.drip:
                for byte in reply.body:
                    handler.wfile.write(bytes([byte]))
                    handler.wfile.flush()
                    if self.stopping.wait(reply.drip):
                        break
            else:
                handler.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
            if reply.cut is not None or reply.drip:
                handler.close_connection = True
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def close(self) -> None:
        self.stopping.set()
        self.httpd.shutdown()
        self.httpd.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def jpeg(number: int, size: tuple[int, int] = (120, 160)) -> bytes:
    """Return a small photo, another one for each number."""
    image = Image.new("RGB", size, (number * 37 % 256, number * 91 % 256, number * 53 % 256))
    ImageDraw.Draw(image).ellipse((10, 10, 60 + number % 40, 90), fill=(255 - number * 37 % 256, 30, 90))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85)
    return out.getvalue()


def product_html(number: int, *, photos: int = 2, extra: str = "", related: str = "") -> bytes:
    """Return a product page with JSON-LD."""
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": f"Linen Shirt {number}",
        "sku": f"LS-{number:03d}",
        "brand": {"@type": "Brand", "name": "Testwick"},
        "color": "blue",
        "image": [f"/img/{number}-{shot}.jpg" for shot in range(photos)],
        "offers": {
            "@type": "Offer",
            "price": f"{10 + number}.50",
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
        },
    }
    return (
        f'<!doctype html><html lang="en"><head><title>Linen Shirt {number} | Testwick</title>{extra}'
        f'<link rel="canonical" href="/p/{number}"><script type="application/ld+json">{json.dumps(data)}</script></head>'
        f'<body><main><h1>Linen Shirt {number}</h1><p class="price">€{10 + number}.50</p></main>{related}</body></html>'
    ).encode()


def listing_html(numbers: range, nxt: str | None = None) -> bytes:
    """Return a category page."""
    tiles = "".join(
        f'<li><a href="/p/{n}?list=all"><img src="/img/{n}-0.jpg" alt=""></a><a href="/p/{n}">Linen Shirt {n}</a> €{10 + n}.50</li>'
        for n in numbers
    )
    link = f'<a rel="next" href="{nxt}">Next</a>' if nxt else ""
    return f'<!doctype html><html lang="en"><head><title>Shirts</title></head><body><h1>Shirts</h1><ul>{tiles}</ul>{link}</body></html>'.encode()


@pytest.fixture
def shop(server: Server) -> Server:
    """A shop of twelve products: six in a paginated category, six in the sitemap only, and one look."""
    routes = server.routes
    home = '<!doctype html><html lang="en"><head><title>Testwick</title></head><body><h1>Testwick</h1><nav><a href="/c/shirts">Shirts</a></nav></body></html>'
    routes["/"] = Answer(home.encode())
    routes["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private/\n", kind="text/plain")
    routes["/c/shirts"] = Answer(listing_html(range(3), "/c/shirts?page=2"))
    routes["/c/shirts?page=2"] = Answer(listing_html(range(3, 6)))
    urls = [f"/p/{n}" for n in range(6, 12)] + ["/looks/1", "/private/x"]
    xml = "".join(f"<url><loc>{server.url}{url}</loc></url>" for url in urls)
    routes["/sitemap.xml"] = Answer(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{xml}</urlset>'.encode(), kind="application/xml"
    )
    for n in range(12):
        routes[f"/p/{n}"] = Answer(product_html(n))
        for shot in range(2):
            routes[f"/img/{n}-{shot}.jpg"] = Answer(jpeg(2 * n + shot), kind="image/jpeg")
    routes["/looks/1"] = Answer(
        b'<!doctype html><html lang="en"><head><title>Look 1: by the sea</title></head><body><main><h1>Look 1: by the sea</h1>'
        b'<img src="/img/look-1.jpg" alt="Look 1"><ul><li><a href="/p/1">Linen Shirt 1</a> <b>11.50 EUR</b></li>'
        b'<li><a href="/p/7"><img src="/img/7-0.jpg" width="80" alt="">Linen Shirt 7</a></li><li><a href="/p/9"><img src="/img/9-0.jpg" alt="">'
        b"Linen Shirt 9</a></li></ul></main></body></html>"
    )
    routes["/img/look-1.jpg"] = Answer(jpeg(200, (300, 400)), kind="image/jpeg")
    return server
