"""Reciprocal rank of the best positive, `MRR` and `MRR@k`.

Voorhees, "The TREC-8 Question Answering Track Report", 1999.
"""

import numpy as np

from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Policy, Reals


def reciprocal_rank(ranking: Ranking, k: int | None, policy: Policy) -> Reals:
    """1 / rank of the best positive, 0 beyond place k (None: the whole gallery), shape (b,).

    Under `expected`, its mean over the orders of the tied group: the first of r positives among n takes place
    j with probability C(n - j, r - 1) / C(n, r).
    """
    first = ranking.first
    found = first.positives > 0
    limit = np.inf if k is None else k
    if policy != "expected":
        behind = first.size - first.positives if policy == "pessimistic" else 0
        rank = first.before + behind + 1
        return np.where(found & (rank <= limit), 1.0 / rank, 0.0)
    values = np.zeros(len(found))
    for row in np.flatnonzero(found):
        before, size, held = int(first.before[row]), int(first.size[row]), int(first.positives[row])
        if size == held:
            values[row] = 1.0 / (before + 1) if before + 1 <= limit else 0.0
            continue
        place = np.arange(1, size - held + 2)
        step = (size - place[:-1] - held + 1) / (size - place[:-1])
        chance = held / size * np.cumprod(np.concatenate([[1.0], step]))
        rank = before + place
        values[row] = (chance / rank)[rank <= limit].sum()
    return values
