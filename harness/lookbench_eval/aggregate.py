"""Turn the figures of single queries into the figures of subsets, slices and the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookbench_eval.encoders.base import ModelCard
from lookbench_eval.intervals import Bootstrap, Estimate, estimate, groups
from lookbench_eval.measures import Measure
from lookbench_eval.measures.look import look_scores
from lookbench_eval.result import SCHEMA, SCHEMA_VERSION, Result
from lookbench_eval.samples import Samples, Strings, concatenate
from lookbench_eval.scoring import Scores, ScoringPolicy
from lookbench_eval.slices import cut
from lookbench_eval.ties import Reals
from lookbench_eval.version import __version__
from lookbench_eval.windows import Window

if TYPE_CHECKING:
    from lookbench_eval.evaluation import Declared
    from lookbench_eval.readers import Release


@dataclass(frozen=True, eq=False)
class Scored:
    """One subset after scoring."""

    name: str
    queries: Samples
    gallery_ids: Strings
    scores: Scores
    queries_in_release: int
    gallery: int
    noise: int


def build(
    release: Release,
    card: ModelCard,
    scored: Sequence[Scored],
    measures: Sequence[Measure],
    *,
    window: Window,
    policy: ScoringPolicy,
    bootstrap: Bootstrap,
    slices: Sequence[str],
    declared: Declared,
) -> Result:
    """Aggregate per-query figures into a result."""
    queries = concatenate([part.queries for part in scored])
    values: dict[Measure, Reals] = {
        measure: np.concatenate([part.scores.values[measure] for part in scored]) for measure in measures
    }
    tied = np.concatenate([part.scores.tied for part in scored])
    names = np.repeat(np.array([part.name for part in scored], dtype=object), [len(part.queries) for part in scored])

    def over(mask: NDArray[np.bool_]) -> dict[str, Any]:
        return figures({m: v[mask] for m, v in values.items()}, queries.look[mask], queries.item[mask], bootstrap)

    def sliced(mask: NDArray[np.bool_]) -> dict[str, Any]:
        # A look is right when all of its garments are, so a slice judges only the looks that it holds whole.
        outside = set(queries.look[~mask])
        whole = mask & np.array([look not in outside for look in queries.look], dtype=bool)
        judged = {m: np.where(whole, v, np.nan) if m.name == "Look" else v for m, v in values.items()}
        return figures({m: v[mask] for m, v in judged.items()}, queries.look[mask], queries.item[mask], bootstrap)

    counts = {part.name: _counts(part) for part in scored}
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "harness": __version__,
        "unit": "share",
        "release": {
            "name": release.name,
            "edition": release.edition,
            "layout": release.layout,
            "data_sha256": release.digest,
            "verified": release.verified,
        },
        "model": {
            **asdict(card),
            "preprocessing": dict(card.preprocessing),
            "declared_cutoff": _iso(declared.cutoff),
            "training_sets": list(declared.training_sets),
        },
        "settings": {
            "measures": [str(measure) for measure in measures],
            "ties": policy.ties,
            "no_positive": policy.no_positive,
            "own_file": policy.own_file,
            "window": {
                "cutoff": _iso(window.cutoff),
                "since": _iso(window.since),
                "until": _iso(window.until),
                "cut_gallery": window.cut_gallery,
            },
            "bootstrap": {**asdict(bootstrap), "clusters": "look and product"},
        },
        "overall": {
            "queries": len(queries),
            "dates": span(queries),
            "tie_rate": float(np.mean(tied)),
            "values": over(np.ones(len(queries), dtype=bool)),
        },
        "subsets": {
            part.name: {**counts[part.name], "values": over(names == part.name)}
            if part.name in counts
            else {"queries": 0, "queries_in_release": len(part.query.samples), "values": {}}
            for part in release.subsets
        },
        "slices": {
            kind: {
                key: {"queries": int(mask.sum()), "values": sliced(mask)} for key, mask in cut(queries, kind).items()
            }
            for kind in slices
        },
        "notes": list(release.notes),
    }
    return Result(document, _per_query(names, queries, tied, values), _runs(scored))


def _counts(part: Scored) -> dict[str, Any]:
    scores = part.scores
    return {
        "queries": len(part.queries),
        "queries_in_release": part.queries_in_release,
        "gallery": part.gallery,
        "noise": part.noise,
        "looks": len(set(part.queries.look) - {""}),
        "dates": span(part.queries),
        "own_file_excluded": scores.excluded,
        "no_positive": {str(measure): count for measure, count in scores.no_positive.items()},
        "not_asked": {str(measure): count for measure, count in scores.not_asked.items()},
        "tie_rate": float(np.mean(scores.tied)),
        "labelled_answers": scores.labelled,
    }


def _per_query(
    names: Strings,
    queries: Samples,
    tied: NDArray[np.bool_],
    values: Mapping[Measure, Reals],
) -> pa.Table:
    columns = {
        "subset": pa.array(names.tolist(), pa.string()),
        "query_id": pa.array(queries.ids.tolist(), pa.string()),
        "date": pa.array(queries.dates.astype(object).tolist(), pa.date32()),
        "category": pa.array(queries.category.tolist(), pa.string()),
        "difficulty": pa.array(queries.difficulty.tolist(), pa.string()),
        "site": pa.array(queries.site.tolist(), pa.string()),
        "look_id": pa.array(queries.look.tolist(), pa.string()),
        "product": pa.array(queries.item.tolist(), pa.string()),
        "tied": pa.array(tied.tolist(), pa.bool_()),
    }
    return pa.table(columns | {str(m): pa.array(found, pa.float64(), from_pandas=True) for m, found in values.items()})


def _runs(scored: Sequence[Scored]) -> dict[str, dict[str, list[tuple[str, float]]]]:
    return {
        part.name: {
            str(name): [(str(part.gallery_ids[row]), value) for row, value in ranked]
            for name, ranked in zip(part.queries.ids, part.scores.run, strict=True)
        }
        for part in scored
    }


def figures(
    values: Mapping[Measure, Reals], looks: Strings, products: Strings, bootstrap: Bootstrap
) -> dict[str, dict[str, Any] | None]:
    """Mean, interval and counts of each measure over n queries; None where nothing could be asked.

    `values`, `looks` and `products` have shape (n,).
    """
    plain = [measure for measure in values if measure.name != "Look"]
    grouped = groups(looks, products)
    found = dict(zip(plain, estimate([values[m] for m in plain], grouped, bootstrap), strict=True)) if plain else {}
    for measure, fine in values.items():
        if measure.name == "Look":
            found[measure] = _looks(looks, fine, bootstrap)
    return {str(measure): _plain(found[measure]) for measure in values}


def _looks(looks: Strings, fine: Reals, bootstrap: Bootstrap) -> Estimate:
    """Looks are the units here, and are drawn one by one."""
    names, scores = look_scores(looks, fine)
    if not len(names):
        return Estimate(np.nan, np.nan, np.nan, 0, 0)
    return estimate([scores], groups(names, names), bootstrap)[0]


def _plain(found: Estimate) -> dict[str, Any] | None:
    if not found.queries:
        return None
    return {"value": found.value, "lo": found.low, "hi": found.high, "n": found.queries, "clusters": found.clusters}


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def span(samples: Samples) -> dict[str, str] | None:
    """First and last date of the rows, None without dates."""
    known = samples.dates[~np.isnat(samples.dates)]
    return {"first": str(known.min()), "last": str(known.max())} if len(known) else None


def overall(values: Iterable[float], weights: Iterable[int]) -> float:
    """Overall of per-subset figures: weighted by the number of queries, as published."""
    pairs = list(zip(values, weights, strict=True))
    return float(sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs))
