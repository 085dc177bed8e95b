"""Small pictures for contact sheets: made once, kept beside the originals under their sha256."""

import contextlib
import re
from functools import lru_cache
from typing import Final

from catalog.decode import Pixels, decode, encode_jpeg
from catalog.store import Catalog, StoreError
from curation import hashes
from curation.fingerprint import crop

SMALL: Final = 192
"""Longest side of a thumbnail in pixels."""
LARGE: Final = 1000
"""Longest side of an enlarged picture in pixels."""
_PHOTO: Final = re.compile(r"[0-9a-f]{64}")
_SHARE: Final = r"(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)"
_BOX: Final = re.compile(rf"{_SHARE}(?:,{_SHARE}){{3}}")


class Thumbnails:
    """Pictures of a catalog's photos, small enough for a page."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.large = lru_cache(maxsize=32)(self._large)

    def small(self, photo_id: str, box: str | None = None) -> bytes:
        """Return a JPEG of the photo, or of ``box`` (``x0,y0,x1,y1`` as shares of its sides), from the cache if there.

        Raises ValueError for what is no photo id or box, StoreError and DecodeError for a photo without pixels.
        """
        _check(photo_id, box)
        name = f"{photo_id}-{box}" if box else photo_id
        path = f"{self.catalog.path}/thumbnails/{photo_id[:2]}/{name}.jpg"
        with contextlib.suppress(FileNotFoundError):
            kept: bytes = self.catalog.filesystem.cat_file(path)
            return kept
        data = self._made(photo_id, box, SMALL)
        with contextlib.suppress(StoreError):  # a catalog that cannot be written to is still worth looking at
            self.catalog.write_bytes(path, data)
        return data

    def _large(self, photo_id: str, box: str | None = None) -> bytes:
        _check(photo_id, box)
        return self._made(photo_id, box, LARGE)

    def _made(self, photo_id: str, box: str | None, side: int) -> bytes:
        pixels = decode(self.catalog.get_image(photo_id), reduce_to=None if box else side).pixels
        return encode_jpeg(hashes.reduce(_cut(pixels, box) if box else pixels, side), 80)


def _check(photo_id: str, box: str | None) -> None:
    if not _PHOTO.fullmatch(photo_id) or (box is not None and not _BOX.fullmatch(box)):
        raise ValueError(f"{photo_id}/{box} names no picture: give a sha256 and four shares of its sides")


def _cut(pixels: Pixels, box: str) -> Pixels:
    height, width = pixels.shape[:2]
    return crop(pixels, [float(share) * side for share, side in zip(box.split(","), (width, height) * 2, strict=True)])
