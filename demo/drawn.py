"""The shop of drawn garments: designs, texts and pictures from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from demo import wording
from demo.compose import role_of
from demo.plan import Entry, LookEntry, Plan, by_role, day_of, outfits, relisted, shape_of, spread
from demo.records import Product
from demo.shots import DrawnShot, LookShot, turns
from demo.spec import GarmentSpec, random_spec

_WEIGHTS: dict[str, float] = {
    "top": 6, "shirt": 4, "sweater": 4, "cardigan": 2, "jacket": 4, "coat": 2, "vest": 1, "dress": 6, "jumpsuit": 1.4,
    "pants": 4, "skirt": 3, "shorts": 2, "shoe": 4, "bag": 3, "hat": 2.4, "scarf": 1.5, "sock": 1,
    "tie": 0.5, "belt": 0.5, "glove": 0.5, "tights": 0.4, "leg warmer": 0.3, "headband": 0.4, "umbrella": 0.4,
    "watch": 0.4,
    "glasses": 0.4, "cape": 0.4,
}  # fmt: skip
_MOODS = (
    "Weekend",
    "Sunday Walk",
    "Office Day",
    "Market Morning",
    "Late Train",
    "Rooftop",
    "First Frost",
    "Gallery Hour",
)


def plan(season: int, seed: int, products: int, looks: int) -> Plan:
    """Season one sells numbers 0 to N-1; season two keeps the first half and adds as many, some of them old pictures
    listed again (at least 15, or a quarter of the new half when that is smaller)."""
    half = products // 2
    again = min(15, half // 2)
    names = spread(_WEIGHTS, products + half)
    first = [_entry(i, names[i], seed, 1) for i in range(products)]
    if season == 1:
        entries = first
    else:
        fresh = [_entry(i, names[i], seed, 2) for i in range(products, products + half - again)]
        old = first[half : half + again]
        back = [relisted(e, products + half - again + k, k, seed * 1000 + k) for k, e in enumerate(old)]
        entries = first[:half] + fresh + back
    hidden = _entry(99_999, "coat", seed, 1)
    return Plan(season, False, tuple(entries), tuple(_looks(entries, half, looks, season, seed)), hidden)


def _entry(number: int, category: str, seed: int, season: int) -> Entry:
    rng = np.random.default_rng((seed, number))
    spec = random_spec(rng, category)
    brand = int(rng.integers(len(wording.BRANDS)))
    title = wording.title_of(spec)
    handle = f"{wording.slug(title)}-{number:04d}"
    price, regular = wording.price_of(category, brand, rng)
    gender = wording.gender_of(spec, rng)
    department = wording.department_of(category)
    shape = shape_of(number)
    views = ("packshot", "flat", "flat", "detail")[: int(rng.choice([2, 2, 3, 3, 4]))]
    angles = turns(rng, len(views))
    shots = tuple(
        DrawnShot(f"{handle}-{k + 1}.jpg", spec, seed * 100_000 + number * 8 + k, view, angles[k])
        for k, view in enumerate(views)
    )
    product = Product(
        handle=handle,
        shape=shape,
        title=title,
        description=wording.description_of(spec, rng),
        department=department,
        breadcrumbs=("Home", gender.title(), department),
        price=price,
        regular_price=regular,
        currency=wording.CURRENCY,
        brand=wording.BRANDS[brand],
        colour=spec.colour,
        material=spec.material,
        gender=gender,
        sku=f"LB-{number:05d}",
        gtin=wording.gtin_of(number),
        sizes=wording.sizes_of(category),
        available=bool(rng.random() > 0.06),
        published=day_of(number, season),
        details=wording.details_of(spec),
        photos=(),
        stale_markup=bool(regular) and shape == "offers-list",
    )
    told = {"packshot": "", "flat": ", laid out", "detail": ", close up"}
    alts = tuple(f"{title}{told[v]}" for v in views)
    return Entry(product, shots, alts, {"category": category, "attributes": attributes_of(spec)})


def attributes_of(spec: GarmentSpec) -> list[list[str]]:
    """Facet and value of each attribute, by the names of the taxonomy."""
    rows = (
        ("type", spec.style), ("pattern", spec.pattern), ("neckline", spec.neckline),
        ("sleeve length", spec.sleeve_length),
        ("fit", spec.fit), ("length", spec.length), ("closure", spec.closure), ("material", spec.material),
        ("colour", spec.colour),
    )  # fmt: skip
    return [[facet, value] for facet, value in rows if value]


def _spec_of(entry: Entry) -> GarmentSpec | None:
    shot = entry.pictures[0]
    return shot.spec if isinstance(shot, DrawnShot) else None


def _looks(entries: list[Entry], half: int, count: int, season: int, seed: int) -> list[LookEntry]:
    """Half of the looks, of products that stay, hang in both seasons; the others change."""
    stays = [e for e in entries[:half] if _spec_of(e)]
    changes = [e for e in entries[half:] if _spec_of(e)]
    kept = _styled(stays, [], count // 2, 0, 1, seed)
    return kept + _styled(changes, stays, count - count // 2, count * season, season, seed)


def _styled(
    changing: list[Entry], staying: list[Entry], count: int, start: int, season: int, seed: int
) -> list[LookEntry]:
    rng = np.random.default_rng((seed, 41, start))
    pools = by_role(changing, staying, lambda e: role_of(e.truth["category"]))
    looks = []
    for nth, chosen in enumerate(outfits(pools, count, rng)):
        number = start + nth
        specs = [spec for spec in map(_spec_of, chosen) if spec]
        colours = list(dict.fromkeys(s.colour for s in specs))[:2]
        title = f"{_MOODS[number % len(_MOODS)]} in {wording.title_case(' and '.join(colours))}"
        handle = f"{wording.slug(title)}-{number:03d}"
        names = [e.product.title for e in chosen]
        garments: list[dict[str, Any]] = [{**e.truth, "product": e.product.handle} for e in chosen]
        setting = ("street", "street", "flat", "street", "studio")[number % 5]
        looks.append(
            LookEntry(
                handle=handle,
                title=title,
                text=f"We wear the {names[0]} with the {' and the '.join(names[1:])}. Five minutes, out of the door.",
                alt=f"Outfit: {', '.join(names)}",
                picture=LookShot(f"look-{handle}.jpg", seed * 1000 + number, setting, designs=tuple(specs)),
                products=tuple(e.product.handle for e in chosen),
                published=day_of(number, season),
                composed=False,
                garments=tuple(garments),
            )
        )
    return looks
