"""Which products and looks a season sells, before any picture is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from demo.records import Product
from demo.shots import KINDS, Copy, DrawnShot, LookShot, RealShot

_SPRING, _AUTUMN = date(2026, 3, 2), date(2026, 9, 1)
_SHAPE_CYCLE = (
    "offers-list", "microdata", "graph", "offers-list", "opengraph", "product-group", "script", "graph",
    "aggregate-offer",
    "visible", "offers-list", "microdata",
)  # fmt: skip

_OUTFITS = (
    ("top", "bottom", "shoe", "bag"), ("hat", "top", "bottom", "shoe"), ("dress", "shoe", "bag", "hat"),
    ("outer", "bottom", "shoe"),
    ("hat", "top", "bottom", "shoe", "bag"), ("top", "bottom", "scarf"), ("dress", "hat", "shoe"),
    ("outer", "top", "bottom"),
)  # fmt: skip


@dataclass(frozen=True)
class Original:
    """A real photo's own file, served byte for byte."""

    name: str
    photo: str


Picture = Original | DrawnShot | RealShot | LookShot | Copy


@dataclass(frozen=True)
class Entry:
    """A product to be: its text, how to make its photos, their alternative texts, and what tests may know."""

    product: Product
    pictures: tuple[Picture, ...]
    alts: tuple[str, ...]
    truth: dict[str, Any]


@dataclass(frozen=True)
class LookEntry:
    """A look to be: its text and its picture (`look.photo` is filled in later)."""

    handle: str
    title: str
    text: str
    alt: str
    picture: LookShot
    products: tuple[str, ...]
    published: str
    composed: bool
    garments: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Plan:
    """One season before its pictures are made."""

    season: int
    real: bool
    entries: tuple[Entry, ...]
    looks: tuple[LookEntry, ...]
    hidden: Entry | None = None
    notes: dict[str, Any] = field(default_factory=dict)


def day_of(number: int, season: int) -> str:
    """Publication day of the product or look with that number, spread over a season of 88 days."""
    first = _SPRING if season == 1 else _AUTUMN
    return (first + timedelta(days=number * 37 % 88)).isoformat()


def shape_of(number: int) -> str:
    """Markup shape of a product: every shape appears, the common ones more often."""
    return _SHAPE_CYCLE[(number * 7 + number // 12) % len(_SHAPE_CYCLE)]


def relisted(source: Entry, number: int, nth: int, seed: int) -> Entry:
    """An old product's pictures under a new name, page and day; each picture changed in the same way."""
    kind = KINDS[nth % len(KINDS)]
    old = source.product
    handle = f"{old.handle.rsplit('-', 1)[0]}-re{number:04d}"
    pictures = []
    for k, picture in enumerate(source.pictures):
        if isinstance(picture, Original):
            pictures.append(Copy(f"{handle}-{k + 1}.jpg", picture.photo, kind, seed + k))
        elif isinstance(picture, DrawnShot | RealShot):
            pictures.append(Copy(f"{handle}-{k + 1}.jpg", picture, kind, seed + k))
    product = replace(
        old,
        handle=handle,
        shape=shape_of(number),
        title=f"{old.title}, Back Again",
        sku=f"LB-{number:05d}",
        published=day_of(number, 2),
        photos=(),
    )
    copies = [{"photo": c.name, "of": p.name, "kind": kind} for c, p in zip(pictures, source.pictures, strict=True)]
    return Entry(product, tuple(pictures), source.alts, {**source.truth, "relists": old.handle, "copies": copies})


def spread(weights: dict[str, float], count: int) -> list[str]:
    """`count` names in proportion to their weights, evenly interleaved (each step takes the one most behind)."""
    total = sum(weights.values())
    given = dict.fromkeys(weights, 0)
    order: list[str] = []
    for step in range(1, count + 1):
        name = max(weights, key=lambda n: weights[n] / total * step - given[n])
        given[name] += 1
        order.append(name)
    return order


def outfits(
    pools: dict[str, Sequence[Entry]],
    count: int,
    rng: np.random.Generator,
    usable: Callable[[Entry], bool] | None = None,
) -> list[list[Entry]]:
    """Outfits of 3 to 5 entries by role, each entry used again only when its whole pool was.

    Roles without a `usable` entry are left out, and so are outfits of fewer than 3 or seen before; there may be fewer
    than `count`.
    """
    queues = {role: [pool[i] for i in rng.permutation(len(pool))] for role, pool in pools.items() if len(pool)}
    made: list[list[Entry]] = []
    seen: set[frozenset[str]] = set()
    for nth in range(count * len(_OUTFITS)):
        if len(made) == count:
            break
        chosen = [e for e in (_next(queues.get(role, []), usable) for role in _OUTFITS[nth % len(_OUTFITS)]) if e]
        known = frozenset(e.product.handle for e in chosen)
        if len(chosen) >= 3 and known not in seen:
            seen.add(known)
            made.append(chosen)
    return made


def _next(queue: list[Entry], usable: Callable[[Entry], bool] | None) -> Entry | None:
    """First usable entry of a queue, which then goes to its end; unusable ones leave the queue."""
    while queue:
        entry = queue.pop(0)
        if usable is None or usable(entry):
            queue.append(entry)
            return entry
    return None


def by_role(
    changing: Sequence[Entry], staying: Sequence[Entry], role: Callable[[Entry], str]
) -> dict[str, Sequence[Entry]]:
    """Entries by what they do in an outfit; a role that the changing ones lack is filled from the staying ones."""
    pools: dict[str, list[Entry]] = {}
    for entry in changing:
        pools.setdefault(role(entry), []).append(entry)
    missing: dict[str, list[Entry]] = {}
    for entry in staying:
        if role(entry) not in pools:
            missing.setdefault(role(entry), []).append(entry)
    return {name: entries for name, entries in (pools | missing).items() if name != "small"}
