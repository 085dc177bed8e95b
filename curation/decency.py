"""The decency gate: how likely it is that nobody wants to see a picture among clothes, by any classifier of a hub."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, Protocol

from catalog.decode import Pixels
from curation.detectors import check_file
from curation.errors import CurationError

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

        Raises CurationError when the id has no revision, it cannot be loaded, or none of its classes is in ``labels``.
        """
        identity, _, pinned = spec.partition(":")[2].partition("@")
        revision: str | None = pinned or None
        if Path(identity).is_dir():
            found = check_file(spec, Path(identity) / "model.safetensors", sha256)
            revision, self.name = None, f"transformers:{Path(identity).name}@{found}"
        elif revision:
            self.name = spec
        else:
            raise CurationError(f"decency gate {spec} names no revision; write transformers:{identity}@REVISION")
        import torch
        from transformers import AutoImageProcessor, AutoModelForImageClassification

        self._torch = torch
        options: dict[str, Any] = {"revision": revision, "trust_remote_code": False}
        try:
            self._processor: Any = AutoImageProcessor.from_pretrained(identity, **options)
            self._model: Any = AutoModelForImageClassification.from_pretrained(
                identity, use_safetensors=True, dtype=torch.float32, **options
            ).eval()
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise CurationError(f"decency gate {spec} cannot be loaded: {error}") from error
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
