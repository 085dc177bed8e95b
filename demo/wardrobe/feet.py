"""Shoes, in pairs, seen from the side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from demo.canvas import Crease
from demo.colours import rgb
from demo.curves import Knot, Points, curve, moved, outline
from demo.fabrics import Cloth
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft


@dataclass(frozen=True)
class Place:
    """Where one shoe or sock of a pair lies: shift and scale of unit coordinates."""

    dx: float
    dy: float
    scale: float
    shade: float

    def __call__(self, points: Points) -> Points:
        return (points - 0.5) * self.scale + (0.5 + self.dx, 0.5 + self.dy)


def shoe(draft: Draft) -> None:
    """A pair seen from the outer side, the far shoe behind and a little higher."""
    one = {
        "sneaker": _sneaker, "high-top sneaker": _high_top, "ankle boot": _ankle_boot, "high heel": _high_heel,
        "loafer": _loafer,
        "rain boot": _rain_boot,
    }[draft.spec.style]  # fmt: skip
    gap = 0.1 + abs(draft.jig(0.02))
    tall = draft.spec.style == "rain boot"
    for place in (
        Place(gap * 0.9, -gap * (0.3 if tall else 0.9), 0.8, 0.86),
        Place(-gap * 0.7, gap * 0.6, 0.82, 1.0),
    ):
        one(replace(draft, design=np.random.default_rng((draft.spec.variant, 19))), place)


def _sole(draft: Draft, at: Place, top: Points, thickness: float, cloth: Cloth) -> None:
    """A sole below a polyline from heel to toe."""
    bottom = moved(top[::-1], 0, thickness)
    bottom = np.column_stack(
        [bottom[:, 0], np.minimum(np.maximum(bottom[:, 1], bottom[:, 1].max() - thickness * 0.35), bottom[:, 1].max())]
    )
    draft.canvas.panel(at(np.vstack([top, bottom])), cloth, puff=0.02, shade=at.shade, lift=0.2)


def _trim_sole(draft: Draft) -> Cloth:
    name = "white" if draft.spec.colour != "white" else draft.spec.second_colour
    return trims.plain_cloth(name if draft.spec.style != "ankle boot" else "black", "rubber")


def _laces(draft: Draft, at: Place, top: Knot, bottom: Knot, count: int, span: float) -> None:
    tone = rgb("white") if draft.spec.colour != "white" else rgb("grey")
    for t in np.linspace(0, 1, count):
        x, y = top[0] + (bottom[0] - top[0]) * t, top[1] + (bottom[1] - top[1]) * t
        lace = at(np.asarray([(x - span * 0.55, y + span * 0.35), (x + span * 0.4, y - span * 0.55)]))
        draft.canvas.line(lace, np.zeros(3, dtype=np.float32), 0.016, 0.3)
        draft.canvas.line(lace, tone, 0.012, 0.95)


def _sneaker(draft: Draft, at: Place) -> None:
    upper = outline(
        (0.06, 0.66), (0.045, 0.52, 1), (0.075, 0.36), (0.13, 0.35, 1), (0.2, 0.4, 1), (0.3, 0.385, 1), (0.37, 0.335),
        (0.43, 0.32), (0.56, 0.43, 1), (0.72, 0.51, 1), (0.87, 0.545, 1), (0.945, 0.61, 1), (0.95, 0.67),
        (0.5, 0.69, 1),
    )  # fmt: skip
    tongue = outline((0.33, 0.36), (0.36, 0.26, 1), (0.43, 0.245), (0.47, 0.34), (0.4, 0.38))
    draft.canvas.panel(at(tongue), draft.solid, shade=at.shade * 0.9, puff=0.02)
    draft.canvas.panel(at(upper), draft.cloth, puff=0.07, shade=at.shade)
    heel = outline((0.06, 0.66), (0.045, 0.52, 1), (0.075, 0.36), (0.125, 0.35, 1), (0.15, 0.47, 1), (0.2, 0.67))
    draft.canvas.panel(at(heel), draft.trim, puff=0.03, shade=at.shade, lift=0.2)
    toe = outline((0.73, 0.685), (0.76, 0.59, 1), (0.84, 0.54), (0.93, 0.585, 1), (0.955, 0.68))
    draft.canvas.panel(at(toe), draft.trim if draft.chance(0.5) else draft.solid, puff=0.03, shade=at.shade, lift=0.2)
    swoop = outline((0.24, 0.665), (0.32, 0.55, 1), (0.45, 0.44), (0.49, 0.455), (0.41, 0.56, 1), (0.37, 0.67))
    draft.canvas.panel(at(swoop), draft.trim, puff=0.012, shade=at.shade, lift=0.15)
    _laces(draft, at, (0.43, 0.345), (0.645, 0.485), 5, 0.075)
    _sole(draft, at, curve((0.04, 0.655), (0.3, 0.67, 1), (0.6, 0.68, 1), (0.965, 0.655)), 0.075, _trim_sole(draft))
    draft.canvas.line(at(curve((0.045, 0.7), (0.5, 0.722, 1), (0.96, 0.7))), draft.base, 0.006, 0.6)


def _high_top(draft: Draft, at: Place) -> None:
    upper = outline(
        (0.07, 0.7), (0.065, 0.5, 1), (0.1, 0.2), (0.2, 0.19, 1), (0.33, 0.185), (0.36, 0.33, 1), (0.44, 0.46, 1),
        (0.6, 0.54, 1),
        (0.82, 0.58, 1), (0.93, 0.65, 1), (0.94, 0.71), (0.5, 0.72, 1),
    )  # fmt: skip
    draft.canvas.panel(
        at(outline((0.24, 0.22), (0.28, 0.13, 1), (0.37, 0.14), (0.4, 0.38))),
        draft.solid,
        shade=at.shade * 0.9,
        puff=0.02,
    )
    draft.canvas.panel(at(upper), draft.cloth, puff=0.07, shade=at.shade)
    cap = outline((0.75, 0.72), (0.76, 0.62, 1), (0.83, 0.585), (0.93, 0.63, 1), (0.955, 0.72))
    white = trims.plain_cloth("white" if draft.spec.colour != "white" else "grey", "rubber")
    draft.canvas.panel(at(cap), white, puff=0.03, shade=at.shade, lift=0.2)
    disc = at(
        np.column_stack(
            [0.19 + 0.062 * np.cos(np.linspace(0, 6.2, 30)), 0.34 + 0.062 * np.sin(np.linspace(0, 6.2, 30))]
        )
    )
    draft.canvas.panel(disc, draft.trim, puff=0.01, shade=at.shade, lift=0.2)
    _laces(draft, at, (0.335, 0.225), (0.58, 0.52), 8, 0.07)
    draft.canvas.seam(at(curve((0.11, 0.24), (0.13, 0.5, 1), (0.12, 0.7))), 0.35)
    _sole(draft, at, curve((0.055, 0.7), (0.5, 0.72, 1), (0.965, 0.7)), 0.07, white)
    draft.canvas.line(at(curve((0.06, 0.74), (0.5, 0.757, 1), (0.96, 0.74))), draft.base, 0.007, 0.7)


def _ankle_boot(draft: Draft, at: Place) -> None:
    upper = outline(
        (0.1, 0.72), (0.085, 0.55, 1), (0.13, 0.36, 1), (0.115, 0.15), (0.26, 0.135, 1), (0.4, 0.15), (0.405, 0.34, 1),
        (0.47, 0.47, 1),
        (0.64, 0.54, 1), (0.85, 0.6, 1), (0.93, 0.68, 1), (0.93, 0.735), (0.6, 0.75, 1), (0.36, 0.725, 1),
    )  # fmt: skip
    (x0, y0), (x1, y1) = at(np.asarray([(0.2, 0.5), (0.45, 0.5)])).tolist()
    bend = Crease(x0, y0, x1, y1, 0.015, -0.008)
    draft.canvas.panel(at(upper), draft.cloth, puff=0.08, shade=at.shade, creases=[bend])
    gore = outline((0.2, 0.15), (0.3, 0.145), (0.3, 0.42, 1), (0.255, 0.47), (0.21, 0.42, 1))
    draft.canvas.panel(at(gore), draft.solid, shade=at.shade * 0.62, puff=0.01, lift=0.1)
    draft.canvas.ribs([at(curve((x, 0.155), (x, 0.43))) for x in np.linspace(0.21, 0.29, 6)], 0.3, 0.003)
    dark = trims.plain_cloth("black", "rubber")
    heel = outline((0.09, 0.715), (0.33, 0.725), (0.315, 0.84), (0.1, 0.84))
    draft.canvas.panel(at(heel), dark, puff=0.02, shade=at.shade)
    draft.canvas.panel(
        at(
            outline(
                (0.09, 0.71),
                (0.36, 0.715, 1),
                (0.6, 0.74, 1),
                (0.945, 0.725),
                (0.95, 0.76, 1),
                (0.62, 0.79, 1),
                (0.36, 0.75, 1),
                (0.09, 0.735),
            )
        ),
        dark,
        puff=0.015,
        shade=at.shade,
    )
    draft.canvas.panel(
        at(outline((0.11, 0.08), (0.15, 0.08), (0.155, 0.16), (0.115, 0.16))),
        draft.solid,
        shade=at.shade * 0.8,
        puff=0.006,
    )


def _high_heel(draft: Draft, at: Place) -> None:
    inside = outline((0.1, 0.31), (0.2, 0.3, 1), (0.42, 0.42, 1), (0.66, 0.62), (0.5, 0.6, 1), (0.25, 0.42, 1))
    draft.canvas.panel(at(inside), trims.plain_cloth("beige", "leather"), shade=at.shade * 0.85, puff=0.01, lift=0)
    upper = outline(
        (0.075, 0.34), (0.1, 0.26, 1), (0.16, 0.24), (0.27, 0.42, 1), (0.46, 0.585, 1), (0.66, 0.62), (0.76, 0.63, 1),
        (0.9, 0.72, 1),
        (0.945, 0.765), (0.75, 0.775, 1), (0.56, 0.73, 1), (0.36, 0.57, 1), (0.2, 0.46, 1), (0.085, 0.43),
    )  # fmt: skip
    heel = outline((0.08, 0.37), (0.22, 0.46), (0.16, 0.56, 1), (0.135, 0.79), (0.1, 0.79), (0.1, 0.56, 1))
    draft.canvas.panel(at(heel), draft.solid, puff=0.02, shade=at.shade * 0.9)
    draft.canvas.panel(at(upper), draft.cloth, puff=0.04, shade=at.shade)
    sole = outline(
        (0.2, 0.46),
        (0.38, 0.585, 1),
        (0.57, 0.735, 1),
        (0.75, 0.775, 1),
        (0.95, 0.768),
        (0.93, 0.79),
        (0.74, 0.795, 1),
        (0.55, 0.76, 1),
        (0.36, 0.61, 1),
    )
    draft.canvas.panel(at(sole), trims.plain_cloth("brown", "leather"), puff=0.008, shade=at.shade, lift=0)


def _loafer(draft: Draft, at: Place) -> None:
    inside = outline((0.1, 0.4), (0.25, 0.375, 1), (0.47, 0.43), (0.4, 0.5, 1), (0.18, 0.48))
    draft.canvas.panel(at(inside), trims.plain_cloth("camel", "leather"), shade=at.shade * 0.6, puff=0.01, lift=0)
    upper = outline(
        (0.06, 0.66), (0.055, 0.5, 1), (0.09, 0.39), (0.2, 0.45, 1), (0.34, 0.47, 1), (0.46, 0.4), (0.52, 0.4, 1),
        (0.68, 0.49, 1),
        (0.85, 0.53, 1), (0.945, 0.61, 1), (0.95, 0.67), (0.5, 0.685, 1),
    )  # fmt: skip
    draft.canvas.panel(at(upper), draft.cloth, puff=0.06, shade=at.shade)
    draft.canvas.seam(at(curve((0.52, 0.45), (0.66, 0.54, 1), (0.82, 0.565, 1), (0.91, 0.6))), 0.5, 0.006)
    strap = outline((0.42, 0.43), (0.52, 0.4, 1), (0.6, 0.44), (0.57, 0.66), (0.46, 0.67))
    draft.canvas.panel(at(strap), draft.solid, puff=0.015, shade=at.shade, lift=0.4)
    draft.canvas.line(at(curve((0.5, 0.5), (0.56, 0.5))), np.zeros(3, dtype=np.float32), 0.02, 0.5)
    _sole(draft, at, curve((0.05, 0.655), (0.4, 0.672, 1), (0.96, 0.66)), 0.035, trims.plain_cloth("brown", "leather"))
    heel = outline((0.05, 0.675), (0.27, 0.69), (0.265, 0.74), (0.055, 0.74))
    draft.canvas.panel(at(heel), trims.plain_cloth("black", "rubber"), puff=0.015, shade=at.shade)


def _rain_boot(draft: Draft, at: Place) -> None:
    upper = outline(
        (0.18, 0.8), (0.165, 0.68, 1), (0.21, 0.5, 1), (0.175, 0.1), (0.32, 0.085, 1), (0.475, 0.1), (0.475, 0.4, 1),
        (0.5, 0.55, 1), (0.62, 0.64, 1),
        (0.8, 0.68, 1), (0.87, 0.76, 1), (0.87, 0.81), (0.5, 0.82, 1),
    )  # fmt: skip
    draft.canvas.panel(at(upper), draft.solid, puff=0.09, shade=at.shade)
    draft.canvas.panel(
        at(outline((0.172, 0.1), (0.32, 0.08, 1), (0.478, 0.1), (0.478, 0.145), (0.32, 0.13, 1), (0.174, 0.145))),
        draft.trim,
        puff=0.015,
        shade=at.shade,
    )
    _sole(
        draft,
        at,
        curve((0.165, 0.79), (0.5, 0.815, 1), (0.885, 0.79)),
        0.06,
        trims.plain_cloth("black" if draft.spec.colour != "black" else "grey", "rubber"),
    )
    draft.canvas.line(at(curve((0.25, 0.2), (0.26, 0.5))), rgb("white"), 0.018, 0.3)
