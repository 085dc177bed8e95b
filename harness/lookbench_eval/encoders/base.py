"""What an encoder is: pictures in, vectors out, with its identity and preprocessing on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

Matrix = NDArray[np.floating]


@dataclass(frozen=True)
class ModelCard:
    """Who made the vectors."""

    spec: str
    """The specification as given, such as `onnx:model.onnx`."""
    name: str
    revision: str
    """A commit or a sha256 of the weights; "" when nothing pins the model, and then nothing is cached."""
    preprocessing: Mapping[str, Any]
    device: str = "cpu"
    dtype: str = "float32"


class Encoder(Protocol):
    """A model that is ready to run."""

    @property
    def card(self) -> ModelCard:
        """Identity and preprocessing, as they are written into the result."""

    def prepare(self, picture: Image) -> Any:
        """Turn one RGB picture into what `encode` takes; called from several threads."""

    def encode(self, prepared: Sequence[Any]) -> Matrix:
        """Embed a batch of n prepared pictures: shape (n, d), not normalised."""
