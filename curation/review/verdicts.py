"""What a reviewer said of photos and garments: an append-only file of the edition that its next run obeys."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from catalog.store import Catalog
from curation.errors import CurationError

KEEP, DROP = "keep", "drop"
WORDS = (KEEP, DROP, None)
"""None takes an earlier verdict back."""
REASON = "reviewer"
"""Reason code of ledger rows that a verdict decided."""

Verdicts = Mapping[str, bool]
"""id of a photo or item -> whether it stays, for one step."""


@dataclass(frozen=True)
class Said:
    """One line of the file."""

    step: str
    id: str
    verdict: str | None
    at: str
    """ISO time, UTC."""


def path(catalog: Catalog, edition: str) -> str:
    """Return where the verdicts of an edition lie, inside the catalog's filesystem."""
    return f"{catalog.path}/editions/{edition}/verdicts.jsonl"


def load(catalog: Catalog, edition: str) -> dict[str, dict[str, bool]]:
    """Return step -> id -> whether it stays; the last line about an id counts. Raises CurationError for a bad line."""
    file = path(catalog, edition)
    if not catalog.filesystem.exists(file):
        return {}
    said: dict[str, dict[str, bool]] = {}
    for number, line in enumerate(catalog.filesystem.cat_file(file).decode().splitlines(), 1):
        try:
            row = json.loads(line)
            step, key, verdict = row["step"], row["id"], row["verdict"]
        except (ValueError, KeyError, TypeError) as error:
            raise CurationError(f"{file}, line {number}: no verdict ({error}); mend or delete the line") from error
        if verdict not in WORDS:
            raise CurationError(f"{file}, line {number}: verdict {verdict!r} is unknown; write keep, drop or null")
        said.setdefault(step, {}).pop(key, None)
        if verdict is not None:
            said[step][key] = verdict == KEEP
    return {step: ids for step, ids in said.items() if ids}


def record(catalog: Catalog, edition: str, step: str, id: str, verdict: str | None) -> Said:
    """Append one verdict, whole or not at all; raises CurationError for a word that is none."""
    if verdict not in WORDS:
        raise CurationError(f"verdict {verdict!r} is unknown; say keep, drop or null")
    said = Said(step, id, verdict, datetime.now(UTC).isoformat(timespec="seconds"))
    file = path(catalog, edition)
    before = catalog.filesystem.cat_file(file) if catalog.filesystem.exists(file) else b""
    catalog.write_bytes(file, before + json.dumps(asdict(said)).encode() + b"\n")
    return said
