"""The result of an evaluation: one JSON document, a table of queries, and a run."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookbench_eval.encoders.base import ModelCard
from lookbench_eval.errors import ResultError
from lookbench_eval.intervals import Bootstrap, Estimate, clusters, estimate
from lookbench_eval.measures import Measure
from lookbench_eval.measures.look import look_scores
from lookbench_eval.samples import Samples, Strings, concatenate
from lookbench_eval.scoring import Scores, ScoringPolicy
from lookbench_eval.slices import cut
from lookbench_eval.ties import Reals
from lookbench_eval.trec import run_lines
from lookbench_eval.version import VERSION
from lookbench_eval.windows import Window

if TYPE_CHECKING:
    from lookbench_eval.evaluation import Declared
    from lookbench_eval.readers import Release

SCHEMA = "lookbench-eval/result"
SCHEMA_VERSION = 1


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


@dataclass(frozen=True, eq=False)
class Result:
    """A finished evaluation. `document` is the JSON (docs: RESULT.md), `per_query` one row per query."""

    document: dict[str, Any]
    per_query: pa.Table = field(repr=False)
    runs: Mapping[str, Mapping[str, Sequence[tuple[str, float]]]] = field(default_factory=dict, repr=False)
    """Subset -> query id -> ranked (gallery id, score)."""

    def value(self, measure: str, subset: str | None = None) -> float:
        """The figure of a measure, a share from 0 to 1, overall or of one subset. Raises ResultError."""
        figures = self.document["overall"] if subset is None else self.document["subsets"].get(subset, {})
        try:
            return float(figures["values"][measure]["value"])
        except (KeyError, TypeError) as error:
            raise ResultError(
                f"the result has no {measure} {'overall' if subset is None else f'of {subset}'}"
            ) from error

    def table(self, width: int | None = None) -> str:
        """The figures as text for a terminal of that width."""
        from lookbench_eval.table import render

        return render(self.document, width)

    def save(self, folder: str | Path) -> Path:
        """Write `result.json`, `per_query.parquet` and `run.trec`; returns the path of the JSON.

        Each file appears whole or not at all, the JSON last. Raises ResultError when the folder cannot be written.
        """
        target = Path(folder)
        parquet = _parquet_bytes(self.per_query)
        lines = [
            line
            for queries in self.runs.values()
            for line in run_lines(queries, self.document["model"]["name"].replace(" ", "-") or "model")
        ]
        document = self.document | {
            "per_query": {
                "path": "per_query.parquet",
                "sha256": hashlib.sha256(parquet).hexdigest(),
                "rows": len(self.per_query),
            }
        }
        document["digest"] = digest(document)
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            target.mkdir(parents=True, exist_ok=True)
            _write(target / "per_query.parquet", parquet)
            _write(target / "run.trec", "".join(lines).encode())
            _write(target / "result.json", text.encode())
        except OSError as error:
            raise ResultError(f"the result cannot be written to {target}: {error}") from error
        return target / "result.json"


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
    values = {measure: np.concatenate([part.scores.values[measure] for part in scored]) for measure in measures}
    tied = np.concatenate([part.scores.tied for part in scored])
    groups = clusters(queries.look, queries.item)
    names = np.repeat(np.array([part.name for part in scored], dtype=object), [len(part.queries) for part in scored])
    every = {part.name: part for part in release.subsets}
    subsets: dict[str, Any] = {}
    for name, part in every.items():
        done = next((one for one in scored if one.name == name), None)
        if done is None:
            subsets[name] = {"queries": 0, "queries_in_release": len(part.query.samples), "values": {}}
            continue
        mask = names == name
        subsets[name] = {
            "queries": len(done.queries),
            "queries_in_release": done.queries_in_release,
            "gallery": done.gallery,
            "noise": done.noise,
            "looks": len(set(done.queries.look) - {""}),
            "dates": span(done.queries),
            "own_file_excluded": done.scores.excluded,
            "no_positive": {str(measure): count for measure, count in done.scores.no_positive.items()},
            "not_asked": {str(measure): count for measure, count in done.scores.not_asked.items()},
            "tie_rate": float(np.mean(done.scores.tied)),
            "labelled_answers": done.scores.labelled,
            "values": figures(values, mask, queries.look, groups, bootstrap),
        }
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "harness": VERSION,
        "unit": "share",
        "release": {
            "name": release.name,
            "edition": release.edition,
            "layout": release.layout,
            "manifest_sha256": release.digest,
            "verified": release.verified,
        },
        "model": asdict(card)
        | {
            "preprocessing": dict(card.preprocessing),
            "declared_cutoff": declared.cutoff.isoformat() if declared.cutoff else None,
            "training_sets": list(declared.training_sets),
        },
        "settings": {
            "measures": [str(measure) for measure in measures],
            "ties": policy.ties,
            "no_positive": policy.no_positive,
            "own_file": policy.own_file,
            "window": {
                "cutoff": window.cutoff.isoformat() if window.cutoff else None,
                "since": window.since.isoformat() if window.since else None,
                "until": window.until.isoformat() if window.until else None,
                "cut_gallery": window.cut_gallery,
            },
            "bootstrap": asdict(bootstrap) | {"clusters": "look and product"},
        },
        "overall": {
            "queries": len(queries),
            "dates": span(queries),
            "tie_rate": float(np.mean(tied)),
            "values": figures(values, np.ones(len(queries), dtype=bool), queries.look, groups, bootstrap),
        },
        "subsets": subsets,
        "slices": {
            kind: {
                key: {"queries": int(mask.sum()), "values": figures(values, mask, queries.look, groups, bootstrap)}
                for key, mask in cut(queries, kind).items()
            }
            for kind in slices
        },
        "notes": list(release.notes),
    }
    table = pa.table(
        {
            "subset": pa.array(names.tolist(), pa.string()),
            "query_id": pa.array(queries.ids.tolist(), pa.string()),
            "date": pa.array(queries.dates.astype(object).tolist(), pa.date32()),
            "category": pa.array(queries.category.tolist(), pa.string()),
            "difficulty": pa.array(queries.difficulty.tolist(), pa.string()),
            "site": pa.array(queries.site.tolist(), pa.string()),
            "look_id": pa.array(queries.look.tolist(), pa.string()),
            "cluster": pa.array(groups.tolist(), pa.int64()),
            "tied": pa.array(tied.tolist(), pa.bool_()),
        }
        | {str(measure): pa.array(found, pa.float64(), from_pandas=True) for measure, found in values.items()}
    )
    runs = {
        part.name: {
            str(name): [(str(part.gallery_ids[row]), value) for row, value in ranked]
            for name, ranked in zip(part.queries.ids, part.scores.run, strict=True)
        }
        for part in scored
    }
    return Result(document, table, runs)


def figures(
    values: Mapping[Measure, Reals],
    mask: np.ndarray[Any, np.dtype[np.bool_]],
    looks: Strings,
    groups: np.ndarray[Any, np.dtype[np.intp]],
    bootstrap: Bootstrap,
) -> dict[str, dict[str, Any] | None]:
    """Mean, interval and counts of each measure over the rows of the mask; None where nothing could be asked."""
    _, own = np.unique(groups[mask], return_inverse=True)
    plain = [measure for measure in values if measure.name != "Look"]
    found = dict(zip(plain, estimate([values[m][mask] for m in plain], own, bootstrap), strict=True)) if plain else {}
    for measure in values:
        if measure.name == "Look":
            found[measure] = _looks(looks[mask], values[measure][mask], own, bootstrap)
    return {str(measure): _plain(found[measure]) for measure in values}


def _looks(looks: Strings, fine: Reals, groups: np.ndarray[Any, np.dtype[np.intp]], bootstrap: Bootstrap) -> Estimate:
    names, scores = look_scores(looks, fine)
    if not len(names):
        return Estimate(np.nan, np.nan, np.nan, 0, 0)
    group = dict(zip(looks, groups.tolist(), strict=True))
    _, own = np.unique([group[name] for name in names], return_inverse=True)
    return estimate([scores], own, bootstrap)[0]


def _plain(found: Estimate) -> dict[str, Any] | None:
    if not found.queries:
        return None
    return {"value": found.value, "lo": found.low, "hi": found.high, "n": found.queries, "clusters": found.clusters}


def span(samples: Samples) -> dict[str, str] | None:
    """First and last date of the rows, None without dates."""
    known = samples.dates[~np.isnat(samples.dates)]
    return {"first": str(known.min()), "last": str(known.max())} if len(known) else None


def digest(document: Mapping[str, Any]) -> str:
    """sha256 of the document without its digest, keys sorted; a hand-made change shows."""
    body = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _parquet_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def overall(values: Iterable[float], weights: Iterable[int]) -> float:
    """Overall of per-subset figures: weighted by the number of queries, as published."""
    pairs = list(zip(values, weights, strict=True))
    return float(sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs))
