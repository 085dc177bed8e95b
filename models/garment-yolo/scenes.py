"""Compose garments over varied backdrops: one garment, a flat lay of several, or an outfit as it is worn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Pixels = np.ndarray[Any, Any]
Box = tuple[float, float, float, float]

SPOTS = {
    # class: (centre x, centre y, height) of an outfit, in shares of the canvas height measured from its middle axis
    "hat": (0.0, 0.09, 0.14),
    "glasses": (0.0, 0.13, 0.05),
    "scarf": (0.0, 0.24, 0.20),
    "tie": (0.0, 0.30, 0.22),
    "top": (0.0, 0.34, 0.34),
    "jacket": (0.0, 0.36, 0.40),
    "dress": (0.0, 0.47, 0.56),
    "belt": (0.0, 0.50, 0.06),
    "skirt": (0.0, 0.58, 0.26),
    "shorts": (0.0, 0.57, 0.22),
    "pants": (0.0, 0.67, 0.46),
    "sock": (0.04, 0.85, 0.12),
    "shoe": (0.0, 0.92, 0.12),
    "bag": (0.26, 0.58, 0.24),
    "glove": (-0.25, 0.50, 0.10),
    "watch": (-0.24, 0.47, 0.07),
    "umbrella": (-0.28, 0.40, 0.36),
}
_ORDER = ("pants", "shorts", "skirt", "dress", "sock", "shoe", "top", "belt", "tie", "jacket", "scarf")


@dataclass(frozen=True)
class Scene:
    """A composed picture (H, W, 3) uint8 and its garments: (class, xyxy box in pixels of what is visible)."""

    pixels: Pixels
    garments: list[tuple[str, Box]]


def backdrop(height: int, width: int, rng: np.random.Generator, photo: Pixels | None = None) -> Pixels:
    """Return a backdrop (H, W, 3) uint8: studio, gradient, cloth, boards, tiles, blotches, or a strip of a photo."""
    import cv2

    kind = rng.choice(["studio", "gradient", "cloth", "boards", "tiles", "blotches", "photo"])
    base = rng.uniform(30, 250, 3) * 0.5 + rng.uniform(60, 250) * 0.5
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    along = (x * np.cos(angle) + y * np.sin(angle)) / max(height, width)
    if kind == "photo" and photo is not None:
        picture = cv2.resize(photo, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    elif kind == "studio":
        picture = np.full((height, width, 3), rng.uniform(225, 255), np.float32)
    elif kind == "gradient":
        picture = base + along[:, :, None] * rng.uniform(-90, 90, 3)
    elif kind == "cloth":
        wave = np.sin(along * rng.uniform(60, 300)) * rng.uniform(2, 10)
        picture = base + (wave + _blotches(height, width, rng, 6) * rng.uniform(10, 40))[:, :, None]
    elif kind == "boards":
        across = (-x * np.sin(angle) + y * np.cos(angle)) / max(height, width)
        count = rng.uniform(3, 12)
        board = np.floor(across * count)
        tone = np.sin(board * 12.9898 + rng.uniform(0, 6)) * rng.uniform(4, 22)
        grain = _blotches(height, width, rng, 40) * 12
        edge = (np.abs(across * count - board - 0.5) > 0.47) * rng.uniform(10, 60)
        picture = base + (tone + grain - edge)[:, :, None]
    elif kind == "tiles":
        count = rng.uniform(3, 9)
        edge = ((along * count) % 1 < 0.05) | (
            ((-x * np.sin(angle) + y * np.cos(angle)) / max(height, width) * count) % 1 < 0.05
        )
        picture = base + (_blotches(height, width, rng, 5) * 15 - edge * rng.uniform(-50, 50))[:, :, None]
    else:
        picture = base + np.dstack(
            [_blotches(height, width, rng, int(rng.integers(3, 12))) for _ in range(3)]
        ) * rng.uniform(20, 70)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _blotches(height: int, width: int, rng: np.random.Generator, cells: int) -> Pixels:
    import cv2

    return cv2.resize(
        rng.normal(0, 1, (cells, cells)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )


def turned(rgba: Pixels, degrees: float, height: float, squeeze: float = 1.0) -> Pixels:
    """Return a piece scaled to ``height`` pixels (``squeeze`` narrows it), then rotated, cropped to what is visible."""
    import cv2

    scale = height / rgba.shape[0]
    size = (max(3, round(rgba.shape[1] * scale * squeeze)), max(3, round(height)))
    piece = cv2.resize(rgba, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    h, w = piece.shape[:2]
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), degrees, 1.0)
    cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
    full = (int(h * sin + w * cos) + 2, int(h * cos + w * sin) + 2)
    matrix[0, 2] += full[0] / 2 - w / 2
    matrix[1, 2] += full[1] / 2 - h / 2
    piece = cv2.warpAffine(piece, matrix, full, flags=cv2.INTER_LINEAR)
    seen = piece[:, :, 3] > 24
    rows, columns = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
    if not len(rows):
        return piece
    return piece[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


class Board:
    """A canvas that remembers which piece each pixel shows."""

    def __init__(self, ground: Pixels) -> None:
        self.pixels = ground.astype(np.float32)
        self.owner = np.full(ground.shape[:2], -1, np.int16)
        self.names: list[str] = []
        self.areas: list[int] = []

    def put(
        self, piece: Pixels, name: str, centre: tuple[float, float], rng: np.random.Generator, *, same: bool = False
    ) -> None:
        """Lay a piece with its centre at (x, y), with a soft shadow and its own light; ``same``: a part of the last."""
        import cv2

        height, width = self.owner.shape
        h, w = piece.shape[:2]
        x0, y0 = round(centre[0] - w / 2), round(centre[1] - h / 2)
        left, top, right, bottom = max(0, x0), max(0, y0), min(width, x0 + w), min(height, y0 + h)
        same = same and bool(self.names) and self.names[-1] == name
        if right - left < 3 or bottom - top < 3:
            if same:
                self.areas[-1] += max(1, int((piece[:, :, 3] > 100).sum()))
            return
        part = piece[top - y0 : bottom - y0, left - x0 : right - x0].astype(np.float32)
        alpha = part[:, :, 3] / 255
        if rng.random() < 0.6:
            spread = int(rng.integers(1, 5)) * 2 + 1
            shade = np.zeros((height, width), np.float32)
            dx, dy = int(rng.integers(-4, 5)), int(rng.integers(-1, 6))
            shade[top:bottom, left:right] = alpha
            shade = cv2.GaussianBlur(np.roll(shade, (dy, dx), (0, 1)), (spread, spread), 0)
            self.pixels *= 1 - rng.uniform(0.1, 0.4) * shade[:, :, None]
        colour = part[:, :, :3] * rng.uniform(0.8, 1.15) * rng.uniform(0.95, 1.05, 3)
        view = self.pixels[top:bottom, left:right]
        view[:] = view * (1 - alpha[:, :, None]) + np.clip(colour, 0, 255) * alpha[:, :, None]
        if not same:
            self.names.append(name)
            self.areas.append(0)
        self.owner[top:bottom, left:right][alpha > 0.4] = len(self.names) - 1
        self.areas[-1] += max(1, int((piece[:, :, 3] > 100).sum()))

    def finish(self, least: float = 0.3) -> Scene:
        """Return the scene; pieces of which less than ``least`` is still visible carry no box."""
        garments: list[tuple[str, Box]] = []
        for index, name in enumerate(self.names):
            mine = self.owner == index
            if mine.sum() < least * self.areas[index]:
                continue
            rows, columns = np.flatnonzero(mine.any(1)), np.flatnonzero(mine.any(0))
            box = (float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
            if min(box[2] - box[0], box[3] - box[1]) >= 6:
                garments.append((name, box))
        return Scene(np.clip(self.pixels, 0, 255).astype(np.uint8), garments)


def single(ground: Pixels, piece: tuple[str, Pixels], rng: np.random.Generator) -> Scene:
    """One garment, as a shop shows it: most of the picture, any small turn."""
    board = Board(ground)
    height, width = board.owner.shape
    name, rgba = piece
    shape = rgba.shape[0] / rgba.shape[1]
    tall = min(rng.uniform(0.45, 1.02) * height, rng.uniform(0.45, 1.02) * width * shape)
    centre = (width * rng.uniform(0.42, 0.58), height * rng.uniform(0.42, 0.58))
    board.put(turned(rgba, rng.normal(0, 12) + 90 * (rng.random() < 0.08), tall), name, centre, rng)
    return board.finish()


def flat_lay(ground: Pixels, pieces: Sequence[tuple[str, Pixels]], rng: np.random.Generator) -> Scene:
    """Several garments laid out in rough cells, overlapping a little."""
    board = Board(ground)
    height, width = board.owner.shape
    columns = 2 if len(pieces) > 1 else 1
    lines = (len(pieces) + columns - 1) // columns
    cells = [(c, r) for r in range(lines) for c in range(columns)]
    rng.shuffle(cells)
    reach = rng.uniform(0.75, 1.25)
    for (name, rgba), (column, line) in zip(pieces, cells, strict=False):
        cell_w, cell_h = width / columns, height / lines
        shape = rgba.shape[0] / rgba.shape[1]
        small = 0.6 if name in ("glasses", "watch", "belt", "tie", "sock", "glove", "hat", "shoe") else 1.0
        tall = min(cell_h, cell_w * shape) * reach * small * rng.uniform(0.8, 1.1)
        centre = (
            (column + rng.uniform(0.38, 0.62)) * cell_w,
            (line + rng.uniform(0.38, 0.62)) * cell_h,
        )
        board.put(turned(rgba, rng.normal(0, 15), max(10.0, tall)), name, centre, rng)
    return board.finish()


def outfit(ground: Pixels, pieces: Sequence[tuple[str, Pixels]], rng: np.random.Generator) -> Scene:
    """Garments where a body would carry them: the top over the waist of the pants, shoes below, a bag at the side."""
    board = Board(ground)
    height, width = board.owner.shape
    zoom = rng.uniform(0.7, 1.15)
    axis, lift = width * rng.uniform(0.38, 0.62), height * rng.uniform(-0.06, 0.06)
    ordered = sorted(pieces, key=lambda piece: _ORDER.index(piece[0]) if piece[0] in _ORDER else len(_ORDER))
    if rng.random() < 0.25:
        ordered = ordered[::-1]
    for name, rgba in ordered:
        dx, cy, tall = SPOTS[name]
        side = -1 if rng.random() < 0.5 and dx else 1
        centre = (
            axis + side * dx * height * zoom + rng.normal(0, 0.015) * height,
            height / 2 + (cy - 0.5) * height * zoom + lift + rng.normal(0, 0.015) * height,
        )
        size = tall * height * zoom * rng.uniform(0.85, 1.2)
        size = min(size, 0.9 * width * rgba.shape[0] / rgba.shape[1])
        board.put(turned(rgba, rng.normal(0, 5), max(10.0, size), rng.uniform(0.85, 1.1)), name, centre, rng)
    return board.finish()


def photographed(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Pass a picture through a camera: light that falls off, colour cast, contrast, blur, noise."""
    import cv2

    picture = pixels.astype(np.float32) / 255
    height, width = picture.shape[:2]
    if rng.random() < 0.5:
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        angle = rng.uniform(0, 2 * np.pi)
        fall = (x / width - 0.5) * np.cos(angle) + (y / height - 0.5) * np.sin(angle)
        picture = picture * (1 + rng.uniform(-0.5, 0.5) * fall)[:, :, None]
    picture = np.clip(picture, 0, 1) ** rng.uniform(0.7, 1.4) * rng.uniform(0.93, 1.07, 3)
    if rng.random() < 0.3:
        picture = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 1.3)))
    if rng.random() < 0.4:
        picture = picture + rng.normal(0, rng.uniform(0.005, 0.035), picture.shape)
    return (np.clip(picture, 0, 1) * 255).astype(np.uint8)
