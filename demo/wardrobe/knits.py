"""Socks and gloves."""

from __future__ import annotations

import numpy as np

from demo.curves import outline
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft
from demo.wardrobe.feet import Place


def sock(draft: Draft) -> None:
    """A pair, with heel, toe and ribbed top."""
    top = {"ankle sock": 0.42, "crew sock": 0.2, "knee sock": 0.06}[draft.spec.style]
    scale = 0.98 if draft.spec.style != "ankle sock" else 1.1
    lift = -0.03 if draft.spec.style != "ankle sock" else -0.12
    gap = 0.12 + abs(draft.jig(0.02))
    patch = draft.trim if draft.chance(0.6) else draft.solid
    top_cloth = patch if draft.chance(0.3) else draft.solid
    for at in (Place(gap, lift - 0.02, scale * 0.92, 0.9), Place(-gap, lift + 0.03, scale * 0.94, 1.0)):
        shape = outline(
            (0.31, top), (0.5, top - 0.006), (0.5, 0.5, 1), (0.53, 0.63, 1), (0.66, 0.725, 1), (0.735, 0.81, 1),
            (0.7, 0.89, 1), (0.6, 0.9, 1), (0.44, 0.82, 1),
            (0.31, 0.745, 1), (0.285, 0.66, 1), (0.315, 0.55, 1),
        )  # fmt: skip
        draft.canvas.panel(at(shape), draft.cloth, puff=0.07, shade=at.shade)
        heel = outline((0.296, 0.6), (0.39, 0.65, 1), (0.405, 0.8), (0.31, 0.745, 1), (0.285, 0.68, 1))
        draft.canvas.panel(at(heel), patch, puff=0.05, shade=at.shade, lift=0)
        toe = outline((0.64, 0.72), (0.735, 0.81, 1), (0.7, 0.89, 1), (0.605, 0.9), (0.6, 0.81, 1))
        draft.canvas.panel(at(toe), patch, puff=0.05, shade=at.shade, lift=0)
        band = np.asarray([(0.305, top - 0.004), (0.505, top - 0.01), (0.503, top + 0.085), (0.307, top + 0.09)])
        draft.canvas.panel(at(band), top_cloth, puff=0.03, shade=at.shade, lift=0.15)
        trims.rib_band(draft, at(band), 13)


def glove(draft: Draft) -> None:
    """A pair of gloves or mittens, palms down."""
    mitten = draft.spec.style == "mitten"
    cuff_cloth = draft.trim if draft.chance(0.3) else draft.solid
    for k, dx in enumerate((-0.22, 0.22)):
        flip = (1, -1)[k]
        if mitten:
            hand = outline(
                (-0.1, 0.72), (-0.125, 0.5, 1), (-0.12, 0.3, 1), (-0.04, 0.19, 1), (0.06, 0.24, 1), (0.1, 0.4, 1),
                (0.115, 0.47), (0.165, 0.39, 1), (0.215, 0.41, 1),
                (0.19, 0.52, 1), (0.115, 0.62, 1), (0.1, 0.72),
            )  # fmt: skip
        else:
            hand = outline(
                (-0.095, 0.72), (-0.12, 0.55, 1), (-0.165, 0.33, 1), (-0.145, 0.29, 1), (-0.115, 0.32, 1),
                (-0.085, 0.47), (-0.09, 0.25, 1), (-0.06, 0.19, 1), (-0.032, 0.25, 1),
                (-0.022, 0.46), (-0.012, 0.21, 1), (0.02, 0.16, 1), (0.046, 0.21, 1), (0.038, 0.46), (0.066, 0.26, 1),
                (0.1, 0.225, 1), (0.118, 0.28, 1), (0.095, 0.5),
                (0.15, 0.43, 1), (0.19, 0.42, 1), (0.195, 0.46, 1), (0.125, 0.6, 1), (0.095, 0.72),
            )  # fmt: skip
        shape = hand * (flip, 1) + (0.5 + dx, 0.03)
        draft.canvas.panel(shape, draft.cloth, puff=0.035, lift=0.2)
        cuff = np.asarray([(-0.1, 0.68), (0.1, 0.68), (0.11, 0.83), (-0.11, 0.83)]) * (flip, 1) + (0.5 + dx, 0.03)
        draft.canvas.panel(cuff, cuff_cloth, puff=0.035, lift=0.25)
        if draft.spec.style == "leather glove":
            for x in (-0.05, 0.005, 0.06):
                draft.canvas.seam(np.asarray([(x * flip + 0.5 + dx, 0.53), (x * flip * 0.8 + 0.5 + dx, 0.66)]), 0.35)
        else:
            trims.rib_band(draft, cuff, 12)
