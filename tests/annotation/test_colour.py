"""Colour names from pixels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taxonomy
from annotation.colour import ANCHORS, Colour, colours, leading, name_of, to_lab


def photo(garment: tuple[int, int, int], backdrop: tuple[int, int, int], *, shade: bool = True) -> np.ndarray:
    """A 200 x 160 photo with a 120 x 100 garment in the middle, lit from the left."""
    pixels = np.full((200, 160, 3), backdrop, dtype=np.float64)
    pixels[40:160, 30:130] = garment
    if shade:
        pixels *= np.linspace(1.0, 0.85, 160)[None, :, None]
    return pixels.clip(0, 255).astype(np.uint8)


BOX = (25.0, 35.0, 135.0, 165.0)


def test_every_name_is_a_colour_of_the_taxonomy() -> None:
    assert set(ANCHORS) <= set(taxonomy.load().facets["colour"].values)


def test_lab_of_known_colours() -> None:
    # Values of the CIE formulas under D65, as colour-science and ColorChecker tables print them.
    lab = to_lab(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 0, 255], [119, 119, 119]], dtype=np.uint8))
    expected = [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20], [32.30, 79.19, -107.86], [50.03, 0, 0]]
    assert lab == pytest.approx(np.array(expected), abs=0.03)


@pytest.mark.parametrize(("name", "points"), ANCHORS.items())
def test_an_anchor_has_its_own_name(name: str, points: tuple[tuple[int, int, int], ...]) -> None:
    for point in points:
        assert name_of(to_lab(np.array(point, dtype=np.uint8))) == name


@pytest.mark.parametrize(
    ("garment", "name"),
    [
        ((190, 30, 40), "red"), ((40, 90, 180), "blue"), ((30, 40, 80), "navy"), ((35, 120, 70), "green"),
        ((240, 240, 240), "white"), ((25, 25, 27), "black"), ((235, 160, 185), "pink"), ((110, 70, 45), "brown"),
        ((240, 200, 60), "yellow"), ((105, 60, 140), "purple"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("backdrop", [(200, 170, 140), (245, 245, 245), (60, 62, 66)])
def test_a_garment_is_named_whatever_lies_behind_it(garment, name, backdrop) -> None:
    assert leading(colours(photo(garment, backdrop), BOX))[0] == name


def test_a_white_shirt_on_a_white_sheet_is_still_white() -> None:
    assert leading(colours(photo((246, 246, 246), (250, 250, 250)), BOX)) == ["white"]


def test_two_halves_are_two_colours_and_the_larger_comes_first() -> None:
    pixels = photo((190, 30, 40), (245, 245, 245), shade=False)
    pixels[110:160, 30:130] = (30, 40, 80)
    assert leading(colours(pixels, BOX)) == ["red", "navy"]


def test_the_darker_shade_of_a_cloth_is_no_second_colour() -> None:
    assert leading([Colour("blue", 0.5), Colour("navy", 0.5)]) == ["blue"]
    assert leading([Colour("black", 0.6), Colour("white", 0.4)]) == ["black", "white"]
    assert leading([Colour("black", 0.8), Colour("white", 0.2)]) == ["black"]
    assert leading([]) == []


def test_four_strong_colours_are_many() -> None:
    assert leading([Colour(name, 0.25) for name in ("red", "green", "blue", "yellow")]) == ["multicoloured"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-20, 180), st.floats(-20, 180), st.floats(1, 260), st.floats(1, 260))
def test_any_box_of_any_picture_gives_shares_that_add_up(seed: int, x: float, y: float, w: float, h: float) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    found = colours(pixels, (x, y, x + w, y + h))
    assert not found or sum(colour.share for colour in found) == pytest.approx(1)
    assert found == colours(pixels, (x, y, x + w, y + h))
