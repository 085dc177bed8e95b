"""Outfit score: a look counts when every garment of it is right, `Look@k`."""

import numpy as np

from lookbench_eval.samples import Strings
from lookbench_eval.ties import Reals


def look_scores(looks: Strings, fine: Reals) -> tuple[Strings, Reals]:
    """Score each look by the Fine@k of its queries: the product of their hits.

    `looks` holds the look id of each query ("": none), `fine` its Fine@k; both have shape (n,). Returns the
    distinct looks in order of appearance and their scores. A query whose Fine@k is NaN (skipped: no positive)
    makes its look NaN too, because the look cannot be judged.
    """
    scores: dict[str, float] = {}
    for look, value in zip(looks, fine, strict=True):
        if look:
            scores[look] = scores.get(look, 1.0) * float(value)
    names = np.empty(len(scores), dtype=object)
    names[:] = list(scores)
    return names, np.array(list(scores.values()), dtype=np.float64)
