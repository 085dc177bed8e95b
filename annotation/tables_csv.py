"""Tables as CSV that a spreadsheet opens as data, never as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that spreadsheets run (OWASP, CSV injection)."""


def guard(text: str) -> str:
    """Return ``text`` so that a spreadsheet shows it: an apostrophe goes before what would start a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def dump(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return CSV (RFC 4180, quoted where needed, ``\\n`` line ends) with a header row.

    Texts are guarded, numbers stay numbers, null is an empty cell, a list is joined by " | " after each part is
    guarded, and nothing is ever split.
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([guard(column) for column in columns])
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return sink.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, (list, tuple)):
        return guard(" | ".join(str(_cell(part)) for part in value))
    if isinstance(value, Mapping):
        return guard(": ".join(str(part) for part in value.values()))
    return value
