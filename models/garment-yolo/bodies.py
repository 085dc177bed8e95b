"""People of three dimensions in garments, on a ground: folds, perspective and poses that no flat drawing has.

``anatomy`` has the body, ``clothes`` what it wears, ``render`` draws it, ``outdoors`` is behind it. Nobody's photo is
used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anatomy
import clothes
import numpy as np
import outdoors
import scenes
import worn
from render import FINE, Figure, View, draw

Array = np.ndarray[Any, Any]


def person(shape: tuple[int, int], pieces: Sequence[tuple[str, Array]], size: float, x: float,
           rng: np.random.Generator) -> tuple[Figure, View, Array]:  # fmt: skip
    """Return one dressed person, ``size`` canvas heights tall, its axis at ``x`` of the width, and how it was drawn."""
    model = anatomy.model()
    shape_of = {label: float(np.clip(rng.normal(0.5, 0.2), 0.05, 0.95)) for label in model.phenotype_labels}
    shape_of["gender"] = float(rng.choice([rng.uniform(0, 0.2), rng.uniform(0.8, 1)]))
    shape_of["age"] = float(rng.uniform(0.55, 0.95))
    vertices = anatomy.vertices(shape_of, anatomy.pose(rng))
    tall = np.ptp(vertices[:, 2])
    yaw = rng.normal(0, 0.35) if rng.random() < 0.7 else rng.uniform(-np.pi, np.pi)
    height, width = shape[0] * FINE, shape[1] * FINE
    scale = size * height / tall
    free = height - size * height
    top = rng.uniform(0.1, 0.9) * free if free > 0 else rng.uniform(free * rng.uniform(0, 1), 0.04 * height)
    centre = (x * width, top + vertices[:, 2].max() * scale)
    view = View(float(yaw), float(rng.normal(0.03, 0.08)), float(rng.uniform(2.2, 7)), scale, centre)
    figure = draw(clothes.dress(pieces, rng), vertices, view, shape, [name for name, _ in pieces], rng)
    return figure, view, vertices


def bodies(ground: Array, people: Sequence[Sequence[tuple[str, Array]]], rng: np.random.Generator) -> scenes.Scene:
    """One to three people on a ground; the first stands in front, and may be cut by the frame."""
    board = scenes.Board(outdoors.traffic(ground, rng) if rng.random() < 0.4 else ground)
    shape = board.owner.shape
    places = [rng.uniform(0.3, 0.7)] + [float(x) for x in rng.permutation([0.12, 0.88, 0.5])]
    drawn = []
    for number, pieces in enumerate(people):
        size = rng.uniform(0.85, 2.0) if number == 0 and rng.random() < 0.35 else rng.uniform(0.5, 0.98)
        drawn.append((pieces, size if number == 0 else size * rng.uniform(0.5, 0.9), places[number]))
    for pieces, size, x in reversed(drawn):
        worn_here = [piece for piece in pieces if piece[0] not in ("bag", "glasses", "tie", "watch", "umbrella")]
        figure, view, vertices = person(shape, worn_here, size, x, rng)
        _stand(board, figure)
        for name, rgba in pieces:
            if name in ("bag", "glasses", "tie"):
                _hung(board, name, rgba, view, vertices, rng)
    return board.finish()


def _stand(board: scenes.Board, figure: Figure) -> None:
    """Put a figure before what is on the board."""
    alpha = figure.alpha[:, :, None]
    board.pixels = board.pixels * (1 - alpha) + figure.pixels * alpha
    start = len(board.names)
    board.owner[figure.alpha > 0.5] = -1
    mine = (figure.owner >= 0) & (figure.alpha > 0.3)
    board.owner[mine] = figure.owner[mine] + start
    board.names.extend(figure.names)
    board.areas.extend(figure.areas)


def _hung(board: scenes.Board, name: str, rgba: Array, view: View, vertices: Array, rng: np.random.Generator) -> None:
    """Put a flat thing where it is worn: a bag at a hand or hip, glasses and a tie on who faces the camera."""
    body = anatomy.mesh()
    if name == "bag":
        wrist = (body.arm > 1.0) & (body.rest[:, 0] * rng.choice([-1, 1]) > 0)
        place, wide, drop = vertices[wrist].mean(0), rng.uniform(0.2, 0.45), rng.uniform(0.05, 0.2)
    elif abs(view.yaw) > 0.5:
        return
    elif name == "glasses":
        eyes = np.unique(np.concatenate([body.quads["helper-l-eye"], body.quads["helper-r-eye"]]))
        place, wide, drop = vertices[eyes].mean(0), 0.145, 0.0
    else:
        chest = (np.abs(body.rest[:, 0]) < 0.02) & (np.abs(body.rest[:, 2] - 0.33) < 0.03) & (body.rest[:, 1] < 0)
        place, wide, drop = vertices[chest].mean(0), 0.09, 0.0
    spot, depth = view.seen(place[None] - [[0, 0, drop]])
    scale = view.scale * view.far / depth[0] / FINE
    tall = wide * scale * rgba.shape[0] / rgba.shape[1]
    if name == "tie":
        tall, squeeze = 0.42 * scale, wide * scale / (0.42 * scale * rgba.shape[1] / rgba.shape[0])
    else:
        squeeze = 1.0
    if tall >= 4:
        piece = scenes.turned(worn.bent(rgba, rng), float(rng.normal(0, 5)), float(tall), float(squeeze))
        board.put(piece, name, (float(spot[0, 0] / FINE), float(spot[0, 1] / FINE)), rng)
