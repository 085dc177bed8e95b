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
from curation.history import History
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
    """Make edition ``edition`` (by default the month of the clock) up to the state *awaiting labels*; returns its funnel.

    Run again, or after a kill, it goes on where it was and comes to the same edition.
    """
    workshop = Workshop.open(root=root, settings=settings, now=now)
    edition = edition or f"{workshop.now:%Y.%m}"
    book = editions.begin(workshop.catalog, edition, workshop.now)
    products = views.products(workshop.catalog)
    history = History.load(workshop.catalog)

    photos = _select(book)
    real = see(book, photos, products, history, workshop)
    if not real.items.num_rows:
        raise EmptyEditionError(
            f"edition {edition}: no garment was found in any of {photos.num_rows} photos that is not a repetition; "
            f"the reasons are in the ledger (`lookbench why PHOTO`): check the detector and what was crawled"
        )
    made, pictures = _generate(book, real, workshop)
    unreal = see(
        book,
        made,
        products,
        history.with_edition(book.name, real.fingerprints, real.decisions),
        workshop,
        generated=pictures,
    )

    garments = pa.concat_tables([real.items, unreal.items])
    shown = pa.concat_tables([real.photos, unreal.photos])
    labels = labelling.prelabel(book, garments, products, shown, [real, unreal], workshop)
    labelling.push(book, garments, labels, shown, workshop)

    book.save(state=editions.AWAITING_LABELS)
    rows = funnel.rows({name: step.result.ledger for name, step in book.done.items()})
    artifacts.funnel(rows)
    return {"edition": edition, "state": book.record.state, "items": garments.num_rows, "funnel": rows}


def _select(book: Edition) -> pa.Table:
    known = views.photos(book.catalog)
    since, until = book.record.since, book.record.opened_at
    chosen = book.step(
        "select",
        lambda: select.new_photos(known, since, until, edition=book.name),
        inputs={"photos": known},
        settings={"since": since, "until": until},
        subject="photo",
        ids=known["photo_id"].to_pylist(),
        room="flows",
    ).tables["photos"]
    if not chosen.num_rows:
        raise EmptyEditionError(
            f"edition {book.name} has no new photo in {book.catalog.root} (first seen after {since}, up to {until}): "
            "crawl first"
        )
    return chosen


def _generate(book: Edition, real: Seen, workshop: Workshop) -> tuple[pa.Table, pa.Table]:
    policy, clock = workshop.settings.generation, book.record.opened_at
    seeds = generation.seeds(real.items, real.photos, policy)
    with track("generate") as progress:
        made = book.step(
            "generate",
            lambda: generation.generate(
                seeds,
                book.catalog,
                workshop.generator,
                policy,
                edition=book.name,
                seed=workshop.settings.seed,
                now=clock,
                progress=progress,
            ),
            inputs={"items": seeds},
            settings={
                **asdict(policy),
                "model": workshop.settings.models.generator.model_dump(),
                "seed": workshop.settings.seed,
                "now": clock,
            },
            subject="seed",
            ids=[],
            room="generation",
        )
    return made.tables["photos"], made.tables["generated"]
