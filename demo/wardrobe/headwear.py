"""Hats, headbands, glasses and umbrellas."""

from __future__ import annotations

import numpy as np

from demo.canvas import Crease
from demo.colours import contrast, mix, rgb
from demo.curves import along, curve, ellipse, mirrored, moved, outline
from demo.fabrics import WEAVES, plain
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft, sides


def hat(draft: Draft) -> None:
    """The hat that the design's style names."""
    {"beanie": _beanie, "fedora": _fedora, "bucket hat": _bucket, "sun hat": _sun_hat}.get(draft.spec.style, _cap)(
        draft
    )


def _cap(draft: Draft) -> None:
    crown = outline(
        (0.2, 0.6), (0.215, 0.42, 1), (0.32, 0.27, 1), (0.47, 0.235, 1), (0.61, 0.28, 1), (0.69, 0.42, 1), (0.71, 0.58),
        (0.45, 0.63, 1),
    )  # fmt: skip
    draft.canvas.panel(crown, draft.cloth, puff=0.12, lift=0)
    for seam in (
        curve((0.46, 0.237), (0.4, 0.4, 1), (0.385, 0.622)), curve((0.46, 0.237), (0.59, 0.36, 1), (0.62, 0.6)),
        curve((0.46, 0.237), (0.28, 0.36, 1), (0.245, 0.606)),
    ):  # fmt: skip
        draft.canvas.seam(seam, 0.35)
        draft.canvas.stitches(moved(seam, 0.009, 0), draft.thread)
    peak = outline(
        (0.42, 0.615),
        (0.58, 0.57, 1),
        (0.705, 0.545),
        (0.82, 0.575, 1),
        (0.91, 0.66, 1),
        (0.9, 0.69),
        (0.72, 0.64, 1),
        (0.55, 0.65, 1),
    )
    draft.canvas.panel(peak, draft.trim if draft.chance(0.4) else draft.solid, puff=0.03, lift=0.35)
    for k in (0.012, 0.024, 0.036):
        draft.canvas.stitches(curve((0.52, 0.6 + k), (0.7, 0.575 + k, 1), (0.88, 0.645 + k)), draft.thread)
    draft.canvas.panel(ellipse(0.462, 0.237, 0.02, 0.012), draft.trim, puff=0.01, lift=0.2)
    if draft.chance(0.6):
        trims.graphic(draft, 0.545, 0.44, 0.055)


def _beanie(draft: Draft) -> None:
    dome = mirrored((0.5, 0.22, 1), (0.64, 0.27, 1), (0.725, 0.44, 1), (0.74, 0.66), (0.5, 0.69, 1))
    draft.canvas.panel(dome, draft.cloth, puff=0.13, lift=0)
    draft.canvas.ribs(
        [
            curve((0.5 + d * 0.25, 0.235), (0.5 + d * 0.95, 0.42, 1), (0.5 + d, 0.66))
            for d in np.linspace(-0.215, 0.215, 13)
        ],
        0.22,
    )
    cuff = mirrored((0.5, 0.58, 1), (0.745, 0.55), (0.76, 0.64, 1), (0.748, 0.715), (0.5, 0.745, 1))
    draft.canvas.panel(cuff, draft.solid, puff=0.05, lift=0.35)
    corners = np.asarray([(0.26, 0.575), (0.74, 0.575), (0.745, 0.728), (0.255, 0.728)])
    trims.rib_band(draft, corners, 24, 0.26)
    if draft.chance(0.5):
        ball = ellipse(0.5, 0.19, 0.085, 0.08, 60)
        ball = ball + draft.pose.normal(0, 0.005, ball.shape)
        draft.canvas.panel(ball, draft.trim, puff=0.07, wrinkle=3)


def _brim(draft: Draft, y: float, rx: float, ry: float, droop: float = 0.0) -> None:
    brim = outline(
        (0.5 - rx, y), (0.5 - rx * 0.6, y - ry * 0.72, 1), (0.5, y - ry, 1), (0.5 + rx * 0.6, y - ry * 0.72, 1),
        (0.5 + rx, y),
        (0.5 + rx * 0.7, y + ry * 0.75 + droop, 1), (0.5, y + ry * 1.1, 1), (0.5 - rx * 0.7, y + ry * 0.75 + droop, 1),
    )  # fmt: skip
    draft.canvas.panel(brim, draft.cloth, puff=0.03, lift=0)


def _ribbon(draft: Draft, half: float, y: float, height: float, sag: float = 0.035) -> None:
    band = np.vstack([
        curve((0.5 - half, y), (0.5, y + sag, 1), (0.5 + half, y)),
        curve((0.5 + half + 0.006, y + height), (0.5, y + height + sag, 1), (0.5 - half - 0.006, y + height)),
    ])  # fmt: skip
    cloth = draft.trim if draft.spec.second_colour != draft.spec.colour else trims.plain_cloth("black", "silk")
    draft.canvas.panel(band, cloth, puff=0.012, lift=0.25)


def _fedora(draft: Draft) -> None:
    _brim(draft, 0.635, 0.4, 0.075, 0.02)
    crown = outline(
        (0.285, 0.63), (0.3, 0.45, 1), (0.355, 0.285, 1), (0.43, 0.25, 1), (0.5, 0.3, 1), (0.57, 0.25, 1),
        (0.645, 0.285, 1),
        (0.7, 0.45, 1), (0.715, 0.63), (0.5, 0.675, 1),
    )  # fmt: skip
    dents = [
        Crease(0.38, 0.3, 0.4, 0.48, 0.03, -0.02),
        Crease(0.62, 0.3, 0.6, 0.48, 0.03, -0.02),
        Crease(0.5, 0.28, 0.5, 0.42, 0.03, -0.02),
    ]
    draft.canvas.panel(crown, draft.cloth, puff=0.09, lift=0.4, creases=dents)
    _ribbon(draft, 0.208, 0.545, 0.075)


def _bucket(draft: Draft) -> None:
    brim = mirrored((0.5, 0.5), (0.68, 0.5), (0.76, 0.6, 1), (0.83, 0.685), (0.67, 0.75, 1), (0.5, 0.765, 1))
    draft.canvas.panel(brim, draft.cloth, puff=0.04, lift=0)
    for k in (0.0, 0.035, 0.07):
        draft.canvas.stitches(curve((0.26 - k, 0.575 + k), (0.5, 0.63 + k, 1), (0.74 + k, 0.575 + k)), draft.thread)
    crown = mirrored((0.5, 0.27, 1), (0.62, 0.28), (0.655, 0.33, 1), (0.695, 0.525), (0.5, 0.575, 1))
    draft.canvas.panel(crown, draft.cloth, puff=0.06, lift=0.4)
    top = curve((0.355, 0.315), (0.5, 0.35, 1), (0.645, 0.315))
    draft.canvas.seam(top, 0.35)
    draft.canvas.stitches(moved(top, 0, 0.012), draft.thread)


def _sun_hat(draft: Draft) -> None:
    _brim(draft, 0.62, 0.46, 0.12, 0.03)
    for k in np.linspace(0.3, 0.9, 5):
        draft.canvas.line(
            ellipse(0.5, 0.62, 0.46 * k, 0.12 * k + 0.01), mix(draft.base, rgb("brown"), 0.6), 0.003, 0.35
        )
    crown = mirrored((0.5, 0.31, 1), (0.6, 0.335, 1), (0.68, 0.46, 1), (0.7, 0.6), (0.5, 0.65, 1))
    draft.canvas.panel(crown, draft.cloth, puff=0.1, lift=0.45)
    _ribbon(draft, 0.195, 0.54, 0.06)


def headband(draft: Draft) -> None:
    """A loop of cloth, plain or with a knot in front."""
    back = mirrored((0.5, 0.31, 1), (0.68, 0.36, 1), (0.79, 0.47), (0.68, 0.43, 1), (0.5, 0.4, 1))
    draft.canvas.panel(back, draft.cloth, shade=0.62, puff=0.03, lift=0)
    front = mirrored((0.5, 0.54, 1), (0.68, 0.5, 1), (0.79, 0.42), (0.81, 0.56, 1), (0.7, 0.66, 1), (0.5, 0.7, 1))
    folds = [Crease(0.22, 0.5 + k, 0.5, 0.58 + k, 0.012, 0.007) for k in (0.0, 0.05)] + [
        Crease(0.5, 0.58 + k, 0.78, 0.5 + k, 0.012, 0.007) for k in (0.0, 0.05)
    ]
    draft.canvas.panel(front, draft.cloth, puff=0.05, lift=0.3, creases=folds)
    if draft.spec.style == "knotted headband":
        for side in sides(
            outline((0.5, 0.6), (0.57, 0.5, 1), (0.63, 0.5), (0.6, 0.6, 1), (0.62, 0.7), (0.56, 0.69, 1))
        ):
            draft.canvas.panel(side, draft.cloth, grain=30, puff=0.03, lift=0.4)
        knot = mirrored((0.5, 0.53, 1), (0.545, 0.55, 1), (0.55, 0.62), (0.54, 0.69, 1), (0.5, 0.71, 1))
        draft.canvas.panel(knot, draft.cloth, grain=90, puff=0.04, lift=0.45)


def glasses(draft: Draft) -> None:
    """Two lenses, a bridge and folded temples."""
    metal = draft.spec.material == "metal"
    dark = draft.spec.style == "sunglasses"
    frame = plain(draft.base if not metal else mix(draft.base, rgb("grey"), 0.4), WEAVES["acetate"])
    width = 0.014 if metal else 0.028
    round_lens = draft.chance(0.4)
    rx, ry = (0.14, 0.14) if round_lens else (0.155, 0.115)
    for temple in sides(
        outline((0.86, 0.43), (0.9, 0.4), (0.93, 0.36, 1), (0.95, 0.26), (0.965, 0.27), (0.95, 0.37, 1), (0.9, 0.46))
    ):
        draft.canvas.panel(temple, frame, puff=0.01, shade=0.8, lift=0)
    for side in (-1, 1):
        x = 0.5 + side * 0.215
        if round_lens:
            ring = ellipse(x, 0.5, rx + width, ry + width)
            lens = ellipse(x, 0.5, rx, ry)
        else:
            s = side
            ring = outline(
                (x - s * (rx + width), 0.44),
                (x, 0.5 - ry - width, 1),
                (x + s * (rx + width * 1.6), 0.4),
                (x + s * (rx + width * 0.6), 0.52, 1),
                (x, 0.5 + ry + width, 1),
                (x - s * (rx + width * 0.6), 0.53, 1),
            )
            lens = outline(
                (x - s * rx, 0.45),
                (x, 0.5 - ry, 1),
                (x + s * (rx + width * 0.3), 0.43),
                (x + s * rx * 0.96, 0.52, 1),
                (x, 0.5 + ry, 1),
                (x - s * rx * 0.95, 0.53, 1),
            )
        draft.canvas.panel(ring, frame, puff=0.014, lift=0.15)
        tint = plain(
            mix(rgb("black"), rgb("brown"), 0.2) if dark else np.asarray((0.86, 0.9, 0.92), dtype=np.float32),
            WEAVES["acetate"],
        )
        draft.canvas.panel(lens, tint, puff=0.006, lift=0, opacity=1.0)
        shine = np.asarray([(x - rx * 0.4, 0.5 + ry * 0.3), (x + rx * 0.1, 0.5 - ry * 0.5)])
        draft.canvas.line(shine, rgb("white"), 0.022, 0.35)
    bridge = np.vstack(
        [
            curve((0.42, 0.455), (0.5, 0.43, 1), (0.58, 0.455)),
            curve((0.58, 0.455 + width), (0.5, 0.43 + width, 1), (0.42, 0.455 + width)),
        ]
    )
    draft.canvas.panel(bridge, frame, puff=0.008, lift=0)


def umbrella(draft: Draft) -> None:
    """An open canopy of panels, a shaft and a crook."""
    wood = trims.plain_cloth("brown", "leather")
    shaft = np.asarray([(0.494, 0.1), (0.506, 0.1), (0.506, 0.86), (0.494, 0.86)])
    draft.canvas.panel(shaft, trims.plain_cloth("grey", "metal"), puff=0.006, lift=0)
    crook = along(
        curve((0.5, 0.8), (0.5, 0.88), (0.515, 0.935, 1), (0.55, 0.95, 1), (0.585, 0.93, 1), (0.592, 0.885)), 0.01
    )
    way = np.gradient(crook, axis=0)
    normal = np.column_stack([-way[:, 1], way[:, 0]]) / np.linalg.norm(way, axis=1, keepdims=True) * 0.013
    draft.canvas.panel(np.vstack([crook + normal, (crook - normal)[::-1]]), wood, puff=0.012, lift=0)
    edges = [-0.44, -0.25, -0.085, 0.085, 0.25, 0.44]
    rim = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    for i in range(5):
        a, b = edges[i], edges[i + 1]
        cloth = (
            draft.trim
            if draft.spec.pattern == "colour block" and i % 2
            else (draft.solid if draft.spec.pattern == "colour block" else draft.cloth)
        )
        gore = outline(
            (0.5, 0.12), (0.5 + b * 0.62, 0.19, 1), (0.5 + b * 0.9, 0.33, 1), (0.5 + b, rim[i + 1]),
            (0.5 + (a + b) / 2, 0.455, 1),
            (0.5 + a, rim[i]), (0.5 + a * 0.9, 0.33, 1), (0.5 + a * 0.62, 0.19, 1),
        )  # fmt: skip
        draft.canvas.panel(gore, cloth, grain=(i - 2) * 14, puff=0.05, lift=0, shade=1.05 - 0.06 * i)
    draft.canvas.panel(
        np.asarray([(0.495, 0.07), (0.505, 0.07), (0.508, 0.125), (0.492, 0.125)]), wood, puff=0.006, lift=0
    )
    draft.canvas.line(np.asarray([(0.48, 0.125), (0.52, 0.125)]), contrast(draft.base, 0.6), 0.006, 0.5)
