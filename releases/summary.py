"""What a release holds, counted from its own tables: the numbers of the card, the datasheet and the report."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from releases import reading
from releases.schema import ANCHORS, HARDNESS, NOISE, SUBSETS, TASK


@dataclass(frozen=True)
class Size:
    """One subset in numbers."""

    name: str
    queries: int
    gallery: int
    products: int
    looks: int
    difficulty: str
    """Of its queries; with how many are of each, where they differ: harder variants are hard in every subset."""
    task: str


@dataclass(frozen=True)
class Summary:
    """A release in numbers. Where not said otherwise, each garment counts once, however many galleries show it."""

    sizes: tuple[Size, ...]
    samples: int
    """Rows of all subsets and the distractors."""
    garments: int
    photos: int
    categories: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]
    """Facet -> value -> garments that have it."""
    label_kinds: Mapping[str, int]
    agreement: float | None
    agreed: int
    """Garments that more than one person labelled."""
    licences: Mapping[str, int]
    """Licence -> photos."""
    sites: Mapping[str, int]
    """Site -> photos."""
    generators: Mapping[str, int]
    """Generator -> pictures."""
    bands: Mapping[str, int]
    first_date: datetime | None
    last_date: datetime | None
    dates: tuple[datetime, ...]
    """Dates of the photos, oldest first."""
    variants: Mapping[str, int]
    """Queries asked in a harder form, by form."""
    anchors: tuple[int, int]
    """Queries and gallery rows of the anchor slice."""


def summarise(path: Path) -> Summary:
    """Count what the release in folder ``path`` holds."""
    tables = {(subset, split): reading.read_labels(path, subset, split) for subset, split, _ in reading.splits(path)}
    own = [table for (subset, _), table in tables.items() if subset != ANCHORS]
    columns = (
        "photo_sha256", "bbox", "category", "attributes", "label_kind", "label_agreement", "licence", "site",
        "generator", "band", "date", "variant",
    )  # fmt: skip
    rows = [row for table in own for row in table.select(columns).to_pylist()]
    garments = list({(row["photo_sha256"], row["bbox"]): row for row in rows}.values())
    photos = list({row["photo_sha256"]: row for row in rows}.values())
    dates = sorted(row["date"] for row in photos if row["date"])
    agreements = [row["label_agreement"] for row in garments if row["label_agreement"] is not None]
    return Summary(
        sizes=tuple(_size(name, tables) for name in (*SUBSETS, NOISE)),
        samples=len(rows),
        garments=len(garments),
        photos=len(photos),
        categories=_ordered(row["category"] for row in garments),
        facets=_facets(garments),
        label_kinds=_ordered(row["label_kind"] for row in garments),
        agreement=sum(agreements) / len(agreements) if agreements else None,
        agreed=len(agreements),
        licences=_ordered(row["licence"] or "not stated" for row in photos),
        sites=_ordered(row["site"] for row in photos if row["site"]),
        generators=_ordered(row["generator"] for row in photos if row["generator"]),
        bands=dict(sorted(Counter(row["band"] for row in rows if row["band"]).items())),
        variants=dict(sorted(Counter(row["variant"] for row in rows if row["variant"]).items())),
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        dates=tuple(dates),
        anchors=(_rows(tables, "query"), _rows(tables, "gallery")),
    )


def _rows(tables: Mapping[tuple[str, str], pa.Table], split: str) -> int:
    return int(tables[ANCHORS, split].num_rows) if (ANCHORS, split) in tables else 0


def _size(name: str, tables: Mapping[tuple[str, str], pa.Table]) -> Size:
    query, gallery = tables.get((name, "query")), tables[name, "gallery"]
    asked = query if query is not None else gallery.slice(0, 0)
    looks = {look for look in asked["look_id"].to_pylist() if look}
    products = {*asked["product_id"].to_pylist(), *gallery["product_id"].to_pylist()}
    found = sorted(Counter(asked["difficulty"].to_pylist()).items(), key=lambda pair: HARDNESS.index(pair[0]))
    difficulty = found[0][0] if len(found) == 1 else ", ".join(f"{count:,} {kind}" for kind, count in found)
    return Size(name, len(asked), len(gallery), len(products), len(looks), difficulty, TASK[name])


def _facets(garments: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    found: dict[str, list[str]] = {}
    for row in garments:
        for pair in row["attributes"] or ():
            found.setdefault(pair["facet"], []).append(pair["value"])
    return {
        facet: _ordered(values) for facet, values in sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    }


def _ordered(values: Any) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], str(pair[0]))))
