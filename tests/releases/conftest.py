"""A small edition as tables: products with drawn photos, looks, generated pictures, labels, decisions, embeddings."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import taxonomy
from catalog import ids, tables
from catalog.decode import encode_png
from catalog.ledger import Ledger
from catalog.store import Catalog
from releases.run import FreezeInputs, FreezeResult, ReleasePolicy, freeze
from releases.schema import SUBSETS

START = datetime(2026, 11, 1, tzinfo=UTC)
GROUPS = [
    (category, value)
    for category, values in {
        "dress": ("v-neck", "crew neck", "halter"),
        "shirt": ("long sleeve", "short sleeve", "sleeveless"),
        "pants": ("skinny", "wide leg", "straight"),
        "bag": ("tote", "clutch", "backpack"),
    }.items()
    for value in values
]


def picture(seed: int, category: str, shift: int = 0, height: int = 90, width: int = 72) -> bytes:
    """Return a PNG of a garment-like block on a light ground; every (seed, shift) gives other bytes."""
    rng = np.random.default_rng(seed)
    tint, ground = rng.integers(20, 200, 3), rng.integers(225, 250, 3)
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:] = ground
    top, left = 14 + shift, 12 + shift
    pixels[top : height - 12, left : width - 14] = tint
    stripe = 6 + seed % 7
    pixels[top : height - 12 : stripe, left : width - 14] = 255 - tint
    pixels[0, 0] = [seed % 256, seed // 256 % 256, len(category) * 10 + shift]
    return encode_png(pixels)


@dataclass
class Tables:
    """Rows of every table of an edition, ready to be changed by a test before they become tables."""

    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {name: [] for name in tables.TABLES if name != "sightings"}
    )

    def table(self, name: str) -> pa.Table:
        return tables.from_rows(name, self.rows[name])


def vector(group: tuple[str, str], wobble: int) -> list[np.float16]:
    """Return a unit embedding: garments of one category point the same way, of one group even more so."""
    base = np.random.default_rng(abs(hash_of(group[0]))).normal(size=tables.EMBEDDING_SIZE)
    base += 0.6 * np.random.default_rng(abs(hash_of("/".join(group)))).normal(size=tables.EMBEDDING_SIZE)
    base += 0.4 * np.random.default_rng(wobble).normal(size=tables.EMBEDDING_SIZE)
    return list((base / np.linalg.norm(base)).astype(np.float16))


def hash_of(text: str) -> int:
    return int(ids.sha256(text.encode())[:8], 16)


class Maker:
    """Builds an edition photo by photo."""

    def __init__(self, put: Callable[[bytes], str], first_day: datetime = START) -> None:
        self.put, self.first_day, self.made = put, first_day, Tables()
        self.counter = 0

    def photo(self, data: bytes, **columns: Any) -> str:
        self.counter += 1
        photo_id = self.put(data)
        seen = self.first_day + timedelta(hours=self.counter % 600)
        site = "atelier.example"
        self.made.rows["photos"].append({
            "photo_id": photo_id, "bytes": len(data), "mime": "image/png", "width": 72, "height": 90,
            "origin": "retail", "setting": "flat", "site": site, "licence": "CC0-1.0", "first_seen": seen,
            "source_url": f"https://{site}/media/{photo_id[:16]}.png", "page_url": f"https://{site}/",
            "published_at": seen - timedelta(days=3), **columns,
        })  # fmt: skip
        self.made.rows["decisions"].append({
            "id": photo_id, "kept": True, "reason": "unique", "date": seen,
            "date_evidence": json.dumps({"sighting": f"https://{site}/", "seen_at": seen.isoformat()}),
        })  # fmt: skip
        return photo_id

    def item(
        self,
        photo_id: str,
        group: tuple[str, str | None],
        box: tuple[float, ...] = (10.0, 12.0, 60.0, 80.0),
        **columns: Any,
    ) -> str:
        item_id = ids.item_id(photo_id, box)
        self.made.rows["items"].append({
            "item_id": item_id, "photo_id": photo_id, "box": list(box), "category": group[0], "score": 0.9,
            "detector": "yolo:test", "crop_width": int(box[2] - box[0]), "crop_height": int(box[3] - box[1]),
            "touches_border": False, **columns,
        })  # fmt: skip
        attributes = [{"facet": "shape", "value": group[1]}] if group[1] else []
        attributes.append({"facet": "colour", "value": ("navy", "ecru", "rust")[hash_of(item_id) % 3]})
        self.made.rows["labels"].append({
            "item_id": item_id, "category": group[0], "main_attribute": group[1], "attributes": attributes,
            "annotator": "accept-predictions", "kind": "machine", "model_version": "text 1", "taxonomy_version": "1",
        })  # fmt: skip
        self.made.rows["fingerprints"].append({
            "id": item_id, "photo_id": photo_id, "pixels": photo_id, "phash": bytes(8), "pdq": bytes(32),
            "pdq_quality": 90, "embedding": vector((group[0], group[1] or ""), hash_of(item_id)), "model": "onnx:test",
        })  # fmt: skip
        return item_id

    def product(self, number: int, group: tuple[str, str], photos: int) -> tuple[str, list[str]]:
        product_id = ids.product_id("atelier.example", f"https://atelier.example/p/{number}")
        self.made.rows["products"].append({
            "product_id": product_id, "site": "atelier.example", "url": f"https://atelier.example/p/{number}",
            "canonical_url": f"https://atelier.example/p/{number}", "name": f"{group[1].title()} {group[0]} no. {number}",
            "brand": ("Nord", "Sable")[number % 2], "first_seen": self.first_day, "last_seen": self.first_day,
        })  # fmt: skip
        made = []
        for shift in range(photos):
            photo_id = self.photo(picture(number * 7 + 1, group[0], shift), product_id=product_id)
            made.append(self.item(photo_id, group, product_id=product_id))
        return product_id, made

    def look(self, number: int, worn: list[tuple[str, tuple[str, str]]]) -> str:
        photo_id = self.photo(
            picture(50_000 + number, "look"), origin="street", setting="street", shows=[key for key, _ in worn]
        )
        for place, (product_id, group) in enumerate(worn):
            self.item(photo_id, group, (5.0 + place, 8.0, 62.0, 70.0 - place), product_id=product_id, look_id=photo_id)
        self.searched(photo_id)
        return photo_id

    def searched(self, photo_id: str, *boxes: list[float]) -> None:
        self.made.rows["faces"].append({
            "photo_id": photo_id, "boxes": list(boxes), "scores": [0.9] * len(boxes), "finder": "centerface:test",
        })  # fmt: skip

    def generated(self, number: int, recipe: str, seeds: list[tuple[str, str, tuple[str, str]]]) -> str:
        photo_id = self.photo(
            picture(90_000 + number, recipe), origin="generated", setting="flat" if recipe == "studio" else "street",
            site=None, source_url=None, page_url=None, published_at=None, licence="CC0-1.0",
        )  # fmt: skip
        look = photo_id if recipe == "street" else None
        if look:
            self.searched(look)
        for place, (_, product_id, group) in enumerate(seeds):
            box = (6.0 + place, 9.0, 63.0, 71.0 - place)
            self.item(photo_id, group, box, product_id=product_id, look_id=look)
        self.made.rows["generated"].append({
            "photo_id": photo_id, "seed_item_ids": [seed[0] for seed in seeds],
            "seed_product_ids": [seed[1] for seed in seeds], "seed_boxes": [[0.0, 0.0, 9.0, 9.0]] * len(seeds),
            "recipe": recipe, "pipeline": "diffusers:models/backdrop", "revision": "0" * 64, "licence": "Apache-2.0",
            "prompt": "a plain wall", "seed": number, "steps": 4, "scheduler": "DDIM", "identity_score": 0.9,
            "safety_verdict": "safe", "created_at": self.first_day,
        })  # fmt: skip
        return photo_id


def edition(put: Callable[[bytes], str], products: int = 60, first: int = 0, day: datetime = START) -> Tables:
    """Make an edition of ``products`` products with one to four photos each, and looks and generated pictures of them."""
    maker = Maker(put, day)
    shop = []
    for number in range(first, first + products):
        group = GROUPS[number % len(GROUPS)]
        product_id, item_ids = maker.product(number, group, 1 + number % 4)
        shop.append((item_ids[0], product_id, group))
    for number in range(first, first + products // 5):
        worn = [shop[(number * 3 + step * 4) % len(shop)] for step in range(3)]
        maker.look(number, [(product_id, group) for _, product_id, group in worn])
        maker.generated(number, "studio", [shop[(number * 5 + 1) % len(shop)]])
        maker.generated(number + 5_000, "street", [shop[(number * 7 + step) % len(shop)] for step in (0, 5)])
    return maker.made


@pytest.fixture(scope="session")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog(tmp_path_factory.mktemp("catalog"))


@pytest.fixture(scope="session")
def made(catalog: Catalog) -> Tables:
    return edition(catalog.put_image)


def ledgers(made: Tables) -> Mapping[str, pa.Table]:
    """Return the ledgers that the steps before the freeze would have left."""
    screened = Ledger("screen", "photo", "2026.12")
    for row in made.rows["photos"]:
        screened.kept(row["photo_id"])
    return {"screen": screened.table()}


@pytest.fixture(scope="session")
def maker_of() -> type[Maker]:
    return Maker


POLICY = ReleasePolicy(
    min_queries=dict.fromkeys(SUBSETS, 3), min_noise=3, noise_near=0.999, noise_far=0.0, anchors=8, samples_shown=2
)
NOW = datetime(2026, 12, 20, 12, tzinfo=UTC)


def inputs_of(made: Tables, edition: str = "2026.12", **columns: Any) -> FreezeInputs:
    names = ("items", "photos", "products", "labels", "decisions", "fingerprints", "generated", "faces")
    return FreezeInputs(
        edition=edition,
        **{name: made.table(name) for name in names},
        ledgers=ledgers(made),
        settings={"seed": 7},
        models={"embedder": {"spec": "onnx:test", "sha256": "0" * 64, "licence": "Apache-2.0"}},
        taxonomy_path=Path(taxonomy.__file__).parent / "fashion.yaml",
        notes=("The looks are composed.",),
        **columns,
    )


@pytest.fixture(scope="session")
def policy() -> ReleasePolicy:
    return POLICY


@pytest.fixture(scope="session")
def inputs() -> Callable[..., FreezeInputs]:
    return inputs_of


@pytest.fixture(scope="session")
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def frozen(made: Tables, catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> FreezeResult:
    """One release, written once; a test that damages it works on a copy."""
    return freeze(inputs_of(made), catalog, tmp_path_factory.mktemp("out") / "lookbench-2026.12", POLICY, now=NOW)


@pytest.fixture
def copied(frozen: FreezeResult, tmp_path: Path) -> Path:
    return Path(shutil.copytree(frozen.path, tmp_path / "copy"))


@pytest.fixture(scope="session")
def make_edition() -> Callable[..., Tables]:
    return edition
