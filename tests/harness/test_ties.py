"""Tie policies against all orders of the tied answers, and against other libraries where nothing is tied."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookbench_eval import Samples, ScoringPolicy, ask, parse, score
from lookbench_eval.measures import parse_all
from lookbench_eval.scoring import Scores

pytrec_eval = pytest.importorskip("pytrec_eval")

MEASURES = parse_all(["Success@1 Success@3 Recall@2 Recall@4 nDCG@1 nDCG@3 nDCG@6 MRR MRR@3 mAP mAP@3"])


def judged(scores: np.ndarray, grades: np.ndarray, ties: Any = "pessimistic", depth: int = 20) -> Scores:
    """Score a matrix of similarities (q, n) against a matrix of grades (q, n)."""
    queries = Samples.of([{"id": f"q{row}"} for row in range(len(scores))])
    gallery = Samples.of([{"id": f"d{column}"} for column in range(scores.shape[1])])
    qrels = {f"q{q}": {f"d{d}": int(row[d]) for d in np.flatnonzero(row)} for q, row in enumerate(grades)}
    policy = ScoringPolicy(ties=ties, no_positive="zero", run_depth=depth)
    questions = ask(queries, gallery, MEASURES, policy, qrels=qrels, bare="judged")
    return score(questions, [(slice(0, len(scores)), scores.astype(np.float32))])


def plain(gains: list[float], every: list[float]) -> dict[str, float]:
    """The measures of one ranking, written down from their definitions."""
    hits = [gain > 0 for gain in gains]
    total = sum(gain > 0 for gain in every)
    ideal = sorted(every, reverse=True)

    def dcg(values: list[float], k: int) -> float:
        return sum(value / np.log2(place + 2) for place, value in enumerate(values[:k]))

    def precision(k: int) -> float:
        return sum(hits[:k]) / k

    def average(k: int) -> float:
        return sum(precision(place + 1) for place, hit in enumerate(hits[:k]) if hit) / total if total else 0.0

    first = hits.index(True) + 1 if any(hits) else None
    found = {f"Success@{k}": float(any(hits[:k])) for k in (1, 3)}
    found |= {f"Recall@{k}": sum(hits[:k]) / total if total else 0.0 for k in (2, 4)}
    found |= {f"nDCG@{k}": dcg(gains, k) / dcg(ideal, k) if total else 0.0 for k in (1, 3, 6)}
    found |= {"MRR": 1 / first if first else 0.0, "MRR@3": 1 / first if first and first <= 3 else 0.0}
    return found | {"mAP": average(len(gains)), "mAP@3": average(3)}


small = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(small)
def test_policies_are_the_worst_the_best_and_the_mean_of_all_orders(pairs: list[tuple[int, int]]) -> None:
    scores = np.array([[score for score, _ in pairs]], dtype=float)
    grades = np.array([[grade for _, grade in pairs]])
    outcomes: dict[str, list[float]] = {}
    for order in permutations(range(len(pairs))):
        ranked = sorted(order, key=lambda place: -pairs[place][0])
        gains = [float(pairs[place][1]) for place in ranked]
        for name, value in plain(gains, [float(grade) for _, grade in pairs]).items():
            outcomes.setdefault(name, []).append(value)
    for policy, summary in (("pessimistic", min), ("optimistic", max), ("expected", np.mean)):
        found = judged(scores, grades, policy)
        for measure in MEASURES:
            assert found.values[measure][0] == pytest.approx(summary(outcomes[str(measure)]), abs=1e-9), (
                policy,
                measure,
            )
    worst = judged(scores, grades)
    depends = any(max(values) - min(values) > 1e-12 for values in outcomes.values())
    assert bool(worst.tied[0]) == depends


TREC = {
    "Success@1": "success_1",
    "Success@3": "success_3",
    "Recall@2": "recall_2",
    "Recall@4": "recall_4",
    "nDCG@1": "ndcg_cut_1",
    "nDCG@3": "ndcg_cut_3",
    "nDCG@6": "ndcg_cut_6",
    "MRR": "recip_rank",
    "mAP": "map",
    "mAP@3": "map_cut_3",
}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 60))
def test_untied_figures_equal_trec_eval_for_every_query(seed: int, queries: int, answers: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.stack([rng.permutation(answers) for _ in range(queries)]) / answers
    grades = rng.choice([0, 0, 0, 1, 2, 3], (queries, answers))
    found = judged(scores, grades)
    assert not found.tied.any()
    qrels = {f"q{q}": {f"d{d}": int(g) for d, g in enumerate(row)} for q, row in enumerate(grades)}
    run = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(row)} for q, row in enumerate(scores)}
    wanted = {"success.1,3", "recall.2,4", "ndcg_cut.1,3,6", "recip_rank", "map", "map_cut.3"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    for measure in MEASURES:
        if str(measure) in TREC:
            for q in range(queries):
                assert found.values[measure][q] == pytest.approx(theirs[f"q{q}"][TREC[str(measure)]], abs=1e-6), measure


def oracle(scores: np.ndarray, grades: np.ndarray, ties: str) -> list[dict[str, float]]:
    """Plain numpy: sort the whole row, with the policy as the second key."""
    sign = 1 if ties == "pessimistic" else -1
    found = []
    for row, gains in zip(scores, grades, strict=True):
        order = np.lexsort((sign * gains, -row))
        found.append(plain([float(gain) for gain in gains[order]], [float(gain) for gain in gains]))
    return found


@pytest.mark.parametrize("ties", ["pessimistic", "optimistic"])
@pytest.mark.parametrize("levels", [2, 7, 50, 100_000])
def test_large_rows_equal_the_oracle(ties: str, levels: int) -> None:
    rng = np.random.default_rng(levels)
    scores = rng.integers(0, levels, (12, 3000)) / levels
    grades = rng.choice([0, 1, 2], (12, 3000), p=[0.99, 0.006, 0.004])
    found = judged(scores.astype(np.float32).astype(float), grades, ties)
    for row, expected in enumerate(oracle(scores.astype(np.float32), grades, ties)):
        for measure in MEASURES:
            assert found.values[measure][row] == pytest.approx(expected[str(measure)], abs=1e-9), measure


def test_all_tied_rows_stay_in_memory() -> None:
    scores = np.ones((24, 90_000))
    grades = np.zeros((24, 90_000), dtype=int)
    grades[:, 7] = 1
    found = judged(scores, grades)
    assert found.tied.all()
    assert found.values[parse("MRR")].tolist() == [pytest.approx(1 / 90_000)] * 24


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_figures_do_not_depend_on_the_order_of_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (4, 50)).astype(float)
    grades = rng.choice([0, 0, 0, 1, 2], (4, 50))
    shuffle = rng.permutation(50)
    one, two = judged(scores, grades), judged(scores[:, shuffle], grades[:, shuffle])
    for measure in MEASURES:
        assert one.values[measure].tolist() == pytest.approx(two.values[measure].tolist(), abs=1e-12)
