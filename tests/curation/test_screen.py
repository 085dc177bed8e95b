import json
from pathlib import Path

import numpy as np
import pytest

from catalog import tables
from catalog.decode import Pixels, encode_png
from catalog.store import Catalog
from curation.screen import ScreenPolicy, screen

POLICY = ScreenPolicy()
RNG = np.random.default_rng(7)


def picture(kind: str) -> bytes:
    noise = RNG.integers(0, 256, (320, 240, 3)).astype(np.uint8)
    if kind == "text":
        page = np.full((320, 240, 3), 255, np.uint8)
        page[40:300:40, 30:200:3] = 0
        return encode_png(page)
    shapes = {
        "good": noise,
        "small": noise[:100, :100],
        "banner": noise[:, :].reshape(160, 480, 3).repeat(2, axis=1),
        "blank": np.full((320, 240, 3), 231, np.uint8),
    }
    return encode_png(shapes[kind]) if kind in shapes else b"<html>not found</html>"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("good", "ok"),
        ("small", "too_small"),
        ("banner", "extreme_aspect"),
        ("blank", "blank"),
        ("text", "text_card"),
        ("page", "not_an_image"),
    ],
)
def test_each_photo_is_kept_or_dropped_with_its_reason(tmp_path: Path, kind: str, reason: str) -> None:
    catalog = Catalog(tmp_path)
    photo = catalog.put_image(picture(kind))
    rows = [{"photo_id": photo}, {"photo_id": "0" * 64}]
    result = screen(tables.from_rows("photos", rows), catalog, POLICY, edition="2026.06")
    told = {row["id"]: row for row in result.ledger.to_pylist()}
    assert told[photo]["reason"] == reason
    assert told["0" * 64]["reason"] == "missing_bytes"
    kept = result.tables["photos"].to_pylist()
    assert [(row["photo_id"], row["width"], row["height"]) for row in kept] == (
        [(photo, 240, 320)] if reason == "ok" else []
    )
    if reason in {"too_small", "extreme_aspect", "blank", "text_card"}:
        assert "threshold" in json.loads(told[photo]["evidence"])


def noise(seed: int) -> bytes:
    return encode_png(np.random.default_rng(seed).integers(0, 256, (200, 200, 3)).astype(np.uint8))


def test_a_picture_that_many_products_of_a_site_show_is_a_placeholder(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    stand_in, sizes, own = (catalog.put_image(noise(seed)) for seed in range(3))
    count = POLICY.placeholder_products
    products = [
        {"product_id": f"p{n}", "site": "shop", "name": f"Dress {n}" if n < count else "Slip dress"}
        for n in range(2 * count)
    ]
    sightings = [
        {"photo_id": stand_in if n < count else sizes, "product_id": f"p{n}", "site": "shop"} for n in range(2 * count)
    ]
    sightings += [{"photo_id": own, "product_id": f"p{n}", "site": f"shop {n}"} for n in range(count)]
    rows = [{"photo_id": photo, "product_id": "p0", "site": "shop"} for photo in (stand_in, sizes, own)]
    result = screen(
        tables.from_rows("photos", rows),
        catalog,
        POLICY,
        edition="2026.06",
        products=tables.from_rows("products", products),
        sightings=tables.from_rows("sightings", sightings),
    )
    told = {row["id"]: row for row in result.ledger.to_pylist()}
    assert told[stand_in]["reason"] == "placeholder"
    assert json.loads(told[stand_in]["evidence"]) == {"products": count, "threshold": count}
    assert told[sizes]["reason"] == "ok", "the sizes of one dress share their photo"
    assert told[own]["reason"] == "ok", "six shops sell the same dress"


class Prude:
    """A gate that minds dark pictures."""

    name = "prude@1"

    def indecency(self, pixels: Pixels) -> float:
        return 1 - float(pixels.mean()) / 255


def test_the_gate_drops_what_is_above_its_threshold_and_says_how_sure_it_was(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    pixels = np.random.default_rng(0).integers(0, 100, (200, 200, 3)).astype(np.uint8)
    dark, light = catalog.put_image(encode_png(pixels)), catalog.put_image(encode_png(255 - pixels))
    photos = tables.from_rows("photos", [{"photo_id": dark}, {"photo_id": light}])
    result = screen(photos, catalog, POLICY, edition="2026.06", gate=Prude())
    told = {row["id"]: row for row in result.ledger.to_pylist()}
    assert (told[dark]["outcome"], told[dark]["reason"]) == ("dropped", "indecent")
    evidence = json.loads(told[dark]["evidence"])
    assert evidence["indecency"] > evidence["threshold"] == POLICY.max_indecency
    assert evidence["gate"] == "prude@1"
    assert told[light]["outcome"] == "kept"
    assert json.loads(told[light]["evidence"])["indecency"] < POLICY.max_indecency
    assert screen(photos, catalog, POLICY, edition="2026.06").tables["photos"].num_rows == 2


def test_honest_flat_lays_are_not_dropped(tmp_path: Path, shared: Path) -> None:
    """Real photos of clothes on white sheets and tables, striped and checked among them."""
    catalog = Catalog(tmp_path)
    files = sorted((shared / "photos" / "images").glob("*.jpg"))[::9]
    rows = [{"photo_id": catalog.put_image(file.read_bytes())} for file in files]
    result = screen(tables.from_rows("photos", rows), catalog, POLICY, edition="2026.06")
    assert [row["reason"] for row in result.ledger.to_pylist() if row["outcome"] == "dropped"] == []
