"""The result of an evaluation as files: one JSON document, a table of queries, and a run."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookbench_eval.atomic import write_together, write_whole
from lookbench_eval.errors import ResultError, name_some
from lookbench_eval.trec import run_lines
from lookbench_eval.validate import faults

SCHEMA = "lookbench-eval/result"
SCHEMA_VERSION = 1
_KEYS = ("subset", "query_id", "date", "look_id", "product")


@dataclass(frozen=True, eq=False)
class Result:
    """A finished evaluation. `document` is the JSON (see result.schema.json), `per_query` has one row per query."""

    document: dict[str, Any]
    per_query: pa.Table | None = field(repr=False)
    """None for a result file whose table of queries is not beside it."""
    runs: Mapping[str, Mapping[str, Sequence[tuple[str, float]]]] = field(default_factory=dict, repr=False)
    """Subset -> query id -> ranked (gallery id, score)."""

    def value(self, measure: str, subset: str | None = None) -> float:
        """The figure of a measure, a share from 0 to 1, overall or of one subset. Raises ResultError."""
        figures = self.document["overall"] if subset is None else self.document["subsets"].get(subset, {})
        try:
            return float(figures["values"][measure]["value"])
        except (KeyError, TypeError) as error:
            raise ResultError(f"the result has no {measure} {f'of {subset}' if subset else 'overall'}") from error

    def table(self, width: int | None = None) -> str:
        """The figures as text for a terminal of that width."""
        from lookbench_eval.table import render

        return render(self.document, width)

    def save(self, folder: str | Path) -> Path:
        """Write `result.json`, `per_query.parquet` and `run.trec`; returns the path of the JSON.

        All three appear, or none of them. Raises ResultError when the folder cannot be written.
        """
        target = Path(folder)
        document = dict(self.document)
        tag = "-".join(str(document["model"]["name"]).split()) or "model"
        # A query that several subsets share (splits of a BEIR set) has the same answers in each.
        merged = {query: answers for queries in self.runs.values() for query, answers in queries.items()}
        files = {target / "run.trec": "".join(run_lines(merged, tag)).encode()}
        if self.per_query is not None:
            data = _parquet(self.per_query)
            document["per_query"] = {
                "path": "per_query.parquet",
                "sha256": hashlib.sha256(data).hexdigest(),
                "rows": len(self.per_query),
            }
            files[target / "per_query.parquet"] = data
        files[target / "result.json"] = dumps(document).encode()
        try:
            target.mkdir(parents=True, exist_ok=True)
            write_together(files)
        except OSError as error:
            raise ResultError(f"the result cannot be written to {target}: {error}") from error
        return target / "result.json"


def reserve(folder: str | Path) -> None:
    """Make sure that a result can be written to a folder later on. Raises ResultError."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        probe = target / ".probe"
        write_whole(probe, b"")
        probe.unlink()
    except OSError as error:
        raise ResultError(f"the result cannot be written to {target}: {error}") from error


def load(path: str | Path) -> Result:
    """Read a result and, where it lies beside it, its table of queries.

    Raises ResultError for a file that is no result, has another schema version, or was changed after it was written.
    """
    file = Path(path)
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultError(f"{file} cannot be read as a result: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ResultError(f"{file} is no result of lookbench-eval; its schema is not {SCHEMA!r}")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise ResultError(
            f"{file} has schema_version {document.get('schema_version')!r}; this harness reads {SCHEMA_VERSION}"
        )
    if document.get("digest") != digest(document):
        raise ResultError(f"{file} was changed after it was written: its digest does not match; evaluate again")
    found = faults(document)
    if found:
        raise ResultError(f"{file} does not follow the schema of a result: {name_some(found)}; evaluate again")
    return Result(document, _beside(file, document))


def dumps(document: Mapping[str, Any]) -> str:
    """The document as JSON text, with its digest."""
    full = {**document, "digest": digest(document)}
    return json.dumps(full, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def digest(document: Mapping[str, Any]) -> str:
    """sha256 of the document without its digest, keys sorted; a hand-made change shows."""
    body = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _beside(file: Path, document: Mapping[str, Any]) -> pa.Table | None:
    """The table of queries: `<name of the JSON>.per_query.parquet`, or under the name it was written as."""
    stated = document.get("per_query")
    if stated is None:
        return None
    for path in (file.with_name(f"{file.stem}.per_query.parquet"), file.with_name(Path(stated["path"]).name)):
        if path.is_file():
            try:
                data = path.read_bytes()
                if hashlib.sha256(data).hexdigest() != stated["sha256"]:
                    raise ResultError(f"{path} does not belong to {file}: its sha256 differs; evaluate again")
                # without Arrow's threads, which abort now and then a process that ends right after
                table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
            except (OSError, pa.ArrowException) as error:
                raise ResultError(f"{path} cannot be read: {error}; evaluate again") from error
            missing = [name for name in (*_KEYS, *document["settings"]["measures"]) if name not in table.column_names]
            if missing:
                raise ResultError(f"{path} lacks the columns {', '.join(missing)}; evaluate again")
            return table
    return None


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
