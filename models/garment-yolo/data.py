"""Write the training and held-out pictures of the detector: ``python data.py --photos DIR --work DIR``.

Training: photos of the train senders with the box of their cut-out, single garments, flat lays and outfits composed of
their cut-outs and of drawn garments, and people who wear them: bodies of three dimensions, and drawn ones. Held out,
by sender and by drawing seed: ``val`` (composites), ``bodies`` and ``worn`` (people), ``photos`` (whole photos). The
same arguments and seed write the same pictures.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import bodies
import cutouts
import numpy as np
import outdoors
import pieces
import scenes
import worn

SIZE = 288
"""Longest side in pixels of the pictures on disk; training reads them at 256."""
SEED = 20261
SHAPES = ((288, 216), (288, 232), (288, 288), (216, 288), (288, 192))


@dataclass(frozen=True)
class Plan:
    """How many pictures each part of the data has."""

    singles: int
    lays: int
    outfits: int
    looks: int
    bodies: int
    worn: int


TRAIN = Plan(singles=1300, lays=1200, outfits=900, looks=900, bodies=3000, worn=600)
VAL = Plan(singles=120, lays=100, outfits=100, looks=130, bodies=200, worn=200)
_POOL: dict[str, Any] = {}


def _stock(cc0: list[pieces.Piece], drawn: list[pieces.Piece], strips: list[Any]) -> None:
    import cv2

    cv2.setNumThreads(1)
    by_source: dict[str, dict[str, list[pieces.Piece]]] = {"cc0": {}, "drawn": {}}
    for source, stock in (("cc0", cc0), ("drawn", drawn)):
        for piece in stock:
            by_source[source].setdefault(piece.name, []).append(piece)
    _POOL.update(by_source=by_source, strips=strips, names=list(pieces.classes()))


def _any(rng: np.random.Generator, name: str | None = None) -> tuple[str, Any]:
    """Draw a piece: the class first (photographed classes twice as often), then its source, then one of it."""
    photographed, drawn = _POOL["by_source"]["cc0"], _POOL["by_source"]["drawn"]
    names = _POOL["names"]
    if name is None:
        weight = np.array([2.0 if n in photographed else 1.0 if n in drawn else 0.0 for n in names])
        name = str(rng.choice(names, p=weight / weight.sum()))
    stock = (
        photographed.get(name)
        if name in photographed and (name not in drawn or rng.random() < 0.65)
        else drawn.get(name)
    )
    if not stock:
        return _any(rng)
    piece = stock[int(rng.integers(len(stock)))]
    rgba = pieces.load(piece)
    if rng.random() < 0.5:
        rgba = rgba[:, ::-1]
    return name, rgba


def _wardrobe(rng: np.random.Generator) -> list[str]:
    """Draw the classes of an outfit of 3 to 5 garments."""
    body = ["dress"] if rng.random() < 0.25 else ["top", str(rng.choice(["pants", "shorts", "skirt"]))]
    if rng.random() < 0.3:
        body.append("jacket")
    more = ["shoe", "bag", "hat", "scarf", "sock", "belt", "tie", "glasses", "watch", "glove", "umbrella"]
    likely = np.array([5, 5, 4, 2, 1.2, 1, 0.8, 1, 0.8, 0.8, 0.8])
    extra = rng.choice(more, size=min(5, int(rng.integers(3, 6))) - len(body), replace=False, p=likely / likely.sum())
    return body + [str(name) for name in extra]


def _street_clothes(rng: np.random.Generator) -> list[str]:
    """Draw the classes of what somebody wears out of doors: nearly always shoes, now and then the small things."""
    body = (
        ["dress"] if rng.random() < 0.22 else ["top", str(rng.choice(["pants", "shorts", "skirt"], p=[0.6, 0.2, 0.2]))]
    )
    more = {"shoe": 0.8, "jacket": 0.38, "bag": 0.3, "hat": 0.2, "glasses": 0.12, "scarf": 0.1, "belt": 0.1}
    more |= {"sock": 0.1, "glove": 0.05, "tie": 0.05}
    return body + [name for name, likely in more.items() if rng.random() < likely]


def _ground(rng: np.random.Generator) -> Any:
    height, width = SHAPES[int(rng.integers(len(SHAPES)))]
    strips = _POOL["strips"]
    strip = strips[int(rng.integers(len(strips)))] if strips else None
    if rng.random() < 0.5:
        from demo.backdrops import paint_any

        return paint_any(width, height, rng)
    return scenes.backdrop(height, width, rng, _strip(*strip) if strip is not None else None)


def _street(rng: np.random.Generator) -> Any:
    return worn.street(*SHAPES[int(rng.integers(len(SHAPES)))], rng)


def _outdoors(rng: np.random.Generator) -> Any:
    """Return where bodies stand: a street, things before things, or a ground of the other scenes."""
    where = rng.random()
    if where < 0.35:
        return _street(rng)
    if where < 0.75:
        strips = _POOL["strips"]
        chosen = [strips[int(place)] for place in rng.integers(0, len(strips), 6)] if strips else []
        height, width = SHAPES[int(rng.integers(len(SHAPES)))]
        return outdoors.clutter(height, width, [s for s in (_strip(*one) for one in chosen) if s is not None], rng)
    return _ground(rng)


def _strip(path: str, box: tuple[float, float, float, float]) -> Any:
    """Return the largest margin of a photo outside the garment's box, as a small texture."""
    from PIL import Image

    with Image.open(path) as image:
        image.thumbnail((SIZE, SIZE))
        pixels = np.asarray(image.convert("RGB"))
    h, w = pixels.shape[:2]
    x0, y0, x1, y1 = round(box[0] * w), round(box[1] * h), round(box[2] * w), round(box[3] * h)
    sides = [pixels[:y0], pixels[y1:], pixels[:, :x0], pixels[:, x1:]]
    widest = max(sides, key=lambda side: min(side.shape[:2]))
    return widest if min(widest.shape[:2]) >= 12 else None


def _compose(job: tuple[str, str, int, int]) -> Counter[str]:
    from PIL import Image

    kind, folder, index, seed = job
    rng = np.random.default_rng([SEED, seed, index])
    if kind == "single":
        scene = scenes.single(_ground(rng), _any(rng), rng)
    elif kind == "lay":
        scene = scenes.flat_lay(_ground(rng), [_any(rng) for _ in range(int(rng.integers(2, 7)))], rng)
    elif kind == "outfit":
        scene = scenes.outfit(_ground(rng), [_any(rng, name) for name in _wardrobe(rng)], rng)
    elif kind in ("bodies", "worn"):
        people = int(rng.choice([1, 2, 3], p=[0.65, 0.25, 0.1]))
        names = _street_clothes if kind == "bodies" else _wardrobe
        dressed = [[_any(rng, name) for name in names(rng)] for _ in range(people)]
        if kind == "bodies":
            scene = bodies.bodies(_outdoors(rng), dressed, rng)
        else:
            scene = worn.worn(_street(rng) if rng.random() < 0.6 else _ground(rng), dressed, rng)
    else:
        scene = _look([_any(rng, name) for name in _wardrobe(rng)], rng)
    pixels = scenes.photographed(scene.pixels, rng)
    stem = f"{kind}-{index:05d}"
    Image.fromarray(pixels).save(Path(folder) / "images" / f"{stem}.jpg", quality=int(rng.integers(70, 96)))
    _write_labels(Path(folder), stem, scene.garments, pixels.shape[1], pixels.shape[0])
    return Counter(name for name, _ in scene.garments)


def _look(chosen: list[tuple[str, Any]], rng: np.random.Generator) -> scenes.Scene:
    """Compose an outfit the way the demo's look pages do."""
    from demo.compose import look

    height, width = SHAPES[int(rng.integers(len(SHAPES)))]
    made = look([(np.ascontiguousarray(rgba), name) for name, rgba in chosen], width, height, rng)
    seen = [
        (name, tuple(map(float, box)))
        for (name, _), box, visible in zip(chosen, made.boxes, made.visible, strict=True)
        if visible >= 0.3 and min(box[2] - box[0], box[3] - box[1]) >= 6
    ]
    return scenes.Scene(made.image, seen)


def _write_labels(folder: Path, stem: str, garments: list[tuple[str, scenes.Box]], width: int, height: int) -> None:
    names = list(pieces.classes())
    lines = []
    for name, (x0, y0, x1, y1) in garments:
        values = ((x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height)
        lines.append(" ".join([str(names.index(name)), *(f"{value:.5f}" for value in values)]))
    (folder / "labels" / f"{stem}.txt").write_text("\n".join(lines) + ("\n" if lines else ""))


def _whole(job: tuple[cutouts.Cutout, str, str]) -> Counter[str]:
    from PIL import Image, ImageOps

    cutout, photos, folder = job
    with Image.open(Path(photos) / cutout.file) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    upright.thumbnail((SIZE, SIZE), Image.Resampling.LANCZOS)
    stem = "photo-" + Path(cutout.file).stem
    upright.save(Path(folder) / "images" / f"{stem}.jpg", quality=92)
    x0, y0, x1, y1 = cutout.box
    name = pieces.LABELS[cutout.label]
    _write_labels(Path(folder), stem, [(name, (x0, y0, x1, y1))], 1, 1)
    return Counter([name])


def write(photos: Path, work: Path, *, workers: int, drawn_each: int, plan: Plan = TRAIN, plan_val: Plan = VAL) -> Path:
    """Write ``work/data`` with its ``data.yaml`` and return that file; a finished folder is left as it is."""
    root = work / "data"
    yaml = root / "data.yaml"
    if yaml.exists():
        return yaml
    index = cutouts.build(photos, work / "cutouts", workers)
    known = [cutout for cutout in index if cutout.good and cutout.label in pieces.LABELS]
    totals: dict[str, Counter[str]] = {}
    for side, test, amount in (("train", False, plan), ("val", True, plan_val)):
        cc0 = pieces.photographed(work / "cutouts", test=test)
        drawn = pieces.drawn(work / "drawn", test=test, each=max(4, drawn_each // (4 if test else 1)), workers=workers)
        mine = [cutout for cutout in known if pieces.held_out(cutout.sender) == test]
        strips = [(str(photos / cutout.file), cutout.box) for cutout in mine]
        for folder in (root / side, root / "photos", root / "bodies", root / "worn"):
            (folder / "images").mkdir(parents=True, exist_ok=True)
            (folder / "labels").mkdir(parents=True, exist_ok=True)
        kinds = {"single": amount.singles, "lay": amount.lays, "outfit": amount.outfits, "look": amount.looks}
        jobs = [(kind, str(root / side), index, int(test)) for kind, count in kinds.items() for index in range(count)]
        for kind, count in (("bodies", amount.bodies), ("worn", amount.worn)):
            folder = root / (kind if test else side)
            jobs += [(kind, str(folder), index, int(test)) for index in range(count)]
        totals[side] = Counter()
        with Pool(workers, _stock, (cc0, drawn, strips)) as pool:
            for done, found in enumerate(pool.imap_unordered(_compose, jobs, chunksize=16), 1):
                totals[side] += found
                if done % 500 == 0 or done == len(jobs):
                    print(f"{side}: {done} of {len(jobs)} composed", flush=True)
            whole = root / ("photos" if test else side)
            wholes = [(cutout, str(photos), str(whole)) for cutout in mine]
            for found in pool.imap_unordered(_whole, wholes, chunksize=16):
                totals.setdefault("photos" if test else side, Counter()).update(found)
    (root / "counts.json").write_text(
        json.dumps({side: dict(sorted(count.items())) for side, count in totals.items()}, indent=1)
    )
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(pieces.classes()))
    for name in ("photos", "bodies", "worn", "data"):
        folder = "val" if name == "data" else name
        (root / f"{name}.yaml").write_text(f"path: {root}\ntrain: train/images\nval: {folder}/images\nnames:\n{names}")
    return yaml


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder with photos.csv of the CC0 photos")
    parser.add_argument("--work", type=Path, required=True, help="folder for cut-outs, drawings and data")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--drawn", type=int, default=40, help="drawn garments of each category")
    options = parser.parse_args()
    print(write(options.photos.resolve(), options.work.resolve(), workers=options.workers, drawn_each=options.drawn))


if __name__ == "__main__":
    main()
