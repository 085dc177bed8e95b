from __future__ import annotations

import numpy as np
import pytest

from demo.backdrops import BACKDROPS, SETTINGS, paint, paint_any


@pytest.mark.parametrize("kind", BACKDROPS)
def test_backdrops_have_the_asked_size_and_repeat_from_the_seed(kind: str) -> None:
    first = paint(kind, 90, 120, np.random.default_rng(1))
    assert first.shape == (120, 90, 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, paint(kind, 90, 120, np.random.default_rng(1)))
    if kind != "white":
        assert not np.array_equal(first, paint(kind, 90, 120, np.random.default_rng(2)))
        assert first.std() > 1


def test_settings_name_known_backdrops() -> None:
    assert {kind for kinds in SETTINGS.values() for kind in kinds} <= set(BACKDROPS)
    with pytest.raises(KeyError):
        paint("moon", 10, 10, np.random.default_rng(0))
    assert paint_any(33, 21, np.random.default_rng(0), "street").shape == (21, 33, 3)
