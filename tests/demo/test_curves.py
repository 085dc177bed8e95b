from __future__ import annotations

import numpy as np
import pytest

from demo.curves import along, box, curve, dashes, ellipse, flip, mirrored, moved, outline, tube


def test_outline_passes_its_corners_and_smooth_knots() -> None:
    shape = outline((0.1, 0.1), (0.5, 0.0, 1), (0.9, 0.1), (0.5, 0.9))
    for knot in ((0.1, 0.1), (0.5, 0.0), (0.9, 0.1), (0.5, 0.9)):
        assert np.linalg.norm(shape - knot, axis=1).min() < 1e-9


def test_mirrored_is_symmetric_and_smooth_on_the_axis() -> None:
    shape = mirrored((0.5, 0.2, 1), (0.7, 0.1), (0.8, 0.9), (0.5, 0.95, 1))
    there = {(round(x, 6), round(y, 6)) for x, y in shape}
    assert {(round(1 - x, 6), round(y, 6)) for x, y in shape} == there
    assert shape[:, 1].max() == pytest.approx(0.95, abs=1e-6)


def test_along_keeps_distances_and_dashes_leave_gaps() -> None:
    line = curve((0, 0), (1, 0))
    steps = np.diff(along(line, 0.1), axis=0)
    assert np.allclose(np.linalg.norm(steps, axis=1), 0.1)
    assert len(dashes(line, 0.1)) == 5


def test_tube_has_its_width_everywhere() -> None:
    band = tube([(0.0, 0.5), (1.0, 0.5)], (0.2, 0.2))
    assert box(band) == pytest.approx((0.0, 0.4, 1.0, 0.6))


def test_flip_and_move() -> None:
    ring = ellipse(0.3, 0.4, 0.1, 0.2)
    assert box(flip(ring)) == pytest.approx((0.6, 0.2, 0.8, 0.6))
    assert box(moved(ring, 0.1, -0.1)) == pytest.approx((0.3, 0.1, 0.5, 0.5))
