"""Draw a dressed body: perspective, light, cloth carried from where it lies at rest; and which garment is where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anatomy
import numpy as np

Array = np.ndarray[Any, Any]

FINE = 2
"""Pixels drawn for one of the picture, each way."""


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
    """Pixels of the fine canvas for one metre at the body's axis."""
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


@dataclass(frozen=True)
class _Faces:
    """The quads of all layers that may be seen, F of them."""

    corners: Array
    """(F, 4, 2), in pixels of the fine canvas."""
    depth: Array
    light: Array
    owner: Array
    colour: Array
    rest: Array
    around: Array
    layer: Array
    """Number of the layer whose cloth covers it, or -1 where it has none."""


def draw(
    layers: Sequence[Layer], vertices: Array, view: View, shape: tuple[int, int], names: Sequence[str],
    rng: np.random.Generator,
) -> Figure:  # fmt: skip
    """Draw layers on a canvas of ``shape`` (h, w), farther quads first; each pixel takes its quad's cloth and light."""
    import cv2

    size = shape[0] * FINE, shape[1] * FINE
    faces = _faces(layers, vertices, view, size, rng)
    fixed = np.round(faces.corners * 8).astype(np.int32)
    canvas = np.full(size, -1, np.int32)
    for face in np.argsort(-faces.depth, kind="stable"):
        cv2.fillConvexPoly(canvas, fixed[face], int(face), lineType=8, shift=3)
    seen = canvas >= 0
    picture = np.zeros((*size, 3), np.float32)
    picture[seen] = _coloured(layers, faces, canvas)
    picture *= _shade(faces.light, canvas)[:, :, None]
    small = (shape[1], shape[0])
    soft = cv2.resize(seen.astype(np.float32), small, interpolation=cv2.INTER_AREA)
    pixels = cv2.resize(picture, small, interpolation=cv2.INTER_AREA) / np.maximum(soft, 1e-3)[:, :, None]
    owner = np.full(size, -1, np.int16)
    owner[seen] = faces.owner[canvas[seen]]
    areas = [_area(fixed[faces.owner == index], size) for index in range(len(names))]
    return Figure(np.clip(pixels, 0, 255), soft, owner[::FINE, ::FINE], list(names), areas)


def _faces(
    layers: Sequence[Layer], vertices: Array, view: View, size: tuple[int, int], rng: np.random.Generator
) -> _Faces:
    """Return the quads on a canvas of ``size`` (h, w), the far side of skin left out, in the light of one sun."""
    body = anatomy.mesh()
    towards = np.array([rng.normal(0, 0.6), -1.0, rng.uniform(0.1, 1.2)])
    towards /= np.linalg.norm(towards)
    ambient = rng.uniform(0.35, 0.75)
    c, s = np.cos(view.yaw), np.sin(view.yaw)
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    found = []
    for number, layer in enumerate(layers):
        if not len(layer.quads):
            continue
        places = vertices + anatomy.normals(vertices, layer.quads) * layer.off[:, None]
        used, inverse = np.unique(layer.quads, return_inverse=True)
        spots, depth = view.seen(places[used])
        quads = inverse.reshape(layer.quads.shape)
        corners = spots[quads]
        a, b = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
        front = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0  # the canvas counts downwards
        kept = (corners.max(1) > 0).all(1) & (corners.min(1) < size[::-1]).all(1)
        if layer.cloth is None or layer.owner < 0:
            kept &= front
        lit = anatomy.normals(places, layer.quads)[layer.quads].mean(1) @ turn @ towards
        lit = np.where(front, lit, -0.3)  # the inside of a hem or collar
        columns = (
            corners,
            depth[quads].mean(1) - layer.over + np.where(front, 0, layer.over + 0.01),
            ambient + (1 - ambient) * np.clip(lit, 0, 1) * 1.25,
            np.full(len(quads), layer.owner),
            np.broadcast_to(np.asarray(layer.colour, float), (len(quads), 3)),
            body.rest[layer.quads],
            body.around[layer.quads],
            np.full(len(quads), -1 if layer.cloth is None else number),
        )
        found.append([column[kept] for column in columns])
    return _Faces(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _coloured(layers: Sequence[Layer], faces: _Faces, canvas: Array) -> Array:
    """Return the colour (N, 3), before light, of the pixels of the ``canvas`` that show a face."""
    rows, columns = np.nonzero(canvas >= 0)
    face = canvas[rows, columns]
    found, layer = faces.colour[face], faces.layer[face]
    for number in np.unique(layer[layer >= 0]):
        mine = layer == number
        found[mine] = _covered(layers[number].cloth, face[mine], rows[mine], columns[mine], faces)
    return found


def _shade(light: Array, canvas: Array) -> Array:
    """Return the light (H, W) of the faces on a ``canvas``, smoothed from one to the next."""
    import cv2

    seen = canvas >= 0
    shade = np.zeros(canvas.shape, np.float32)
    shade[seen] = light[canvas[seen]]
    weight = cv2.GaussianBlur(seen.astype(np.float32), (0, 0), 1.6)
    smooth: Array = cv2.GaussianBlur(shade, (0, 0), 1.6) / np.maximum(weight, 1e-3)
    return smooth


def _area(fixed: Array, size: tuple[int, int]) -> int:
    """Return the pixels of the picture, one at least, that quads of a fine canvas take, hidden or not."""
    import cv2

    whole = np.zeros(size, np.uint8)
    for corners in fixed:
        cv2.fillConvexPoly(whole, corners, 1, lineType=8, shift=3)
    return max(1, int(whole.sum()) // FINE**2)


def _covered(cloth: Array | None, shown: Array, rows: Array, columns: Array, faces: _Faces) -> Array:
    """Return the colour (N, 3) of cloth at pixels that show N faces, carried from each one's place at rest."""
    assert cloth is not None
    used, inverse = np.unique(shown, return_inverse=True)
    spots = faces.corners[used]
    turn = faces.around[used]
    torn = np.ptp(turn, axis=1) > 0.5  # across the seam at the back
    turn = np.where(torn[:, None], turn[:, :1], turn)
    values = np.stack([turn, faces.rest[used, :, 2]], 2)
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
