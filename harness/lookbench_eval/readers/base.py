"""What every reader returns: splits whose pictures are streamed, never held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lookbench_eval.errors import ReleaseError, name_some
from lookbench_eval.samples import Samples, concatenate

SUBSETS = ("real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook")
NOISE = "noise"


class Source(Protocol):
    """Encoded pictures of a split, in the order of its samples."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file bytes of every row. Raises ReleaseError where a row has none."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows and the pictures that belong to them."""

    samples: Samples
    source: Source


@dataclass(frozen=True, eq=False)
class Subset:
    """One subset: its queries and its own gallery (the distractors are kept apart)."""

    name: str
    query: Split
    gallery: Split
    qrels: Mapping[str, Mapping[str, int]] | None = None


@dataclass(frozen=True, eq=False)
class Release:
    """A data set that can be scored."""

    name: str
    layout: str
    subsets: tuple[Subset, ...]
    noise: Split | None = None
    edition: str | None = None
    digest: str | None = None
    """sha256 of what is scored, as the manifest lists it, where there is one."""
    verified: bool = False
    measures: tuple[str, ...] = ()
    """Measures to score unless others are asked for; empty: the published ones."""
    bare: str = "fine"
    """What MRR, mAP, Recall and nDCG mean without `rel`: fine (nDCG: graded), item, or judged."""
    no_positive: str = "error"
    """What a query without a positive means by default in this layout."""
    notes: tuple[str, ...] = field(default=())

    def gallery_of(self, subset: Subset) -> Samples:
        """The subset's own gallery followed by the distractors."""
        parts = [subset.gallery.samples] + ([self.noise.samples] if self.noise else [])
        return concatenate(parts)


def choose(wanted: Sequence[str] | None, present: Sequence[str], where: str) -> list[str]:
    """The subsets to read: all that are present, or those asked for, in the order of the release."""
    unknown = [name for name in wanted or () if name not in present]
    if unknown:
        raise ReleaseError(f"{where} has no subset {name_some(unknown)}; it has {', '.join(present) or 'none'}")
    return [name for name in present if not wanted or name in wanted]


def check_ids(samples: Samples, where: str) -> None:
    """Raise ReleaseError that names the ids which occur more than once, or cannot stand in a line of a run."""
    double = [name for name, count in Counter(samples.ids).items() if count > 1]
    if double:
        raise ReleaseError(f"{where} has {len(double)} duplicated ids: {name_some(sorted(double))}")
    broken = [name for name in samples.ids if any(mark in name for mark in "\t\n\r")]
    if broken:
        raise ReleaseError(
            f"{where} has {len(broken)} ids with a tab or a line break: {name_some(map(repr, broken))}; "
            "runs and judgements could not hold them"
        )
