"""Faults that came up when the harness was tried by hand: each is one clear sentence, nothing half-written."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookbench_eval import HarnessError, atomic, evaluate, load, open_release
from lookbench_eval.encoders import open_encoder
from lookbench_eval.paired import compare
from lookbench_eval.result import dumps
from tests.harness.small import rows_of, seal, write_split


def test_a_full_disk_leaves_the_result_of_before(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    evaluate(release, "pixels:4").save(out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def full(path: Path, data: bytes) -> None:
        if path.name.startswith(".result.json"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        path.write_bytes(data)

    monkeypatch.setattr(atomic, "_write", full)
    with pytest.raises(HarnessError, match="No space left"):
        evaluate(release, "pixels:8").save(out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_full_output_is_one_sentence(release: Path) -> None:
    command = [sys.executable, "-m", "lookbench_eval", "rows", str(release)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_ids_with_a_tab_could_not_stand_in_a_run(make_release: Callable[..., Path]) -> None:
    path = make_release()
    rows = rows_of("aigen_studio", "query")
    rows[0]["sample_id"] = "a\tb"
    write_split(path, "aigen_studio", "query", rows)
    seal(path)
    with pytest.raises(HarnessError, match=r"1 ids with a tab or a line break: 'a\\tb'"):
        open_release(path)


def test_shards_of_other_types_are_told(make_release: Callable[..., Path]) -> None:
    path = make_release()
    shard = sorted((path / "data/aigen_studio").glob("gallery-*.parquet"))[1]
    table = pq.read_table(shard)
    place = table.schema.get_field_index("category")
    pq.write_table(table.set_column(place, "category", pa.array(list(range(len(table))))), shard)
    seal(path)
    with pytest.raises(HarnessError, match="category"):
        open_release(path)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise RuntimeError('no licence file')", "fails on import: RuntimeError: no licence file"),
        ("def embed(pictures): pass\nembed.preprocessing = {'size': {1, 2}}", "give a dict of texts"),
    ],
)
def test_functions_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str) -> None:
    (tmp_path / "broken_model.py").write_text(body)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "broken_model", raising=False)
    with pytest.raises(HarnessError, match=said):
        open_encoder("python:broken_model:embed")


def test_a_slice_judges_whole_looks_only(release: Path) -> None:
    found = evaluate(release, "pixels:8", measures=["Look@1"], slices=["category", "facet:material"]).document
    held = {kind: [part["values"]["Look@1"] for part in parts.values()] for kind, parts in found["slices"].items()}
    # The two garments of each look share their category, never their material.
    assert sum(figure["n"] for figure in held["category"]) == found["overall"]["values"]["Look@1"]["n"] > 0
    assert set(held["facet:material"]) == {None}


def test_results_without_a_figure_compare_as_json(release: Path) -> None:
    """A measure that nobody could be asked has no difference, and JSON knows no NaN."""
    one = evaluate(release, "pixels:8", measures=["Fine@1", "Look@1"], subsets=["aigen_studio"])
    found = compare(one, replace(one))
    assert [(part.measure, part.difference, part.p_value) for part in found.overall][1] == ("Look@1", None, None)
    assert found.overall[0].difference == 0


def test_a_result_that_breaks_its_schema_is_refused(release: Path, tmp_path: Path) -> None:
    result = evaluate(release, "pixels:4", measures=["Fine@1"])
    document = json.loads(json.dumps(result.document)) | {"subsets": []}
    (tmp_path / "result.json").write_text(dumps(document))
    with pytest.raises(HarnessError, match="does not follow the schema"):
        load(tmp_path / "result.json")
