"""Draw a dressed body: perspective, light, cloth carried from where it lies at rest; and which garment is where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anatomy
import numpy as np

Array = np.ndarray[Any, Any]

FINE = 2
"""Array drawn for one of the picture, each way."""


@dataclass(frozen=True)
class Layer:
    """One thing that is drawn: quads, how far off the body in metres, and what covers it."""

    quads: Array
    off: Array
    colour: Array
    cloth: Array | None = None
    owner: int = -1
    over: float = 0.0
    """Metres by which it is drawn before what is as near."""


@dataclass
class Figure:
    """One person as drawn: pixels (H, W, 3), alpha (H, W), owner (H, W) of garments or -1, and their whole areas."""

    pixels: Array
    alpha: Array
    owner: Array
    names: list[str] = field(default_factory=list)
    areas: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    """Where the camera is: yaw and pitch in radians, distance in metres; and where the body stands on the canvas."""

    yaw: float
    pitch: float
    far: float
    scale: float
    """Array of the fine canvas for one metre at the body's axis."""
    centre: tuple[float, float]

    def seen(self, places: Array) -> tuple[Array, Array]:
        """Return pixels (N, 2) and depth (N) of places (N, 3)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned = places @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        c, s = np.cos(self.pitch), np.sin(self.pitch)
        turned = turned @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
        depth = turned[:, 1] + self.far
        zoom = self.scale * self.far / np.maximum(depth, 0.3)
        return np.stack([self.centre[0] + turned[:, 0] * zoom, self.centre[1] - turned[:, 2] * zoom], 1), depth


def draw(
    layers: Sequence[Layer], vertices: Array, view: View, shape: tuple[int, int], names: Sequence[str],
    rng: np.random.Generator,
) -> Figure:  # fmt: skip
    """Draw layers on a canvas of ``shape`` (h, w), farther quads first; each pixel takes its quad's cloth and light."""
    import cv2

    body = anatomy.mesh()
    height, width = shape[0] * FINE, shape[1] * FINE
    towards = np.array([rng.normal(0, 0.6), -1.0, rng.uniform(0.1, 1.2)])
    towards /= np.linalg.norm(towards)
    ambient = rng.uniform(0.35, 0.75)
    points, depths, light, owner, colour = [], [], [], [], []
    rests, rounds, covers = [], [], []
    for number, layer in enumerate(layers):
        if not len(layer.quads):
            continue
        normals = anatomy.normals(vertices, layer.quads)
        places = vertices + normals * layer.off[:, None]
        used, inverse = np.unique(layer.quads, return_inverse=True)
        spots, depth = view.seen(places[used])
        quads = inverse.reshape(layer.quads.shape)
        corners = spots[quads]
        a, b = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
        inside = (corners.max(1) > 0).all(1) & (corners.min(1) < [width, height]).all(1)
        front = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0  # the canvas counts downwards
        kept = inside & (front if layer.cloth is None or layer.owner < 0 else np.ones(len(front), bool))
        fresh = anatomy.normals(places, layer.quads)[layer.quads].mean(1)
        c, s = np.cos(view.yaw), np.sin(view.yaw)
        lit = fresh @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ towards
        lit = np.where(front, lit, -0.3)  # the inside of a hem or collar
        points.append(corners[kept])
        depths.append((depth[quads].mean(1) - layer.over)[kept] + np.where(front, 0, layer.over + 0.01)[kept])
        light.append((ambient + (1 - ambient) * np.clip(lit, 0, 1) * 1.25)[kept])
        owner.append(np.full(int(kept.sum()), layer.owner))
        tone = np.broadcast_to(np.asarray(layer.colour, float), (len(layer.quads), 3))
        colour.append(tone[kept])
        rests.append(body.rest[layer.quads][kept])
        rounds.append(body.around[layer.quads][kept])
        covers.append(np.full(int(kept.sum()), number if layer.cloth is not None else -1))
    corners = np.concatenate(points)
    order = np.argsort(-np.concatenate(depths), kind="stable")
    canvas = np.full((height, width), -1, np.int32)
    fixed = np.round(corners * 8).astype(np.int32)
    for face in order:
        cv2.fillConvexPoly(canvas, fixed[face], int(face), lineType=8, shift=3)
    owners = np.concatenate(owner)
    seen = canvas >= 0
    faces = canvas[seen]
    shade = np.zeros((height, width), np.float32)
    shade[seen] = np.concatenate(light)[faces]
    weight = cv2.GaussianBlur(seen.astype(np.float32), (0, 0), 1.6)
    shade = cv2.GaussianBlur(shade, (0, 0), 1.6) / np.maximum(weight, 1e-3)
    base = np.concatenate(colour)[faces]
    cover = np.concatenate(covers)
    rest, around = np.concatenate(rests), np.concatenate(rounds)
    rows, columns = np.nonzero(seen)
    for number in np.unique(cover[faces]):
        if number < 0:
            continue
        mine = cover[faces] == number
        base[mine] = _covered(layers[number].cloth, faces[mine], rows[mine], columns[mine], corners, rest, around)
    picture = np.zeros((height, width, 3), np.float32)
    picture[seen] = base
    picture *= shade[:, :, None]
    alpha = seen.astype(np.float32)
    small = (shape[1], shape[0])
    soft = cv2.resize(alpha, small, interpolation=cv2.INTER_AREA)
    pixels = cv2.resize(picture, small, interpolation=cv2.INTER_AREA) / np.maximum(soft, 1e-3)[:, :, None]
    fine = np.full((height, width), -1, np.int16)
    fine[seen] = owners[faces]
    areas = []
    for index in range(len(names)):
        whole = np.zeros((height, width), np.uint8)
        for face in np.flatnonzero(owners == index):
            cv2.fillConvexPoly(whole, fixed[face], 1, lineType=8, shift=3)
        areas.append(max(1, int(whole.sum()) // FINE**2))
    return Figure(np.clip(pixels, 0, 255), soft, fine[::FINE, ::FINE], list(names), areas)


def _covered(
    cloth: Array | None, faces: Array, rows: Array, columns: Array, corners: Array, rest: Array, around: Array
) -> Array:
    """Return the colour (N, 3) of cloth at pixels, carried from each quad's place on the body at rest."""
    assert cloth is not None
    used, inverse = np.unique(faces, return_inverse=True)
    spots = corners[used]
    turn = around[used]
    torn = np.ptp(turn, axis=1) > 0.5  # across the seam at the back
    turn = np.where(torn[:, None], turn[:, :1], turn)
    values = np.stack([turn, rest[used, :, 2]], 2)
    edges = np.stack([spots[:, 1] - spots[:, 0], spots[:, 3] - spots[:, 0]], 2)
    change = np.stack([values[:, 1] - values[:, 0], values[:, 3] - values[:, 0]], 2)
    determinant = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    flat = np.abs(determinant) < 0.05
    edges[flat] = np.eye(2)
    change[flat] = 0
    matrix = change @ np.linalg.inv(edges)
    here = np.stack([columns, rows], 1) - spots[inverse][:, 0]
    place = values[inverse][:, 0] + np.einsum("nij,nj->ni", matrix[inverse], here)
    place = np.clip(place, values.min(1)[inverse], values.max(1)[inverse])
    h, w = cloth.shape[:2]

    def folded(value: Array, count: int) -> Array:
        wave = np.abs((value + 1) % 2 - 1)  # 0 to 1 and back: cloth without a seam
        return np.minimum((wave * count).astype(int), count - 1)

    x = folded(place[:, 0] * 1.1 + 0.5, w)
    y = folded((anatomy.SHOULDER - place[:, 1]) / 0.62, h)
    return cloth[y, x].astype(np.float32)
