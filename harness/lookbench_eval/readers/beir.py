"""Read BEIR folders: a corpus, queries, and relevance judgements.

`corpus.jsonl` and `queries.jsonl` have one object a line with `_id` and, for pictures, `image` (a path inside the
folder); or `corpus/*.parquet` and `queries/*.parquet` have the columns `id` (or `_id`) and `image`. Judgements are
`qrels/<split>.tsv` or `qrels/<split>*.parquet` with `query-id`, `corpus-id`, `score`. Every judged split is a subset.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lookbench_eval.errors import ReleaseError, name_some
from lookbench_eval.readers.base import Release, Source, Split, Subset, check_ids, choose
from lookbench_eval.readers.files import FilePictures
from lookbench_eval.readers.parquet import ParquetPictures, opened
from lookbench_eval.samples import Samples
from lookbench_eval.trec import read_qrels

MEASURES = ("Success@1", "Success@5", "Success@10", "Recall@10", "nDCG@10", "MRR", "mAP")
Qrels = dict[str, dict[str, int]]


def is_beir(root: Path) -> bool:
    """Whether the folder holds a corpus, queries and judgements."""
    return _has(root, "corpus") and _has(root, "queries") and (root / "qrels").is_dir()


def read(root: Path, *, subsets: Sequence[str] | None = None) -> Release:
    """Open a BEIR folder. Raises ReleaseError."""
    judged = _judged(root)
    corpus, queries = _part(root, "corpus"), _part(root, "queries")
    check_ids(corpus.samples, f"{root.name}, corpus")
    check_ids(queries.samples, f"{root.name}, queries")
    known = {name: row for row, name in enumerate(queries.samples.ids)}
    answers = set(corpus.samples.ids)
    parts = []
    for name in choose(subsets, sorted(judged), str(root)):
        qrels = judged[name]
        strange = [query for query in qrels if query not in known]
        if strange:
            raise ReleaseError(f"{root}: qrels/{name} judges {len(strange)} unknown queries: {name_some(strange)}")
        foreign = sorted({answer for grades in qrels.values() for answer in grades} - answers)
        if foreign:
            said = f"{root}: qrels/{name} judges {len(foreign)} answers that the corpus lacks: {name_some(foreign)}"
            raise ReleaseError(f"{said}; recall over a part of the corpus would be too high")
        rows = np.array(sorted(known[query] for query in qrels), dtype=np.intp)
        asked = Split(queries.samples.take(rows), Chosen(queries.source, tuple(rows.tolist())))
        parts.append(Subset(name, asked, corpus, qrels))
    return Release(
        name=root.resolve().name,
        layout="beir",
        subsets=tuple(parts),
        measures=MEASURES,
        bare="judged",
        notes=("Figures follow the relevance judgements of the set; it carries no dates.",),
    )


class Chosen:
    """Some rows of another source, in ascending order."""

    def __init__(self, source: Source, rows: tuple[int, ...]) -> None:
        self._source = source
        self._rows = frozenset(rows)

    def __iter__(self) -> Any:
        return (data for row, data in enumerate(self._source) if row in self._rows)


def _has(root: Path, part: str) -> bool:
    return (root / f"{part}.jsonl").is_file() or any((root / part).glob("*.parquet"))


def _part(root: Path, part: str) -> Split:
    path = root / f"{part}.jsonl"
    return _jsonl(root, path) if path.is_file() else _parquet(root, part)


def _jsonl(root: Path, path: Path) -> Split:
    rows, names = [], []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                rows.append({"id": entry["_id"]})
                names.append(str(entry.get("image") or ""))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ReleaseError(f"{path}, line {number}: {error!r}; expected an object with _id") from error
    return Split(Samples.of(rows), FilePictures(root, tuple(names)))


def _parquet(root: Path, part: str) -> Split:
    paths = tuple(sorted((root / part).glob("*.parquet")))
    ids: list[str] = []
    for path in paths:
        with opened(path) as file:
            key = next((name for name in ("id", "_id") if name in file.schema_arrow.names), None)
            if key is None or "image" not in file.schema_arrow.names:
                names = ", ".join(file.schema_arrow.names)
                raise ReleaseError(f"{path} has the columns {names}; expected id and image")
            ids += [str(value) for value in file.read(columns=[key]).column(0).to_pylist()]
    return Split(Samples.of([{"id": name} for name in ids]), ParquetPictures(paths))


def _judged(root: Path) -> dict[str, Qrels]:
    judged = {path.stem: read_qrels(path) for path in sorted((root / "qrels").glob("*.tsv"))}
    for path in sorted((root / "qrels").glob("*.parquet")):
        with opened(path) as file:
            table = file.read()
        missing = [name for name in ("query-id", "corpus-id", "score") if name not in table.schema.names]
        if missing:
            raise ReleaseError(f"{path}: columns missing: {', '.join(missing)}; the file has {table.schema.names}")
        qrels = judged.setdefault(path.stem.split("-")[0], {})
        columns = (table.column(name).to_pylist() for name in ("query-id", "corpus-id", "score"))
        for row, (query, answer, grade) in enumerate(zip(*columns, strict=True)):
            try:
                qrels.setdefault(str(query), {})[str(answer)] = int(grade)
            except (TypeError, ValueError) as error:
                raise ReleaseError(f"{path}, row {row}: the score {grade!r} is no whole number") from error
    if not judged:
        raise ReleaseError(f"{root / 'qrels'} holds no .tsv and no .parquet; judgements are needed to score")
    return judged
