"""The shop of real photos: a product for each photo, honest variants of it, and composed looks."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demo import wording
from demo.compose import role_of
from demo.files import Progress, cut_all
from demo.plan import Entry, LookEntry, Original, Picture, Plan, by_role, day_of, outfits, relisted, shape_of
from demo.records import Product
from demo.shots import LookShot, RealShot, turns

_PRICE_NAMES = {
    "Shoes": "shoe",
    "Dress": "dress",
    "Pants": "pants",
    "Outwear": "jacket",
    "Blazer": "jacket",
    "Skirt": "skirt",
    "Hat": "hat",
}


@dataclass(frozen=True)
class Snap:
    """A row of `photos.csv`: its number, its file, who sent it, its label, whether it is for children."""

    number: int
    file: Path
    sender: str
    label: str
    kids: bool


def read_snaps(folder: Path) -> list[Snap]:
    """Rows of `photos.csv` whose file exists. A missing CSV or a folder without photos is a FileNotFoundError."""
    table = folder / "photos.csv"
    if not table.exists():
        raise FileNotFoundError(
            f"{table} does not exist; a photo folder needs photos.csv (file, sender_id, label, kids) beside images/"
        )
    snaps = []
    with table.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 1):
            file = folder / row["file"]
            if file.exists():
                kids = row.get("kids", "").strip().lower() == "true"
                snaps.append(Snap(number, file, row["sender_id"], row["label"].strip(), kids))
    if not snaps:
        raise FileNotFoundError(
            f"none of the files named in {table} exists; point --photos at the folder that holds images/"
        )
    return snaps


def choose(snaps: Sequence[Snap], count: int | None, seed: int) -> list[Snap]:
    """`count` photos balanced over labels (label by label in turn, shuffled inside), or all of them, shuffled."""
    rng = np.random.default_rng((seed, 43))
    mixed = [snaps[i] for i in rng.permutation(len(snaps))]
    if count is None or count >= len(mixed):
        return mixed
    queues: dict[str, list[Snap]] = {}
    for snap in sorted(mixed, key=lambda s: s.label):
        queues.setdefault(snap.label, []).append(snap)
    taken: list[Snap] = []
    while len(taken) < count:
        for queue in queues.values():
            if queue and len(taken) < count:
                taken.append(queue.pop(0))
    return taken


def plan(
    folder: Path, season: int, seed: int, products: int | None, looks: int, root: Path, *, workers: int = 0,
    progress: Progress | None = None,
) -> Plan:  # fmt: skip
    """A third of the photos hangs in both seasons, a third in each; `products` is the number a season sells.

    At least 15 products of season two (or a quarter of its new half) are season one's photos listed again.
    """
    snaps = choose(read_snaps(folder), None if products is None else products // 2 * 3, seed)
    half = len(snaps) // 3
    stays, goes, comes = snaps[0::3][:half], snaps[1::3][:half], snaps[2::3][:half]
    kept = [_entry(s, k, seed, 1) for k, s in enumerate(stays)]
    first = [_entry(s, half + k, seed, 1) for k, s in enumerate(goes)]
    if season == 1:
        changing = first
        entries = kept + first
    else:
        again = min(max(15, half // 20), half // 2)
        changing = [_entry(s, 2 * half + k, seed, 2) for k, s in enumerate(comes[: half - again])]
        back = [relisted(e, 3 * half + k, k, seed * 1000 + k) for k, e in enumerate(first[:again])]
        entries = kept + changing + back
    whole = cut_all([_file_of(e) for e in entries if _file_of(e)], root, workers=workers, progress=progress)
    styled = _looks(kept, [], looks // 2, 0, 1, seed, whole)
    styled += _looks(changing, kept, looks - looks // 2, looks * season, season, seed, whole)
    return Plan(season, True, tuple(entries), tuple(styled))


def _entry(snap: Snap, place: int, seed: int, season: int) -> Entry:
    rng = np.random.default_rng((seed, 47, snap.number))
    noun = "Garment" if snap.label in ("Not sure", "Other") else snap.label
    title = f"{noun} {snap.number:04d}"
    handle = wording.slug(title)
    gender = "kids" if snap.kids else "unisex"
    department = wording.REAL_DEPARTMENTS.get(snap.label, wording.ACCESSORIES if snap.label == "Hat" else wording.OTHER)
    price, regular = wording.price_of(_PRICE_NAMES.get(snap.label, "top"), snap.number % 5, rng)
    shape = shape_of(place)
    count = int(rng.choice([1, 1, 1, 2, 2, 3]))
    pictures: list[Picture] = [Original(f"{handle}-1{snap.file.suffix.lower()}", str(snap.file))]
    for k, turn in enumerate(turns(rng, count)):
        pictures.append(RealShot(f"{handle}-{k + 2}.jpg", str(snap.file), seed * 100_000 + snap.number * 8 + k, turn))
    product = Product(
        handle=handle,
        shape=shape,
        title=title,
        description=f"{noun}, photographed by its owner. The first picture is that photo; the others are made from it.",
        department=department,
        breadcrumbs=("Home", gender.title(), department),
        price=price,
        regular_price=regular,
        currency=wording.CURRENCY,
        brand="",
        colour="",
        material="",
        gender=gender,
        sku=f"LB-{snap.number:05d}",
        gtin=wording.gtin_of(snap.number),
        sizes=(),
        available=True,
        published=day_of(place, season),
        details=(("Label", snap.label), ("Photo", f"{snap.number:04d}")),
        photos=(),
        stale_markup=bool(regular) and shape == "offers-list",
    )
    alts = (title, *(f"{title}, another view" for _ in range(count)))
    return Entry(product, tuple(pictures), alts, {"label": snap.label, "sender": snap.sender, "file": snap.file.name})


def _file_of(entry: Entry) -> str:
    first = entry.pictures[0]
    return first.photo if isinstance(first, Original) else ""


def _looks(
    changing: list[Entry], staying: list[Entry], count: int, start: int, season: int, seed: int, whole: dict[str, bool]
) -> list[LookEntry]:
    rng = np.random.default_rng((seed, 53, start))

    def role(entry: Entry) -> str:
        return "small" if entry.product.gender == "kids" else role_of(entry.truth["label"])

    chosen = outfits(by_role(changing, staying, role), count, rng, lambda e: whole.get(_file_of(e), False))
    return [_look(entries, start + k, season, seed) for k, entries in enumerate(chosen)]


def _look(chosen: list[Entry], number: int, season: int, seed: int) -> LookEntry:
    handle = f"composed-look-{number:03d}"
    names = [e.product.title for e in chosen]
    garments: list[dict[str, Any]] = [{**e.truth, "product": e.product.handle} for e in chosen]
    setting = ("street", "street", "flat", "street", "studio")[number % 5]
    return LookEntry(
        handle=handle,
        title=f"Composed Look {number:03d}",
        text=f"This picture is composed: {', '.join(names)}, cut out of their own photos and put together.",
        alt=f"Composed look: {', '.join(names)}",
        picture=LookShot(
            f"{handle}.jpg", seed * 1000 + number, setting, photos=tuple(_file_of(e) for e in chosen),
            categories=tuple(e.truth["label"] for e in chosen),
        ),
        products=tuple(e.product.handle for e in chosen),
        published=day_of(number, season),
        composed=True,
        garments=tuple(garments),
    )  # fmt: skip
