"""Bags, scarves, ties and belts."""

from __future__ import annotations

import numpy as np

from demo.canvas import Crease
from demo.colours import contrast, mix, rgb
from demo.curves import Knot, Points, curve, mirrored, moved, outline, tube
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft, sides


def bag(draft: Draft) -> None:
    """The bag that the design's style names."""
    {"handbag": _handbag, "backpack": _backpack, "shoulder bag": _shoulder_bag, "clutch": _clutch}.get(
        draft.spec.style, _tote
    )(draft)


def _strap(draft: Draft, knots: list[Knot], width: float, shade: float = 1.0) -> None:
    cloth = draft.trim if draft.spec.style == "tote bag" and draft.spec.pattern == "plain" else draft.solid
    draft.canvas.panel(tube(knots, (width, width)), cloth, puff=width * 0.5, shade=shade, lift=0.3)


def _metal(draft: Draft, points: Points, width: float = 0.01) -> None:
    draft.canvas.line(np.vstack([points, points[:1]]), mix(rgb("camel"), rgb("yellow"), 0.4), width, 0.95)


def _tote(draft: Draft) -> None:
    handle: list[Knot] = [(0.36, 0.44), (0.37, 0.2, 1), (0.5, 0.1, 1), (0.63, 0.2, 1), (0.64, 0.44)]
    _strap(draft, handle, 0.034, 0.7)
    wide = draft.pick(0.27, 0.3)
    body = mirrored(
        (0.5, 0.385, 1), (0.5 + wide, 0.37), (0.5 + wide - 0.012, 0.65, 1), (0.5 + wide - 0.025, 0.91), (0.5, 0.925, 1)
    )
    folds = [
        Crease(0.3, 0.42, 0.4, 0.86, 0.03, 0.01),
        Crease(0.7, 0.44, 0.58, 0.88, 0.03, 0.01),
        Crease(0.36, 0.84, 0.64, 0.86, 0.02, -0.008),
    ]
    draft.canvas.panel(body, draft.cloth, puff=0.06, creases=folds, lift=0.2)
    draft.canvas.stitches(curve((0.5 - wide, 0.41), (0.5, 0.422, 1), (0.5 + wide, 0.41)), draft.thread)
    front: list[Knot] = [(0.36, 0.48), (0.355, 0.27, 1), (0.5, 0.17, 1), (0.645, 0.27, 1), (0.64, 0.48)]
    _strap(draft, front, 0.036)
    if draft.spec.pattern == "plain":
        trims.graphic(draft, 0.5, 0.67, 0.1)


def _handbag(draft: Draft) -> None:
    _strap(draft, [(0.34, 0.45), (0.36, 0.22, 1), (0.5, 0.13, 1), (0.64, 0.22, 1), (0.66, 0.45)], 0.034)
    body = mirrored((0.5, 0.4, 1), (0.74, 0.4), (0.8, 0.6, 1), (0.83, 0.84), (0.78, 0.87, 1), (0.5, 0.88, 1))
    draft.canvas.panel(body, draft.cloth, puff=0.07, lift=0.25)
    flap = mirrored((0.5, 0.395, 1), (0.745, 0.395), (0.765, 0.52, 1), (0.72, 0.62), (0.5, 0.665, 1))
    draft.canvas.panel(flap, draft.cloth, puff=0.03, lift=0.45)
    draft.canvas.stitches(curve((0.285, 0.6), (0.5, 0.645, 1), (0.715, 0.6)), draft.thread)
    lock = outline((0.472, 0.62), (0.528, 0.62), (0.528, 0.7), (0.472, 0.7))
    draft.canvas.panel(lock, trims.plain_cloth("camel", "metal"), puff=0.015, lift=0.4)
    for x in (0.34, 0.66):
        _metal(draft, outline((x - 0.02, 0.42), (x + 0.02, 0.42), (x + 0.02, 0.46), (x - 0.02, 0.46)))


def _shoulder_bag(draft: Draft) -> None:
    _strap(draft, [(0.22, 0.55), (0.26, 0.22, 1), (0.5, 0.07, 1), (0.74, 0.22, 1), (0.78, 0.55)], 0.024)
    body = mirrored((0.5, 0.52, 1), (0.8, 0.5), (0.85, 0.66, 1), (0.74, 0.86, 1), (0.5, 0.91, 1))
    draft.canvas.panel(
        body,
        draft.cloth,
        puff=0.1,
        lift=0.2,
        creases=[Crease(0.3, 0.56, 0.4, 0.84, 0.03, 0.01), Crease(0.7, 0.56, 0.62, 0.84, 0.03, 0.01)],
    )
    zipper = curve((0.24, 0.545), (0.5, 0.565, 1), (0.76, 0.545))
    draft.canvas.line(zipper, mix(rgb("camel"), rgb("yellow"), 0.4), 0.012, 0.95)
    draft.canvas.stitches(zipper, np.zeros(3, dtype=np.float32), 0.007, 0.01)
    for x in (0.22, 0.78):
        ring = np.column_stack(
            [x + 0.022 * np.cos(np.linspace(0, 6.28, 24)), 0.535 + 0.022 * np.sin(np.linspace(0, 6.28, 24))]
        )
        _metal(draft, ring)


def _backpack(draft: Draft) -> None:
    for strap in sides(
        outline(
            (0.74, 0.34),
            (0.83, 0.42, 1),
            (0.84, 0.62, 1),
            (0.78, 0.82),
            (0.74, 0.8),
            (0.79, 0.6, 1),
            (0.77, 0.44, 1),
            (0.72, 0.4),
        )
    ):
        draft.canvas.panel(strap, draft.solid, shade=0.7, puff=0.02, lift=0)
    _strap(draft, [(0.44, 0.16), (0.455, 0.09, 1), (0.545, 0.09, 1), (0.56, 0.16)], 0.026, 0.85)
    body = mirrored(
        (0.5, 0.12, 1), (0.66, 0.16, 1), (0.745, 0.3, 1), (0.765, 0.6, 1), (0.76, 0.88), (0.7, 0.915, 1), (0.5, 0.92, 1)
    )
    draft.canvas.panel(body, draft.cloth, puff=0.09, lift=0.2)
    steel = mix(rgb("grey"), rgb("white"), 0.4)
    arch = curve(
        (0.285, 0.52), (0.3, 0.32, 1), (0.38, 0.22, 1), (0.5, 0.195, 1), (0.62, 0.22, 1), (0.7, 0.32, 1), (0.715, 0.52)
    )
    draft.canvas.line(arch, mix(draft.base, rgb("black"), 0.6), 0.016, 0.9)
    draft.canvas.stitches(arch, steel, 0.008, 0.008)
    pocket = mirrored((0.5, 0.57, 1), (0.68, 0.57), (0.7, 0.7, 1), (0.69, 0.87), (0.5, 0.885, 1))
    draft.canvas.panel(pocket, draft.trim if draft.chance(0.4) else draft.cloth, puff=0.05, lift=0.45)
    zipper = curve((0.325, 0.615), (0.5, 0.61, 1), (0.675, 0.615))
    draft.canvas.line(zipper, mix(draft.base, rgb("black"), 0.6), 0.016, 0.9)
    draft.canvas.stitches(zipper, steel, 0.008, 0.008)
    draft.canvas.panel(
        outline((0.46, 0.36), (0.54, 0.36), (0.54, 0.43), (0.46, 0.43)),
        trims.plain_cloth("brown", "leather"),
        puff=0.008,
        lift=0.3,
    )


def _clutch(draft: Draft) -> None:
    body = mirrored((0.5, 0.33), (0.86, 0.33), (0.885, 0.35, 1), (0.88, 0.69), (0.5, 0.705))
    draft.canvas.panel(body, draft.cloth, puff=0.05, lift=0)
    flap = mirrored((0.5, 0.325), (0.875, 0.325), (0.885, 0.36, 1), (0.5, 0.585))
    draft.canvas.panel(flap, draft.cloth, puff=0.025, lift=0.5)
    clasp = np.column_stack(
        [0.5 + 0.024 * np.cos(np.linspace(0, 6.2, 24)), 0.56 + 0.024 * np.sin(np.linspace(0, 6.2, 24))]
    )
    draft.canvas.panel(clasp, trims.plain_cloth("camel", "metal"), puff=0.015, lift=0.4)
    draft.canvas.line(
        tube([(0.14, 0.4), (0.07, 0.5, 1), (0.08, 0.66, 1), (0.12, 0.72)], (0.02, 0.02)), draft.base, 0.004, 0.0
    )
    _strap(draft, [(0.13, 0.42), (0.065, 0.52, 1), (0.07, 0.68, 1), (0.115, 0.76, 1), (0.14, 0.69)], 0.02)


def _fringe(draft: Draft, a: tuple[float, float], b: tuple[float, float], length: float) -> None:
    p, q = np.asarray(a), np.asarray(b)
    across = (q - p) / max(float(np.linalg.norm(q - p)), 1e-6)
    down = np.asarray([-across[1], across[0]])
    if down[1] < 0:
        down = -down
    for t in np.linspace(0.03, 0.97, 15):
        root = p + (q - p) * t
        tip = root + down * length + across * draft.jig(0.006)
        tassel = np.vstack([root - across * 0.006, root + across * 0.006, tip + across * 0.003, tip - across * 0.003])
        draft.canvas.panel(tassel, draft.solid, puff=0.006, lift=0.1)


def scarf(draft: Draft) -> None:
    """A scarf looped around nobody's neck, or folded over itself."""
    if draft.chance(0.3):
        _folded_scarf(draft)
        return
    back = mirrored((0.5, 0.14, 1), (0.64, 0.16, 1), (0.7, 0.25), (0.62, 0.3, 1), (0.5, 0.31, 1))
    draft.canvas.panel(back, draft.cloth, shade=0.6, puff=0.05, lift=0)
    for k, (top, end, width) in enumerate(
        (((0.44, 0.38), (0.39 + draft.jig(0.01), 0.82), 0.19), ((0.56, 0.38), (0.61 + draft.jig(0.01), 0.88), 0.19))
    ):
        w = width / 2
        tail = outline(
            (top[0] - w * 0.7, top[1]), (top[0] + w * 0.7, top[1]), ((top[0] + end[0]) / 2 + w, 0.6, 1),
            (end[0] + w, end[1]), (end[0] - w, end[1] + 0.006),
            ((top[0] + end[0]) / 2 - w, 0.6, 1),
        )  # fmt: skip
        folds = [Crease(top[0] + d * 0.5, 0.4, end[0] + d, end[1], 0.02, 0.014) for d in (-0.045, 0.04)]
        draft.canvas.panel(tail, draft.cloth, grain=(6, -6)[k], puff=0.04, creases=folds, lift=0.35)
        if draft.spec.material == "wool":
            _fringe(draft, (end[0] - w, end[1] + 0.004), (end[0] + w, end[1]), 0.055)
    loop = outline(
        (0.28, 0.25), (0.34, 0.2, 1), (0.42, 0.25, 1), (0.5, 0.3, 1), (0.58, 0.25, 1), (0.66, 0.2, 1), (0.72, 0.25),
        (0.7, 0.38, 1), (0.6, 0.47, 1), (0.5, 0.49, 1),
        (0.4, 0.47, 1), (0.3, 0.38, 1),
    )  # fmt: skip
    folds = [Crease(0.3, 0.27 + k, 0.5, 0.38 + k, 0.018, 0.016) for k in (0.0, 0.05)] + [
        Crease(0.5, 0.38 + k, 0.7, 0.27 + k, 0.018, 0.016) for k in (0.0, 0.05)
    ]
    draft.canvas.panel(loop, draft.cloth, grain=90, puff=0.06, creases=folds, lift=0.5)


def _folded_scarf(draft: Draft) -> None:
    lower = outline((0.3, 0.14), (0.55, 0.12), (0.6, 0.86), (0.33, 0.89))
    draft.canvas.panel(
        lower, draft.cloth, puff=0.03, lift=0, shade=0.93, creases=[Crease(0.36, 0.2, 0.42, 0.84, 0.03, 0.01)]
    )
    upper = outline((0.47, 0.12), (0.56, 0.095, 1), (0.68, 0.12), (0.735, 0.74), (0.48, 0.78))
    draft.canvas.panel(
        upper,
        draft.cloth,
        puff=0.035,
        lift=0.5,
        grain=-5,
        creases=[Crease(0.52, 0.15, 0.55, 0.74, 0.03, 0.012), Crease(0.62, 0.15, 0.67, 0.72, 0.03, -0.01)],
    )
    if draft.spec.material == "wool":
        _fringe(draft, (0.33, 0.89), (0.6, 0.86), 0.06)
        _fringe(draft, (0.48, 0.78), (0.735, 0.74), 0.06)


def tie(draft: Draft) -> None:
    """A necktie with its knot, or a bow tie."""
    if draft.spec.style == "bow tie":
        band = mirrored((0.5, 0.47), (0.93, 0.455), (0.93, 0.5), (0.5, 0.52))
        draft.canvas.panel(band, draft.solid, shade=0.8, puff=0.015, lift=0)
        for k, wing in enumerate(
            sides(
                outline(
                    (0.5, 0.47),
                    (0.6, 0.41, 1),
                    (0.75, 0.36),
                    (0.775, 0.5, 1),
                    (0.75, 0.64),
                    (0.6, 0.58, 1),
                    (0.5, 0.53),
                )
            )
        ):
            s = (1, -1)[k]
            draft.canvas.panel(
                wing,
                draft.cloth,
                grain=(8, -8)[k],
                puff=0.05,
                lift=0.3,
                creases=[Crease(0.5 + s * 0.03, 0.5, 0.5 + s * 0.17, 0.47, 0.02, -0.014)],
            )
        draft.canvas.panel(
            mirrored((0.5, 0.43, 1), (0.545, 0.445), (0.55, 0.5, 1), (0.545, 0.56), (0.5, 0.572, 1)),
            draft.cloth,
            puff=0.03,
            lift=0.45,
        )
        return
    for loop in sides(outline((0.5, 0.12), (0.55, 0.045, 1), (0.64, 0.05), (0.6, 0.1, 1), (0.53, 0.17))):
        draft.canvas.panel(loop, draft.solid, shade=0.8, puff=0.015, lift=0.1)
    thin = outline((0.48, 0.2), (0.52, 0.2), (0.552, 0.78), (0.522, 0.82), (0.49, 0.78))
    draft.canvas.panel(thin, draft.cloth, shade=0.75, puff=0.02, lift=0)
    blade = mirrored((0.5, 0.19), (0.528, 0.19), (0.552, 0.5, 1), (0.588, 0.83), (0.5, 0.94))
    draft.canvas.panel(blade, draft.cloth, puff=0.03, lift=0.4, creases=[Crease(0.5, 0.2, 0.5, 0.38, 0.014, -0.008)])
    knot = mirrored((0.5, 0.095), (0.555, 0.1), (0.53, 0.205), (0.5, 0.21))
    draft.canvas.panel(knot, draft.cloth, grain=-14, puff=0.03, lift=0.45)


def belt(draft: Draft) -> None:
    """A strap with a buckle, coiled or laid straight."""
    metal = mix(rgb("grey"), rgb("white"), 0.5) if draft.chance(0.5) else mix(rgb("camel"), rgb("yellow"), 0.4)
    if draft.chance(0.35):
        strap = outline((0.06, 0.455), (0.9, 0.45), (0.95, 0.5, 1), (0.9, 0.545), (0.06, 0.55))
        draft.canvas.panel(strap, draft.solid, puff=0.03, lift=0)
        for y in (0.468, 0.533):
            draft.canvas.stitches(curve((0.12, y), (0.89, y)), contrast(draft.base, 0.4))
        for x in np.linspace(0.68, 0.86, 5):
            draft.canvas.line(
                np.asarray([(x - 0.004, 0.5), (x + 0.004, 0.5)]), np.zeros(3, dtype=np.float32), 0.014, 0.8
            )
        ring = outline((0.035, 0.43), (0.125, 0.43), (0.125, 0.575), (0.035, 0.575))
        draft.canvas.panel(ring, trims.plain_cloth("grey", "metal"), puff=0.02, lift=0.3)
        draft.canvas.panel(
            outline((0.055, 0.452), (0.108, 0.452), (0.108, 0.553), (0.055, 0.553)),
            draft.solid,
            shade=0.7,
            puff=0.01,
            lift=0,
        )
        draft.canvas.line(np.asarray([(0.05, 0.502), (0.14, 0.502)]), metal, 0.013, 0.95)
        return
    outer = [(0.5 + 0.33 * np.cos(t), 0.5 + 0.19 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 60)]
    inner = [(0.5 + 0.27 * np.cos(t), 0.45 + 0.13 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 60)]
    half = 30
    rear = np.vstack([outer[half:], moved(outer[half:], 0, -0.1)[::-1]])
    draft.canvas.panel(rear, draft.solid, shade=0.55, puff=0.02, lift=0)
    coil = np.vstack([inner[2:half], moved(inner[2:half], 0, 0.09)[::-1]])
    draft.canvas.panel(coil, draft.solid, shade=0.72, puff=0.02, lift=0.2)
    front = np.vstack([moved(outer[: half + 1], 0, -0.1), moved(outer[: half + 1], 0, 0.02)[::-1]])
    draft.canvas.panel(front, draft.solid, puff=0.03, lift=0.4)
    for dy in (-0.085, 0.005):
        draft.canvas.stitches(moved(outer[2 : half - 1], 0, dy), contrast(draft.base, 0.4))
    ring = outline((0.43, 0.565), (0.57, 0.565), (0.57, 0.735), (0.43, 0.735))
    draft.canvas.panel(
        ring,
        trims.plain_cloth("camel" if draft.spec.second_colour in ("brown", "beige") else "grey", "metal"),
        puff=0.02,
        lift=0.4,
    )
    draft.canvas.panel(
        outline((0.455, 0.59), (0.545, 0.59), (0.545, 0.71), (0.455, 0.71)), draft.solid, shade=0.85, puff=0.01, lift=0
    )
    draft.canvas.line(np.asarray([(0.445, 0.65), (0.585, 0.65)]), metal, 0.013, 0.95)
