"""Reading a release back: its splits without holding all pixels, pictures only where asked."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from releases.digests import without_pixels
from releases.errors import ReleaseError
from releases.qrels import Judged
from releases.schema import ANCHORS, NOISE, SUBSETS


def splits(path: Path) -> Iterator[tuple[str, str, list[Path]]]:
    """Yield (subset, split, files) of what a release must hold, the anchors only where there are some."""
    for subset in (*SUBSETS, NOISE, ANCHORS):
        for split in ("query", "gallery"):
            if subset == NOISE and split == "query":
                continue
            files = shards(path, subset, split)
            if files or subset != ANCHORS:
                yield subset, split, files


def folder(path: Path, subset: str) -> Path:
    """Return where a subset lies. The anchors lie outside of ``data/``: they are no subset of this edition."""
    return path / ANCHORS if subset == ANCHORS else path / "data" / subset


def shards(path: Path, subset: str, split: str) -> list[Path]:
    """Return the files of a split in their order."""
    return sorted(folder(path, subset).glob(f"{split}-*.parquet"))


def read_split(path: Path, subset: str, split: str) -> pa.Table:
    """Return a split with the sha256 of each picture in place of its bytes; read one row group at a time.

    Raises ReleaseError that names a file which is missing or damaged.
    """
    return pa.concat_tables([part for file in _files(path, subset, split) for part in _parts(file)])


def read_labels(path: Path, subset: str, split: str) -> pa.Table:
    """Return all columns of a split but the pictures, which are not touched; raises as ``read_split``."""
    found = []
    for file in _files(path, subset, split):
        with _opened(file) as opened:
            names = [name for name in opened.schema_arrow.names if name not in ("image", "raw_image")]
            found.append(opened.read(columns=names))
    return pa.concat_tables(found)


def read_pictures(
    path: Path, subset: str, split: str, sample_ids: Sequence[str], columns: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return rows, pictures included, of the named samples: all columns, or those named (``sample_id`` among them)."""
    wanted = set(sample_ids)
    found = {}
    for file in shards(path, subset, split):
        with pq.ParquetFile(file) as opened:
            for number in range(opened.num_row_groups):
                ids = opened.read_row_group(number, columns=["sample_id"])["sample_id"].to_pylist()
                if places := [place for place, key in enumerate(ids) if key in wanted]:
                    rows = opened.read_row_group(number, columns=columns).take(places).to_pylist()
                    found.update({row["sample_id"]: row for row in rows})
    return found


def judged(table: pa.Table) -> list[Judged]:
    """Return the rows of a split as judgements look at them."""
    columns = ("sample_id", "category", "main_attribute", "other_attributes", "product_id")
    return [
        Judged(
            row["sample_id"],
            row["category"] or "",
            row["main_attribute"] or "",
            words(row["main_attribute"], row["other_attributes"]),
            row["product_id"] or "",
        )
        for row in table.select(columns).to_pylist()
    ]


def words(main_attribute: str | None, other_attributes: str | None) -> frozenset[str]:
    """Return all attribute values of a row, the main one included."""
    parts = [main_attribute or "", *(other_attributes or "").split(",")]
    return frozenset(part.strip() for part in parts if part.strip())


def _files(path: Path, subset: str, split: str) -> list[Path]:
    files = shards(path, subset, split)
    if not files:
        raise ReleaseError(f"{folder(path, subset)} has no {split}-*.parquet; fetch the release again")
    return files


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(file) as opened:
            yield opened
    except (OSError, pa.ArrowInvalid) as error:
        raise ReleaseError(f"{file} cannot be read as parquet ({error}); fetch the release again") from error


def _parts(file: Path) -> Iterator[pa.Table]:
    with _opened(file) as opened:
        yield without_pixels(opened.schema_arrow.empty_table())
        for number in range(opened.num_row_groups):
            yield without_pixels(opened.read_row_group(number))
