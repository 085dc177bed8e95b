"""Recall: the share of all positives that are among the first k answers, `Recall@k`."""

import numpy as np

from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Policy, Reals


def recall(ranking: Ranking, k: int, policy: Policy) -> Reals:
    """Positives within the first k places over all positives, shape (b,); 0 for a query without any."""
    places = ranking.places(policy)
    held = places.held / places.size if policy == "expected" else places.gain > 0
    found: Reals = held[:, :k].sum(axis=1) / np.maximum(ranking.count, 1)
    return found
