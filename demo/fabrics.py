"""Cloth: a printed pattern tile that repeats without a seam, and the weave of the material."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from demo.colours import Floats, lightness, mix, rgb
from demo.curves import Points, ellipse, moved
from demo.spec import GarmentSpec

_SUPERSAMPLE = 3


@dataclass(frozen=True)
class Weave:
    """How a material looks up close: grain noise, gloss (0..1) and how strongly it wrinkles."""

    noise: float = 0.02
    gloss: float = 0.0
    wrinkle: float = 1.0
    stitch: str = ""


WEAVES: dict[str, Weave] = {
    "cotton": Weave(noise=0.018),
    "jersey": Weave(noise=0.022, wrinkle=0.8),
    "linen": Weave(noise=0.035, wrinkle=1.5, stitch="slub"),
    "denim": Weave(noise=0.05, wrinkle=1.0, stitch="twill"),
    "silk": Weave(noise=0.006, gloss=0.30, wrinkle=1.1),
    "chiffon": Weave(noise=0.008, gloss=0.08, wrinkle=1.2),
    "wool": Weave(noise=0.05, wrinkle=0.6, stitch="knit"),
    "cashmere": Weave(noise=0.035, wrinkle=0.6, stitch="knit"),
    "felt": Weave(noise=0.035, wrinkle=0.2),
    "leather": Weave(noise=0.016, gloss=0.34, wrinkle=0.5),
    "suede": Weave(noise=0.045, wrinkle=0.4),
    "nylon": Weave(noise=0.008, gloss=0.20, wrinkle=0.9),
    "canvas": Weave(noise=0.03, wrinkle=0.4, stitch="grid"),
    "straw": Weave(noise=0.05, wrinkle=0.1, stitch="straw"),
    "rubber": Weave(noise=0.004, gloss=0.45, wrinkle=0.1),
    "metal": Weave(noise=0.004, gloss=0.55, wrinkle=0.0),
    "acetate": Weave(noise=0.002, gloss=0.4, wrinkle=0.0),
}
_TAILORED = frozenset({"jacket", "coat", "vest", "pants", "skirt", "cape"})


@dataclass(frozen=True)
class Cloth:
    """A tile (T, T, 3) in 0..1 that covers `repeat` units of the drawing, on a weave."""

    tile: Floats
    repeat: float
    weave: Weave
    turn: float = 0.0


def plain(colour: Floats, weave: Weave) -> Cloth:
    """Cloth of one colour."""
    return Cloth(np.broadcast_to(colour, (2, 2, 3)).astype(np.float32), 1.0, weave)


def weave_of(spec: GarmentSpec) -> Weave:
    """Weave of a design's material; tailored wool is woven cloth, not knitted."""
    weave = WEAVES[spec.material]
    if weave.stitch == "knit" and spec.category in _TAILORED:
        return Weave(noise=0.055, wrinkle=0.5, stitch="twill")
    return weave


def _grid(px: int) -> tuple[Floats, Floats]:
    axis = (np.arange(px, dtype=np.float32) + 0.5) / px
    x, y = np.meshgrid(axis, axis)
    return x, y


def _ink(base: Floats, ink: Floats, where: Floats) -> Floats:
    return (base + (ink - base) * where[..., None]).astype(np.float32)


def _flat(base: Floats, px: int) -> Floats:
    return np.broadcast_to(base, (px, px, 3)).astype(np.float32)


def _striped(rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    _, y = _grid(px)
    return _ink(_flat(base, px), ink, (y < rng.uniform(0.28, 0.5)).astype(np.float32))


def _checked(_rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    x, y = _grid(px)
    return _ink(_flat(base, px), ink, 0.5 * (x < 0.5).astype(np.float32) + 0.5 * (y < 0.5).astype(np.float32))


def _plaid(_rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    x, y = _grid(px)
    dark = mix(base, np.zeros(3, dtype=np.float32), 0.55)
    picture = _flat(base, px)
    for lo, hi, tone, strength in ((0.1, 0.42, dark, 0.45), (0.62, 0.68, ink, 0.8), (0.8, 0.86, ink, 0.8)):
        picture = _ink(picture, tone, strength * ((x > lo) & (x < hi)).astype(np.float32))
        picture = _ink(picture, tone, strength * ((y > lo) & (y < hi)).astype(np.float32))
    return picture


def _dotted(rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    x, y = _grid(px)
    radius = rng.uniform(0.14, 0.2)
    near = np.full((px, px), 9.0, dtype=np.float32)
    for cx, cy in ((0.25, 0.25), (0.75, 0.75)):
        near = np.minimum(near, np.hypot(x - cx, y - cy))
    return _ink(_flat(base, px), ink, (near < radius).astype(np.float32))


def _chevron(_rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    x, y = _grid(px)
    return _ink(_flat(base, px), ink, (np.mod(y + 0.5 * np.abs(2 * x - 1), 1.0) < 0.42).astype(np.float32))


def _argyle(_rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    x, y = _grid(px)
    diamond = np.abs(x - 0.5) + np.abs(y - 0.5)
    picture = _ink(_flat(base, px), ink, (diamond < 0.5).astype(np.float32))
    thin = np.minimum(np.abs(np.mod(x + y, 1.0) - 0.5), np.abs(np.mod(x - y, 1.0) - 0.5))
    line = mix(base, np.full(3, 1.0 if lightness(base) < 0.5 else 0.1, dtype=np.float32), 0.8)
    return _ink(picture, line, (thin < 0.02).astype(np.float32))


def _stamp(picture: Floats, shapes: list[tuple[Points, Floats]]) -> Floats:
    """Draw shapes (tile coordinates 0..1) so that they wrap around the tile's edges."""
    import aggdraw

    px = picture.shape[0]
    canvas = aggdraw.Draw("RGB", (px, px), (0, 0, 0))
    canvas.frombytes((picture * 255).astype(np.uint8).tobytes())
    for points, colour in shapes:
        brush = aggdraw.Brush(tuple(int(c * 255) for c in colour))
        low, high = points.min(axis=0), points.max(axis=0)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if low[0] + dx < 1 and high[0] + dx > 0 and low[1] + dy < 1 and high[1] + dy > 0:
                    canvas.polygon((moved(points, dx, dy) * px).ravel().tolist(), brush)
    return np.frombuffer(canvas.tobytes(), np.uint8).reshape(px, px, 3).astype(np.float32) / 255


def _spread(rng: np.random.Generator, count: int, gap: float) -> list[tuple[float, float]]:
    """Up to `count` places on the tile's torus that keep a distance."""
    places: list[tuple[float, float]] = []
    for _ in range(count * 12):
        x, y = (float(v) for v in rng.uniform(0, 1, 2))
        if (
            all(np.hypot((x - a + 0.5) % 1 - 0.5, (y - b + 0.5) % 1 - 0.5) > gap for a, b in places)
            and len(places) < count
        ):
            places.append((x, y))
    return places


def _floral(rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    heart = rgb("yellow") if lightness(ink) > 0.85 or lightness(ink) < 0.3 else rgb("brown")
    leaf = mix(rgb("green"), base, 0.25)
    shapes: list[tuple[Points, Floats]] = []
    for cx, cy in _spread(rng, 7, 0.27):
        size, turn = rng.uniform(0.09, 0.13), rng.uniform(0, 6.3)
        for k in range(2):
            a = turn + k * 2.4
            petal = ellipse(size * 1.3, 0, size * 0.55, size * 0.22, 14)
            shapes.append((moved(_turned(petal, a), cx, cy), leaf))
        for k in range(5):
            petal = ellipse(size * 0.62, 0, size * 0.52, size * 0.42, 14)
            shapes.append((moved(_turned(petal, turn + k * 1.2566), cx, cy), mix(ink, base, 0.1 * (k % 2))))
        shapes.append((ellipse(cx, cy, size * 0.32, size * 0.32, 14), heart))
    for cx, cy in _spread(rng, 10, 0.2):
        shapes.insert(0, (ellipse(cx, cy, 0.022, 0.022, 10), ink))
    return _stamp(_flat(base, px), shapes)


def _turned(points: Points, angle: float) -> Points:
    c, s = np.cos(angle), np.sin(angle)
    turned: Points = points @ np.asarray([[c, s], [-s, c]])
    return turned


def _blob(rng: np.random.Generator, cx: float, cy: float, radius: float, rough: float) -> Points:
    t = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    r = radius * (1 + rough * sum(rng.uniform(-1, 1) * np.cos(k * t + rng.uniform(0, 6.3)) for k in (1, 2, 3)))
    return np.column_stack([cx + r * np.cos(t) * 1.25, cy + r * np.sin(t)])


def _leopard(rng: np.random.Generator, px: int, base: Floats, _second: Floats) -> Floats:
    ground = rgb("camel") if lightness(base) < 0.2 else mix(base, rgb("camel"), 0.35)
    dark = np.asarray((0.13, 0.09, 0.07), dtype=np.float32)
    shapes: list[tuple[Points, Floats]] = []
    for cx, cy in _spread(rng, 22, 0.16):
        size = rng.uniform(0.055, 0.075)
        shapes.append((_blob(rng, cx, cy, size, 0.16), dark))
        shapes.append((_blob(rng, cx + 0.012, cy + 0.01, size * 0.55, 0.2), mix(ground, dark, 0.25)))
    return _stamp(_flat(ground, px), shapes)


def _camouflage(rng: np.random.Generator, px: int, base: Floats, _second: Floats) -> Floats:
    tones = (mix(rgb("olive"), base, 0.2), rgb("brown"), mix(rgb("olive"), rgb("black"), 0.6), rgb("beige"))
    shapes = [
        (_blob(rng, cx, cy, rng.uniform(0.08, 0.15), 0.3), tones[1 + i % 3])
        for i, (cx, cy) in enumerate(_spread(rng, 16, 0.17))
    ]
    return _stamp(_flat(tones[0], px), shapes)


def _colour_block(rng: np.random.Generator, px: int, base: Floats, ink: Floats) -> Floats:
    _, y = _grid(px)
    return _ink(_flat(base, px), ink, (y > rng.uniform(0.22, 0.27)).astype(np.float32))


_Maker = Callable[[np.random.Generator, int, Floats, Floats], Floats]
_MAKERS: dict[str, tuple[_Maker, float, float, float]] = {
    "striped": (_striped, 0.055, 0.12, 0.0),
    "vertical striped": (_striped, 0.03, 0.07, 90.0),
    "diagonal striped": (_striped, 0.06, 0.09, 40.0),
    "checked": (_checked, 0.045, 0.085, 0.0),
    "plaid": (_plaid, 0.15, 0.22, 0.0),
    "dotted": (_dotted, 0.06, 0.11, 0.0),
    "floral": (_floral, 0.24, 0.34, 0.0),
    "leopard": (_leopard, 0.24, 0.32, 0.0),
    "chevron": (_chevron, 0.08, 0.12, 0.0),
    "argyle": (_argyle, 0.09, 0.13, 0.0),
    "camouflage": (_camouflage, 0.4, 0.5, 0.0),
    "colour block": (_colour_block, 2.0, 2.0, 0.0),
}


def cloth_of(spec: GarmentSpec, size: int, scale: float = 1.0) -> Cloth:
    """Printed cloth of a design for a drawing of `size` pixels.

    The print depends on the design alone, so that two views of one product carry one print.
    `scale` shrinks or widens the repeat for small things. "plain" and "graphic" are one colour here.
    """
    import cv2

    weave, base, ink = weave_of(spec), rgb(spec.colour), rgb(spec.second_colour)
    if spec.pattern not in _MAKERS:
        return plain(base, weave)
    maker, low, high, turn = _MAKERS[spec.pattern]
    rng = np.random.default_rng((spec.variant, 7))
    repeat = float(rng.uniform(low, high)) * (scale if spec.pattern != "colour block" else 1.0)
    px = int(np.clip(round(repeat * size), 8, 512))
    tile = maker(rng, px * _SUPERSAMPLE, base, ink)
    return Cloth(cv2.resize(tile, (px, px), interpolation=cv2.INTER_AREA), repeat, weave, turn)
