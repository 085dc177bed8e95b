"""Score ranked answers, query by query, from blocks of similarities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookbench_eval import measures as measuring
from lookbench_eval import relevance as relevances
from lookbench_eval.errors import MeasureError, name_some
from lookbench_eval.measures import Measure
from lookbench_eval.ranking import Ranking
from lookbench_eval.relevance import Relevance
from lookbench_eval.samples import Samples
from lookbench_eval.ties import Policy, Reals, candidates

Qrels = Mapping[str, Mapping[str, int]]
Blocks = Iterable[tuple[slice, NDArray[np.float32]]]

NO_POSITIVE = ("error", "zero", "skip")


@dataclass(frozen=True)
class ScoringPolicy:
    """The choices that a figure depends on."""

    ties: Policy = "pessimistic"
    """Order among equal scores: pessimistic, optimistic, or expected (the mean over all orders)."""
    no_positive: str = "error"
    """A query without a positive: error, zero (it counts as a miss), or skip (left out of that measure)."""
    own_file: str = "exclude"
    """Answers that come from the query's own original file: exclude, or keep."""
    run_depth: int = 20
    """Answers per query that are kept for the run file."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Figures of n queries.

    `values` maps each measure to shape (n,), NaN where the query was skipped. `Look@k` holds the Fine@k that
    it is made of. `tied` tells the queries whose figures depend on the order among equal scores.
    """

    values: dict[Measure, Reals]
    tied: NDArray[np.bool_]
    no_positive: dict[Measure, int]
    """Queries without a positive, by measure."""
    not_asked: dict[Measure, int]
    """Queries whose product is unknown, by `item` measure: they cannot be asked for it, and hold NaN."""
    excluded: int
    """Pairs left out because the answer comes from the query's own file."""
    run: list[list[tuple[int, float]]] = field(repr=False)
    """For each query its best answers: gallery row and score."""
    labelled: float
    """Coverage: the share of the answers in `run` that carry a category."""


@dataclass(frozen=True, eq=False)
class Questions:
    """What is asked of n queries and N answers, settled from labels alone, before any model runs."""

    queries: Samples
    gallery: Samples
    policy: ScoringPolicy
    names: Mapping[Measure, str]
    """The relevance of each measure."""
    relevances: Mapping[str, Relevance]
    own: Mapping[int, list[int]]
    """Query row -> gallery rows that come from the same original file and are left out."""
    counts: Mapping[str, NDArray[np.int64]]
    """Positives of each query by relevance, shape (n,), own files left out."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order they were asked for."""
        return tuple(self.names)

    def unknown(self, measure: Measure) -> NDArray[np.bool_]:
        """Queries that cannot be asked for a measure, because their product is unknown; shape (n,)."""
        mask: NDArray[np.bool_] = self.queries.item == ""
        return mask if self.names[measure] == "item" else np.zeros(len(self.queries), dtype=bool)

    def empty(self, measure: Measure) -> NDArray[np.bool_]:
        """Queries that are asked for a measure but have no positive, shape (n,)."""
        mask: NDArray[np.bool_] = (self.counts[self.names[measure]] == 0) & ~self.unknown(measure)
        return mask


def ask(
    queries: Samples,
    gallery: Samples,
    measures: Sequence[Measure],
    policy: ScoringPolicy = ScoringPolicy(),
    *,
    qrels: Qrels | None = None,
    bare: str = "fine",
) -> Questions:
    """Settle what is asked. `bare` is what a ranked measure without `rel` means: fine, item or judged.

    Raises MeasureError that names the measure and the queries when a query has no positive and the policy is `error`.
    """
    if policy.no_positive not in NO_POSITIVE:
        raise MeasureError(f"no-positive policy {policy.no_positive!r} is unknown; choose {', '.join(NO_POSITIVE)}")
    names = {measure: measure.relevance(bare) for measure in measures}
    known = {name: relevances.build(name, queries, gallery, qrels) for name in dict.fromkeys(names.values())}
    own = _own_files(queries, gallery) if policy.own_file == "exclude" else {}
    counts = {name: _count(relevance, len(queries), own) for name, relevance in known.items()}
    questions = Questions(queries, gallery, policy, names, known, own, counts)
    _refuse(questions)
    return questions


def score(questions: Questions, blocks: Blocks) -> Scores:
    """Answer from `blocks` of (rows, similarities (b, N)) that together cover all queries once.

    The similarities are changed in place: own files become -inf.
    """
    count, policy = len(questions.queries), questions.policy
    depth = max([policy.run_depth, *(measure.k or 1 for measure in questions.measures)])
    values: dict[Measure, Reals] = {measure: np.zeros(count) for measure in questions.measures}
    tied = np.zeros(count, dtype=bool)
    run: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for rows, block in blocks:
        for place in range(rows.start, rows.stop):
            if place in questions.own:
                block[place - rows.start, questions.own[place]] = -np.inf
        for cut, found in candidates(block, depth):
            numbers = np.arange(rows.start + cut.start, rows.start + cut.stop)
            for row, number in enumerate(numbers):
                run[number] = found.best(row, policy.run_depth)
            ranked = {
                name: Ranking(block[cut], found, relevance, numbers, depth, questions.counts[name][numbers])
                for name, relevance in questions.relevances.items()
            }
            for measure, name in questions.names.items():
                figures = {ties: measuring.evaluate(measure, ranked[name], ties) for ties in _bounds(policy.ties)}
                values[measure][numbers] = figures[policy.ties]
                tied[numbers] |= figures["pessimistic"] != figures["optimistic"]
    for measure in questions.measures:
        values[measure][questions.unknown(measure)] = np.nan
        if policy.no_positive == "skip":
            values[measure][questions.empty(measure)] = np.nan
    return Scores(
        values=values,
        tied=tied,
        no_positive=_tally({measure: questions.empty(measure) for measure in questions.measures}),
        not_asked=_tally({measure: questions.unknown(measure) for measure in questions.measures}),
        excluded=sum(len(rows) for rows in questions.own.values()),
        run=run,
        labelled=_coverage(run, questions.gallery),
    )


def _tally(masks: Mapping[Measure, NDArray[np.bool_]]) -> dict[Measure, int]:
    return {measure: int(mask.sum()) for measure, mask in masks.items() if mask.any()}


def _bounds(ties: Policy) -> tuple[Policy, ...]:
    """Policies to evaluate: the asked one, and the two whose difference tells whether ties matter."""
    return ("pessimistic", "optimistic", "expected") if ties == "expected" else ("pessimistic", "optimistic")


def _count(relevance: Relevance, queries: int, own: Mapping[int, list[int]]) -> NDArray[np.int64]:
    counts = np.zeros(queries, dtype=np.int64)
    for row in range(queries):
        positives = relevance.positives(row)
        counts[row] = len(positives) - (np.isin(own[row], positives).sum() if row in own else 0)
    return counts


def _refuse(questions: Questions) -> None:
    if questions.policy.no_positive != "error":
        return
    empty = {measure: questions.queries.ids[questions.empty(measure)] for measure in questions.measures}
    faults = [f"{measure}: {len(ids)} ({name_some(ids)})" for measure, ids in empty.items() if len(ids)]
    if faults:
        more = f"; and {len(faults) - 4} more measures" if len(faults) > 4 else ""
        raise MeasureError(
            f"queries without a positive in the gallery: {'; '.join(faults[:4])}{more}; "
            "choose --no-positive zero or skip, or leave the measure out"
        )


def _own_files(queries: Samples, gallery: Samples) -> dict[int, list[int]]:
    """Query row -> gallery rows that come from the same original file."""
    places: dict[str, list[int]] = {}
    wanted = set(queries.photo) - {""}
    for row, photo in enumerate(gallery.photo):
        if photo in wanted:
            places.setdefault(photo, []).append(row)
    return {row: places[photo] for row, photo in enumerate(queries.photo) if photo in places}


def _coverage(run: list[list[tuple[int, float]]], gallery: Samples) -> float:
    labelled = gallery.category != ""
    answers = [col for best in run for col, _ in best]
    return float(np.mean(labelled[answers])) if answers else 0.0
