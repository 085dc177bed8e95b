"""Identifiers: derived from content, so that the same thing has the same id on every machine and every run."""

import hashlib
from collections.abc import Sequence


def sha256(data: bytes) -> str:
    """Return the sha256 of ``data`` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def product_id(site: str, canonical_url: str) -> str:
    """Return the id of a product of ``site``: ``p-`` and 20 hex digits."""
    return "p-" + sha256(f"{site}\n{canonical_url}".encode())[:20]


def item_id(photo_id: str, box: Sequence[float]) -> str:
    """Return the id of one garment in one photo; ``box`` is xyxy in pixels of the upright photo."""
    corners = ",".join(str(round(value)) for value in box)
    return "i-" + sha256(f"{photo_id}\n{corners}".encode())[:20]
