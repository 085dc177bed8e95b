"""From photos to garments worth keeping: the same road for photos of shops and for generated pictures."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation import duplicates, fingerprint, identity, items, screen
from curation.history import History
from curation.review import verdicts as reviews
from flows.edition import Edition
from flows.progress import track
from flows.workshop import Workshop

SCREENING = ("decency", "text")
DETECTING = ("detector", "embedder", "probe", "probe_embedder", "faces", "people")


@dataclass(frozen=True)
class Seen:
    """What is kept of a set of photos, and what was decided about each of them."""

    photos: pa.Table
    items: pa.Table
    fingerprints: pa.Table
    decisions: pa.Table


def see(
    book: Edition,
    photos: pa.Table,
    products: pa.Table,
    history: History,
    workshop: Workshop,
    *,
    sightings: pa.Table | None = None,
    generated: pa.Table | None = None,
    seeds: pa.Table | None = None,
) -> Seen:
    """Screen, detect, fingerprint, tie garments to products, and drop what repeats.

    ``sightings`` tell which products share a photo. With ``generated`` (table generated) the photos are AI pictures:
    each garment is held against the seed it was made from (``seeds``: their fingerprints), and the steps are named
    ``generated-…``.
    """
    settings, catalog, prefix = workshop.settings, book.catalog, "" if generated is None else "generated-"
    said = reviews.load(catalog, book.name)
    screened_by, detected_by, judged_by = (said.get(prefix + step, {}) for step in ("screen", "detect", "deduplicate"))

    with track(f"{prefix}screen") as progress:
        screened = book.step(
            f"{prefix}screen",
            lambda: screen.screen(
                photos,
                catalog,
                settings.screen,
                edition=book.name,
                products=products,
                sightings=sightings,
                gate=workshop.decency,
                text=workshop.text,
                verdicts=screened_by,
                progress=progress,
            ),
            inputs={"photos": photos, "products": products, **({} if sightings is None else {"sightings": sightings})},
            settings={**asdict(settings.screen), "models": _pins(workshop, SCREENING), "verdicts": screened_by},
            subject="photo",
            ids=photos["photo_id"].to_pylist(),
        ).tables["photos"]

    with track(f"{prefix}detect") as progress:
        found = book.step(
            f"{prefix}detect",
            lambda: items.find(
                screened,
                products,
                catalog,
                workshop.detector,
                settings.items,
                edition=book.name,
                verdicts=detected_by,
                faces=workshop.faces,
                progress=progress,
            ),
            inputs={"photos": screened, "products": products},
            settings={**asdict(settings.items), "models": _pins(workshop, DETECTING), "verdicts": detected_by},
            subject="photo",
            ids=screened["photo_id"].to_pylist(),
        ).tables["items"]

    shown = screened.filter(pc.is_in(screened["photo_id"], found["photo_id"]))
    with track(f"{prefix}fingerprint") as progress:
        prints = book.step(
            f"{prefix}fingerprint",
            lambda: fingerprint.fingerprint(
                shown, found, catalog, workshop.embedder, settings.fingerprint, edition=book.name, progress=progress
            ),
            inputs={"photos": shown, "items": found},
            settings={**asdict(settings.fingerprint), "model": workshop.pins["embedder"]},
            subject="item",
            ids=found["item_id"].to_pylist(),
        ).tables["fingerprints"]

    known = (
        _tie(book, found, prints, products, shown, workshop)
        if generated is None
        else _check(book, found, pa.concat_tables([prints, seeds]), generated, workshop)
    )

    with track(f"{prefix}deduplicate") as progress:
        decisions = book.step(
            f"{prefix}deduplicate",
            lambda: duplicates.find(
                known,
                shown,
                products,
                prints,
                history,
                catalog,
                settings.duplicates,
                edition=book.name,
                verdicts=judged_by,
                progress=progress,
            ),
            inputs={"photos": shown, "items": known, "fingerprints": prints},
            settings={**asdict(settings.duplicates), "history": history.digest, "verdicts": judged_by},
            subject="photo",
            ids=shown["photo_id"].to_pylist(),
        ).tables["decisions"]

    kept = decisions.filter(decisions["kept"])["id"]
    return Seen(
        shown.filter(pc.is_in(shown["photo_id"], kept)),
        known.filter(pc.is_in(known["photo_id"], kept)),
        prints.filter(pc.is_in(prints["photo_id"], kept)),
        decisions,
    )


def _pins(workshop: Workshop, names: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return what the result of a step owes to its models, of those that the settings have."""
    return {name: pin for name, pin in workshop.pins.items() if name in names}


def _tie(
    book: Edition, found: pa.Table, prints: pa.Table, products: pa.Table, photos: pa.Table, workshop: Workshop
) -> pa.Table:
    policy = workshop.settings.identity
    return book.step(
        "tie-to-products",
        lambda: identity.assign(found, prints, products, photos, policy, edition=book.name),
        inputs={"items": found, "fingerprints": prints, "products": products, "photos": photos},
        settings=asdict(policy),
        subject="item",
        ids=found["item_id"].to_pylist(),
    ).tables["items"]


def _check(book: Edition, found: pa.Table, prints: pa.Table, generated: pa.Table, workshop: Workshop) -> pa.Table:
    policy = workshop.settings.identity
    return book.step(
        "generated-identity",
        lambda: identity.check(found, generated, prints, policy, edition=book.name),
        inputs={"items": found, "fingerprints": prints, "generated": generated},
        settings=asdict(policy),
        subject="item",
        ids=found["item_id"].to_pylist(),
    ).tables["items"]
