"""Dresses and jumpsuits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from demo.canvas import Crease
from demo.colours import mix, rgb
from demo.curves import Knot, curve, mirrored, outline
from demo.wardrobe import bodies, parts, trims
from demo.wardrobe.draft import Draft, sides

_HEMS = {"mini": 0.66, "midi": 0.82, "maxi": 0.95}


def _bodice(draft: Draft) -> bodies.Torso:
    """A body piece at dress scale."""
    spec = draft.spec
    neck, drop = {"v-neck": (0.066, 0.13), "scoop neck": (0.08, 0.11), "square neck": (0.085, 0.095)}.get(
        spec.neckline, (0.066, 0.045)
    )
    sleeveless = spec.sleeve_length == "sleeveless"
    return bodies.Torso(
        top=0.06, neck=neck, drop=drop, neckline=spec.neckline,
        shoulder=(0.12 if sleeveless else 0.155, 0.078 if sleeveless else 0.088),
        armpit=(0.142, 0.215 + draft.jig(0.004)),
        waist=(0.112 + draft.jig(0.003), 0.375), hem=(0.15, 0.5),
    )  # fmt: skip


def _skirt_folds(
    draft: Draft, top: float, bottom: float, half: float, count: int, depth: float = 0.013
) -> list[Crease]:
    places = np.linspace(-0.86, 0.86, count)
    return [
        Crease(
            0.5 + x * half * 0.45, top + abs(draft.jig(0.03)), 0.5 + x * half + draft.jig(0.008), bottom + 0.03,
            0.016 + abs(draft.jig(0.006)), depth * draft.pose.uniform(0.5, 1.1),
        )
        for x in places
    ]  # fmt: skip


def dress(draft: Draft) -> None:
    """Bodice and skirt in one; the style decides the skirt's spread."""
    spec = draft.spec
    slip = spec.style == "slip dress"
    torso = _bodice(draft)
    if slip:
        torso = replace(
            torso, top=0.13, neck=0.092, drop=0.085 if spec.neckline == "v-neck" else 0.05, shoulder=(0.098, 0.132)
        )
    hem = _HEMS[spec.length] + draft.jig(0.008)
    spread = {
        "sheath dress": 0.125,
        "slip dress": 0.15,
        "shirt dress": 0.185,
        "a-line dress": 0.22,
        "fit and flare dress": 0.29,
    }
    half = spread[spec.style] * (0.75 + 0.3 * (hem - 0.4) / 0.5) + draft.pick(-0.01, 0.0, 0.01)
    (sx, sy), (ax, ay), (wx, wy) = torso.shoulder, torso.armpit, torso.waist
    if not slip:
        parts.inside_back(draft, torso)
    else:
        _straps(draft, torso)
    parts.sleeves(
        draft,
        torso,
        draft.cloth,
        length={"short sleeve": 0.12, "long sleeve": 0.43}.get(spec.sleeve_length),
        cuff=0.09 if spec.sleeve_length == "short sleeve" else 0.065,
        puff=0.04,
    )
    bell = spec.style == "fit and flare dress"
    side: list[Knot] = [(0.5 + sx, sy), (0.5 + ax - (0.018 if sx < 0.14 else 0.006), (sy + ay) / 2, 1), (0.5 + ax, ay)]
    hip = (0.5 + wx + (half - wx) * (0.55 if bell else 0.38), wy + (hem - wy) * (0.3 if bell else 0.35))
    if spec.style == "sheath dress":
        hip = (0.5 + 0.142, wy + 0.12)
    body = mirrored(
        *torso.neck_knots(), *side, (0.5 + wx, wy, 1) if not bell else (0.5 + wx, wy), (hip[0], hip[1], 1),
        (0.5 + half, hem),
        (0.5 + half * 0.5, hem + 0.014, 1), (0.5, hem + 0.018, 1),
    )  # fmt: skip
    folds = _skirt_folds(draft, wy + 0.02, hem, half, 9 if bell else 5, 0.015 if bell else 0.008)
    folds += [Crease(0.5 + s * ax * 0.9, ay + 0.02, 0.5 + s * 0.04, wy - 0.03, 0.014, 0.005) for s in (-1, 1)]
    draft.canvas.panel(body, draft.cloth, puff=0.05, creases=folds)
    draft.canvas.stitches(
        curve((0.5 - half + 0.006, hem - 0.014), (0.5, hem + 0.004, 1), (0.5 + half - 0.006, hem - 0.014)), draft.thread
    )
    _dress_details(draft, torso, wx, wy, hem)


def _dress_details(draft: Draft, torso: bodies.Torso, wx: float, wy: float, hem: float) -> None:
    style = draft.spec.style
    if style == "shirt dress":
        trims.placket(draft, 0.5, torso.top + torso.drop, hem + 0.01, 8, width=0.028)
        parts.shirt_collar(draft, torso, draft.cloth, -0.012)
    elif style != "slip dress":
        parts.neck_band(draft, torso, 0.012)
    if style in ("shirt dress", "fit and flare dress") or (style == "a-line dress" and draft.chance(0.5)):
        cloth = draft.trim if draft.chance(0.5) and draft.spec.pattern != "plain" else draft.solid
        belt = mirrored(
            (0.5, wy - 0.012), (0.5 + wx + 0.004, wy - 0.014), (0.5 + wx + 0.005, wy + 0.016), (0.5, wy + 0.018)
        )
        draft.canvas.panel(belt, cloth, puff=0.008, lift=0.35)
        if style == "shirt dress":
            for side in (-1, 1):
                loop = outline((0.5, wy), (0.5 + side * 0.05, wy - 0.022, 1), (0.5 + side * 0.055, wy + 0.014, 1))
                draft.canvas.panel(loop, cloth, puff=0.01, lift=0.35)
                tail = outline((0.5, wy), (0.5 + side * 0.03, wy + 0.1), (0.5 + side * 0.008, wy + 0.105))
                draft.canvas.panel(tail, cloth, puff=0.008, lift=0.3)
    elif style in ("sheath dress", "a-line dress"):
        for dart in sides(curve((0.562, wy - 0.07), (0.556, wy, 1), (0.562, wy + 0.09))):
            draft.canvas.seam(dart, 0.2)


def _straps(draft: Draft, torso: bodies.Torso) -> None:
    y = torso.top
    back = mirrored((0.5, y + 0.05, 1), (0.5 + 0.09, y + 0.03), (0.5 + 0.1, y + 0.09), (0.5, y + 0.12))
    draft.canvas.panel(back, draft.solid, shade=0.62, puff=0.01, lift=0)
    for strap in sides(
        outline(
            (0.588, y + 0.01), (0.576, 0.05, 1), (0.566, 0.038), (0.574, 0.036), (0.584, 0.05, 1), (0.597, y + 0.01)
        )
    ):
        draft.canvas.panel(strap, draft.solid, puff=0.005, lift=0)


def jumpsuit(draft: Draft) -> None:
    """Bodice and trousers in one, with a waist band."""
    torso = _bodice(draft)
    (sx, sy), (ax, ay), (wx, wy) = torso.shoulder, torso.armpit, torso.waist
    end = 0.95 if draft.spec.length == "regular length" else 0.86
    wide = draft.pick(0.085, 0.1, 0.12)
    parts.inside_back(draft, torso)
    parts.sleeves(
        draft,
        torso,
        draft.cloth,
        length={"short sleeve": 0.12, "long sleeve": 0.43}.get(draft.spec.sleeve_length),
        cuff=0.09 if draft.spec.sleeve_length == "short sleeve" else 0.065,
        puff=0.04,
    )
    leg = outline(
        (0.495, wy), (0.5 + wx, wy), (0.5 + 0.148, wy + 0.12, 1), (0.5 + 0.03 + wide * 1.05, end),
        (0.5 + 0.03, end + 0.01),
        (0.508, wy + 0.2, 1), (0.495, wy + 0.18),
    )  # fmt: skip
    for k, piece in enumerate(sides(leg)):
        s = (1, -1)[k]
        folds = [
            Crease(0.5 + s * 0.02, wy + 0.17, 0.5 + s * 0.11, wy + 0.13 + 0.05 * i, 0.013, 0.008) for i in range(2)
        ] + [Crease(0.5 + s * 0.085, wy + 0.2, 0.5 + s * (0.03 + wide * 0.5), end, 0.016, 0.009)]  # fmt: skip
        draft.canvas.panel(piece, draft.cloth, puff=0.045, creases=folds, lift=0.2)
    top = mirrored(
        *torso.neck_knots(),
        (0.5 + sx, sy),
        (0.5 + ax - 0.01, (sy + ay) / 2, 1),
        (0.5 + ax, ay),
        (0.5 + wx, wy + 0.005),
        (0.5, wy + 0.01),
    )
    draft.canvas.panel(
        top,
        draft.cloth,
        puff=0.045,
        creases=[Crease(0.5 + s * ax * 0.9, ay + 0.02, 0.5 + s * 0.04, wy, 0.014, 0.006) for s in (-1, 1)],
    )
    belt = mirrored((0.5, wy - 0.012), (0.5 + wx + 0.004, wy - 0.014), (0.5 + wx + 0.006, wy + 0.018), (0.5, wy + 0.02))
    draft.canvas.panel(belt, draft.solid, puff=0.008, lift=0.4)
    for slash in sides(curve((0.565, wy + 0.03), (0.628, wy + 0.1))):
        draft.canvas.seam(slash, 0.4, 0.006)
    if draft.spec.neckline == "shirt collar":
        trims.placket(draft, 0.5, torso.top + torso.drop, wy - 0.01, 5, width=0.028)
        parts.shirt_collar(draft, torso, draft.cloth, -0.012)
    else:
        parts.neck_band(draft, torso, 0.012)
    buckle = mix(rgb("camel"), rgb("grey"), 0.4)
    if draft.chance(0.6):
        ring = outline((0.482, wy - 0.016), (0.518, wy - 0.016), (0.518, wy + 0.022), (0.482, wy + 0.022))
        draft.canvas.line(np.vstack([ring, ring[:1]]), buckle, 0.007, 0.95)
