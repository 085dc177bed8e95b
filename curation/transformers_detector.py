"""Detectors of transformers (YOLOS, DETR, RT-DETR families), from a folder or a hub id at a pinned revision."""

from collections.abc import Mapping, Sequence

from catalog.decode import Pixels
from curation import class_maps
from curation.detectors import FLOOR, Detection, detections
from curation.hub import open_model


class TransformersDetector:
    """An object detection model of transformers: safetensors only, no remote code."""

    def __init__(
        self, spec: str, *, sha256: str | None = None, class_map: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Open it; raises CurationError as ``curation.hub.open_model``, or when no class of it is known."""
        import torch

        self._torch = torch
        self.name, self._processor, self._model = open_model(spec, sha256, "detector", "AutoModelForObjectDetection")
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
