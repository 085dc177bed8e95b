"""Tights and leg warmers."""

from __future__ import annotations

import numpy as np

from demo.canvas import Crease
from demo.curves import curve, outline
from demo.wardrobe import trims
from demo.wardrobe.bottoms import elastic
from demo.wardrobe.draft import Draft, sides


def tights(draft: Draft) -> None:
    """Thin legs with feet."""
    top, crotch = 0.05, 0.26
    leg = outline(
        (0.492, top), (0.605, top), (0.645, 0.2, 1), (0.618, 0.5, 1), (0.592, 0.82, 1), (0.598, 0.89, 1),
        (0.66, 0.935, 1), (0.64, 0.955, 1),
        (0.56, 0.95, 1), (0.53, 0.9, 1), (0.532, 0.6, 1), (0.504, crotch + 0.03, 1), (0.492, crotch),
    )  # fmt: skip
    for piece in sides(leg):
        draft.canvas.panel(piece, draft.cloth, puff=0.05, lift=0.15, wrinkle=0.8)
    elastic(draft, top, 0.107, cord=False)
    for toe in sides(curve((0.615, 0.905), (0.625, 0.95))):
        draft.canvas.seam(toe, 0.25)


def leg_warmer(draft: Draft) -> None:
    """A pair of ribbed tubes."""
    for k, x in enumerate((0.36, 0.64)):
        tilt = (-1, 1)[k] * (0.012 + abs(draft.jig(0.006)))
        tube = outline(
            (x - 0.105 - tilt, 0.12), (x + 0.105 - tilt, 0.12), (x + 0.115, 0.4, 1), (x + 0.085, 0.7, 1),
            (x + 0.105 + tilt, 0.87),
            (x - 0.105 + tilt, 0.87), (x - 0.085, 0.7, 1), (x - 0.115, 0.4, 1),
        )  # fmt: skip
        slouch = [
            Crease(x - 0.11, y + draft.jig(0.01), x + 0.11, y + draft.jig(0.02), 0.018, 0.013)
            for y in (0.56, 0.64, 0.72, 0.79)
        ]
        draft.canvas.panel(tube, draft.cloth, puff=0.07, creases=slouch)
        for y0, y1 in ((0.12, 0.2), (0.8, 0.87)):
            shift = -tilt if y0 < 0.5 else tilt
            corners = np.asarray(
                [(x - 0.104 + shift, y0), (x + 0.104 + shift, y0), (x + 0.106 + shift, y1), (x - 0.106 + shift, y1)]
            )
            draft.canvas.panel(corners, draft.solid, puff=0.02, lift=0.15)
            trims.rib_band(draft, corners, 15)
        draft.canvas.ribs(
            [curve((x + d, 0.2), (x + d * 1.05, 0.45, 1), (x + d * 0.85, 0.8)) for d in np.linspace(-0.09, 0.09, 9)],
            0.12,
        )
