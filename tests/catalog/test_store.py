import errno
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog import tables
from catalog.ids import sha256
from catalog.store import Catalog, StoreError
from catalog.tables import TableError


def items(*names: str) -> pa.Table:
    return tables.from_rows("items", [{"item_id": name, "box": (0, 0, 1, 1)} for name in names])


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_bytes_come_back_as_they_went_in(tmp_path: Path, data: bytes) -> None:
    catalog = Catalog(tmp_path)
    photo_id = catalog.put_image(data)
    assert photo_id == sha256(data)
    assert catalog.has_image(photo_id)
    assert catalog.get_image(photo_id) == data


def test_an_object_store_works_as_a_folder_does() -> None:
    catalog = Catalog("memory://bucket/catalog")
    photo_id = catalog.put_image(b"photo")
    catalog.append("items", items("a"))
    again = Catalog("memory://bucket/catalog")
    assert not again.is_local
    assert again.get_image(photo_id) == b"photo"
    assert again.read("items")["item_id"].to_pylist() == ["a"]


def test_putting_twice_writes_once(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    catalog.put_image(b"photo")
    before = files(tmp_path)[0].stat().st_mtime_ns
    catalog.put_image(b"photo")
    assert len(files(tmp_path)) == 1
    assert files(tmp_path)[0].stat().st_mtime_ns == before


def test_missing_and_damaged_bytes_are_told_with_the_remedy(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    with pytest.raises(StoreError, match=r"0000.*is not in the catalog.*crawl"):
        catalog.get_image("0" * 64)
    assert not catalog.has_image("0" * 64)
    photo_id = catalog.put_image(b"photo")
    files(tmp_path)[0].write_bytes(b"phot0")
    with pytest.raises(StoreError, match=f"{photo_id}.*damaged.*delete"):
        catalog.get_image(photo_id)


def test_rows_are_appended_in_parts_and_the_same_rows_change_nothing(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    assert catalog.read("items").num_rows == 0
    catalog.append("items", items("a", "b"))
    catalog.append("items", items("c"))
    catalog.append("items", items("a", "b"))
    catalog.append("items", tables.empty("items"))
    assert sorted(catalog.read("items")["item_id"].to_pylist()) == ["a", "b", "c"]
    assert len(files(tmp_path)) == 2
    assert tables.digest(catalog.read("items")) == tables.digest(Catalog(tmp_path).read("items"))


def test_columns_and_rows_can_be_chosen(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    assert catalog.read("items", ["item_id"], pc.field("item_id") == "a").num_rows == 0
    for names in ("ab", "ca", "d"):
        catalog.append("items", items(*names))
    chosen = catalog.read("items", ["item_id", "box"], pc.field("item_id") == "a")
    assert chosen.to_pylist() == [{"item_id": "a", "box": [0, 0, 1, 1]}] * 2
    assert [part.num_rows for part in catalog.parts("items", where=pc.field("item_id") == "d")].count(1) == 1
    assert sorted(catalog.read("items", ["item_id"])["item_id"].to_pylist()) == ["a", "a", "b", "c", "d"]


def test_rows_of_another_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError):
        Catalog(tmp_path).append("photos", items("a"))
    assert not files(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "noise", "empty"])
def test_a_damaged_part_is_named(tmp_path: Path, damage: str) -> None:
    catalog = Catalog(tmp_path)
    catalog.append("items", items("a"))
    part = files(tmp_path)[0]
    data = part.read_bytes()
    part.write_bytes({"cut": data[: len(data) // 2], "noise": b"\0" * len(data), "empty": b""}[damage])
    with pytest.raises(TableError, match=rf"{part.name}.*cannot be read.*delete it"):
        catalog.read("items")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Catalog(tmp_path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device; free space"):
        catalog.put_image(b"photo")
    with pytest.raises(StoreError, match="No space left"):
        catalog.append("items", items("a"))
    monkeypatch.undo()
    assert not files(tmp_path)
    assert catalog.put_image(b"photo") == sha256(b"photo")


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_write_that_is_killed_is_never_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    catalog = Catalog(tmp_path)
    path = f"{catalog.path}/editions/one.parquet"
    catalog.write_table(path, items("old"))

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, moment, killed)
    with pytest.raises(KeyboardInterrupt):
        catalog.write_table(path, items("new"))
    monkeypatch.undo()
    assert catalog.read_table(path, "items")["item_id"].to_pylist() == ["old"]
    assert [file.name for file in files(tmp_path)] == ["one.parquet"]


def test_a_part_left_by_a_killed_process_is_not_read(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    catalog.append("items", items("a"))
    part = files(tmp_path)[0]
    part.with_name(".0123.part").write_bytes(b"half")
    assert catalog.read("items").num_rows == 1
