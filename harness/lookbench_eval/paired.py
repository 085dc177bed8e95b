"""Compare two results query by query: difference, interval, p-value, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import ResultError
from lookbench_eval.intervals import Bootstrap, estimate, groups
from lookbench_eval.measures import parse
from lookbench_eval.measures.look import look_scores
from lookbench_eval.result import Result
from lookbench_eval.samples import Strings, objects
from lookbench_eval.ties import Reals

_EXACT = 14  # 2 ** 14 sign patterns are enumerated, above that they are drawn
_CELLS = 4_000_000


@dataclass(frozen=True)
class Difference:
    """How a measure differs between two results on the same n queries (or looks): second minus first."""

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    """The larger of two sign-flip tests: one flips whole looks, the other whole products."""
    queries: int
    clusters: int
    gained: int
    """Queries with a higher value in the second result."""
    lost: int
    """Queries with a lower value in the second result."""


@dataclass(frozen=True)
class Comparison:
    """Two results side by side."""

    first: str
    second: str
    common: int
    """Queries that both results hold."""
    only_first: int
    only_second: int
    overall: tuple[Difference, ...]
    subsets: Mapping[str, tuple[Difference, ...]]


def compare(
    first: Result, second: Result, measures: Sequence[str] | None = None, bootstrap: Bootstrap | None = None
) -> Comparison:
    """Compare two results on the queries that both hold.

    Raises ResultError when they cannot be compared: another release, tie policy or treatment of own files, or no table
    of queries beside a result.
    """
    policy = bootstrap or Bootstrap()
    _refuse(first, second)
    held = [_rows(result) for result in (first, second)]
    keys = [key for key in held[0] if key in held[1]]
    if not keys:
        raise ResultError("the two results have no query in common; their windows or subsets differ")
    rows = [np.array([one[key] for key in keys], dtype=np.intp) for one in held]
    both = [name for name in first.document["settings"]["measures"] if name in second.document["settings"]["measures"]]
    chosen = [str(parse(name)) for name in measures] if measures else both
    missing = [name for name in chosen if name not in both]
    if missing:
        raise ResultError(f"not in both results: {', '.join(missing)}; both have {', '.join(both)}")
    table = _table(first)
    looks = objects(table.column("look_id").to_pylist())[rows[0]]
    products = objects(table.column("product").to_pylist())[rows[0]]
    subset = np.array([key[0] for key in keys], dtype=object)

    def over(mask: NDArray[np.bool_]) -> tuple[Difference, ...]:
        return tuple(
            _difference(
                name,
                _column(first, name)[rows[0]][mask],
                _column(second, name)[rows[1]][mask],
                looks[mask],
                products[mask],
                policy,
            )
            for name in chosen
        )

    return Comparison(
        first=str(first.document["model"]["name"]),
        second=str(second.document["model"]["name"]),
        common=len(keys),
        only_first=len(held[0]) - len(keys),
        only_second=len(held[1]) - len(keys),
        overall=over(np.ones(len(keys), dtype=bool)),
        subsets={name: over(subset == name) for name in dict.fromkeys(subset)},
    )


def sign_flip(differences: Reals, bootstrap: Bootstrap) -> float:
    """Two-sided p-value that m independent differences have mean 0, shape (m,).

    Under the hypothesis every difference is as likely with the other sign (Fisher, "The Design of Experiments", 1935).
    All sign patterns are counted up to 14 non-zero differences; above that `resamples` are drawn and
    (1 + as extreme) / (1 + drawn) is returned.
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    seen = abs(moved.sum()) * (1 - 1e-12)
    if len(moved) <= _EXACT:
        patterns = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ moved) >= seen))
    rng = np.random.default_rng(bootstrap.seed)
    step = max(1, _CELLS // len(moved))
    extreme = 0
    for start in range(0, bootstrap.resamples, step):
        count = min(step, bootstrap.resamples - start)
        signs = rng.integers(0, 2, (count, len(moved)), dtype=np.int8) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ moved) >= seen))
    return (1 + extreme) / (1 + bootstrap.resamples)


def _difference(
    name: str, first: Reals, second: Reals, looks: Strings, products: Strings, bootstrap: Bootstrap
) -> Difference:
    if parse(name).name == "Look":
        names, first = look_scores(looks, first)
        _, second = look_scores(looks, second)
        looks = products = names
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    if not len(first):
        nan = float("nan")
        return Difference(name, nan, nan, nan, nan, nan, 1.0, 0, 0, 0, 0)
    delta = second - first
    grouped = groups(looks[known], products[known])
    # (delta + 1) / 2 lies in 0..1, where the interval of a mean is defined.
    found = estimate([(delta + 1) / 2], grouped, bootstrap)[0]
    chances = [
        sign_flip(np.bincount(levels, weights=delta).astype(np.float64), bootstrap)
        for levels in (grouped.every_look, grouped.every_product)
    ]
    return Difference(
        measure=name,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=float(delta.mean()),
        low=2 * found.low - 1,
        high=2 * found.high - 1,
        p_value=max(chances),
        queries=len(delta),
        clusters=found.clusters,
        gained=int((delta > 0).sum()),
        lost=int((delta < 0).sum()),
    )


def _refuse(first: Result, second: Result) -> None:
    one, two = first.document, second.document
    for key in ("name", "data_sha256"):
        if one["release"][key] != two["release"][key]:
            raise ResultError(
                f"the results are of different releases: {key} is {one['release'][key]!r} and {two['release'][key]!r}"
            )
    for key in ("ties", "own_file", "no_positive"):
        if one["settings"][key] != two["settings"][key]:
            raise ResultError(
                f"the results were scored differently: {key} is {one['settings'][key]!r} and {two['settings'][key]!r}"
            )


def _table(result: Result) -> Any:
    if result.per_query is None:
        name = result.document["model"]["name"]
        raise ResultError(f"the table of queries of {name} is missing; keep per_query.parquet beside the JSON")
    return result.per_query


def _rows(result: Result) -> dict[tuple[str, str], int]:
    table = _table(result)
    pairs = zip(table.column("subset").to_pylist(), table.column("query_id").to_pylist(), strict=True)
    return {pair: row for row, pair in enumerate(pairs)}


def _column(result: Result, name: str) -> Reals:
    values = _table(result).column(name).to_pylist()
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
