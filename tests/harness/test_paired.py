"""Comparing two results."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lookbench_eval import Bootstrap, HarnessError, ScoringPolicy, evaluate
from lookbench_eval.paired import compare, sign_flip
from lookbench_eval.windows import make


def test_p_value_of_few_differences_counts_all_signs() -> None:
    moved = np.array([0.5, 0.25, -0.1, 0.3])
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, moved, strict=True))) for signs in product((-1, 1), repeat=4)
    ]
    expected = np.mean([one >= abs(moved.sum()) - 1e-12 for one in sums])
    assert sign_flip(np.concatenate([moved, np.zeros(5)]), Bootstrap()) == expected


def test_p_value_of_many_differences_is_that_of_the_sign_test() -> None:
    moved = np.array([1.0] * 40 + [-1.0] * 20)
    tail = sum(math.comb(60, k) for k in range(40, 61)) / 2**60
    assert sign_flip(moved, Bootstrap(resamples=20_000)) == pytest.approx(2 * tail, rel=0.15)


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip(np.zeros(7), Bootstrap()) == 1.0


def test_p_values_are_uniform_when_models_are_equal() -> None:
    rng = np.random.default_rng(0)
    found = [sign_flip(rng.normal(size=30), Bootstrap(resamples=199, seed=draw)) for draw in range(300)]
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.035)


def test_two_models_side_by_side(release: Path) -> None:
    coarse, fine = evaluate(release, "pixels:1"), evaluate(release, "pixels:16")
    found = compare(coarse, fine, ["Item@1", "nDCG@5", "Look@1"])
    assert (found.first, found.second, found.common) == ("pixels-1x1", "pixels-16x16", 24)
    item = found.overall[0]
    assert item.measure == "Item@1"
    assert item.first == pytest.approx(coarse.value("Item@1"))
    assert item.second == pytest.approx(fine.value("Item@1"))
    assert item.difference == pytest.approx(item.second - item.first)
    assert item.low <= item.difference <= item.high
    assert item.gained - item.lost == round(24 * item.difference)
    assert found.overall[2].queries == 6
    assert set(found.subsets) == {"real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook"}
    turned = compare(fine, coarse, ["Item@1"]).overall[0]
    assert turned.difference == -item.difference
    assert turned.p_value == item.p_value
    assert (turned.gained, turned.lost) == (item.lost, item.gained)


def test_a_model_equals_itself(release: Path) -> None:
    one = evaluate(release, "pixels:8")
    for found in compare(one, one).overall:
        assert (found.difference, found.p_value, found.gained, found.lost) == (0, 1, 0, 0)
        assert found.low <= 0 <= found.high


def test_only_common_queries_are_compared(release: Path) -> None:
    whole, late = evaluate(release, "pixels:8"), evaluate(release, "pixels:8", window=make("2026-10-02"))
    found = compare(whole, late)
    assert (found.common, found.only_first, found.only_second) == (8, 16, 0)


def test_results_that_cannot_be_compared(release: Path) -> None:
    plain = evaluate(release, "pixels:8", measures=["Item@1"])
    loose = evaluate(release, "pixels:8", measures=["Fine@1"], policy=ScoringPolicy(ties="optimistic"))
    with pytest.raises(HarnessError, match=r"scored differently: ties is 'pessimistic' and 'optimistic'"):
        compare(plain, loose)
    other = evaluate(release, "pixels:8", measures=["Fine@1"])
    with pytest.raises(HarnessError, match=r"not in both results: Item@1"):
        compare(plain, other, ["Item@1"])
    from tests.harness.small import seal

    (release / "report.txt").write_text("x")
    seal(release)
    compare(other, evaluate(release, "pixels:8", measures=["Fine@1"]))  # what is scored is the same
    (release / "data" / "more.txt").write_text("x")
    seal(release)
    with pytest.raises(HarnessError, match="different releases"):
        compare(plain, evaluate(release, "pixels:8", measures=["Item@1"]))
    early, late = (
        evaluate(release, "pixels:8", window=make(until="2026-08-01")),
        evaluate(release, "pixels:8", window=make("2026-10-02")),
    )
    with pytest.raises(HarnessError, match="no query in common"):
        compare(early, late)
