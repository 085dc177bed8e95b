"""Digests of files and of what tables say, whatever their bytes."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables

_PIECE = 1 << 20


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file as hex, read in pieces."""
    state = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            state.update(piece)
    return state.hexdigest()


def without_pixels(table: pa.Table) -> pa.Table:
    """Return a table whose picture columns hold the sha256 of their bytes (null where there are none)."""
    for place, name in enumerate(table.column_names):
        kind = table.schema.field(name).type
        if pa.types.is_struct(kind) and "bytes" in [field.name for field in kind]:
            table = table.set_column(place, name, pa.array(_hashes(table[name]), pa.string()))
    return table


def _hashes(column: pa.ChunkedArray) -> list[str | None]:
    values = (value for chunk in column.chunks for value in pc.struct_field(chunk, "bytes"))
    return [hashlib.sha256(value.as_buffer()).hexdigest() if value.is_valid else None for value in values]


def table_digest(table: pa.Table) -> str:
    """Return the logical sha256 of a table: columns, types and values, but not the pixels.

    Pixels are left out because ``photo_sha256`` and ``bbox`` name them already: a release of links and its filled copy
    say the same.
    """
    pixels = [name for name in ("image", "raw_image") if name in table.column_names]
    return tables.digest(table.drop_columns(pixels))
