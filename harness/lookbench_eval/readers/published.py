"""Read the published LookBench: nine columns, four subsets and the config `noise`, no dates, no manifest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from lookbench_eval.errors import ReleaseError
from lookbench_eval.readers.base import NOISE, SUBSETS, Release, Split, Subset, choose
from lookbench_eval.readers.parquet import (
    IMAGE,
    TEXT,
    ParquetPictures,
    opened,
    read_table,
    samples_of,
    texts,
)
from lookbench_eval.samples import Strings, objects

COLUMNS = {
    "image": IMAGE,
    "raw_image": IMAGE,
    **dict.fromkeys(("category", "main_attribute", "other_attributes", "bbox", "item_ID", "task", "difficulty"), TEXT),
}
NOISE_CATEGORY = "noise data"
COUNTS = {
    "real_studio_flat": (1011, 3951),
    "aigen_studio": (193, 979),
    "real_streetlook": (981, 3278),
    "aigen_streetlook": (160, 571),
    NOISE: (0, 58275),
}
"""Queries and gallery of version v20251201."""


def is_published(root: Path) -> bool:
    """Whether the folder, or a version folder in it, has the published layout."""
    return _versions(root) != []


def read(root: Path, *, subsets: Sequence[str] | None = None) -> Release:
    """Open the published layout; where there are several versions, the newest. Raises ReleaseError."""
    versions = _versions(root)
    if not versions:
        raise ReleaseError(f"{root} holds no <subset>/query*.parquet")
    home = versions[-1]
    present = [name for name in SUBSETS if any((home / name).glob("query*.parquet"))]
    parts = [
        Subset(name, _split(home, name, "query"), _split(home, name, "gallery"))
        for name in choose(subsets, present, str(root))
    ]
    noise = _split(home, NOISE, "gallery") if any((home / NOISE).glob("gallery*.parquet")) else None
    notes = ["The published layout has no dates and no manifest: nothing tells how fresh or how complete it is."]
    counts = {part.name: (len(part.query.samples), len(part.gallery.samples)) for part in parts}
    if noise is None:
        notes.append("There is no noise folder: the figures are not comparable with published ones.")
    else:
        counts[NOISE] = (0, len(noise.samples))
    odd = {name: count for name, count in counts.items() if count != COUNTS[name]}
    if odd:
        said = ", ".join(f"{name} {found} instead of {COUNTS[name]}" for name, found in odd.items())
        notes.append(f"Counts (queries/gallery) differ from version v20251201: {said}.")
    return Release(
        name=home.resolve().name if home == root else f"{root.resolve().name}-{home.name}",
        layout="published",
        subsets=tuple(parts),
        noise=noise,
        edition=home.name if home != root else None,
        no_positive="zero",
        notes=tuple(notes),
    )


def _versions(root: Path) -> list[Path]:
    """Folders that hold the four subsets: version folders in order, else the root itself."""
    inner = [path for path in sorted(root.glob("v*")) if re.fullmatch(r"v\d+", path.name)]
    return [home for home in (inner or [root]) if any(any((home / name).glob("query*.parquet")) for name in SUBSETS)]


def _split(home: Path, subset: str, split: str) -> Split:
    paths = tuple(sorted((home / subset).glob(f"{split}*.parquet")))
    if not paths:
        raise ReleaseError(f"{home / subset} has no {split}*.parquet")
    table = read_table(paths, COLUMNS, {})
    category = texts(table, "category")
    noise = category == NOISE_CATEGORY
    ids = objects([f"{subset}/{split}/{row}" for row in range(len(table))])
    # item_ID restarts in every subset.
    item = objects([f"{subset}/{value}" if value else "" for value in texts(table, "item_ID")])
    samples = samples_of(table, ids, item)
    samples.category[noise] = ""
    samples.photo[:] = _photos(paths)
    if split == "query" and not len(samples):
        raise ReleaseError(f"{home / subset}: the query split is empty")
    return Split(samples, ParquetPictures(paths))


def _photos(paths: Sequence[Path]) -> Strings:
    """sha256 of the original file of every row (`raw_image`, else `image`); the layout does not state it."""
    digests = []
    for path in paths:
        with opened(path) as file:
            for batch in file.iter_batches(batch_size=64, columns=["raw_image", "image"]):
                raw, crop = (batch.column(name).field("bytes") for name in ("raw_image", "image"))
                for row in range(len(batch)):
                    data = raw[row].as_buffer() or crop[row].as_buffer()
                    digests.append(hashlib.sha256(data).hexdigest() if data else "")
    return objects(digests)
