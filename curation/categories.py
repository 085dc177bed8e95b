"""The second stage: what a crop's embedding says about category and attributes, by small probes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from curation.errors import CurationError
from curation.model_files import check_file

Vectors = npt.NDArray[np.float32]

CATEGORY: Final = "category"
"""Name of the head that names categories; every other head is named by its facet."""


@dataclass(frozen=True)
class Head:
    """One probe: multinomial logistic regression on the embedding."""

    values: tuple[str, ...]
    """What it can say."""
    weights: Vectors
    """(size of the embedding, number of values)."""
    bias: Vectors
    """(number of values,)."""

    @property
    def size(self) -> int:
        """Length of the embeddings it reads."""
        return int(self.weights.shape[0])

    @property
    def fits(self) -> bool:
        """Whether the shapes of its arrays agree."""
        return self.weights.ndim == 2 and self.weights.shape[1] == len(self.values) == self.bias.size

    def probabilities(self, embeddings: Vectors, allowed: npt.NDArray[np.bool_] | None = None) -> Vectors:
        """Return (n, values) probabilities; those where ``allowed`` (n, values) is False are 0 before normalising."""
        scores = embeddings.astype(np.float32) @ self.weights + self.bias
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf)
        top = scores.max(axis=1, keepdims=True)
        powers = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
        total = powers.sum(axis=1, keepdims=True)
        made: Vectors = (powers / np.where(total > 0, total, 1.0)).astype(np.float32)
        return made


def open(spec: str, sha256: str | None = None) -> "Probe":  # noqa: A001 - as the other model rooms
    """Open ``probe:PATH.npz`` (or a bare path); raises CurationError when missing, damaged or of another sha256."""
    file = Path(spec.removeprefix("probe:"))
    found = check_file(spec, file, sha256)
    try:
        with np.load(file, allow_pickle=False) as arrays:
            heads = {
                name: Head(
                    tuple(str(value) for value in arrays[f"{name}.values"]),
                    arrays[f"{name}.weights"].astype(np.float32),
                    arrays[f"{name}.bias"].astype(np.float32),
                )
                for name in sorted({key.rpartition(".")[0] for key in arrays.files})
            }
            size = heads[CATEGORY].size
    except Exception as error:
        raise CurationError(
            f"probe {file} is damaged or holds no head {CATEGORY!r}: {error}; restore the file"
        ) from error
    for name, head in heads.items():
        if head.size != size or not head.fits:
            raise CurationError(
                f"probe {file}: head {name!r} has weights {head.weights.shape} and bias {head.bias.shape} for "
                f"{len(head.values)} values and embeddings of {size}; restore the file"
            )
    return Probe(f"probe:{file.name}@{found}", heads)


class Probe:
    """Probes on crop embeddings: one for the category and some for facets."""

    def __init__(self, name: str, heads: Mapping[str, Head]) -> None:
        self.name = name
        """File name and sha256, as labels record it."""
        self._heads = dict(heads)
        self.size = heads[CATEGORY].size
        """Length of the embeddings it reads."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories it can name."""
        return self._heads[CATEGORY].values

    @property
    def facets(self) -> dict[str, tuple[str, ...]]:
        """The facets it can tell, and the values of each."""
        return {name: head.values for name, head in self._heads.items() if name != CATEGORY}

    def predict(
        self, embeddings: Vectors, among: Sequence[Sequence[str]] | None = None
    ) -> list[list[tuple[str, float]]]:
        """Return for each embedding (n, size) all categories with their probabilities, best first.

        ``among`` limits each embedding to the categories that its detector's class stands for; an empty one, or one
        that holds nothing the probe knows, limits nothing.
        """
        head = self._heads[CATEGORY]
        self._check(embeddings)
        allowed = None
        if among is not None:
            allowed = np.asarray([[value in choice for value in head.values] for choice in among], bool)
            allowed = allowed.reshape(len(embeddings), len(head.values))
            allowed[~allowed.any(axis=1)] = True
        return [_ranked(head.values, row) for row in head.probabilities(embeddings, allowed)]

    def attributes(self, embeddings: Vectors, categories: Sequence[str]) -> list[list[tuple[str, str, float]]]:
        """Return for each embedding the likeliest (facet, value, probability) of each facet its category has."""
        import taxonomy

        loaded = taxonomy.load()
        self._check(embeddings)
        made: list[list[tuple[str, str, float]]] = [[] for _ in categories]
        for facet, values in self.facets.items():
            allowed = np.asarray(
                [[loaded.allows(category, value) for value in values] for category in categories], bool
            ).reshape(len(categories), len(values))
            probabilities = self._heads[facet].probabilities(embeddings, allowed)
            for row in np.flatnonzero(allowed.any(axis=1)):
                best = int(probabilities[row].argmax())
                made[row].append((facet, values[best], float(probabilities[row, best])))
        return made

    def _check(self, embeddings: Vectors) -> None:
        if embeddings.ndim != 2 or embeddings.shape[1] != self.size:
            raise CurationError(
                f"{self.name} reads embeddings of {self.size} numbers, these have shape {embeddings.shape}; "
                "use the embedder it was trained on"
            )


def _ranked(values: Sequence[str], row: npt.NDArray[Any]) -> list[tuple[str, float]]:
    order = np.argsort(-row, kind="stable")
    return [(values[index], float(row[index])) for index in order if row[index] > 0]
