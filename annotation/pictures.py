"""The two pictures a task shows: the garment large, and where it is in the whole photo."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from catalog.decode import decode, encode_jpeg
from catalog.store import Catalog

Pixels = npt.NDArray[np.uint8]

CROP_SIDE = 800
"""Longest side of the crop in pixels: what fits a screen."""
PHOTO_SIDE = 480
_FRAME = (255, 64, 129)
_DIM = 0.45


@dataclass(frozen=True)
class Pair:
    """Addresses of the two pictures of one item."""

    crop: str
    photo: str


class Pictures(Protocol):
    """Somewhere pictures can be put so that Label Studio shows them."""

    def has(self, item_id: str) -> Pair | None:
        """Return the addresses of an item whose pictures are there already."""

    def put(self, item_id: str, crop: bytes, photo: bytes) -> Pair:
        """Keep two JPEG files and return their addresses."""


class FolderPictures:
    """A folder that the server serves: ``root`` is its document root, ``name`` the folder of the project below it."""

    def __init__(self, root: Path, name: str) -> None:
        self.folder = root / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self._name = name

    def has(self, item_id: str) -> Pair | None:
        """Return the addresses when both files are there."""
        crop, photo = self._files(item_id)
        return self._pair(item_id) if crop.exists() and photo.exists() else None

    def put(self, item_id: str, crop: bytes, photo: bytes) -> Pair:
        """Write both files, each whole or not at all."""
        for path, data in zip(self._files(item_id), (crop, photo), strict=True):
            part = path.with_suffix(".part")
            part.write_bytes(data)
            part.replace(path)
        return self._pair(item_id)

    def _files(self, item_id: str) -> tuple[Path, Path]:
        return self.folder / f"{item_id}.jpg", self.folder / f"{item_id}.photo.jpg"

    def _pair(self, item_id: str) -> Pair:
        crop, photo = (f"/data/local-files/?d={quote(f'{self._name}/{path.name}')}" for path in self._files(item_id))
        return Pair(crop, photo)


class InlinePictures:
    """Pictures that travel inside the tasks, for a server whose folders are out of reach."""

    def has(self, item_id: str) -> Pair | None:  # noqa: ARG002 - there is nowhere they could be
        """Return None."""
        return None

    def put(self, item_id: str, crop: bytes, photo: bytes) -> Pair:  # noqa: ARG002 - see Pictures
        """Return both as data addresses."""
        crop_url, photo_url = ("data:image/jpeg;base64," + base64.b64encode(data).decode() for data in (crop, photo))
        return Pair(crop_url, photo_url)


def render(item: Mapping[str, Any], catalog: Catalog) -> tuple[bytes, bytes]:
    """Return crop and framed photo of an item as JPEG.

    Raises DecodeError or StoreError when the photo cannot be had.
    """
    data = catalog.get_image(item["photo_id"])
    x0, y0, x1, y1 = item["box"]
    pixels = decode(data).pixels
    left, top = max(0, int(x0)), max(0, int(y0))
    right, bottom = max(left + 1, round(x1)), max(top + 1, round(y1))
    crop = _fit(pixels[top:bottom, left:right], CROP_SIDE, grow=True)
    small = _fit(pixels, PHOTO_SIDE, grow=False)
    scale = small.shape[1] / pixels.shape[1]
    framed = _frame(small, [round(corner * scale) for corner in (left, top, right, bottom)])
    return encode_jpeg(crop, quality=88), encode_jpeg(framed, quality=80)


def _fit(pixels: Pixels, side: int, *, grow: bool) -> Pixels:
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1 and not grow:
        return pixels
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS))


def _frame(pixels: Pixels, box: list[int]) -> Pixels:
    """Return the photo with everything outside of ``box`` dimmed and a line around it."""
    x0, y0, x1, y1 = box
    height, width = pixels.shape[:2]
    x1, y1 = min(x1, width), min(y1, height)
    out = (pixels * (1 - _DIM)).astype(np.uint8)
    out[y0:y1, x0:x1] = _FRAME
    inner = (slice(min(y0 + 2, y1), max(y1 - 2, y0)), slice(min(x0 + 2, x1), max(x1 - 2, x0)))
    out[inner] = pixels[inner]
    return out
