"""Scoring TREC runs, against trec_eval and by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookbench_eval import HarnessError, parse
from lookbench_eval.measures import parse_all
from lookbench_eval.runs import score_run
from lookbench_eval.trec import read_qrels, read_run, run_lines

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

QRELS = """q1\t0\td1\t2
q1\t0\td2\t1
q1\t0\td9\t1
q2\t0\td3\t1
q3\t0\td4\t0
q4 0 d5 1
"""
RUN = """q1 Q0 d7 1 0.9 tag
q1 Q0 d1 2 0.8 tag
q1 Q0 d2 3 0.7 tag
q2 Q0 d3 1 0.4 tag
q2 Q0 d8 2 0.4 tag
q5 Q0 d1 1 0.1 tag
"""


def files(folder: Path) -> tuple[Path, Path]:
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "run.txt").write_text(RUN)
    return folder / "run.txt", folder / "qrels.txt"


def test_literal_files(tmp_path: Path) -> None:
    run, qrels = files(tmp_path)
    found = score_run(read_run(run), read_qrels(qrels), parse_all(["nDCG@3", "MRR", "mAP", "Recall@2", "Success@1"]))
    assert found.queries == ("q1", "q2", "q4")
    assert found.missing == ("q4",)
    assert found.unjudged == ("q5",)
    assert found.without_positive == ("q3",)
    gains = (2 / np.log2(3) + 1 / 2) / (2 + 1 / np.log2(3) + 1 / 2)
    expected = {
        "nDCG@3": [gains, 1 / np.log2(3), 0],
        "MRR": [1 / 2, 1 / 2, 0],
        "mAP": [(1 / 2 + 2 / 3) / 3, 1 / 2, 0],
        "Recall@2": [1 / 3, 1, 0],
        "Success@1": [0, 0, 0],
    }
    for name, values in expected.items():
        assert found.values[parse(name)].tolist() == pytest.approx(values), name
    lucky = score_run(read_run(run), read_qrels(qrels), parse_all(["MRR"]), "optimistic")
    assert lucky.values[parse("MRR")].tolist() == [1 / 2, 1, 0]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 30), st.integers(0, 10))
def test_runs_equal_trec_eval(seed: int, queries: int, length: int, unseen: int) -> None:
    rng = np.random.default_rng(seed)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 4)) for d in range(length + unseen)} for q in range(queries)}
    run = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.permutation(length))} for q in range(queries)}
    names = {
        "nDCG@5": "ndcg_cut_5",
        "MRR": "recip_rank",
        "mAP": "map",
        "mAP@5": "map_cut_5",
        "Recall@5": "recall_5",
        "Success@1": "success_1",
    }
    if not any(grade for grades in qrels.values() for grade in grades.values()):
        return
    found = score_run(run, qrels, parse_all(list(names)))
    wanted = {"ndcg_cut.5", "recip_rank", "map", "map_cut.5", "recall.5", "success.1"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    for ours, name in names.items():
        for row, query in enumerate(found.queries):
            assert found.values[parse(ours)][row] == pytest.approx(theirs[query][name], abs=1e-6), ours


def test_names_mean_what_they_mean_elsewhere() -> None:
    """Names that ir_measures knows, too, parse there to the same measure."""
    run = [ir_measures.ScoredDoc("q", f"d{d}", float(-d)) for d in range(10)]
    qrels = [ir_measures.Qrel("q", f"d{d}", grade) for d, grade in ((1, 2), (4, 1), (12, 1))]
    ours = score_run(
        {"q": {f"d{d}": float(-d) for d in range(10)}},
        {"q": {"d1": 2, "d4": 1, "d12": 1}},
        parse_all(["nDCG@5", "RR", "AP", "R@5", "AP@3"]),
    )
    for measure, values in ours.values.items():
        alias = {"Recall": "R", "MRR": "RR", "mAP": "AP"}.get(measure.name, measure.name)
        name = alias if measure.k is None else f"{alias}@{measure.k}"
        theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
        assert values[0] == pytest.approx(next(iter(theirs.values()))), name


def test_labels_are_no_judgements() -> None:
    with pytest.raises(HarnessError, match=r"Fine@1, nDCG\(rel=graded\)@5 cannot be scored from judgements"):
        score_run({}, {"q": {"d": 1}}, parse_all(["Fine@1", "nDCG(rel=graded)@5", "MRR"]))


def test_judgements_without_a_positive_score_nothing() -> None:
    with pytest.raises(HarnessError, match="no positive at all"):
        score_run({"q": {"d": 1.0}}, {"q": {"d": 0}}, parse_all(["MRR"]))


def test_runs_are_written_as_they_are_read(tmp_path: Path) -> None:
    answers = {"q 1": [("d\u00e9j\u00e0", 0.5), ("d2", 0.25)], "q2": [("d3", 1e-9)]}
    (tmp_path / "run.trec").write_text("".join(run_lines(answers, "tag")))
    assert read_run(tmp_path / "run.trec") == {query: dict(ranked) for query, ranked in answers.items()}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1 Q0 d1 1 0.5\n", "has 5 fields"),
        ("q1 Q0 d1 1 high tag\n", "the score 'high'"),
        ("q1 Q0 d1 1 nan tag\n", "is not finite"),
        ("q1 Q0 d1 1 0.5 tag\nq1 Q0 d1 2 0.4 tag\n", "listed twice"),
        ("", "is empty"),
    ],
)
def test_runs_that_cannot_be_read(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "run").write_text(line)
    with pytest.raises(HarnessError, match=said):
        read_run(tmp_path / "run")
