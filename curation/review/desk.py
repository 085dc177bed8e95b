"""The reviewer's desk: the contact sheets of an edition on a local address, each verdict written as it is given.

Answers this machine alone: other hosts' names and requests of other pages are refused. Thumbnails are made when the
page scrolls to them, so a sheet of 20,000 opens at once.
"""

import json
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Protocol

from catalog.decode import DecodeError
from catalog.errors import LookbenchError
from catalog.store import Catalog, StoreError
from curation.review import verdicts
from curation.review.thumbnails import Thumbnails

STATIC: Final = Path(__file__).with_name("static")
HEADER: Final = "X-Lookbench-Review"
"""A header that pages of other origins cannot send unasked."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES: Final = {"/review.css": "text/css", "/review.js": "text/javascript"}
_LARGEST_BODY: Final = 4096


class Sheets(Protocol):
    """Where the desk has its sheets from."""

    edition: str

    def steps(self) -> list[str]:
        """Return the steps that have a sheet."""

    def sheet(self, step: str) -> dict[str, Any]:
        """Return what the page of a step shows; raises LookbenchError when it cannot be read.

        ``groups`` (curation.review.sheets), ``said`` (photo -> whether it stays), ``judge`` (the step that obeys
        verdicts given here, None where the page is for reading), ``words`` (verdicts that may be given) and ``about``
        (a sentence on them).
        """


class Desk(ThreadingHTTPServer):
    """The sheets of one edition on 127.0.0.1; run it with ``serve_forever``."""

    daemon_threads = True

    def __init__(self, catalog: Catalog, sheets: Sheets, port: int = 0) -> None:
        """Take ``port``, or a free one for 0."""
        super().__init__(("127.0.0.1", port), _Handler)
        self.catalog, self.sheets, self.pictures = catalog, sheets, Thumbnails(catalog)
        self._one_at_a_time = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that scrolled on before its picture came."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def record(self, said: Any) -> None:
        """Write one verdict; raises ValueError, KeyError, TypeError or LookbenchError for what is none."""
        page, photo, verdict = said["page"], said["photo"], said["verdict"]
        if page not in self.sheets.steps():
            raise ValueError(f"there is no sheet {page!r}")
        sheet = self.sheets.sheet(page)
        if not sheet["judge"] or (verdict is not None and verdict not in sheet["words"]):
            raise ValueError(f"the sheet {page!r} takes no {verdict!r}: {sheet['about']}")
        if not any(row["photo"] == photo for group in sheet["groups"] for row in group["rows"]):
            raise ValueError(f"photo {photo!r} is not on the sheet {page!r}")
        with self._one_at_a_time:
            verdicts.record(self.catalog, self.sheets.edition, sheet["judge"], photo, verdict)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Desk

    def do_GET(self) -> None:
        if not self._is_local():
            return
        first, _, rest = self.path.removeprefix("/").partition("/")
        if first in {"thumb", "photo"}:
            self._picture(first, *rest.split("/", 1))
        elif self.path == "/steps":
            self._json(lambda: {"edition": self.server.sheets.edition, "steps": self.server.sheets.steps()})
        elif first == "data" and rest in self.server.sheets.steps():
            self._json(lambda: self.server.sheets.sheet(rest))
        elif self.path in _FILES:
            self._answer((STATIC / self.path[1:]).read_bytes(), f"{_FILES[self.path]}; charset=utf-8")
        elif not first or self.path[1:] in self.server.sheets.steps():
            self._answer((STATIC / "review.html").read_bytes(), "text/html; charset=utf-8")
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {self.path}")

    def do_POST(self) -> None:
        if not self._is_local():
            return
        length = self.headers.get("Content-Length", "")
        size = int(length) if length.isdecimal() else 0
        mine = self.headers.get("Origin") in {None, f"http://{self.headers['Host']}"}
        if self.path != "/verdict" or HEADER not in self.headers or not mine or not 0 < size <= _LARGEST_BODY:
            self.close_connection = True
            self._refuse(HTTPStatus.FORBIDDEN, "only the review page gives verdicts")
            return
        try:
            self.server.record(json.loads(self.rfile.read(size)))
        except (ValueError, KeyError, TypeError, LookbenchError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, f"the verdict was not saved: {error}")
            return
        self._answer(b"", "text/plain", status=HTTPStatus.NO_CONTENT)

    def _picture(self, kind: str, photo: str, box: str | None = None) -> None:
        try:
            data = (self.server.pictures.small if kind == "thumb" else self.server.pictures.large)(photo, box)
        except (DecodeError, StoreError, ValueError) as error:
            self._refuse(HTTPStatus.NOT_FOUND, str(error))
            return
        self._answer(data, "image/jpeg", "private, max-age=31536000, immutable")

    def _json(self, make: Any) -> None:
        try:
            body = json.dumps(make(), separators=(",", ":")).encode()
        except LookbenchError as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
            return
        self._answer(body, "application/json")

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
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._answer(message.encode(), "text/plain; charset=utf-8", status=status)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the reviewer's terminal stays readable."""
