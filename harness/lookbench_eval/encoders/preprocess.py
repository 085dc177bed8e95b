"""Resize and normalise a picture as an ONNX model declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image

Resize = Literal["squash", "shortest_crop", "pad"]
RESAMPLES = ("nearest", "bilinear", "bicubic", "box", "lanczos")


@dataclass(frozen=True)
class Preprocessing:
    """How a picture becomes an input tensor of shape (3, height, width)."""

    size: tuple[int, int]
    """Height and width in pixels."""
    mean: tuple[float, float, float]
    """Subtracted per channel, after division by 255."""
    std: tuple[float, float, float]
    """Divided by per channel."""
    resize: Resize = "shortest_crop"
    """squash: to the size, without regard to shape; shortest_crop: fill it, then crop the centre; pad: fit into
    it, centred on white."""
    resample: str = "bicubic"
    input: str | None = None
    """Name of the model's input; None: its only one."""
    output: str | None = None
    """Name of the output that holds the embedding; None: its first."""

    def as_json(self) -> dict[str, Any]:
        """The declaration as plain data."""
        return asdict(self)

    def apply(self, picture: Image) -> NDArray[np.float32]:
        """Resize, scale to 0..1 and normalise: shape (3, height, width), float32."""
        pixels = np.asarray(self.fit(picture), dtype=np.float32) / np.float32(255)
        pixels = (pixels - np.array(self.mean, dtype=np.float32)) / np.array(self.std, dtype=np.float32)
        return np.ascontiguousarray(pixels.transpose(2, 0, 1))

    def fit(self, picture: Image) -> Image:
        """Resize to the declared size."""
        from PIL import Image as Pillow

        resample = Pillow.Resampling[self.resample.upper()]
        height, width = self.size
        if self.resize == "squash":
            return picture.resize((width, height), resample)
        ratios = width / picture.width, height / picture.height
        scale = max(ratios) if self.resize == "shortest_crop" else min(ratios)
        fitted = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
        picture = picture.resize(fitted, resample)
        left, top = (fitted[0] - width) // 2, (fitted[1] - height) // 2
        if self.resize == "shortest_crop":
            return picture.crop((left, top, left + width, top + height))
        canvas = Pillow.new("RGB", (width, height), "white")
        canvas.paste(picture, (-left, -top))
        return canvas


def parse(declared: Mapping[str, Any], where: str) -> Preprocessing:
    """Read a declaration. Raises ModelError that names the key, its value and what it may be."""
    known = set(Preprocessing.__dataclass_fields__)
    unknown = set(declared) - known
    if unknown:
        raise ModelError(f"{where}: unknown keys {sorted(unknown)}; known are {sorted(known)}")
    size = _numbers(declared, "size", 2, where)
    if any(side != int(side) or not 1 <= side <= 4096 for side in size):
        raise ModelError(f"{where}: size is {declared['size']!r}; expected [height, width] in pixels")
    std = _numbers(declared, "std", 3, where)
    if 0 in std:
        raise ModelError(f"{where}: std is {declared['std']!r}; a channel cannot be divided by 0")
    resize = declared.get("resize", "shortest_crop")
    resample = declared.get("resample", "bicubic")
    if resize not in get_args(Resize):
        raise ModelError(f"{where}: resize is {resize!r}; choose {', '.join(get_args(Resize))}")
    if resample not in RESAMPLES:
        raise ModelError(f"{where}: resample is {resample!r}; choose {', '.join(RESAMPLES)}")
    mean = _numbers(declared, "mean", 3, where)
    return Preprocessing(
        size=(int(size[0]), int(size[1])),
        mean=(mean[0], mean[1], mean[2]),
        std=(std[0], std[1], std[2]),
        resize=resize,
        resample=resample,
        input=declared.get("input"),
        output=declared.get("output"),
    )


def _numbers(declared: Mapping[str, Any], key: str, count: int, where: str) -> list[float]:
    value = declared.get(key)
    if not isinstance(value, list | tuple) or len(value) != count:
        raise ModelError(f"{where}: {key} is {value!r}; expected {count} numbers")
    try:
        numbers = [float(one) for one in value]
    except (TypeError, ValueError) as error:
        raise ModelError(f"{where}: {key} is {value!r}; expected {count} numbers") from error
    if not np.isfinite(numbers).all():
        raise ModelError(f"{where}: {key} is {value!r}; expected finite numbers")
    return numbers
