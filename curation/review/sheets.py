"""The rows of a contact sheet: every input of a step, grouped by what became of it, with what the page must draw."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

NOTED: Final = 4
"""Facts of the evidence that a tile shows."""
_DRAWN: Final = {"box", "twin", "items", "into", "message"}

Row = dict[str, Any]


def sheet(
    step: str,
    ledger: pa.Table,
    photos: pa.Table,
    items: pa.Table | None = None,
    said: Mapping[str, bool] | None = None,
) -> dict[str, Any]:
    """Return what the page of one step shows: ``groups`` of one outcome and reason, the commonest reason first.

    A row has ``id``, ``photo`` (whose picture it is), ``note``, and where there are: ``box`` (shares of the photo's
    sides; an item is shown cropped to it), ``boxes`` (all boxes of a photo as [x0, y0, x1, y1, label, kept]), ``twin``
    (the photo it repeats) and ``said`` (the reviewer's verdict so far). ``photos`` and ``items`` are the tables of the
    step. Beside photos, items are drawn as boxes.
    """
    said = said or {}
    sizes = {
        photo: (width, height)
        for photo, width, height in zip(*(photos[c].to_pylist() for c in ("photo_id", "width", "height")), strict=True)
    }
    known = {row["item_id"]: row for row in items.to_pylist()} if items is not None else {}
    rows = ledger.to_pylist()
    subjects = {row["subject"] for row in rows}
    shown = "photo" if "photo" in subjects else "item"
    drawn = _boxes(rows, known, sizes) if shown == "photo" else {}
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["subject"] == shown:
            groups[row["outcome"], row["reason"]].append(_row(row, known, sizes, drawn, said))
    ordered = sorted(groups.items(), key=lambda pair: (pair[0][0] != "kept", -len(pair[1]), pair[0][1]))
    return {
        "step": step,
        "groups": [
            {"outcome": outcome, "reason": reason, "rows": rows} for (outcome, reason), rows in ordered
        ],
    }  # fmt: skip


def _row(
    row: Row,
    known: Mapping[str, Row],
    sizes: Mapping[str, tuple[int | None, int | None]],
    drawn: Mapping[str, list[list[Any]]],
    said: Mapping[str, bool],
) -> Row:
    evidence = _evidence(row)
    key = row["id"]
    item = known.get(key)
    photo = item["photo_id"] if item else row["parent_id"] or key
    made: Row = {"id": key, "photo": photo, "note": note(evidence)}
    if item and (box := _shares(item["box"], sizes.get(photo))):
        made["box"] = box
    if boxes := drawn.get(key):
        made["boxes"] = boxes
    if twin := evidence.get("twin"):
        made["twin"] = twin
    if key in said:
        made["said"] = said[key]
    return made


def _boxes(
    rows: list[Row], known: Mapping[str, Row], sizes: Mapping[str, tuple[int | None, int | None]]
) -> dict[str, list[list[Any]]]:
    """Return photo_id -> its boxes, kept and lost, as the step's rows of items tell them."""
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for row in rows:
        if row["subject"] != "item" or not row["parent_id"]:
            continue
        evidence, kept = _evidence(row), row["outcome"] == "kept"
        box = known[row["id"]]["box"] if row["id"] in known else evidence.get("box")
        shares = _shares(box, sizes.get(row["parent_id"]))
        if shares:
            name = known[row["id"]]["category"] if row["id"] in known else evidence.get("category", "")
            score = f" {evidence['score']:.2f}" if "score" in evidence else ""
            found[row["parent_id"]].append([*shares, f"{name}{score}" if kept else f"{row['reason']}{score}", kept])
    return found


def _shares(box: Any, size: tuple[int | None, int | None] | None) -> list[float] | None:
    if not box or not size or not size[0] or not size[1]:
        return None
    return [round(value / side, 4) for value, side in zip(box, (size[0], size[1]) * 2, strict=True)]


def _evidence(row: Row) -> dict[str, Any]:
    found = json.loads(row["evidence"]) if row["evidence"] else {}
    return found if isinstance(found, dict) else {}


def note(evidence: Mapping[str, Any]) -> str:
    """Return the first facts of an evidence in a few words: ``distance 12, threshold 60, tier pdq``."""
    words = []
    for key, value in evidence.items():
        if key not in _DRAWN and value is not None and not isinstance(value, dict | list):
            text = f"{value:.3g}" if isinstance(value, float) else value
            words.append(f"{key.replace('_', ' ')} {text}")
    return ", ".join(words[:NOTED])
