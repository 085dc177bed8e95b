"""Detectors of transformers (YOLOS, DETR, RT-DETR families), from a folder or a hub id at a pinned revision."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from catalog.decode import Pixels
from curation import class_maps
from curation.detectors import FLOOR, Detection, check_file, detections
from curation.errors import CurationError


class TransformersDetector:
    """An object detection model of transformers: safetensors only, no remote code."""

    def __init__(
        self, spec: str, *, sha256: str | None = None, class_map: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Open ``transformers:FOLDER`` (``sha256`` is that of its model.safetensors) or ``transformers:ID@REVISION``.

        Raises CurationError when the id has no revision, or what it names cannot be loaded.
        """
        place = spec.partition(":")[2]
        if Path(place).is_dir():
            found = check_file(spec, Path(place) / "model.safetensors", sha256)
            identity, revision, self.name = place, None, f"transformers:{Path(place).name}@{found}"
        else:
            identity, _, revision = place.partition("@")
            if not revision:
                raise CurationError(
                    f"detector {spec} is no folder and names no revision; write transformers:{identity}@REVISION, "
                    "since what a hub id means may change"
                )
            self.name = spec
        import torch
        from transformers import AutoImageProcessor, AutoModelForObjectDetection

        self._torch = torch
        options: dict[str, Any] = {"revision": revision, "trust_remote_code": False}
        try:
            self._processor: Any = AutoImageProcessor.from_pretrained(identity, **options)
            self._model: Any = AutoModelForObjectDetection.from_pretrained(
                identity, use_safetensors=True, dtype=torch.float32, **options
            ).eval()
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise CurationError(f"detector {spec} cannot be loaded: {error}") from error
        names = {int(index): str(name) for index, name in self._model.config.id2label.items()}
        self._categories = class_maps.resolve(names, class_map, self.name)

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        """Return the garments of each (H, W, 3) uint8 sRGB picture, highest score first."""
        found = []
        for pixels in images:
            with self._torch.inference_mode():
                inputs = self._processor(images=pixels, return_tensors="pt", input_data_format="channels_last")
                outputs = self._model(**inputs)
            (made,) = self._processor.post_process_object_detection(
                outputs, threshold=FLOOR, target_sizes=[pixels.shape[:2]]
            )
            rows = zip(made["boxes"].tolist(), made["labels"].tolist(), made["scores"].tolist(), strict=True)
            found.append(detections(rows, self._categories))
        return found
