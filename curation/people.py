"""People finders through one interface: ``movenet:PATH.onnx`` runs on onnxruntime."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from catalog.decode import Pixels
from curation.boxes import Box
from curation.model_files import open_onnx, pinned_onnx

NOSE, LEFT_EYE, RIGHT_EYE, LEFT_EAR, RIGHT_EAR = range(5)
SHOULDERS, ELBOWS, WRISTS, HIPS, KNEES, ANKLES = ([at, at + 1] for at in range(5, 17, 2))
"""Places of the joints in the order of COCO's keypoints, left one first."""
HEAD: Final = [NOSE, LEFT_EYE, RIGHT_EYE, LEFT_EAR, RIGHT_EAR]

SIDE: Final = 256
"""Pixels of the square picture that MoveNet reads."""
LEAST_SCORE: Final = 0.2
"""Least score of a person."""
LEAST_HEAD: Final = 0.44
"""Least mean score of nose, eyes and ears: shirts laid flat have shoulders and sleeves, but no head.
Measured in models/movenet."""

SEEN: Final = 0.15
"""Least score of a joint that is read."""


@dataclass(frozen=True)
class Person:
    """Someone seen in a picture."""

    box: Box
    """x0, y0, x1, y1 in pixels of the picture, inside it."""
    joints: npt.NDArray[np.float32]
    """(17, 3): x and y in pixels, and a score of 0 to 1, of each of COCO's keypoints."""
    score: float
    """0 to 1."""

    def seen(self, joints: list[int]) -> npt.NDArray[np.float32]:
        """Return those of the ``joints`` that are seen, (n, 3)."""
        rows = self.joints[joints]
        return rows[rows[:, 2] >= SEEN]


class PeopleFinder(Protocol):
    """What every people finder is."""

    name: str
    """Spec and sha256, as items record it."""

    def find(self, pixels: Pixels) -> list[Person]:
        """Return the people of a (H, W, 3) uint8 sRGB picture whose head is seen, likeliest first."""


def open(spec: str, sha256: str | None = None, *, threads: int = 1) -> PeopleFinder:  # noqa: A001 - a model room
    """Open ``movenet:PATH.onnx``; raises CurationError for an unknown spec, a missing file or another sha256."""
    return MoveNet(*pinned_onnx("people finder", "movenet", spec, sha256), threads=threads)


class MoveNet:
    """MoveNet MultiPose Lightning (Google): up to six people with 17 joints each."""

    def __init__(self, file: Path, name: str, *, threads: int = 1) -> None:
        self._session: Any = open_onnx("people finder", file, threads)
        self.name = name

    def find(self, pixels: Pixels) -> list[Person]:
        """Return the people of a (H, W, 3) uint8 sRGB picture whose head is seen, likeliest first."""
        height, width = pixels.shape[:2]
        share = SIDE / max(height, width)
        size = (max(1, round(width * share)), max(1, round(height * share)))
        given = np.zeros((1, SIDE, SIDE, 3), np.int32)
        small = Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR)
        given[0, : size[1], : size[0]] = np.asarray(small)
        (rows,) = self._session.run(["people"], {"image": given})
        found = []
        for row in rows[0]:
            joints = row[:51].reshape(17, 3)[:, [1, 0, 2]] * [SIDE / share, SIDE / share, 1]
            y0, x0, y1, x1 = (row[51:55] * SIDE / share).clip(0, [height, width, height, width])
            if row[55] >= LEAST_SCORE and joints[HEAD, 2].mean() >= LEAST_HEAD and x1 > x0 and y1 > y0:
                box = (float(x0), float(y0), float(x1), float(y1))
                found.append(Person(box, joints.astype(np.float32), float(row[55])))
        return sorted(found, key=lambda person: (-person.score, person.box))
