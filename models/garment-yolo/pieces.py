"""The garments that scenes are made of: cut-outs of CC0 photos and garments drawn by ``demo.garments``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import cutouts
import numpy as np

LABELS = {
    "T-Shirt": "top",
    "Longsleeve": "top",
    "Polo": "top",
    "Undershirt": "top",
    "Hoodie": "top",
    "Body": "top",
    "Top": "top",
    "Blouse": "top",
    "Shirt": "top",
    "Outwear": "jacket",
    "Blazer": "jacket",
    "Dress": "dress",
    "Pants": "pants",
    "Shorts": "shorts",
    "Skirt": "skirt",
    "Shoes": "shoe",
    "Hat": "hat",
}
"""Class of the detector for each label of photos.csv; 'Not sure' and 'Other' are left out."""
HELD_OUT_SHARE = 5
"""Every fifth sender is held out of training, whole."""
DRAWN_SIDE = 256


@dataclass(frozen=True)
class Piece:
    """One garment on transparent ground: where its PNG lies and its class."""

    path: str
    name: str


def classes() -> dict[str, list[str]]:
    """Return class -> taxonomy categories it stands for (its default first), in the order of the model's outputs."""
    read: dict[str, list[str]] = json.loads((Path(__file__).parent / "classes.json").read_text())["classes"]
    return read


def held_out(sender: str) -> bool:
    """Return whether photos of this sender are kept from training."""
    return int(sender) % HELD_OUT_SHARE == 0


def photographed(cache: Path, *, test: bool) -> list[Piece]:
    """Return the good cut-outs of one side of the split by sender."""
    return [
        Piece(str(cache / (Path(cutout.file).stem + ".png")), LABELS[cutout.label])
        for cutout in cutouts.load(cache)
        if cutout.good and cutout.label in LABELS and held_out(cutout.sender) == test
    ]


def _draw(job: tuple[str, int, str]) -> None:
    from PIL import Image

    from demo import garments

    category, seed, path = job
    rng = np.random.default_rng([seed, sum(map(ord, category))])
    drawn = garments.render(garments.random_spec(rng, category), DRAWN_SIDE, seed)
    Image.fromarray(drawn.rgba).save(path, compress_level=1)


def drawn(cache: Path, *, test: bool, each: int, workers: int) -> list[Piece]:
    """Draw ``each`` garments of every category of the demo's wardrobe; seeds of the two sides never meet."""
    from demo import garments

    folder = cache / ("test" if test else "train")
    folder.mkdir(parents=True, exist_ok=True)
    classed = {category: name for name, members in classes().items() for category in [name, *members]}
    jobs, made = [], []
    for category in garments.CATEGORIES:
        name = classed["top" if category == "t-shirt" else category]
        for index in range(each):
            seed = (900_000 if test else 100_000) + index
            path = folder / f"{category.replace(' ', '-')}-{seed}.png"
            made.append(Piece(str(path), name))
            if not path.exists():
                jobs.append((category, seed, str(path)))
    with Pool(workers) as pool:
        for done, _ in enumerate(pool.imap_unordered(_draw, jobs, chunksize=8), 1):
            if done % 200 == 0:
                print(f"drawn garments: {done} of {len(jobs)}", flush=True)
    return made


def load(piece: Piece) -> np.ndarray[Any, Any]:
    """Return the piece's pixels (H, W, 4) uint8, cropped to what is visible."""
    from PIL import Image

    rgba = np.asarray(Image.open(piece.path).convert("RGBA"))
    seen = rgba[:, :, 3] > 24
    rows, columns = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
    return rgba[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
