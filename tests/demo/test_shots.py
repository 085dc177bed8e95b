from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from demo.garments import random_spec
from demo.shots import KINDS, Copy, DrawnShot, LookShot, RealShot, turns


@pytest.fixture
def picture() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (200, 150, 3)).astype(np.uint8)


def test_mirror_flips_pixels_and_boxes(picture: np.ndarray) -> None:
    changed, boxes, _ = Copy("x.jpg", "y.jpg", "mirrored", 1).copy_of(picture, [(10, 20, 60, 90)])
    assert np.array_equal(changed, picture[:, ::-1])
    assert boxes == [(90, 20, 140, 90)]


@pytest.mark.parametrize("seed", range(6))
def test_crop_takes_at_most_15_percent(picture: np.ndarray, seed: int) -> None:
    changed, boxes, _ = Copy("x.jpg", "y.jpg", "cropped", seed).copy_of(picture, [(0, 0, 150, 200)])
    share = changed.shape[0] * changed.shape[1] / (200 * 150)
    assert 0.85 <= share < 0.95
    assert boxes == [(0, 0, changed.shape[1], changed.shape[0])]


def test_border_surrounds_the_whole_picture(picture: np.ndarray) -> None:
    changed, boxes, _ = Copy("x.jpg", "y.jpg", "bordered", 3).copy_of(picture, [(10, 20, 60, 90)])
    pad = (changed.shape[0] - 200) // 2
    assert pad > 0
    assert np.array_equal(changed[pad:-pad, pad:-pad], picture)
    assert boxes == [(10 + pad, 20 + pad, 60 + pad, 90 + pad)]


def test_resize_scales_boxes(picture: np.ndarray) -> None:
    changed, boxes, _ = Copy("x.jpg", "y.jpg", "resized", 2).copy_of(picture, [(0, 0, 150, 200)])
    assert boxes == [(0, 0, changed.shape[1], changed.shape[0])]
    assert 0.5 < changed.shape[0] / 200 < 0.85


def test_re_encoding_lowers_the_quality_only(picture: np.ndarray) -> None:
    changed, _, quality = Copy("x.jpg", "y.jpg", "re-encoded", 2).copy_of(picture, [])
    assert changed is picture
    assert quality < 80
    assert len(KINDS) == 5


def test_views_of_a_product_are_turned_apart() -> None:
    for seed in range(30):
        angles = turns(np.random.default_rng(seed), 3)
        assert all(8 <= abs(a) <= 25 for a in angles)
        assert min(abs(a - b) for i, a in enumerate(angles) for b in angles[:i]) >= 7


def test_detail_fills_the_frame_and_flat_view_stays_inside(tmp_path: Path) -> None:
    spec = random_spec(np.random.default_rng(1), "sweater")
    flat = DrawnShot("a.jpg", spec, 5, "flat", 15.0).paint(tmp_path)
    x0, y0, x1, y1 = flat.boxes[0]
    height, width = flat.image.shape[:2]
    assert x0 > 0
    assert y0 > 0
    assert x1 < width
    assert y1 < height
    detail = DrawnShot("b.jpg", spec, 5, "detail").paint(tmp_path)
    d0, _, d1, _ = detail.boxes[0]
    assert (d1 - d0) / detail.image.shape[1] > (x1 - x0) / width


def test_variant_of_a_photo_is_another_picture(snapshots: Path, tmp_path: Path) -> None:
    from imagehash import phash
    from PIL import Image

    original = snapshots / "images" / "0.jpg"
    made = RealShot("v.jpg", str(original), 7, -14.0).paint(tmp_path)
    with Image.open(original) as old:
        assert phash(old) - phash(Image.fromarray(made.image)) > 10
    assert len(made.boxes) == 1


def test_photo_that_cannot_be_cut_out_is_skewed_as_a_whole(tmp_path: Path) -> None:
    from PIL import Image

    photo = tmp_path / "grey.png"
    Image.fromarray(np.full((120, 90, 3), 130, np.uint8)).save(photo)
    made = RealShot("v.jpg", str(photo), 7, 12.0).paint(tmp_path)
    assert made.image.shape == (120, 90, 3)
    assert made.boxes == ()
    with pytest.raises(ValueError, match="cannot be part of look"):
        LookShot("l.jpg", 1, "flat", photos=(str(photo),), categories=("Dress",)).paint(tmp_path)
