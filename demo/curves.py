"""Plane geometry of the drawings: outlines from a few points, in a unit square with y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Knot = tuple[float, float] | tuple[float, float, int]


def _spline(points: Points, steps: int) -> Points:
    """Centripetal-like Catmull-Rom curve through an open run of points (uniform knots)."""
    if len(points) < 3:
        return points
    padded = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    runs = []
    for i in range(len(points) - 1):
        p0, p1, p2, p3 = padded[i : i + 4]
        runs.append(
            0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3)
        )
    return np.vstack([*runs, points[-1:]])


def curve(*knots: Knot, steps: int = 10) -> Points:
    """Open polyline through the knots; `(x, y, 1)` is passed smoothly, `(x, y)` is a corner."""
    xy = np.asarray([k[:2] for k in knots], dtype=np.float64)
    corners = [i for i, k in enumerate(knots) if len(k) == 2 or i in (0, len(knots) - 1)]
    pieces = [_spline(xy[a : b + 1], steps)[: None if b == len(knots) - 1 else -1] for a, b in pairwise(corners)]
    return np.vstack(pieces)


def outline(*knots: Knot, steps: int = 10) -> Points:
    """Closed outline through the knots, which must start at a corner."""
    return curve(*knots, knots[0][:2], steps=steps)[:-1]


def mirrored(*knots: Knot, axis: float = 0.5, steps: int = 10) -> Points:
    """Closed outline from its right half, given from the top of the axis to the bottom.

    Knots on the axis are shared by both halves, so a smooth one there stays smooth.
    """
    right: list[Knot] = list(knots)
    left: list[Knot] = [
        (2 * axis - k[0], k[1], 1) if len(k) == 3 else (2 * axis - k[0], k[1])
        for k in reversed(knots)
        if abs(k[0] - axis) > 1e-9
    ]
    ring = right + left
    first = next(i for i, k in enumerate(ring) if len(k) == 2)
    return outline(*ring[first:], *ring[:first], steps=steps)


def moved(points: npt.ArrayLike, dx: float, dy: float) -> Points:
    """Points shifted."""
    shifted: Points = np.asarray(points, dtype=np.float64) + np.asarray((dx, dy))
    return shifted


def flip(points: Points, axis: float = 0.5) -> Points:
    """Mirror image in a vertical axis."""
    return np.column_stack([2 * axis - points[:, 0], points[:, 1]])


def ellipse(cx: float, cy: float, rx: float, ry: float, steps: int = 48) -> Points:
    """Closed ellipse."""
    t = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.column_stack([cx + rx * np.cos(t), cy + ry * np.sin(t)])


def along(points: Points, step: float) -> Points:
    """Points resampled at equal distances of about `step` along an open polyline."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    places = np.linspace(0.0, lengths[-1], max(round(lengths[-1] / step) + 1, 2))
    return np.column_stack([np.interp(places, lengths, points[:, k]) for k in (0, 1)])


def dashes(points: Points, step: float) -> list[Points]:
    """Stitches: every other piece of a polyline cut at `step`."""
    cut = along(points, step)
    return [cut[i : i + 2] for i in range(0, len(cut) - 1, 2)]


def tube(spine: Sequence[Knot], widths: Sequence[float], steps: int = 10) -> Points:
    """Closed outline of a band along a spine, whose full width goes evenly through `widths`."""
    mid = along(curve(*spine, steps=steps), 0.02)
    way = np.gradient(mid, axis=0)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    normal = np.column_stack([-way[:, 1], way[:, 0]])
    stops = np.linspace(0.0, 1.0, len(widths))
    half = 0.5 * np.interp(np.linspace(0.0, 1.0, len(mid)), stops, np.asarray(widths))[:, None]
    return np.vstack([mid + normal * half, (mid - normal * half)[::-1]])


def clipped(points: Points, top: float, bottom: float) -> Points:
    """Outline squeezed into a band of heights (points outside are moved onto its edges)."""
    return np.column_stack([points[:, 0], np.clip(points[:, 1], top, bottom)])


def box(points: Points) -> tuple[float, float, float, float]:
    """Smallest xyxy box around points."""
    low, high = points.min(axis=0), points.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
