"""Watches."""

from __future__ import annotations

import numpy as np

from demo.colours import contrast, rgb
from demo.fabrics import WEAVES, plain
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft


def watch(draft: Draft) -> None:
    """A strap with a round case, a face and two hands."""
    strap = plain(draft.base, WEAVES["leather" if draft.spec.material == "leather" else "metal"])
    for lo, hi in ((0.04, 0.4), (0.6, 0.96)):
        w0, w1 = (0.06, 0.085) if lo < 0.5 else (0.085, 0.06)
        band = np.asarray([(0.5 - w0, lo), (0.5 + w0, lo), (0.5 + w1, hi), (0.5 - w1, hi)])
        draft.canvas.panel(band, strap, puff=0.02, lift=0)
        if draft.spec.material == "leather":
            for s in (-1, 1):
                draft.canvas.stitches(
                    np.asarray([(0.5 + s * (w0 - 0.012), lo), (0.5 + s * (w1 - 0.012), hi)]), contrast(draft.base, 0.4)
                )
        else:
            draft.canvas.ribs([np.asarray([(0.4, y), (0.6, y)]) for y in np.arange(lo, hi, 0.028)], 0.5)
    circle = np.column_stack(
        [np.cos(np.linspace(0, 2 * np.pi, 60, endpoint=False)), np.sin(np.linspace(0, 2 * np.pi, 60, endpoint=False))]
    )
    steel = trims.plain_cloth(("grey", "camel", "white")[int(draft.pick(0, 1, 2))], "metal")
    draft.canvas.panel(np.asarray([(0.655, 0.48), (0.69, 0.48), (0.69, 0.52), (0.655, 0.52)]), steel, puff=0.01)
    draft.canvas.panel(circle * 0.17 + 0.5, steel, puff=0.03)
    face = plain(rgb("white") if draft.chance(0.6) else rgb("black"), WEAVES["acetate"])
    draft.canvas.panel(circle * 0.138 + 0.5, face, puff=0.004, lift=0)
    ink = contrast(face.tile[0, 0], 0.85)
    for k in range(12):
        a = k * np.pi / 6
        way = np.asarray([np.sin(a), -np.cos(a)])
        draft.canvas.line(np.vstack([way * 0.108 + 0.5, way * 0.126 + 0.5]), ink, 0.007, 0.9)
    for a, r, w in ((-0.9, 0.07, 0.012), (0.9, 0.1, 0.008)):
        draft.canvas.line(np.vstack([[0.5, 0.5], np.asarray([np.sin(a), -np.cos(a)]) * r + 0.5]), ink, w, 0.95)
