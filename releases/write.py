"""Parquet that loads fast and is the same, byte for byte, every time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from releases.schema import NAMES, schema

_PIXELS: Final = ("image", "raw_image")
_LEAVES: Final = {"attributes": ("attributes.list.element.facet", "attributes.list.element.value")}


def write_split(
    folder: Path, split: str, batches: Iterable[Sequence[Mapping[str, Any]]], *, shard_bytes: int
) -> list[Path]:
    """Write rows as ``<split>-00000-of-0000N.parquet``, one row group per batch; return the files.

    Pictures are already compressed, so their columns are stored as they are; the others get zstd. A shard is closed
    before it would grow past ``shard_bytes`` (a single larger row group has a shard of its own). An empty split is one
    file without rows, so that the split is still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[Path] = []
    writer: pq.ParquetWriter | None = None
    size = 0
    try:
        for rows in _or_empty(batches):
            table = pa.Table.from_pylist(list(rows), schema=schema())
            if writer is None or size + table.nbytes > shard_bytes:
                if writer is not None:
                    writer.close()
                parts.append(folder / f".{split}-{len(parts):05d}.part")
                writer, size = _open(parts[-1]), 0
            writer.write_table(table, row_group_size=max(1, table.num_rows))
            size += table.nbytes
    finally:
        if writer is not None:
            writer.close()
    return [
        part.rename(folder / f"{split}-{number:05d}-of-{len(parts):05d}.parquet") for number, part in enumerate(parts)
    ]


def write_table(path: Path, table: pa.Table) -> None:
    """Write a small table, always the same bytes for the same rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", write_page_index=False, store_schema=True)


def _or_empty(batches: Iterable[Sequence[Mapping[str, Any]]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    empty = True
    for batch in batches:
        empty = False
        yield batch
    if empty:
        yield []


def _open(path: Path) -> pq.ParquetWriter:
    plain = [f"{name}.{leaf}" for name in _PIXELS for leaf in ("bytes", "path")]
    text = [leaf for name in NAMES if name not in _PIXELS for leaf in _LEAVES.get(name, (name,))]
    return pq.ParquetWriter(
        path,
        schema(),
        compression={**dict.fromkeys(plain, "none"), **dict.fromkeys(text, "zstd")},
        use_dictionary=text,
        write_statistics=text,
    )
