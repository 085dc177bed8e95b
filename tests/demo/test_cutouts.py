from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from demo.cutouts import cut_out, cut_out_file, doubt, mask_of


@pytest.fixture(scope="module")
def photo() -> tuple[np.ndarray, np.ndarray]:
    """A red ellipse on a grey, noisy ground, and its true mask."""
    rng = np.random.default_rng(0)
    truth = np.zeros((160, 120), np.uint8)
    cv2.ellipse(truth, (60, 80), (34, 52), 0, 0, 360, 255, -1)
    image = np.where(truth[..., None] > 0, (190, 30, 40), (140, 142, 146)) + rng.normal(0, 6, (160, 120, 1))
    return np.clip(image, 0, 255).astype(np.uint8), truth


def test_mask_follows_the_garment(photo: tuple[np.ndarray, np.ndarray]) -> None:
    image, truth = photo
    mask = mask_of(image)
    union, common = ((mask > 0) | (truth > 0)).sum(), ((mask > 0) & (truth > 0)).sum()
    assert common / union > 0.95
    assert np.array_equal(mask, mask_of(image))


def test_cut_out_keeps_the_photo_s_pixels(photo: tuple[np.ndarray, np.ndarray]) -> None:
    made = cut_out(photo[0])
    assert made.rgba is not None
    assert np.array_equal(made.rgba[..., :3], photo[0])
    assert made.rgba[80, 60, 3] == 255
    assert made.rgba[5, 5, 3] == 0


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda m: m[:] * 0, "below"),
        (lambda m: m * 0 + 255, "above"),
        (lambda m: np.pad(np.full((160, 30), 255, np.uint8), ((0, 0), (0, 90))), "frame"),
        (lambda m: (np.indices(m.shape).sum(axis=0) % 24 < 6).astype(np.uint8) * (m | 255), "frame|ragged"),
    ],
)
def test_doubtful_masks_are_named(photo: tuple[np.ndarray, np.ndarray], change: object, word: str) -> None:
    import re

    assert re.search(word, doubt(change(photo[1])))  # type: ignore[operator]


def test_plain_ellipse_is_no_doubt(photo: tuple[np.ndarray, np.ndarray]) -> None:
    assert doubt(photo[1]) == ""


def test_file_is_cut_once_and_refusals_are_kept(tmp_path: Path, photo: tuple[np.ndarray, np.ndarray]) -> None:
    good, bad, cache = tmp_path / "good.png", tmp_path / "bad.png", tmp_path / "cache"
    Image.fromarray(photo[0]).save(good)
    Image.fromarray(np.full((90, 90, 3), 130, np.uint8)).save(bad)
    first, refused = cut_out_file(good, cache), cut_out_file(bad, cache)
    assert first.rgba is not None
    assert refused.rgba is None
    assert refused.reason
    kept = sorted(p.suffix for p in cache.iterdir())
    assert kept == [".png", ".txt"]
    again = cut_out_file(good, cache)
    assert again.rgba is not None
    assert np.array_equal(first.rgba, again.rgba)
    assert cut_out_file(bad, cache) == refused
