"""Read a release of this project: a folder with `data/<subset>/{query,gallery}-*.parquet` and a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookbench_eval import manifest
from lookbench_eval.errors import ReleaseError
from lookbench_eval.readers.base import NOISE, SUBSETS, Release, Split, Subset, check_ids, choose
from lookbench_eval.readers.parquet import (
    DATE,
    IMAGE,
    PAIRS,
    TEXT,
    ParquetPictures,
    read_table,
    require,
    samples_of,
    texts,
)
from lookbench_eval.samples import concatenate, objects
from lookbench_eval.trec import read_qrels

COLUMNS = {
    "image": IMAGE,
    "category": TEXT,
    "main_attribute": TEXT,
    "other_attributes": TEXT,
    "item_ID": TEXT,
    "difficulty": TEXT,
    "sample_id": TEXT,
    "date": DATE,
}
ANCHORS = "anchors"
"""Queries kept from the edition before; scored only when asked for by name, and no part of Overall."""
OPTIONAL = {"look_id": TEXT, "product_id": TEXT, "photo_sha256": TEXT, "site": TEXT, "attributes": PAIRS}


def is_release(root: Path) -> bool:
    """Whether the folder looks like a release of ours."""
    return (root / "manifest.json").is_file() or any((root / "data").glob("*/query-*.parquet"))


def read(root: Path, *, subsets: Sequence[str] | None = None, verify: bool = True) -> Release:
    """Open a release; pictures stay on disk. Raises ReleaseError, before any model runs."""
    found = None
    if verify or (root / "manifest.json").is_file():
        found = manifest.read(root)
    if found and verify:
        manifest.verify(root, found)
    folders = {path.name for path in (root / "data").glob("*") if path.is_dir()} - {NOISE}
    present = [name for name in SUBSETS if name in folders] + sorted(folders - set(SUBSETS))
    if subsets and ANCHORS in subsets and (root / ANCHORS).is_dir():
        present.append(ANCHORS)
    names = choose(subsets, present, str(root))
    if not names:
        raise ReleaseError(f"{root} holds no subset under data/; expected {', '.join(SUBSETS)}")
    noise = _split(root, NOISE, "gallery") if any((root / "data" / NOISE).glob("gallery-*.parquet")) else None
    parts = []
    for name in names:
        qrels = root / "qrels" / f"{name}.tsv"
        subset = Subset(
            name,
            _split(root, name, "query"),
            _split(root, name, "gallery"),
            read_qrels(qrels) if qrels.is_file() else None,
        )
        parts.append(subset)
    release = Release(
        name=f"lookbench-{found.edition}" if found else root.resolve().name,
        layout="lookbench",
        subsets=tuple(parts),
        noise=noise,
        edition=found.edition if found else None,
        digest=found.digest if found else None,
        verified=bool(found and verify),
    )
    # An anchor repeats a sample of the edition before, so it only has to be unlike what it is searched with.
    main = [split for part in parts if part.name != ANCHORS for split in (part.query, part.gallery)]
    for splits in [main, *([part.query, part.gallery] for part in parts if part.name == ANCHORS)]:
        if splits:
            held = [split.samples for split in (*splits, *([noise] if noise else []))]
            check_ids(concatenate(held), root.name)
    return release


def _split(root: Path, subset: str, split: str) -> Split:
    folder = root / subset if subset == ANCHORS else root / "data" / subset
    paths = tuple(sorted(folder.glob(f"{split}-*.parquet")))
    if not paths:
        raise ReleaseError(f"{folder} has no {split}-*.parquet")
    table = read_table(paths, COLUMNS, OPTIONAL)
    where = f"{root.name}, {subset}/{split}"
    ids = texts(table, "sample_id")
    # item_ID restarts in every subset, as published; product_id is the name that holds across them.
    item = texts(table, "product_id")
    if "product_id" not in table.schema.names:
        item = objects([f"{subset}/{value}" if value else "" for value in texts(table, "item_ID")])
    samples = samples_of(table, ids, item)
    require(samples, ids, "sample_id", where)
    if split == "query":
        require(samples, samples.category, "category", where)
        require(samples, samples.main_attribute, "main_attribute", where)
        if not len(samples):
            raise ReleaseError(f"{where} is empty; a subset needs queries")
    return Split(samples, ParquetPictures(paths))
