"""Garment detectors through one interface: ``yolo:PATH.onnx`` (ultralytics) and ``transformers:ID@REVISION``."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from catalog.decode import Pixels
from curation import class_maps
from curation.errors import CurationError
from curation.model_files import check_file

ClassMap = Mapping[str, Sequence[str]]
"""Class name of a model -> taxonomy categories it stands for, the usual one first; none for what is no garment."""

FLOOR: Final = 0.05
"""Boxes of a lower score are never reported; the lines that decide lie above, in the policies."""


@dataclass(frozen=True)
class Detection:
    """One garment found in a picture."""

    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 in pixels of the picture given."""
    category: str
    """Taxonomy category."""
    score: float
    """Confidence, 0 to 1."""
    categories: tuple[str, ...] = ()
    """All categories the detector's class stands for, ``category`` first."""


class Detector(Protocol):
    """What every detector is."""

    name: str
    """Spec and sha256 or revision, as items record it."""

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        """Return the garments of each (H, W, 3) uint8 sRGB picture, highest score first."""


def open(  # noqa: A001 - a model room opens models
    spec: str,
    sha256: str | None = None,
    *,
    class_map: ClassMap | None = None,
    allow_pickles: bool = False,
) -> Detector:
    """Open a detector; ``class_map`` replaces the map the model or the taxonomy brings.

    ``allow_pickles`` admits ``yolo:`` checkpoints in ``.pt``, which run code when they are opened; they need a pinned
    ``sha256``. Raises CurationError for an unknown spec, a missing file, another sha256, or no known class.
    """
    kind, _, place = spec.partition(":")
    if kind == "yolo" and place:
        return _open_yolo(spec, Path(place), sha256, class_map, allow_pickles=allow_pickles)
    if kind == "transformers" and place:
        from curation.transformers_detector import TransformersDetector

        return TransformersDetector(spec, sha256=sha256, class_map=class_map)
    raise CurationError(f"detector {spec!r} is not known; use yolo:PATH.onnx or transformers:ID@REVISION")


def _open_yolo(
    spec: str, file: Path, sha256: str | None, class_map: ClassMap | None, *, allow_pickles: bool
) -> "YoloDetector":
    if file.suffix not in {".onnx", ".pt"}:
        raise CurationError(f"detector {spec}: {file.suffix or 'no suffix'} is not a format it reads; use .onnx")
    if file.suffix == ".pt" and not (allow_pickles and sha256):
        raise CurationError(
            f"detector {spec}: a .pt file is a pickle and runs code when opened; export it to .onnx, "
            "or allow pickles and pin its sha256"
        )
    found = check_file(spec, file, sha256)
    if class_map is None and file.suffix == ".onnx":
        class_map = class_maps.of_onnx(file)
    return YoloDetector(file, name=f"yolo:{file.name}@{found}", class_map=class_map)


class YoloDetector:
    """A YOLO of ultralytics. Pictures go through one by one, so that a result never depends on its neighbours."""

    def __init__(self, file: Path, *, name: str, class_map: ClassMap | None = None) -> None:
        import numpy as np

        yolo = _yolo()
        self.name = name
        self._size: Any = None
        try:
            self._model: Any = yolo(str(file), task="detect")
            self._predict(np.full((64, 64, 3), 255, np.uint8))  # ultralytics loads ONNX files with the first picture
            backend = self._model.predictor.model
            # Files of free input size carry the size they were made for; ultralytics would take 640 instead.
            self._size = getattr(backend, "imgsz", None)
            names: Mapping[int, str] = backend.names
        except Exception as error:  # ultralytics, onnx and onnxruntime have no common base
            raise CurationError(f"detector {file} cannot be opened by ultralytics: {error}") from error
        self._categories = class_maps.resolve(names, class_map, name)

    def _predict(self, pixels: Pixels) -> Any:
        options = {} if self._size is None else {"imgsz": self._size}
        return self._model.predict(
            pixels[:, :, ::-1],  # ultralytics takes arrays as BGR
            conf=FLOOR,
            iou=0.7,
            max_det=100,
            device="cpu",
            verbose=False,
            save=False,
            **options,
        )[0]

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        """Return the garments of each (H, W, 3) uint8 sRGB picture, highest score first."""
        found = []
        for pixels in images:
            boxes = self._predict(pixels).boxes
            rows = zip(boxes.xyxy.tolist(), boxes.cls.tolist(), boxes.conf.tolist(), strict=True)
            found.append(detections(rows, self._categories))
        return found


def detections(rows: Any, categories: Mapping[int, tuple[str, ...]], floor: float = FLOOR) -> list[Detection]:
    """Return (box, class index, score) rows as detections, best first; classes without category are left out."""
    made = []
    for box, index, score in rows:
        known = categories.get(int(index), ())
        if known and score >= floor:
            x0, y0, x1, y1 = (float(value) for value in box)
            made.append(Detection((x0, y0, x1, y1), known[0], float(score), known))
    return sorted(made, key=lambda found: (-found.score, found.box, found.category))


def _yolo() -> Any:
    """Return the model class of ultralytics, kept from the network, the user's settings and other libraries."""
    os.environ.setdefault("YOLO_OFFLINE", "1")
    os.environ.setdefault("YOLO_AUTOINSTALL", "0")
    os.environ.setdefault("YOLO_VERBOSE", "False")
    if "YOLO_CONFIG_DIR" not in os.environ:
        folder = Path(tempfile.gettempdir()) / f"lookbench-ultralytics-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        os.environ["YOLO_CONFIG_DIR"] = str(folder)
    from PIL import Image

    opener = Image.open
    from ultralytics import YOLO

    # Its import swaps Pillow's opener for one that looks for a package to install whenever a file is no image.
    Image.open = opener
    return YOLO
