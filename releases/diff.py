"""What changed between two releases."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from releases import manifest, reading
from releases.schema import ANCHORS


@dataclass(frozen=True)
class SplitDiff:
    """One split in both releases. A sample is told by its photo and box: the sample ids differ between editions."""

    before: int
    after: int
    added: tuple[str, ...]
    """Sample ids of the later release."""
    removed: tuple[str, ...]
    """Sample ids of the earlier release."""
    relabelled: tuple[str, ...]
    """Sample ids of the later release whose category, attributes or date changed."""


@dataclass(frozen=True)
class ReleaseDiff:
    """Two releases, compared."""

    before: str
    after: str
    splits: Mapping[str, SplitDiff]
    settings: Mapping[str, tuple[Any, Any]]
    """Top-level facts of the manifests that differ: name -> (before, after)."""

    @property
    def equal(self) -> bool:
        """Whether the tables say the same."""
        return not any(split.added or split.removed or split.relabelled for split in self.splits.values())

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.before} -> {self.after}"]
        lines += [
            f"  {name}: {split.before} -> {split.after} rows, {len(split.added)} added, {len(split.removed)} removed, "
            f"{len(split.relabelled)} relabelled"
            for name, split in self.splits.items()
        ]
        return "\n".join([*lines, *(f"  {name} differs" for name in self.settings)])


def diff(before: str | Path, after: str | Path) -> ReleaseDiff:
    """Compare two releases split by split; the anchors are left out, since they are the earlier release's own."""
    before, after = Path(before), Path(after)
    old, new = manifest.read(before), manifest.read(after)
    splits = {
        f"{subset}/{split}": _compare(
            reading.read_labels(before, subset, split), reading.read_labels(after, subset, split)
        )
        for subset, split, _ in reading.splits(after)
        if subset != ANCHORS
    }
    facts = ("taxonomy_version", "models", "settings", "code", "pixels")
    settings = {name: (old.get(name), new.get(name)) for name in facts if old.get(name) != new.get(name)}
    return ReleaseDiff(str(old["edition"]), str(new["edition"]), splits, settings)


def _compare(before: pa.Table, after: pa.Table) -> SplitDiff:
    old, new = _by_place(before), _by_place(after)
    facts = ("category", "main_attribute", "other_attributes", "date")
    changed = [
        new[place]["sample_id"]
        for place in new
        if place in old and any(new[place][name] != old[place][name] for name in facts)
    ]
    return SplitDiff(
        before.num_rows,
        after.num_rows,
        added=tuple(new[place]["sample_id"] for place in new if place not in old),
        removed=tuple(old[place]["sample_id"] for place in old if place not in new),
        relabelled=tuple(changed),
    )


def _by_place(table: pa.Table) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["photo_sha256"], row["bbox"]): row for row in table.to_pylist()}
