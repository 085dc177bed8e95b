"""Putting cut-out garments into a picture: where they lie, their light and their shadows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from generation.cutouts import Cutout

Floats = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Placement:
    """One garment at its place on the canvas."""

    colour: Floats
    """(h, w, 3) sRGB in 0..1, scaled and turned."""
    alpha: Floats
    """(h, w) 0..1."""
    left: int
    top: int

    @property
    def box(self) -> tuple[float, float, float, float]:
        """xyxy pixels of the canvas that the garment covers."""
        rows, columns = np.nonzero(self.alpha.max(axis=1) > 0.5)[0], np.nonzero(self.alpha.max(axis=0) > 0.5)[0]
        return (
            float(self.left + columns[0]), float(self.top + rows[0]),
            float(self.left + columns[-1] + 1), float(self.top + rows[-1] + 1),
        )  # fmt: skip


class Shadow(NamedTuple):
    """Soft shadow of a garment: shift and blur as shares of the canvas width, darkness 0..1."""

    shift: float
    blur: float
    dark: float


SHADOWS: Final = {
    "lying": (Shadow(0.004, 0.006, 0.30), Shadow(0.012, 0.020, 0.26)),
    "hanging": (Shadow(0.008, 0.012, 0.10), Shadow(0.028, 0.036, 0.24)),
    "worn": (Shadow(0.004, 0.010, 0.22),),
}
"""Contact shadow and cast shadow by how the garment meets its scene."""


class Slot(NamedTuple):
    """How large a group of garments is in an outfit, at most, as shares of the canvas, and its layer from the back."""

    width: float
    height: float
    layer: int


SLOTS: Final = {
    "foot": Slot(0.34, 0.115, 0),
    "lower": Slot(0.44, 0.44, 1),
    "full": Slot(0.60, 0.66, 2),
    "upper": Slot(0.62, 0.38, 3),
    "outer": Slot(0.64, 0.42, 4),
    "head": Slot(0.24, 0.13, 5),
    "hand": Slot(0.16, 0.16, 6),
    "accessory": Slot(0.26, 0.30, 6),
}
"""By taxonomy group."""
BODY: Final = frozenset({"upper", "lower", "full", "outer"})
"""Groups without which a handful of garments is no outfit."""
_ABOVE: Final = {"head": 0.0, "top": -0.01, "lower": -0.04, "foot": 0.008}
"""The rows of the body from head to foot, each with the gap above it; a top hangs over the waist."""
_TALLEST: Final = 0.93
_LARGEST: Final = 1.8  # enlarging a crop further shows its JPEG blocks


def studio(garment: Cutout, size: tuple[int, int], lying: bool, rng: np.random.Generator) -> list[Placement]:
    """Place one garment large in the middle of a canvas (width, height), a little off, scaled and turned."""
    width, height = size
    share = rng.uniform(0.74, 0.88)
    angle = float(np.clip(rng.normal(0, 5 if lying else 1.5), -14, 14))
    x, y = width * (0.5 + rng.uniform(-0.04, 0.04)), height * (0.5 + rng.uniform(-0.03, 0.02))
    return [_place(garment, (x, y), (share * width, share * height), angle)]


def outfit(
    garments: Sequence[Cutout], groups: Sequence[str], size: tuple[int, int], rng: np.random.Generator
) -> list[Placement]:
    """Arrange garments as they are worn, one placement each in the order given, on a canvas (width, height).

    Head, body and feet stand above each other, the rest beside them; a jacket stands beside the top that is worn under
    it. ``groups`` are taxonomy groups; an unknown group goes where accessories go.
    """
    width, height = size
    slots = [SLOTS.get(group, SLOTS["accessory"]) for group in groups]
    rooms = [
        (slot.width * width * rng.uniform(0.92, 1.0), slot.height * height * rng.uniform(0.94, 1.0)) for slot in slots
    ]
    tall = [_scale(g, room) * g.alpha.shape[0] for g, room in zip(garments, rooms, strict=True)]
    rows = {name: [k for k, group in enumerate(groups) if _row_of(group) == name] for name in _ABOVE}
    rows = {name: members for name, members in rows.items() if members}
    gaps = {name: 0.0 if number == 0 else _ABOVE[name] * height for number, name in enumerate(rows)}
    total = sum(gaps[name] + max(tall[k] for k in members) for name, members in rows.items())
    shrink = min(_TALLEST * height / max(total, 1.0), 1.0)
    centre = width * (0.5 + rng.uniform(-0.05, 0.05))
    y = height * 0.5 - total * shrink / 2 + height * (1 - _TALLEST) / 4
    places: dict[int, tuple[float, float]] = {}
    for name, members in rows.items():
        y += gaps[name] * shrink
        for position, k in enumerate(members):
            aside = (position - (len(members) - 1) / 2) * 0.36 * width
            places[k] = (centre + aside, y + tall[k] * shrink / 2)
        y += max(tall[k] for k in members) * shrink
    beside = 1.0
    for k in range(len(groups)):
        if k not in places:
            places[k] = (centre + beside * 0.33 * width, height * rng.uniform(0.56, 0.64))
            beside = -beside
    return [
        _place(garment, places[k], (room[0] * shrink, room[1] * shrink), float(rng.normal(0, 1.0)))
        for k, (garment, room) in enumerate(zip(garments, rooms, strict=True))
    ]


def _row_of(group: str) -> str:
    return "top" if group in {"upper", "outer", "full"} else group


def order(groups: Sequence[str]) -> list[int]:
    """Return the indices of an outfit's garments from back to front."""
    return sorted(range(len(groups)), key=lambda k: (SLOTS.get(groups[k], SLOTS["accessory"]).layer, k))


def flatten(placements: Sequence[Placement], size: tuple[int, int]) -> Floats:
    """Return the garments alone as (height, width, 4) straight RGBA in 0..1, the last on top."""
    width, height = size
    canvas = np.zeros((height, width, 4), np.float32)
    for placement in placements:
        window, colour, alpha = _visible(placement, (height, width))
        below = canvas[window]
        share = below[..., 3:] * (1 - alpha)
        total = share + alpha
        below[..., :3] = (below[..., :3] * share + colour * alpha) / np.maximum(total, 1e-4)
        below[..., 3:] = total
    return canvas


def compose(backdrop: Floats, placements: Sequence[Placement], how: str, rng: np.random.Generator) -> Pixels:
    """Lay garments, back to front, over a backdrop (h, w, 3) with shadows and in its light; return (h, w, 3) uint8.

    ``how`` is a key of ``SHADOWS``. A trace of sensor grain over all ties the soft backdrop to the sharp garments.
    """
    height, width = backdrop.shape[:2]
    picture = backdrop.copy()
    towards = 1.0 if _brighter_left(backdrop) else -1.0
    light = _light(backdrop)
    for placement in placements:
        window, colour, alpha = _visible(placement, (height, width))
        picture *= _shade(window, alpha, (height, width), how, towards)[..., None]
        picture[window] += (np.clip(colour * light[window], 0, 1) - picture[window]) * alpha
    return _develop(picture, rng)


def paste(picture: Floats, placements: Sequence[Placement]) -> Pixels:
    """Lay the garments as they are over a scene that was painted around them; return (h, w, 3) uint8."""
    picture = picture.copy()
    for placement in placements:
        window, colour, alpha = _visible(placement, (picture.shape[0], picture.shape[1]))
        picture[window] += (colour - picture[window]) * alpha
    return (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)


def _scale(garment: Cutout, room: tuple[float, float]) -> float:
    height, width = garment.alpha.shape
    return min(room[0] / width, room[1] / height, _LARGEST)


def _place(garment: Cutout, centre: tuple[float, float], room: tuple[float, float], angle: float) -> Placement:
    """Scale a garment into ``room`` (width, height), turn it by ``angle`` degrees and centre it."""
    import cv2

    scale = _scale(garment, room)
    height, width = garment.alpha.shape
    size = max(round(width * scale), 2), max(round(height * scale), 2)
    layers = np.dstack([garment.colour * garment.alpha[..., None], garment.alpha])
    layers = cv2.resize(layers, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    turn = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), angle, 1.0)
    cos, sin = abs(turn[0, 0]), abs(turn[0, 1])
    bounds = int(size[0] * cos + size[1] * sin + 3), int(size[0] * sin + size[1] * cos + 3)
    turn[:, 2] += (bounds[0] - size[0]) / 2, (bounds[1] - size[1]) / 2
    layers = np.clip(cv2.warpAffine(layers, turn, bounds, flags=cv2.INTER_CUBIC), 0, 1)
    alpha = np.asarray(layers[..., 3], np.float32)
    colour = np.clip(layers[..., :3] / np.maximum(alpha, 1e-3)[..., None], 0, 1).astype(np.float32)
    return Placement(colour, alpha, round(centre[0] - bounds[0] / 2), round(centre[1] - bounds[1] / 2))


def _visible(placement: Placement, shape: tuple[int, int]) -> tuple[tuple[slice, slice], Floats, Floats]:
    """Where a placement lies on a canvas (height, width), and its colour (h, w, 3) and alpha (h, w, 1) there."""
    height, width = shape
    high, wide = placement.alpha.shape
    top, left = min(max(placement.top, 0), height), min(max(placement.left, 0), width)
    bottom, right = max(min(placement.top + high, height), top), max(min(placement.left + wide, width), left)
    inner = slice(top - placement.top, bottom - placement.top), slice(left - placement.left, right - placement.left)
    return (slice(top, bottom), slice(left, right)), placement.colour[inner], placement.alpha[inner][..., None]


def _shade(window: tuple[slice, slice], alpha: Floats, shape: tuple[int, int], how: str, towards: float) -> Floats:
    """What the shadows of one garment leave of the light, (h, w); drawn at half size, since it is soft."""
    import cv2

    height, width = shape
    mask = np.zeros(shape, np.float32)
    mask[window] = alpha[..., 0]
    small = cv2.resize(mask, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    left = np.ones_like(small)
    for shadow in SHADOWS[how]:
        step = shadow.shift * width / 2
        shift = np.asarray([[1, 0, towards * step * 0.6], [0, 1, step]], np.float64)
        moved = cv2.warpAffine(small, shift, small.shape[::-1])
        left *= 1 - shadow.dark * cv2.GaussianBlur(moved, (0, 0), shadow.blur * width / 2)
    return np.asarray(cv2.resize(left, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _brighter_left(backdrop: Floats) -> bool:
    half = backdrop.shape[1] // 2
    return bool(backdrop[:, :half].mean() >= backdrop[:, half:].mean())


def _light(backdrop: Floats) -> Floats:
    """What the garments are multiplied with, (h, w, 3): a share of the backdrop's exposure, tint and falloff.

    Small on purpose: the colour of the garment is what the picture must keep.
    """
    import cv2

    luma = backdrop @ np.asarray((0.2126, 0.7152, 0.0722), np.float32)
    mean = float(luma.mean())
    exposure = float(np.clip(1 + 0.35 * (mean - 0.62), 0.80, 1.04))
    tint = np.clip(1 + 0.10 * (backdrop.mean(axis=(0, 1)) / max(mean, 0.05) - 1), 0.95, 1.05)
    small = cv2.resize(luma, (16, 20), interpolation=cv2.INTER_AREA)
    falloff = cv2.resize(cv2.GaussianBlur(small, (0, 0), 4), luma.shape[::-1], interpolation=cv2.INTER_LINEAR)
    local = np.clip(1 + 0.25 * (falloff / max(mean, 0.05) - 1), 0.88, 1.10)
    return np.asarray(exposure * tint * local[..., None], np.float32)


def _develop(picture: Floats, rng: np.random.Generator) -> Pixels:
    import cv2

    grain = rng.standard_normal(picture.shape[:2], dtype=np.float32)
    grain = cv2.GaussianBlur(grain, (0, 0), 0.6) * 0.007
    return np.asarray(np.clip(picture + grain[..., None], 0, 1) * 255 + 0.5, np.uint8)
