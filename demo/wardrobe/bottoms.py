"""Pants, shorts, skirts, tights and leg warmers."""

from __future__ import annotations

import numpy as np

from demo.canvas import Crease
from demo.colours import contrast, mix, rgb
from demo.curves import Points, curve, mirrored, moved, outline
from demo.wardrobe import trims
from demo.wardrobe.draft import Draft, sides


def _leg(
    waist: float, top: float, crotch: float, hip: float, end: float, inner: float, width: float, lean: float = 0.0
) -> Points:
    """Right leg: waist half width, heights, hip half width, and the place and width of its end."""
    outer = inner + width
    knee = (crotch + end) / 2
    return outline(
        (0.492, top), (0.5 + waist, top), (0.5 + hip, top + (crotch - top) * 0.7, 1),
        (0.5 + (hip + outer) / 2 + lean, knee, 1), (0.5 + outer, end), (0.5 + inner, end + 0.008),
        (0.5 + inner * 0.55 + 0.008, knee, 1), (0.504, crotch + 0.02, 1), (0.492, crotch),
    )  # fmt: skip


def _fly(draft: Draft, top: float, crotch: float, waist: float, *, jeans: bool) -> None:
    """Waist band with loops and button, fly, pockets."""
    band = mirrored(
        (0.5, top - 0.004), (0.5 + waist + 0.002, top - 0.008), (0.5 + waist + 0.004, top + 0.034), (0.5, top + 0.04)
    )
    draft.canvas.panel(band, draft.cloth, puff=0.01, lift=0.3)
    draft.canvas.seam(curve((0.5, top + 0.036), (0.5, crotch)), 0.4)
    jay = curve((0.535, top + 0.04), (0.535, top + (crotch - top) * 0.55, 1), (0.503, crotch - 0.04))
    if jeans:
        draft.canvas.stitches(jay, draft.thread)
        for line in (
            curve((0.5 - waist, top + 0.028), (0.5 + waist, top + 0.028)),
            curve((0.5 - waist, top + 0.003), (0.5 + waist, top + 0.003)),
        ):
            draft.canvas.stitches(line, draft.thread)
    else:
        draft.canvas.seam(jay, 0.2)
    for side in (-1, 1):
        if jeans:
            mouth = curve(
                (0.5 + side * waist * 0.52, top + 0.036),
                (0.5 + side * waist * 0.66, top + 0.08, 1),
                (0.5 + side * (waist + 0.012), top + 0.1),
            )
            draft.canvas.stitches(moved(mouth, 0, 0.008), draft.thread)
        else:
            mouth = curve((0.5 + side * waist * 0.62, top + 0.036), (0.5 + side * (waist + 0.008), top + 0.14))
        draft.canvas.seam(mouth, 0.5, 0.005)
        x = 0.5 + side * waist * 0.55
        loop = outline(
            (x - 0.007, top - 0.012), (x + 0.007, top - 0.012), (x + 0.007, top + 0.042), (x - 0.007, top + 0.042)
        )
        draft.canvas.panel(loop, draft.cloth, puff=0.004, lift=0.3)
    draft.canvas.button(
        0.512, top + 0.016, mix(rgb("camel"), rgb("grey"), 0.5) if jeans else contrast(draft.base, 0.5), 0.01
    )


def elastic(draft: Draft, top: float, waist: float, cord: bool) -> None:
    """An elastic waist band, with a cord or without."""
    band = mirrored(
        (0.5, top - 0.004, 1),
        (0.5 + waist + 0.004, top - 0.008),
        (0.5 + waist + 0.006, top + 0.036),
        (0.5, top + 0.042, 1),
    )
    draft.canvas.panel(band, draft.solid, puff=0.016, lift=0.25)
    corners = np.asarray(
        [(0.5 - waist, top), (0.5 + waist, top), (0.5 + waist, top + 0.034), (0.5 - waist, top + 0.034)]
    )
    trims.rib_band(draft, corners, 22, 0.25)
    if cord:
        for s in (-1, 1):
            draft.canvas.line(
                curve((0.5 + s * 0.012, top + 0.02), (0.5 + s * 0.03, top + 0.08, 1), (0.5 + s * 0.018, top + 0.13)),
                draft.accent,
                0.008,
                0.95,
            )


def _leg_folds(draft: Draft, side: int, crotch: float, hip: float, end: float, middle: float) -> list[Crease]:
    folds = [
        Crease(
            0.5 + side * 0.015,
            crotch + draft.jig(0.01),
            0.5 + side * hip * draft.pose.uniform(0.6, 0.95),
            crotch - 0.06 + 0.05 * i,
            0.012,
            0.007,
        )
        for i in range(3)
    ]
    for _ in range(4):
        y = draft.pose.uniform(crotch + 0.1, end - 0.04)
        folds.append(
            Crease(
                0.5 + side * (middle - 0.07),
                y,
                0.5 + side * (middle + 0.07),
                y + draft.jig(0.035),
                0.012,
                draft.pose.uniform(-1, 1) * 0.007,
            )
        )
    return folds


def pants(draft: Draft) -> None:
    """Two legs; the style decides their width and waist."""
    style = draft.spec.style
    width, hip, waist = {
        "jeans": (draft.pick(0.095, 0.11, 0.125), 0.185, 0.15), "tailored trousers": (0.11, 0.18, 0.148),
        "joggers": (0.085, 0.19, 0.15),
        "palazzo pants": (0.17, 0.2, 0.145), "leggings": (0.068, 0.155, 0.125),
    }[style]  # fmt: skip
    top, crotch = 0.06, 0.33 + draft.jig(0.004)
    end = (0.94 if draft.spec.length == "regular length" else 0.8) + draft.jig(0.006)
    inner = draft.pick(0.03, 0.04) + abs(draft.jig(0.008))
    leg = _leg(waist, top, crotch, hip, end, inner, width)
    middle = inner + width / 2
    back = mirrored((0.5, top - 0.004), (0.5 + waist, top - 0.008), (0.5 + waist, top + 0.03), (0.5, top + 0.03))
    draft.canvas.panel(back, draft.solid, shade=0.6, lift=0)
    pressed = style == "tailored trousers" or (style == "palazzo pants" and draft.chance(0.5))
    for k, piece in enumerate(sides(leg)):
        s = (1, -1)[k]
        folds = _leg_folds(draft, s, crotch, hip, end, middle)
        draft.canvas.panel(piece, draft.cloth, puff=0.05, creases=folds, lift=0.2, shade=(0.97, 1.0)[k])
        if pressed:
            draft.canvas.seam(curve((0.5 + s * waist * 0.6, top + 0.06), (0.5 + s * middle, end)), 0.3)
        if style == "jeans":
            hem = np.asarray([(0.5 + s * inner, end - 0.012), (0.5 + s * (inner + width), end - 0.018)])
            draft.canvas.stitches(hem, draft.thread)
            if draft.spec.colour in ("navy", "blue", "light blue"):
                fade = outline(
                    (0.5 + s * 0.09, crotch - 0.05),
                    (0.5 + s * 0.12, crotch + 0.12, 1),
                    (0.5 + s * 0.085, crotch + 0.28),
                    (0.5 + s * 0.06, crotch + 0.12, 1),
                )
                draft.canvas.panel(
                    fade,
                    draft.trim if draft.spec.second_colour == "white" else draft.solid,
                    opacity=0.14,
                    lift=0,
                    puff=0.001,
                )
        if style == "joggers":
            cuff = np.asarray(
                [
                    (0.5 + s * (inner - 0.002), end - 0.05),
                    (0.5 + s * (inner + width + 0.002), end - 0.05),
                    (0.5 + s * (inner + width - 0.012), end + 0.012),
                    (0.5 + s * (inner + 0.01), end + 0.012),
                ]
            )
            draft.canvas.panel(cuff, draft.solid, puff=0.018, lift=0.2)
            trims.rib_band(draft, cuff, 9)
    if style in ("joggers", "leggings"):
        elastic(draft, top, waist, cord=style == "joggers")
        draft.canvas.seam(curve((0.5, top + 0.04), (0.5, crotch)), 0.3)
    else:
        _fly(draft, top, crotch, waist, jeans=style == "jeans")


def shorts(draft: Draft) -> None:
    """As pants, cut above the knee and drawn larger."""
    style = draft.spec.style
    top, crotch, waist, hip = 0.2, 0.52, 0.225, 0.262
    end = {"mini": 0.62, "regular length": 0.72, "knee length": 0.86}[draft.spec.length] + draft.jig(0.006)
    inner, width = 0.035, draft.pick(0.235, 0.25, 0.265)
    leg = _leg(waist, top, crotch, hip, end, inner, width, 0.012)
    frayed = style == "denim shorts" and draft.chance(0.5)
    back = mirrored((0.5, top - 0.006), (0.5 + waist, top - 0.012), (0.5 + waist, top + 0.04), (0.5, top + 0.04))
    draft.canvas.panel(back, draft.solid, shade=0.6, lift=0)
    for k, piece in enumerate(sides(leg)):
        s = (1, -1)[k]
        folds = _leg_folds(draft, s, crotch, hip, max(end, crotch + 0.16), inner + width / 2)
        draft.canvas.panel(piece, draft.cloth, puff=0.05, creases=folds, lift=0.2)
        hem = np.asarray([(0.5 + s * inner, end - 0.012), (0.5 + s * (inner + width), end - 0.02)])
        if frayed:
            for _ in range(26):
                x = 0.5 + s * draft.pose.uniform(inner + 0.005, inner + width - 0.005)
                draft.canvas.line(
                    np.asarray([(x, end - 0.014), (x + draft.jig(0.006), end + 0.004)]), rgb("white"), 0.003, 0.6
                )
        else:
            draft.canvas.stitches(hem, draft.thread)
        if style == "sport shorts":
            edge = curve(
                (0.5 + s * (waist + 0.0), top + 0.05),
                (0.5 + s * (hip - 0.012), crotch - 0.08, 1),
                (0.5 + s * (inner + width - 0.014), end - 0.01),
            )
            for shift in (0.0, 0.022):
                draft.canvas.line(edge - (s * shift, 0), draft.accent, 0.01, 0.95)
    if style == "sport shorts":
        elastic(draft, top, waist, cord=True)
    else:
        _fly(draft, top, crotch, waist, jeans=style == "denim shorts")


def skirt(draft: Draft) -> None:
    """A band at the waist and a bell, tube, pleats or tiers below it."""
    style = draft.spec.style
    top, waist = 0.12, 0.15 + draft.pick(-0.008, 0.0, 0.008)
    hem = {"mini": 0.52, "midi": 0.74, "maxi": 0.93}[draft.spec.length] + draft.jig(0.008)
    grow = (hem - top) / 0.6
    half = {
        "pencil skirt": 0.175,
        "a-line skirt": 0.2 + 0.12 * grow,
        "pleated skirt": 0.22 + 0.11 * grow,
        "tiered skirt": 0.21 + 0.12 * grow,
    }[style]
    hip = (0.2, top + 0.16) if style == "pencil skirt" else (waist + (half - waist) * 0.45, top + (hem - top) * 0.38)
    body = mirrored(
        (0.5, top),
        (0.5 + waist, top),
        (0.5 + hip[0], hip[1], 1),
        (0.5 + half, hem),
        (0.5 + half * 0.5, hem + 0.02, 1),
        (0.5, hem + 0.026, 1),
    )
    back = mirrored((0.5, top - 0.006, 1), (0.5 + waist, top - 0.01), (0.5 + waist, top + 0.02), (0.5, top + 0.02))
    draft.canvas.panel(back, draft.solid, shade=0.6, lift=0)
    count, depth = {"pencil skirt": (3, 0.004), "pleated skirt": (13, 0.012), "tiered skirt": (9, 0.012)}.get(
        style, (6, 0.013)
    )
    folds = [
        Crease(0.5 + x * waist * 0.9, top + 0.03, 0.5 + x * half + draft.jig(0.006), hem + 0.03,
            0.02 if count < 10 else 0.011, depth * draft.pose.uniform(0.6, 1.1))
        for x in np.linspace(-0.88, 0.88, count)
    ]  # fmt: skip
    draft.canvas.panel(body, draft.cloth, puff=0.045, creases=folds)
    if style == "pleated skirt":
        draft.canvas.ribs(
            [curve((0.5 + x * waist, top + 0.03), (0.5 + x * half, hem + 0.02)) for x in np.linspace(-0.93, 0.93, 15)],
            0.3,
        )
    elif style == "tiered skirt":
        for t in (0.36, 0.68):
            y, w = top + (hem - top) * t, waist + (half - waist) * t
            draft.canvas.seam(curve((0.5 - w - 0.03, y), (0.5, y + 0.02, 1), (0.5 + w + 0.03, y)), 0.5, 0.007)
            draft.canvas.ribs(
                [curve((0.5 + x * w, y + 0.018), (0.5 + x * w * 1.03, y + 0.06)) for x in np.linspace(-0.9, 0.9, 22)],
                0.2,
            )
    elif style == "pencil skirt":
        draft.canvas.seam(curve((0.5, hem - 0.12), (0.5, hem + 0.02)), 0.5, 0.006)
    else:
        draft.canvas.stitches(
            curve((0.5 - half + 0.008, hem - 0.016), (0.5, hem + 0.01, 1), (0.5 + half - 0.008, hem - 0.016)),
            draft.thread,
        )
    band = mirrored(
        (0.5, top - 0.002, 1),
        (0.5 + waist + 0.003, top - 0.006),
        (0.5 + waist + 0.008, top + 0.04),
        (0.5, top + 0.046, 1),
    )
    draft.canvas.panel(band, draft.solid if draft.chance(0.5) else draft.cloth, puff=0.012, lift=0.35)
    if draft.spec.material == "denim" or (style == "a-line skirt" and draft.chance(0.4)):
        trims.placket(draft, 0.5, top + 0.0, hem + 0.02, 7 if hem > 0.6 else 5, width=0.036)
