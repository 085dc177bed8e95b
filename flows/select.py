"""Which photos belong to an edition: those first seen in its window."""

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.ledger import Ledger
from catalog.steps import StepResult


def new_photos(
    photos: pa.Table,
    products: pa.Table,
    sightings: pa.Table,
    since: datetime | None,
    until: datetime,
    *,
    edition: str,
) -> StepResult:
    """Keep photos first seen after ``since`` (the edition before opened then) and not after ``until``.

    Returns tables ``photos``, ``products`` (all of them, as known now) and ``sightings`` (of the kept photos, not after
    ``until``); the ledger has one row per photo of the catalog.
    """
    ledger, kept = Ledger("select", "photo", edition), []
    for row in photos.to_pylist():
        seen = {"first_seen": row["first_seen"].isoformat()}
        if since is not None and row["first_seen"] <= since:
            ledger.dropped(row["photo_id"], "earlier_edition", evidence={**seen, "since": since.isoformat()})
        elif row["first_seen"] > until:
            ledger.dropped(row["photo_id"], "later_edition", evidence={**seen, "until": until.isoformat()})
        else:
            ledger.kept(row["photo_id"], evidence=seen)
            kept.append(row)
    chosen = tables.from_rows("photos", kept)
    seen = sightings.filter(
        pc.and_(pc.is_in(sightings["photo_id"], chosen["photo_id"]), pc.less_equal(sightings["seen_at"], until))
    )
    return StepResult({"photos": chosen, "products": products, "sightings": seen}, ledger.table())
