import json
from pathlib import Path

import numpy as np
import pytest

from catalog import tables
from catalog.decode import encode_png
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


def test_honest_flat_lays_are_not_dropped(tmp_path: Path, shared: Path) -> None:
    """Real photos of clothes on white sheets and tables: fewer than one in a hundred may fall."""
    catalog = Catalog(tmp_path)
    files = sorted((shared / "photos" / "images").glob("*.jpg"))[:: 2789 // 150]
    rows = [{"photo_id": catalog.put_image(file.read_bytes())} for file in files]
    result = screen(tables.from_rows("photos", rows), catalog, POLICY, edition="2026.06")
    assert result.tables["photos"].num_rows >= 0.99 * len(rows)
