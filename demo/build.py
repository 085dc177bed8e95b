"""From a plan to a catalogue: pictures made, records and truth written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from demo.files import make_all
from demo.plan import Entry, LookEntry, Original, Picture, Plan
from demo.records import Catalogue, Look, Photo, Product
from demo.shots import Made, Shot


def build(
    out_dir: Path, season: int = 1, seed: int = 0, photos_dir: Path | None = None, products: int | None = None,
    looks: int = 30, *,
    workers: int = 0, progress: Callable[[int, int], None] | None = None,
) -> Catalogue:  # fmt: skip
    """Make one season of the shop in `out_dir`: pictures, `season-N.json`, `truth-season-N.json`.

    Without `photos_dir` garments are drawn (120 products unless told otherwise); with it, each photo of its
    `photos.csv` is a product (all of them unless `products` says how many a season sells). Same arguments, same bytes;
    pictures that are there already are not made again, so both seasons share one folder.
    A season that is not 1 or 2, or fewer than 8 products, is a ValueError.
    """
    if season not in (1, 2):
        raise ValueError(f"season is {season}; the shop has seasons 1 and 2")
    if products is not None and products < 8:
        raise ValueError(f"products is {products}; the shop needs at least 8")
    out_dir = Path(out_dir).resolve()
    if photos_dir is None:
        from demo import drawn

        plan = drawn.plan(season, seed, products or 120, looks)
    else:
        from demo import real

        plan = real.plan(
            Path(photos_dir).resolve(), season, seed, products, looks, out_dir, workers=workers, progress=progress
        )
    return _assemble(plan, out_dir, workers, progress)


def _assemble(plan: Plan, root: Path, workers: int, progress: Callable[[int, int], None] | None) -> Catalogue:
    every = [*plan.entries, *([plan.hidden] if plan.hidden else [])]
    pictures: list[Picture] = [p for e in every for p in e.pictures] + [look.picture for look in plan.looks]
    shots: list[Shot] = [p for p in pictures if not isinstance(p, Original)]
    made = make_all(shots, root, workers=workers, progress=progress)
    made |= {p.name: _measured(p) for p in pictures if isinstance(p, Original)}
    catalogue = Catalogue(
        root=root,
        season=plan.season,
        real=plan.real,
        products=tuple(_product(e, made) for e in plan.entries),
        looks=tuple(_look(item, made) for item in plan.looks),
        hidden=_product(plan.hidden, made) if plan.hidden else None,
    )
    catalogue.save()
    truth = _truth(plan, made)
    catalogue.truth_file.write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return catalogue


def _measured(original: Original) -> Made:
    from PIL import Image, ImageOps

    with Image.open(original.photo) as picture:
        width, height = ImageOps.exif_transpose(picture).size
    return Made(original.name, width, height, (), ())


def _product(entry: Entry, made: dict[str, Made]) -> Product:
    day = entry.product.published
    photos = tuple(
        Photo(
            p.name,
            p.photo if isinstance(p, Original) else f"photos/{p.name}",
            made[p.name].width,
            made[p.name].height,
            alt,
            day,
        )
        for p, alt in zip(entry.pictures, entry.alts, strict=True)
    )
    return replace(entry.product, photos=photos)


def _look(entry: LookEntry, made: dict[str, Made]) -> Look:
    size = made[entry.picture.name]
    name = entry.picture.name
    photo = Photo(name, f"photos/{name}", size.width, size.height, entry.alt, entry.published)
    return Look(entry.handle, entry.title, entry.text, photo, entry.products, entry.published, entry.composed)


def _truth(plan: Plan, made: dict[str, Made]) -> dict[str, Any]:
    products = {}
    for entry in plan.entries:
        shown = [
            {
                "photo": p.name,
                "path": f"/photos/{p.name}",
                "boxes": [list(b) for b in made[p.name].boxes],
                "setting": "flat",
            }
            for p in entry.pictures
        ]
        price = {"price": entry.product.price, "currency": entry.product.currency}
        products[entry.product.handle] = {
            **entry.truth, **price, "title": entry.product.title, "path": entry.product.path,
            "shape": entry.product.shape,
            "published": entry.product.published, "photos": shown,
        }  # fmt: skip
    looks = {}
    for item in plan.looks:
        size = made[item.picture.name]
        boxes = zip(item.garments, size.boxes, size.visible, strict=True)
        looks[item.handle] = {
            "path": f"/looks/{item.handle}", "photo": item.picture.name, "setting": item.picture.setting,
            "published": item.published,
            "garments": [{**g, "box": list(b), "visible": v} for g, b, v in boxes],
        }  # fmt: skip
    copies = [c for e in plan.entries for c in e.truth.get("copies", [])]
    return {"season": plan.season, "real": plan.real, "products": products, "looks": looks, "copies": copies}
