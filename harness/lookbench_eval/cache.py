"""Keep embeddings between runs, keyed by model, preprocessing and picture."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookbench_eval.atomic import write_whole
from lookbench_eval.encoders.base import ModelCard
from lookbench_eval.errors import CacheError

_SHARD = 4096
_FORMAT = 1

Vector = NDArray[np.float32]


class Cache:
    """Vectors of one model in a folder of its own, in files that are only ever added.

    A file is named by the sha256 of its content and appears whole or not at all, so any number of runs may share
    the folder. A damaged file is passed over, and its pictures are embedded again.
    """

    def __init__(self, root: Path, card: ModelCard) -> None:
        if not card.revision:
            raise CacheError(f"{card.spec} states no revision, so its embeddings cannot be cached; leave --cache out")
        self.folder = root / identity(card)
        self._known: dict[bytes, Vector] = {}
        self._new: dict[bytes, Vector] = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / "model.json", json.dumps(_description(card), indent=1).encode())
            for path in sorted(self.folder.glob("*.parquet")):
                self._known |= _read(path)
        except OSError as error:
            raise CacheError(f"the cache {self.folder} cannot be used: {error}; leave --cache out") from error

    def __len__(self) -> int:
        return len(self._known) + len(self._new)

    def get(self, picture: bytes) -> Vector | None:
        """The vector of a picture, by the sha256 of its file (32 bytes)."""
        return self._known.get(picture)

    def put(self, picture: bytes, vector: Vector) -> None:
        """Remember a vector; non-finite ones are not kept. Raises CacheError when the disk is full."""
        if np.isfinite(vector).all():
            self._new[picture] = vector
        if len(self._new) >= _SHARD:
            self.flush()

    def flush(self) -> None:
        """Write what is new. Raises CacheError; the vectors stay in memory then."""
        if not self._new:
            return
        data = _shard(self._new)
        try:
            write_whole(self.folder / f"{hashlib.sha256(data).hexdigest()}.parquet", data)
        except OSError as error:
            raise CacheError(
                f"{len(self._new)} embeddings cannot be written to the cache {self.folder}: {error}; "
                "free space, or leave --cache out"
            ) from error
        self._known |= self._new
        self._new = {}


def identity(card: ModelCard) -> str:
    """Name of a model's folder: the sha256 of what its vectors depend on."""
    return hashlib.sha256(json.dumps(_description(card), sort_keys=True).encode()).hexdigest()[:32]


def _description(card: ModelCard) -> Mapping[str, Any]:
    return {
        "format": _FORMAT,
        "name": card.name,  # revisions of Python functions are free texts, which two of them may share
        "revision": card.revision,
        "preprocessing": dict(card.preprocessing),
        "dtype": card.dtype,
    }


def _shard(vectors: Mapping[bytes, Vector]) -> bytes:
    keys = sorted(vectors)
    matrix = np.stack([vectors[key] for key in keys])
    flat = pa.array(matrix.ravel(), pa.float32())
    table = pa.table(
        {
            "sha256": pa.array(keys, pa.binary(32)),
            "vector": pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1]),
        }
    )
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="none", use_dictionary=False)
    return buffer.getvalue()


def _read(path: Path) -> dict[bytes, Vector]:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != path.stem:
        return {}
    table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
    column = table.column("vector").combine_chunks()
    matrix = column.flatten().to_numpy().reshape(len(table), column.type.list_size)
    return dict(zip(table.column("sha256").to_pylist(), matrix, strict=True))
