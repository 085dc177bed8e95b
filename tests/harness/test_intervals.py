"""Clusters and bootstrap intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookbench_eval.intervals import Bootstrap, clusters, estimate
from lookbench_eval.samples import objects


def test_rows_that_share_a_look_or_a_product_belong_together() -> None:
    looks = objects(["A", "A", "", "B", "", ""])
    products = objects(["p1", "p2", "p2", "p3", "", ""])
    assert clusters(looks, products).tolist() == [0, 0, 0, 1, 2, 3]


def test_chains_are_followed_to_their_end() -> None:
    looks = objects(["A", "B", "C", "", "A"])
    products = objects(["p", "q", "r", "s", "r"])
    assert clusters(looks, products).tolist() == [0, 1, 0, 2, 0]


def test_no_keys_means_every_row_for_itself() -> None:
    assert clusters(objects([""] * 3), objects([""] * 3)).tolist() == [0, 1, 2]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 6)), min_size=1, max_size=40),
    st.integers(0, 5),
)
def test_every_interval_contains_its_value(rows: list[tuple[float | None, int]], seed: int) -> None:
    values = np.array([np.nan if value is None else value for value, _ in rows])
    _, groups = np.unique([group for _, group in rows], return_inverse=True)
    found = estimate([values], groups, Bootstrap(resamples=50, seed=seed))[0]
    if np.isnan(values).all():
        assert found.queries == 0
    else:
        assert found.value == pytest.approx(np.nanmean(values))
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.queries == np.count_nonzero(~np.isnan(values))


def test_interval_of_independent_hits_is_the_binomial_one() -> None:
    rng = np.random.default_rng(0)
    values = (rng.random(1000) < 0.3).astype(float)
    found = estimate([values], np.arange(1000))[0]
    spread = 1.96 * np.sqrt(values.mean() * (1 - values.mean()) / 1000)
    assert found.low == pytest.approx(values.mean() - spread, abs=0.004)
    assert found.high == pytest.approx(values.mean() + spread, abs=0.004)


def test_clustered_rows_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    values = np.repeat((rng.random(100) < 0.5).astype(float), 10)
    alone = estimate([values], np.arange(1000))[0]
    together = estimate([values], np.repeat(np.arange(100), 10))[0]
    ratio = (together.high - together.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.15)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for draw in range(200):
        chance = rng.beta(6, 4, 60).repeat(3)
        values = (rng.random(180) < chance).astype(float)
        found = estimate([values], np.arange(60).repeat(3), Bootstrap(resamples=400, seed=draw))[0]
        inside += found.low <= 0.6 <= found.high
    assert 0.90 <= inside / 200 <= 0.99


@pytest.mark.parametrize(
    ("value", "low", "high"),
    # 0.025 ** (1 / 20) = 0.8316: twenty equal clusters leave room for a share of 0.1684 of others.
    [(0.0, 0.0, 0.1684), (1.0, 0.8316, 1.0), (0.5, 0.4158, 0.5842)],
)
def test_unanimous_rows_get_the_exact_binomial_bound(value: float, low: float, high: float) -> None:
    found = estimate([np.full(20, value)], np.arange(20))[0]
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_one_cluster_says_nothing() -> None:
    found = estimate([np.array([0.2, 0.4])], np.zeros(2, dtype=int))[0]
    assert (found.low, found.high, found.clusters) == (0.0, 1.0, 1)


def test_seed_decides_the_draw() -> None:
    values = np.random.default_rng(3).random(50)
    one, same, other = (estimate([values], np.arange(50), Bootstrap(seed=seed))[0] for seed in (1, 1, 2))
    assert one == same
    assert one != other
