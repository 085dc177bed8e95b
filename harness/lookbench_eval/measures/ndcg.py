"""Normalised discounted cumulative gain, `nDCG@k`, with linear gains.

Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002; discount
1 / log2(place + 1). The ideal is taken over the whole gallery: min(k, number of positives) places.
"""

import numpy as np

from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Policy, Reals


def ndcg(ranking: Ranking, k: int, policy: Policy) -> Reals:
    """DCG over the ideal DCG, shape (b,); 0 for a query without a positive."""
    discount = 1 / np.log2(np.arange(2, k + 2))
    gain = ranking.places(policy).gain[:, :k]
    ideal = ranking.ideal[:, :k] @ discount[: ranking.ideal.shape[1]]
    reached = gain @ discount[: gain.shape[1]]
    found: Reals = np.divide(reached, ideal, out=np.zeros(len(ideal)), where=ideal > 0)
    return found
