"""Text finders through one interface: ``ppocr:PATH.onnx`` runs on onnxruntime."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from catalog.decode import Pixels
from curation.model_files import open_onnx, pinned_onnx

INSIDE: Final = 0.3
"""Least probability of a pixel of a line, as the authors of PP-OCR have it."""
FLOOR: Final = 0.6
"""Least mean probability of a line, likewise."""
UNCLIP: Final = 1.5
"""Lines come out shrunk; each side is widened by this times area over perimeter, likewise (DB, section 3.5)."""
LEAST: Final = 3
"""Pixels below which the shorter side of what was found is no line, likewise."""
WHOLE: Final = 32
"""The input's sides are multiples of this many pixels."""
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the channels of ImageNet, in the order blue, green, red in which PP-OCR takes them."""


@dataclass(frozen=True)
class Line:
    """One line of text, or one word of it that stands apart: a rectangle that may be turned."""

    x: float
    y: float
    """Its middle, in pixels."""
    length: float
    height: float
    """Longer and shorter side, in pixels."""
    tilt: float
    """Degrees from the horizontal by which the longer side falls to the right, -90 to 90."""
    score: float
    """Mean probability that its pixels are text."""


class TextFinder(Protocol):
    """What every text finder is."""

    name: str
    """Spec and sha256, as ledgers record it."""

    def lines(self, pixels: Pixels) -> list[Line]:
        """Return the lines of text in a (H, W, 3) uint8 sRGB picture, from top to bottom."""


def open(spec: str, sha256: str | None = None, *, threads: int = 1) -> TextFinder:  # noqa: A001 - a model room
    """Open ``ppocr:PATH.onnx``; raises CurationError for an unknown spec, a missing file or another sha256."""
    return PaddleText(*pinned_onnx("text finder", "ppocr", spec, sha256), threads=threads)


class PaddleText:
    """The text detector of PP-OCR: a map of how likely each pixel is text (DB, Liao et al., arXiv:1911.08947)."""

    def __init__(self, file: Path, name: str, *, threads: int = 1) -> None:
        self._session = open_onnx("text finder", file, threads)
        self._input = self._session.get_inputs()[0].name
        self.name = name

    def lines(self, pixels: Pixels) -> list[Line]:
        """Return the lines of text in a (H, W, 3) uint8 sRGB picture, from top to bottom."""
        import cv2

        height, width = pixels.shape[:2]
        given = np.zeros((1, 3, -(-height // WHOLE) * WHOLE, -(-width // WHOLE) * WHOLE), np.float32)
        values = (pixels[:, :, ::-1] / np.float32(255) - np.array(_MEAN, np.float32)) / np.array(_DEVIATION, np.float32)
        given[0, :, :height, :width] = values.transpose(2, 0, 1)
        likely = self._session.run(None, {self._input: given})[0][0, 0, :height, :width]
        _, parts = cv2.connectedComponents((likely > INSIDE).astype(np.uint8))
        rows, columns = np.nonzero(parts)
        order = np.argsort(parts[rows, columns], kind="stable")
        points = np.stack([columns, rows], axis=1)[order].astype(np.int32)
        starts = np.flatnonzero(np.diff(parts[rows, columns][order], prepend=0))
        found: list[Line] = []
        for part in np.split(points, starts[1:]) if len(starts) else ():
            score = float(likely[part[:, 1], part[:, 0]].mean())
            (x, y), (one, other), turn = cv2.minAreaRect(part)
            if score < FLOOR or min(one, other) + 1 < LEAST:
                continue
            long, short, tilt = (one + 1, other + 1, turn) if one >= other else (other + 1, one + 1, turn + 90)
            wider = UNCLIP * long * short / (long + short)  # on both sides together
            found.append(Line(x, y, long + wider, short + wider, (tilt + 90) % 180 - 90, score))
        return sorted(found, key=lambda line: (line.y, line.x))
