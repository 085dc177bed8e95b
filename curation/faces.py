"""Face finders through one interface: ``centerface:PATH.onnx`` runs on onnxruntime."""

from pathlib import Path
from typing import Final, Protocol

import numpy as np

from catalog.decode import Pixels
from curation.boxes import iou
from curation.detectors import Detection
from curation.model_files import open_onnx, pinned_onnx

FACE: Final = "face"
FLOOR: Final = 0.1
"""Boxes of a lower score are never reported; the line that decides is ``ItemPolicy.score_face``."""
SAME: Final = 0.3
"""Boxes that overlap a likelier one by more than this are the same face, as the authors of CenterFace have it."""
STRIDE: Final = 4
"""Pixels of the picture to a cell of CenterFace's maps."""
WHOLE: Final = 32
"""Its input's sides are multiples of this many pixels."""


class FaceFinder(Protocol):
    """What every face finder is."""

    name: str
    """Spec and sha256, as ledgers record it."""

    def find(self, pixels: Pixels) -> list[Detection]:
        """Return the faces of a (H, W, 3) uint8 sRGB picture, highest score first; their category is ``face``."""


def open(spec: str, sha256: str | None = None, *, threads: int = 1) -> FaceFinder:  # noqa: A001 - a model room
    """Open ``centerface:PATH.onnx``; raises CurationError for an unknown spec, a missing file or another sha256."""
    return CenterFace(*pinned_onnx("face finder", "centerface", spec, sha256), threads=threads)


class CenterFace:
    """CenterFace (Xu et al., arXiv:1911.03599): a map of face centres, with the size and offset of each."""

    def __init__(self, file: Path, name: str, *, threads: int = 1) -> None:
        self._session = open_onnx("face finder", file, threads)
        self.name = name

    def find(self, pixels: Pixels) -> list[Detection]:
        """Return the faces of a (H, W, 3) uint8 sRGB picture, highest score first."""
        height, width = pixels.shape[:2]
        given = np.zeros((1, 3, -(-height // WHOLE) * WHOLE, -(-width // WHOLE) * WHOLE), np.float32)
        given[0, :, :height, :width] = pixels.transpose(2, 0, 1)  # 0 to 255, as it was trained
        heat, size, offset = self._session.run(["heatmap", "size", "offset"], {"image": given})
        rows, columns = np.nonzero(heat[0, 0] >= FLOOR)
        scores = heat[0, 0, rows, columns]
        tall, wide = np.exp(size[0][:, rows, columns]) * STRIDE
        y = (rows + offset[0, 0, rows, columns] + 0.5) * STRIDE
        x = (columns + offset[0, 1, rows, columns] + 0.5) * STRIDE
        boxes = np.stack([x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2], axis=1)
        boxes = boxes.clip(0, [width, height, width, height])
        found: list[Detection] = []
        for place in np.argsort(-scores, kind="stable"):
            x0, y0, x1, y1 = (float(value) for value in boxes[place])
            if x1 > x0 and y1 > y0 and all(iou((x0, y0, x1, y1), face.box) <= SAME for face in found):
                found.append(Detection((x0, y0, x1, y1), FACE, float(scores[place]), (FACE,)))
        return found
