"""Photos made of cut-outs: placed on a backdrop with rotation, perspective, shadow and light."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from demo.backdrops import paint_any
from demo.pixels import three, to_bytes

Image = npt.NDArray[np.uint8]
Rgba = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.floating[Any]]
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Placement:
    """Where a cut-out goes: centre and longer side in pixels, turn in degrees, perspective as a share of its size."""

    x: float
    y: float
    size: float
    angle: float = 0.0
    tilt: float = 0.0
    mirror: bool = False


@dataclass(frozen=True)
class Composition:
    """A picture (H, W, 3) uint8, the xyxy box of each piece, and the share of each that nothing hides."""

    image: Image
    boxes: tuple[Box, ...]
    visible: tuple[float, ...]


# Centre (x, y) and longer side as shares of the picture's width and height, by what a garment does in an outfit.
_SLOTS: dict[str, tuple[float, float, float]] = {
    "bottom": (0.5, 0.66, 0.44),
    "shoe": (0.5, 0.905, 0.17),
    "top": (0.5, 0.33, 0.40),
    "dress": (0.5, 0.46, 0.62),
    "outer": (0.5, 0.36, 0.46),
    "hat": (0.5, 0.095, 0.18),
    "bag": (0.83, 0.58, 0.25),
    "scarf": (0.19, 0.32, 0.3),
    "small": (0.17, 0.62, 0.16),
}
_ROLES: dict[str, str] = {
    **dict.fromkeys(("pants", "shorts", "skirt", "tights", "leg warmer"), "bottom"),
    **dict.fromkeys(("shoe", "shoes"), "shoe"),
    **dict.fromkeys(("top", "shirt", "sweater", "cardigan", "vest"), "top"),
    **dict.fromkeys(("longsleeve", "polo", "blouse", "t-shirt", "undershirt", "body", "hoodie"), "top"),
    **dict.fromkeys(("dress", "jumpsuit", "cape"), "dress"),
    **dict.fromkeys(("jacket", "coat", "blazer", "outwear"), "outer"),
    **dict.fromkeys(("hat", "headband"), "hat"),
    **dict.fromkeys(("bag", "umbrella"), "bag"),
    **dict.fromkeys(("scarf", "tie"), "scarf"),
}


def role_of(category: str) -> str:
    """What a garment does in an outfit: top, outer, bottom, dress, shoe, hat, bag, scarf or small."""
    return _ROLES.get(category.lower(), "small")


def trim(rgba: Rgba) -> Rgba:
    """The cut-out without its empty margins."""
    seen = rgba[..., 3] > 12
    rows, cols = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not len(rows):
        raise ValueError("the cut-out is fully transparent; nothing can be placed")
    return np.ascontiguousarray(rgba[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1])


def _warp(
    rgba: Rgba, place: Placement, rng: np.random.Generator, shape: tuple[int, int]
) -> tuple[Floats, Floats, tuple[slice, slice]]:
    """Premultiplied colour (h, w, 3) and alpha (h, w) of the placed piece, and its window in the picture."""
    import cv2

    piece = _premultiplied(rgba[:, ::-1] if place.mirror else rgba)
    h, w = piece.shape[:2]
    scale = place.size / max(h, w)
    if scale < 0.6:  # area averaging first, since the warp below samples only four pixels
        w, h = max(int(w * scale * 1.15), 2), max(int(h * scale * 1.15), 2)
        piece = cv2.resize(piece, (w, h), interpolation=cv2.INTER_AREA)
        scale = place.size / max(h, w)
    corners = np.asarray([(-w, -h), (w, -h), (w, h), (-w, h)], dtype=np.float64) * (scale / 2)
    corners += rng.uniform(-1, 1, (4, 2)) * place.tilt * place.size * 0.5
    a = np.deg2rad(place.angle)
    goal = corners @ np.asarray([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + (place.x, place.y)
    low = np.clip(np.floor(goal.min(axis=0)) - 1, 0, (shape[1] - 2, shape[0] - 2)).astype(int)
    high = np.clip(np.ceil(goal.max(axis=0)) + 1, low + 1, (shape[1], shape[0])).astype(int)
    source = np.asarray([(0, 0), (w, 0), (w, h), (0, h)], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(source, (goal - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    placed = cv2.warpPerspective(piece, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    window = slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))
    return placed[..., :3], placed[..., 3], window


def _premultiplied(rgba: Rgba) -> Floats:
    picture = rgba.astype(np.float32) / 255
    picture[..., :3] *= three(picture[..., 3])
    return picture


def _shadow(canvas: Floats, alpha: Floats, window: tuple[slice, slice], reach: float, strength: float) -> None:
    """Darken the backdrop below and right of a piece."""
    import cv2

    pad = int(reach * 3) + 2
    rows, cols = window
    h, w = canvas.shape[:2]
    top, left = max(rows.start - pad, 0), max(cols.start - pad, 0)
    bottom, right = min(rows.stop + pad, h), min(cols.stop + pad, w)
    field = np.zeros((bottom - top, right - left), dtype=np.float32)
    field[rows.start - top : rows.stop - top, cols.start - left : cols.stop - left] = alpha
    shift = np.asarray([[1, 0, reach * 0.45], [0, 1, reach * 0.7]], dtype=np.float32)
    field = cv2.warpAffine(field, shift, (field.shape[1], field.shape[0]))
    soft = 0.6 * cv2.GaussianBlur(field, (0, 0), reach) + 0.4 * cv2.GaussianBlur(field, (0, 0), max(reach * 0.25, 0.6))
    canvas[top:bottom, left:right] *= three(1 - strength * soft)


def compose(
    backdrop: Image,
    pieces: Sequence[tuple[Rgba, Placement]],
    rng: np.random.Generator,
    *,
    shadow: float = 0.4,
    light: bool = True,
) -> Composition:
    """Lay cut-outs (RGBA uint8) over a backdrop, the first lowest.

    Boxes are those of the whole piece inside the picture, also where a later piece hides some of it; `visible`
    says how much shows. A piece placed outside of the picture has an empty box and visible 0.
    """
    canvas = backdrop.astype(np.float32) / 255
    reach = max(backdrop.shape[:2]) * 0.012
    covers: list[tuple[Floats, tuple[slice, slice]]] = []
    for rgba, place in pieces:
        colour, alpha, window = _warp(trim(rgba), place, rng, (backdrop.shape[0], backdrop.shape[1]))
        _shadow(canvas, alpha, window, reach * float(rng.uniform(0.6, 1.5)), shadow)
        canvas[window] = canvas[window] * three(1 - alpha) + colour
        covers.append((alpha, window))
    boxes, visible = [], []
    above = np.zeros(backdrop.shape[:2], dtype=bool)
    for alpha, window in reversed(covers):
        solid = alpha > 0.3
        shown = float((solid & ~above[window]).sum())
        above[window] |= solid
        boxes.append(_box(solid, window))
        visible.append(shown / max(float(solid.sum()), 1.0))
    image = relit(canvas, rng) if light else canvas
    return Composition(to_bytes(image), tuple(reversed(boxes)), tuple(reversed(visible)))


def _box(solid: npt.NDArray[np.bool_], window: tuple[slice, slice]) -> Box:
    rows, cols = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if not len(rows):
        return (0, 0, 0, 0)
    top, left = window[0].start, window[1].start
    return int(left + cols[0]), int(top + rows[0]), int(left + cols[-1]) + 1, int(top + rows[-1]) + 1


def relit(picture: Floats, rng: np.random.Generator) -> Floats:
    """Another light: exposure, contrast, warmth, a slope, a vignette and sensor noise. Floats in 0..1."""
    import cv2

    h, w = picture.shape[:2]
    x = np.linspace(-1, 1, w, dtype=np.float32)
    y = np.linspace(-1, 1, h, dtype=np.float32)[:, None]
    a, slope, vignette = rng.uniform(0, 2 * math.pi), rng.uniform(0, 0.14), rng.uniform(0, 0.08)
    contrast = rng.uniform(0.9, 1.08)
    field = (x * (slope * math.cos(a)) - vignette * x**2) + (y * (slope * math.sin(a)) - vignette * y**2) + 1
    warm, gain = rng.normal(0, 0.03), rng.uniform(0.9, 1.14) * contrast
    tint = np.asarray((gain * (1 + warm), gain, gain * (1 - warm)), dtype=np.float32)
    noise = rng.standard_normal((h, w), dtype=np.float32) * rng.uniform(0.002, 0.012) + 0.5 * (1 - contrast)
    out: Floats = picture * cv2.merge([field * t for t in tint])
    out += three(noise)
    return out


def scene(
    rgba: Rgba,
    width: int,
    height: int,
    rng: np.random.Generator,
    *,
    setting: str | None = None,
    turn: float = 6.0,
    tilt: float = 0.03,
) -> Composition:
    """One cut-out on a backdrop drawn at random; `turn` is the spread of its rotation in degrees."""
    piece = trim(rgba)
    backdrop = paint_any(width, height, rng, setting)
    fill = rng.uniform(0.7, 0.92)
    size = fill * min(width / piece.shape[1], height / piece.shape[0]) * max(piece.shape[:2])
    at = Placement(
        width / 2 + rng.uniform(-0.025, 0.025) * width,
        height / 2 + rng.uniform(-0.025, 0.025) * height,
        size,
        float(rng.normal(0, turn)),
        tilt,
    )
    return compose(backdrop, [(piece, at)], rng)


def look(
    pieces: Sequence[tuple[Rgba, str]], width: int, height: int, rng: np.random.Generator, *, setting: str | None = None
) -> Composition:
    """An outfit of cut-outs with their categories: hat above, top, bottom, shoes, bag beside; mild overlap.

    Boxes come in the order of `pieces`. A second piece of one role goes beside the first.
    """
    backdrop = paint_any(width, height, rng, setting)
    spread = rng.random() < 0.5 and not any(role_of(c) in ("dress", "outer") for _, c in pieces)
    taken: dict[str, int] = {}
    placed: list[tuple[int, Rgba, Placement]] = []
    for k, (rgba, category) in enumerate(pieces):
        piece, role = trim(rgba), role_of(category)
        x, y, share = _SLOTS[role]
        nth = taken.get(role, 0)
        taken[role] = nth + 1
        if role == "shoe" and spread:
            x, y = 0.2, 0.87
        x += nth * (0.3 if x < 0.7 else -0.62)
        if {role_of(c) for _, c in pieces} >= {"top", "outer"} and role in ("top", "outer"):
            x += 0.14 if role == "outer" else -0.14
        longest = max(piece.shape[:2])
        size = min(share * height, 0.86 * width * longest / piece.shape[1], 0.62 * height * longest / piece.shape[0])
        size *= rng.uniform(0.92, 1.08)
        at = Placement(
            width * (x + rng.uniform(-0.035, 0.035)), height * (y + rng.uniform(-0.02, 0.02)), size,
            float(rng.normal(0, 5)), 0.025,
            bool(rng.random() < 0.2),
        )  # fmt: skip
        placed.append((k, piece, at))
    order = sorted(range(len(placed)), key=lambda i: list(_SLOTS).index(role_of(pieces[i][1])))
    made = compose(backdrop, [placed[i][1:] for i in order], rng)
    back = np.argsort(order)
    return Composition(made.image, tuple(made.boxes[i] for i in back), tuple(made.visible[i] for i in back))
