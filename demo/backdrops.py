"""Procedural backgrounds: studio sweeps, floors, walls, sheets and blurred outdoor scenes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from demo.pixels import three, tinted, to_bytes

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.floating[Any]]
_Maker = Callable[[np.random.Generator, int, int], Floats]

_PALE = (
    (0.96, 0.96, 0.95),
    (0.93, 0.91, 0.88),
    (0.9, 0.92, 0.94),
    (0.92, 0.88, 0.88),
    (0.87, 0.9, 0.86),
    (0.82, 0.82, 0.83),
)
_STRONG = (
    (0.85, 0.68, 0.56),
    (0.56, 0.68, 0.72),
    (0.74, 0.78, 0.62),
    (0.88, 0.78, 0.52),
    (0.72, 0.62, 0.74),
    (0.42, 0.46, 0.52),
)


def _rgb(*values: float) -> Floats:
    return np.asarray(values, dtype=np.float32)


def _pick(rng: np.random.Generator, colours: tuple[tuple[float, ...], ...]) -> Floats:
    return _rgb(*colours[int(rng.integers(len(colours)))])


def _noise(rng: np.random.Generator, w: int, h: int, cells: float, *, stretch: float = 1.0) -> Floats:
    """Smooth noise of unit variance at the corners, about `cells` bumps along the longer side."""
    import cv2

    step = max(w, h) / cells
    shape = (max(int(h / step * stretch) + 2, 2), max(int(w / step) + 2, 2))
    field = rng.standard_normal(shape, dtype=np.float32)
    smooth: Floats = cv2.resize(field, (w, h), interpolation=cv2.INTER_CUBIC)
    return smooth


def _grain(rng: np.random.Generator, w: int, h: int, amount: float) -> Floats:
    return rng.standard_normal((h, w), dtype=np.float32) * amount


def _grid(w: int, h: int) -> tuple[Floats, Floats]:
    """Coordinates (x, y), both divided by the longer side."""
    side = max(w, h)
    x, y = np.meshgrid(np.arange(w, dtype=np.float32) / side, np.arange(h, dtype=np.float32) / side)
    return x, y


def _flat(colour: Floats, w: int, h: int) -> Floats:
    return np.broadcast_to(colour, (h, w, 3)).astype(np.float32)


def _white(rng: np.random.Generator, w: int, h: int) -> Floats:
    return _flat(_rgb(*(rng.uniform(0.96, 1.0) * np.ones(3))), w, h)


def _sweep(rng: np.random.Generator, w: int, h: int) -> Floats:
    colour = _pick(rng, _PALE if rng.random() < 0.6 else _STRONG)
    _, y = _grid(w, h)
    bend = 1 + 0.07 * np.tanh((y - rng.uniform(0.6, 0.8) * h / max(w, h)) * 9) - 0.05 * y
    return tinted(colour, bend * (1 + _grain(rng, w, h, 0.006)))


def _plaster(rng: np.random.Generator, w: int, h: int) -> Floats:
    colour = _pick(rng, _PALE + _STRONG)
    tone = 1 + 0.03 * _noise(rng, w, h, 5) + 0.025 * _noise(rng, w, h, 40) + _grain(rng, w, h, 0.02)
    return tinted(colour, tone)


def _planks(rng: np.random.Generator, w: int, h: int) -> Floats:
    upright = rng.random() < 0.5
    wide, tall = (h, w) if upright else (w, h)
    base = _pick(rng, ((0.62, 0.45, 0.3), (0.74, 0.6, 0.44), (0.42, 0.3, 0.22), (0.82, 0.76, 0.68), (0.55, 0.5, 0.46)))
    rows = int(rng.integers(4, 9))
    x, y = _grid(wide, tall)
    row = np.floor(y * max(wide, tall) / tall * rows).astype(int).clip(0, rows - 1)
    tones = rng.normal(1, 0.07, rows).astype(np.float32)[row]
    veins = np.sin(70 * y + 5 * _noise(rng, wide, tall, 3, stretch=4) + 30 * row) * 0.03
    fine = _noise(rng, wide, tall, 6, stretch=26) * 0.035
    edge = np.abs(np.mod(y * max(wide, tall) / tall * rows, 1.0) - 0.5) > 0.488
    joints = np.zeros_like(edge)
    for r in range(rows):
        at = rng.uniform(0, 1)
        joints |= (row == r) & (np.abs(x - at) < 0.0022)
    picture = tinted(base, (tones + veins + fine) * np.where(edge | joints, 0.6, 1.0))
    return np.ascontiguousarray(picture.transpose(1, 0, 2)) if upright else picture


def _tiles(rng: np.random.Generator, w: int, h: int) -> Floats:
    base, grout = _pick(rng, (*_PALE, (0.62, 0.7, 0.74), (0.78, 0.7, 0.62))), rng.uniform(0.6, 0.9)
    x, y = _grid(w, h)
    size = rng.uniform(0.14, 0.3)
    if rng.random() < 0.3:
        x, y = (x + y) * 0.707, (x - y) * 0.707 + 1
    u, v = x / size, y / size
    cell = (np.floor(u) * 7 + np.floor(v) * 13).astype(int)
    tones = rng.normal(1, 0.025, 97).astype(np.float32)[cell % 97]
    line = np.minimum(np.abs(np.mod(u, 1) - 0.5), np.abs(np.mod(v, 1) - 0.5))
    far = np.maximum(np.abs(np.mod(u, 1) - 0.5), np.abs(np.mod(v, 1) - 0.5))
    tone = np.where(far > 0.482, grout, tones * (1 + 0.02 * _noise(rng, w, h, 9))) + 0 * line
    return tinted(base, tone)


def _sheet(rng: np.random.Generator, w: int, h: int) -> Floats:
    import cv2

    base = _pick(rng, (*_PALE, (0.7, 0.76, 0.84), (0.84, 0.72, 0.7)))
    full, (w, h) = (w, h), (w // 2 + 1, h // 2 + 1)  # folds are smooth: half the size will do
    x, y = _grid(w, h)
    height = _noise(rng, w, h, 4) * 0.9 + 0.35 * _noise(rng, w, h, 9)
    for _ in range(7):
        a, off = rng.uniform(0, math.pi), rng.uniform(-0.2, 1.1)
        bend = 0.05 * np.sin(4 * (x * math.sin(a) - y * math.cos(a)) + rng.uniform(0, 6))
        height += rng.uniform(0.5, 1.3) * np.exp(-(((x * math.cos(a) + y * math.sin(a) - off + bend) / 0.03) ** 2))
    gx = cv2.Sobel(height.astype(np.float32), cv2.CV_32F, 1, 1, ksize=3) * 0.5
    gx += cv2.Sobel(height.astype(np.float32), cv2.CV_32F, 1, 0, ksize=3) * (max(w, h) / 200)
    shade = 1 - 0.11 * np.tanh(gx)
    picture = tinted(base, shade)
    if rng.random() < 0.25:
        stripe = np.mod(x / rng.uniform(0.03, 0.07) + 0.15 * height, 1) < 0.4
        picture = picture * np.where(stripe[..., None], _rgb(0.82, 0.86, 0.92), 1).astype(np.float32)
    sheet: Floats = cv2.resize(picture.astype(np.float32), full, interpolation=cv2.INTER_LINEAR)
    return sheet


def _concrete(rng: np.random.Generator, w: int, h: int) -> Floats:
    base = _rgb(*(rng.uniform(0.5, 0.75) * np.asarray((1.0, 0.99, 0.97))))
    tone = (
        1
        + 0.05 * _noise(rng, w, h, 4)
        + 0.04 * _noise(rng, w, h, 16)
        + 0.03 * _noise(rng, w, h, 90)
        + _grain(rng, w, h, 0.03)
    )
    return tinted(base, tone)


def _carpet(rng: np.random.Generator, w: int, h: int) -> Floats:
    base = _pick(rng, (*_STRONG, (0.5, 0.3, 0.28), (0.3, 0.36, 0.46), (0.66, 0.62, 0.56)))
    pile = _noise(rng, w, h, 130) * 0.09 + _grain(rng, w, h, 0.08) + 0.04 * _noise(rng, w, h, 6)
    picture = tinted(base, 1 + pile)
    if rng.random() < 0.4:
        x, y = _grid(w, h)
        diamond = np.mod(np.abs(x - 0.5) + np.abs(y - 0.5), 0.16) < 0.03
        picture = np.where(diamond[..., None], picture * 0.7, picture)
    return picture.astype(np.float32)


def _brick(rng: np.random.Generator, w: int, h: int) -> Floats:
    base = _pick(rng, ((0.62, 0.34, 0.26), (0.84, 0.82, 0.8), (0.5, 0.4, 0.36)))
    x, y = _grid(w, h)
    tall = rng.uniform(0.05, 0.08)
    row = np.floor(y / tall)
    u = x / (tall * 2.6) + 0.5 * np.mod(row, 2)
    cell = (np.floor(u) * 5 + row * 17).astype(int)
    tones = rng.normal(1, 0.09, 101).astype(np.float32)[cell % 101]
    mortar = (np.abs(np.mod(y / tall, 1) - 0.5) > 0.44) | (np.abs(np.mod(u, 1) - 0.5) > 0.478)
    tone = tones + 0.03 * _noise(rng, w, h, 60) + _grain(rng, w, h, 0.03)
    return np.where(mortar[..., None], _rgb(0.74, 0.72, 0.69), tinted(base, tone)).astype(np.float32)


def _bokeh(rng: np.random.Generator, picture: Floats, count: int, colours: tuple[tuple[float, ...], ...]) -> Floats:
    import cv2

    h, w = picture.shape[:2]
    for _ in range(count):
        lamp = np.zeros_like(picture)
        centre = (int(rng.uniform(0, w)), int(rng.uniform(0, h * 0.7)))
        cv2.circle(
            lamp,
            centre,
            int(rng.uniform(0.01, 0.03) * w) + 1,
            tuple(float(c) for c in _pick(rng, colours)),
            -1,
            cv2.LINE_AA,
        )
        picture = picture + 0.35 * lamp
    return picture


def _street(rng: np.random.Generator, w: int, h: int) -> Floats:
    """Houses, a pavement and passers-by out of focus."""
    import cv2

    small_w, small_h = max(w // 3, 32), max(h // 3, 32)
    sky = _pick(rng, ((0.72, 0.82, 0.92), (0.86, 0.87, 0.88), (0.92, 0.84, 0.74)))
    picture = _flat(sky, small_w, small_h).copy()
    horizon = int(small_h * rng.uniform(0.5, 0.68))
    x = 0
    while x < small_w:
        wide = int(small_w * rng.uniform(0.12, 0.3)) + 1
        wall = _pick(
            rng, ((0.66, 0.56, 0.5), (0.76, 0.72, 0.66), (0.5, 0.48, 0.5), (0.6, 0.42, 0.36), (0.8, 0.74, 0.6))
        )
        top = int(small_h * rng.uniform(-0.1, 0.25))
        cv2.rectangle(picture, (x, top), (x + wide, horizon), wall.tolist(), -1)
        for wy in range(top + 4, horizon - 6, max(small_h // 12, 6)):
            for wx in range(x + 3, x + wide - 4, max(small_w // 14, 6)):
                glass = wall * rng.uniform(0.45, 0.75)
                cv2.rectangle(picture, (wx, wy), (wx + small_w // 34 + 1, wy + small_h // 22 + 1), glass.tolist(), -1)
        x += wide
    ground = _pick(rng, ((0.5, 0.5, 0.51), (0.62, 0.6, 0.57), (0.44, 0.43, 0.43)))
    picture[horizon:] = ground * (1 + np.linspace(-0.06, 0.12, small_h - horizon, dtype=np.float32))[:, None, None]
    for _ in range(int(rng.integers(0, 4))):
        px, tall = rng.uniform(0, small_w), small_h * rng.uniform(0.16, 0.3)
        coat = rng.uniform(0.15, 0.6, 3)
        cv2.ellipse(
            picture,
            (int(px), int(horizon + tall * 0.2)),
            (int(tall * 0.17) + 1, int(tall * 0.5) + 1),
            0,
            0,
            360,
            coat.tolist(),
            -1,
        )
        cv2.circle(picture, (int(px), int(horizon - tall * 0.38)), int(tall * 0.11) + 1, (0.74, 0.58, 0.48), -1)
    picture = cv2.GaussianBlur(picture, (0, 0), small_w * rng.uniform(0.008, 0.022))
    if rng.random() < 0.4:
        picture = cv2.GaussianBlur(
            _bokeh(rng, picture, 8, ((1.0, 0.85, 0.5), (1.0, 0.5, 0.4), (0.7, 0.9, 1.0))), (0, 0), 1.2
        )
    big: Floats = cv2.resize(picture, (w, h), interpolation=cv2.INTER_CUBIC)
    return big * three(1 + _grain(rng, w, h, 0.012))


def _park(rng: np.random.Generator, w: int, h: int) -> Floats:
    """Leaves out of focus above, grass or a path below."""
    import cv2

    small_w, small_h = max(w // 3, 32), max(h // 3, 32)
    leaf = _pick(rng, ((0.36, 0.5, 0.24), (0.5, 0.56, 0.28), (0.62, 0.46, 0.2), (0.26, 0.4, 0.26)))
    mix = _noise(rng, small_w, small_h, 9) * 0.16 + _noise(rng, small_w, small_h, 24) * 0.14
    picture = tinted(leaf, 1 + mix)
    horizon = int(small_h * rng.uniform(0.55, 0.72))
    path = _pick(rng, ((0.66, 0.6, 0.5), (0.42, 0.52, 0.26), (0.55, 0.55, 0.54)))
    picture[horizon:] = tinted(path, 1 + 0.6 * mix[horizon:])
    for _ in range(int(rng.integers(1, 4))):
        px = int(rng.uniform(0, small_w))
        cv2.rectangle(picture, (px, 0), (px + small_w // 22 + 1, horizon + 4), (0.3, 0.24, 0.19), -1)
    picture = _bokeh(rng, picture, 10, ((0.9, 0.95, 0.7), (0.85, 0.92, 0.95)))
    picture = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), small_w * rng.uniform(0.01, 0.022))
    big: Floats = cv2.resize(picture, (w, h), interpolation=cv2.INTER_CUBIC)
    return big * three(1 + _grain(rng, w, h, 0.012))


_MAKERS: dict[str, _Maker] = {
    "white": _white, "paper sweep": _sweep, "plaster wall": _plaster, "wood": _planks, "tiles": _tiles,
    "bed sheet": _sheet,
    "concrete": _concrete, "carpet": _carpet, "brick wall": _brick, "street": _street, "park": _park,
}  # fmt: skip
BACKDROPS = tuple(_MAKERS)
SETTINGS: dict[str, tuple[str, ...]] = {
    "studio": ("white", "paper sweep", "paper sweep", "plaster wall"),
    "flat": ("wood", "tiles", "bed sheet", "concrete", "carpet", "paper sweep", "plaster wall"),
    "street": ("street", "park", "brick wall", "street"),
}


def paint(kind: str, width: int, height: int, rng: np.random.Generator) -> Image:
    """Backdrop of a kind in `BACKDROPS`, (height, width, 3) uint8 RGB, unevenly lit; another kind is a KeyError."""
    picture = _MAKERS[kind](rng, width, height)
    if kind != "white":
        x, y = _grid(width, height)
        a, slope = rng.uniform(0, 2 * math.pi), rng.uniform(0.0, 0.16)
        light = (x - 0.5) * (slope * math.cos(a)) + (y - 0.5) * (slope * math.sin(a)) + 1
        picture = picture * three(light)
    return to_bytes(picture)


def paint_any(width: int, height: int, rng: np.random.Generator, setting: str | None = None) -> Image:
    """A backdrop drawn at random, from all kinds or from those of a setting (`studio`, `flat`, `street`)."""
    kinds = SETTINGS[setting] if setting else BACKDROPS
    return paint(kinds[int(rng.integers(len(kinds)))], width, height, rng)
