"""Lightness and colours of aligned pictures, by changes whose formula is known."""

import numpy as np
import numpy.typing as npt
import pytest

from curation import shades

Values = npt.NDArray[np.float64]


def lights(seed: int = 0) -> Values:
    return np.random.default_rng(seed).uniform(5, 95, 900)


@pytest.mark.parametrize(("slope", "level"), [(0.6, 20.0), (1.0, 0.0), (1.4, -20.0), (0.8, 0.0)])
def test_a_straight_tone_curve_is_found(slope: float, level: float) -> None:
    light = np.clip(lights(), 20, 80)
    curve = shades.tone_curve(light, light * slope + level)
    np.testing.assert_allclose(shades.toned(light, curve), light * slope + level, atol=0.1)


@pytest.mark.parametrize("gamma", [0.6, 1.6])
def test_a_gamma_is_undone_although_a_quarter_was_painted_over(gamma: float) -> None:
    light = lights()
    changed = 100 * (light / 100) ** gamma
    painted = np.where(np.arange(900) % 4 == 0, 100.0, changed)
    apart = np.abs(shades.toned(light, shades.tone_curve(light, painted)) - changed)
    assert np.quantile(apart, 0.8) < 4


def test_a_garment_in_another_shade_is_not_explained_by_its_backdrop() -> None:
    rng = np.random.default_rng(1)
    backdrop, garment = rng.normal(60, 12, 500), rng.normal(60, 12, 400)
    before, after = np.concatenate([backdrop, garment]), np.concatenate([backdrop, garment - 30])
    left = np.abs(shades.toned(before, shades.tone_curve(before, after)) - after)
    assert np.quantile(left, 0.8) > 10
    assert shades.light_distance(before, after) > 10
    assert shades.light_distance(before, np.minimum(before * 1.2, 100)) < 2


def colours(a: Values, b: Values, light: Values) -> Values:
    return np.stack([light, a, b], axis=1)


def test_a_cast_is_undone_and_a_product_in_another_colour_is_not() -> None:
    rng = np.random.default_rng(2)
    light, (a, b) = lights(), rng.normal(0, 15, (2, 900))
    first = colours(a, b, light)
    turn = np.deg2rad(15)
    turned = 1.2 * (a * np.cos(turn) - b * np.sin(turn)) + 3, 1.2 * (a * np.sin(turn) + b * np.cos(turn)) - 4
    assert shades.colour_distance(first, colours(*turned, light)) < 1
    assert shades.colour_distance(first, colours(a + 0.05 * light, b + 0.2 * light, light)) < 2, "a warm filter"
    red = np.where(np.arange(900) % 3 == 0, 50.0, 0.0)
    assert shades.colour_distance(first, colours(a + red, b - red, light)) > 30
    assert shades.colour_distance(first[:0], first[:0]) == 0
