"""Bootstrap intervals that resample clusters: queries of one look or one product are not independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.samples import Strings
from lookbench_eval.ties import Reals

Clusters = NDArray[np.intp]

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


def clusters(*keys: Strings) -> Clusters:
    """Number the groups of rows that share a key, directly or through other rows; "" is shared with nobody.

    Each of `keys` has shape (n,), for example the looks and the products. Returns shape (n,), numbered in order of
    appearance.
    """
    count = len(keys[0])
    parent = list(range(count))

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for column in keys:
        seen: dict[str, int] = {}
        for row, key in enumerate(column):
            if key:
                other = root(seen.setdefault(key, row))
                mine = root(row)
                parent[max(mine, other)] = min(mine, other)
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(root(row), len(numbers)) for row in range(count)], dtype=np.intp)


def estimate(values: Sequence[Reals], groups: Clusters, policy: Bootstrap = Bootstrap()) -> list[Estimate]:
    """Mean and interval of several measures over the same n rows, NaN left out.

    The percentile interval of a cluster bootstrap (Field and Welsh, "Bootstrapping clustered data", JRSS B 69, 2007):
    whole clusters are drawn with replacement and the mean of all their rows is taken. Where all rows agree resampling
    shows no spread, so the exact binomial bound over the clusters is given (Clopper and Pearson, 1934): a share of
    clusters that could still go unseen in such a sample may lie at the far end of the scale. One cluster alone says
    nothing: its interval is 0 to 1. Every interval contains its value.
    """
    table = np.stack([np.asarray(one, dtype=np.float64) for one in values], axis=1)
    known = ~np.isnan(table)
    size = int(groups.max(initial=-1)) + 1
    sums = np.zeros((size, table.shape[1]))
    counts = np.zeros((size, table.shape[1]))
    np.add.at(sums, groups, np.where(known, table, 0.0))
    np.add.at(counts, groups, known)
    drawn = resampled_means(sums, counts, policy)
    tail = (1 - policy.level) / 2
    found = []
    for column in range(table.shape[1]):
        rows = int(known[:, column].sum())
        held = int((counts[:, column] > 0).sum())
        if not rows:
            found.append(Estimate(np.nan, np.nan, np.nan, 0, 0))
            continue
        value = float(sums[:, column].sum() / counts[:, column].sum())
        bound = tail ** (1 / held)
        if held == 1:
            low, high = 0.0, 1.0
        elif np.ptp(table[known[:, column], column]) == 0:
            low, high = value * bound, 1 - (1 - value) * bound
        else:
            low, high = (float(q) for q in np.nanquantile(drawn[:, column], [tail, 1 - tail]))
        found.append(Estimate(value, min(low, value), max(high, value), rows, held))
    return found


def resampled_means(sums: Reals, counts: Reals, policy: Bootstrap) -> Reals:
    """Means of `resamples` draws of whole clusters, shape (resamples, measures); NaN where a draw holds no row."""
    rng = np.random.default_rng(policy.seed)
    size = len(sums)
    step = max(1, _CELLS // max(size, 1))
    parts = []
    for start in range(0, policy.resamples, step):
        rows = min(step, policy.resamples - start)
        drawn = rng.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
        weights = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)
        total = weights @ counts
        parts.append(np.divide(weights @ sums, total, out=np.full(total.shape, np.nan), where=total > 0))
    return np.concatenate(parts)
