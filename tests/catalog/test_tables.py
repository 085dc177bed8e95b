from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import tables
from catalog.tables import TableError

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "item_id": st.text(max_size=6),
            "category": st.none() | st.sampled_from(["top", "dress"]),
            "box": st.lists(st.floats(0, 999, width=32), min_size=4, max_size=4),
            "score": st.none() | st.floats(0, 1),
            "touches_border": st.none() | st.booleans(),
        }
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25)
@given(ROWS, st.lists(st.integers(0, 8), max_size=4))
def test_the_digest_does_not_depend_on_how_a_table_is_chunked(rows: Sequence[dict[str, Any]], cuts: list[int]) -> None:
    whole = tables.from_rows("items", rows)
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [whole.slice(start, end - start) for start, end in pairwise(edges)]
    assert tables.digest(pa.concat_tables(parts)) == tables.digest(whole)
    wide = tables.from_rows("items", [rows[0], *rows, rows[-1]])
    assert tables.digest(wide.slice(1, len(rows))) == tables.digest(whole)


@settings(max_examples=25)
@given(ROWS)
def test_the_digest_sees_every_value_and_the_order(rows: list[dict[str, Any]]) -> None:
    whole = tables.digest(tables.from_rows("items", rows))
    for column, value in (("item_id", "another id"), ("category", "shoe"), ("score", 2.0)):
        assert tables.digest(tables.from_rows("items", [{**rows[0], column: value}, *rows[1:]])) != whole
    if rows != rows[::-1]:
        assert tables.digest(tables.from_rows("items", rows[::-1])) != whole


def test_the_digest_of_vectors_does_not_depend_on_chunks() -> None:
    rows = [
        {
            "id": str(place),
            "embedding": np.random.default_rng(place).normal(size=tables.EMBEDDING_SIZE).astype(np.float16),
        }
        for place in range(5)
    ]
    whole = tables.from_rows("fingerprints", rows)
    parts = pa.concat_tables([whole.slice(0, 2), whole.slice(2, 3)])
    assert parts["embedding"].num_chunks == 2
    assert tables.digest(parts) == tables.digest(whole)
    assert tables.digest(whole.slice(1)) == tables.digest(tables.from_rows("fingerprints", rows[1:]))
    rows[3]["embedding"][7] += 1
    assert tables.digest(tables.from_rows("fingerprints", rows)) != tables.digest(whole)


@pytest.mark.parametrize("name", sorted(tables.TABLES))
def test_every_column_is_documented_and_an_empty_table_is_in_order(name: str) -> None:
    assert all(field.metadata[b"doc"] for field in tables.TABLES[name])
    assert tables.check(tables.empty(name), name, "here").num_rows == 0


def test_an_unknown_column_is_refused_by_name() -> None:
    with pytest.raises(TableError, match="table items: unknown column 'colour'"):
        tables.from_rows("items", [{"item_id": "i", "colour": "red"}])


def test_a_value_of_the_wrong_type_is_refused_by_column() -> None:
    with pytest.raises(TableError, match=r"table items, column score.*double"):
        tables.from_rows("items", [{"item_id": "i", "score": "high"}])


def test_times_keep_their_zone() -> None:
    when = datetime(2026, 6, 1, 12, tzinfo=UTC)
    table = tables.from_rows("decisions", [{"id": "a", "kept": True, "date": when}])
    assert table["date"].to_pylist() == [when]
    assert tables.digest(table) == tables.digest(table)


def test_another_version_and_missing_or_extra_columns_are_told_apart() -> None:
    table = tables.empty("items")
    old = table.replace_schema_metadata({"lookbench.table": "items", "lookbench.schema": "0"})
    with pytest.raises(TableError, match=r"x.parquet: table items has schema version 0, this code reads 1.*--root"):
        tables.check(old, "items", "x.parquet")
    with pytest.raises(TableError, match=r"missing columns \['score'\]"):
        tables.check(table.drop_columns(["score"]), "items", "x.parquet")
    extra = table.append_column("more", pa.array([], pa.string()))
    with pytest.raises(TableError, match=r"unknown \['more'\]"):
        tables.check(extra, "items", "x.parquet")
    with pytest.raises(TableError, match="version none"):
        tables.check(pa.table({"a": [1]}), "items", "x.parquet")


def test_the_digest_survives_being_written_and_read(tmp_path: Path) -> None:
    """Files call the members of a list "element", pyarrow calls them "item"."""
    table = tables.from_rows("photos", [{"photo_id": "a", "shows": ["p1", "p2"]}, {"photo_id": "b"}])
    pq.write_table(table, tmp_path / "photos.parquet")
    read = pq.read_table(tmp_path / "photos.parquet")
    assert str(read.schema) != str(table.schema)
    assert tables.digest(read) == tables.digest(table)
