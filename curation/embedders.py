"""Embedders: pictures to unit vectors, through one interface. ``onnx:PATH`` runs on onnxruntime."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels
from curation.errors import CurationError
from curation.model_files import check_file, open_onnx

Vectors = npt.NDArray[np.float32]

METADATA_KEY: Final = "lookbench.preprocessing"
"""Where an ONNX embedder says how a picture becomes its input; JSON with the keys of ``Preprocessing``."""

BATCH: Final = 16
"""Pictures per call: beyond that, onnxruntime gains nothing on a CPU."""


class Embedder(Protocol):
    """What every embedder is."""

    name: str
    """Spec and sha256, as fingerprints record it."""
    size: int
    """Length of a vector."""

    def embed(self, images: Sequence[Pixels]) -> Vectors:
        """Return one float32 vector of unit length per (H, W, 3) uint8 sRGB picture, shape (n, size)."""


def open(spec: str, sha256: str | None = None, *, threads: int = 1) -> Embedder:  # noqa: A001 - a model room
    """Open ``onnx:PATH``; raises CurationError for an unknown spec, a missing file or one of another sha256."""
    kind, _, path = spec.partition(":")
    if kind != "onnx" or not path:
        raise CurationError(f"embedder {spec!r} is not known; use onnx:PATH")
    file = Path(path)
    return OnnxEmbedder(file, name=f"onnx:{file.name}@{check_file(spec, file, sha256)}", threads=threads)


class OnnxEmbedder:
    """An ONNX file with one picture input (N, 3, H, W) and one vector output (N, size)."""

    def __init__(self, file: Path, *, name: str, threads: int = 1) -> None:
        self._session = open_onnx("embedder", file, threads)
        try:
            settings: dict[str, Any] = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA_KEY])
        except KeyError as error:
            raise CurationError(
                f"embedder {file}: its metadata lacks {METADATA_KEY!r}; export it with preprocessing"
            ) from error
        except ValueError as error:
            raise CurationError(f"embedder {file}: its {METADATA_KEY!r} is no JSON: {error}") from error
        self.name = name
        self._input, self._output = settings["input"], settings["output"]
        self._height, self._width = (int(side) for side in settings["size"])
        self._resize, self._resample = settings["resize"], settings["resample"]
        self._mean = np.asarray(settings["mean"], np.float32)
        self._std = np.asarray(settings["std"], np.float32)
        self.size = int(self._session.get_outputs()[0].shape[-1])

    def embed(self, images: Sequence[Pixels]) -> Vectors:
        """Return unit vectors, shape (n, size); raises CurationError when the model answers with non-finite numbers."""
        vectors = np.empty((len(images), self.size), np.float32)
        for start in range(0, len(images), BATCH):
            batch = np.stack([self._prepare(image) for image in images[start : start + BATCH]])
            (vectors[start : start + len(batch)],) = self._session.run([self._output], {self._input: batch})
        return unit(vectors, self.name)

    def _prepare(self, pixels: Pixels) -> Vectors:
        from PIL import Image

        picture = Image.fromarray(pixels)
        size, method = (self._width, self._height), Image.Resampling[self._resample.upper()]
        if self._resize == "squash":
            picture = picture.resize(size, method)
        else:
            shares = (size[0] / picture.width, size[1] / picture.height)
            share = min(shares) if self._resize == "pad" else max(shares)
            scaled = picture.resize(
                (max(1, round(picture.width * share)), max(1, round(picture.height * share))), method
            )
            place = ((size[0] - scaled.width) // 2, (size[1] - scaled.height) // 2)
            picture = Image.new("RGB", size, (255, 255, 255))
            picture.paste(scaled, place)
        values = (np.asarray(picture, np.float32) / 255 - self._mean) / self._std
        prepared: Vectors = np.ascontiguousarray(values.transpose(2, 0, 1), np.float32)
        return prepared


def unit(vectors: Vectors, name: str) -> Vectors:
    """Return the rows at length one; raises CurationError naming the first row that is not finite or zero."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))
    if len(wrong):
        raise CurationError(
            f"embedder {name}: vector {wrong[0]} of {len(vectors)} is zero or not finite; the model file is damaged"
        )
    scaled: Vectors = (vectors / lengths).astype(np.float32)
    return scaled
