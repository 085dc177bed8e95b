"""Steps: plain functions from tables to tables, run once for the same inputs, settings and code."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from catalog import ledger as ledgers
from catalog import tables
from catalog.ids import sha256
from catalog.store import Catalog


@dataclass(frozen=True)
class StepResult:
    """What a step made: its tables by schema name, its ledger and small figures for reports."""

    tables: Mapping[str, pa.Table]
    ledger: pa.Table
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One step of one edition, as recorded: where its output lies."""

    name: str
    digest: str
    path: str
    result: StepResult
    reused: bool


def run(
    catalog: Catalog,
    edition: str,
    name: str,
    work: Callable[[], StepResult],
    *,
    inputs: Mapping[str, pa.Table],
    settings: Mapping[str, Any],
    subject: str,
    ids: Iterable[str],
    code: str,
) -> Step:
    """Run ``work`` unless the same (inputs, settings, code version) was already worked, and keep what it made.

    ``subject`` and ``ids`` are the inputs that the ledger must account for, each exactly once; raises LedgerError
    otherwise. Output goes to ``editions/<edition>/<name>-<digest>``; ``step.json`` is written last, so a killed step
    leaves nothing that a later run would trust.
    """
    key = {
        "step": name,
        "edition": edition,
        "code": code,
        "settings": settings,
        "inputs": {label: tables.digest(table) for label, table in sorted(inputs.items())},
    }
    digest = sha256(json.dumps(key, sort_keys=True, default=str).encode())
    path = f"{catalog.path}/editions/{edition}/{name}-{digest[:16]}"
    if catalog.filesystem.exists(f"{path}/step.json"):
        return Step(name, digest, path, load(catalog, path), reused=True)
    result = work()
    ledgers.balance(result.ledger, subject, ids, f"step {name} of edition {edition}")
    for table_name, table in result.tables.items():
        catalog.write_table(f"{path}/{table_name}.parquet", tables.check(table, table_name, f"step {name}"))
    catalog.write_table(f"{path}/ledger.parquet", result.ledger)
    record = {**key, "digest": digest, "tables": sorted(result.tables), "figures": dict(result.figures)}
    catalog.write_bytes(f"{path}/step.json", json.dumps(record, sort_keys=True, default=str, indent=1).encode())
    return Step(name, digest, path, result, reused=False)


def load(catalog: Catalog, path: str) -> StepResult:
    """Read the output of a finished step back; raises TableError when a file of it is damaged."""
    record = json.loads(catalog.filesystem.cat_file(f"{path}/step.json"))
    made = {name: catalog.read_table(f"{path}/{name}.parquet", name) for name in record["tables"]}
    return StepResult(made, catalog.read_table(f"{path}/ledger.parquet", "ledger"), record["figures"])
