"""The report page of a release: one HTML file that needs nothing else, built from the release's own files."""

import ast
import base64
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from catalog.decode import decode
from releases import charts, evidence, manifest, reading
from releases.card import render
from releases.pictures import shrink
from releases.records import rank
from releases.schema import NOISE, SUBSETS
from releases.summary import summarise

NAME: Final = "index.html"
_SIDE: Final = 144
_KEPT: Final = 63
_ANSWERS: Final = 5
_ASKED: Final = 4
_COLUMNS: Final = ("sample_id", "image", "category", "main_attribute", "title", "band")
_NAMES: Final[Mapping[str, str]] = {
    "real_studio_flat": "Studio flat",
    "aigen_studio": "AI studio",
    "real_streetlook": "Street look",
    "aigen_streetlook": "AI street look",
    NOISE: "Distractors",
}


@dataclass(frozen=True)
class Tile:
    """One small picture of the page; ``uri`` is empty where the pixels may not be shown or are not there."""

    uri: str
    caption: str
    note: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Look:
    """A whole look, with the box that the query was cut from in shares of its width and height."""

    tile: Tile
    aspect: float
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Question:
    """A query with some of its answers, and the look it is part of."""

    query: Tile
    answers: tuple[Tile, ...]
    look: Look | None


def build(path: str | Path) -> Path:
    """Write ``report/index.html`` of the release in folder ``path`` and return it; the same files give the same page.

    Call it again after results were put into ``baselines/``, then seal the manifest.
    """
    path = Path(path)
    content = manifest.read(path)
    funnel = json.loads((path / "report" / evidence.FUNNEL).read_text(encoding="utf-8"))
    shown = pq.read_table(path / "report" / evidence.PICTURES).to_pylist()
    summary = summarise(path)
    timeline = charts.timeline(summary.dates)
    context = {
        "manifest": content,
        "totals": funnel["totals"],
        "steps": funnel["steps"],
        "summary": summary,
        "names": _NAMES,
        "subsets": SUBSETS,
        "questions": {name: _questions(path, name) for name in SUBSETS},
        "noise": _gallery(path, NOISE, 27),
        "kept": _gallery(path, SUBSETS[0], _KEPT),
        "dropped": _dropped(shown, funnel["steps"]),
        "pairs": _pairs(shown),
        "timeline": timeline,
        "categories": charts.bars(summary.categories, 28),
        "facets": {facet: charts.bars(counts, 8) for facet, counts in list(summary.facets.items())[:12]},
        "bands": charts.bars(summary.bands),
        "scores": charts.scores(_results(path)),
        "measures": charts.MEASURES,
    }
    page = path / "report" / NAME
    page.write_text(render("report.html.j2", context, html=True), encoding="utf-8", newline="\n")
    return page


def _results(path: Path) -> list[dict[str, Any]]:
    files = sorted((path / "baselines").rglob("*.json"))
    return [content for file in files if isinstance(content := json.loads(file.read_text(encoding="utf-8")), dict)]


def _questions(path: Path, subset: str) -> list[Question]:
    """Choose some queries by hash, each with photos of its product first, then rows of its label."""
    asked, gallery = reading.read_labels(path, subset, "query"), reading.read_labels(path, subset, "gallery")
    rows = asked.select(["sample_id", "category", "main_attribute", "product_id"]).to_pylist()
    chosen = sorted(rows, key=lambda row: rank("report", row["sample_id"]))[:_ASKED]
    answers = {row["sample_id"]: _answers(row, gallery) for row in chosen}
    queries = reading.read_pictures(path, subset, "query", list(answers), (*_COLUMNS, "raw_image", "bbox", "look_id"))
    wanted = [key for some in answers.values() for key, _ in some]
    found = reading.read_pictures(path, subset, "gallery", wanted, _COLUMNS)
    return [
        Question(
            _tile(queries[row["sample_id"]], "query"),
            tuple(_tile(found[key], kind) for key, kind in answers[row["sample_id"]]),
            _look(queries[row["sample_id"]]),
        )
        for row in chosen
    ]


def _look(row: Mapping[str, Any]) -> Look | None:
    if not row["look_id"] or not row["raw_image"]["bytes"]:
        return None
    decoded = decode(row["raw_image"]["bytes"], reduce_to=_SIDE * 2)
    x0, y0, x1, y1 = ast.literal_eval(row["bbox"])
    width, height = decoded.width, decoded.height
    tile = Tile(_uri(shrink(decoded.pixels, _SIDE)), "the look")
    return Look(tile, width / height, x0 / width, y0 / height, (x1 - x0) / width, (y1 - y0) / height)


def _answers(query: Mapping[str, Any], gallery: pa.Table) -> list[tuple[str, str]]:
    """Return (sample id, product or label) of up to five answers, photos of the same product first."""
    rows = gallery.select(["sample_id", "category", "main_attribute", "product_id"]).to_pylist()
    same = [row["sample_id"] for row in rows if row["product_id"] == query["product_id"]]
    alike = [
        row["sample_id"]
        for row in rows
        if row["product_id"] != query["product_id"]
        and (row["category"], row["main_attribute"]) == (query["category"], query["main_attribute"])
    ]
    return [*((key, "product") for key in same), *((key, "label") for key in alike)][:_ANSWERS]


def _gallery(path: Path, subset: str, count: int) -> list[Tile]:
    """Choose photos by hash, one of each product."""
    table = reading.read_labels(path, subset, "gallery").select(["sample_id", "product_id"])
    first: dict[str, str] = {}
    for row in sorted(table.to_pylist(), key=lambda row: rank("report", row["sample_id"])):
        first.setdefault(row["product_id"], row["sample_id"])
    chosen = list(first.values())[:count]
    found = reading.read_pictures(path, subset, "gallery", chosen, _COLUMNS)
    return [_tile(found[key], "") for key in chosen]


def _tile(row: Mapping[str, Any], kind: str) -> Tile:
    data = row["image"]["bytes"] if row["image"] else None
    uri = _uri(shrink(decode(data, reduce_to=_SIDE * 2).pixels, _SIDE)) if data else ""
    label = ", ".join(part for part in (row["category"], row["main_attribute"]) if part)
    return Tile(uri, label, row["band"] or row["title"] or "", kind)


def _dropped(rows: Sequence[Mapping[str, Any]], steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Group the dropped pictures by step and reason, with how many there were in all."""
    groups: dict[tuple[str, str], list[Tile]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "dropped":
            tile = Tile(_uri(row["picture"]) if row["picture"] else "", row["note"] or "", row["id"])
            groups[row["step"], row["reason"]].append(tile)
    counts = {(step["step"], reason): count for step in steps for reason, count in step["dropped"].items()}
    return [
        {"step": step, "reason": reason, "count": counts.get((step, reason), len(tiles)), "tiles": tiles}
        for (step, reason), tiles in groups.items()
    ]


def _pairs(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group the duplicate pairs by tier."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "pair":
            sides = [_uri(row[side]) if row[side] else "" for side in ("picture", "other")]
            groups[row["reason"]].append({"new": sides[0], "old": sides[1], "note": row["note"], "id": row["id"]})
    return dict(groups)


def _uri(data: bytes) -> str:
    return "data:image/webp;base64," + base64.b64encode(data).decode()
