"""Parts that many garments share: torso, sleeves, collars, bands, buttons and pockets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from demo.canvas import Crease
from demo.colours import Floats, contrast, rgb
from demo.curves import Knot, Points, curve, flip, mirrored, outline
from demo.fabrics import WEAVES, Cloth, plain
from demo.wardrobe.draft import Draft, sides

SLEEVES = {"short sleeve": 0.17, "three-quarter sleeve": 0.40, "long sleeve": 0.61}


@dataclass(frozen=True)
class Torso:
    """Right half of a body piece; x are distances from the axis, y are heights, in units."""

    top: float = 0.12
    neck: float = 0.085
    drop: float = 0.05
    shoulder: tuple[float, float] = (0.215, 0.16)
    armpit: tuple[float, float] = (0.208, 0.345)
    waist: tuple[float, float] = (0.198, 0.56)
    hem: tuple[float, float] = (0.208, 0.8)
    neckline: str = "crew neck"

    def neck_knots(self) -> list[Knot]:
        """Knots of the front neckline, from the axis to the neck point."""
        n, t, d = self.neck, self.top, self.drop
        shapes: dict[str, list[Knot]] = {
            "v-neck": [(0.5, t + d), (0.5 + n * 0.55, t + d * 0.5, 1), (0.5 + n, t)],
            "square neck": [(0.5, t + d), (0.5 + n * 0.9, t + d), (0.5 + n, t)],
            "boat neck": [(0.5, t + d, 1), (0.5 + n * 0.6, t + d * 0.8, 1), (0.5 + n, t)],
        }
        deep: list[Knot] = [
            (0.5, t + d, 1),
            (0.5 + n * 0.62, t + d * 0.74, 1),
            (0.5 + n * 0.95, t + d * 0.2, 1),
            (0.5 + n, t),
        ]
        return shapes.get(self.neckline, deep)

    def outline(self) -> Points:
        """Closed outline of the front."""
        (sx, sy), (ax, ay), (wx, wy), (hx, hy) = self.shoulder, self.armpit, self.waist, self.hem
        return mirrored(
            *self.neck_knots(),
            (0.5 + sx - 0.012, sy - 0.002),
            (0.5 + sx - 0.002, sy + 0.012),
            (0.5 + ax - 0.012, (sy + ay) / 2, 1),
            (0.5 + ax, ay),
            (0.5 + wx, wy, 1),
            (0.5 + hx, hy),
            (0.5, hy + 0.012, 1),
        )

    def neck_curve(self, grow: float = 0.0) -> Points:
        """The front neckline from left to right, moved down by `grow`."""
        right = self.neck_knots()
        left: list[Knot] = [
            (1 - k[0], k[1], 1) if len(k) == 3 else (1 - k[0], k[1]) for k in reversed(right) if k[0] > 0.5 + 1e-9
        ]
        wide = 1 + grow * 2.2
        line = curve(*left, *right)
        return np.column_stack([0.5 + (line[:, 0] - 0.5) * wide, line[:, 1] + grow])

    def back_curve(self) -> Points:
        """The back neckline, seen inside of the front one, from right to left."""
        n, t = self.neck, self.top
        return curve((0.5 + n, t), (0.5, t + 0.012, 1), (0.5 - n, t))


def torso_of(draft: Draft, **changes: object) -> Torso:
    """A body piece fitted to the design's fit and neckline, with the chance of this view."""
    spec = draft.spec
    torso = Torso(neckline=spec.neckline)
    width = {"slim fit": -0.018, "loose fit": 0.03}.get(spec.fit, 0.0) + draft.pick(-0.008, 0.0, 0.008)
    length = {"cropped": -0.19, "longline": 0.07}.get(spec.length, 0.0) + draft.pick(-0.02, 0.0, 0.02)
    shapes = {
        "v-neck": (0.078, 0.15),
        "scoop neck": (0.098, 0.13),
        "boat neck": (0.135, 0.035),
        "square neck": (0.105, 0.115),
        "turtleneck": (0.07, 0.02),
        "crew neck": (0.082, 0.055),
        "shirt collar": (0.072, 0.06),
        "polo collar": (0.072, 0.06),
        "hooded": (0.085, 0.08),
    }
    neck, drop = shapes.get(spec.neckline, (torso.neck, torso.drop))
    hem = min(torso.hem[1] + length, 0.93)
    torso = replace(
        torso,
        neck=neck,
        drop=drop + draft.jig(0.003),
        shoulder=(torso.shoulder[0] + width * 0.6, torso.shoulder[1] + draft.jig(0.004)),
        armpit=(torso.armpit[0] + width, torso.armpit[1] + draft.jig(0.006)),
        waist=(torso.waist[0] + width + draft.jig(0.004), torso.armpit[1] + (hem - torso.armpit[1]) * 0.5),
        hem=(torso.hem[0] + width + draft.jig(0.004), hem),
    )
    return replace(torso, **changes)  # type: ignore[arg-type]


def torso_creases(draft: Draft, torso: Torso, depth: float = 0.007) -> list[Crease]:
    """Folds from the armpits and the waist, new for each view."""
    (ax, ay), hy = torso.armpit, torso.hem[1]
    folds = []
    for side in (-1, 1):
        for _ in range(2):
            folds.append(
                Crease(
                    0.5 + side * ax * 0.96, ay + draft.jig(0.02), 0.5 + side * draft.pose.uniform(0.02, 0.09),
                    ay + draft.pose.uniform(0.06, 0.2), draft.pose.uniform(0.012, 0.022), depth * draft.pose.choice((-1, 1)),
                )
            )  # fmt: skip
    for _ in range(4):
        x = 0.5 + draft.pose.uniform(-0.8, 0.8) * ax
        folds.append(
            Crease(
                x, ay + draft.pose.uniform(0.05, 0.25), x + draft.jig(0.06), hy - draft.pose.uniform(0.0, 0.1),
                draft.pose.uniform(0.014, 0.03), depth * draft.pose.uniform(-1, 1),
            )
        )  # fmt: skip
    return folds


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
        (s[0] - 0.06, s[1] + 0.03), (s[0] - 0.013, s[1]), (s[0] + 0.002, s[1] + 0.012), (elbow_out[0], elbow_out[1], 1), (end[0], end[1]),
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
                rib_band(draft, turned(sleeve.band)[[0, 3, 2, 1]], 9)
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


def rib_band(draft: Draft, corners: Points, count: int, opacity: float = 0.28) -> None:
    """Grooves across a four-cornered band: from edge 0-1 to edge 3-2."""
    a, b, c, d = (corners[i] for i in (0, 1, 2, 3))
    t = np.linspace(0.05, 0.95, count)[:, None]
    starts, ends = a + (b - a) * t, d + (c - d) * t
    draft.canvas.ribs([np.vstack([s, e]) for s, e in zip(starts, ends, strict=True)], opacity)


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
    rib_band(draft, corners, ribs)


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
    rib_band(draft, corners, 16, 0.2)


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


def placket(
    draft: Draft, x: float, top: float, bottom: float, count: int, *, width: float = 0.034, colour: Floats | None = None
) -> None:
    """A button strip with `count` buttons."""
    left = curve((x - width / 2, top), (x - width / 2, bottom))
    draft.canvas.seam(left, 0.3)
    draft.canvas.seam(left + (width, 0), 0.3)
    buttons(draft, x, top + 0.02, bottom - 0.05, count, colour=colour)


def buttons(
    draft: Draft,
    x: float,
    top: float,
    bottom: float,
    count: int,
    *,
    radius: float = 0.0095,
    colour: Floats | None = None,
) -> None:
    """A column of buttons."""
    tone = contrast(draft.base, 0.55) if colour is None else colour
    for y in np.linspace(top, bottom, count):
        draft.canvas.button(x, float(y), tone, radius)


def pocket(
    draft: Draft,
    cloth: Cloth,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    pointed: bool = True,
    flap: bool = False,
) -> None:
    """A patch pocket whose top edge is centred at (x, y)."""
    w = width / 2
    shape = outline(
        (x - w, y),
        (x + w, y),
        (x + w, y + height * 0.82),
        (x, y + height * (1.0 if pointed else 0.82)),
        (x - w, y + height * 0.82),
    )
    draft.canvas.panel(shape, cloth, puff=0.008, lift=0.3, wrinkle=0.4)
    draft.canvas.stitches(
        np.vstack([shape[1:], shape[:1]]) * 0.94 + np.asarray([x, y + height / 2]) * 0.06, draft.thread
    )
    draft.canvas.seam(np.asarray([(x - w, y + 0.014), (x + w, y + 0.014)]), 0.25)
    if flap:
        lid = outline(
            (x - w - 0.004, y - 0.008), (x + w + 0.004, y - 0.008), (x + w, y + 0.03), (x, y + 0.044), (x - w, y + 0.03)
        )
        draft.canvas.panel(lid, cloth, puff=0.008, lift=0.4)
        draft.canvas.button(x, y + 0.028, contrast(draft.base, 0.5), 0.007)


def graphic(draft: Draft, x: float, y: float, size: float) -> None:
    """A print on the chest: a sun, a mountain, a star, a heart, stripes or a wave."""
    kind = int(draft.design.integers(5))
    tone = draft.trim
    flat = {"puff": 0.002, "lift": 0.0, "wrinkle": 0.6}
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    if kind == 0:
        r = np.where(np.arange(40) % 4 < 2, 1.0, 0.72) * size
        draft.canvas.panel(np.column_stack([x + r * np.cos(t), y + r * np.sin(t)]), tone, **flat)
    elif kind == 1:
        peak = outline(
            (x - size, y + size * 0.7),
            (x - size * 0.2, y - size * 0.7),
            (x + size * 0.15, y),
            (x + size * 0.45, y - size * 0.4),
            (x + size, y + size * 0.7),
        )
        draft.canvas.panel(peak, tone, **flat)
    elif kind == 2:
        k = np.arange(10)
        r = np.where(k % 2 == 0, 1.0, 0.42) * size
        draft.canvas.panel(
            np.column_stack([x + r * np.sin(k * np.pi / 5), y - r * np.cos(k * np.pi / 5)]), tone, **flat
        )
    elif kind == 3:
        hx, hy = 16 * np.sin(t) ** 3, 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
        draft.canvas.panel(np.column_stack([x + hx / 17 * size, y - hy / 17 * size]), tone, **flat)
    else:
        for i in range(3):
            top = y - size * 0.7 + i * size * 0.52
            bar = np.asarray(
                [(x - size, top), (x + size, top), (x + size, top + size * 0.26), (x - size, top + size * 0.26)]
            )
            draft.canvas.panel(bar, tone, **flat)


def plain_cloth(colour: str, material: str) -> Cloth:
    """One-colour cloth for trimmings that differ from the design's own."""
    return plain(rgb(colour), WEAVES[material])
