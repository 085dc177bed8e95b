"""T-shirts, shirts, sweaters and cardigans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from demo.colours import contrast
from demo.curves import curve, mirrored, outline
from demo.wardrobe import bodies, parts, trims
from demo.wardrobe.draft import Draft, sides


def top(draft: Draft) -> None:
    """The jersey top that the design's style names."""
    if draft.spec.style in ("hoodie", "sweatshirt"):
        sweater(draft)
    else:
        _t_shirt(draft)


def _t_shirt(draft: Draft) -> None:
    torso = bodies.torso_of(draft)
    sleeveless = draft.spec.sleeve_length == "sleeveless"
    if sleeveless:
        torso = replace(
            torso, shoulder=(torso.neck + 0.055, torso.top + 0.015), armpit=(torso.armpit[0] - 0.01, torso.armpit[1])
        )
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.05, creases=bodies.torso_creases(draft, torso))
    hx, hy = torso.hem
    draft.canvas.stitches(curve((0.5 - hx, hy - 0.02), (0.5, hy - 0.008, 1), (0.5 + hx, hy - 0.02)), draft.thread)
    if draft.spec.neckline == "polo collar":
        strip = outline(
            (0.482, torso.top + torso.drop - 0.01), (0.518, torso.top + torso.drop - 0.01), (0.518, 0.31), (0.482, 0.31)
        )
        draft.canvas.panel(strip, draft.cloth, puff=0.006, lift=0.2)
        trims.buttons(draft, 0.5, torso.top + torso.drop + 0.03, 0.285, 3, radius=0.008)
        parts.shirt_collar(draft, torso, draft.solid)
    else:
        parts.neck_band(draft, torso, 0.018, ribbed=draft.spec.neckline == "crew neck")
    if sleeveless:
        for edge in sides(
            curve(
                (0.5 + torso.shoulder[0] - 0.012, torso.shoulder[1] + 0.002),
                (0.5 + torso.armpit[0] - 0.026, (torso.shoulder[1] + torso.armpit[1]) / 2, 1),
                (0.5 + torso.armpit[0] - 0.012, torso.armpit[1] + 0.006),
            )
        ):
            draft.canvas.seam(edge, 0.25)
    if draft.spec.pattern == "graphic":
        trims.graphic(draft, 0.5, torso.top + 0.25, 0.085)


def shirt(draft: Draft) -> None:
    """Collar, button strip, cuffs, a chest pocket."""
    torso = bodies.torso_of(draft)
    hx, hy = torso.hem
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth, band=0.05 if draft.spec.sleeve_length == "long sleeve" else 0.022)
    (sx, sy), (ax, ay), (wx, wy) = torso.shoulder, torso.armpit, torso.waist
    body = mirrored(
        *torso.neck_knots(), (0.5 + sx, sy), (0.5 + ax - 0.012, (sy + ay) / 2, 1), (0.5 + ax, ay), (0.5 + wx, wy, 1),
        (0.5 + hx, hy - 0.05), (0.5 + hx * 0.82, hy + 0.005, 1), (0.5 + hx * 0.45, hy + 0.028, 1), (0.5, hy + 0.03, 1),
    )  # fmt: skip
    draft.canvas.panel(body, draft.cloth, puff=0.05, creases=bodies.torso_creases(draft, torso))
    trims.placket(draft, 0.5, torso.top + torso.drop, hy + 0.02, 7)
    for yoke in sides(curve((0.5 + sx, sy + 0.02), (0.5 + torso.neck + 0.02, torso.top + 0.03))):
        draft.canvas.seam(yoke, 0.25)
    if draft.spec.material == "denim":
        for x in (0.405, 0.595):
            trims.pocket(draft, draft.cloth, x, ay - 0.03, 0.095, 0.11, flap=True)
    elif draft.chance(0.6):
        trims.pocket(draft, draft.cloth, 0.59, ay - 0.02, 0.085, 0.1)
    parts.shirt_collar(draft, torso, draft.cloth)
    draft.canvas.button(0.5, torso.top + torso.drop + 0.012, contrast(draft.base, 0.55), 0.009)


def sweater(draft: Draft) -> None:
    """Ribbed neck, cuffs and hem; a hoodie has its hood and a kangaroo pocket."""
    torso = bodies.torso_of(draft)
    hood = draft.spec.neckline == "hooded"
    if hood:
        _hood(draft, torso)
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth, band=0.055, ribbed=True, cuff=0.092, puff=0.06)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.07, creases=bodies.torso_creases(draft, torso, 0.009))
    parts.hem_band(draft, torso, 0.06)
    if draft.spec.neckline == "turtleneck":
        parts.turtleneck(draft, torso)
    elif not hood:
        parts.neck_band(draft, torso, 0.028, ribbed=True)
    else:
        parts.neck_band(draft, torso, 0.02)
        y = torso.hem[1] - 0.2
        pouch = mirrored((0.5, y), (0.58, y), (0.625, y + 0.11, 1), (0.628, y + 0.14), (0.5, y + 0.145))
        draft.canvas.panel(pouch, draft.cloth, puff=0.015, lift=0.35)
        for side in (-1, 1):
            x = 0.5 + side * 0.035
            draft.canvas.line(
                curve(
                    (x, torso.top + torso.drop),
                    (x + side * 0.012, torso.top + 0.16, 1),
                    (x + side * 0.002, torso.top + 0.25),
                ),
                draft.accent,
                0.008,
                0.95,
            )
    if draft.spec.pattern == "graphic":
        trims.graphic(draft, 0.5, torso.top + 0.22, 0.085)


def _hood(draft: Draft, torso: bodies.Torso) -> None:
    n, t = torso.neck, torso.top
    back = mirrored(
        (0.5, t - 0.085, 1),
        (0.5 + n * 0.95, t - 0.06, 1),
        (0.5 + n + 0.045, t + 0.02, 1),
        (0.5 + n + 0.03, t + 0.055),
        (0.5, t + 0.1),
    )
    draft.canvas.panel(back, draft.cloth, puff=0.05, lift=0.2)
    mouth = mirrored((0.5, t - 0.045, 1), (0.5 + n * 0.75, t - 0.02, 1), (0.5 + n * 0.95, t + 0.04, 1), (0.5, t + 0.12))
    draft.canvas.panel(mouth, draft.solid, shade=0.55, puff=0.03, lift=0.3)


def cardigan(draft: Draft) -> None:
    """Open knit front with buttons along a ribbed edge."""
    deep = draft.spec.neckline == "v-neck"
    torso = replace(bodies.torso_of(draft), drop=0.26 if deep else 0.07, neck=0.075)
    hx, hy = torso.hem
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth, band=0.055, ribbed=True, cuff=0.092, puff=0.06)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.07, creases=bodies.torso_creases(draft, torso, 0.009))
    parts.hem_band(draft, torso, 0.06)
    parts.neck_band(draft, torso, 0.03, ribbed=not deep)
    top = torso.top + torso.drop + 0.015
    strip = outline((0.478, top - 0.01), (0.522, top - 0.01), (0.522, hy + 0.014), (0.478, hy + 0.014))
    draft.canvas.panel(strip, draft.solid, puff=0.012, lift=0.35)
    draft.canvas.ribs([curve((x, top), (x, hy)) for x in np.linspace(0.486, 0.514, 4)], 0.16)
    trims.buttons(draft, 0.5, top + 0.02, hy - 0.02, 5 if deep else 7, radius=0.0125)
    if draft.chance(0.5):
        for x in (0.5 - hx * 0.55, 0.5 + hx * 0.55):
            trims.pocket(draft, draft.cloth, x, hy - 0.2, 0.11, 0.13, pointed=False)
