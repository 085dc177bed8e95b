"""Dress drawn people in garments and put them in a street: what a detector of worn clothes has to tell apart.

Bodies are drawn (skin, hair, limbs); garments are the same pieces as in every other scene, bent to the body, one over
the other: a top under an open jacket, a hand over a pocket, a strap over a shirt. Nobody's photo is used.
Proportions in heads, the artist's 7.5-head figure (A. Loomis, Figure Drawing for All It's Worth, 1943).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scenes

Pixels = np.ndarray[Any, Any]
Point = tuple[float, float]

HEADS = 7.5
SKIN = ((255, 224, 196), (241, 194, 155), (224, 172, 120), (198, 134, 90), (141, 85, 54), (92, 56, 38), (62, 40, 30))
HAIR = ((20, 16, 14), (45, 30, 22), (90, 58, 36), (150, 100, 55), (205, 165, 100), (150, 60, 30), (150, 150, 150))
SPANS = {
    # class: (top, bottom, widest) in heads, at the middle axis of the body
    "top": (1.30, 4.10, 3.0),
    "jacket": (1.25, 4.50, 3.3),
    "dress": (1.30, 6.00, 2.9),
    "pants": (3.65, 7.15, 2.3),
    "shorts": (3.65, 5.20, 2.2),
    "skirt": (3.65, 5.60, 2.5),
    "hat": (-0.30, 0.35, 1.5),
    "glasses": (0.38, 0.60, 0.85),
    "scarf": (1.00, 2.30, 1.7),
    "tie": (1.35, 3.10, 0.5),
    "belt": (3.62, 3.90, 1.7),
    "umbrella": (-1.60, 0.60, 4.0),
}
_ORDER = (
    "sock",
    "shoe",
    "pants",
    "shorts",
    "skirt",
    "dress",
    "top",
    "belt",
    "tie",
    "jacket",
    "scarf",
    "hat",
    "glasses",
)


@dataclass(frozen=True)
class Body:
    """A standing figure: where its head's crown is, the length of a head in pixels, a slant, and its colours."""

    x: float
    y: float
    head: float
    lean: float
    skin: Pixels
    hair: Pixels
    elbows: tuple[float, float]
    hands: tuple[float, float]
    stride: float

    def at(self, across: float, down: float) -> Point:
        """Return the pixel of a place on the body, in heads from the axis and from the crown."""
        return self.x + (across + self.lean * down) * self.head, self.y + down * self.head


def street(height: int, width: int, rng: np.random.Generator) -> Pixels:
    """Return a street (H, W, 3) uint8: houses with windows, a pavement, masts, cars and leaves, out of focus."""
    import cv2

    picture = np.empty((height, width, 3), np.float32)
    horizon = int(height * rng.uniform(0.35, 0.75))
    picture[:] = np.linspace(rng.uniform(150, 250, 3), rng.uniform(120, 240, 3), height)[:, None]
    x = 0
    while x < width:
        wide = int(rng.uniform(0.2, 0.7) * width)
        roof = int(rng.uniform(-0.1, 0.25) * height)
        wall = rng.uniform(60, 220) * rng.uniform(0.85, 1.15, 3)
        cv2.rectangle(picture, (x, roof), (x + wide, horizon), wall.tolist(), -1)
        pane = rng.uniform(20, 230) * rng.uniform(0.9, 1.1, 3)
        step_x, step_y = int(rng.uniform(0.08, 0.25) * width), int(rng.uniform(0.08, 0.2) * height)
        for left in range(x + step_x // 3, x + wide - step_x // 2, max(6, step_x)):
            for top in range(roof + step_y // 3, horizon - step_y // 2, max(6, step_y)):
                cv2.rectangle(picture, (left, top), (left + step_x // 2, top + int(step_y * 0.6)), pane.tolist(), -1)
        x += wide
    picture[horizon:] = rng.uniform(60, 190) * rng.uniform(0.92, 1.08, 3)
    for _ in range(int(rng.integers(0, 4))):  # joints of the pavement run to one point
        end = (int(rng.uniform(-0.5, 1.5) * width), height)
        cv2.line(picture, (width // 2, horizon), end, rng.uniform(40, 220, 3).tolist(), int(rng.integers(1, 4)))
    for _ in range(int(rng.integers(0, 5))):
        colour, place = (
            rng.uniform(10, 240, 3).tolist(),
            (int(rng.uniform(0, width)), int(rng.uniform(0.3, 0.8) * height)),
        )
        kind = rng.choice(["mast", "car", "leaves"])
        if kind == "mast":
            cv2.line(picture, (place[0], 0), (place[0], height), colour, int(rng.integers(2, 8)))
        elif kind == "car":
            size = (int(rng.uniform(0.2, 0.5) * width), int(rng.uniform(0.08, 0.16) * height))
            cv2.ellipse(picture, place, size, 0, 180, 360, colour, -1)
            cv2.rectangle(picture, (place[0] - size[0], place[1]), (place[0] + size[0], place[1] + size[1]), colour, -1)
        else:
            for _ in range(40):
                leaf = (place[0] + int(rng.normal(0, 0.1) * width), place[1] // 2 + int(rng.normal(0, 0.1) * height))
                cv2.circle(
                    picture,
                    leaf,
                    int(rng.integers(2, 9)),
                    (rng.uniform(0.5, 1.2) * np.array([60, 110, 50])).tolist(),
                    -1,
                )
    picture += (
        rng.normal(0, rng.uniform(2, 12), (height // 4 + 1, width // 4 + 1, 1))
        .repeat(4, 0)
        .repeat(4, 1)[:height, :width]
    )
    return np.clip(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.5, 4))), 0, 255).astype(np.uint8)


def _body(height: int, width: int, rng: np.random.Generator, size: float, x: float) -> Body:
    head = height * size / HEADS
    free = height - head * HEADS
    y = rng.uniform(0.1, 0.9) * free if free > 0 else rng.uniform(free, head * 0.3)
    tone = np.array(SKIN[int(rng.integers(len(SKIN)))], np.float32) * rng.uniform(0.88, 1.08)
    hair = np.array(HAIR[int(rng.integers(len(HAIR)))], np.float32) * rng.uniform(0.7, 1.2)
    return Body(
        width * x, y, head, float(rng.normal(0, 0.012)), tone, hair,
        (float(rng.uniform(1.1, 1.75)), float(rng.uniform(1.1, 1.75))),
        (float(rng.uniform(0.3, 1.5)), float(rng.uniform(0.3, 1.5))), float(rng.uniform(0.05, 0.5)),
    )  # fmt: skip


def _limb(board: scenes.Board, body: Body, places: Sequence[Point], thick: Sequence[float]) -> None:
    """Draw a limb of skin through places on the body; its pixels belong to no garment."""
    import cv2

    mask = np.zeros(board.owner.shape, np.uint8)
    points = [tuple(round(v) for v in body.at(*place)) for place in places]
    for (start, end), wide in zip(pairwise(points), thick, strict=False):
        cv2.line(mask, start, end, 255, max(1, round(wide * body.head)), cv2.LINE_AA)
    _paint(board, mask, body.skin)


def _paint(board: scenes.Board, mask: Pixels, colour: Pixels) -> None:
    import cv2

    alpha = mask.astype(np.float32)[:, :, None] / 255
    depth = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 3)[:, :, None]  # rounder: darker at the rim
    board.pixels = board.pixels * (1 - alpha) + np.clip(colour * (0.55 + 0.45 * depth), 0, 255) * alpha
    board.owner[mask > 100] = -1


def _head(board: scenes.Board, body: Body, rng: np.random.Generator) -> None:
    import cv2

    def oval(across: float, down: float, wide: float, tall: float) -> Pixels:
        mask = np.zeros(board.owner.shape, np.uint8)
        centre = tuple(round(v) for v in body.at(across, down))
        cv2.ellipse(
            mask,
            centre,
            (max(1, round(wide * body.head)), max(1, round(tall * body.head))),
            0,
            0,
            360,
            255,
            -1,
            cv2.LINE_AA,
        )
        return mask

    length = rng.choice([0.0, 0.3, 0.9])
    if length:
        _paint(board, oval(0, 0.5 + length / 2, 0.46, 0.55 + length / 2), body.hair)
    _limb(board, body, [(0, 0.7), (0, 1.5)], [0.42])
    _paint(board, oval(0, 0.42, 0.40, 0.50), body.hair)
    if rng.random() < 0.85:  # some look away
        turn = float(rng.normal(0, 0.06))
        _paint(board, oval(turn, 0.56, 0.34, 0.42), body.skin)
        for across, down, wide, tall in ((-0.14, 0.50, 0.05, 0.03), (0.14, 0.50, 0.05, 0.03), (0.0, 0.78, 0.10, 0.03)):
            _paint(board, oval(turn + across, down, wide, tall), body.skin * 0.35)


def bent(rgba: Pixels, rng: np.random.Generator) -> Pixels:
    """Return a garment as cloth on a body: pulled a little to and fro, with the light and dark of folds."""
    import cv2

    h, w = rgba.shape[:2]
    reach = rng.uniform(0.0, 0.05) * w
    drift = cv2.resize(rng.normal(0, 1, (5, 3)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC) * reach
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    cloth = cv2.remap(rgba, x + drift, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    folds = cv2.resize(rng.normal(0, 1, (7, 9)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    round_ = np.cos((x / max(1, w - 1) - 0.5) * np.pi * rng.uniform(0.3, 0.8))
    shade = (1 + rng.uniform(0.02, 0.12) * folds) * (0.75 + 0.25 * round_)
    cloth = cloth.copy()
    cloth[:, :, :3] = np.clip(cloth[:, :, :3] * shade[:, :, None], 0, 255).astype(np.uint8)
    return cloth


def _wear(board: scenes.Board, body: Body, name: str, rgba: Pixels, rng: np.random.Generator) -> None:
    top, bottom, widest = SPANS[name]
    if name in ("skirt", "dress", "shorts", "jacket", "scarf"):  # from mini to maxi, from crop to coat
        bottom += float(rng.uniform(-0.5, 1.1 if name in ("skirt", "dress", "jacket") else 0.4))
    tall = (bottom - top) * body.head * rng.uniform(0.92, 1.06)
    wide = min(tall * rgba.shape[1] / rgba.shape[0], widest * body.head * rng.uniform(0.85, 1.1))
    wide = max(wide, 0.55 * widest * body.head)
    squeeze = wide / (tall * rgba.shape[1] / rgba.shape[0])
    cloth = scenes.turned(bent(rgba, rng), float(rng.normal(0, 2)), max(6.0, tall), squeeze)
    centre = body.at(0, (top + bottom) / 2)
    if name == "jacket" and rng.random() < 0.55:  # open: two sides of one garment, what is below shows between
        half, gap = cloth.shape[1] // 2, rng.uniform(0.1, 0.45) * body.head
        left, right = cloth[:, :half], cloth[:, half:]
        board.put(left, name, (centre[0] - gap - left.shape[1] / 2, centre[1]), rng)
        board.put(right, name, (centre[0] + gap + right.shape[1] / 2, centre[1]), rng, same=True)
        return
    if name == "hat":
        centre = (centre[0], centre[1] + rng.uniform(0, 0.1) * body.head)
    board.put(cloth, name, centre, rng)


def _feet(board: scenes.Board, body: Body, name: str, rgba: Pixels, rng: np.random.Generator) -> None:
    """A pair is one garment: both feet carry a copy, the second mirrored."""
    down, tall = (7.22, rng.uniform(0.35, 0.75)) if name == "shoe" else (6.85, rng.uniform(0.4, 0.9))
    squeeze = min(1.0, 1.05 / (tall * rgba.shape[1] / rgba.shape[0]))
    piece = scenes.turned(bent(rgba, rng), float(rng.normal(0, 6)), max(5.0, tall * body.head), squeeze)
    for number, side in enumerate((-1, 1)):
        centre = body.at(side * (0.32 + body.stride / 2), down + side * rng.normal(0, 0.06))
        board.put(piece if number == 0 else np.ascontiguousarray(piece[:, ::-1]), name, centre, rng, same=number > 0)


def _carried(board: scenes.Board, body: Body, name: str, rgba: Pixels, rng: np.random.Generator) -> None:
    import cv2

    side = int(rng.choice([-1, 1]))
    if name == "bag":
        centre = body.at(side * rng.uniform(0.7, 1.5), rng.uniform(3.2, 4.8))
        tall = rng.uniform(0.9, 2.0) * body.head
        if rng.random() < 0.5:  # a strap from the other shoulder
            mask = np.zeros(board.owner.shape, np.uint8)
            start = tuple(round(v) for v in body.at(-side * 0.6, 1.5))
            cv2.line(mask, start, tuple(round(v) for v in centre), 255, max(1, round(0.08 * body.head)), cv2.LINE_AA)
            _paint(board, mask, np.array(rgba[rgba[:, :, 3] > 128][:, :3].mean(0)) * 0.7)
    else:  # watch and glove, at the wrist
        hand = body.hands[0 if side < 0 else 1]
        centre, tall = body.at(side * (0.95 + hand * 0.35), 4.05), (0.3 if name == "watch" else 0.75) * body.head
    board.put(scenes.turned(rgba, float(rng.normal(0, 10)), max(5.0, tall)), name, centre, rng)


def person(board: scenes.Board, body: Body, pieces: Sequence[tuple[str, Pixels]], rng: np.random.Generator) -> None:
    """Draw one person in these garments: (class, RGBA) each, in any order."""
    names = {name for name, _ in pieces}
    for side in (-1, 1):
        foot = side * (0.32 + body.stride / 2)
        _limb(board, body, [(side * 0.38, 3.9), (side * 0.36, 5.5), (foot, 7.2)], [0.62, 0.42])
    _limb(board, body, [(0, 1.6), (0, 3.9)], [1.35, 1.35])
    arms = [
        [(s * 0.85, 1.6), (s * e, 2.9), (s * (0.6 + h * 0.4), 4.1)]
        for s, e, h in zip((-1, 1), body.elbows, body.hands, strict=True)
    ]
    for arm in arms:
        _limb(board, body, arm, [0.36, 0.28])
    _head(board, body, rng)
    layers = [piece for piece in pieces if piece[0] in SPANS or piece[0] in ("shoe", "sock")]
    layers.sort(key=lambda piece: _ORDER.index(piece[0]) if piece[0] in _ORDER else len(_ORDER))
    if "top" in names and rng.random() < 0.35:  # tucked in: the top goes under the waist
        layers.sort(
            key=lambda piece: piece[0] in ("pants", "shorts", "skirt", "belt", "jacket", "hat", "glasses", "scarf")
        )
    for name, rgba in layers:
        (_feet if name in ("shoe", "sock") else _wear)(board, body, name, rgba, rng)
    for arm in arms:  # a forearm in front, half of the time
        if rng.random() < 0.5:
            _limb(board, body, arm[1:], [0.27])
    for name, rgba in pieces:
        if name in ("bag", "watch", "glove"):
            _carried(board, body, name, rgba, rng)


def worn(ground: Pixels, people: Sequence[Sequence[tuple[str, Pixels]]], rng: np.random.Generator) -> scenes.Scene:
    """One to three people on a ground; the first stands in front, and may be cut by the frame."""
    board = scenes.Board(ground)
    height, width = board.owner.shape
    places = [rng.uniform(0.3, 0.7)] + [float(x) for x in rng.permutation([0.12, 0.88, 0.5])]
    figures = []
    for number, pieces in enumerate(people):
        size = rng.uniform(0.75, 1.7) if number == 0 and rng.random() < 0.45 else rng.uniform(0.45, 0.98)
        figures.append((_body(height, width, rng, size if number == 0 else min(size, 0.6), places[number]), pieces))
    for body, pieces in reversed(figures):
        person(board, body, pieces, rng)
    return board.finish()
