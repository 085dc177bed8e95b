"""The decency gate: how likely it is that nobody wants to see a picture among clothes, by any classifier of a hub."""

from collections.abc import Collection
from typing import Final, Protocol

from catalog.decode import Pixels
from curation.errors import CurationError
from curation.hub import open_model

LABELS: Final = frozenset({"nsfw", "porn", "hentai", "sexy", "explicit", "nude", "nudity", "unsafe"})
"""Classes of the classifiers in use that mean indecent, in lower case."""


class Gate(Protocol):
    """What every decency gate is."""

    name: str
    """Spec and sha256 or revision, as ledgers record it."""

    def indecency(self, pixels: Pixels) -> float:
        """Return how likely (H, W, 3) uint8 sRGB pixels are indecent, 0 to 1."""


def open(spec: str, sha256: str | None = None, *, labels: Collection[str] = LABELS) -> Gate:  # noqa: A001 - a model room
    """Open ``transformers:FOLDER`` or ``transformers:ID@REVISION``; raises CurationError for anything else."""
    kind, _, place = spec.partition(":")
    if kind != "transformers" or not place:
        raise CurationError(f"decency gate {spec!r} is not known; use transformers:ID@REVISION, or null for none")
    return TransformersGate(spec, sha256=sha256, labels=labels)


class TransformersGate:
    """An image classification model of transformers: safetensors only, no remote code."""

    def __init__(self, spec: str, *, sha256: str | None = None, labels: Collection[str] = LABELS) -> None:
        """Open the model; ``labels`` are its classes that count, in lower case.

        Raises CurationError as ``curation.hub.open_model``, or when none of its classes is in ``labels``.
        """
        import torch

        self._torch = torch
        found = open_model(spec, sha256, "decency gate", "AutoModelForImageClassification")
        self.name, self._processor, self._model = found
        names = {int(index): str(name).lower() for index, name in self._model.config.id2label.items()}
        self._counted = [index for index, name in names.items() if name in labels]
        if not self._counted:
            raise CurationError(
                f"decency gate {spec} has the classes {', '.join(names.values())}; none of them is one of "
                f"{', '.join(sorted(labels))}"
            )

    def indecency(self, pixels: Pixels) -> float:
        """Return the probability of all classes that count, together."""
        with self._torch.inference_mode():
            inputs = self._processor(images=pixels, return_tensors="pt", input_data_format="channels_last")
            shares = self._model(**inputs).logits[0].softmax(dim=-1)
        return float(shares[self._counted].sum())
