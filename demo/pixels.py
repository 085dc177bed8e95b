"""Arithmetic of one-channel fields with three-channel pictures.

NumPy broadcasts over a last axis of three in loops of length three, which costs several times the plain product;
merging planes first avoids that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.floating[Any]]


def three(field: Floats) -> Floats:
    """The field (h, w) in each of three channels (h, w, 3)."""
    import cv2

    plane = np.ascontiguousarray(field, dtype=np.float32)
    merged: Floats = cv2.merge([plane, plane, plane])
    return merged


def tinted(colour: npt.ArrayLike, field: Floats) -> Floats:
    """One colour (3) times a field (h, w)."""
    import cv2

    plane = np.ascontiguousarray(field, dtype=np.float32)
    merged: Floats = cv2.merge([plane * float(c) for c in np.asarray(colour)])
    return merged


def to_bytes(picture: Floats) -> Image:
    """Floats in 0..1 as bytes, rounded and clipped."""
    import cv2

    bright: Image = cv2.convertScaleAbs(cv2.max(np.ascontiguousarray(picture, dtype=np.float32), 0.0), alpha=255)
    return bright
