"""Score a run against relevance judgements, both as TREC files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookbench_eval import measures as measuring
from lookbench_eval.errors import MeasureError
from lookbench_eval.measures import Measure
from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Candidates, Index, Policy, Reals

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class RunScores:
    """Figures of the judged queries that have a positive."""

    queries: tuple[str, ...]
    values: dict[Measure, Reals]
    """Shape (n,) each."""
    missing: tuple[str, ...]
    """Judged queries that the run lacks; they count as 0."""
    unjudged: tuple[str, ...]
    """Queries of the run without judgements; they are left out."""
    without_positive: tuple[str, ...]
    """Judged queries without a positive; they are left out, as trec_eval does."""


class RunRanking(Ranking):
    """A ranking that is known only down to the end of the run; positives beyond it are missed for good."""

    def __init__(self, found: Candidates, gains: Reals, judged: Sequence[Reals], depth: int) -> None:
        none = np.zeros((len(judged), 0), dtype=np.float32)
        count = np.array([np.count_nonzero(one > 0) for one in judged], dtype=np.int64)
        super().__init__(none, found, _Nothing(), np.arange(len(judged)), depth, count)
        self.gains = gains
        self.ideal = np.zeros((len(judged), depth))
        for row, one in enumerate(judged):
            best = np.sort(one[one > 0])[::-1][:depth]
            self.ideal[row, : len(best)] = best

    gains: Reals
    ideal: Reals


class _Nothing:
    """No positives outside of the run."""

    def gains(self, queries: Index, gallery: Index) -> Reals:  # noqa: ARG002 - the protocol of Relevance
        return np.zeros(len(queries))

    def positives(self, query: int) -> Index:  # noqa: ARG002 - the protocol of Relevance
        return np.zeros(0, dtype=np.intp)


def score_run(run: Run, qrels: Qrels, measures: Sequence[Measure], ties: Policy = "pessimistic") -> RunScores:
    """Score each judged query; grades of 0 or less are no positives.

    Raises MeasureError for a measure that needs labels instead of judgements.
    """
    foreign = [str(measure) for measure in measures if measure.relevance("judged") != "judged"]
    if foreign:
        raise MeasureError(
            f"{', '.join(foreign)} cannot be scored from judgements; choose Success@k, Recall@k, nDCG@k, MRR or mAP"
        )
    queries = tuple(query for query, grades in qrels.items() if any(grade > 0 for grade in grades.values()))
    if not queries:
        raise MeasureError("the judgements hold no positive at all, so nothing can be scored")
    rows, scores, gains = [], [], []
    for row, query in enumerate(queries):
        ranked = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        rows += [row] * len(ranked)
        scores += [value for _, value in ranked]
        gains += [float(max(qrels[query].get(answer, 0), 0)) for answer, _ in ranked]
    numbers = np.array(rows, dtype=np.intp)
    starts = np.searchsorted(numbers, np.arange(len(queries) + 1))
    longest = int(np.diff(starts).max(initial=1))
    depth = max(longest, *(measure.k or 1 for measure in measures))
    found = Candidates(numbers, np.arange(len(numbers)), np.array(scores, dtype=np.float64), starts)
    judged = [np.array(list(qrels[query].values()), dtype=np.float64) for query in queries]
    ranking = RunRanking(found, np.array(gains, dtype=np.float64), judged, depth)
    values = {}
    for measure in measures:
        # Average precision over the whole gallery ends where the run ends.
        known = replace(measure, k=depth) if measure.name == "mAP" and measure.k is None else measure
        values[measure] = measuring.evaluate(known, ranking, ties)
    return RunScores(
        queries=queries,
        values=values,
        missing=tuple(query for query in queries if query not in run),
        unjudged=tuple(query for query in run if query not in qrels),
        without_positive=tuple(query for query in qrels if query not in queries),
    )
