"""Harder variants: garments of the kinds that the reference models solved last time are asked for in a harder form."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog.decode import Pixels
from releases.policy import ReleasePolicy
from releases.records import Record, rank

Cell = tuple[str, str]
"""Subset and category: what is judged solved or not as a whole."""

TIGHT, SMALL, OCCLUDED = "tight", "small", "occluded"
KINDS: Final = (TIGHT, SMALL, OCCLUDED)
TIGHT_SIDE: Final = 0.6
"""Share of each side of the crop that a tight one keeps, about its centre."""
SMALL_SIDE: Final = 64
"""Longest side in pixels of a small one, as of a garment seen from afar; our own choice."""
HIDDEN_AREA: Final = 0.3
"""Share of an occluded crop that is grey; random erasing (Zhong et al., arXiv:1708.04896) hides 0.02 to 0.4."""
GREY: Final = 128


def difficulty(release: Path) -> pa.Table:
    """Return what the reference models made of each query of a release.

    Columns: ``sample_id``, ``subset``, ``category``, ``wrong`` (share of the reference models whose first answer shows
    another product, 0 to 1). Empty when the release carries no per-query results.
    """
    parts = [
        pq.read_table(file, columns=["query_id", "subset", "category", "Item@1"])
        for file in sorted((release / "baselines").glob("*.per_query.parquet"))
    ]
    if not parts:
        kinds = {"sample_id": pa.string(), "subset": pa.string(), "category": pa.string(), "wrong": pa.float64()}
        return pa.schema(kinds.items()).empty_table()
    joined = pa.concat_tables(parts).group_by(["query_id", "subset", "category"]).aggregate([("Item@1", "mean")])
    wrong = pc.subtract(1.0, joined["Item@1_mean"])
    columns = [joined["query_id"], joined["subset"], joined["category"], wrong]
    return pa.table(columns, names=["sample_id", "subset", "category", "wrong"]).sort_by("sample_id")


def solved(previous: Path | None, policy: ReleasePolicy) -> frozenset[Cell]:
    """Return the cells of the edition before that some reference model answered almost always."""
    if previous is None or policy.harder_share <= 0:
        return frozenset()
    found: dict[Cell, list[bool]] = {}
    for row in difficulty(previous).to_pylist():
        found.setdefault((row["subset"], row["category"]), []).append(row["wrong"] < 1)
    return frozenset(
        cell
        for cell, right in found.items()
        if len(right) >= policy.harder_least and np.mean(right) >= policy.harder_from
    )


def choose(
    queries: Mapping[str, Sequence[Record]], cells: frozenset[Cell], share: float, *, edition: str
) -> dict[str, str]:
    """Return item_id -> kind for about ``share`` of the queries of each solved cell; a stable hash decides."""
    chosen: dict[str, str] = {}
    for subset, records in queries.items():
        for category in sorted({record.category for record in records if (subset, record.category) in cells}):
            mine = [record.item_id for record in records if record.category == category]
            mine.sort(key=lambda item_id: rank(f"harder {edition}", item_id))
            for item_id in mine[: round(share * len(mine))]:
                chosen[item_id] = KINDS[len(chosen) % len(KINDS)]
    return chosen


def box(corners: Sequence[float], kind: str | None) -> tuple[float, float, float, float]:
    """Return the box (xyxy) that a variant shows of a garment's box."""
    x0, y0, x1, y1 = corners
    if kind != TIGHT:
        return x0, y0, x1, y1
    dx, dy = (x1 - x0) * (1 - TIGHT_SIDE) / 2, (y1 - y0) * (1 - TIGHT_SIDE) / 2
    return x0 + dx, y0 + dy, x1 - dx, y1 - dy


def hidden(size: tuple[int, int], kind: str | None, key: str) -> tuple[int, int, int, int] | None:
    """Return the part (xyxy) of a crop of ``size`` (width, height) that a variant hides; ``key`` places it."""
    if kind != OCCLUDED:
        return None
    wide, tall = (max(1, round(side * HIDDEN_AREA**0.5)) for side in size)
    rng = np.random.default_rng(int(rank("occluded", key)[:16], 16))
    left, top = int(rng.integers(size[0] - wide + 1)), int(rng.integers(size[1] - tall + 1))
    return left, top, left + wide, top + tall


def alter(pixels: Pixels, kind: str | None, part: tuple[int, int, int, int] | None) -> Pixels:
    """Return the crop (H, W, 3) as a variant shows it; ``part`` of it is grey."""
    if kind == SMALL:
        from PIL import Image

        image = Image.fromarray(pixels)
        image.thumbnail((SMALL_SIDE, SMALL_SIDE), Image.Resampling.LANCZOS)
        return np.asarray(image)
    if part:
        pixels = pixels.copy()
        pixels[part[1] : part[3], part[0] : part[2]] = GREY
    return pixels
