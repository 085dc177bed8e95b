"""A small drawn shop in both seasons, built once, and a folder of made-up photos."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.backdrops import paint
from demo.compose import Placement, compose
from demo.garments import random_spec, render
from demo.shop import Catalogue, build

_LABELS = {"T-Shirt": "top", "Pants": "pants", "Shoes": "shoe", "Dress": "dress", "Hat": "hat", "Outwear": "coat"}


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="session")
def spring(shop_folder: Path) -> Catalogue:
    return build(shop_folder, 1, seed=3, products=12, looks=4, workers=1)


@pytest.fixture(scope="session")
def autumn(shop_folder: Path, spring: Catalogue) -> Catalogue:
    return build(shop_folder, 2, seed=3, products=12, looks=4, workers=1)


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """36 drawn garments on carpets, as a folder of photos with its CSV."""
    folder = tmp_path_factory.mktemp("snapshots")
    (folder / "images").mkdir()
    rows = []
    for k in range(36):
        label = [*_LABELS, "Not sure"][k % 7]
        rng = np.random.default_rng(k)
        drawn = render(random_spec(rng, _LABELS.get(label, "scarf")), 240, k)
        scene = compose(paint("white", 240, 320, rng), [(drawn.rgba, Placement(120, 160, 190))], rng, shadow=0.1)
        Image.fromarray(scene.image).save(folder / "images" / f"{k}.jpg", quality=90)
        rows.append({"file": f"images/{k}.jpg", "sender_id": str(k % 5), "label": label, "kids": str(k % 9 == 8)})
    with (folder / "photos.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, ["file", "sender_id", "label", "kids"])
        writer.writeheader()
        writer.writerows(rows)
    return folder
