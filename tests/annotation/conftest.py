"""A small edition with real photos in a real catalog, and a real Label Studio."""

import datetime as dt
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from annotation import server
from annotation.errors import ServerError
from catalog import ids, tables
from catalog.decode import encode_jpeg
from catalog.store import Catalog

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
EDITION = "2026.06"
BOX = [20.0, 30.0, 140.0, 170.0]
GARMENTS = [
    ("Striped V-Neck T-Shirt", "top", (190, 30, 40)),
    ("Belted Wool Coat in navy", "coat", (30, 40, 80)),
    ("Pleated midi skirt", "skirt", (35, 120, 70)),
    ("Denim jacket", "top", (60, 110, 160)),
]


def picture(colour: tuple[int, int, int], seed: int = 0) -> bytes:
    """A photo of a plain garment on a light floor, as JPEG."""
    rng = np.random.default_rng(seed)
    pixels = np.full((200, 160, 3), (215, 205, 190), dtype=np.float64)
    pixels[35:165, 25:135] = colour
    return encode_jpeg((pixels + rng.normal(0, 2, pixels.shape)).clip(0, 255).astype(np.uint8))


@dataclass(frozen=True)
class Edition:
    """Tables of a few retail photos, one garment each."""

    catalog: Catalog
    items: pa.Table
    products: pa.Table
    photos: pa.Table

    @property
    def ids(self) -> list[str]:
        """Item ids in the order of GARMENTS."""
        return self.items["item_id"].to_pylist()


@pytest.fixture
def edition(tmp_path: Path) -> Edition:
    """Four products with a photo each."""
    catalog = Catalog(tmp_path / "catalog")
    items, products, photos = [], [], []
    for number, (name, category, colour) in enumerate(GARMENTS):
        photo_id = catalog.put_image(picture(colour, number))
        product_id = ids.product_id("shop", f"https://shop.example/{number}")
        products.append({"product_id": product_id, "site": "shop", "name": name, "first_seen": NOW, "last_seen": NOW})
        photos.append({"photo_id": photo_id, "origin": "retail", "product_id": product_id, "first_seen": NOW})
        items.append(
            {
                "item_id": ids.item_id(photo_id, BOX),
                "photo_id": photo_id,
                "product_id": product_id,
                "box": BOX,
                "category": category,
                "score": 0.9,
                "detector": "test",
            }
        )
    return Edition(
        catalog,
        tables.from_rows("items", items),
        tables.from_rows("products", products),
        tables.from_rows("photos", photos),
    )


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[server.Server]:
    """A real Label Studio, started once; skipped where it is not installed, except in CI."""
    home = Path(__file__).parent.parent.parent
    try:
        command = server.find_command(root=home)
    except ServerError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    data_dir = tmp_path_factory.mktemp("label-studio")
    try:
        yield server.up(command, data_dir, free_port())
    finally:
        server.down(data_dir)
