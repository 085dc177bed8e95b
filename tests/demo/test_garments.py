from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo.colours import COLOURS, COMPANIONS
from demo.garments import CATEGORIES, random_spec, render
from demo.spec import PATTERNS


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_is_drawn_whole_and_boxed(category: str) -> None:
    drawn = render(random_spec(np.random.default_rng(1), category), 128, 1)
    assert drawn.rgba.shape == (128, 128, 4)
    assert drawn.rgba.dtype == np.uint8
    x0, y0, x1, y1 = drawn.box
    outside = drawn.rgba[..., 3].copy()
    outside[y0:y1, x0:x1] = 0
    assert outside.max() < 24
    assert (drawn.rgba[..., 3] > 128).mean() > 0.025
    assert (x1 - x0) * (y1 - y0) > 0.08 * 128**2


def test_offer_is_wide() -> None:
    assert len(CATEGORIES) == 27
    assert len(COLOURS) >= 10
    assert len(PATTERNS) >= 8
    assert set(COMPANIONS) == set(COLOURS)
    specs = [random_spec(np.random.default_rng(k), "top") for k in range(200)]
    assert len({s.neckline for s in specs}) >= 6
    assert {"short sleeve", "long sleeve", "sleeveless"} <= {s.sleeve_length for s in specs}


def test_same_seed_same_pixels_other_seed_other_outline() -> None:
    spec = random_spec(np.random.default_rng(5), "dress")
    first, again, other = render(spec, 96, 1), render(spec, 96, 1), render(spec, 96, 2)
    assert np.array_equal(first.rgba, again.rgba)
    assert not np.array_equal(first.rgba[..., 3], other.rgba[..., 3])


def test_colour_of_the_cloth_is_the_colour_of_the_design() -> None:
    spec = replace(random_spec(np.random.default_rng(2), "sweater"), pattern="plain", neckline="crew neck")
    for name in ("red", "green", "blue"):
        drawn = render(replace(spec, colour=name), 96, 3)
        mean = drawn.rgba[drawn.rgba[..., 3] > 250][:, :3].mean(axis=0)
        assert int(np.argmax(mean)) == ("red", "green", "blue").index(name)


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p not in ("plain", "graphic")])
def test_patterns_bring_the_second_colour_into_the_cloth(pattern: str) -> None:
    spec = replace(
        random_spec(np.random.default_rng(2), "shirt"), colour="navy", second_colour="white", material="cotton"
    )
    plain = render(replace(spec, pattern="plain"), 96, 3)
    printed = render(replace(spec, pattern=pattern), 96, 3)
    solid = plain.rgba[..., 3] > 250
    assert printed.rgba[..., :3][solid].std() > 1.5 * plain.rgba[..., :3][solid].std()


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(CATEGORIES))
def test_any_random_design_can_be_drawn(seed: int, category: str) -> None:
    spec = random_spec(np.random.default_rng(seed), category)
    assert spec.category == category
    assert spec.second_colour != spec.colour
    x0, y0, x1, y1 = render(spec, 64, seed).box
    assert 0 <= x0 < x1 <= 64
    assert 0 <= y0 < y1 <= 64


def test_unknown_category_is_refused() -> None:
    with pytest.raises(KeyError):
        random_spec(np.random.default_rng(0), "toga")
