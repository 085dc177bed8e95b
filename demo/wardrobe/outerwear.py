"""Jackets, coats, vests and capes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from demo.canvas import Crease
from demo.colours import Floats, contrast, mix, rgb
from demo.curves import Points, curve, mirrored, moved, outline
from demo.wardrobe import bodies, parts, trims
from demo.wardrobe.draft import Draft, sides

_BLACK: Floats = np.zeros(3, dtype=np.float32)


def _zip(draft: Draft, points: Points) -> None:
    steel = mix(rgb("grey"), rgb("white"), 0.45)
    draft.canvas.line(points, mix(draft.base, rgb("black"), 0.6), 0.016, 0.9)
    draft.canvas.line(points, steel, 0.009, 0.95)
    draft.canvas.stitches(points, mix(rgb("grey"), _BLACK, 0.5), 0.006, 0.008)


def _lapels(draft: Draft, torso: bodies.Torso, depth: float, width: float) -> None:
    """Notched lapels and the collar above them."""
    n, t = torso.neck, torso.top
    stand = np.vstack(
        [curve((0.5 - n, t), (0.5, t - 0.02, 1), (0.5 + n, t)), curve((0.5 + n, t), (0.5, t + 0.03, 1), (0.5 - n, t))]
    )
    draft.canvas.panel(stand, draft.cloth, shade=0.75, puff=0.01, lift=0)
    lapel = outline(
        (0.5 + n * 0.9, t + 0.01), (0.5 + n + width * 0.5, t + 0.075), (0.5 + n + width, t + 0.07),
        (0.5 + n * 0.5 + width * 0.45, t + depth * 0.72, 1), (0.5 + 0.004, t + depth),
    )  # fmt: skip
    collar = outline(
        (0.5 + n * 0.8, t - 0.016), (0.5 + n + 0.02, t + 0.008, 1), (0.5 + n + width * 0.95, t + 0.05),
        (0.5 + n + width * 0.45, t + 0.082), (0.5 + n * 0.7, t + 0.05, 1),
    )  # fmt: skip
    for k in (0, 1):
        draft.canvas.panel(sides(lapel)[k], draft.cloth, grain=(-14, 14)[k], puff=0.014, lift=0.45, wrinkle=0.3)
        draft.canvas.panel(sides(collar)[k], draft.cloth, grain=(-30, 30)[k], puff=0.012, lift=0.4, wrinkle=0.3)


def _open_front(draft: Draft, torso: bodies.Torso, depth: float) -> None:
    """A shirt-coloured or dark inside, seen between the lapels."""
    n, t = torso.neck, torso.top
    inside = mirrored((0.5, t + 0.004, 1), (0.5 + n, t), (0.5 + n * 0.6, t + depth * 0.5, 1), (0.5, t + depth + 0.01))
    draft.canvas.panel(inside, draft.solid, shade=0.5, puff=0.01, lift=0)


def jacket(draft: Draft) -> None:
    """The jacket that the design's style names."""
    {
        "blazer": _blazer, "bomber jacket": _bomber, "puffer jacket": _puffer, "biker jacket": _biker,
    }.get(draft.spec.style, _denim_jacket)(draft)  # fmt: skip


def _denim_jacket(draft: Draft) -> None:
    torso = replace(
        bodies.torso_of(draft), neck=0.078, drop=0.04, hem=(0.2, 0.66 if draft.spec.length != "cropped" else 0.58)
    )
    torso = replace(torso, waist=(0.2, 0.5))
    hx, hy = torso.hem
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth, band=0.05, cuff=0.095)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.05, creases=bodies.torso_creases(draft, torso))
    yoke = curve((0.5 - 0.2, 0.285), (0.5, 0.3, 1), (0.5 + 0.2, 0.285))
    draft.canvas.seam(yoke, 0.35)
    draft.canvas.stitches(moved(yoke, 0, 0.008), draft.thread)
    for side in (-1, 1):
        for x0, x1 in ((0.07, 0.05), (0.145, 0.105)):
            seam = curve((0.5 + side * x0, 0.3), (0.5 + side * x1, hy - 0.05))
            draft.canvas.seam(seam, 0.28)
            draft.canvas.stitches(moved(seam, 0.007, 0), draft.thread)
        trims.pocket(draft, draft.cloth, 0.5 + side * 0.107, 0.29, 0.085, 0.09, flap=True)
    band = mirrored((0.5, hy - 0.048), (0.5 + hx, hy - 0.055), (0.5 + hx, hy), (0.5, hy + 0.012))
    draft.canvas.panel(band, draft.cloth, puff=0.012, lift=0.3)
    trims.placket(draft, 0.5, torso.top + torso.drop, hy + 0.01, 6, colour=mix(rgb("camel"), rgb("grey"), 0.5))
    parts.shirt_collar(draft, torso, draft.cloth, 0.012)


def _bomber(draft: Draft) -> None:
    torso = replace(bodies.torso_of(draft), neck=0.08, drop=0.045, hem=(0.2, 0.7), waist=(0.222, 0.52))
    parts.inside_back(draft, torso)
    parts.sleeves(draft, torso, draft.cloth, band=0.05, ribbed=True, cuff=0.1, puff=0.07)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.07, creases=bodies.torso_creases(draft, torso, 0.01))
    parts.hem_band(draft, torso, 0.055)
    parts.neck_band(draft, torso, 0.034, ribbed=True)
    _zip(draft, curve((0.5, torso.top + torso.drop + 0.01), (0.5, 0.706)))
    for side in sides(curve((0.6, 0.53), (0.635, 0.63))):
        draft.canvas.seam(side, 0.5, 0.008)


def _puffer(draft: Draft) -> None:
    torso = replace(
        bodies.torso_of(draft), neck=0.085, drop=0.03, hem=(0.215, 0.74), waist=(0.232, 0.55), neckline="turtleneck"
    )
    _quilted_body(draft, torso, sleeved=True)


def _quilted_body(draft: Draft, torso: bodies.Torso, *, sleeved: bool) -> None:
    hx, hy = torso.hem
    if sleeved:
        parts.sleeves(draft, torso, draft.cloth, cuff=0.115, puff=0.08)
        for right in (True, False):
            for t in np.linspace(0.14, 0.9, 7):
                _quilt_sleeve(draft, torso, float(t), right)
    rows: list[float] = np.arange(torso.top + 0.1, hy - 0.03, 0.078).tolist()
    bulges = [Crease(0.5 - hx - 0.03, y + 0.039, 0.5 + hx + 0.03, y + 0.039, 0.028, 0.02) for y in rows]
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.07, creases=bulges, wrinkle=2.2)
    draft.canvas.ribs([curve((0.5 - 0.26, y), (0.5, y + 0.006, 1), (0.5 + 0.26, y)) for y in rows], 0.42, 0.006)
    n, t = torso.neck, torso.top
    collar = mirrored((0.5, t - 0.05, 1), (0.5 + n, t - 0.055), (0.5 + n * 1.2, t + 0.02), (0.5, t + 0.05, 1))
    draft.canvas.panel(collar, draft.cloth, puff=0.04, lift=0.3)
    inside = mirrored((0.5, t - 0.052, 1), (0.5 + n * 0.9, t - 0.056), (0.5, t - 0.028, 1))
    draft.canvas.panel(inside, draft.solid, shade=0.5, puff=0.01, lift=0)
    _zip(draft, curve((0.5, t - 0.03), (0.5, hy + 0.006)))
    for side in sides(curve((0.605, hy - 0.21), (0.625, hy - 0.1))):
        draft.canvas.seam(side, 0.5, 0.008)


def _quilt_sleeve(draft: Draft, torso: bodies.Torso, t: float, right: bool) -> None:
    angle = np.deg2rad(19)
    x, y = 0.5 + torso.shoulder[0] + np.sin(angle) * 0.6 * t, torso.shoulder[1] + np.cos(angle) * 0.6 * t
    rib = curve((x + 0.03, y - 0.002), (x - 0.05, y + 0.018, 1), (x - 0.13, y + 0.042))
    draft.canvas.ribs([sides(rib)[0 if right else 1]], 0.38, 0.006)


def _biker(draft: Draft) -> None:
    torso = replace(
        bodies.torso_of(draft), neck=0.08, drop=0.1, hem=(0.19, 0.66), waist=(0.188, 0.52), neckline="v-neck"
    )
    hy = torso.hem[1]
    _open_front(draft, torso, 0.13)
    parts.sleeves(draft, torso, draft.cloth, band=0.02, cuff=0.088, puff=0.06)
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.06, creases=bodies.torso_creases(draft, torso, 0.01))
    _lapels(draft, torso, 0.22, 0.085)
    _zip(draft, curve((0.512, torso.top + 0.22), (0.45, hy - 0.03)))
    for x0, y0, x1, y1 in ((0.585, 0.46, 0.655, 0.42), (0.345, 0.44, 0.41, 0.48), (0.58, 0.57, 0.65, 0.545)):
        _zip(draft, curve((x0, y0), (x1, y1)))
    band = mirrored((0.5, hy - 0.04), (0.5 + 0.189, hy - 0.046), (0.5 + 0.191, hy), (0.5, hy + 0.012))
    draft.canvas.panel(band, draft.cloth, puff=0.014, lift=0.35)
    buckle = outline((0.44, hy - 0.034), (0.485, hy - 0.034), (0.485, hy), (0.44, hy))
    draft.canvas.line(np.vstack([buckle, buckle[:1]]), mix(rgb("grey"), rgb("white"), 0.5), 0.008, 0.95)


def _blazer(draft: Draft) -> None:
    torso = replace(
        bodies.torso_of(draft), neck=0.075, drop=0.24, hem=(0.212, 0.8), waist=(0.186, 0.52), neckline="v-neck"
    )
    hy = torso.hem[1]
    _open_front(draft, torso, 0.31)
    parts.sleeves(draft, torso, draft.cloth, cuff=0.088, puff=0.05)
    _tailored_front(draft, torso, hy)
    _lapels(draft, torso, 0.33, 0.062)
    if draft.chance(0.35):
        for x in (0.455, 0.545):
            trims.buttons(draft, x, 0.5, 0.6, 2, radius=0.012)
    else:
        trims.buttons(draft, 0.5, 0.49, 0.57, 2, radius=0.012)
    for side in (-1, 1):
        x = 0.5 + side * 0.118
        flap = outline((x - 0.055, hy - 0.2), (x + 0.055, hy - 0.203), (x + 0.054, hy - 0.165), (x - 0.054, hy - 0.162))
        draft.canvas.panel(flap, draft.cloth, puff=0.008, lift=0.4)
    draft.canvas.seam(curve((0.575, 0.325), (0.635, 0.315)), 0.45, 0.006)


def _tailored_front(draft: Draft, torso: bodies.Torso, hy: float) -> None:
    """Two fronts, the left one over the right, with round lower corners."""
    (sx, sy), (ax, ay), (wx, wy), (hx, _) = torso.shoulder, torso.armpit, torso.waist, torso.hem
    front = outline(
        (0.5 + torso.neck, torso.top), (0.5 + sx, sy), (0.5 + ax - 0.012, (sy + ay) / 2, 1), (0.5 + ax, ay),
        (0.5 + wx, wy, 1), (0.5 + hx, hy), (0.5 + 0.1, hy + 0.012, 1), (0.5 + 0.03, hy - 0.01, 1),
        (0.5 - 0.014, hy - 0.12, 1),
        (0.5 - 0.016, torso.top + torso.drop + 0.08), (0.5 + 0.0, torso.top + torso.drop),
    )  # fmt: skip
    folds = bodies.torso_creases(draft, torso, 0.006)
    for piece in reversed(sides(front)):
        draft.canvas.panel(piece, draft.cloth, puff=0.045, creases=folds, lift=0.35)
    for dart in sides(curve((0.585, 0.4), (0.575, 0.5, 1), (0.585, hy - 0.2))):
        draft.canvas.seam(dart, 0.18)


def coat(draft: Draft) -> None:
    """A long coat: trench, wool or parka. Drawn smaller so that its length shows."""
    style = draft.spec.style
    hy = 0.93 if draft.spec.length == "midi" else 0.86
    torso = bodies.Torso(
        top=0.08, neck=0.065, drop=0.17 if style != "parka" else 0.04, shoulder=(0.16, 0.112), armpit=(0.158, 0.26),
        waist=(0.142, 0.42), hem=(0.185 + draft.jig(0.006), hy), neckline="v-neck" if style != "parka" else "crew neck",
    )  # fmt: skip
    if style == "parka":
        fur = mirrored((0.5, 0.015, 1), (0.5 + 0.07, 0.03, 1), (0.5 + 0.105, 0.1, 1), (0.5 + 0.09, 0.145), (0.5, 0.19))
        jag = fur + draft.pose.normal(0, 0.004, fur.shape)
        draft.canvas.panel(jag, trims.plain_cloth("camel", "wool"), puff=0.04)
        draft.canvas.panel(0.72 * fur + np.asarray([0.14, 0.036]), draft.solid, shade=0.5, puff=0.03, lift=0.4)
    else:
        _open_front(draft, torso, 0.24)
    parts.sleeves(
        draft, torso, draft.cloth, length=0.47, cuff=0.08, band=0.0 if style == "wool coat" else 0.035, puff=0.05
    )
    folds = bodies.torso_creases(draft, torso, 0.008)
    folds += [Crease(0.5 + x, 0.5, 0.5 + x * 1.6, hy, 0.022, 0.009) for x in (-0.1, -0.05, 0.06, 0.11)]
    draft.canvas.panel(torso.outline(), draft.cloth, puff=0.05, creases=folds)
    draft.canvas.seam(curve((0.515, torso.top + torso.drop), (0.515, hy + 0.01)), 0.5, 0.005)
    if style == "parka":
        _zip(draft, curve((0.5, torso.top + torso.drop + 0.03), (0.5, hy - 0.02)))
        for x in (0.4, 0.6):
            trims.pocket(draft, draft.cloth, x, 0.58, 0.1, 0.12, pointed=False, flap=True)
        draft.canvas.stitches(curve((0.35, 0.45), (0.65, 0.45)), draft.thread)
        return
    _lapels(draft, torso, 0.25, 0.06)
    double = style == "trench coat" or draft.chance(0.5)
    for x in (0.462, 0.538) if double else (0.512,):
        trims.buttons(draft, x, 0.36, 0.62, 4 if double else 3, radius=0.011)
    for side in sides(outline((0.585, 0.58), (0.61, 0.575), (0.64, 0.67), (0.615, 0.68))):
        draft.canvas.panel(side, draft.cloth, puff=0.006, lift=0.35)
    if style == "trench coat":
        belt = mirrored((0.5, 0.42), (0.5 + 0.148, 0.418), (0.5 + 0.15, 0.455), (0.5, 0.458))
        draft.canvas.panel(belt, draft.solid, puff=0.01, lift=0.45)
        ring = outline((0.475, 0.413), (0.53, 0.413), (0.53, 0.466), (0.475, 0.466))
        draft.canvas.line(np.vstack([ring, ring[:1]]), mix(draft.base, rgb("brown"), 0.7), 0.01, 0.95)
        tail = outline((0.53, 0.43), (0.6, 0.5), (0.585, 0.55), (0.55, 0.48))
        draft.canvas.panel(tail, draft.solid, puff=0.01, lift=0.45)


def vest(draft: Draft) -> None:
    """A sleeveless layer: a suit vest or a quilted one."""
    puffer = draft.spec.style == "puffer vest"
    torso = replace(bodies.torso_of(draft), neck=0.08, drop=0.26 if not puffer else 0.03,
        shoulder=(0.165, 0.145), armpit=(0.19, 0.36),
        waist=(0.18 if not puffer else 0.215, 0.52), hem=(0.2, 0.72), neckline="v-neck" if not puffer else "turtleneck",
    )  # fmt: skip
    if puffer:
        _quilted_body(draft, torso, sleeved=False)
        return
    (sx, sy), (ax, ay), (wx, wy), (hx, hy) = torso.shoulder, torso.armpit, torso.waist, torso.hem
    _open_front(draft, torso, 0.27)
    body = mirrored(
        *torso.neck_knots(), (0.5 + sx, sy), (0.5 + ax - 0.045, (sy + ay) / 2 + 0.03, 1), (0.5 + ax, ay),
        (0.5 + wx, wy, 1),
        (0.5 + hx, hy), (0.5 + 0.09, hy + 0.075), (0.5, hy - 0.01),
    )  # fmt: skip
    draft.canvas.panel(body, draft.cloth, puff=0.045, creases=bodies.torso_creases(draft, torso, 0.005))
    draft.canvas.seam(curve((0.5, torso.top + torso.drop), (0.5, hy)), 0.45)
    trims.buttons(
        draft, 0.508, torso.top + torso.drop + 0.03, hy - 0.03, 5, radius=0.0115, colour=contrast(draft.base, 0.45)
    )
    for line in (*sides(curve((0.575, hy - 0.11), (0.655, hy - 0.13))), curve((0.57, 0.42), (0.625, 0.405))):
        draft.canvas.seam(line, 0.45, 0.007)
    for edge in sides(
        curve(
            (0.5 + torso.neck + 0.012, torso.top + 0.01),
            (0.5 + torso.neck * 0.55 + 0.014, torso.top + torso.drop * 0.5, 1),
            (0.512, torso.top + torso.drop),
        )
    ):
        draft.canvas.line(edge, _BLACK, 0.003, 0.3)


def cape(draft: Draft) -> None:
    """A bell of cloth with arm slits."""
    t = 0.15
    spread, hy = 0.36 + draft.jig(0.01), 0.8 + draft.jig(0.01)
    bell = mirrored(
        (0.5, t + 0.03, 1), (0.5 + 0.08, t), (0.5 + 0.2, t + 0.1, 1), (0.5 + 0.3, t + 0.36, 1),
        (0.5 + spread, hy - 0.06),
        (0.5 + 0.18, hy + 0.03, 1), (0.5, hy + 0.05, 1),
    )  # fmt: skip
    folds = [
        Crease(0.5 + x * 0.35, t + 0.1, 0.5 + x, hy, 0.026, 0.016) for x in (-0.27, -0.17, -0.07, 0.06, 0.16, 0.26)
    ]
    torso = bodies.Torso(top=t, neck=0.08, drop=0.04)
    parts.inside_back(draft, torso)
    draft.canvas.panel(bell, draft.cloth, puff=0.06, creases=folds)
    for slit in sides(curve((0.635, 0.46), (0.665, 0.66))):
        draft.canvas.seam(slit, 0.55, 0.009)
    if draft.spec.neckline == "turtleneck":
        parts.turtleneck(draft, torso)
    else:
        parts.shirt_collar(draft, torso, draft.cloth, 0.02)
    draft.canvas.seam(curve((0.5, t + 0.05), (0.5, hy + 0.04)), 0.4, 0.005)
    trims.buttons(draft, 0.5, t + 0.1, 0.5, 4, radius=0.014)
