"""What a measure sees of one block of queries: the ranked gains under one relevance."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.relevance import Relevance
from lookbench_eval.ties import Candidates, First, Index, Ints, Places, Policy, Reals, first, places


class Ranking:
    """b queries ranked against N answers under one relevance.

    `scores` is (b, N) with -inf at answers that are left out, `found` its candidates down to `depth`,
    `queries` the number of each row in the relevance, `count` the positives of each query, shape (b,).
    """

    def __init__(
        self,
        scores: NDArray[np.float32],
        found: Candidates,
        relevance: Relevance,
        queries: Index,
        depth: int,
        count: Ints,
    ) -> None:
        self.scores = scores
        self.found = found
        self.relevance = relevance
        self.queries = queries
        self.depth = depth
        self.count = count
        self._places: dict[Policy, Places] = {}

    @cached_property
    def gains(self) -> Reals:
        """Gains of the candidates, shape (m,)."""
        return self.relevance.gains(self.queries[self.found.rows], self.found.cols)

    @cached_property
    def first(self) -> First:
        """The tied group that holds each query's best positive."""
        return first(self.found, self.gains, self.scores, self.relevance, self.queries)

    def places(self, policy: Policy) -> Places:
        """The first `depth` places under a tie policy."""
        if policy not in self._places:
            self._places[policy] = places(self.found, self.gains, self.depth, policy)
        return self._places[policy]

    def positives(self, row: int) -> Index:
        """Positives of a row that are not left out."""
        rows = self.relevance.positives(int(self.queries[row]))
        stays: NDArray[np.bool_] = self.scores[row, rows] > -np.inf
        return rows[stays]

    @cached_property
    def ideal(self) -> Reals:
        """The best gains there are in the whole gallery, falling, shape (b, depth), padded with 0."""
        best = np.zeros((len(self.scores), self.depth))
        for row in range(len(self.scores)):
            rows = self.positives(row)
            gains = np.sort(self.relevance.gains(np.full(len(rows), self.queries[row]), rows))[::-1][: self.depth]
            best[row, : len(gains)] = gains
        return best
