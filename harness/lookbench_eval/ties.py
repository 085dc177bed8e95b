"""Ranking under ties: which answers come first among equal scores is a stated policy, never an accident.

pessimistic   answers of lower gain come first (the figure is a lower bound)
optimistic    answers of higher gain come first
expected      the mean over all orders of the tied answers, in closed form (McSherry and Najork, "Computing
              Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores", ECIR 2008)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.relevance import Relevance

Policy = Literal["pessimistic", "optimistic", "expected"]
POLICIES: tuple[Policy, ...] = get_args(Policy)

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Index = NDArray[np.intp]

_CANDIDATES = 2_000_000  # pairs sorted at a time; only heavy ties ever reach it


@dataclass(frozen=True, eq=False)
class Candidates:
    """The best answers of b queries, complete for ties: m pairs ordered by row, then by falling score."""

    rows: Index
    cols: Index
    scores: NDArray[np.floating]
    starts: Index
    """Where each row begins, shape (b + 1,)."""

    def best(self, row: int, depth: int) -> list[tuple[int, float]]:
        """The first `depth` answers of a row: gallery row and score."""
        first = slice(self.starts[row], min(self.starts[row + 1], self.starts[row] + depth))
        return list(zip(self.cols[first].tolist(), self.scores[first].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class First:
    """The group of equal scores that holds a query's best positive; arrays of shape (b,).

    `before` answers score higher; the group has `size` members, `positives` of them positive (0: none at all).
    """

    before: Ints
    size: Ints
    positives: Ints


@dataclass(frozen=True, eq=False)
class Places:
    """The first `depth` places of b queries; arrays of shape (b, depth).

    `gain` is the gain at the place (its mean over the tied group under `expected`). `start`, `size` and `held`
    describe the place's group of equal scores: answers before it, members, positives among them; `seen`
    counts the positives before the group.
    """

    gain: Reals
    start: Ints
    size: Ints
    held: Ints
    seen: Ints


def candidates(scores: NDArray[np.float32], depth: int) -> Iterator[tuple[slice, Candidates]]:
    """All answers that score at least as high as the one at place `depth`, for each row of scores (b, N).

    -inf marks an answer that is left out. The rows come in cuts whose tied answers fit in memory: one cut, unless
    ties are heavy.
    """
    near = scores >= _floor(scores, depth)[:, None]
    for cut in _cuts(near):
        flat = np.flatnonzero(near[cut])
        rows, cols = np.divmod(flat, scores.shape[1])
        values = scores[cut].ravel()[flat] if scores.flags.c_contiguous else scores[cut][rows, cols]
        keep = values > -np.inf
        if not keep.all():
            rows, cols, values = rows[keep], cols[keep], values[keep]
        order = np.lexsort((-values, rows))
        rows = rows[order]
        starts = np.searchsorted(rows, np.arange(cut.stop - cut.start + 1))
        yield cut, Candidates(rows, cols[order], values[order], starts)


def places(found: Candidates, gains: Reals, depth: int, policy: Policy) -> Places:
    """Put the candidates' gains, shape (m,), in rank order under the policy."""
    tiebreak = -gains if policy == "optimistic" else gains
    order = np.lexsort((tiebreak, -found.scores, found.rows))
    ranked = gains[order]
    lead = _leads(found)
    group = np.cumsum(lead) - 1
    opens = np.flatnonzero(lead)
    size = np.diff(np.append(opens, len(ranked)))
    positive = (ranked > 0).astype(np.int64)
    before = np.cumsum(positive) - positive
    held = np.add.reduceat(positive, opens) if len(opens) else opens
    row_of_group = found.rows[opens]
    start = opens - found.starts[row_of_group]
    seen = before[opens] - np.append(before, positive.sum())[found.starts[row_of_group]]
    if policy == "expected" and len(opens):
        ranked = (np.add.reduceat(ranked, opens) / size)[group]
    pick = found.starts[:-1, None] + np.arange(depth)
    valid = pick < found.starts[1:, None]
    pick = np.where(valid, pick, 0)

    def spread(values: NDArray[np.generic], fill: int) -> NDArray[np.generic]:
        return np.where(valid, values[pick], fill) if len(values) else np.full(pick.shape, fill)

    return Places(
        gain=spread(ranked, 0).astype(np.float64),
        start=spread(start[group], 0).astype(np.int64),
        size=spread(size[group], 1).astype(np.int64),
        held=spread(held[group], 0).astype(np.int64),
        seen=spread(seen[group], 0).astype(np.int64),
    )


def first(found: Candidates, gains: Reals, scores: NDArray[np.float32], relevance: Relevance, queries: Index) -> First:
    """Find the group of the best positive: among the candidates, else by counting the whole row.

    `queries` gives the number of each row of `scores` in the relevance.
    """
    count = len(scores)
    before, size, held = (np.zeros(count, dtype=np.int64) for _ in range(3))
    lead = _leads(found)
    opens = np.flatnonzero(lead)
    group = np.cumsum(lead) - 1
    sizes = np.diff(np.append(opens, len(gains)))
    right = (gains > 0).astype(np.int64)
    rights = np.add.reduceat(right, opens) if len(opens) else opens
    hits = np.flatnonzero(right)
    rows, where = np.unique(found.rows[hits], return_index=True)
    best = group[hits[where]]
    before[rows] = opens[best] - found.starts[rows]
    size[rows] = sizes[best]
    held[rows] = rights[best]
    for row in np.setdiff1d(np.arange(count), rows):
        mine = scores[row, relevance.positives(int(queries[row]))]
        top = mine.max(initial=-np.inf)
        if top > -np.inf:
            before[row] = np.count_nonzero(scores[row] > top)
            size[row] = np.count_nonzero(scores[row] == top)
            held[row] = np.count_nonzero(mine == top)
    return First(before, size, held)


def _cuts(near: NDArray[np.bool_]) -> list[slice]:
    """Cut the rows so that no cut holds more candidates than can be sorted in memory."""
    if near.size <= _CANDIDATES:
        return [slice(0, len(near))]
    cuts, start, total = [], 0, 0
    for row, count in enumerate(np.count_nonzero(near, axis=1).tolist()):
        if total and total + count > _CANDIDATES:
            cuts.append(slice(start, row))
            start, total = row, 0
        total += count
    return [*cuts, slice(start, len(near))]


def _leads(found: Candidates) -> NDArray[np.bool_]:
    """True where a new group of equal scores begins."""
    lead = np.ones(len(found.rows), dtype=bool)
    lead[1:] = (found.rows[1:] != found.rows[:-1]) | (found.scores[1:] != found.scores[:-1])
    return lead


def _floor(scores: NDArray[np.float32], depth: int) -> NDArray[np.float32]:
    """A score that at least `depth` answers of the row reach, shape (b,); a lower bound of place `depth`.

    The `depth`-th best of the maxima of disjoint stripes is one, and costs one pass instead of a selection.
    """
    rows, width = scores.shape
    if width <= depth:
        return np.full(rows, -np.inf, dtype=np.float32)
    stripes = max(min(width // 4, 16 * depth), 1)
    if stripes < 2 * depth:
        return np.partition(scores, width - depth, axis=1)[:, width - depth]
    full = width // stripes * stripes
    tops = scores[:, :full].reshape(rows, full // stripes, stripes).max(axis=1)
    return np.partition(tops, stripes - depth, axis=1)[:, stripes - depth]
