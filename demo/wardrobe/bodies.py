"""The body piece of tops, jackets and dresses, and its folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from demo.canvas import Crease
from demo.curves import Knot, Points, curve, mirrored
from demo.wardrobe.draft import Draft


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


def torso_of(draft: Draft) -> Torso:
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
    return replace(
        torso,
        neck=neck,
        drop=drop + draft.jig(0.003),
        shoulder=(torso.shoulder[0] + width * 0.6, torso.shoulder[1] + draft.jig(0.004)),
        armpit=(torso.armpit[0] + width, torso.armpit[1] + draft.jig(0.006)),
        waist=(torso.waist[0] + width + draft.jig(0.004), torso.armpit[1] + (hem - torso.armpit[1]) * 0.5),
        hem=(torso.hem[0] + width + draft.jig(0.004), hem),
    )


def torso_creases(draft: Draft, torso: Torso, depth: float = 0.007) -> list[Crease]:
    """Folds from the armpits and the waist, new for each view."""
    (ax, ay), hy = torso.armpit, torso.hem[1]
    folds = [
        Crease(
            0.5 + side * ax * 0.96, ay + draft.jig(0.02), 0.5 + side * draft.pose.uniform(0.02, 0.09),
            ay + draft.pose.uniform(0.06, 0.2), draft.pose.uniform(0.012, 0.022), depth * draft.pose.choice((-1, 1)),
        )
        for side in (-1, -1, 1, 1)
    ]  # fmt: skip
    for _ in range(4):
        x = 0.5 + draft.pose.uniform(-0.8, 0.8) * ax
        folds.append(
            Crease(
                x, ay + draft.pose.uniform(0.05, 0.25), x + draft.jig(0.06), hy - draft.pose.uniform(0.0, 0.1),
                draft.pose.uniform(0.014, 0.03), depth * draft.pose.uniform(-1, 1),
            )
        )  # fmt: skip
    return folds
