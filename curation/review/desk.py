"""The reviewer's desk: the contact sheets of an edition on a local address, each verdict written as it is given.

Answers this machine alone: other hosts' names and requests of other pages are refused. Thumbnails are made when the
page scrolls to them, so a sheet of 20,000 opens at once.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from catalog.decode import DecodeError, decode, encode_jpeg
from catalog.errors import LookbenchError
from catalog.store import Catalog, StoreError
from curation import hashes
from curation.review import verdicts

PAGE: Final = Path(__file__).with_name("page.html")
SIDE: Final = 200
"""Longest side of a thumbnail in pixels."""
HEADER: Final = "X-Lookbench-Review"
"""A header that pages of other origins cannot send unasked."""
_PICTURE: Final = re.compile(r"/(thumb|photo)/([0-9a-f]{64})(?:/([0-9.]+),([0-9.]+),([0-9.]+),([0-9.]+))?")
_LARGEST_BODY: Final = 4096

Sheets = Mapping[str, Callable[[], dict[str, Any]]]
"""Step -> what makes its sheet (curation.review.sheets.sheet)."""


class Desk(ThreadingHTTPServer):
    """The sheets of one edition on 127.0.0.1; run it with ``serve_forever``."""

    def __init__(self, catalog: Catalog, edition: str, sheets: Sheets, port: int = 0) -> None:
        """Take ``port``, or a free one for 0."""
        super().__init__(("127.0.0.1", port), _Handler)
        self.catalog, self.edition, self.sheets = catalog, edition, sheets
        self.picture = lru_cache(maxsize=2048)(self._picture)
        self._one_at_a_time = threading.Lock()

    def record(self, said: Any) -> None:
        """Write one verdict; raises ValueError, KeyError, TypeError or LookbenchError for what is none."""
        if said["step"] not in self.sheets:
            raise ValueError(f"there is no sheet {said['step']!r}")
        with self._one_at_a_time:
            verdicts.record(self.catalog, self.edition, said["step"], str(said["id"]), said["verdict"])

    def _picture(self, photo_id: str, side: int, box: tuple[float, ...] | None) -> bytes:
        pixels = decode(self.catalog.get_image(photo_id), reduce_to=None if box else 2 * side).pixels
        if box:
            height, width = pixels.shape[:2]
            x0, y0, x1, y1 = (int(share * side) for share, side in zip(box, (width, height) * 2, strict=True))
            x0, y0 = min(x0, width - 1), min(y0, height - 1)
            pixels = pixels[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
        return encode_jpeg(hashes.reduce(pixels, side), 80)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Desk

    def do_GET(self) -> None:
        sheets = self.server.sheets
        if not self._is_local():
            return
        if found := _PICTURE.fullmatch(self.path):
            self._picture(found)
        elif self.path.startswith("/data/") and (make := sheets.get(self.path.removeprefix("/data/"))):
            self._answer(json.dumps(make()).encode(), "application/json")
        elif self.path == "/steps":
            facts = {"edition": self.server.edition, "steps": list(sheets)}
            self._answer(json.dumps(facts).encode(), "application/json")
        elif self.path == "/" or self.path.removeprefix("/") in sheets:
            self._answer(PAGE.read_bytes(), "text/html; charset=utf-8")
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {self.path}")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not self._is_local():
            return
        if self.path != "/verdict" or HEADER not in self.headers or not 0 < length <= _LARGEST_BODY:
            self.close_connection = True
            self._refuse(HTTPStatus.FORBIDDEN, "only the review page gives verdicts")
            return
        try:
            self.server.record(json.loads(self.rfile.read(length)))
        except (ValueError, KeyError, TypeError, LookbenchError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, f"the verdict was not saved: {error}")
            return
        self._answer(b"{}", "application/json")

    def _picture(self, found: re.Match[str]) -> None:
        try:
            box = tuple(float(share) for share in found.groups()[2:]) if found[3] else None
            data = self.server.picture(found[2], SIDE if found[1] == "thumb" else 5 * SIDE, box)
        except (DecodeError, StoreError, ValueError) as error:
            self._refuse(HTTPStatus.NOT_FOUND, str(error))
            return
        self._answer(data, "image/jpeg", "private, max-age=31536000, immutable")

    def _is_local(self) -> bool:
        port = self.server.server_port
        if self.headers.get("Host") in {f"127.0.0.1:{port}", f"localhost:{port}"}:
            return True
        self.close_connection = True
        self._refuse(HTTPStatus.FORBIDDEN, "the review desk answers this machine alone")
        return False

    def _answer(self, body: bytes, kind: str, cache: str = "no-store", status: int = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", cache)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._answer(message.encode(), "text/plain; charset=utf-8", status=status)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the reviewer's terminal stays readable."""
