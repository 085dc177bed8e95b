"""The pixel baseline: a small RGB picture, flattened. What any model must beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.encoders.base import Matrix, ModelCard
from lookbench_eval.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image


class PixelEncoder:
    """`pixels:16`: the picture squashed to 16 x 16, area-averaged, centred at mid grey; 768 numbers."""

    def __init__(self, side: int) -> None:
        if not 1 <= side <= 256:
            raise ModelError(f"pixels:{side} has an impossible side; choose 1 to 256")
        self.side = side
        self.card = ModelCard(
            spec=f"pixels:{side}",
            name=f"pixels-{side}x{side}",
            revision=f"pixels-{side}/1",
            preprocessing={"size": [side, side], "resize": "squash", "resample": "box", "centre": 0.5},
        )

    def prepare(self, picture: Image) -> NDArray[np.float32]:
        """One picture as a vector of shape (3 * side * side,)."""
        from PIL import Image as Pillow

        small = picture.resize((self.side, self.side), Pillow.Resampling.BOX)
        return (np.asarray(small, dtype=np.float32) / np.float32(255) - np.float32(0.5)).ravel()

    def encode(self, prepared: Sequence[NDArray[np.float32]]) -> Matrix:
        """Stack the vectors."""
        return np.stack(prepared)
