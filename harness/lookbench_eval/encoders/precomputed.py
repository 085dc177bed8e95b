"""Vectors made elsewhere: two .npy files, rows in the order of the release."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.encoders.base import ModelCard
from lookbench_eval.errors import VectorError
from lookbench_eval.readers import NOISE, Release


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Vectors of all queries, and of all galleries followed by the distractors."""

    query: NDArray[np.floating]
    gallery: NDArray[np.floating]
    card: ModelCard

    def split(self, release: Release) -> dict[str, NDArray[np.floating]]:
        """Hand out the rows: subsets in the order of the release, the distractors last.

        Raises VectorError that lists the expected counts.
        """
        queries = {f"{part.name}/query": len(part.query.samples) for part in release.subsets}
        galleries = {f"{part.name}/gallery": len(part.gallery.samples) for part in release.subsets}
        if release.noise:
            galleries[NOISE] = len(release.noise.samples)
        return _cut(self.query, queries, "query") | _cut(self.gallery, galleries, "gallery")


def load(query: Path, gallery: Path) -> Embeddings:
    """Open two .npy files without reading them whole. Raises VectorError."""
    digest = hashlib.sha256()
    for path in (query, gallery):
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise VectorError(f"{path} cannot be read: {error}") from error
    card = ModelCard(
        spec=f"embeddings:{query.name},{gallery.name}",
        name=query.stem,
        revision=f"sha256:{digest.hexdigest()}",
        preprocessing={"embeddings": "made elsewhere"},
    )
    return Embeddings(_open(query), _open(gallery), card)


def _open(path: Path) -> NDArray[np.floating]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise VectorError(f"{path} is no .npy file of numbers: {error}") from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or not np.issubdtype(array.dtype, np.floating):
        shape = getattr(array, "shape", None)
        raise VectorError(
            f"{path} holds {getattr(array, 'dtype', type(array))} of shape {shape}; expected floats (rows, dimension)"
        )
    return array


def _cut(array: NDArray[np.floating], counts: dict[str, int], kind: str) -> dict[str, NDArray[np.floating]]:
    total = sum(counts.values())
    if len(array) != total:
        said = " + ".join(f"{count} {name}" for name, count in counts.items())
        raise VectorError(
            f"the {kind} embeddings have {len(array)} rows; the release has {total}: {said}, in this order"
        )
    ends = np.cumsum(list(counts.values()))
    return {name: array[end - count : end] for (name, count), end in zip(counts.items(), ends.tolist(), strict=True)}
