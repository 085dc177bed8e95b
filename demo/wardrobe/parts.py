"""Larger parts that many garments share: sleeves, collars and bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demo.canvas import Crease
from demo.curves import Points, curve, flip, mirrored, outline
from demo.fabrics import Cloth
from demo.wardrobe import trims
from demo.wardrobe.bodies import Torso
from demo.wardrobe.draft import Draft, sides

SLEEVES = {"short sleeve": 0.17, "three-quarter sleeve": 0.40, "long sleeve": 0.61}


@dataclass(frozen=True)
class Sleeve:
    """A sleeve on the right side: its outline, its cuff line and the turn of its cloth in degrees."""

    outline: Points
    cuff: Points
    band: Points
    turn: float


def sleeve_shape(torso: Torso, length: float, degrees: float, cuff: float, band: float = 0.0) -> Sleeve:
    """Cut a sleeve that hangs `degrees` outwards from the shoulder; `cuff` is its width at the end."""
    angle = np.deg2rad(degrees)
    way, across = np.asarray([np.sin(angle), np.cos(angle)]), np.asarray([-np.cos(angle), np.sin(angle)])
    s = np.asarray([0.5 + torso.shoulder[0], torso.shoulder[1]])
    a = np.asarray([0.5 + torso.armpit[0], torso.armpit[1]])
    end = s + way * length
    inner = end + across * cuff
    elbow_out = s + way * length * 0.5 + across * -0.006
    elbow_in = (a + inner) / 2 - across * 0.008
    shape = outline(
        (s[0] - 0.06, s[1] + 0.03), (s[0] - 0.013, s[1]), (s[0] + 0.002, s[1] + 0.012),
        (elbow_out[0], elbow_out[1], 1), (end[0], end[1]),
        (inner[0], inner[1]), (elbow_in[0], elbow_in[1], 1), (a[0], a[1] + 0.004), (a[0] - 0.06, a[1] - 0.02),
    )  # fmt: skip
    back = way * band
    cuff_band = np.asarray(
        [end - back - across * 0.003, end + way * 0.004, inner + way * 0.004, inner - back + across * 0.003]
    )
    return Sleeve(shape, np.asarray([end - back, inner - back]), cuff_band, -degrees)


def sleeves(
    draft: Draft, torso: Torso, cloth: Cloth, *, cuff: float = 0.0, band: float = 0.0, ribbed: bool = False,
    length: float | None = None, puff: float = 0.05,
) -> None:  # fmt: skip
    """Draw both sleeves, as long as the design says; nothing when it is sleeveless."""
    reach = length or SLEEVES.get(draft.spec.sleeve_length)
    if reach is None:
        return
    reach += draft.pick(-0.01, 0.0, 0.01)
    usual = {"short sleeve": (44, 0.150), "three-quarter sleeve": (26, 0.105)}.get(
        draft.spec.sleeve_length, (19, 0.085)
    )
    degrees = usual[0] + draft.jig(2.5)
    for right in (True, False):
        sleeve = sleeve_shape(torso, reach, degrees + draft.jig(3.0), cuff or usual[1], band)
        turned = (lambda p: p) if right else flip
        spine = turned(
            np.vstack([np.asarray([[0.5 + torso.shoulder[0], torso.shoulder[1]]]), sleeve.cuff.mean(axis=0)[None]])
        )
        folds = _sleeve_folds(draft, spine, reach)
        turn = sleeve.turn if right else -sleeve.turn
        draft.canvas.panel(
            turned(sleeve.outline), cloth, grain=turn, puff=puff, creases=folds, lift=0.2, shade=0.97 if right else 1.0
        )
        if band:
            draft.canvas.panel(turned(sleeve.band), draft.solid if ribbed else cloth, grain=turn, puff=0.02, lift=0.15)
            if ribbed:
                trims.rib_band(draft, turned(sleeve.band)[[0, 3, 2, 1]], 9)
            else:
                draft.canvas.seam(turned(sleeve.cuff))
        else:
            edge = turned(
                sleeve.cuff + (np.asarray([0.5 + torso.shoulder[0], torso.shoulder[1]]) - sleeve.cuff[0]) * 0.035
            )
            draft.canvas.stitches(edge, draft.thread)


def _sleeve_folds(draft: Draft, spine: Points, reach: float) -> list[Crease]:
    (x0, y0), (x1, y1) = spine
    folds = []
    for _ in range(5 if reach > 0.3 else 2):
        t = draft.pose.uniform(0.15, 0.9)
        cx, cy = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
        dx, dy = draft.pose.uniform(0.03, 0.06), draft.pose.uniform(0.0, 0.05)
        if x1 < x0:
            dx = -dx
        folds.append(
            Crease(
                cx + dx, cy - dy, cx - dx, cy + dy, draft.pose.uniform(0.01, 0.02), draft.pose.uniform(-1, 1) * 0.008
            )
        )
    return folds


def inside_back(draft: Draft, torso: Torso) -> None:
    """The inside of the back, seen through the neckline, with a label."""
    front = torso.neck_curve(0.02)
    draft.canvas.panel(np.vstack([front, torso.back_curve()]), draft.solid, shade=0.62, puff=0.015, lift=0)
    y = torso.top + 0.022
    if torso.drop > 0.045:
        label = np.asarray([(0.482, y), (0.518, y), (0.518, y + 0.02), (0.482, y + 0.02)])
        draft.canvas.panel(
            label, draft.trim if draft.spec.second_colour != draft.spec.colour else draft.solid, puff=0.003, lift=0.2
        )


def neck_band(draft: Draft, torso: Torso, width: float, ribbed: bool = False) -> None:
    """A band along the neckline."""
    inner, outer = torso.neck_curve(-0.002), torso.neck_curve(width)
    draft.canvas.panel(np.vstack([inner, outer[::-1]]), draft.solid, puff=0.012, lift=0.2, shade=0.97)
    if ribbed:
        step = max(len(inner) // 16, 1)
        lines = [np.vstack([inner[i], outer[i]]) for i in range(1, len(inner) - 1, step)]
        draft.canvas.ribs(lines, 0.25, 0.003)


def hem_band(draft: Draft, torso: Torso, height: float, ribs: int = 34) -> None:
    """A ribbed band at the hem."""
    hx, hy = torso.hem
    x = hx - 0.006
    band = mirrored(
        (0.5, hy - height + 0.01, 1), (0.5 + hx + 0.002, hy - height), (0.5 + x, hy + 0.004), (0.5, hy + 0.016, 1)
    )
    draft.canvas.panel(band, draft.solid, puff=0.02, lift=0.15)
    corners = np.asarray(
        [(0.5 - hx, hy - height), (0.5 + hx, hy - height), (0.5 + x, hy + 0.008), (0.5 - x, hy + 0.008)]
    )
    trims.rib_band(draft, corners, ribs)


def turtleneck(draft: Draft, torso: Torso) -> None:
    """A high rolled collar."""
    n, t = torso.neck, torso.top
    roll = mirrored(
        (0.5, t - 0.075, 1), (0.5 + n * 0.92, t - 0.068), (0.5 + n * 1.0, t - 0.02, 1), (0.5 + n * 1.1, t + 0.014),
        (0.5, t + 0.035, 1),
    )  # fmt: skip
    draft.canvas.panel(roll, draft.solid, puff=0.03, lift=0.35)
    top = mirrored((0.5, t - 0.079, 1), (0.5 + n * 0.9, t - 0.07), (0.5, t - 0.055, 1))
    draft.canvas.panel(top, draft.solid, shade=0.6, puff=0.01, lift=0)
    corners = np.asarray(
        [(0.5 - n * 0.9, t - 0.06), (0.5 + n * 0.9, t - 0.06), (0.5 + n * 1.05, t + 0.02), (0.5 - n * 1.05, t + 0.02)]
    )
    trims.rib_band(draft, corners, 16, 0.2)


def shirt_collar(draft: Draft, torso: Torso, cloth: Cloth, spread: float = 0.0) -> None:
    """Stand and two collar leaves."""
    n, t, d = torso.neck, torso.top, torso.drop
    stand = np.vstack(
        [curve((0.5 - n, t), (0.5, t - 0.022, 1), (0.5 + n, t)), curve((0.5 + n, t), (0.5, t + 0.02, 1), (0.5 - n, t))]
    )
    draft.canvas.panel(stand, cloth, shade=0.7, puff=0.008, lift=0)
    tip = 0.075 + spread + draft.jig(0.004)
    leaf = outline(
        (0.5 + n * 0.72, t - 0.018), (0.5 + n + 0.022, t + 0.012, 1), (0.5 + tip + 0.018, t + d + 0.065),
        (0.5 + 0.006, t + d + 0.002), (0.5 + n * 0.75, t + d * 0.35, 1),
    )  # fmt: skip
    for k, piece in enumerate(sides(leaf)):
        draft.canvas.panel(piece, cloth, grain=(-28, 28)[k], puff=0.012, lift=0.4, wrinkle=0.3)
        edge = np.vstack([piece[-12:], piece[:1]]) * 1.0
        draft.canvas.line(edge, np.zeros(3, dtype=np.float32), 0.002, 0.15)
