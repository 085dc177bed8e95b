"""What a named object of state leaves to others: its colours and sizes below it, its prices and pictures beside it."""

from collections.abc import Iterator, Mapping
from typing import Any

from crawlers.readers import objects
from crawlers.readers.records import Claim

MAX_DEPTH = 4
MAX_MEMBERS = 300
_IDS = ("id", "code", "sku", "number", "pid", "articleno")


def complete(
    made: Claim,
    node: Mapping[str, Any],
    parent: Mapping[str, Any],
    context: tuple[str, str | None, str | None],
    address: str,
) -> None:
    """Fill in the prices and pictures that a claim lacks: from the member below ``node`` that the page's address
    names, else the first that has them, else from what stands beside ``node`` in ``parent``.

    ``context`` is (base address, region, currency) as ``objects.claim`` takes them.
    """
    base, region, currency = context
    if made.prices() and made.images:
        return
    read = [
        (named_in(address, key, entry), objects.claim(objects.folded(entry), base, "", region, currency))
        for key, entry in _members(node)
    ]
    read.sort(key=lambda member: not member[0])
    found = [claim for _, claim in read]
    found += [
        objects.claim(objects.folded(entry), base, "", region, currency)
        for key, entry in parent.items()
        if isinstance(entry, dict) and entry is not node and not objects.ELSEWHERE.search(key)
    ]
    if not made.prices():
        priced = next((claim for claim in found if claim.prices()), None)
        if priced:
            made.offers = priced.offers
            made.color = made.color or priced.color
            made.images = made.images or priced.images
    if not made.images:
        made.images = next((claim.images for claim in found if claim.images), [])


def _members(node: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (key, object) for the objects below ``node``, the nearest first."""
    level: list[tuple[str, Any]] = list(node.items())
    count = 0
    for _ in range(MAX_DEPTH):
        below: list[tuple[str, Any]] = []
        for key, value in level:
            for entry in value[:100] if isinstance(value, list) else [value]:
                if not isinstance(entry, dict) or objects.ELSEWHERE.search(key):
                    continue
                count += 1
                if count > MAX_MEMBERS:
                    return
                yield key, entry
                below += entry.items()
        level = below


def named_in(address: str, key: str, entry: Mapping[str, Any]) -> bool:
    """Return whether a page's address holds the key or one of the numbers of an object."""
    values = [value for name, value in entry.items() if name.lower().endswith(_IDS) and isinstance(value, str | int)]
    return any(len(text) > 4 and text in address for text in map(str, [key, *values]))
