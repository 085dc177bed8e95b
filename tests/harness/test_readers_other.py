"""The published layout, and older sets."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookbench_eval import HarnessError, evaluate, open_release
from lookbench_eval.readers.published import COUNTS
from tests.harness.small import IMAGE, SUBSETS, picture, rows_of

NINE = ("image", "raw_image", "category", "main_attribute", "other_attributes", "bbox", "item_ID", "task", "difficulty")
SCHEMA = pa.schema([(name, IMAGE if "image" in name else pa.string()) for name in NINE])


def nine(rows: Sequence[dict]) -> pa.Table:
    return pa.Table.from_pylist([{name: row[name] for name in NINE} for row in rows], schema=SCHEMA)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Four subsets and two shards of noise, as on the hub."""
    home = tmp_path / "look-bench" / "v20251201"
    for place, subset in enumerate(SUBSETS):
        (home / subset).mkdir(parents=True)
        for split, copies in (("query", 1), ("gallery", 2)):
            pq.write_table(nine(rows_of(subset, split, copies=copies, start=place)), home / subset / f"{split}.parquet")
    (home / "noise").mkdir()
    for shard in range(2):
        rows = rows_of("noise", "gallery", products=4, start=100 + 10 * shard)
        noise = [
            {
                **row,
                "category": "noise data",
                "main_attribute": "",
                "other_attributes": "",
                "item_ID": f"noise_{number}",
            }
            for number, row in enumerate(rows)
        ]
        pq.write_table(nine(noise), home / "noise" / f"gallery-{shard:05d}-of-00002.parquet")
    return tmp_path / "look-bench"


def test_published_layout(published: Path) -> None:
    found = open_release(published)
    assert (found.layout, found.edition, found.verified, found.no_positive) == ("published", "v20251201", False, "zero")
    assert found.name == "look-bench-v20251201"
    query = found.subsets[1].query.samples
    assert query.ids[0] == "aigen_studio/query/0"
    assert query.item[0] == "aigen_studio/1"
    assert found.noise is not None
    assert len(found.noise.samples) == 8
    assert set(found.noise.samples.category) == {""}
    assert any("differ from version v20251201" in note for note in found.notes)
    result = evaluate(published, "pixels:16")
    assert result.document["overall"]["dates"] is None
    assert result.value("Item@1") > 0.9
    # Noise is unlabelled, so it cannot answer, and coverage says how much of it was found.
    assert result.document["subsets"]["real_studio_flat"]["labelled_answers"] < 1


def test_published_counts_are_known() -> None:
    assert sum(queries for queries, _ in COUNTS.values()) == 2345


def test_a_version_folder_can_be_given_itself(published: Path) -> None:
    assert open_release(published / "v20251201").subsets[0].name == "real_studio_flat"


def test_the_newest_version_is_taken(published: Path) -> None:
    (published / "v20260601").mkdir()
    (published / "v20260601" / "aigen_studio").mkdir()
    for split in ("query", "gallery"):
        (published / "v20260601/aigen_studio" / f"{split}.parquet").write_bytes(
            (published / "v20251201/aigen_studio" / f"{split}.parquet").read_bytes()
        )
    found = open_release(published)
    assert found.edition == "v20260601"
    assert [part.name for part in found.subsets] == ["aigen_studio"]


def test_own_files_are_found_without_a_column_for_them(published: Path) -> None:
    path = published / "v20251201/aigen_studio"
    rows = pq.read_table(path / "query.parquet").to_pylist()
    gallery = pq.read_table(path / "gallery.parquet").to_pylist()
    unlike = [{**row, "raw_image": {"bytes": row["image"]["bytes"], "path": None}} for row in gallery]
    pq.write_table(nine([*unlike, rows[0]]), path / "gallery.parquet")
    result = evaluate(published, "pixels:16", subsets=["aigen_studio"])
    assert result.document["subsets"]["aigen_studio"]["own_file_excluded"] == 1
    found = open_release(published).subsets[1].query.samples
    assert found.photo[0] == hashlib.sha256(rows[0]["raw_image"]["bytes"]).hexdigest()


def test_queries_without_a_positive_count_zero_and_are_printed(published: Path) -> None:
    path = published / "v20251201/real_studio_flat/query.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[0]["main_attribute"] = "invisible"
    pq.write_table(nine(rows), path)
    result = evaluate(published, "pixels:16", measures=["Fine@1"])
    assert result.document["subsets"]["real_studio_flat"]["no_positive"] == {"Fine@1": 1}
    assert "1 queries without a positive for Fine@1 (zero)" in result.table(200)


def test_windows_need_dates(published: Path) -> None:
    from lookbench_eval.windows import make

    with pytest.raises(HarnessError, match="no dates"):
        evaluate(published, "pixels:16", window=make("2025-01-01"))


@pytest.mark.parametrize("kind", ["struct", "bytes", "path"])
@pytest.mark.parametrize("nested", [True, False])
def test_labelled_pairs(tmp_path: Path, kind: str, nested: bool) -> None:
    for split, copies in (("query", 1), ("gallery", 2)):
        rows = rows_of("any", split, copies=copies)
        images: list[object] = [row["image"] for row in rows]
        if kind == "bytes":
            images = [row["image"]["bytes"] for row in rows]
        elif kind == "path":
            (tmp_path / "pictures").mkdir(exist_ok=True)
            images = [f"pictures/{row['sample_id']}.png" for row in rows]
            for row, name in zip(rows, images, strict=True):
                (tmp_path / str(name)).write_bytes(row["image"]["bytes"])
        table = pa.table({"image": images, "label": [int(row["item_ID"]) for row in rows]})
        folder = tmp_path / split if nested else tmp_path
        folder.mkdir(exist_ok=True)
        pq.write_table(table, folder / f"{split}.parquet")
    result = evaluate(tmp_path, "pixels:16")
    assert result.document["release"]["layout"] == "pairs"
    assert result.value("Item@1") == 1.0
    assert result.value("MRR") == 1.0


def test_pairs_that_leave_their_folder_are_refused(tmp_path: Path) -> None:
    for split in ("query", "gallery"):
        pq.write_table(pa.table({"image": ["../../secret.png"], "label": [1]}), tmp_path / f"{split}.parquet")
    with pytest.raises(HarnessError, match="outside of the folder"):
        evaluate(tmp_path, "pixels:16")


def test_pairs_without_labels_are_refused(tmp_path: Path) -> None:
    for split in ("query", "gallery"):
        pq.write_table(pa.table({"image": ["a.png"], "name": [1]}), tmp_path / f"{split}.parquet")
    with pytest.raises(HarnessError, match="columns missing: label; the file has image, name"):
        open_release(tmp_path)


def test_fashion200k_folder(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    for kind, products in (("dress", 3), ("top", 2)):
        lines = []
        for product in range(products):
            for view in range(1 if product == 2 else 3):
                name = f"women/{kind}es/party_{kind}es/{1000 + product}/{1000 + product}_{view}.jpeg"
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_bytes(picture(product + 50 * (kind == "top"), 0.1 * view))
                lines.append(f"{name}\t0.97\tblack sleeveless {kind}\n")
        (tmp_path / "labels" / f"{kind}_test_detect_all.txt").write_text("".join(lines))
        (tmp_path / "labels" / f"{kind}_train_detect_all.txt").write_text("")
    found = open_release(tmp_path)
    assert [(part.name, len(part.query.samples), len(part.gallery.samples)) for part in found.subsets] == [
        ("dress", 2, 5),
        ("top", 2, 4),
    ]
    assert found.subsets[0].query.samples.category[0] == "dresses"
    assert evaluate(tmp_path, "pixels:16").value("Item@1") == 1.0


def test_fashion200k_lines_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/dress_test_detect_all.txt").write_text("picture.jpeg 0.9\n")
    with pytest.raises(HarnessError, match="line 1"):
        open_release(tmp_path)


@pytest.fixture
def beir(tmp_path: Path) -> Callable[[str], Path]:
    def write(form: str) -> Path:
        (tmp_path / "qrels").mkdir()
        parts = {"queries": rows_of("any", "query"), "corpus": rows_of("any", "gallery", copies=2)}
        judged = [(f"any-query-{n}-0", f"any-gallery-{n}-{copy}", 1 + copy) for n in range(6) for copy in range(2)]
        for part, rows in parts.items():
            if form == "jsonl":
                (tmp_path / "images").mkdir(exist_ok=True)
                entries = [
                    {"_id": row["sample_id"], "text": "", "image": f"images/{row['sample_id']}.png"} for row in rows
                ]
                (tmp_path / f"{part}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
                for row in rows:
                    (tmp_path / f"images/{row['sample_id']}.png").write_bytes(row["image"]["bytes"])
            else:
                (tmp_path / part).mkdir()
                table = pa.table(
                    {"id": [row["sample_id"] for row in rows], "image": pa.array([row["image"] for row in rows], IMAGE)}
                )
                pq.write_table(table, tmp_path / part / f"{part}-00000-of-00001.parquet")
        if form == "jsonl":
            lines = ["query-id\tcorpus-id\tscore\n", *(f"{q}\t{d}\t{grade}\n" for q, d, grade in judged)]
            (tmp_path / "qrels/test.tsv").write_text("".join(lines))
        else:
            names = ("query-id", "corpus-id", "score")
            columns = dict(zip(names, (list(column) for column in zip(*judged, strict=True)), strict=True))
            pq.write_table(pa.table(columns), tmp_path / "qrels/test-00000-of-00001.parquet")
        return tmp_path

    return write


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_beir_folders(beir: Callable[[str], Path], form: str) -> None:
    path = beir(form)
    found = open_release(path)
    assert (found.layout, [part.name for part in found.subsets]) == ("beir", ["test"])
    result = evaluate(path, "pixels:16")
    assert result.value("Success@1") == 1.0
    # Each query finds the picture of grade 1 first, that of grade 2 second.
    assert result.value("nDCG@10") == pytest.approx((1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)))
    with pytest.raises(HarnessError, match=r"test: queries without a positive.*Fine@1"):
        evaluate(path, "pixels:16", measures=["Fine@1"])


def test_beir_judgements_of_strangers_are_refused(beir: Callable[[str], Path]) -> None:
    path = beir("jsonl")
    with (path / "qrels/test.tsv").open("a") as file:
        file.write("nobody\tany-gallery-0-0\t1\n")
    with pytest.raises(HarnessError, match="1 unknown queries: nobody"):
        open_release(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q\td\n", "2 fields"),
        ("any-query-0-0\tany-gallery-0-0\tmuch\n", "the grade 'much'"),
        ("any-query-0-0\tany-gallery-0-0\t1\n", "judged twice"),
    ],
)
def test_beir_judgements_that_cannot_be_read(beir: Callable[[str], Path], line: str, said: str) -> None:
    path = beir("jsonl")
    with (path / "qrels/test.tsv").open("a") as file:
        file.write(line)
    with pytest.raises(HarnessError, match=said):
        open_release(path)


def test_a_broken_corpus_line_is_named(beir: Callable[[str], Path]) -> None:
    path = beir("jsonl")
    with (path / "corpus.jsonl").open("a") as file:
        file.write('{"id": "no underscore"}\n')
    with pytest.raises(HarnessError, match=r"corpus.jsonl, line 13"):
        open_release(path)
