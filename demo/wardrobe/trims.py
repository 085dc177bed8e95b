"""Small parts that are sewn on: ribs, buttons, pockets, prints."""

from __future__ import annotations

import numpy as np

from demo.colours import Floats, contrast, rgb
from demo.curves import Points, curve, moved, outline
from demo.fabrics import WEAVES, Cloth, plain
from demo.wardrobe.draft import Draft


def rib_band(draft: Draft, corners: Points, count: int, opacity: float = 0.28) -> None:
    """Grooves across a four-cornered band: from edge 0-1 to edge 3-2."""
    a, b, c, d = (corners[i] for i in (0, 1, 2, 3))
    t = np.linspace(0.05, 0.95, count)[:, None]
    starts, ends = a + (b - a) * t, d + (c - d) * t
    draft.canvas.ribs([np.vstack([s, e]) for s, e in zip(starts, ends, strict=True)], opacity)


def placket(
    draft: Draft, x: float, top: float, bottom: float, count: int, *, width: float = 0.034, colour: Floats | None = None
) -> None:
    """A button strip with `count` buttons."""
    left = curve((x - width / 2, top), (x - width / 2, bottom))
    draft.canvas.seam(left, 0.3)
    draft.canvas.seam(moved(left, width, 0), 0.3)
    buttons(draft, x, top + 0.02, bottom - 0.05, count, colour=colour)


def buttons(
    draft: Draft,
    x: float,
    top: float,
    bottom: float,
    count: int,
    *,
    radius: float = 0.0095,
    colour: Floats | None = None,
) -> None:
    """A column of buttons."""
    tone = contrast(draft.base, 0.55) if colour is None else colour
    for y in np.linspace(top, bottom, count):
        draft.canvas.button(x, float(y), tone, radius)


def pocket(
    draft: Draft,
    cloth: Cloth,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    pointed: bool = True,
    flap: bool = False,
) -> None:
    """A patch pocket whose top edge is centred at (x, y)."""
    w = width / 2
    shape = outline(
        (x - w, y),
        (x + w, y),
        (x + w, y + height * 0.82),
        (x, y + height * (1.0 if pointed else 0.82)),
        (x - w, y + height * 0.82),
    )
    draft.canvas.panel(shape, cloth, puff=0.008, lift=0.3, wrinkle=0.4)
    draft.canvas.stitches(
        np.vstack([shape[1:], shape[:1]]) * 0.94 + np.asarray([x, y + height / 2]) * 0.06, draft.thread
    )
    draft.canvas.seam(np.asarray([(x - w, y + 0.014), (x + w, y + 0.014)]), 0.25)
    if flap:
        lid = outline(
            (x - w - 0.004, y - 0.008), (x + w + 0.004, y - 0.008), (x + w, y + 0.03), (x, y + 0.044), (x - w, y + 0.03)
        )
        draft.canvas.panel(lid, cloth, puff=0.008, lift=0.4)
        draft.canvas.button(x, y + 0.028, contrast(draft.base, 0.5), 0.007)


def graphic(draft: Draft, x: float, y: float, size: float) -> None:
    """A print on the chest: a sun, a mountain, a star, a heart, stripes or a wave."""
    kind = int(draft.design.integers(5))
    tone = draft.trim

    def stamp(shape: Points) -> None:
        draft.canvas.panel(shape, tone, puff=0.002, lift=0.0, wrinkle=0.6)

    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    if kind == 0:
        r = np.where(np.arange(40) % 4 < 2, 1.0, 0.72) * size
        stamp(np.column_stack([x + r * np.cos(t), y + r * np.sin(t)]))
    elif kind == 1:
        peak = outline(
            (x - size, y + size * 0.7),
            (x - size * 0.2, y - size * 0.7),
            (x + size * 0.15, y),
            (x + size * 0.45, y - size * 0.4),
            (x + size, y + size * 0.7),
        )
        stamp(peak)
    elif kind == 2:
        k = np.arange(10)
        r = np.where(k % 2 == 0, 1.0, 0.42) * size
        stamp(np.column_stack([x + r * np.sin(k * np.pi / 5), y - r * np.cos(k * np.pi / 5)]))
    elif kind == 3:
        hx, hy = 16 * np.sin(t) ** 3, 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
        stamp(np.column_stack([x + hx / 17 * size, y - hy / 17 * size]))
    else:
        for i in range(3):
            top = y - size * 0.7 + i * size * 0.52
            bar = np.asarray(
                [(x - size, top), (x + size, top), (x + size, top + size * 0.26), (x - size, top + size * 0.26)]
            )
            stamp(bar)


def plain_cloth(colour: str, material: str) -> Cloth:
    """One-colour cloth for trimmings that differ from the design's own."""
    return plain(rgb(colour), WEAVES[material])
