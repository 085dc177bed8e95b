"""Freeze: labels back from Label Studio, gates, release, verification, reference results; the edition is history."""

import json
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from prefect import flow

import taxonomy
from catalog import tables
from catalog.steps import StepResult
from curation import history
from curation.items import is_look
from flows import artifacts, funnel, labelling
from flows import edition as editions
from flows import validate as validation
from flows.edition import Edition, EditionError, code_version
from flows.progress import track
from flows.workshop import Workshop
from releases import manifest, report
from releases import run as releases
from releases.run import FreezeInputs, FreezeResult
from releases.verify import verify

# What concerns this machine, not the edition: it stays out of the manifest.
HERE_ONLY: dict[str, bool | set[str]] = {
    **dict.fromkeys(("root", "sites", "releases", "annotation", "prefect_port"), True),
    "validation": {"constraints"},
}
ROOMS = ("annotation", "catalog", "crawlers", "curation", "flows", "generation", "releases", "taxonomy")


@flow(name="freeze", persist_result=False)
def freeze(
    edition: str,
    out: str | Path | None = None,
    root: str | None = None,
    settings: str | Path | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Freeze edition ``edition``; returns the release's path, rows, funnel and reference results.

    With ``out``, a frozen edition is written once more into that folder: the bytes are the same. Raises EditionError
    for an edition that is unknown, not refreshed, or frozen already (without ``out``), and GateError with all failing
    gates.
    """
    workshop = Workshop.open(root=root, settings=settings, now=now)
    book = editions.find(workshop.catalog, edition)
    again = book.record.state == editions.FROZEN
    target = Path(out) if out else workshop.releases / f"lookbench-{edition}"
    _check_state(book, again, out)

    labels = book.load("pull") if again else labelling.pull(book, workshop)
    book.save()  # what was pulled is what every later freeze of this edition is made of
    frozen_at = book.record.frozen_at or workshop.now
    inputs = _inputs(book, labels, workshop)
    remembered = history.edition_file(inputs.fingerprints, inputs.decisions, inputs.photos)
    staging = target.parent / f".{target.name}.staging"
    shutil.rmtree(staging, ignore_errors=True)  # what a killed freeze left
    try:
        with track("freeze: write and verify") as progress:
            made = releases.freeze(
                inputs, workshop.catalog, staging, workshop.settings.release, now=frozen_at, progress=progress
            )
        _baselines(staging, workshop)
        (staging / history.IN_RELEASE).write_bytes(remembered)
        report.build(staging)
        manifest.seal(staging)
        verify(staging)
        if target.is_dir() and not again:
            shutil.rmtree(target)  # written by a freeze that was killed before the edition knew of it
        staging.rename(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)

    if not again:
        _account(book, inputs, made)
        history.save(book.catalog, book.name, remembered)
        book.save(state=editions.FROZEN, frozen_at=frozen_at, release=str(target))
    summary = told(workshop, edition, target)
    artifacts.funnel(summary["funnel"])
    artifacts.metrics(summary["results"])
    artifacts.report(summary["report"])
    return summary


def told(workshop: Workshop, edition: str, release: Path | None = None) -> dict[str, Any]:
    """Return what is to be said of a frozen edition: release, report page, funnel, rows, reference results."""
    book = editions.find(workshop.catalog, edition)
    place = release or Path(str(book.record.release))
    done = {name: book.load(name) for name in book.record.steps}
    baselines = sorted((place / "baselines").glob("*.json"))
    return {
        "edition": edition,
        "release": str(place),
        "report": str(place / "report" / "index.html"),
        "funnel": funnel.rows({name: result.ledger for name, result in done.items()}),
        "rows": done["assemble"].figures["rows"],
        "results": [json.loads(file.read_text(encoding="utf-8")) for file in baselines],
    }


def _check_state(book: Edition, again: bool, out: str | Path | None) -> None:
    if again and not out:
        raise EditionError(
            f"edition {book.name} is frozen already, as {book.record.release}: it never changes; "
            "write a second copy with --out, or open the next edition"
        )
    if book.record.state == editions.OPEN:
        raise EditionError(f"edition {book.name} does not await labels yet: run `lookbench refresh {book.name}` first")
    if out and Path(out).exists():
        raise EditionError(f"--out {out} exists already: a release is written whole into a new folder, name another")


def _inputs(book: Edition, labels: StepResult, workshop: Workshop) -> FreezeInputs:
    def both(step: str, table: str) -> pa.Table:
        return pa.concat_tables([book.load(name).tables[table] for name in (step, f"generated-{step}")])

    previous = [r.release for r in editions.records(book.catalog) if r.edition < book.name and r.release]
    return FreezeInputs(
        edition=book.name,
        items=pa.concat_tables([book.load(name).tables["items"] for name in ("tie-to-products", "generated-identity")]),
        photos=both("screen", "photos"),
        products=book.load("select").tables["products"],
        labels=labels.tables["labels"],
        decisions=both("deduplicate", "decisions"),
        fingerprints=both("fingerprint", "fingerprints"),
        generated=book.load("generated-identity").tables["generated"],
        faces=_faces(book),
        ledgers={name: book.load(name).ledger for name in book.record.steps if name != "assemble"},
        settings=workshop.settings.model_dump(mode="json", exclude=HERE_ONLY),
        models=workshop.pins,
        taxonomy_path=taxonomy.PATH,
        previous=Path(previous[-1]) if previous else None,
        notes=workshop.settings.notes,
        code={room: code_version(room) for room in ROOMS},
    )


def _faces(book: Edition) -> pa.Table:
    """Return what was searched for faces, with a row of no boxes for each look that was dropped before it could be."""
    done = [book.load(name).tables for name in ("detect", "generated-detect")]
    searched = pa.concat_tables([step.get("faces", tables.empty("faces")) for step in done])
    photos = [row for step in ("select", "generate") for row in book.load(step).tables["photos"].to_pylist()]
    missed = {row["photo_id"] for row in photos if is_look(row)} - set(searched["photo_id"].to_pylist())
    unseen = tables.from_rows("faces", [{"photo_id": photo_id} for photo_id in sorted(missed)])
    return pa.concat_tables([searched, unseen])


def _baselines(release: Path, workshop: Workshop) -> None:
    """Score the reference models with the wheel in the release; results and per-query tables become part of it."""
    named = workshop.settings.validation.models
    with tempfile.TemporaryDirectory() as scratch:
        validation.score(release, named, workshop, out=Path(scratch))
        for number, name in enumerate(named):
            made = validation.folder(Path(scratch), number)
            shutil.copyfile(made / "result.json", release / "baselines" / f"{name}.json")
            shutil.copyfile(made / "per_query.parquet", release / "baselines" / f"{name}.per_query.parquet")


def _account(book: Edition, inputs: FreezeInputs, made: FreezeResult) -> None:
    """Record what became of every item, so that `why` can tell it."""
    book.step(
        "assemble",
        lambda: StepResult({}, made.ledger, made.figures),
        inputs={"items": inputs.items, "labels": inputs.labels, "decisions": inputs.decisions},
        settings=inputs.settings,
        subject="item",
        ids=inputs.items["item_id"].to_pylist(),
        room="releases",
    )
