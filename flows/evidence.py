"""When a page was there, shown by its bytes: the ledger says where they lie, WARC files hold them."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pyarrow.compute as pc

from catalog.store import Catalog
from crawlers import warc
from crawlers.warc import EvidenceError


def pages(catalog: Catalog, urls: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Return what the crawls of all nights recorded of pages, oldest first: ``at`` (address), ``seen_at``, ``how``,
    ``dates`` with ``disagree``, ``warc`` (the bytes) and ``revisit`` (the record that says: unchanged)."""
    told = (pc.field("subject") == "page") & pc.match_substring(pc.field("evidence"), '"seen_at"')
    rows = catalog.read("ledger", ["id", "evidence"], told)
    found = [{"id": row["id"], **json.loads(row["evidence"])} for row in rows.to_pylist()]
    wanted = None if urls is None else set(urls)
    mine = [row for row in found if wanted is None or wanted & {row["id"], row["at"]}]
    return sorted(mine, key=lambda row: str(row["seen_at"]))


def show(catalog: Catalog, subject: str, until: datetime | None = None) -> tuple[dict[str, Any], bytes]:
    """Return the latest evidence of a page up to ``until`` and the bytes that it was read from.

    ``subject`` is the address of a page, or a photo id: then the page on which the photo was first seen is shown.
    Raises EvidenceError when no crawl kept such a page, or its bytes are gone or damaged.
    """
    url, exact = subject, None
    if "://" not in subject:
        url, exact = _first_page(catalog, subject)
    limit = exact or until
    limit = limit.replace(tzinfo=limit.tzinfo or UTC) if limit else None
    kept = [row for row in pages(catalog, [url]) if row.get("warc")]
    found = [row for row in kept if limit is None or datetime.fromisoformat(row["seen_at"]) <= limit]
    if not found:
        when = f" up to {limit.isoformat()}" if limit else ""
        raise EvidenceError(f"no bytes of {url} are kept{when} ({len(kept)} later); give the address as crawled")
    headers, body = warc.read(catalog, found[-1]["warc"])
    return {**found[-1], "bytes": len(body), "record": headers["WARC-Record-ID"]}, body


def _first_page(catalog: Catalog, photo_id: str) -> tuple[str, datetime]:
    mine = catalog.read("sightings", ["page_url", "seen_at"], pc.field("photo_id") == photo_id).to_pylist()
    if not mine:
        raise EvidenceError(f"{photo_id!r} is neither an address nor the full id of a photo that was seen")
    first = min(mine, key=lambda row: row["seen_at"])
    return first["page_url"], first["seen_at"]
