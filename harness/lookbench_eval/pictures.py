"""Decode the picture of a row: upright RGB on a white matte."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from lookbench_eval.errors import ModelError, ReleaseError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 100_000_000


def decode(data: bytes, *, max_pixels: int = MAX_PIXELS) -> Image:
    """Turn file bytes into an RGB picture, upright by its EXIF orientation, transparency over white.

    Raises ReleaseError for bytes that are no picture or have more than `max_pixels` pixels, ModelError when
    Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError as error:
        raise ModelError("pictures need Pillow; install lookbench-eval[images]") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture: Image.Image = Image.open(io.BytesIO(data))
            width, height = picture.size
            if width * height > max_pixels:
                raise ReleaseError(f"the picture has {width} x {height} pixels, more than {max_pixels}")
            picture = ImageOps.exif_transpose(picture)
            if picture.mode in {"RGBA", "LA", "PA"} or "transparency" in picture.info:
                layer = picture.convert("RGBA")
                matte = Image.new("RGBA", layer.size, "white")
                picture = Image.alpha_composite(matte, layer)
            return picture.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ReleaseError(f"the picture does not decode: {error}") from error
