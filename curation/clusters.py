"""Clusters of pictures that repeat each other: which one stays, and the date that all of them share."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from curation.pairs import Pair

ORIGINS = {"retail": 0, "street": 1, "generated": 2}


@dataclass(frozen=True)
class Dated:
    """The earliest evidence that a picture existed."""

    date: datetime
    evidence: Mapping[str, Any]
    """Source, photo, address and edition of that evidence."""


def earliest(photo: Mapping[str, Any]) -> Dated:
    """Return the earliest evidence of a row of table photos: its first sighting, or an earlier date its page claims."""
    seen, claimed = photo["first_seen"], photo["published_at"]
    source = "published_at" if claimed is not None and claimed < seen else "first_seen"
    evidence = {
        "source": source,
        "photo_id": photo["photo_id"],
        "url": photo["source_url"],
        "page_url": photo["page_url"],
        "first_seen": seen.isoformat(),
    }
    return Dated(photo[source], evidence)


def groups(size: int, pairs: Iterable[Pair]) -> list[list[int]]:
    """Return the clusters that pairs of the new side make of ``size`` pictures, singles too, ordered by their first."""
    parent = list(range(size))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for pair in pairs:
        if not pair.past:
            one, other = sorted((root(pair.a), root(pair.b)))
            parent[other] = one
    joined: dict[int, list[int]] = {}
    for place in range(size):
        joined.setdefault(root(place), []).append(place)
    return list(joined.values())


def best(members: Sequence[int], photos: Sequence[Mapping[str, Any]]) -> int:
    """Return the member that stays: no generated picture before a real one, then the largest, the oldest, by id."""

    def rank(place: int) -> tuple[Any, ...]:
        photo = photos[place]
        size = (photo["width"] or 0) * (photo["height"] or 0)
        return ORIGINS.get(photo["origin"], 3), -size, earliest(photo).date, photo["photo_id"]

    return min(members, key=rank)


def inherited(own: Dated, others: Iterable[tuple[Dated, Pair | None]]) -> Dated:
    """Return the oldest of a picture's own evidence and its twins', saying which pair it came through."""
    oldest, through = own, None
    for dated, pair in others:
        if dated.date < oldest.date:
            oldest, through = dated, pair
    if oldest is own:
        return own
    link = {"tier": through.tier, "distance": through.distance} if through else {}
    return Dated(oldest.date, {**oldest.evidence, "inherited": True, **link})


def as_json(evidence: Mapping[str, Any]) -> str:
    """Return evidence as the JSON that tables hold."""
    return json.dumps(evidence, sort_keys=True, default=str)
