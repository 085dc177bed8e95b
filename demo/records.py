"""What the shop sells and shows, as plain records that are written to and read from one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

SHAPES = (
    "offers-list", "aggregate-offer", "graph", "product-group", "microdata", "opengraph", "visible", "script",
)  # fmt: skip


@dataclass(frozen=True)
class Photo:
    """One picture file: its name in the URL, its file, pixels, alternative text and last change (ISO date)."""

    name: str
    file: str
    width: int
    height: int
    alt: str
    modified: str

    @property
    def path(self) -> str:
        """URL path of the picture."""
        return f"/photos/{self.name}"


@dataclass(frozen=True)
class Product:
    """One thing for sale as a shop's database holds it; `shape` says how its page is marked up."""

    handle: str
    shape: str
    title: str
    description: str
    department: str
    breadcrumbs: tuple[str, ...]
    price: str
    regular_price: str
    currency: str
    brand: str
    colour: str
    material: str
    gender: str
    sku: str
    gtin: str
    sizes: tuple[str, ...]
    available: bool
    published: str
    details: tuple[tuple[str, str], ...]
    photos: tuple[Photo, ...]
    stale_markup: bool = False

    @property
    def path(self) -> str:
        """URL path of the product page."""
        return f"/app/{self.handle}" if self.shape == "script" else f"/products/{self.handle}"


@dataclass(frozen=True)
class Look:
    """A styled picture of several products; `composed` when the picture was put together from cut-outs."""

    handle: str
    title: str
    text: str
    photo: Photo
    products: tuple[str, ...]
    published: str
    composed: bool

    @property
    def path(self) -> str:
        """URL path of the look page."""
        return f"/looks/{self.handle}"


@dataclass(frozen=True)
class Catalogue:
    """All that one season of the shop serves, and the folder that holds its pictures and its truth."""

    root: Path
    season: int
    real: bool
    products: tuple[Product, ...]
    looks: tuple[Look, ...]
    hidden: Product | None

    @cached_property
    def departments(self) -> dict[str, list[Product]]:
        """Products by department, in the order in which they first appear; "All" comes first."""
        found: dict[str, list[Product]] = {"All": list(self.products)}
        for product in self.products:
            found.setdefault(product.department, []).append(product)
        return found

    @cached_property
    def by_handle(self) -> dict[str, Product]:
        """Products by handle."""
        return {p.handle: p for p in self.products}

    @property
    def truth_file(self) -> Path:
        """Boxes, categories, attributes and copies, for tests alone; never served."""
        return self.root / f"truth-season-{self.season}.json"

    def save(self) -> Path:
        """Write `season-N.json` beside the pictures and return its path."""
        data = asdict(self)
        del data["root"]
        path = self.root / f"season-{self.season}.json"
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def load(root: Path, season: int) -> Catalogue:
    """Read a catalogue that `save` wrote; a missing one is a FileNotFoundError."""
    data = json.loads((root / f"season-{season}.json").read_text(encoding="utf-8"))
    return Catalogue(
        root=root,
        season=data["season"],
        real=data["real"],
        products=tuple(_product(p) for p in data["products"]),
        looks=tuple(_look(item) for item in data["looks"]),
        hidden=_product(data["hidden"]) if data["hidden"] else None,
    )


def _photo(data: dict[str, Any]) -> Photo:
    return Photo(**data)


def _product(data: dict[str, Any]) -> Product:
    values = {f.name: data[f.name] for f in fields(Product)}
    values["photos"] = tuple(_photo(p) for p in data["photos"])
    values["details"] = tuple((k, v) for k, v in data["details"])
    for name in ("breadcrumbs", "sizes"):
        values[name] = tuple(data[name])
    return Product(**values)


def _look(data: dict[str, Any]) -> Look:
    values = dict(data)
    values["photo"] = _photo(data["photo"])
    values["products"] = tuple(data["products"])
    return Look(**values)
