"""Crops for the tables and thumbnails for the report; the same photo gives the same bytes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from catalog.decode import Pixels, decode, encode_jpeg
from releases import harder
from releases.errors import ReleaseError

Corners = tuple[int, int, int, int]


def corners(box: Sequence[float], width: int, height: int) -> Corners:
    """Return a box as whole pixels inside a picture of ``width`` x ``height``: outward rounded, never empty.

    Raises ReleaseError for a box that lies outside of the picture.
    """
    x0, y0 = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    if x1 <= x0 or y1 <= y0:
        shown = [round(value, 1) for value in box]
        raise ReleaseError(
            f"box {shown} lies outside of its photo of {width} x {height} pixels; detect the edition's items again"
        )
    return x0, y0, x1, y1


Form = tuple[Sequence[float], str | None, str]
"""Box of a garment, the harder variant to show of it (None: as it is), and the item's id."""


@dataclass(frozen=True)
class Crop:
    """A garment cut out of its photo."""

    jpeg: bytes
    corners: Corners
    """Whole pixels of the upright photo."""
    hidden: Corners | None
    """Whole pixels of the crop that are grey, in a harder variant."""


def crops(data: bytes, forms: Sequence[Form], quality: int) -> list[Crop]:
    """Decode a photo once and return each garment of it."""
    pixels = decode(data).pixels
    height, width = pixels.shape[:2]
    made = []
    for box, variant, key in forms:
        x0, y0, x1, y1 = corners(harder.box(box, variant), width, height)
        part = harder.hidden((x1 - x0, y1 - y0), variant, key)
        shown = harder.alter(pixels[y0:y1, x0:x1], variant, part)
        made.append(Crop(encode_jpeg(shown, quality), (x0, y0, x1, y1), part))
    return made


def thumbnail(data: bytes, box: Sequence[float] | None = None, *, side: int = 160) -> bytes:
    """Return a photo, or one box of it, as WebP whose longer side is at most ``side`` pixels.

    Raises catalog.decode.DecodeError for bytes that are no picture.
    """
    decoded = decode(data, reduce_to=None if box else side * 2)
    pixels = decoded.pixels
    if box:
        x0, y0, x1, y1 = corners(box, pixels.shape[1], pixels.shape[0])
        pixels = pixels[y0:y1, x0:x1]
    return shrink(pixels, side)


def shrink(pixels: Pixels, side: int) -> bytes:
    """Return (H, W, 3) pixels as WebP whose longer side is at most ``side``."""
    from PIL import Image

    image = Image.fromarray(pixels)
    image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=3.0)
    sink = BytesIO()
    image.save(sink, format="WEBP", quality=76, method=4)
    return sink.getvalue()
