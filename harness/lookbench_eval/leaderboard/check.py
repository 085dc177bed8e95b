"""The check of a submission: is the result whole, does it add up, and is the model declared?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from lookbench_eval import manifest
from lookbench_eval.errors import HarnessError, ResultError
from lookbench_eval.measures import parse
from lookbench_eval.measures.look import look_scores
from lookbench_eval.readers import SUBSETS
from lookbench_eval.result import Result, load
from lookbench_eval.samples import objects

MIN_RESAMPLES = 1000


@dataclass(frozen=True)
class Finding:
    """One thing about a result that a maintainer must know."""

    severity: Literal["error", "warning"]
    about: str
    """schema, counts, figures, revision, cutoff, training sets, release, or settings."""
    text: str


def check(path: str | Path, release: str | Path | None = None) -> list[Finding]:
    """Check the result at `path`, against the release folder where one is given; empty when all is well.

    Errors keep a result off the leaderboard, warnings are shown to the maintainer. Never raises for a bad result.
    """
    try:
        result = load(path)
    except ResultError as error:
        return [Finding("error", "schema", str(error))]
    found = [*_counts(result), *_figures(result), *_declared(result.document), *_settings(result.document)]
    if release is not None:
        found += _release(result.document, Path(release))
    return found


def _counts(result: Result) -> Iterator[Finding]:
    document = result.document
    total = sum(part["queries"] for part in document["subsets"].values())
    if total != document["overall"]["queries"]:
        said = f"the subsets have {total} queries together, overall has {document['overall']['queries']}"
        yield Finding("error", "counts", said)
    if result.per_query is None:
        yield Finding("error", "counts", "the table of queries is missing; submit per_query.parquet with the JSON")
        return
    names = result.per_query["subset"].to_pylist()
    for name, part in document["subsets"].items():
        if names.count(name) != part["queries"]:
            said = f"{name}: the table of queries has {names.count(name)} rows, the JSON says {part['queries']} queries"
            yield Finding("error", "counts", said)
        if part["queries"] < part["queries_in_release"] and document["settings"]["window"] == _OPEN:
            said = f"{name}: {part['queries']} of {part['queries_in_release']} queries, although no window was set"
            yield Finding("error", "counts", said)
    missing = [name for name in SUBSETS if name not in document["subsets"]]
    if missing and document["release"]["layout"] in {"lookbench", "published"}:
        yield Finding("error", "counts", f"subsets missing: {', '.join(missing)}; evaluate without --subset")


def _figures(result: Result) -> Iterator[Finding]:
    """Every mean again from the table of queries, and every interval around its value."""
    table, document = result.per_query, result.document
    if table is None:
        return
    subset = np.array(table["subset"].to_pylist(), dtype=object)
    parts = {"overall": (document["overall"], np.ones(len(table), dtype=bool))}
    parts |= {name: (part, subset == name) for name, part in document["subsets"].items() if part["queries"]}
    for where, (part, mask) in parts.items():
        for name, stated in part["values"].items():
            if name not in table.column_names:
                yield Finding("error", "figures", f"the table of queries has no column {name}")
                continue
            mean, count = _mean(table, name, mask)
            if stated is None or count == 0:
                if stated is not None or count != 0:
                    yield Finding(
                        "error", "figures", f"{where}: {name} is stated without values, or the other way round"
                    )
                continue
            if not isclose(stated["value"], mean, abs_tol=1e-9) or stated["n"] != count:
                said = (
                    f"{where}: {name} is {stated['value']} over {stated['n']}, but its queries give {mean} over {count}"
                )
                yield Finding("error", "figures", said)
            if not stated["lo"] <= stated["value"] <= stated["hi"]:
                yield Finding("error", "figures", f"{where}: the interval of {name} does not contain its value")


def _mean(table: pa.Table, name: str, mask: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[float, int]:
    values = np.array(table[name].to_pylist(), dtype=np.float64)[mask]
    if parse(name).name == "Look":
        _, values = look_scores(objects([look or "" for look in table["look_id"].to_pylist()])[mask], values)
    known = values[~np.isnan(values)]
    return (float(known.mean()) if len(known) else float("nan")), len(known)


def _declared(document: Mapping[str, Any]) -> Iterator[Finding]:
    model = document["model"]
    if not model["revision"]:
        yield Finding(
            "error", "revision", "nothing pins the model; name a revision, or score a file, which has a sha256"
        )
    if not model["declared_cutoff"]:
        said = "the model declares no training cutoff; evaluate with --declared-cutoff DATE"
        yield Finding("error", "cutoff", said)
    if not model["training_sets"]:
        said = "the model declares no training sets; evaluate with --trained-on NAME ... (or: --trained-on undisclosed)"
        yield Finding("error", "training sets", said)
    dates = document["overall"]["dates"]
    if model["declared_cutoff"] and dates and model["declared_cutoff"] >= dates["last"]:
        said = (
            f"every query, the newest of {dates['last']}, is older than the declared cutoff {model['declared_cutoff']}"
        )
        yield Finding("warning", "cutoff", said)


def _settings(document: Mapping[str, Any]) -> Iterator[Finding]:
    settings, release = document["settings"], document["release"]
    if not release["verified"] and release["layout"] == "lookbench":
        yield Finding("error", "release", "the release was not verified; evaluate without --no-verify")
    expected = {"ties": "pessimistic", "own_file": "exclude"}
    for name, value in expected.items():
        if settings[name] != value:
            said = f"{name} is {settings[name]!r}; the leaderboard takes {value!r}"
            yield Finding("error", "settings", said)
    if settings["bootstrap"]["resamples"] < MIN_RESAMPLES:
        said = f"{settings['bootstrap']['resamples']} resamples; the leaderboard takes {MIN_RESAMPLES} or more"
        yield Finding("error", "settings", said)
    if settings["window"]["cut_gallery"]:
        yield Finding("error", "settings", "the gallery was cut; evaluate without --cutoff-gallery")
    if settings["window"] != _OPEN:
        said = "a window was set; the page can show only the queries inside it"
        yield Finding("warning", "settings", said)


def _release(document: Mapping[str, Any], root: Path) -> Iterator[Finding]:
    try:
        digest = manifest.read(root).digest
    except HarnessError as error:
        yield Finding("error", "release", str(error))
        return
    if document["release"]["data_sha256"] != digest:
        said = f"the result is of the data {document['release']['data_sha256']}, {root} has {digest}"
        yield Finding("error", "release", said)


_OPEN = {"cutoff": None, "since": None, "until": None, "cut_gallery": False}
