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
    """How a measure differs between two results on the same n queries (or looks): second minus first.

    The figures are None where no query was asked, as for looks in a subset without any.
    """

    measure: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
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

    values = {name: (_column(first, name)[rows[0]], _column(second, name)[rows[1]]) for name in chosen}

    def over(mask: NDArray[np.bool_]) -> tuple[Difference, ...]:
        pairs = {name: (one[mask], two[mask]) for name, (one, two) in values.items()}
        plain = {name: pair for name, pair in pairs.items() if parse(name).name != "Look"}
        found = _differences(plain, looks[mask], products[mask], policy)
        for name in pairs.keys() - plain.keys():
            names, one = look_scores(looks[mask], pairs[name][0])
            _, two = look_scores(looks[mask], pairs[name][1])
            found |= _differences({name: (one, two)}, names, names, policy)
        return tuple(found[name] for name in pairs)

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


def _differences(
    pairs: Mapping[str, tuple[Reals, Reals]], looks: Strings, products: Strings, bootstrap: Bootstrap
) -> dict[str, Difference]:
    """The difference of each measure over the same n rows; a row without a value in one result is left out."""
    if not pairs or not len(looks):
        return {name: Difference(name, None, None, None, None, None, None, 0, 0, 0, 0) for name in pairs}
    grouped = groups(looks, products)
    deltas = [second - first for first, second in pairs.values()]
    # (delta + 1) / 2 lies in 0..1, where the interval of a mean is defined.
    estimates = estimate([(delta + 1) / 2 for delta in deltas], grouped, bootstrap)
    found = {}
    for (name, (first, second)), delta, around in zip(pairs.items(), deltas, estimates, strict=True):
        known = ~np.isnan(delta)
        if not known.any():
            found[name] = Difference(name, None, None, None, None, None, None, 0, 0, 0, 0)
            continue
        chances = [
            sign_flip(np.bincount(levels[known], weights=delta[known]).astype(np.float64), bootstrap)
            for levels in (grouped.every_look, grouped.every_product)
        ]
        found[name] = Difference(
            measure=name,
            first=float(first[known].mean()),
            second=float(second[known].mean()),
            difference=float(delta[known].mean()),
            low=2 * around.low - 1,
            high=2 * around.high - 1,
            p_value=max(chances),
            queries=int(known.sum()),
            clusters=around.clusters,
            gained=int((delta > 0).sum()),
            lost=int((delta < 0).sum()),
        )
    return found


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
