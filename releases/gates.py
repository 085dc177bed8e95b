"""The gates of a freeze: what an edition must be before it becomes a release. All are tried, all failures told."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from releases.errors import ReleaseError
from releases.policy import ReleasePolicy
from releases.schema import NOISE, SUBSETS
from releases.subsets import Assembly, Sample

_SHOWN = 3


@dataclass(frozen=True)
class Gate:
    """One gate: what was found and what is asked."""

    name: str
    passed: bool
    found: float | None
    limit: float | None
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return the gate as plain values for JSON."""
        return {"name": self.name, "passed": self.passed, "found": self.found, "limit": self.limit}


class GateError(ReleaseError):
    """An edition that may not be frozen; ``failed`` holds every failing gate."""

    def __init__(self, edition: str, failed: Sequence[Gate]) -> None:
        lines = [f"  {gate.name}: {gate.message}" for gate in failed]
        count = f"{len(failed)} gate{'s' if len(failed) > 1 else ''}"
        super().__init__("\n".join([f"edition {edition} may not be frozen, {count} failed:", *lines]))
        self.failed = tuple(failed)


def hold(assembly: Assembly, labels: pa.Table, fingerprints: pa.Table, policy: ReleasePolicy) -> list[Gate]:
    """Try every gate and return them all; raise GateError that tells all failing ones with their counts."""
    gates = [
        *_sizes(assembly, policy),
        _agreement(assembly, labels, policy),
        _positives(assembly),
        *_line(assembly, fingerprints),
        _dates(assembly),
        _licences(assembly),
        _distractors(assembly),
    ]
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        raise GateError(assembly.edition, failed)
    return gates


def _sizes(assembly: Assembly, policy: ReleasePolicy) -> Iterator[Gate]:
    for subset in SUBSETS:
        count, wanted = len(assembly.subsets[subset].query), policy.min_queries.get(subset, 1)
        yield Gate(
            f"queries of {subset}",
            count >= wanted,
            count,
            wanted,
            f"{count} queries, at least {wanted} are asked; refresh with more photos, or lower release.min_queries",
        )
    count = len(assembly.noise.gallery)
    yield Gate(
        "distractors",
        count >= policy.min_noise,
        count,
        policy.min_noise,
        f"{count} distractors, at least {policy.min_noise} are asked; widen release.noise_near and noise_far, or lower "
        "release.min_noise",
    )


def _agreement(assembly: Assembly, labels: pa.Table, policy: ReleasePolicy) -> Gate:
    inside = {sample.record.item_id for sample in _samples(assembly)}
    found: dict[str, float] = {
        key: value
        for key, value in zip(labels["item_id"].to_pylist(), labels["agreement"].to_pylist(), strict=True)
        if value is not None and key in inside
    }
    mean = sum(found.values()) / len(found) if found else None
    return Gate(
        "label agreement",
        mean is None or mean >= policy.min_agreement,
        None if mean is None else round(mean, 4),
        policy.min_agreement,
        f"mean agreement {mean or 0:.3f} over {len(found)} items is under {policy.min_agreement}; adjudicate the "
        "disagreements in Label Studio and pull again",
    )


def _positives(assembly: Assembly) -> Gate:
    bad = []
    for subset in SUBSETS:
        split = assembly.subsets[subset]
        groups = {sample.record.group for sample in split.gallery}
        products = {sample.record.product_id for sample in split.gallery}
        bad += [
            sample.sample_id
            for sample in split.query
            if sample.record.group not in groups or sample.record.product_id not in products
        ]
    return _none("queries without a positive", bad)


def _line(assembly: Assembly, fingerprints: pa.Table) -> Iterator[Gate]:
    gallery = [sample for split in assembly.subsets.values() for sample in split.gallery]
    shown = {sample.record.photo_id for sample in gallery}
    asked = {sample.record.photo_id for sample in assembly.queries()}
    yield _none("photos across the query/gallery line", sorted(asked & shown))
    pixels = dict(zip(fingerprints["photo_id"].to_pylist(), fingerprints["pixels"].to_pylist(), strict=True))
    side = {pixels[key]: key for key in shown if pixels.get(key)}
    twins = [f"{key} = {side[pixels[key]]}" for key in sorted(asked - shown) if pixels.get(key) in side]
    yield _none("equal pixels across the query/gallery line", twins)


def _dates(assembly: Assembly) -> Gate:
    bad = [s.sample_id for s in _samples(assembly) if s.record.date is None or not s.record.date_evidence]
    return _none("samples without a date and its evidence", bad)


def _licences(assembly: Assembly) -> Gate:
    return _none("samples without a licence", [s.sample_id for s in _samples(assembly) if not s.record.licence])


def _distractors(assembly: Assembly) -> Gate:
    groups = {sample.record.group for sample in assembly.queries()}
    products = {sample.record.product_id for sample in assembly.queries()}
    bad = [
        sample.sample_id
        for sample in assembly.subsets[NOISE].gallery
        if sample.record.group in groups or sample.record.product_id in products
    ]
    return _none("distractors that answer a query", bad)


def _none(name: str, bad: Sequence[str]) -> Gate:
    shown = ", ".join(bad[:_SHOWN]) + (f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else "")
    return Gate(name, not bad, len(bad), 0, f"{len(bad)} where none is allowed: {shown}")


def _samples(assembly: Assembly) -> list[Sample]:
    return [sample for split in assembly.subsets.values() for sample in (*split.query, *split.gallery)]


def counts(assembly: Assembly) -> Mapping[str, int]:
    """Return the rows of each split, as ``<subset>/<split>``."""
    found: Counter[str] = Counter()
    for subset, split in assembly.subsets.items():
        if subset != NOISE:
            found[f"{subset}/query"] = len(split.query)
        found[f"{subset}/gallery"] = len(split.gallery)
    return dict(found)
