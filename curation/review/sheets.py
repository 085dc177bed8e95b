"""The rows of a contact sheet: every input of a step, grouped by what became of it, with what the page must draw."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

Row = dict[str, Any]

_MEASURED: Final = ("distance", "cosine", "overlap", "best_score", "shorter_side", "aspect", "deviation", "flat")
"""Figures of an evidence that stand against its ``threshold`` or ``score_line``."""
_DRAWN: Final = {
    "box",
    "twin",
    "items",
    "into",
    "photo_id",
    "seed",
    "seeds",
    "best_of",
    "samples",
    "matched_id",
    "boxes",
}
_PAIR: Final = {"tier", "distance", "threshold", "matched_edition", "edition"}
_BESIDE: Final = {
    "duplicate_in_edition": "kept instead",
    "duplicate_of_dropped": "goes as well",
    "unique": "its copy",
}


@dataclass(frozen=True)
class Source:
    """What a sheet is drawn from."""

    ledger: pa.Table
    photos: pa.Table
    """Photos with their upright width and height, as screened."""
    items: pa.Table
    """Items that the ledger's rows or their evidence name."""


def groups(source: Source) -> list[dict[str, Any]]:
    """Return ``outcome``, ``reason`` and ``rows`` of each group: kept first, the commonest reason first, and in it what
    lies nearest to its threshold first.

    A row has ``id``, ``photo`` (whose picture it is; None where there is none), ``facts`` (short texts), and where
    there are: ``box`` (shares of the photo's sides; an item is shown cropped to it), ``boxes`` (of a photo, as [x0, y0,
    x1, y1, label, kept]), ``faces`` (as [x0, y0, x1, y1, label]) and ``beside`` (pictures to compare with: ``photo``,
    ``name``, maybe ``box``).
    """
    rows = source.ledger.to_pylist()
    shown = "photo" if any(row["subject"] == "photo" for row in rows) else None
    drawer = _Drawer(source, rows if shown else [])
    found: dict[tuple[str, str], list[tuple[float, Row]]] = defaultdict(list)
    for row in rows:
        if shown in (None, row["subject"]):
            evidence = _evidence(row)
            reason = "unique, with copies" if evidence.get("best_of") else row["reason"]
            doubt = _doubt(evidence, drawer.scores.get(row["id"], math.inf))
            found[row["outcome"], reason].append((doubt, drawer.row(row, evidence)))
    ordered = sorted(found.items(), key=lambda pair: (pair[0][0] != "kept", -len(pair[1]), pair[0][1]))
    return [
        {"outcome": outcome, "reason": reason, "rows": [row for _, row in sorted(rows, key=lambda pair: pair[0])]}
        for (outcome, reason), rows in ordered
    ]


class _Drawer:
    """Turns ledger rows into what a page draws."""

    def __init__(self, source: Source, rows: list[Row]) -> None:
        self.items = {row["item_id"]: row for row in source.items.to_pylist()}
        columns = (source.photos[name].to_pylist() for name in ("photo_id", "width", "height"))
        self.sizes = {photo: (width, height) for photo, width, height in zip(*columns, strict=True)}
        self.boxes: dict[str, list[list[Any]]] = defaultdict(list)
        self.faces: dict[str, list[list[Any]]] = defaultdict(list)
        self.scores: dict[str, float] = {}  # photo -> the least score of a box that stays
        for row in rows:
            if row["subject"] == "item" and row["parent_id"]:
                self._box(row)
            elif row["subject"] == "face":
                self._face(row)

    def row(self, row: Row, evidence: Row) -> Row:
        item = self.items.get(row["id"])
        photo = item["photo_id"] if item else row["parent_id"] or row["id"]
        if row["subject"] == "seed":  # the picture is the one that was made, if one was
            photo = evidence.get("photo_id")
        made: Row = {"id": row["id"], "photo": photo, "facts": facts(evidence)}
        if item:
            made["facts"].insert(0, item["category"])
            if box := self._shares(item["box"], photo):
                made["box"] = box
        if boxes := self.boxes.get(row["id"]):
            made["boxes"] = boxes
            made["facts"].insert(0, f"{sum(box[5] for box in boxes)} of {len(boxes)} boxes kept")
        if faces := self.faces.get(row["id"]):
            made["faces"] = faces
        if beside := self._beside(row, evidence):
            made["beside"] = beside
        return made

    def _box(self, row: Row) -> None:
        evidence, item, kept = _evidence(row), self.items.get(row["id"]), row["outcome"] == "kept"
        if shares := self._shares(item["box"] if item else evidence.get("box"), row["parent_id"]):
            name = item["category"] if item else evidence.get("category", "")
            score = f" {evidence['score']:.2f}" if "score" in evidence else ""
            label = f"{name}{score}" if kept else f"{name}{score} ({row['reason'].replace('_', ' ')})"
            self.boxes[row["parent_id"]].append([*shares, label, kept])
            if kept and "score" in evidence:
                self.scores[row["parent_id"]] = min(evidence["score"], self.scores.get(row["parent_id"], math.inf))

    def _face(self, row: Row) -> None:
        evidence = _evidence(row)
        if shares := self._shares(evidence.get("box"), row["parent_id"]):
            self.faces[row["parent_id"]].append([*shares, f"face {evidence['score']:.2f}"])

    def _beside(self, row: Row, evidence: Row) -> list[Row]:
        if row["subject"] == "seed":
            seeds = [self._item(seed, "seed") for seed in evidence.get("seeds") or [*evidence] if seed in self.items]
            return seeds or ([{"photo": row["parent_id"], "name": "seed"}] if row["parent_id"] else [])
        if evidence.get("seed") in self.items:
            return [self._item(evidence["seed"], "seed")]
        if copies := evidence.get("best_of"):
            return [{"photo": copy, "name": _BESIDE["unique"]} for copy in copies[:3]]
        if twin := evidence.get("twin") or evidence.get("matched_id"):
            edition = evidence.get("edition") or evidence.get("matched_edition")
            reason = str(evidence.get("reason", row["reason"]))
            return [{"photo": twin, "name": f"in {edition}" if edition else _BESIDE.get(reason, "its twin")}]
        return []

    def _item(self, key: str, name: str) -> Row:
        item = self.items[key]
        box = self._shares(item["box"], item["photo_id"])
        return {"photo": item["photo_id"], "name": name, **({"box": box} if box else {})}

    def _shares(self, box: Any, photo: str) -> list[float] | None:
        size = self.sizes.get(photo)
        if not box or not size or not size[0] or not size[1]:
            return None
        shares = (value / side for value, side in zip(box, (size[0], size[1]) * 2, strict=True))
        return [round(min(1.0, max(0.0, share)), 4) for share in shares]


def facts(evidence: Mapping[str, Any]) -> list[str]:
    """Return an evidence in short texts, how near a pair is first: ``pdq distance 12, threshold 60``."""
    told = []
    if evidence.get("tier") in {"bytes", "pixels"}:
        told.append(f"same {evidence['tier']}")
    elif evidence.get("tier"):
        line = f", threshold {evidence['threshold']:g}" if "threshold" in evidence else ""
        told.append(f"{evidence['tier']} distance {evidence['distance']:.4g}{line}")
    if samples := evidence.get("samples"):
        told += [" ".join(str(sample).split("-")[1:3]) for sample in samples]
    skipped = _DRAWN | (_PAIR if evidence.get("tier") else set())
    for key, value in evidence.items():
        if key not in skipped and value is not None:
            told.append(f"{key.replace('_', ' ')} {_text(value)}")
    return told


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_text(one)}" for key, one in value.items() if one is not None)
    return f"{value:.3g}" if isinstance(value, float) else str(value)[:200]


def _doubt(evidence: Mapping[str, Any], otherwise: float) -> float:
    """Return how far the decision was from going the other way; the least is the first that a person should see."""
    line = evidence.get("threshold", evidence.get("score_line"))
    measured = next((evidence[name] for name in _MEASURED if name in evidence), None)
    return abs(float(measured) / float(line) - 1) if line and measured is not None else otherwise


def _evidence(row: Row) -> Row:
    found = json.loads(row["evidence"]) if row["evidence"] else {}
    return found if isinstance(found, dict) else {}
