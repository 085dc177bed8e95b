"""The drawing board: panels of shaded cloth, seams and buttons, laid over each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from demo.colours import Floats
from demo.curves import Points, dashes, ellipse, moved
from demo.fabrics import Cloth, Weave, plain
from demo.pixels import three, tinted

_LIGHT = (-0.45, -0.62)  # from the upper left, as studio packshots are lit


class Crease(NamedTuple):
    """A fold from one point to another: width across and signed height, all in units of the drawing."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float = 0.02
    depth: float = 0.010


@dataclass(frozen=True)
class _Sway:
    """Smooth displacement of the whole drawing, so that no two outlines are equal and panels still meet."""

    waves: npt.NDArray[np.float64]

    @classmethod
    def drawn(cls, rng: np.random.Generator, amount: float) -> _Sway:
        waves = np.column_stack([
            rng.uniform(2.0, 9.0, 6), rng.uniform(2.0, 9.0, 6), rng.uniform(0, 2 * np.pi, 6),
            rng.normal(0, amount, 6), rng.normal(0, amount, 6),
        ])  # fmt: skip
        return cls(waves)

    def __call__(self, points: Points) -> Points:
        phase = points @ self.waves[:, :2].T + self.waves[:, 2]
        return points + np.sin(phase) @ self.waves[:, 3:]


class Canvas:
    """A square drawing of `size` pixels, premultiplied floats inside, straight 8-bit RGBA outside."""

    def __init__(self, size: int, rng: np.random.Generator, sway: float = 0.0028) -> None:
        self.size = size
        self.rng = rng
        self._sway = _Sway.drawn(rng, sway)
        self._rgb = np.zeros((size, size, 3), dtype=np.float32)
        self._alpha = np.zeros((size, size), dtype=np.float32)

    def rgba(self) -> npt.NDArray[np.uint8]:
        """The drawing as (size, size, 4) straight RGBA."""
        import cv2

        out = np.zeros((self.size, self.size, 4), dtype=np.uint8)
        rows, cols = np.flatnonzero(self._alpha.any(axis=1)), np.flatnonzero(self._alpha.any(axis=0))
        if len(rows):
            part = slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1)
            alpha = self._alpha[part]
            colour = self._rgb[part] * three(1 / np.maximum(alpha, 1e-4))
            out[part] = cv2.convertScaleAbs(cv2.merge([*cv2.split(colour), alpha]), alpha=255)
        return out

    def _pixels(self, points: Points) -> Points:
        return self._sway(points) * self.size

    def _window(self, pixels: Points, pad: float) -> tuple[slice, slice]:
        low = np.clip(np.floor(pixels.min(axis=0) - pad), 0, self.size - 1).astype(int)
        high = np.clip(np.ceil(pixels.max(axis=0) + pad), low + 1, self.size).astype(int)
        return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))

    def _fill(self, pixels: Points, window: tuple[slice, slice]) -> Floats:
        import aggdraw

        rows, cols = window
        h, w = rows.stop - rows.start, cols.stop - cols.start
        draw = aggdraw.Draw("L", (w, h), 0)
        draw.polygon((pixels - (cols.start, rows.start)).ravel().tolist(), aggdraw.Brush(255))
        return np.frombuffer(draw.tobytes(), np.uint8).reshape(h, w).astype(np.float32) / 255

    def panel(
        self, points: Points, cloth: Cloth, *, grain: float = 0.0, puff: float = 0.03, shade: float = 1.0,
        creases: Iterable[Crease] = (), lift: float = 0.25, wrinkle: float = 1.0, opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """Lay a piece of cloth: `grain` turns its print (degrees), `puff` is the rounding of its edges in units,
        `shade` multiplies its light, `lift` is how dark a shadow it throws on what lies below."""

        pixels = self._pixels(points)
        window = self._window(pixels, 2)
        mask = self._fill(pixels, window) * opacity
        if lift > 0:
            self._throw_shadow(pixels, lift)
        light, shift = self._relief(mask, window, puff, list(creases), cloth.weave, wrinkle)
        colour = self._print(cloth, grain, window, shift) * three(light * shade)
        if cloth.weave.gloss > 0:
            colour += three(cloth.weave.gloss * np.clip(light - 1.02, 0, 0.4))
        keep = 1 - mask
        self._rgb[window] = self._rgb[window] * three(keep) + np.clip(colour, 0, 1) * three(mask)
        self._alpha[window] = self._alpha[window] * keep + mask

    def _throw_shadow(self, pixels: Points, lift: float) -> None:
        import cv2

        reach = max(self.size * 0.012, 1.0)
        window = self._window(pixels, 3 * reach)
        soft = cv2.GaussianBlur(self._fill(moved(pixels, 0.4 * reach, 0.8 * reach), window), (0, 0), reach)
        self._rgb[window] *= three(1 - lift * soft)

    def _relief(
        self,
        mask: Floats,
        window: tuple[slice, slice],
        puff: float,
        creases: list[Crease],
        weave: Weave,
        wrinkle: float,
    ) -> tuple[Floats, Floats]:
        """Light (h, w) and print displacement (h, w, 2), in units, from rounded edges, folds and wrinkles."""
        import cv2

        step = max(self.size // 200, 1)
        h, w = mask.shape
        small = (max(w // step, 2), max(h // step, 2))
        coarse = cv2.resize(mask, small, interpolation=cv2.INTER_AREA)
        unit = self.size * small[0] / w  # coarse pixels per unit
        padded = cv2.copyMakeBorder((coarse > 0.5).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        inside = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1] / unit
        t = np.minimum(inside / max(puff, 1e-4), 1.0)
        height = puff * 0.75 * np.sqrt(1 - (1 - t) ** 2)
        rows, cols = window
        x = (cols.start + (np.arange(small[0]) + 0.5) * w / small[0]) / self.size
        y = (rows.start + (np.arange(small[1]) + 0.5) * h / small[1]) / self.size
        grid_x, grid_y = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
        for c in creases:
            height = height + _fold(grid_x, grid_y, c)
        amount = 0.0035 * weave.wrinkle * wrinkle
        if amount > 0:
            for cells, share in ((5, 1.0), (11, 0.45)):
                shape = (max(int(cells * h / self.size) + 2, 2), max(int(cells * w / self.size) + 2, 2))
                noise = self.rng.normal(0, 1, shape).astype(np.float32)
                height = height + amount * share * cv2.resize(noise, small, interpolation=cv2.INTER_CUBIC)
        height = cv2.GaussianBlur(height.astype(np.float32), (0, 0), 0.9)
        gx = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3) * (unit / 8)
        gy = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3) * (unit / 8)
        slope = np.tanh(0.9 * (gx * _LIGHT[0] + gy * _LIGHT[1]))
        rim = 1 - 0.22 * np.exp(-inside / max(0.35 * puff, 0.003))
        light = np.clip((1 + 0.38 * slope) * rim, 0.35, 1.4)
        fields = cv2.merge([light.astype(np.float32), 0.010 * np.tanh(gx), 0.010 * np.tanh(gy)])
        full = cv2.resize(fields, (w, h), interpolation=cv2.INTER_LINEAR)
        return full[..., 0], full[..., 1:]

    def _print(self, cloth: Cloth, grain: float, window: tuple[slice, slice], shift: Floats) -> Floats:
        import cv2

        rows, cols = window
        y, x = np.mgrid[rows, cols].astype(np.float32) / self.size
        x, y = x + shift[..., 0] - 0.5, y + shift[..., 1]
        angle = math.radians(grain + cloth.turn)
        u: Floats = math.cos(angle) * x + math.sin(angle) * y
        v: Floats = math.cos(angle) * y - math.sin(angle) * x
        if cloth.tile.shape[0] <= 2:
            colour = np.broadcast_to(cloth.tile[0, 0], (*u.shape, 3)).astype(np.float32)
        else:
            px = cloth.tile.shape[0]
            at_u, at_v = np.mod(u / cloth.repeat, 1) * px - 0.5, np.mod(v / cloth.repeat, 1) * px - 0.5
            colour = cv2.remap(cloth.tile, at_u, at_v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
        return colour * three(self._weave(cloth.weave, u, v))

    def _weave(self, weave: Weave, u: Floats, v: Floats) -> Floats:
        grain = self.rng.standard_normal(u.shape, dtype=np.float32) * (weave.noise * 0.6)
        if weave.stitch == "knit":
            column = np.mod(u / 0.017, 1.0)
            lean = np.abs(column - 0.5)
            grain += 0.10 * np.sin(2 * np.pi * (v / 0.015 + lean)) - 0.12 * (lean > 0.42)
        elif weave.stitch == "twill":
            grain += 0.035 * np.sin(2 * np.pi * (u + v) / 0.011)
        elif weave.stitch == "slub":
            grain += 0.03 * np.sin(u * 610 + 3 * np.sin(v * 40)) + 0.03 * np.sin(v * 540 + 3 * np.sin(u * 35))
        elif weave.stitch == "grid":
            grain += 0.03 * np.sin(u * 620) + 0.03 * np.sin(v * 620)
        elif weave.stitch == "straw":
            grain += 0.09 * np.sin(v * 300) + 0.07 * np.sin((u + v) * 420)
        return (1 + grain).astype(np.float32)

    def line(self, points: Points, colour: Floats, width: float = 0.004, opacity: float = 0.6) -> None:
        """Stroke on top of what is drawn, never outside of it; `width` in units."""
        self._ink([self._pixels(points)], colour, width, opacity)

    def seam(self, points: Points, opacity: float = 0.35, width: float = 0.004) -> None:
        """A seam: a dark line with a light lip beside it."""
        self.line(points, np.zeros(3, dtype=np.float32), width, opacity)
        self.line(points + 0.8 * width, np.ones(3, dtype=np.float32), width * 0.7, opacity * 0.4)

    def stitches(self, points: Points, colour: Floats, step: float = 0.009, width: float = 0.003) -> None:
        """A dashed line of thread."""
        self._ink([self._pixels(piece) for piece in dashes(points, step)], colour, width, 0.75)

    def ribs(self, lines: Sequence[Points], opacity: float = 0.3, width: float = 0.004) -> None:
        """Parallel dark grooves, as of a ribbed cuff or a pleat."""
        self._ink([self._pixels(p) for p in lines], np.zeros(3, dtype=np.float32), width, opacity)

    def _ink(self, strokes: list[Points], colour: Floats, width: float, opacity: float) -> None:
        import aggdraw

        thick = max(width * self.size, 0.7)
        window = self._window(np.vstack(strokes), thick + 1)
        rows, cols = window
        h, w = rows.stop - rows.start, cols.stop - cols.start
        draw = aggdraw.Draw("L", (w, h), 0)
        pen = aggdraw.Pen(255, thick)
        for stroke in strokes:
            draw.line((stroke - (cols.start, rows.start)).ravel().tolist(), pen)
        mask = np.frombuffer(draw.tobytes(), np.uint8).reshape(h, w).astype(np.float32) * (opacity / 255)
        self._rgb[window] += (tinted(colour, self._alpha[window]) - self._rgb[window]) * three(mask)

    def button(self, x: float, y: float, colour: Floats, radius: float = 0.011) -> None:
        """A round button with two holes."""
        weave = Weave(noise=0.0, gloss=0.3, wrinkle=0.0)
        self.panel(ellipse(x, y, radius, radius, 20), plain(colour, weave), puff=radius * 0.7, lift=0.35)
        for dx in (-0.3, 0.3):
            dot = np.asarray([(x + dx * radius - 0.001, y), (x + dx * radius + 0.001, y)])
            self.line(dot, np.zeros(3, dtype=np.float32), radius * 0.3, 0.7)


def _fold(x: Floats, y: Floats, crease: Crease) -> Floats:
    """Height of a fold: a Gaussian across its line, fading towards both ends."""
    dx, dy = crease.x1 - crease.x0, crease.y1 - crease.y0
    length = max(float(np.hypot(dx, dy)), 1e-6)
    run = ((x - crease.x0) * dx + (y - crease.y0) * dy) / length**2
    off = ((x - crease.x0) * dy - (y - crease.y0) * dx) / length
    fade = np.clip(1 - np.abs(2 * run - 1) ** 3, 0, 1)
    folded: Floats = (crease.depth * fade * np.exp(-((off / crease.width) ** 2))).astype(np.float32)
    return folded
