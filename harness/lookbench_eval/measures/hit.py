"""Hit rate: is any of the first k answers a positive? `Coarse@k`, `Fine@k`, `Item@k`, `Success@k`."""

import numpy as np

from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Policy, Reals


def hit(ranking: Ranking, k: int, policy: Policy) -> Reals:
    """1 where the best positive is within the first k places, shape (b,).

    Under `expected`, the chance of it: with m places left to a tied group of n answers, r of them positive,
    1 - C(n - r, m) / C(n, m).
    """
    first = ranking.first
    found = first.positives > 0
    if policy == "pessimistic":
        return (found & (first.before + first.size - first.positives < k)).astype(np.float64)
    if policy == "optimistic":
        return (found & (first.before < k)).astype(np.float64)
    left = np.clip(k - first.before, 0, first.size)
    miss = np.ones(len(left))
    for drawn in range(int(left.max(initial=0))):
        open_ = drawn < left
        wrong = np.maximum(first.size - first.positives - drawn, 0)
        miss[open_] *= wrong[open_] / (first.size[open_] - drawn)
    return np.where(found, 1 - miss, 0.0)
