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


def score(
    queries: Samples,
    gallery: Samples,
    blocks: Blocks,
    measures: Sequence[Measure],
    policy: ScoringPolicy = ScoringPolicy(),
    *,
    qrels: Qrels | None = None,
    bare: str = "fine",
) -> Scores:
    """Score `blocks` of (rows, similarities (b, N)) that together cover all queries once.

    `bare` is what a ranked measure without `rel` means: "fine", or "judged" and "item" for data without labels. The
    similarities are changed in place (own files become -inf). Raises MeasureError, which names the queries and
    the measure, when a query has no positive and the policy is `error`.
    """
    names = {measure: measure.relevance(bare) for measure in measures}
    known = {name: relevances.build(name, queries, gallery, qrels) for name in set(names.values())}
    own = _own_files(queries, gallery) if policy.own_file == "exclude" else {}
    depth = max([policy.run_depth, *(measure.k or 1 for measure in measures)])
    values: dict[Measure, Reals] = {measure: np.zeros(len(queries)) for measure in measures}
    counts = {name: np.zeros(len(queries), dtype=np.int64) for name in known}
    tied = np.zeros(len(queries), dtype=bool)
    run: list[list[tuple[int, float]]] = [[] for _ in range(len(queries))]
    for rows, block in blocks:
        for place in range(rows.start, rows.stop):
            if place in own:
                block[place - rows.start, own[place]] = -np.inf
        for cut, found in candidates(block, depth):
            part = block[cut]
            numbers = np.arange(rows.start + cut.start, rows.start + cut.stop)
            for row, number in enumerate(numbers):
                best = slice(found.starts[row], min(found.starts[row + 1], found.starts[row] + policy.run_depth))
                run[number] = list(zip(found.cols[best].tolist(), found.scores[best].tolist(), strict=True))
            ranked = {name: Ranking(part, found, known[name], numbers, depth) for name in known}
            for name, ranking in ranked.items():
                counts[name][numbers] = ranking.count
            for measure, name in names.items():
                low = measuring.evaluate(measure, ranked[name], "pessimistic")
                high = measuring.evaluate(measure, ranked[name], "optimistic")
                tied[numbers] |= low != high
                values[measure][numbers] = (
                    low
                    if policy.ties == "pessimistic"
                    else high
                    if policy.ties == "optimistic"
                    else measuring.evaluate(measure, ranked[name], "expected")
                )
    unknown = {measure: queries.item == "" for measure, name in names.items() if name == "item"}
    for measure, mask in unknown.items():
        values[measure][mask] = np.nan
    asked = {measure: ~unknown.get(measure, np.zeros(len(queries), dtype=bool)) for measure in measures}
    empty = {measure: (counts[name] == 0) & asked[measure] for measure, name in names.items()}
    _refuse(queries, empty, policy)
    if policy.no_positive == "skip":
        for measure, none in empty.items():
            values[measure][none] = np.nan
    return Scores(
        values=values,
        tied=tied,
        no_positive={measure: int(none.sum()) for measure, none in empty.items() if none.any()},
        not_asked={measure: int(mask.sum()) for measure, mask in unknown.items() if mask.any()},
        excluded=sum(len(rows) for rows in own.values()),
        run=run,
        labelled=_coverage(run, gallery),
    )


def _refuse(queries: Samples, empty: Mapping[Measure, NDArray[np.bool_]], policy: ScoringPolicy) -> None:
    if policy.no_positive not in NO_POSITIVE:
        raise MeasureError(f"no-positive policy {policy.no_positive!r} is unknown; choose {', '.join(NO_POSITIVE)}")
    faults = [(str(measure), queries.ids[none]) for measure, none in empty.items() if none.any()]
    if faults and policy.no_positive == "error":
        said = "; ".join(f"{measure}: {len(ids)} ({name_some(ids)})" for measure, ids in faults[:4])
        more = f"; and {len(faults) - 4} more measures" if len(faults) > 4 else ""
        raise MeasureError(
            f"queries without a positive in the gallery: {said}{more}; "
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
