"""Read the parquet files of a split: labels by column, pictures by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookbench_eval.errors import ReleaseError, name_some
from lookbench_eval.samples import Dates, Samples, Strings, objects

_ROWS = 64
TEXT = "text"
IMAGE = "image"
DATE = "date"
PAIRS = "list of (facet, value)"


@dataclass(frozen=True)
class ParquetPictures:
    """The `image` column of some parquet files, streamed in small batches."""

    paths: tuple[Path, ...]
    column: str = "image"

    def __iter__(self) -> Iterator[bytes]:
        for path in self.paths:
            row = 0
            with opened(path) as file:
                for batch in file.iter_batches(batch_size=_ROWS, columns=[self.column]):
                    for value in batch.column(0).field("bytes"):
                        data = value.as_py()
                        if not data:
                            raise ReleaseError(
                                f"{path.name}: row {row} holds no picture; a link-only release must be filled "
                                "by its fetch script first"
                            )
                        yield data
                        row += 1


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a parquet file; a fault in it, now or while it is read, becomes a ReleaseError that names it."""
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        raise ReleaseError(f"{path} cannot be read as parquet: {error}") from error


def read_table(paths: Sequence[Path], columns: dict[str, str], optional: dict[str, str]) -> pa.Table:
    """Read the named columns, which map to one of the kinds above, without the pictures themselves.

    Raises ReleaseError for a missing column, a column of the wrong type, or files that differ in columns.
    """
    tables = []
    for path in paths:
        with opened(path) as file:
            schema = file.schema_arrow
            missing = [name for name in columns if name not in schema.names]
            if missing:
                raise ReleaseError(
                    f"{path}: columns missing: {', '.join(missing)}; the file has {', '.join(schema.names)}"
                )
            wanted = columns | {name: kind for name, kind in optional.items() if name in schema.names}
            for name, kind in wanted.items():
                found = schema.field(name).type
                if not _is(found, kind):
                    raise ReleaseError(f"{path}: column {name!r} has type {found}; expected {kind}")
            tables.append(
                file.read(columns=[name for name, kind in wanted.items() if kind != IMAGE], use_threads=False)
            )
    if len({tuple(table.schema.names) for table in tables}) > 1:
        raise ReleaseError(f"the shards of {paths[0].parent} differ in their columns; write the split again")
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise ReleaseError(
            f"the shards of {paths[0].parent} differ in the types of their columns: {error}; write the split again"
        ) from error


def texts(table: pa.Table, name: str) -> Strings:
    """A text column as objects, null and a column that is not there as ""."""
    if name not in table.schema.names:
        return objects([""] * len(table))
    return objects(["" if value is None else value for value in table.column(name).to_pylist()])


def dates(table: pa.Table, name: str) -> Dates:
    """A date column (date, timestamp, or ISO text) as datetime64[D]; timestamps count by their UTC day."""
    if name not in table.schema.names:
        return np.full(len(table), "NaT", dtype="datetime64[D]")
    column = table.column(name)
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("s", column.type.tz), safe=False)
    found = []
    for row, value in enumerate(column.to_pylist()):
        try:
            found.append(_day(value))
        except ValueError as error:
            raise ReleaseError(f"column {name!r}, row {row}: {value!r} is no ISO date") from error
    return np.array(found, dtype="datetime64[D]")


def pairs(table: pa.Table, name: str) -> Strings:
    """A column of {facet, value} lists as tuples of pairs."""
    if name not in table.schema.names:
        return objects([()] * len(table))
    return objects(
        [tuple((pair["facet"], pair["value"]) for pair in row or () if pair) for row in table.column(name).to_pylist()]
    )


def attribute_sets(table: pa.Table) -> Strings:
    """Main and other attributes of every row as one frozenset; `other_attributes` is separated by commas."""
    mains, others = texts(table, "main_attribute"), texts(table, "other_attributes")
    return objects(
        [
            frozenset(word for word in (main.strip(), *(part.strip() for part in other.split(","))) if word)
            for main, other in zip(mains, others, strict=True)
        ]
    )


def samples_of(table: pa.Table, ids: Strings, item: Strings) -> Samples:
    """Rows of our column names as samples."""
    return Samples(
        ids=ids,
        category=objects([value.strip() for value in texts(table, "category")]),
        main_attribute=objects([value.strip() for value in texts(table, "main_attribute")]),
        attributes=attribute_sets(table),
        item=item,
        look=texts(table, "look_id"),
        photo=texts(table, "photo_sha256"),
        site=texts(table, "site"),
        difficulty=texts(table, "difficulty"),
        facets=pairs(table, "attributes"),
        dates=dates(table, "date"),
    )


def require(samples: Samples, values: Strings, column: str, where: str) -> None:
    """Raise ReleaseError that names the rows where a column must not be empty but is."""
    empty = np.array([not value for value in values], dtype=bool)
    if empty.any():
        raise ReleaseError(f"{where}: {int(empty.sum())} rows without {column}: {name_some(samples.ids[empty])}")


def _day(value: Any) -> str:
    if value is None:
        return "NaT"
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    stamp = datetime.fromisoformat(value) if isinstance(value, str) else value
    offset = stamp.utcoffset()
    return str((stamp - offset if offset else stamp).date())


def _is(found: pa.DataType, kind: str) -> bool:
    if kind == TEXT:
        plain = found.value_type if pa.types.is_dictionary(found) else found
        return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain) or pa.types.is_null(plain))
    if kind == IMAGE:
        if not pa.types.is_struct(found):
            return False
        held = {field.name: field.type for field in found}
        return "bytes" in held and bool(pa.types.is_binary(held["bytes"]) or pa.types.is_large_binary(held["bytes"]))
    if kind == DATE:
        return bool(pa.types.is_date(found) or pa.types.is_timestamp(found)) or _is(found, TEXT)
    if pa.types.is_null(found):
        return True
    if not (pa.types.is_list(found) or pa.types.is_large_list(found)) or not pa.types.is_struct(found.value_type):
        return False
    return {"facet", "value"} <= {field.name for field in found.value_type}
