"""Results: documents, files, and what hand-made changes do."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from lookbench_eval import HarnessError, Result, evaluate, load
from lookbench_eval.evaluation import Declared
from lookbench_eval.result import dumps
from lookbench_eval.schema import SCHEMA_PATH
from lookbench_eval.trec import read_run
from lookbench_eval.windows import make

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture
def result(release: Path) -> Result:
    return evaluate(
        release,
        "pixels:4",
        slices=["month", "facet:material"],
        declared=Declared("Pixels", make("2026-08-15").cutoff, ("shop photos",)),
    )


def test_the_document_follows_its_schema(result: Result) -> None:
    schema = json.loads(SCHEMA_PATH.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(dumps(result.document))
    jsonschema.Draft202012Validator(schema).validate(document)


def test_the_schema_describes_every_key(result: Result) -> None:
    """Every key of the schema has a description, so that the schema is the documentation."""

    def walk(node: object, path: str) -> None:
        if isinstance(node, dict):
            for name, held in node.get("properties", {}).items():
                assert "description" in held or "$ref" in held, f"{path}/{name}"
                walk(held, f"{path}/{name}")
            for key in ("additionalProperties", "items"):
                walk(node.get(key), f"{path}/{key}")

    schema = json.loads(SCHEMA_PATH.read_text())
    walk(schema, "")
    for name, held in schema["$defs"].items():
        walk(held, name)


def test_figures_are_the_means_of_the_table_of_queries(result: Result) -> None:
    table = result.per_query
    assert table is not None
    assert len(table) == 24
    for name in ("Fine@1", "Item@5", "nDCG@10", "MRR"):
        values = np.array(table[name].to_pylist())
        assert result.value(name) == pytest.approx(values.mean())
        mask = np.array(table["subset"].to_pylist()) == "aigen_studio"
        assert result.value(name, "aigen_studio") == pytest.approx(values[mask].mean())
    looks: dict[str, float] = {}
    for look, hit in zip(table["look_id"].to_pylist(), table["Look@1"].to_pylist(), strict=True):
        if look:
            looks[look] = looks.get(look, 1) * hit
    assert result.value("Look@1") == pytest.approx(np.mean(list(looks.values())))
    assert result.document["overall"]["values"]["Look@1"]["n"] == len(looks) == 6


def test_months_add_up_to_the_whole(result: Result) -> None:
    months = result.document["slices"]["month"]
    assert sum(part["queries"] for part in months.values()) == 24
    total = sum(part["queries"] * part["values"]["MRR"]["value"] for part in months.values())
    assert total / 24 == pytest.approx(result.value("MRR"))
    assert "wool" in result.document["slices"]["facet:material"]


def test_files_are_written_and_read_back(result: Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "deep" / "out")
    assert sorted(file.name for file in path.parent.iterdir()) == ["per_query.parquet", "result.json", "run.trec"]
    again = load(path)
    assert again.value("Fine@1") == result.value("Fine@1")
    assert again.per_query is not None
    assert again.per_query.equals(result.per_query)
    run = read_run(path.parent / "run.trec")
    assert len(run) == 24
    assert all(len(answers) == 20 for answers in run.values())


def test_the_same_evaluation_writes_the_same_bytes(release: Path, tmp_path: Path) -> None:
    paths = [evaluate(release, "pixels:4").save(tmp_path / name) for name in ("a", "b")]
    for name in ("result.json", "per_query.parquet", "run.trec"):
        assert (paths[0].parent / name).read_bytes() == (paths[1].parent / name).read_bytes()


def test_a_renamed_result_finds_its_table(result: Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "out")
    path.rename(tmp_path / "pixels.json")
    (tmp_path / "out/per_query.parquet").rename(tmp_path / "pixels.per_query.parquet")
    assert load(tmp_path / "pixels.json").per_query is not None
    (tmp_path / "pixels.per_query.parquet").unlink()
    assert load(tmp_path / "pixels.json").per_query is None


def test_a_table_of_another_result_is_refused(result: Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "out")
    table = pq.read_table(path.parent / "per_query.parquet")
    pq.write_table(table.slice(1), path.parent / "per_query.parquet")
    with pytest.raises(HarnessError, match=r"does not belong to .*its sha256 differs"):
        load(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["overall"]["values"]["Fine@1"].update(value=0.99), "changed after it was written"),
        (lambda d: d["model"].update(declared_cutoff="2020-01-01"), "changed after it was written"),
        (lambda d: d.pop("digest"), "changed after it was written"),
        (lambda d: d.update(schema_version=2), "schema_version 2"),
        (lambda d: d.update(schema="other"), "is no result of lookbench-eval"),
    ],
)
def test_results_edited_by_hand_are_refused(result: Result, tmp_path: Path, change: object, said: str) -> None:
    path = result.save(tmp_path)
    document = json.loads(path.read_text())
    change(document)  # type: ignore[operator]
    path.write_text(json.dumps(document))
    with pytest.raises(HarnessError, match=said):
        load(path)


def test_formatting_alone_is_no_change(result: Result, tmp_path: Path) -> None:
    path = result.save(tmp_path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(dict(sorted(document.items())), indent=4))
    assert load(path).value("MRR") == result.value("MRR")


@pytest.mark.parametrize("content", ["", "[]", "{", '"text"'])
def test_files_that_are_no_results(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(HarnessError, match=r"r\.json"):
        load(tmp_path / "r.json")


def test_a_folder_that_cannot_be_written(result: Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HarnessError, match="cannot be written"):
        result.save(tmp_path / "file")


def test_missing_measures_are_named(result: Result) -> None:
    with pytest.raises(HarnessError, match=r"no Fine@7 of aigen_studio"):
        result.value("Fine@7", "aigen_studio")


def test_the_table_fits_the_terminal(result: Result) -> None:
    wide, narrow = result.table(200), result.table(80)
    assert wide.count("[") > narrow.count("[")
    assert max(len(line) for line in narrow.splitlines()[2:20]) <= 80
    for text in (wide, narrow):
        assert text.startswith("Pixels on lookbench-2026.12 (edition 2026.12)")
        assert "Overall" in text
        assert "By month" in text
        assert "By material" in text
        assert "Coverage: 100.0 %" in text
        assert "24" in text
