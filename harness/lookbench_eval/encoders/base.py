"""What an encoder is: pictures in, vectors out, with its identity and preprocessing on record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import ModelError

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

    def __post_init__(self) -> None:
        """Raise ModelError now, not when the result is written, for a preprocessing that JSON cannot hold."""
        try:
            json.dumps(dict(self.preprocessing), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{self.spec} states the preprocessing {self.preprocessing!r}: {error}; "
                "give a dict of texts, numbers and lists"
            ) from error


class Encoder(Protocol):
    """A model that is ready to run."""

    @property
    def card(self) -> ModelCard:
        """Identity and preprocessing, as they are written into the result."""

    def prepare(self, picture: Image) -> Any:
        """Turn one RGB picture into what `encode` takes; called from several threads."""

    def encode(self, prepared: Sequence[Any]) -> Matrix:
        """Embed a batch of n prepared pictures: shape (n, d), not normalised."""
