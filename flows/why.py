"""The whole life of a photo, item or product: every row of every table and ledger that names it."""

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog import steps, views
from catalog.errors import LookbenchError
from catalog.store import Catalog
from flows import edition as editions
from flows.evidence import pages

SHORTEST = 6  # characters of an id that are still safe to look up by prefix


class UnknownId(LookbenchError):  # noqa: N818 - names what happened
    """No table and no ledger names the id."""


def life(catalog: Catalog, id: str) -> list[dict[str, Any]]:
    """Return the events of ``id`` (or a unique prefix of at least six characters) in the order they happened.

    Each event is ``{"where", "what", "outcome", "reason", "evidence"}``; events of the items of a photo are included.
    Raises UnknownId when nothing names it and when a prefix fits several ids.
    """
    full = _resolve(catalog, id)
    events = [*_sightings(catalog, full), *_told("crawl", _about(catalog.read("ledger"), {full}, full))]
    related = {full}
    for record in editions.records(catalog):
        for name, path in record.steps.items():
            rows = _about(steps.load(catalog, f"{catalog.path}/{path}").ledger, related, full)
            related.update(row["id"] for row in rows if row["parent_id"] == full)
            events += _told(f"edition {record.edition}, {name}", rows)
    return events


def _about(ledger: pa.Table, ids: set[str], parent: str) -> list[dict[str, Any]]:
    mask = pc.or_kleene(pc.is_in(ledger["id"], pa.array(sorted(ids))), pc.equal(ledger["parent_id"], parent))
    rows: list[dict[str, Any]] = ledger.filter(pc.fill_null(mask, False)).to_pylist()
    return rows


def _told(where: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "where": where,
            "what": f"{row['subject']} {row['id']}",
            "outcome": row["outcome"],
            "reason": row["reason"],
            "evidence": json.loads(row["evidence"]) if row["evidence"] else None,
        }
        for row in rows
    ]


def _resolve(catalog: Catalog, id: str) -> str:
    known: set[str] = set(views.photos(catalog)["photo_id"].to_pylist()) | set(
        views.products(catalog)["product_id"].to_pylist()
    )
    for record in editions.records(catalog):
        for path in record.steps.values():
            known.update(steps.load(catalog, f"{catalog.path}/{path}").ledger["id"].to_pylist())
    if id in known:
        return id
    fitting = sorted(key for key in known if key and key.startswith(id)) if len(id) >= SHORTEST else []
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UnknownId(f"id {id!r} fits {len(fitting)} ids, {fitting[0]} and {fitting[1]} among them: give more of it")
    raise UnknownId(f"id {id!r} is not in {catalog.root}: no photo, item or product of that name was ever seen")


def _sightings(catalog: Catalog, id: str) -> list[dict[str, Any]]:
    mine = (pc.field("photo_id") == id) | (pc.field("product_id") == id)
    found = catalog.read("sightings", where=mine).to_pylist()
    about = {(page["at"], page["seen_at"]): page for page in pages(catalog, {row["page_url"] for row in found})}
    return [
        {
            "where": f"crawl of {row['site']}",
            "what": f"photo {row['photo_id']}",
            "outcome": "seen" if row["photo_id"] else "failed",
            "reason": row["status"],
            "evidence": {
                "seen_at": row["seen_at"].isoformat(),
                "url": row["url"],
                "page_url": row["page_url"],
                **_dated(about.get((row["page_url"], row["seen_at"].isoformat()), {})),
            },
        }
        for row in sorted(found, key=lambda row: row["seen_at"])
    ]


def _dated(page: dict[str, Any]) -> dict[str, Any]:
    """Return of a page's evidence what speaks of its date: which dates, where its bytes lie."""
    return {name: page[name] for name in ("how", "dates", "warc", "revisit") if name in page}
