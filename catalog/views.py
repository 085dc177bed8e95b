"""The catalog as it stands: one row per product and per photo, merged from everything ever appended."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.store import Catalog


def products(catalog: Catalog) -> pa.Table:
    """Return one row per product_id: the latest reading, with the earliest first_seen ever recorded.

    A product that did not change has no new row: the sightings of its photos tell when it was last seen.
    """
    merged: dict[str, dict[str, Any]] = {}
    for row in sorted(catalog.read("products").to_pylist(), key=lambda row: row["last_seen"]):
        known = merged.get(row["product_id"], row)
        merged[row["product_id"]] = {**row, "first_seen": min(row["first_seen"], known["first_seen"])}
    for part in catalog.parts("sightings", ["product_id", "seen_at"], pc.is_valid(pc.field("photo_id"))):
        for row in part.group_by("product_id").aggregate([("seen_at", "max")]).to_pylist():
            if product := merged.get(row["product_id"]):
                product["last_seen"] = max(product["last_seen"], row["seen_at_max"])
    return tables.from_rows("products", [merged[key] for key in sorted(merged)])


def photos(catalog: Catalog) -> pa.Table:
    """Return one row per photo_id: as first seen; later rows only fill what an earlier one left null.

    A look keeps every product that any of its pages ever linked.
    """
    merged: dict[str, dict[str, Any]] = {}
    for row in sorted(catalog.read("photos").to_pylist(), key=lambda row: row["first_seen"]):
        known = merged.setdefault(row["photo_id"], row)
        for column, value in row.items():
            if known[column] is None:
                known[column] = value
        known["shows"] = sorted({*(known["shows"] or []), *(row["shows"] or [])}) or None
    return tables.from_rows("photos", [merged[key] for key in sorted(merged)])
