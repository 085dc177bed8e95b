"""A crawl of a shop that nobody here wrote: django-oscar, which says nothing by structured data, in three languages."""

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from conftest_shop import jpeg
from PIL import Image, ImageOps

from catalog.store import Catalog
from crawlers import run, sites
from crawlers.limits import CrawlLimits

JUNE = datetime(2026, 6, 1, 3, tzinfo=UTC)
LIMITS = CrawlLimits(page_seconds=60, photo_seconds=60, retries=1, seconds=400)
GARMENTS = (
    "Linen Shirt", "Waxed Jacket", "501 Original Fit Jeans", "Wool & Cashmere Jumper", "Fisherman's Rib Hat",
    "Pleated Skirt with Pockets and a Very Long Name", "Größer Mantel", "Robe d’été à fleurs",
)  # fmt: skip
CATEGORIES = ("Women > Tops", "Men > Outdoor", "Men > Trousers", "Women > Knitwear", "Accessories", "Women > Skirts")
COUNT = 44
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("oscar") is None, reason="django-oscar is not installed (extra dev)"),
]


def products() -> list[dict]:
    """Return what the shop sells: names that repeat and differ in case of need by their number, prices of all sizes."""
    rows = []
    for n in range(COUNT):
        row = {
            "upc": f"50{n:05d}",
            "title": f"{GARMENTS[n % len(GARMENTS)]} No. {n // len(GARMENTS) + 1}",
            "text": f"Sewn in Leith, batch {n}. Was a favourite of 19{n:02d}; free delivery over £60.",
            "category": CATEGORIES[n % len(CATEGORIES)],
            "price": f"{(1299 if n % 11 == 0 else 9) + 3 * n}.{(99, 50, 0)[n % 3]:02d}",
            "stock": (12, 1, 0)[n % 3] if n % 4 else 7,
            "recommended": [f"50{m:05d}" for m in range(max(n - 4, 0), n)] if n % 5 == 0 else [],
        }
        rows.append(row)
    return rows


def shots(n: int) -> dict[int, tuple[int, int]]:
    """Return the sizes of a product's photos by their place: one to three, larger and smaller than the shop shows."""
    sizes = ((600, 800), (900, 500), (300, 360))
    return {place: sizes[(n + place) % 3] for place in range(1 + n % 3)}


@pytest.fixture(scope="module")
def oscar(tmp_path_factory) -> Iterator[str]:
    """The address of the shop, filled and served by its own process."""
    folder = tmp_path_factory.mktemp("oscar")
    (folder / "products.json").write_text(json.dumps(products()), encoding="utf-8")
    for n in range(COUNT):
        for place, size in shots(n).items():
            path = folder / "photos" / str(place) / f"50{n:05d}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg(5 * n + place, size))
    script = Path(__file__).with_name("oscar_shop.py")
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, str(script), str(folder)], stdout=subprocess.PIPE, stderr=log, text=True
        ) as child,
    ):
        try:
            address = child.stdout.readline().strip()
            assert address, (folder / "log").read_text()
            yield address
        finally:
            child.kill()


def crawled(address: str, folder: Path, keys: str) -> tuple[list[dict], Catalog, dict]:
    """Crawl the shop as a site file describes it; return its products, the catalog and the report."""
    file = folder / "harbour.yaml"
    file.write_text(
        f"name: harbour\nstart_urls: [{address}]\nlicence: CC0-1.0\nallow_loopback: true\nrender: never\n"
        f"delay: 0\nconcurrency: 8\n{keys}\n"
    )
    catalog = Catalog(folder / "catalog")
    result = run.crawl(catalog, sites.load(file), now=JUNE, limits=LIMITS, log=folder / "crawl.log")
    return catalog.read("products").to_pylist(), catalog, result.report["harbour"]


@pytest.mark.parametrize(
    ("start", "keys"),
    [("", ""), ("de/", ""), ("fr/", "discover: [category]")],
    ids=["sitemap in all languages", "sitemap, German first", "French categories"],
)
def test_every_product_once_with_name_price_and_photos(oscar, tmp_path, start, keys):
    rows, catalog, report = crawled(oscar + start, tmp_path, keys)
    truth = {row["title"]: row for row in products()}
    assert Counter(row["name"] for row in rows) == Counter(truth.keys())
    assert {row["language"] for row in rows} == {start.rstrip("/") or "en-gb"}
    assert not report["errors"]
    photos = catalog.read("photos").to_pylist()
    for n, (title, wanted) in enumerate(truth.items()):
        row = next(row for row in rows if row["name"] == title)
        assert (row["price"], row["currency"], row["regular_price"]) == (wanted["price"], "GBP", None), title
        assert row["availability"] == ("InStock" if wanted["stock"] else "OutOfStock"), title
        assert row["category_path"][1:] == wanted["category"].split(" > "), title
        assert [json.loads(row["evidence"])[name] for name in ("name", "price", "images")] == ["visible"] * 3
        found = [photo for photo in photos if photo["product_id"] == row["product_id"]]
        got = [Image.open(BytesIO(catalog.get_image(photo["photo_id"]))) for photo in found]
        for place, size in shots(n).items():
            drawn = Image.open(BytesIO(jpeg(5 * n + place, size)))
            shown = ImageOps.contain(drawn, (440, 400)) if size > (440, 400) or size[1] > 400 else drawn
            assert any(_same(image, shown) for image in got), (title, place, [image.size for image in got])
        assert len(got) == len(shots(n)), (title, [image.size for image in got])


def _same(one: Image.Image, other: Image.Image) -> bool:
    """Return whether two pictures have one size, up to a pixel of rounding, and look alike."""
    if max(abs(a - b) for a, b in zip(one.size, other.size, strict=True)) > 1:
        return False
    pair = [np.asarray(image.convert("RGB").resize((32, 32)), dtype=float) for image in (one, other)]
    return float(np.abs(pair[0] - pair[1]).mean()) < 3
