"""Freeze an edition: assemble, hold the gates, write, describe, seal and verify; nothing half-written is left."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import taxonomy
from catalog.ledger import Ledger
from catalog.store import Catalog
from releases import anchors, card, croissant, digests, evidence, gates, harder, manifest, qrels, reading, report, wheel
from releases import faces as masks
from releases.errors import ReleaseError
from releases.policy import ReleasePolicy
from releases.records import join
from releases.rows import Pictures, batches
from releases.schema import ANCHORS, NOISE
from releases.subsets import Assembly, assemble
from releases.summary import summarise
from releases.verify import verify
from releases.write import write_split, write_table

__all__ = ["FreezeInputs", "FreezeResult", "ReleaseExistsError", "ReleasePolicy", "freeze"]

Progress = Callable[[int, int], None]


class ReleaseExistsError(ReleaseError):
    """A release that is there already: a frozen edition never changes."""


@dataclass(frozen=True)
class FreezeInputs:
    """All that an edition is made of."""

    edition: str
    """``YYYY.MM``."""
    items: pa.Table
    photos: pa.Table
    products: pa.Table
    labels: pa.Table
    decisions: pa.Table
    fingerprints: pa.Table
    generated: pa.Table
    faces: pa.Table
    """Table ``faces``: a row for every look, searched or not, those that were dropped among them."""
    ledgers: Mapping[str, pa.Table]
    """Step name -> its ledger, in the order of the steps: the funnel of the report."""
    settings: Mapping[str, Any]
    """Settings of the edition, as plain values; they go into the manifest."""
    models: Mapping[str, Mapping[str, Any]]
    """Name of a model -> ``spec``, ``sha256``, ``licence``."""
    taxonomy_path: Path
    """The taxonomy that the labels speak."""
    previous: Path | None = None
    """Release of the edition before, for the anchors and for what its reference models solved."""
    code: Mapping[str, str] = field(default_factory=dict)
    """Room -> version of the code that ran."""
    notes: Sequence[str] = ()
    """Sentences that a reader of this edition must know, such as that its looks are composed; they head the card."""


@dataclass(frozen=True)
class FreezeResult:
    """A finished release."""

    path: Path
    ledger: pa.Table
    """Step ``assemble``: what became of every item."""
    figures: Mapping[str, Any]


def freeze(
    inputs: FreezeInputs,
    catalog: Catalog,
    out: Path,
    policy: ReleasePolicy,
    *,
    now: datetime,
    progress: Progress | None = None,
) -> FreezeResult:
    """Write the release of an edition into the folder ``out``, which must not exist yet, and verify it.

    Everything is made in a hidden folder beside ``out`` and renamed at the end. Equal inputs, policy and ``now`` give
    equal bytes. Raises GateError with all failing gates, ReleaseExistsError, VerifyError, or another ReleaseError.
    """
    out = Path(out)
    if out.exists():
        raise ReleaseExistsError(
            f"{out} exists already and a release never changes; choose another folder or remove it"
        )
    ledger = Ledger("assemble", "item", inputs.edition)
    tables = (inputs.items, inputs.photos, inputs.products, inputs.labels, inputs.decisions, inputs.generated)
    records = join(*tables, ledger)
    assembly = assemble(
        records,
        inputs.fingerprints,
        policy,
        edition=inputs.edition,
        ledger=ledger,
        solved=harder.solved(inputs.previous, policy),
    )
    faces = masks.known(inputs.faces, policy)
    masks.check(assembly, faces, policy)
    held = gates.hold(assembly, inputs.labels, inputs.fingerprints, policy)
    part = out.parent / f".{out.name}.part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        accounts = {**inputs.ledgers, "assemble": ledger.table()}
        _write(inputs, assembly, accounts, held, catalog, part, policy, faces, now, progress)
        verify(part)
        part.rename(out)
    except OSError as error:
        raise ReleaseError(f"could not write {out}: {error.strerror or error}; free space and freeze again") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    figures = {"rows": dict(gates.counts(assembly)), "gates": [gate.as_dict() for gate in held]}
    return FreezeResult(out, ledger.table(), figures)


def _write(
    inputs: FreezeInputs,
    assembly: Assembly,
    ledgers: Mapping[str, pa.Table],
    held: list[gates.Gate],
    catalog: Catalog,
    part: Path,
    policy: ReleasePolicy,
    faces: masks.Faces,
    now: datetime,
    progress: Progress | None,
) -> None:
    _write_data(assembly, catalog, part, policy, faces, progress)
    slice_ = anchors.choose(inputs.previous, policy.anchors, faces=policy.faces)
    if slice_:
        for split in ("query", "gallery"):
            write_split(part / ANCHORS, split, [getattr(slice_, split)], shard_bytes=policy.shard_bytes)
    qrels.write(part / "qrels", assembly)
    write_table(part / "qrels" / "looks.parquet", qrels.looks(assembly))
    shutil.copyfile(inputs.taxonomy_path, part / "taxonomy.yaml")
    built = wheel.build(part / "harness", policy.harness)
    (part / "baselines").mkdir()
    seen = {"items": inputs.items, "photos": inputs.photos, "decisions": inputs.decisions}
    evidence.write(part / "report", seen, assembly, ledgers, catalog, policy, faces)
    facts = {**_facts(inputs, policy, held, slice_, now), "wheel": built.name, "tables": _tables(part)}
    summary = summarise(part)
    card.write(part, facts, summary)
    croissant.write(part, facts, summary)
    manifest.write(part, facts)
    report.build(part)
    manifest.seal(part)


def _facts(
    inputs: FreezeInputs, policy: ReleasePolicy, held: list[gates.Gate], slice_: anchors.Anchors | None, now: datetime
) -> dict[str, Any]:
    """Return what the manifest says beside files and tables; nothing of it depends on the machine."""
    settings = asdict(policy)
    for machine in ("harness", "threads"):
        del settings[machine]
    return {
        "edition": inputs.edition,
        "created_at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "pixels": policy.pixels,
        "faces": policy.faces,
        "taxonomy_version": taxonomy.load(inputs.taxonomy_path).version,
        "notes": list(inputs.notes),
        "models": {name: {"licence": None, "sha256": None, **model} for name, model in sorted(inputs.models.items())},
        "settings": {**inputs.settings, "release": settings},
        "code": dict(inputs.code),
        "gates": [gate.as_dict() for gate in held],
        "previous": {"edition": slice_.edition, "manifest_sha256": slice_.manifest_sha256} if slice_ else None,
    }


def _write_data(
    assembly: Assembly,
    catalog: Catalog,
    part: Path,
    policy: ReleasePolicy,
    faces: masks.Faces,
    progress: Progress | None,
) -> None:
    pictures = Pictures(catalog, part / ".crops", policy, faces)
    total = sum(gates.counts(assembly).values())
    done = 0
    for subset, split in assembly.subsets.items():
        for name, samples in (("query", split.query), ("gallery", split.gallery)):
            if subset == NOISE and name == "query":
                continue
            rows = batches(samples, pictures, policy)
            write_split(part / "data" / subset, name, rows, shard_bytes=policy.shard_bytes)
            done += len(samples)
            if progress:
                progress(done, total)
    shutil.rmtree(part / ".crops")


def _tables(part: Path) -> dict[str, dict[str, Any]]:
    """Return rows and logical digest of every table, read back from what was written."""
    found = {f"{subset}/{split}": reading.read_labels(part, subset, split) for subset, split, _ in reading.splits(part)}
    found["looks"] = pq.read_table(part / "qrels" / "looks.parquet")
    return {name: {"rows": table.num_rows, "digest": digests.table_digest(table)} for name, table in found.items()}
