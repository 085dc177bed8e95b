"""Intervals that know about looks and products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookbench_eval.intervals import Bootstrap, Groups, estimate, groups
from lookbench_eval.samples import objects


def alone(count: int) -> Groups:
    return groups(objects([""] * count), objects([""] * count))


def by_product(products: np.ndarray) -> Groups:
    return groups(objects([""] * len(products)), objects([f"p{value}" for value in products]))


def test_a_factor_that_lies_within_the_other_is_left_out() -> None:
    rows = [
        ("", "p1"),  # no look: drawn by its product alone
        ("A", "p2"),  # a product of this look only: drawn by the look
        ("A", "p3"),  # a product of two looks: drawn by both
        ("B", "p3"),  # a look with one product: drawn by the product
        ("", ""),  # neither: drawn by itself
        ("C", "p4"),  # a look and a product of one row: drawn by the look
        ("", "p3"),  # no look, a product seen elsewhere: drawn by the product
    ]
    found = groups(*(objects(list(column)) for column in zip(*rows, strict=True)))
    assert (found.looks >= 0).tolist() == [False, True, True, False, False, True, False]
    assert (found.products >= 0).tolist() == [True, False, True, True, True, False, True]
    assert found.looks[1] == found.looks[2]
    assert found.products[2] == found.products[3] == found.products[6]
    assert len({found.products[0], found.products[3], found.products[4]}) == 3


def test_the_fewer_of_looks_and_products_are_independent() -> None:
    found = groups(objects(["A", "A", "B", ""]), objects(["p", "q", "p", "p"]))
    assert found.independent(np.array([True, True, True, True])) == 2
    assert found.independent(np.array([True, True, False, False])) == 1
    assert found.independent(np.array([False, True, True, True])) == 2


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40
    ),
    st.integers(0, 5),
)
def test_every_interval_contains_its_value(rows: list[tuple[float | None, int, int]], seed: int) -> None:
    values = np.array([np.nan if value is None else value for value, _, _ in rows])
    looks, products = (
        objects([str(look or "") for _, look, _ in rows]),
        objects([str(product or "") for *_, product in rows]),
    )
    found = estimate([values], groups(looks, products), Bootstrap(resamples=50, seed=seed))[0]
    if np.isnan(values).all():
        assert found.queries == 0
    else:
        assert found.value == pytest.approx(np.nanmean(values))
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.queries == np.count_nonzero(~np.isnan(values))


def test_interval_of_independent_hits_is_the_binomial_one() -> None:
    rng = np.random.default_rng(0)
    values = (rng.random(1000) < 0.3).astype(float)
    found = estimate([values], alone(1000))[0]
    spread = 1.96 * np.sqrt(values.mean() * (1 - values.mean()) / 1000)
    assert found.low == pytest.approx(values.mean() - spread, abs=0.004)
    assert found.high == pytest.approx(values.mean() + spread, abs=0.004)


def test_clustered_rows_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    values = np.repeat((rng.random(100) < 0.5).astype(float), 10)
    single = estimate([values], alone(1000))[0]
    together = estimate([values], by_product(np.repeat(np.arange(100), 10)))[0]
    ratio = (together.high - together.low) / (single.high - single.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.15)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for draw in range(200):
        chance = rng.beta(6, 4, 60).repeat(3)
        values = (rng.random(180) < chance).astype(float)
        found = estimate([values], by_product(np.arange(60).repeat(3)), Bootstrap(resamples=400, seed=draw))[0]
        inside += found.low <= 0.6 <= found.high
    assert 0.90 <= inside / 200 <= 0.99


def crossed(rng: np.random.Generator) -> tuple[np.ndarray, Groups]:
    """Hits of 80 looks with 3 garments out of 50 products; looks and products both matter. The truth is 0.5."""
    look, product = np.arange(80).repeat(3), rng.integers(0, 50, 240)
    ease = 0.5 * rng.normal(size=80)[look] + rng.normal(size=50)[product]
    values = (rng.normal(size=240) < ease).astype(float)
    return values, groups(objects([f"l{value}" for value in look]), objects([f"p{value}" for value in product]))


def test_crossed_looks_and_products_are_both_counted() -> None:
    rng = np.random.default_rng(4)
    inside, naive, wide, spread = 0, 0, [], []
    for draw in range(150):
        values, grouped = crossed(rng)
        found = estimate([values], grouped, Bootstrap(resamples=300, seed=draw))[0]
        plain = estimate([values], alone(240), Bootstrap(resamples=300, seed=draw))[0]
        inside += found.low <= 0.5 <= found.high
        naive += plain.low <= 0.5 <= plain.high
        wide.append(found.high - found.low)
        spread.append(found.value)
    # Queries taken one by one promise too much; looks and products together keep the promise and are not absurdly wide.
    assert naive / 150 < 0.9
    assert inside / 150 >= 0.92
    assert np.mean(wide) < 1.45 * 2 * 1.96 * np.std(spread)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    # 0.025 ** (1 / 20) = 0.8316: twenty equal clusters leave room for a share of 0.1684 of others.
    [(0.0, 0.0, 0.1684), (1.0, 0.8316, 1.0), (0.5, 0.4158, 0.5842)],
)
def test_unanimous_rows_get_the_exact_binomial_bound(value: float, low: float, high: float) -> None:
    found = estimate([np.full(20, value)], alone(20))[0]
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_one_cluster_says_nothing() -> None:
    found = estimate([np.array([0.2, 0.4])], by_product(np.zeros(2, dtype=int)))[0]
    assert (found.low, found.high, found.clusters) == (0.0, 1.0, 1)


def test_seed_decides_the_draw() -> None:
    values = np.random.default_rng(3).random(50)
    one, same, other = (estimate([values], alone(50), Bootstrap(seed=seed))[0] for seed in (1, 1, 2))
    assert one == same
    assert one != other
