"""The names of a garment's colours, from its pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_D65 = np.array([0.95047, 1.0, 1.08883])
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""sRGB to CIE XYZ, IEC 61966-2-1."""

ANCHORS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "black": ((12, 12, 14), (32, 32, 35), (46, 44, 44)),
    "white": ((250, 250, 250), (236, 236, 238), (222, 224, 228), (206, 210, 210)),
    "cream": ((248, 240, 220), (238, 228, 205)),
    "grey": ((70, 71, 74), (105, 105, 108), (140, 141, 145), (180, 180, 183)),
    "beige": ((220, 204, 176), (200, 182, 155), (212, 190, 170), (180, 164, 140)),
    "camel": ((190, 146, 96), (176, 128, 78), (200, 160, 115)),
    "brown": ((110, 72, 48), (84, 56, 40), (130, 92, 66), (70, 50, 42), (58, 40, 32)),
    "yellow": ((238, 198, 58), (250, 230, 90), (215, 175, 50), (245, 235, 150)),
    "orange": ((228, 118, 36), (245, 150, 60), (205, 95, 50), (240, 150, 110)),
    "red": ((188, 34, 44), (215, 45, 50), (160, 30, 38), (225, 75, 70)),
    "burgundy": ((112, 28, 48), (90, 25, 38), (70, 25, 35), (128, 42, 62)),
    "pink": ((236, 158, 182), (245, 200, 210), (225, 100, 150), (215, 130, 140), (220, 60, 130)),
    "purple": ((108, 62, 142), (150, 110, 180), (190, 165, 215), (80, 45, 90), (130, 70, 125)),
    "navy": ((32, 44, 84), (25, 32, 58), (40, 48, 75), (44, 56, 92), (56, 66, 88)),
    "blue": (
        (48, 96, 184),
        (60, 110, 160),
        (35, 65, 140),
        (75, 105, 150),
        (85, 125, 190),
        (100, 116, 142),
        (124, 140, 164),
    ),
    "light blue": ((150, 190, 224), (175, 205, 230), (130, 165, 200), (200, 220, 235), (158, 174, 196)),
    "turquoise": ((40, 164, 166), (20, 120, 130), (100, 200, 195), (20, 90, 100)),
    "green": ((44, 124, 74), (30, 80, 50), (90, 160, 80), (150, 190, 130), (170, 215, 190), (160, 200, 60)),
    "olive": ((108, 110, 62), (90, 90, 60), (75, 80, 55), (130, 128, 85)),
}
"""sRGB points of each colour name of the taxonomy, light and dark cloth of that name."""

_NAMES = tuple(name for name, points in ANCHORS.items() for _ in points)
_CLUSTERS = 5
_ROUNDS = 8
_BACKGROUND = 11.0
"""CIE76 distance below which a pixel is taken for the background: a few just noticeable differences plus shadow."""
_LEAST_LEFT = 0.12
"""Share of the crop that must stay when the background is removed; a white shirt on white keeps its middle instead."""
_SHADES = (
    {"navy", "blue", "light blue"},
    {"white", "cream", "beige"},
    {"beige", "camel", "brown"},
    {"grey", "black"},
    {"grey", "white"},
    {"grey", "olive"},
    {"olive", "beige"},
    {"red", "burgundy", "pink"},
    {"burgundy", "brown"},
    {"pink", "brown"},
)
"""Names that one cloth takes in light and in shade; the second of them is not written down."""
_MULTI = 4
"""So many names of at least `share` each make a garment multicoloured."""


@dataclass(frozen=True)
class Colour:
    """One colour of a garment."""

    name: str
    share: float
    """Part of the garment's pixels, 0 to 1."""


def to_lab(pixels: npt.NDArray[np.generic]) -> Floats:
    """Convert sRGB, uint8 (..., 3), to CIELAB under D65, float64 (..., 3); CIE 15:2004."""
    values = np.asarray(pixels, dtype=np.float64) / 255.0
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T / _D65
    delta = 6 / 29
    f = np.where(xyz > delta**3, np.cbrt(xyz), xyz / (3 * delta**2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


_LAB = to_lab(np.array([point for points in ANCHORS.values() for point in points], dtype=np.uint8))


def name_of(lab: Floats) -> str:
    """Return the name of the anchor nearest to one CIELAB colour, shape (3,)."""
    # Lightness changes with light and folds, hue does not: it counts a little less.
    difference = (_LAB - lab) * np.array([0.8, 1.0, 1.0])
    return _NAMES[int(np.argmin((difference**2).sum(axis=1)))]


def colours(photo: Pixels, box: Sequence[float]) -> list[Colour]:
    """Return the colours of the garment in ``box`` (xyxy, pixels of ``photo``), the largest share first.

    ``photo`` is (H, W, 3) uint8 sRGB. Pixels like the rim of the photo are left out as background as long as enough
    remains; the middle of the box counts more than its edge. The same input gives the same answer.
    """
    height, width = photo.shape[:2]
    x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
    x1, y1 = min(width, max(x0 + 1, round(box[2]))), min(height, max(y0 + 1, round(box[3])))
    step = max(1, round(max(x1 - x0, y1 - y0) / 56))
    lab = to_lab(photo[y0:y1:step, x0:x1:step])
    if lab.size == 0:
        return []
    rows, columns = lab.shape[:2]
    down = (np.arange(rows) + 0.5) / rows * 2 - 1
    across = (np.arange(columns) + 0.5) / columns * 2 - 1
    weight: Floats = np.exp(-1.5 * (down[:, None] ** 2 + across[None, :] ** 2)).ravel()
    points: Floats = lab.reshape(-1, 3)
    rim = _rim(photo, (x0, y0, x1, y1))
    inside = np.min(np.linalg.norm(points[:, None, :] - rim[None], axis=2), axis=1) > _BACKGROUND
    if weight[inside].sum() >= _LEAST_LEFT * weight.sum():
        points, weight = points[inside], weight[inside]
    else:
        middle = (np.maximum(abs(down)[:, None], abs(across)[None, :]) <= 0.5).ravel()
        points, weight = (points[middle], weight[middle]) if middle.any() else (points, weight)
    shares: dict[str, float] = {}
    for centre, share in _clusters(points, weight):
        name = name_of(centre)
        shares[name] = shares.get(name, 0.0) + share
    return sorted(
        (Colour(name, share) for name, share in shares.items()), key=lambda colour: (-colour.share, colour.name)
    )


def leading(found: Sequence[Colour], *, second: float = 0.3, multi: float = 0.15) -> list[str]:
    """Return the names to write down: the largest, a second of at least ``second``, or ``multicoloured``."""
    if sum(colour.share >= multi for colour in found) >= _MULTI:
        return ["multicoloured"]
    first, other = (found[0].name, found[1:]) if found else (None, [])
    apart = [c for c in other if c.share >= second and not any({first, c.name} <= shades for shades in _SHADES)]
    return [name for name in (first, *(c.name for c in apart[:1])) if name]


def _rim(photo: Pixels, box: tuple[int, int, int, int]) -> Floats:
    """Return the few colours, (k, 3) CIELAB, that fill the rim of the photo outside of ``box``."""
    height, width = photo.shape[:2]
    band = max(2, round(min(height, width) * 0.04))
    step = max(1, round(max(height, width) / 160))
    mask = np.zeros((height, width), dtype=bool)
    mask[:band] = mask[-band:] = True
    mask[:, :band] = mask[:, -band:] = True
    outside = mask.copy()
    outside[box[1] : box[3], box[0] : box[2]] = False
    # A garment that fills the photo leaves no rim outside its box: then its corners are the best guess.
    if outside[::step, ::step].sum() < 12:
        outside = np.zeros_like(mask)
        for ys in (slice(0, band), slice(height - band, height)):
            for xs in (slice(0, band), slice(width - band, width)):
                outside[ys, xs] = True
        step = 1
    points = to_lab(photo[::step, ::step][outside[::step, ::step]])
    found = _clusters(points, np.ones(len(points)))
    return np.array([centre for centre, share in found if share >= 0.1])


def _clusters(points: Floats, weight: Floats) -> list[tuple[Floats, float]]:
    """Weighted k-means in CIELAB from a fixed start: (centre, share) of each cluster that holds something."""
    order = np.argsort(points[:, 0], kind="stable")
    start = np.linspace(0, len(points) - 1, _CLUSTERS).round().astype(int)
    centres = points[order[start]].copy()
    nearest = np.full(len(points), -1)
    for _ in range(_ROUNDS):
        # |p - c|^2 without |p|^2, which is the same for every centre.
        closest = np.argmin((centres**2).sum(axis=1) - 2 * points @ centres.T, axis=1)
        if np.array_equal(closest, nearest):
            break
        nearest = closest
        for k in range(len(centres)):
            chosen = nearest == k
            if weight[chosen].sum() > 0:
                centres[k] = np.average(points[chosen], axis=0, weights=weight[chosen])
    total = weight.sum()
    return [
        (centres[k], float(weight[nearest == k].sum() / total))
        for k in range(len(centres))
        if weight[nearest == k].sum() > 0
    ]
