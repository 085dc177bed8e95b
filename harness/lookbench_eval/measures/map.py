"""Average precision, `mAP` over the whole gallery and `mAP@k` over the first k answers.

Both divide by the number of all positives, as trec_eval's `map` and `map_cut` do.
"""

import numpy as np

from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Ints, Policy, Reals


def average_precision(ranking: Ranking, k: int | None, policy: Policy) -> Reals:
    """Mean precision at the places of the positives, shape (b,); 0 for a query without any."""
    if k is None:
        return np.array([_whole(ranking, row, policy) for row in range(len(ranking.scores))])
    places = ranking.places(policy)
    rank = np.arange(1, places.gain.shape[1] + 1)
    if policy == "expected":
        parts = _tied(rank, places.start, places.size, places.held, places.seen)
    else:
        right = places.gain > 0
        parts = right * np.cumsum(right, axis=1) / rank
    found: Reals = parts[:, :k].sum(axis=1) / np.maximum(ranking.count, 1)
    return found


def _whole(ranking: Ranking, row: int, policy: Policy) -> float:
    """Average precision of one query over all of its answers."""
    scores = ranking.scores[row]
    mine = np.sort(scores[ranking.positives(row)])[::-1]
    if not len(mine):
        return 0.0
    values, place, held = np.unique(-mine, return_index=True, return_counts=True)
    ordered = np.sort(scores)
    start = len(ordered) - np.searchsorted(ordered, -values, side="right")
    size = len(ordered) - np.searchsorted(ordered, -values, side="left") - start
    if policy == "expected":
        total = 0.0
        for one in range(len(values)):
            rank = np.arange(start[one] + 1, start[one] + size[one] + 1)
            total += float(_tied(rank, start[one], size[one], held[one], place[one]).sum())
        return total / len(mine)
    behind = size - held if policy == "pessimistic" else np.zeros_like(size)
    seen = np.arange(1, len(mine) + 1)
    group = np.repeat(np.arange(len(values)), held)
    rank = (start + behind - place)[group] + seen
    return float(np.mean(seen / rank))


def _tied(rank: Ints, start: Ints, size: Ints, held: Ints, seen: Ints) -> Reals:
    """Expected precision-times-relevance at each rank: equation 8 of McSherry and Najork (ECIR 2008)."""
    others = (rank - start - 1) * (held - 1) / np.maximum(size - 1, 1)
    return np.where(held > 0, held / size * (seen + 1 + others) / rank, 0.0)
