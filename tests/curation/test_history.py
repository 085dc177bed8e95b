from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from catalog import tables
from catalog.store import Catalog
from curation.errors import CurationError
from curation.history import History

JUNE, DECEMBER = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)


def prints(*photos: str) -> pa.Table:
    rows = []
    for photo in photos:
        vector = np.random.default_rng(len(photo)).normal(size=tables.EMBEDDING_SIZE).astype(np.float16)
        one = {"photo_id": photo, "pixels": photo, "phash": b"p" * 8, "pdq": b"q" * 32, "pdq_quality": 90, "model": "m"}
        rows += [{**one, "id": name, "embedding": vector} for name in (photo, f"i-{photo}")]
    return tables.from_rows("fingerprints", rows)


def decisions(**kept: bool) -> pa.Table:
    rows = [{"id": photo, "kept": keep, "date": JUNE, "date_evidence": "{}"} for photo, keep in kept.items()]
    return tables.from_rows("decisions", rows)


def test_only_what_was_kept_is_remembered_with_its_date_and_products() -> None:
    photos = tables.from_rows(
        "photos",
        [{"photo_id": "a", "product_id": "p-1", "shows": None}, {"photo_id": "b", "shows": ["p-3", "p-2"]}],
    )
    history = History.from_table(prints("a", "b", "c"), decisions(a=True, b=True, c=False), "2026.06", photos)
    rows = history.table.to_pylist()
    assert [row["id"] for row in rows] == ["a", "i-a", "b", "i-b"]
    assert {row["date"] for row in rows} == {JUNE}
    assert [row["products"] for row in rows] == [["p-1"], ["p-1"], ["p-2", "p-3"], ["p-2", "p-3"]]


def test_saving_appending_and_loading_are_the_same(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    first, second = (prints("a"), decisions(a=True)), (prints("b", "c"), decisions(b=True, c=True))
    history = History.empty().save(catalog, "2026.06", *first).save(catalog, "2026.12", *second)
    assert history.table.equals(History.load(catalog).table)
    assert tables.digest(history.table) == tables.digest(History.load(catalog).table)
    appended = History.load(catalog, before="2026.12").append(*second, "2026.12")
    assert appended.table.equals(history.table)


def test_an_edition_does_not_see_itself_or_later_ones(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    for edition, photo in (("2026.12", "b"), ("2026.06", "a"), ("2027.06", "c")):
        History.load(catalog).save(catalog, edition, prints(photo), decisions(**{photo: True}))
    assert History.load(catalog, before="2026.12").table["edition"].unique().to_pylist() == ["2026.06"]
    assert History.load(catalog, before="2026.06").table.num_rows == 0
    assert History.load(catalog).table["edition"].unique().to_pylist() == ["2026.06", "2026.12", "2027.06"]


def test_saving_twice_changes_nothing(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    once = History.empty().save(catalog, "2026.06", prints("a"), decisions(a=True))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    twice = once.save(catalog, "2026.06", prints("a"), decisions(a=True))
    assert twice.table.equals(once.table)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before


def test_a_catalog_without_history_has_an_empty_one(tmp_path: Path) -> None:
    assert History.load(Catalog(tmp_path)).table.num_rows == 0


@pytest.mark.parametrize("damage", ["noise", "columns"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    catalog = Catalog(tmp_path)
    History.empty().save(catalog, "2026.06", prints("a"), decisions(a=True))
    file = next(tmp_path.rglob("*.parquet"))
    if damage == "noise":
        file.write_bytes(b"PAR1 noise")
    else:
        catalog.write_table(str(file), pa.table({"id": ["a"]}))
    with pytest.raises(CurationError, match=r"2026\.06\.parquet: history"):
        History.load(catalog)
