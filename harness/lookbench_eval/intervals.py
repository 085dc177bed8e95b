"""Bootstrap intervals that resample looks and products: queries that share either are not independent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.samples import Strings
from lookbench_eval.ties import Reals

Levels = NDArray[np.intp]

_CELLS = 4_000_000


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made."""

    resamples: int = 2000
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval; `queries` values entered it, in `clusters` independent groups."""

    value: float
    low: float
    high: float
    queries: int
    clusters: int


@dataclass(frozen=True, eq=False)
class Groups:
    """The looks and products of n rows as numbers, shape (n,); -1 where a row is not drawn by that factor."""

    looks: Levels
    products: Levels
    every_look: Levels
    """Each row's look, or a number of its own; never -1."""
    every_product: Levels

    def independent(self, rows: NDArray[np.bool_]) -> int:
        """How many independent groups some rows amount to: the fewer of looks and products."""
        return min(len(np.unique(self.every_look[rows])), len(np.unique(self.every_product[rows])))


def groups(looks: Strings, products: Strings) -> Groups:
    """Number the looks and products of n rows; "" is a look or product of its own.

    Looks and products cross: joining all that hangs together would soon join everything. So both are drawn, and a
    row weighs the product of its two counts. Where one factor lies within the other it is left out: a row without a
    look, a product seen in a single look only, a look that shows a single product.
    """
    count = len(looks)
    every_look = _number(look or (row,) for row, look in enumerate(looks))
    every_product = _number(product or (row,) for row, product in enumerate(products))
    pairs = np.unique(np.stack([every_look, every_product], axis=1), axis=0)
    looks_of_product = np.bincount(pairs[:, 1], minlength=count)[every_product]
    products_of_look = np.bincount(pairs[:, 0], minlength=count)[every_look]
    alone = np.array([not look for look in looks], dtype=bool)
    in_a_look = np.zeros(count, dtype=bool)
    np.logical_or.at(in_a_look, every_product, ~alone)
    by_product = (looks_of_product > 1) | ~in_a_look[every_product]
    by_look = ~alone & ((products_of_look > 1) | ~by_product)
    return Groups(
        looks=np.where(by_look, every_look, -1),
        products=np.where(by_product, every_product, -1),
        every_look=every_look,
        every_product=every_product,
    )


def estimate(values: Sequence[Reals], grouped: Groups, policy: Bootstrap = Bootstrap()) -> list[Estimate]:
    """Mean and interval of several measures over the same n rows, NaN left out.

    Percentile intervals of the pigeonhole bootstrap (Owen, "The pigeonhole bootstrap", Annals of Applied Statistics
    1(2), 2007): looks are drawn with replacement, products are drawn with replacement, and a row weighs as often as
    both were drawn. It is exact for rows grouped one way, and somewhat wide where looks and products cross. Where all
    rows agree resampling shows no spread, so the exact binomial bound over the independent groups is given (Clopper and
    Pearson, 1934): the share of others that could still go unseen in such a sample. A single group says nothing: 0 to
    1. Every interval contains its value.
    """
    table = np.stack([np.asarray(one, dtype=np.float64) for one in values], axis=1)
    known = ~np.isnan(table)
    drawn = _resampled(table, known, grouped, policy)
    tail = (1 - policy.level) / 2
    found = []
    for column in range(table.shape[1]):
        rows = known[:, column]
        if not rows.any():
            found.append(Estimate(np.nan, np.nan, np.nan, 0, 0))
            continue
        held = table[rows, column]
        value = float(held.mean())
        count = grouped.independent(rows)
        if count == 1:
            low, high = 0.0, 1.0
        elif np.ptp(held) == 0:
            bound = tail ** (1 / count)
            low, high = value * bound, 1 - (1 - value) * bound
        else:
            low, high = (float(q) for q in np.nanquantile(drawn[:, column], [tail, 1 - tail]))
        found.append(Estimate(value, min(low, value), max(high, value), len(held), count))
    return found


def _resampled(table: Reals, known: NDArray[np.bool_], grouped: Groups, policy: Bootstrap) -> Reals:
    """Means of all resamples, shape (resamples, measures); NaN where a resample holds no row."""
    rng = np.random.default_rng(policy.seed)
    filled = np.where(known, table, 0.0)
    factors = [_dense(levels) for levels in (grouped.looks, grouped.products)]
    step = max(1, _CELLS // max(len(table), 1))
    parts = []
    for start in range(0, policy.resamples, step):
        count = min(step, policy.resamples - start)
        weights = np.ones((count, len(table)))
        for levels, size in factors:
            if size:
                drawn = rng.integers(0, size, (count, size)) + np.arange(count)[:, None] * (size + 1)
                times = np.bincount(drawn.ravel(), minlength=count * (size + 1)).reshape(count, size + 1)
                times[:, size] = 1  # rows that this factor does not draw
                weights *= times[:, levels]
        total = weights @ known.astype(np.float64)
        parts.append(np.divide(weights @ filled, total, out=np.full(total.shape, np.nan), where=total > 0))
    return np.concatenate(parts)


def _dense(levels: Levels) -> tuple[Levels, int]:
    """Numbers from 0 to size - 1 for the levels in use, and size for rows that are not drawn."""
    used, dense = np.unique(levels[levels >= 0], return_inverse=True)
    found = np.full(len(levels), len(used), dtype=np.intp)
    found[levels >= 0] = dense
    return found, len(used)


def _number(keys: Iterable[Hashable]) -> Levels:
    """Number keys in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)
