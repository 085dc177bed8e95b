"""Releases of this project: what is read, and what is refused before any model runs."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookbench_eval import HarnessError, evaluate, open_release
from lookbench_eval.readers.parquet import ParquetPictures
from tests.harness.small import SCHEMA, SUBSETS, rows_of, seal, write_split


def retyped(name: str, kind: pa.DataType) -> pa.Schema:
    return SCHEMA.set(SCHEMA.get_field_index(name), pa.field(name, kind))


def test_rows_are_read_as_written(release: Path) -> None:
    found = open_release(release)
    assert (found.name, found.edition, found.verified) == ("lookbench-2026.12", "2026.12", True)
    assert [part.name for part in found.subsets] == list(SUBSETS)
    street = found.subsets[2]
    written = rows_of("real_streetlook", "query", start=20)
    assert street.query.samples.ids.tolist() == [row["sample_id"] for row in written]
    assert street.query.samples.dates.tolist() == [row["date"] for row in written]
    assert street.query.samples.look[0] == "look-10"
    assert street.query.samples.item[0] == "p20"
    assert street.query.samples.attributes[1] == {written[1]["main_attribute"], "long sleeve", "midi"}
    assert street.query.samples.facets[0][1] == ("length", "midi")
    assert list(street.query.source) == [row["image"]["bytes"] for row in written]
    assert found.noise is not None
    assert len(found.gallery_of(street)) == 12 + 9


def test_subsets_are_chosen_by_name(release: Path) -> None:
    assert [part.name for part in open_release(release, subsets=["aigen_studio"]).subsets] == ["aigen_studio"]
    with pytest.raises(HarnessError, match=r"no subset studio; it has real_studio_flat"):
        open_release(release, subsets=["studio"])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.timestamp("us", tz="UTC"), datetime(2026, 9, 30, 23, 59, tzinfo=UTC)),
        (pa.timestamp("us", tz="Asia/Tokyo"), datetime(2026, 9, 30, 23, 59, tzinfo=UTC)),
        (pa.timestamp("s"), datetime.fromisoformat("2026-09-30T23:59")),
        (pa.date32(), date(2026, 9, 30)),
        (pa.string(), "2026-09-30"),
        (pa.string(), "2026-10-01T01:30:00+02:00"),
        (pa.string(), "2026-09-30T23:59:59Z"),
    ],
)
def test_dates_of_all_types_mean_the_same_day(
    make_release: Callable[..., Path], kind: pa.DataType, value: object
) -> None:
    path = make_release(
        change=lambda subset, split, rows: [{**row, "date": value} for row in rows], schema=retyped("date", kind)
    )
    assert set(open_release(path).subsets[0].query.samples.dates.tolist()) == {date(2026, 9, 30)}


def test_text_that_is_no_date_is_named(make_release: Callable[..., Path]) -> None:
    path = make_release(
        change=lambda subset, split, rows: [{**row, "date": "soon"} for row in rows],
        schema=retyped("date", pa.string()),
    )
    with pytest.raises(HarnessError, match=r"'date', row 0: 'soon' is no ISO date"):
        open_release(path)


def test_unicode_ids_survive(make_release: Callable[..., Path]) -> None:
    path = make_release(
        change=lambda subset, split, rows: [{**row, "sample_id": f"плащ-👗-{row['sample_id']}"} for row in rows]
    )
    result = evaluate(path, "pixels:8", measures=["Fine@1"])
    saved = result.save(path.parent / "out")
    assert "плащ-👗-" in (saved.parent / "run.trec").read_text()
    assert all(
        name.startswith("плащ-👗-")
        for name in pq.read_table(saved.parent / "per_query.parquet")["query_id"].to_pylist()
    )


def test_a_changed_byte_is_refused(release: Path) -> None:
    shard = next((release / "data/noise").glob("*.parquet"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(bytes(data))
    with pytest.raises(HarnessError, match=rf"data/noise/{shard.name} has another sha256"):
        open_release(release)


def test_a_truncated_shard_is_refused(release: Path) -> None:
    shard = next((release / "data/noise").glob("*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(HarnessError, match=r"bytes instead of"):
        open_release(release)
    with pytest.raises(HarnessError, match=r"cannot be read as parquet"):
        open_release(release, verify=False)


def test_missing_and_strange_files_are_refused(release: Path) -> None:
    shard = next((release / "data/noise").glob("*.parquet"))
    shard.rename(shard.with_name("gallery-00009-of-00010.parquet"))
    with pytest.raises(HarnessError, match=r"is missing.*gallery-00009-of-00010.parquet is not listed"):
        open_release(release)


def test_verification_comes_before_the_model(release: Path) -> None:
    (release / "data/noise/gallery-00000-of-00002.parquet").unlink()
    with pytest.raises(HarnessError, match="is missing"):
        evaluate(release, "onnx:/no/such/model.onnx")


def test_no_verify_insists(release: Path) -> None:
    for shard in (release / "data/noise").glob("*.parquet"):
        shard.unlink()
    result = evaluate(release, "pixels:8", verify=False, measures=["Fine@1"])
    assert result.document["release"]["verified"] is False
    assert "not verified" in result.table(200)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "damaged"),
        ('{"schema_version": 2, "edition": "x", "files": {}}', "reads version 1"),
        ('{"schema_version": 1, "files": {}}', "damaged"),
        ('{"schema_version": 1, "edition": "x", "files": []}', "must map"),
        ("[]", "damaged"),
        ('{"schema_version": 1, "edition": "x", "files": {"../../etc/passwd": {"sha256": "", "bytes": 1}}}', "outside"),
    ],
)
def test_manifests_that_cannot_be_trusted(release: Path, content: str, said: str) -> None:
    (release / "manifest.json").write_text(content)
    with pytest.raises(HarnessError, match=said):
        open_release(release)


def test_a_release_without_manifest_is_refused(release: Path) -> None:
    (release / "manifest.json").unlink()
    with pytest.raises(HarnessError, match=r"no manifest.json.*--no-verify"):
        open_release(release)
    assert open_release(release, verify=False).edition is None


def test_missing_columns_are_named(make_release: Callable[..., Path]) -> None:
    schema = pa.schema([field for field in SCHEMA if field.name not in {"date", "category"}])
    with pytest.raises(HarnessError, match=r"columns missing: category, date; the file has image"):
        open_release(make_release(schema=schema))


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("category", pa.int64(), 3),
        ("date", pa.float64(), float("nan")),
        ("main_attribute", pa.float64(), float("nan")),
        ("attributes", pa.list_(pa.string()), ["midi"]),
        ("image", pa.string(), "picture.png"),
        ("image", pa.struct([("bytes", pa.string())]), {"bytes": "x"}),
    ],
)
def test_wrong_types_are_named(make_release: Callable[..., Path], name: str, kind: pa.DataType, value: object) -> None:
    path = make_release(
        change=lambda subset, split, rows: [{**row, name: value} for row in rows], schema=retyped(name, kind)
    )
    with pytest.raises(HarnessError, match=f"column '{name}' has type"):
        open_release(path)


def test_duplicated_ids_are_named(make_release: Callable[..., Path]) -> None:
    path = make_release(
        change=lambda subset, split, rows: (
            [{**row, "sample_id": "same"} for row in rows] if (subset, split) == ("noise", "gallery") else rows
        )
    )
    with pytest.raises(HarnessError, match=r"1 duplicated ids: same"):
        open_release(path)


@pytest.mark.parametrize("name", ["category", "main_attribute", "sample_id"])
def test_queries_without_labels_are_named(make_release: Callable[..., Path], name: str) -> None:
    def change(subset: str, split: str, rows: list[dict]) -> list[dict]:
        return [{**rows[0], name: None}, *rows[1:]] if split == "query" else rows

    with pytest.raises(HarnessError, match=rf"1 rows without {name}"):
        open_release(make_release(change=change))


def test_an_empty_subset_is_refused(make_release: Callable[..., Path]) -> None:
    path = make_release(change=lambda subset, split, rows: [] if (subset, split) == ("aigen_studio", "query") else rows)
    with pytest.raises(HarnessError, match=r"aigen_studio/query is empty"):
        open_release(path)


def test_link_only_rows_say_what_to_do(make_release: Callable[..., Path]) -> None:
    path = make_release(
        change=lambda subset, split, rows: [
            {**row, "image": {"bytes": None, "path": "https://shop.example/1.jpg"}} for row in rows
        ]
    )
    with pytest.raises(HarnessError, match=r"row 0 holds no picture.*fetch script"):
        evaluate(path, "pixels:8")


def test_pictures_stream_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{**row, "image": {"bytes": bytes(1000), "path": None}} for row in rows_of("noise", "gallery", products=300)]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=100)
    before = pa.total_allocated_bytes()
    highest = 0
    for _ in ParquetPictures((tmp_path / "one.parquet",)):
        highest = max(highest, pa.total_allocated_bytes() - before)
    assert highest < 300 * 1000


def test_anchors_are_scored_only_when_asked_for(release: Path) -> None:
    for split in ("query", "gallery"):
        write_split(release, "anchors", split, rows_of("anchors", split, start=60))
    (release / "data/anchors").rename(release / "anchors")
    seal(release)
    assert "anchors" not in [part.name for part in open_release(release).subsets]
    assert [part.name for part in open_release(release, subsets=["anchors"]).subsets] == ["anchors"]


def test_what_is_no_release_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(HarnessError, match=r"none of the layouts.*it holds notes.txt"):
        open_release(tmp_path)
    with pytest.raises(HarnessError, match="is no folder"):
        open_release(tmp_path / "nothing")


def test_judgements_of_the_release_are_read(release: Path) -> None:
    (release / "qrels").mkdir()
    for part in open_release(release).subsets:
        gallery = part.gallery.samples
        lines = [
            f"{query}\t0\t{gallery.ids[row]}\t1\n"
            for query, item in zip(part.query.samples.ids, part.query.samples.item, strict=True)
            for row in np.flatnonzero(gallery.item == item)
        ]
        (release / "qrels" / f"{part.name}.tsv").write_text("".join(lines))
    seal(release)
    result = evaluate(release, "pixels:16", measures=["MRR(rel=judged)", "MRR(rel=item)", "Success@1"])
    assert result.value("MRR(rel=judged)") == result.value("MRR(rel=item)")


def test_the_edition_comes_from_the_manifest(release: Path) -> None:
    seal(release, edition="2027.06")
    assert open_release(release).edition == "2027.06"
