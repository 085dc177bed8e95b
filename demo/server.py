"""The shop's HTTP/1.1 server: keep-alive, conditional requests, honest lengths."""

from __future__ import annotations

import errno
import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from demo.errors import ShopError
from demo.records import Catalogue
from demo.routes import Answer, Router

_HOST = re.compile(r"^[A-Za-z0-9.\-\[\]:]{1,255}$")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "HawthornLoom/1.0"
    sys_version = ""
    timeout = 30  # seconds that an idle connection is kept
    # One write for headers and body: two small ones would wait for each other's acknowledgement.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    router: Router

    def do_GET(self) -> None:
        self._serve(with_body=True)

    def do_HEAD(self) -> None:
        self._serve(with_body=False)

    def _serve(self, *, with_body: bool) -> None:
        host = self.headers.get("Host", "")
        if not _HOST.match(host):
            self.send_error(400, "The Host header is missing or malformed")
            return
        answer = self.router.answer(self.path, f"http://{host}")
        tag = f'"{hashlib.sha256(answer.body).hexdigest()[:20]}"'
        changed = datetime.fromisoformat(answer.modified).replace(hour=9, tzinfo=UTC)
        fresh = answer.status == 200 and self._is_known(tag, changed)
        self.send_response(304 if fresh else answer.status)
        if answer.status == 200:
            self.send_header("ETag", tag)
            self.send_header("Last-Modified", format_datetime(changed, usegmt=True))
            self.send_header("Cache-Control", "max-age=0, must-revalidate")
        self._send_rest(answer, with_body=with_body and not fresh, fresh=fresh)

    def _send_rest(self, answer: Answer, *, with_body: bool, fresh: bool) -> None:
        if answer.location:
            self.send_header("Location", answer.location)
        if not fresh:
            self.send_header("Content-Type", answer.mime)
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def _is_known(self, tag: str, changed: datetime) -> bool:
        """Whether the caller has this version already (RFC 9110, section 13.2.2: the tag wins over the date)."""
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return tags.strip() == "*" or tag in [t.strip().removeprefix("W/") for t in tags.split(",")]
        since = self.headers.get("If-Modified-Since")
        if since is None:
            return False
        try:
            return changed <= parsedate_to_datetime(since)
        except (TypeError, ValueError):
            return False

    def log_message(self, format: str, *args: object) -> None:  # the name is the base class's
        """Requests are not logged; the crawler keeps its own record."""


def open_server(catalogue: Catalogue, port: int = 0, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """Bind a server (port 0: any free one) without running it; a taken port is a ShopError."""
    handler = type("Handler", (_Handler,), {"router": Router(catalogue)})
    try:
        server = ThreadingHTTPServer((host, port), handler)
    except OSError as err:
        if err.errno != errno.EADDRINUSE:
            raise
        raise ShopError(f"port {port} on {host} is taken; stop what uses it or choose another port") from err
    server.daemon_threads = True
    return server


@contextmanager
def serve(catalogue: Catalogue, port: int = 0, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve a catalogue while the block runs; yields the base URL without a final slash."""
    server = open_server(catalogue, port, host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="shop", daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
