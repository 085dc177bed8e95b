"""The reviewer's desk of an edition: which tables each contact sheet is drawn from, and which step obeys it."""

import contextlib
import sys
from functools import lru_cache
from http.server import ThreadingHTTPServer
from typing import Any, Final

import pyarrow as pa

from catalog import steps, tables
from catalog.store import Catalog
from curation.review import desk, sheets, verdicts
from flows import edition as editions
from flows.edition import Edition, EditionError

PAGES: Final = {
    "select": None,
    "screen": "screen",
    "detect": "detect",
    "fingerprint": "deduplicate",
    "tie-to-products": "deduplicate",
    "deduplicate": "deduplicate",
    "generate": "generated-screen",
    "generated-screen": "generated-screen",
    "generated-detect": "generated-detect",
    "generated-fingerprint": "generated-deduplicate",
    "generated-identity": "generated-deduplicate",
    "generated-deduplicate": "generated-deduplicate",
    "assemble": None,
}
"""Steps that have a page -> the step of the next refresh that obeys verdicts given there."""


class EditionSheets:
    """The sheets of an edition as its last run left them; a refresh meanwhile shows when the page is opened again."""

    def __init__(self, catalog: Catalog, edition: str) -> None:
        self.catalog, self.edition = catalog, edition
        self._groups = lru_cache(maxsize=4)(self._groups_at)

    def steps(self) -> list[str]:
        """Return the steps of the last run that have a page."""
        return [step for step in PAGES if step in self._book().record.steps]

    def sheet(self, step: str) -> dict[str, Any]:
        """Return what the page of ``step`` shows (see curation.review.desk.Sheets)."""
        book, judge = self._book(), PAGES[step]
        if step not in book.record.steps:
            raise EditionError(f"edition {self.edition} has no step {step} yet: run its refresh to the end")
        words = [verdicts.KEEP, verdicts.DROP]
        about = "The next refresh obeys what you keep and drop here."
        if book.record.state == editions.FROZEN:
            judge, words, about = None, [], f"Edition {self.edition} is frozen: its sheets are for reading."
        elif judge is None:
            words, about = [], "This sheet is for reading: keep and drop where photos are screened or deduplicated."
        elif step.endswith("detect"):
            about += (
                " A keep gives a photo its most prominent box; where none was found the whole photo becomes the crop, "
                "if its product's text names a garment."
            )
        elif judge != step:
            words, about = [verdicts.DROP], f"A drop here takes the whole photo; {judge} of the next refresh obeys it."
        return {
            "step": step,
            "judge": judge,
            "words": words,
            "about": about,
            "said": verdicts.load(self.catalog, self.edition).get(judge, {}) if judge else {},
            "groups": self._groups(book.record.steps[step]),
        }

    def _book(self) -> Edition:
        return editions.find(self.catalog, self.edition)

    def _groups_at(self, path: str) -> list[dict[str, Any]]:
        ledger = steps.load(self.catalog, f"{self.catalog.path}/{path}").ledger
        return sheets.groups(sheets.Source(ledger, self._both("screen", "photos"), self._both("detect", "items")))

    def _both(self, step: str, table: str) -> pa.Table:
        """Return a table of a step for shop photos and AI pictures together, as far as the run has come."""
        book = self._book()
        done = [name for name in (step, f"generated-{step}") if name in book.record.steps]
        return pa.concat_tables([tables.empty(table), *(book.load(name).tables[table] for name in done)])


def open_desk(book: Edition, port: int = 0) -> ThreadingHTTPServer:
    """Return the server of an edition's contact sheets; raises EditionError before its first refresh."""
    made = EditionSheets(book.catalog, book.name)
    if not made.steps():
        raise EditionError(f"edition {book.name} has nothing to review yet: run `lookbench refresh {book.name}` first")
    return desk.Desk(book.catalog, made, port)


def serve(book: Edition, port: int = 0) -> None:
    """Answer the reviewer's browser until Ctrl-C."""
    with open_desk(book, port) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"review here: http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends)", file=sys.stderr)
        server.serve_forever()
