"""Parametric garment pictures: a design and a seed in, a cut-out with its box out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from demo.spec import CATEGORIES, GarmentSpec, random_spec
from demo.wardrobe.draft import Draft

__all__ = ["CATEGORIES", "Drawn", "GarmentSpec", "random_spec", "render"]

_SMALL_PRINT = {"sock": 0.7, "tie": 0.6, "hat": 0.75, "glove": 0.7, "headband": 0.7, "leg warmer": 0.8, "umbrella": 1.2}


@dataclass(frozen=True)
class Drawn:
    """A garment on nothing: straight RGBA (H, W, 4) uint8 and the xyxy box of its visible pixels."""

    rgba: npt.NDArray[np.uint8]
    box: tuple[int, int, int, int]
    spec: GarmentSpec


def visible_box(rgba: npt.NDArray[np.uint8], floor: int = 24) -> tuple[int, int, int, int]:
    """Smallest xyxy box (right and bottom exclusive) of the pixels whose alpha reaches `floor`.

    A picture without any such pixel is a ValueError.
    """
    seen = rgba[..., 3] >= floor
    cols, rows = np.flatnonzero(seen.any(axis=0)), np.flatnonzero(seen.any(axis=1))
    if not len(cols):
        raise ValueError(f"no pixel of the {rgba.shape[1]} x {rgba.shape[0]} cut-out is visible; draw it larger")
    return int(cols[0]), int(rows[0]), int(cols[-1]) + 1, int(rows[-1]) + 1


def render(spec: GarmentSpec, size: int, seed: int) -> Drawn:
    """Draw a design on a square of `size` pixels; another seed is another view of the same product.

    Same arguments, same pixels. An unknown category is a KeyError.
    """
    from demo.wardrobe.cutters import CUTTERS

    draft = Draft.of(spec, size, seed, _SMALL_PRINT.get(spec.category, 1.0))
    CUTTERS[spec.category](draft)
    rgba = draft.canvas.rgba()
    return Drawn(rgba, visible_box(rgba), spec)
