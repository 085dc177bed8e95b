"""Clothe a body: a garment is a part of a helper mesh, blown up, folded, and covered with cloth from a cut-out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anatomy
import numpy as np
import worn
from anatomy import BROW, CROTCH, SHOULDER, WAIST
from render import Layer

Array = np.ndarray[Any, Any]


def cloth_of(rgba: Array, name: str) -> Array:
    """Return the cloth (h, w, 3) in the middle of a cut-out; what is not garment takes its mean colour."""
    h, w = rgba.shape[:2]
    left, right = (0.05, 0.45) if name in ("pants", "shorts") else (0.24, 0.76)
    rows = slice(int(0.1 * h), max(int(0.95 * h), int(0.1 * h) + 2))
    part = rgba[rows, int(left * w) : max(int(right * w), int(left * w) + 2)]
    solid = part[:, :, 3] > 128
    mean = (part[solid] if solid.any() else rgba[rgba[:, :, 3] > 24])[:, :3].mean(0)
    return np.where(solid[:, :, None], part[:, :, :3], mean).astype(np.uint8)


def dress(pieces: Sequence[tuple[str, Array]], rng: np.random.Generator) -> list[Layer]:
    """Return the layers of a person in (class, RGBA) pieces: skin, hair and what the garments cover.

    Layers of a garment carry its place among ``pieces`` as their owner. Classes that no mesh can wear are left out.
    """
    wearer = _Wearer(rng)
    for owner, (name, rgba) in enumerate(pieces):
        wearer.put_on(name, rgba, owner)
    return wearer.layers + _bare(wearer.covered, "hat" in {name for name, _ in pieces}, rng)


class _Wearer:
    """One body, the layers on it so far, and the quads of its skin that they hide."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.body = anatomy.mesh()
        self.tights, self.skirt, self.skin = (
            self.body.quads[name] for name in ("helper-tights", "helper-skirt", "body")
        )
        self.layers: list[Layer] = []
        self.covered = np.zeros(len(self.skin), bool)
        self.hips = WAIST - 0.08 + rng.uniform(0.02, 0.16)
        self.tucked = rng.random() < 0.35

    def put_on(self, name: str, rgba: Array, owner: int) -> None:
        self.name, self.cloth, self.owner = name, cloth_of(rgba, name), owner
        self.loose, self.fold = float(self.rng.uniform(0.0, 1.0)), float(self.rng.uniform(0.004, 0.016))
        if name in ("top", "jacket"):
            self._upper()
        elif name in ("pants", "shorts"):
            self._legs()
        elif name in ("skirt", "dress"):
            self._hanging()
        elif name == "shoe":
            self._shoes()
        else:
            self._small()

    def _part(self, quads: Array, low: float, high: float, sleeve: float) -> Array:
        """Return which quads lie between two heights, on the arms as far as the sleeve."""
        z, arm = self.body.rest[quads, 2].mean(1), self.body.arm[quads].mean(1)
        return np.where(arm > 0, (arm <= sleeve) & (sleeve > 0), (z > low) & (z < high))

    def _below_neck(self, quads: Array, deep: float, wide: float) -> Array:
        middle = self.body.rest[quads].mean(1)
        front = np.where(middle[:, 1] < -0.01, deep, 0.04)
        return (middle[:, 0] / wide) ** 2 + (np.maximum(0, SHOULDER + 0.03 - middle[:, 2]) / front) ** 2 > 1

    def _lay(self, quads: Array, off: Array | float, over: float, fold: float) -> None:
        stand = np.zeros(len(self.body.rest)) + off + fold * np.abs(anatomy.folds(self.body.rest, self.rng))
        self.layers.append(Layer(quads, stand, self.cloth.reshape(-1, 3).mean(0), self.cloth, self.owner, over))

    def _more(self, quads: Array, over: float) -> None:
        """Lay another part of the same garment, folded as the one before."""
        first = self.layers[-1]
        self.layers.append(Layer(quads, first.off, first.colour, first.cloth, self.owner, over))

    def _upper(self) -> None:
        rng, rest, jacket = self.rng, self.body.rest, self.name == "jacket"
        hem = rng.uniform(-0.12, 0.05) if jacket else rng.uniform(-0.08, 0.12)
        if not jacket and rng.random() < 0.1:
            hem = rng.uniform(0.12, 0.22)  # cropped
        sleeve = float(rng.choice([0.0, 0.2, 0.35, 0.7, 1.02], p=[0.12, 0.18, 0.3, 0.1, 0.3]))
        if jacket:
            sleeve = float(rng.choice([0.0, 0.7, 1.02], p=[0.08, 0.12, 0.8]))
        kept = self._part(self.tights, hem, SHOULDER + 0.08, sleeve)
        high = rng.random() < (0.5 if jacket else 0.25)
        kept &= self._below_neck(self.tights, 0.01 if high else rng.uniform(0.04, 0.16), rng.uniform(0.06, 0.11))
        if jacket and rng.random() < 0.65:  # open: what is below shows between
            middle = rest[self.tights].mean(1)
            gap = rng.uniform(0.01, 0.07) * (1 + rng.uniform(0, 1) * (SHOULDER - middle[:, 2]))
            in_gap = (middle[:, 1] < 0) & (np.abs(middle[:, 0]) < gap)
            kept &= ~(in_gap & (self.body.arm[self.tights].mean(1) == 0))
        off = (0.022 if jacket else 0.006) + self.loose * (0.03 if jacket else 0.02)
        flare = np.clip((WAIST + 0.15 - rest[:, 2]) / 0.3, 0, 1) * self.loose * 0.02
        self._lay(self.tights[kept], off + flare, 0.05 if jacket else 0.0 if self.tucked else 0.03, self.fold)
        if jacket and rng.random() < 0.35:  # a coat: its lower half hangs as a skirt does
            z = rest[self.skirt, 2].mean(1)
            self._more(self.skirt[(z > rng.uniform(-0.6, -0.15)) & (z < hem + 0.08)], 0.05)
        if not jacket:
            self.covered |= self._part(self.skin, hem + 0.03, SHOULDER - 0.05, sleeve - 0.06)

    def _legs(self) -> None:
        rng, rest = self.rng, self.body.rest
        cuff = rng.uniform(-0.78, -0.62) if self.name == "pants" else rng.uniform(-0.42, -0.15)
        kept = self._part(self.tights, cuff, self.hips - 0.02, 0.0)
        wide = self.loose * np.clip((CROTCH - rest[:, 2]) / 0.6, 0, 1) * rng.choice([0.02, 0.05])
        self._lay(self.tights[kept], 0.006 + self.loose * 0.012 + wide, 0.015, self.fold)
        self.covered |= self._part(self.skin, cuff + 0.04, self.hips - 0.06, 0.0)

    def _hanging(self) -> None:
        rng, rest = self.rng, self.body.rest
        hem = rng.uniform(-0.66, -0.12)
        flare = np.clip((0.1 - rest[:, 2]) / 0.7, 0, 1) * rng.uniform(-0.06, 0.12)
        self._lay(self.skirt[rest[self.skirt, 2].mean(1) > hem], 0.008 + flare, 0.02, self.fold * 1.4)
        if self.name == "skirt":
            kept = self._part(self.tights, 0.03, self.hips - 0.02, 0.0)
        else:
            kept = self._part(self.tights, 0.0, SHOULDER + 0.08, float(rng.choice([0.0, 0.2, 0.35, 0.7, 1.02])))
            kept &= self._below_neck(self.tights, rng.uniform(0.02, 0.18), rng.uniform(0.07, 0.12))
        self._more(self.tights[kept], 0.015)

    def _shoes(self) -> None:
        rng, z = self.rng, self.body.rest[self.skin, 2].mean(1)
        high = rng.uniform(-0.80, -0.66)
        if rng.random() < 0.2:
            high = rng.uniform(-0.66, -0.45)  # boots
        self._lay(self.skin[z < high], 0.012, 0.03, 0.002)
        tone = np.array([235.0, 235, 235]) if rng.random() < 0.5 else rng.uniform(10, 90, 3)
        sole = np.full(len(self.body.rest), 0.016)
        self.layers.append(Layer(self.skin[z < -0.845], sole, tone, None, self.owner, 0.035))

    def _small(self) -> None:
        rng = self.rng
        x, y, z = self.body.rest[self.skin].mean(1).T
        if self.name == "sock":
            high = rng.uniform(-0.72, -0.45)
            self._lay(self.skin[(z > -0.84) & (z < high)], 0.005, 0.005, 0.002)
        elif self.name == "hat":
            tilt = rng.uniform(-0.3, 0.5)
            kept = z > BROW + rng.uniform(-0.005, 0.03) - tilt * np.maximum(0, y)
            self._lay(self.skin[kept], rng.uniform(0.012, 0.035), 0.06, 0.004)
            self.covered |= kept
        elif self.name == "scarf":
            kept = (z > 0.475) & (z < 0.56) & (np.abs(x) < 0.12)
            self._lay(self.skin[kept], rng.uniform(0.03, 0.055), 0.07, 0.012)
        elif self.name == "belt":
            kept = self._part(self.tights, self.hips - 0.07, self.hips - 0.025, 0.0)
            self._lay(self.tights[kept], 0.02 + 0.01 * self.loose, 0.04, 0.0)
        elif self.name == "glove":
            self._lay(self.skin[self.body.arm[self.skin].mean(1) > 1.0], 0.005, 0.02, 0.001)


def _bare(covered: Array, hatted: bool, rng: np.random.Generator) -> list[Layer]:
    """Return the layers that no garment hides: skin, eyes, hair."""
    body = anatomy.mesh()
    close = np.zeros(len(body.rest))
    seen = body.quads["body"][~covered]
    layers = [Layer(seen, close, _skin(seen, rng))]
    for side in ("l", "r"):
        eye = body.quads[f"helper-{side}-eye"]
        middle, centre = body.rest[eye].mean(1), body.rest[np.unique(eye)].mean(0)
        iris = np.linalg.norm((middle - centre)[:, [0, 2]], axis=1) < 0.007
        tone = np.where(iris[:, None], rng.uniform(15, 90, 3), np.array([225.0, 222, 218]))
        layers.append(Layer(eye, close, tone, None, -1, 0.002))
    if rng.random() < 0.9:
        layers.append(_hair(hatted, rng))
    return layers


def _skin(quads: Array, rng: np.random.Generator) -> Array:
    """Return the colour (F, 3) of skin: lips, brows and a beard told from the rest."""
    tone = np.array(worn.SKIN[int(rng.integers(len(worn.SKIN)))], float) * rng.uniform(0.85, 1.08)
    colours = np.repeat(tone[None], len(quads), 0)
    x, y, z = anatomy.mesh().rest[quads].mean(1).T
    face = y < -0.09
    lips = face & (np.abs(x) < 0.026) & (np.abs(z - 0.583) < 0.008) & (y < -0.125)
    brows = face & (np.abs(np.abs(x) - 0.03) < 0.02) & (np.abs(z - BROW) < 0.005)
    colours[lips] = tone * rng.uniform(0.5, 0.95) * [1.0, 0.72, 0.72]
    colours[brows] = tone * rng.uniform(0.2, 0.6)
    if rng.random() < 0.18:
        colours[face & (z < 0.60) & (z > 0.53) & ~lips] = tone * rng.uniform(0.15, 0.5)
    return colours


def _hair(hatted: bool, rng: np.random.Generator) -> Layer:
    body = anatomy.mesh()
    tone = np.array(worn.HAIR[int(rng.integers(len(worn.HAIR)))], float) * rng.uniform(0.7, 1.2)
    off = np.zeros(len(body.rest)) + rng.uniform(0.0, 0.012) + 0.006 * anatomy.folds(body.rest, rng)
    if rng.random() < 0.5:  # long: the helper hangs down to the shoulders and further
        quads = body.quads["helper-hair"]
        x, y, z = body.rest[quads].mean(1).T
        kept = (z > rng.uniform(0.16, 0.62)) & ~((y < -0.075) & (z < BROW + 0.02))
        if hatted:
            kept &= z < BROW + 0.02
    else:
        quads = body.quads["body"]
        x, y, z = body.rest[quads].mean(1).T
        line = BROW + 0.035 - np.clip(y + 0.10, 0, 0.10) * rng.uniform(0.5, 1.5)
        kept = (z > line) & (z > 0.58) & (np.abs(x) < 0.079)
        if hatted:
            kept &= z < BROW + 0.03
        off = off + rng.uniform(0.004, 0.03)
    streaks = 1 + 0.25 * np.sin(x * 900 + rng.uniform(0, 6)) * rng.uniform(0.3, 1)
    return Layer(quads[kept], off, tone[None] * streaks[kept, None], None, -1, 0.01)
