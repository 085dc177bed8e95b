from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releases import manifest
from releases.schema import LATER, SUBSETS, schema
from releases.verify import VerifyError, examine, verify

QUERY = "data/real_studio_flat/query-00000-of-00001.parquet"
GALLERY = "data/real_studio_flat/gallery-00000-of-00001.parquet"
NOISE = "data/noise/gallery-00000-of-00001.parquet"


def codes(path: Path) -> set[str]:
    return {failure.check for failure in examine(path).failures}


def change(path: Path, name: str, **columns) -> None:
    """Rewrite one parquet file with new values in its first row, and seal, as one who covers his tracks would."""
    table = pq.read_table(path / name)
    rows = table.to_pylist()
    rows[0].update(columns)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path / name)
    manifest.seal(path)


def test_a_sound_release(frozen):
    report = verify(frozen.path)
    assert report.ok
    assert report.rows == frozen.figures["rows"]
    assert "is sound" in str(report)
    assert report.as_dict()["failures"] == ()


def flip(path: Path) -> None:
    file = path / QUERY
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (flip, "sha256"),
        (lambda p: (p / "README.md").write_text("short"), "bytes"),
        (lambda p: (p / "qrels/looks.parquet").unlink(), "missing_file"),
        (lambda p: (p / "data/extra.parquet").write_bytes(b"x"), "extra_file"),
        (lambda p: [(p / "taxonomy.yaml").unlink(), manifest.seal(p)], "required_file"),
        (lambda p: [(p / QUERY).write_bytes(b"PAR1 no parquet"), manifest.seal(p)], "unreadable"),
        (lambda p: [(p / "datasheet.md").unlink(), (p / "datasheet.md").symlink_to("/etc/hostname")], "symbolic_link"),
        (lambda p: [(p / QUERY).unlink(), manifest.seal(p)], "unreadable"),
    ],
)
def test_damaged_files(copied, damage, code):
    damage(copied)
    assert code in codes(copied)
    with pytest.raises(VerifyError, match=code):
        verify(copied)


@pytest.mark.parametrize(
    ("name", "columns", "code"),
    [
        (QUERY, {"date": None}, "without_date"),
        (QUERY, {"date_evidence": None}, "without_date_evidence"),
        (QUERY, {"date_evidence": "seen in March"}, "date_evidence"),
        (QUERY, {"licence": None}, "without_licence"),
        (QUERY, {"category": "cape"}, "query_without_positive"),
        (QUERY, {"product_id": "p-nobody"}, "query_without_positive"),
        (QUERY, {"bbox": "[9, 9, 9, 9]"}, "bbox"),
        (QUERY, {"bbox": "__import__('os')"}, "bbox"),
        (QUERY, {"image": None}, "picture"),
        (QUERY, {"raw_image": {"bytes": b"another file", "path": None}}, "photo_sha256"),
        (QUERY, {"look_id": "a look of nobody"}, "looks"),
        (GALLERY, {"main_attribute": "invented"}, "qrels"),
        (GALLERY, {"title": "another title"}, "table_digest"),
    ],
)
def test_wrong_samples(copied, name, columns, code):
    change(copied, name, **columns)
    assert code in codes(copied)


def test_a_photo_on_both_sides_of_the_line(copied):
    query = pq.read_table(copied / QUERY).to_pylist()[0]
    change(copied, GALLERY, **{name: query[name] for name in ("image", "raw_image", "photo_sha256", "bbox")})
    where = {failure.where for failure in examine(copied).failures if failure.check == "across_the_line"}
    assert where == {"photo_sha256", "image"}


def test_a_distractor_that_answers_a_query(copied):
    query = pq.read_table(copied / QUERY).to_pylist()[0]
    change(copied, NOISE, category=query["category"], main_attribute=query["main_attribute"])
    assert "distractor_is_positive" in codes(copied)


def test_a_sample_id_used_twice(copied):
    ids = pq.read_table(copied / QUERY)["sample_id"].to_pylist()
    change(copied, QUERY, sample_id=ids[1])
    assert "sample_id" in codes(copied)


def test_a_row_that_is_gone(copied):
    pq.write_table(pq.read_table(copied / GALLERY).slice(1), copied / GALLERY)
    manifest.seal(copied)
    assert "rows" in codes(copied)


def test_columns_and_features(copied):
    table = pq.read_table(copied / QUERY)
    pq.write_table(table.drop_columns(["task"]), copied / QUERY)
    assert "columns" in codes(copied)
    pq.write_table(table.select(["raw_image", "image", *table.column_names[2:]]), copied / QUERY)
    assert "columns" in codes(copied)
    pq.write_table(table.replace_schema_metadata(None), copied / QUERY)
    assert "features" in codes(copied)


def test_a_release_from_before_a_column_was_added_is_sound(copied):
    for file in copied.glob("data/**/*.parquet"):
        names = [name for name in pq.read_schema(file).names if name not in LATER]
        pq.write_table(pq.read_table(file).select(names).replace_schema_metadata(schema(names).metadata), file)
    manifest.seal(copied)
    assert codes(copied) == {"table_digest"}, "nothing but the digest, which this test made wrong"


@pytest.mark.parametrize("subset", SUBSETS)
def test_qrels_that_were_touched(copied, subset):
    file = copied / "qrels" / f"{subset}.tsv"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[1:]))
    assert "qrels" in codes(copied)
    file.write_text("".join([*lines, lines[0]]))
    assert "qrels" in codes(copied)


def test_all_failures_are_told_at_once(copied):
    (copied / "README.md").write_text("short")
    (copied / "notes.txt").write_text("mine")
    with pytest.raises(VerifyError) as caught:
        verify(copied)
    assert "README.md" in str(caught.value)
    assert "notes.txt" in str(caught.value)
    assert "2 failures" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is no release"),
        ("{", "is damaged"),
        ("[]", "lists no files"),
        ('{"files": {}, "schema_version": 99}', "schema_version 99"),
    ],
)
def test_a_manifest_that_cannot_be_trusted(copied, text, message):
    (copied / "manifest.json").unlink() if text is None else (copied / "manifest.json").write_text(text)
    with pytest.raises(manifest.ManifestError, match=message):
        verify(copied)
