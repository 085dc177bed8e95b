"""Refresh: from the photos that are new since the last edition to garments that await their labels.

Reads like section 5 of the design: select; screen, detect, fingerprint, tie to products, deduplicate; make AI pictures
from what is kept and send them the same way; pre-label; send to Label Studio.
"""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from prefect import flow

from catalog import views
from catalog.errors import LookbenchError
from curation.history import History, edition_file
from flows import artifacts, funnel, labelling, select
from flows import edition as editions
from flows.edition import Edition
from flows.progress import track
from flows.seeing import Seen, see
from flows.workshop import Workshop
from generation import run as generation


class EmptyEditionError(LookbenchError):
    """Nothing is left to make an edition of."""


@flow(name="refresh", persist_result=False)
def refresh(
    edition: str | None = None, root: str | None = None, settings: str | Path | None = None, now: datetime | None = None
) -> dict[str, Any]:
    """Make edition ``edition`` (default: the month of the clock) up to the state *awaiting labels*; returns its funnel.

    Run again, or after a kill, it goes on where it was and comes to the same edition.
    """
    workshop = Workshop.open(root=root, settings=settings, now=now)
    edition = edition or f"{workshop.now:%Y.%m}"
    book = editions.begin(workshop.catalog, edition, workshop.now)
    history = _history(book)

    photos, products, sightings = _select(book)
    real = see(book, photos, products, history, workshop, sightings=sightings)
    if not real.items.num_rows:
        raise EmptyEditionError(
            f"edition {edition}: no garment was found in any of {photos.num_rows} photos that is not a repetition; "
            "`lookbench why PHOTO` tells the reasons: check the detector and what was crawled"
        )
    made, provenance = _generate(book, real, products, workshop)
    past = history.append(edition, edition_file(real.fingerprints, real.decisions, real.photos))
    unreal = see(book, made, products, past, workshop, generated=provenance, seeds=real.fingerprints)

    garments = pa.concat_tables([real.items, unreal.items])
    pictures = pa.concat_tables([real.photos, unreal.photos])
    labels = labelling.prelabel(book, garments, products, pictures).tables["labels"]
    labelling.push(book, garments, labels, pictures, workshop)

    book.save(state=editions.AWAITING_LABELS)
    rows = funnel.rows({name: step.result.ledger for name, step in book.done.items()})
    artifacts.funnel(rows)
    return {"edition": edition, "state": book.record.state, "items": garments.num_rows, "funnel": rows}


def _history(book: Edition) -> History:
    """Return what the editions before hold and the listed sets; a past that is lost is never taken for none."""
    history = History.load(book.catalog, before=book.name)
    known = {part.name for part in history.parts}
    frozen = [record for record in editions.records(book.catalog) if record.state == editions.FROZEN]
    lost = [record for record in frozen if record.edition < book.name and record.edition not in known]
    if lost:
        raise editions.EditionError(
            f"edition {book.name}: {book.catalog.root}/history holds no fingerprints of edition {lost[0].edition}, so "
            f"that its photos could come again: run `lookbench history rebuild {lost[0].release}`"
        )
    return history


def _select(book: Edition) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Choose the photos of the edition, and keep the products as they are known now: a later crawl changes nothing."""
    photos, products = views.photos(book.catalog), views.products(book.catalog)
    sightings = book.catalog.read("sightings")
    since, until = book.record.since, book.record.opened_at
    chosen = book.step(
        "select",
        lambda: select.new_photos(photos, products, sightings, since, until, edition=book.name),
        inputs={"photos": photos, "products": products, "sightings": sightings},
        settings={"since": since, "until": until},
        subject="photo",
        ids=photos["photo_id"].to_pylist(),
        room="flows",
    ).tables
    if not chosen["photos"].num_rows:
        raise EmptyEditionError(
            f"edition {book.name} has no new photo in {book.catalog.root} (first seen after {since}, up to {until}): "
            "crawl first"
        )
    return chosen["photos"], chosen["products"], chosen["sightings"]


def _generate(book: Edition, real: Seen, products: pa.Table, workshop: Workshop) -> tuple[pa.Table, pa.Table]:
    policy, seed, now = workshop.settings.generation, workshop.settings.seed, book.record.opened_at
    seeds = {"edition": book.name, "seed": seed, "products": products, "photos": real.photos}
    plans = generation.planned(real.items, policy, **seeds)
    with track("generate") as progress:
        made = book.step(
            "generate",
            lambda: generation.generate(
                real.items, book.catalog, workshop.generator, policy, now=now, progress=progress, **seeds
            ),
            inputs={"items": real.items, "products": products, "photos": real.photos},
            settings={
                **asdict(policy),
                "model": workshop.pins["generator"],
                "seed": seed,
                "now": now,
            },
            subject="seed",
            ids=[plan.id for plan in plans],
            room="generation",
        )
    return made.tables["photos"], made.tables["generated"]
