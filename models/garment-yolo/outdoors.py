"""Grounds for people: things before things, and traffic; what has edges and colours and is no garment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Pixels = np.ndarray[Any, Any]


def clutter(height: int, width: int, strips: Sequence[Pixels], rng: np.random.Generator) -> Pixels:
    """Return a ground (H, W, 3) of things before things, large and small: edges and textures that are no garment.

    The dead leaves model of natural pictures (Lee, Mumford and Huang 2001): sizes by a power law, the nearer in front.
    """
    import cv2

    picture = np.full((height, width, 3), rng.uniform(60, 220), np.uint8)
    tint = rng.uniform(0.85, 1.1, 3)
    for _ in range(int(rng.integers(30, 160))):
        radius = min(0.7, 0.03 * (1 - rng.random()) ** -0.6) * max(height, width)
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        mask = np.zeros((height, width), np.uint8)
        if rng.random() < 0.35:
            axes = (max(1, int(radius * rng.uniform(0.2, 1))), max(1, int(radius)))
            cv2.ellipse(mask, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
        else:
            slim, turn = rng.uniform(0.15, 1), rng.choice([0.0, rng.uniform(0, np.pi)])
            corners = (
                np.array([[-slim, -1], [slim, -1], [slim, 1], [-slim, 1]]) * radius * rng.uniform(0.7, 1.3, (4, 2))
            )
            spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            cv2.fillPoly(mask, [np.round(corners @ spin + [x, y]).astype(np.int32)], 255, cv2.LINE_AA)
        if strips and rng.random() < 0.5:
            strip = strips[int(rng.integers(len(strips)))]
            fill = cv2.resize(strip, (width, height)).astype(np.float32) * rng.uniform(0.5, 1.3)
        else:
            grey = rng.uniform(20, 235)
            fill = np.full((height, width, 3), grey * tint * rng.uniform(0.85, 1.15, 3), np.float32)
            if rng.random() < 0.25:
                fill[:] = rng.uniform(0, 255, 3)
        light = np.linspace(*rng.uniform(0.7, 1.2, 2), height if rng.random() < 0.5 else width)
        fill *= light[:, None, None] if len(light) == height else light[None, :, None]
        share = mask[:, :, None].astype(np.float32) / 255
        picture = np.clip(picture * (1 - share) + fill * share, 0, 255).astype(np.uint8)
    return cv2.GaussianBlur(picture, (0, 0), float(rng.choice([0.4, 1.0, 2.5, 5.0]) * rng.uniform(0.7, 1.3)))


def traffic(ground: Pixels, rng: np.random.Generator) -> Pixels:
    """Return the ground with a bus, a van or a wall of signs: large, coloured, with panes and stripes, no garment."""
    import cv2

    picture = ground.copy()
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(1, 3))):
        wide, tall = int(rng.uniform(0.25, 1.1) * width), int(rng.uniform(0.15, 0.5) * height)
        left, top = int(rng.uniform(-0.3, 0.8) * width), int(rng.uniform(0.1, 0.6) * height)
        body, pane = rng.uniform(0, 255, 3).tolist(), rng.uniform(10, 120, 3).tolist()
        cv2.rectangle(picture, (left, top), (left + wide, top + tall), body, -1, cv2.LINE_AA)
        count = int(rng.integers(2, 7))
        for number in range(count):
            x = left + int((number + 0.15) * wide / count)
            end = (x + int(0.7 * wide / count), top + int(0.5 * tall))
            cv2.rectangle(picture, (x, top + int(0.12 * tall)), end, pane, -1)
        stripe = top + int(rng.uniform(0.6, 0.85) * tall)
        cv2.line(
            picture, (left, stripe), (left + wide, stripe), rng.uniform(0, 255, 3).tolist(), int(rng.integers(2, 9))
        )
        for share in (0.2, 0.8):
            cv2.circle(
                picture, (left + int(share * wide), top + tall), max(3, tall // 6), (25, 25, 28), -1, cv2.LINE_AA
            )
    return cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 2.5)))
