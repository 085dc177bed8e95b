"""What the page needs to score any window again: the values of every query, packed."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookbench_eval.errors import ResultError
from lookbench_eval.result import Result

_MISSING = 65535
Key = tuple[str, str]


def pack(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Group results by release, newest edition first; each group holds its queries once and the values by model.

    Raises ResultError for a result without its table of queries, for two results of one model on one release, and for
    results of a release that were scored by different rules.
    """
    groups: dict[str, list[Result]] = {}
    for result in results:
        release = result.document["release"]
        groups.setdefault(str(release["data_sha256"] or release["name"]), []).append(result)
    packed = [_release(group) for group in groups.values()]
    return sorted(packed, key=lambda one: (str(one["edition"] or ""), one["name"]), reverse=True)


def _release(group: Sequence[Result]) -> dict[str, Any]:
    _refuse_mixed(group)
    queries: dict[Key, dict[str, Any]] = {}
    for result in group:
        for row in _table(result).select(["subset", "query_id", "date", "look_id", "product"]).to_pylist():
            queries.setdefault((row["subset"], row["query_id"]), row)
    keys = list(queries)
    places = {key: place for place, key in enumerate(keys)}
    rows = [queries[key] for key in keys]
    subsets = _subsets(group)
    first = group[0].document
    return {
        "name": first["release"]["name"],
        "edition": first["release"]["edition"],
        "data": first["release"]["data_sha256"],
        "ties": first["settings"]["ties"],
        "measures": _measures(group),
        "subsets": subsets,
        "gallery": {name: _searched(group, name) for name in subsets},
        "subset": [subsets.index(row["subset"]) for row in rows],
        "day": [None if row["date"] is None else (row["date"] - _EPOCH).days for row in rows],
        "look": _numbers([row["look_id"] or "" for row in rows]),
        "product": _numbers([row["product"] or "" for row in rows]),
        "models": [_model(result, places) for result in group],
    }


def _numbers(names: Sequence[str]) -> list[int]:
    """Number the names in order of appearance; -1 for ""."""
    known: dict[str, int] = {}
    return [known.setdefault(name, len(known)) if name else -1 for name in names]


_EPOCH = np.datetime64(0, "D").astype(object)


def _model(result: Result, places: dict[Key, int]) -> dict[str, Any]:
    document, table = result.document, _table(result)
    pairs = zip(table["subset"].to_pylist(), table["query_id"].to_pylist(), strict=True)
    rows = np.array([places[pair] for pair in pairs], dtype=np.intp)
    values = {}
    for name in document["settings"]["measures"]:
        column = np.full(len(places), np.nan)
        column[rows] = np.array(table[name].to_pylist(), dtype=np.float64)
        values[name] = encode(column)
    model = document["model"]
    return {
        "name": model["name"],
        "spec": model["spec"],
        "revision": model["revision"],
        "cutoff": model["declared_cutoff"],
        "trained": model["training_sets"],
        "dtype": model["dtype"],
        "verified": document["release"]["verified"],
        "harness": document["harness"],
        "window": document["settings"]["window"],
        "values": values,
        "figures": {name: _figures(result, name) for name in values},
    }


def _figures(result: Result, measure: str) -> dict[str, list[float]]:
    """Subset ("" for overall) to value, low, high, number, and the queries that were asked."""
    parts = {"": result.document["overall"], **result.document["subsets"]}
    table = _table(result)
    subset = np.array(table["subset"].to_pylist(), dtype=object)
    asked = np.array([value is not None for value in table[measure].to_pylist()], dtype=bool)
    found = {}
    for name, part in parts.items():
        figure = part["values"].get(measure)
        if figure:
            queries = int((asked & ((subset == name) if name else True)).sum())
            found[name] = [figure["value"], figure["lo"], figure["hi"], figure["n"], queries]
    return found


def encode(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """Shares of n queries as text: a character each where all are 0 or 1, else base64 of 16-bit steps."""
    known = values[~np.isnan(values)]
    if np.isin(known, (0.0, 1.0)).all():
        return "".join("-" if np.isnan(value) else str(int(value)) for value in values)
    steps = np.where(np.isnan(values), _MISSING, np.round(np.nan_to_num(values) * (_MISSING - 1)))
    return "b64:" + base64.b64encode(steps.astype("<u2").tobytes()).decode()


def _table(result: Result) -> pa.Table:
    if result.per_query is None:
        name = result.document["model"]["name"]
        raise ResultError(f"the table of queries of {name} is missing; keep per_query.parquet beside the JSON")
    return result.per_query


def _refuse_mixed(group: Sequence[Result]) -> None:
    seen: set[tuple[str, str]] = set()
    first = group[0].document
    for result in group:
        document = result.document
        model = (str(document["model"]["name"]), str(document["model"]["revision"]))
        if model in seen:
            raise ResultError(f"two results of {model[0]} on {document['release']['name']}; give each model once")
        seen.add(model)
        ours, theirs = _rules(document), _rules(first)
        for rule, value in ours.items():
            if value != theirs[rule]:
                raise ResultError(
                    f"{model[0]} was scored with {rule} {value!r}, "
                    f"{first['model']['name']} with {theirs[rule]!r}; evaluate them by one rule"
                )


def _rules(document: Mapping[str, Any]) -> dict[str, Any]:
    """What two results must agree in, or their figures do not mean the same."""
    settings = document["settings"]
    return {name: settings[name] for name in ("ties", "own_file", "no_positive")} | {
        "cut_gallery": settings["window"]["cut_gallery"]
    }


def _subsets(group: Sequence[Result]) -> list[str]:
    return list(
        dict.fromkeys(name for result in group for name, p in result.document["subsets"].items() if p["queries"])
    )


def _measures(group: Sequence[Result]) -> list[str]:
    """Measures that at least one model has, in the order of the first result that names them."""
    return list(dict.fromkeys(name for result in group for name in result.document["settings"]["measures"]))


def _searched(group: Sequence[Result], name: str) -> int:
    sizes = [result.document["subsets"].get(name, {}) for result in group]
    return max((part.get("gallery", 0) + part.get("noise", 0) for part in sizes), default=0)
