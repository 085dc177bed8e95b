"""Errata: what was found wrong in a frozen edition. The samples stay; the correction stands beside them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from releases import manifest, reading
from releases.errors import ReleaseError

NAME: Final = "ERRATA.jsonl"
ACTIONS: Final = ("ignore", "relabel", "note")


class ErrataError(ReleaseError):
    """An erratum that cannot be recorded."""


@dataclass(frozen=True)
class Erratum:
    """One correction."""

    sample_ids: tuple[str, ...]
    action: str
    """``ignore``: leave the samples out; ``relabel``: the problem says what is right; ``note``: good to know."""
    problem: str
    reported_at: str
    """ISO 8601, UTC."""


def read(path: str | Path) -> list[Erratum]:
    """Return the errata of a release, oldest first; raise ErrataError that names a damaged line."""
    file = Path(path) / NAME
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            found.append(Erratum(tuple(row["sample_ids"]), row["action"], row["problem"], row["reported_at"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ErrataError(f"{file}, line {number}: no erratum ({error}); fetch the release again") from error
    return found


def add(path: str | Path, sample_ids: Sequence[str], *, action: str, problem: str, now: datetime) -> Erratum:
    """Append an erratum and seal the manifest again; raise ErrataError for an unknown action or sample."""
    path = Path(path)
    if action not in ACTIONS:
        raise ErrataError(f"action {action!r} is unknown; choose one of {', '.join(ACTIONS)}")
    if not problem.strip():
        raise ErrataError("an erratum needs a problem in words")
    known = {
        key
        for subset, split, _ in reading.splits(path)
        for key in reading.read_labels(path, subset, split)["sample_id"].to_pylist()
    }
    if unknown := sorted(set(sample_ids) - known):
        raise ErrataError(f"{path} has no sample {', '.join(unknown[:3])}; sample ids stand in the column sample_id")
    erratum = Erratum(tuple(sample_ids), action, problem.strip(), now.astimezone(UTC).isoformat(timespec="seconds"))
    with (path / NAME).open("a", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(asdict(erratum), ensure_ascii=False) + "\n")
    manifest.seal(path)
    return erratum
