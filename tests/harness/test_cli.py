"""The command, as people and machines use it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lookbench_eval.cli import VERBS, main

HOME = Path(__file__).resolve().parents[2] / "harness"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(HOME)}
    return subprocess.run(
        [sys.executable, "-m", "lookbench_eval", *words], capture_output=True, text=True, env=environment, check=False
    )


def test_a_table_for_people(release: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status = main(
        [
            str(release),
            "--model",
            "pixels:8",
            "--measure",
            "Fine@1",
            "nDCG@5",
            "--out",
            str(tmp_path / "out"),
            "--slice",
            "month",
        ]
    )
    out, err = capsys.readouterr()
    assert status == 0
    assert "Fine@1" in out
    assert "nDCG@5" in out
    assert "MRR" not in out
    assert "noise: 9 pictures" in err
    assert f"written: {tmp_path / 'out' / 'result.json'}" in err


def test_json_for_machines_goes_to_stdout_alone(release: Path, tmp_path: Path) -> None:
    done = run(
        str(release),
        "--model",
        "pixels:8",
        "--json",
        "--out",
        str(tmp_path),
        "--subset",
        "aigen_studio",
        "--cutoff",
        "2026-09-01",
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document == json.loads((tmp_path / "result.json").read_text())
    assert list(document["subsets"]) == ["aigen_studio"]
    assert document["subsets"]["aigen_studio"]["queries"] == 3
    assert json.loads(run(str(release), "--model", "pixels:8", "--json", "--quiet").stdout)["digest"]


def test_declarations_go_into_the_result(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--name", "My model", "--declared-cutoff", "2026-01-31", "--trained-on", "Fashion200K", "LAION"]
    assert main([str(release), "--model", "pixels:8", "--json", "--quiet", *words]) == 0
    model = json.loads(capsys.readouterr().out)["model"]
    assert (model["name"], model["declared_cutoff"], model["training_sets"]) == (
        "My model",
        "2026-01-31",
        ["Fashion200K", "LAION"],
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "resnet"], "model 'resnet' is not understood"),
        (["--model", "pixels:8", "--cutoff", "2030-01-01"], "its queries are dated 2026-07-01 to 2026-12-03"),
        (["--model", "pixels:8", "--cutoff", "soon"], "cutoff is 'soon'"),
        (["--model", "pixels:8", "--subset", "none"], "has no subset none"),
        (["--model", "pixels:8", "--measure", "Fine"], "needs a depth"),
        (["--model", "pixels:8", "--slice", "colour"], "unknown slice 'colour'"),
        (["--model", "pixels:8", "--layout", "zip"], "layout 'zip' is unknown"),
        ([], "neither a model nor embeddings"),
    ],
)
def test_refusals_are_one_sentence_and_status_1(
    release: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main([str(release), "--quiet", *words]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lookbench-eval: ")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [[], ["release", "--ties", "random"], ["release", "--batch-size", "0"], ["compare", "one.json"]]
)
def test_wrong_usage_is_status_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(words)
    assert error.value.code == 2


def test_rows_list_the_order_of_embeddings(release: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["rows", str(release)]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["query", "0", "real_studio_flat", "real_studio_flat-query-0-0"]
    assert lines[-1] == ["gallery", "56", "noise", "noise-gallery-108-0"]
    rng = np.random.default_rng(0)
    for file, count in (("query", 24), ("gallery", 57)):
        assert [int(row) for name, row, *_ in lines if name == file] == list(range(count))
        np.save(tmp_path / f"{file}.npy", rng.normal(size=(count, 16)))
    words = ["--embeddings", str(tmp_path / "query.npy"), str(tmp_path / "gallery.npy"), "--json"]
    assert main([str(release), *words]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["spec"] == "embeddings:query.npy,gallery.npy"


def test_compare(release: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for side in (1, 16):
        main([str(release), "--model", f"pixels:{side}", "--quiet", "--out", str(tmp_path / str(side))])
    capsys.readouterr()
    paths = [str(tmp_path / side / "result.json") for side in ("1", "16")]
    assert main(["compare", *paths, "--measure", "Item@1"]) == 0
    out = capsys.readouterr().out
    assert "pixels-1x1" in out
    assert "24 queries in both results" in out
    assert main(["compare", *paths, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["common"] == 24
    assert {one["measure"] for one in found["overall"]} >= {"Fine@1", "Look@1"}
    (tmp_path / "16/per_query.parquet").unlink()
    assert main(["compare", *paths]) == 1
    assert "keep per_query.parquet beside the JSON" in capsys.readouterr().err


def test_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n")
    words = ["score", "--run", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels"), "MRR", "nDCG@10"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out == "MRR\t0.500000\nnDCG@10\t0.500000\n"
    assert "1 judged queries are not in the run and count as 0: q2" in err
    assert main([*words, "--per-query"]) == 0
    assert "q1\tMRR\t1.000000\n" in capsys.readouterr().out
    assert main([*words, "--json", "--per-query"]) == 0
    assert json.loads(capsys.readouterr().out)["per_query"]["q2"] == {"MRR": 0.0, "nDCG@10": 0.0}
    assert main(["score", "--run", str(tmp_path / "none"), "--qrels", str(tmp_path / "qrels"), "MRR"]) == 1


def test_the_run_of_a_release_scores_the_same_with_its_judgements(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `score` makes of run.trec equals what the evaluation itself found."""
    from lookbench_eval import open_release

    main(
        [
            str(release),
            "--model",
            "pixels:4",
            "--quiet",
            "--subset",
            "aigen_studio",
            "--measure",
            "MRR(rel=item)",
            "--json",
            "--out",
            str(tmp_path),
        ]
    )
    document = json.loads(capsys.readouterr().out)
    part = open_release(release, subsets=["aigen_studio"]).subsets[0]
    lines = [
        f"{query}\t0\t{answer}\t1\n"
        for query, item in zip(part.query.samples.ids, part.query.samples.item, strict=True)
        for answer, own in zip(part.gallery.samples.ids, part.gallery.samples.item, strict=True)
        if own == item
    ]
    (tmp_path / "qrels.tsv").write_text("".join(lines))
    main(["score", "--run", str(tmp_path / "run.trec"), "--qrels", str(tmp_path / "qrels.tsv"), "MRR"])
    assert float(capsys.readouterr().out.split()[1]) == pytest.approx(
        document["overall"]["values"]["MRR(rel=item)"]["value"], abs=1e-6
    )


def test_every_verb_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], *([verb] for verb in VERBS)):
        with pytest.raises(SystemExit) as error:
            main([*words, "--help"])
        assert error.value.code == 0
    assert "lookbench-eval compare" in capsys.readouterr().out


def test_a_pipe_that_closes_early_is_no_crash(release: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HOME)}
    done = subprocess.run(
        f"{sys.executable} -m lookbench_eval rows {release} | head -1",
        shell=True,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout.startswith("query\t0")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("code", "bar"),
    [
        ("import lookbench_eval", 0.3),
        ("from lookbench_eval.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass", 0.5),
    ],
)
def test_starting_is_cheap(code: str, bar: float) -> None:
    """Processor seconds, which do not grow when the machine is busy; nothing heavy is imported."""
    ending = "\nimport sys, time\nprint(time.process_time(), [m for m in ('numpy', 'pyarrow', 'torch', 'PIL') if m in sys.modules], file=sys.stderr)"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code + ending],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        check=True,
    )
    seconds, _, heavy = done.stderr.strip().partition(" ")
    assert heavy == "[]"
    assert float(seconds) < bar, f"{time.perf_counter() - start} s of wall time"


def test_embeddings_need_neither_torch_nor_pillow(release: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for file, count in (("query", 24), ("gallery", 57)):
        np.save(tmp_path / f"{file}.npy", rng.normal(size=(count, 16)))
    code = (
        "import sys\n"
        "for name in ('torch', 'PIL', 'transformers', 'onnxruntime'): sys.modules[name] = None\n"
        "from lookbench_eval.cli import main\n"
        f"sys.exit(main([{str(release)!r}, '--embeddings', {str(tmp_path / 'query.npy')!r}, {str(tmp_path / 'gallery.npy')!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Overall" in done.stdout
