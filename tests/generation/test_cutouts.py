from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("cv2")

from generation.cutouts import CutoutError, cut_out

Draw = Callable[..., tuple[np.ndarray, np.ndarray]]


def _masked(cutout, mask):
    """The cut-out's alpha back on the photo: its trimmed box is where the true mask's is, to a pixel or two."""
    rows, columns = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
    return rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1


@pytest.mark.parametrize(
    ("shape", "colour"), [("shirt", (30, 50, 120)), ("pants", (60, 60, 64)), ("shirt", (190, 30, 40))]
)
def test_area_and_extent_are_the_garments(drawn: Draw, shape: str, colour: tuple[int, int, int]) -> None:
    pixels, mask = drawn(shape, colour)
    cutout = cut_out(pixels, (10, 15, 230, 305), shape)
    high, wide = _masked(cutout, mask)
    assert abs(cutout.alpha.shape[0] - high) <= 4
    assert abs(cutout.alpha.shape[1] - wide) <= 4
    assert cutout.alpha.sum() == pytest.approx(mask.sum(), rel=0.05)
    assert cutout.measures["edge"] > 20


def test_no_halo_of_the_old_background_is_left(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (30, 50, 120), ground=(245, 240, 235))
    cutout = cut_out(pixels, (10, 15, 230, 305))
    edge = (cutout.alpha > 0.1) & (cutout.alpha < 0.9)
    assert edge.sum() > 100
    distance = np.abs(cutout.colour[edge] - np.asarray((30, 50, 120)) / 255).max(axis=1)
    assert np.percentile(distance, 95) < 0.12


def test_the_edge_is_soft_but_narrow(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (30, 50, 120))
    alpha = cut_out(pixels, (10, 15, 230, 305)).alpha
    row = alpha[alpha.shape[0] * 3 // 4]
    between = ((row > 0.05) & (row < 0.95)).sum()
    assert 2 <= between <= 14


def test_the_gap_between_legs_is_background(drawn: Draw) -> None:
    pixels, mask = drawn("pants", (40, 60, 110), ground=(120, 80, 50))
    between = np.zeros_like(mask, dtype=bool)
    between[130:290, 108:133] = mask[130:290, 108:133] == 0
    pixels[between] = (205, 195, 185)  # lit ground that is nowhere outside the box
    alpha = cut_out(pixels, (20, 15, 220, 305), "pants").alpha
    gap = alpha[-60:-10, alpha.shape[1] // 2]
    assert gap.max() < 0.2
    assert cut_out(pixels, (20, 15, 220, 305), "skirt").alpha[-60:-10, alpha.shape[1] // 2].max() > 0.8


def test_the_same_photo_gives_the_same_cutout(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (90, 120, 60))
    first, second = (cut_out(pixels, (10, 15, 230, 305)) for _ in range(2))
    assert np.array_equal(first.alpha, second.alpha)
    assert np.array_equal(first.colour, second.colour)


def test_a_garment_of_its_grounds_colour_is_refused(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (207, 192, 172))
    with pytest.raises(CutoutError) as caught:
        cut_out(pixels, (10, 15, 230, 305))
    assert caught.value.reason in {
        "edge_too_faint",
        "mask_too_small",
        "mask_in_pieces",
        "mask_fills_box",
        "mask_meets_border",
    }
    assert caught.value.evidence


def test_an_empty_wall_is_refused() -> None:
    with pytest.raises(CutoutError):
        cut_out(np.full((300, 200, 3), 180, np.uint8), (0, 0, 200, 300))


def test_a_box_full_of_cloth_is_refused(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (30, 50, 120))
    with pytest.raises(CutoutError):
        cut_out(pixels, (80, 70, 160, 240))


def test_a_tiny_box_is_refused_with_its_size(drawn: Draw) -> None:
    pixels, _ = drawn("shirt", (30, 50, 120))
    with pytest.raises(CutoutError) as caught:
        cut_out(pixels, (100, 100, 115, 115))
    assert caught.value.reason == "crop_too_small"
    assert caught.value.evidence["width"] == 15
