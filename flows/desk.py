"""The reviewer's desk of an edition: which tables each contact sheet is drawn from."""

import contextlib
import sys
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any, Final

import pyarrow as pa

from curation.review import desk, sheets, verdicts
from flows.edition import Edition, EditionError

SHEETS: Final = ("screen", "detect", "deduplicate", "generated-screen", "generated-detect", "generated-deduplicate")
"""Steps whose verdicts a refresh obeys."""


def open_desk(book: Edition, port: int = 0) -> ThreadingHTTPServer:
    """Return the server of an edition's contact sheets; raises EditionError before its first refresh."""
    steps = [step for step in SHEETS if step in book.record.steps]
    if not steps:
        raise EditionError(f"edition {book.name} has nothing to review yet: run `lookbench refresh {book.name}` first")
    return desk.Desk(book.catalog, book.name, {step: _maker(book, step) for step in steps}, port)


def serve(book: Edition, port: int = 0) -> None:
    """Answer the reviewer's browser until Ctrl-C."""
    with open_desk(book, port) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"review here: http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends)", file=sys.stderr)
        server.serve_forever()


def _maker(book: Edition, step: str) -> Callable[[], dict[str, Any]]:
    prefix = "generated-" if step.startswith("generated-") else ""

    def make() -> dict[str, Any]:
        result, said = book.load(step), verdicts.load(book.catalog, book.name).get(step, {})
        photos: pa.Table = book.load(f"{prefix}screen").tables["photos"]
        items = result.tables.get("items")
        return sheets.sheet(step, result.ledger, photos, items, said)

    return make
