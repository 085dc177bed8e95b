"""Words laid over a picture: how many lines of text stand on ground that no garment encloses, and what else is there.

A slogan is enclosed by the outline of its garment. What was typed over a photo stands on the ground of the photo, on a
veil or a panel, from where smooth ground leads to the edge of the picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels
from curation.text import Line

Mask = npt.NDArray[np.bool_]

_LEVEL: Final = 4.0
"""Most degrees by which typed lines are off the horizontal."""
_TALL: Final = 0.25
"""Most share of the height that one line of text has: a higher one is a garment taken for a letter."""
_HALO: Final = 0.25
"""Share of its height by which a line is widened on each side until no edge of its letters is left."""
_STEP: Final = 9
"""Levels within three pixels from which there is an edge that parts a garment from its ground."""
_PLAIN: Final = 12
"""The same for the edges of a photo; a gradient and a blurred picture have none."""
_OPEN: Final = 0.8
"""Least share of the ground around a line from which the edge of the picture is reached."""


@dataclass(frozen=True)
class Lettering:
    """What is written on a picture."""

    lines: int
    """Level lines of text."""
    open: int
    """Those that no garment encloses."""
    share: float
    """Share of the picture that these take."""
    aside: float
    """How far their middle is left or right of the middle of the picture, as a share of its width."""
    edges: float
    """Share of the pixels off the lines where an edge is; a photo has some, words on a ground have none."""


def lettering(pixels: Pixels, lines: Sequence[Line]) -> Lettering:
    """Read (H, W, 3) pixels of some 256 to 320 on the longer side and the ``lines`` that were found in them."""
    import cv2

    height, width = pixels.shape[:2]
    level = [line for line in lines if abs(line.tilt) <= _LEVEL and line.height <= min(line.length, _TALL * height)]
    if not level:
        return Lettering(0, 0, 0.0, 0.0, 1.0)
    corners = [
        cv2.boxPoints(((line.x, line.y), (line.length + pad, line.height + pad), line.tilt)).astype(np.int32)
        for line in level
        for pad in [2 * _HALO * line.height]
    ]
    steps = _steps(pixels)
    off = cv2.fillPoly(np.ones((height, width), np.uint8), corners, 0) > 0
    reached = _reached((steps > _STEP) & off)
    free = [line for line, box in zip(level, corners, strict=True) if _around(reached, box) >= _OPEN]
    areas = np.array([line.length * line.height for line in free])
    aside = 0.0
    if free:
        aside = abs(float(areas @ np.array([line.x for line in free]) / areas.sum() / width) - 0.5)
    edges = float((steps[off] > _PLAIN).mean()) if off.any() else 1.0
    return Lettering(len(level), len(free), float(areas.sum()) / (height * width), aside, edges)


def reduced(pixels: Pixels, side: int) -> Pixels:
    """Return (H, W, 3) pixels with at most ``side`` on the longer side."""
    import cv2

    height, width = pixels.shape[:2]
    if max(height, width) <= side:
        return pixels
    share = side / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    found: Pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return found


def _steps(pixels: Pixels) -> npt.NDArray[np.uint8]:
    """Return the largest difference of a channel within three pixels each way, noise and JPEG smoothed away."""
    import cv2

    smooth, square = cv2.blur(pixels, (3, 3)), np.ones((3, 3), np.uint8)
    found: npt.NDArray[np.uint8] = cv2.subtract(cv2.dilate(smooth, square), cv2.erode(smooth, square)).max(axis=2)
    return found


def _reached(wall: Mask) -> Mask:
    """Return the pixels to which ground without a ``wall``, gaps of some pixels in it closed, leads from the edge."""
    import cv2

    closed = cv2.morphologyEx(wall.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    _, parts = cv2.connectedComponents(1 - closed, connectivity=4)
    rim = np.zeros(int(parts.max()) + 1, np.bool_)
    for side in (parts[0], parts[-1], parts[:, 0], parts[:, -1]):
        rim[side] = True
    rim[0] = False
    found: Mask = rim[parts]
    return found


def _around(reached: Mask, box: npt.NDArray[Any]) -> float:
    """Return the share of the two pixels around a ``box`` of corners that is ``reached``."""
    import cv2

    x, y, wide, high = cv2.boundingRect(box)
    left, top = max(0, x - 3), max(0, y - 3)
    part = reached[top : y + high + 3, left : x + wide + 3]
    inside = cv2.fillPoly(np.zeros(part.shape, np.uint8), [box - (left, top)], 1)
    ring = cv2.dilate(inside, np.ones((5, 5), np.uint8)) > inside
    return float(part[ring].mean()) if ring.any() else 1.0
