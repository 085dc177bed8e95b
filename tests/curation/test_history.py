from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import tables
from catalog.store import Catalog
from curation import history
from curation.errors import CurationError
from curation.history import History

JUNE = datetime(2026, 6, 1, tzinfo=UTC)


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


def file(*photos: str) -> bytes:
    return history.edition_file(prints(*photos), decisions(**dict.fromkeys(photos, True)))


def test_only_what_was_kept_is_remembered_with_its_date_and_products() -> None:
    photos = tables.from_rows(
        "photos",
        [{"photo_id": "a", "product_id": "p-1", "shows": None}, {"photo_id": "b", "shows": ["p-3", "p-2"]}],
    )
    data = history.edition_file(prints("a", "b", "c"), decisions(a=True, b=True, c=False), photos)
    rows = History().append("2026.06", data).table.to_pylist()
    assert [row["id"] for row in rows] == ["a", "i-a", "b", "i-b"]
    assert {row["date"] for row in rows} == {JUNE}
    assert {row["edition"] for row in rows} == {"2026.06"}
    assert [row["products"] for row in rows] == [["p-1"], ["p-1"], ["p-2", "p-3"], ["p-2", "p-3"]]
    vector = np.asarray(prints("a")["embedding"][0].as_py(), np.float16)
    assert np.array_equal(np.asarray(rows[0]["embedding"], np.float16), vector)


def test_saving_appending_and_loading_are_the_same(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    appended = History()
    for name, photos in (("2026.12", "bc"), ("2026.06", "a"), ("set", "d")):
        assert history.save(catalog, name, file(*photos)) in {path.stem[-64:] for path in tmp_path.rglob("*.arrow")}
        appended = appended.append(name, file(*photos))
    assert appended.table.equals(History.load(catalog).table)
    assert appended.digest == History.load(catalog).digest
    assert appended.table["edition"].unique().to_pylist() == ["2026.06", "2026.12", "set"]


@given(st.permutations(["2026.06", "2026.12", "set", "set", "other-set"]))
def test_the_order_of_appending_does_not_matter(names: list[str]) -> None:
    made = [History(), History()]
    for place, order in enumerate((names, sorted(names))):
        for name in order:
            made[place] = made[place].append(name, file(name))
    assert made[0].digest == made[1].digest
    assert made[0].table.equals(made[1].table)


def test_the_digest_tells_histories_apart() -> None:
    one, other = History().append("2026.06", file("a")), History().append("2026.06", file("b"))
    assert len({History().digest, one.digest, other.digest, History().append("2026.12", file("a")).digest}) == 4


def test_an_edition_does_not_see_itself_or_later_ones_but_every_listed_set(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    for name, photo in (("2026.12", "b"), ("2026.06", "a"), ("2027.06", "c"), ("deepfashion", "d")):
        history.save(catalog, name, file(photo))
    seen = History.load(catalog, before="2026.12").table["edition"].unique().to_pylist()
    assert seen == ["2026.06", "deepfashion"]
    assert History.load(catalog, before="2026.06").table["edition"].unique().to_pylist() == ["deepfashion"]


def test_an_edition_has_one_file_and_a_set_grows(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    for name in ("2026.06", "set"):
        for photos in ("a", "ab", "ab"):
            history.save(catalog, name, file(*photos))
    rows = sorted((row["name"], row["entries"]) for row in history.check(catalog))
    assert rows == [("2026.06", 4), ("set", 2), ("set", 4)]


def test_the_same_tables_make_the_same_bytes_however_they_are_chunked() -> None:
    whole = prints("a", "b", "c")
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 4), whole.slice(5)])
    kept = decisions(a=True, b=True, c=True)
    assert history.edition_file(whole, kept) == history.edition_file(pieces, kept)


def test_a_catalog_without_history_has_an_empty_one(tmp_path: Path) -> None:
    assert History.load(Catalog(tmp_path)).table.num_rows == 0
    assert history.check(Catalog(tmp_path)) == []


@pytest.mark.parametrize("damage", ["noise", "columns", "bit"])
def test_a_damaged_file_is_named_and_saving_again_mends_it(tmp_path: Path, damage: str) -> None:
    catalog = Catalog(tmp_path)
    history.save(catalog, "2026.06", file("a"))
    path = next(tmp_path.rglob("*.arrow"))
    good = path.read_bytes()
    if damage == "columns":
        with pa.ipc.new_file(str(path), pa.schema([("id", pa.string())])) as writer:
            writer.write_table(pa.table({"id": ["a"]}))
    else:
        path.write_bytes(b"ARROW1 noise" if damage == "noise" else good[:2000] + b"?" + good[2001:])
    if damage != "bit":
        with pytest.raises(CurationError, match=r"2026\.06-.*\.arrow: history"):
            History.load(catalog)
    with pytest.raises(CurationError, match=r"2026\.06-.*\.arrow is damaged"):
        history.check(catalog)
    history.save(catalog, "2026.06", file("a"))
    assert path.read_bytes() == good


@pytest.mark.parametrize("name", ["", "a/b", "../x", "x" * 65])
def test_names_that_cannot_be_files_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CurationError, match="cannot name a set"):
        history.save(Catalog(tmp_path), name, file("a"))


def test_bytes_that_are_no_history_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="set: history cannot be read"):
        history.save(Catalog(tmp_path), "set", b"PAR1")
