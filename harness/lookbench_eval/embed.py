"""Run an encoder over the pictures of a split: decode in threads, encode in batches, hold only vectors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.encoders import Encoder
from lookbench_eval.errors import HarnessError, ModelError, ReleaseError
from lookbench_eval.pictures import decode
from lookbench_eval.readers import Split

Progress = Callable[[str, int, int], None]

BATCH = 32


def embed(
    encoder: Encoder,
    split: Split,
    where: str,
    *,
    rows: NDArray[np.intp] | None = None,
    batch_size: int = BATCH,
    workers: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """Embed the pictures of a split (or its given rows, ascending): shape (n, d), float32.

    Raises ReleaseError that names a sample whose picture does not decode, ModelError when the model returns
    another number of rows, or another dimension than before.
    """
    count = len(split.samples) if rows is None else len(rows)
    vectors: NDArray[np.float32] | None = None
    done = 0
    workers = workers or min(8, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="decode") as pool:
        waiting: deque[Future[Any]] = deque()
        pictures = _wanted(split, rows)
        batch: list[Any] = []
        for sample, data in pictures:
            waiting.append(pool.submit(_prepare, encoder, data, sample))
            if len(waiting) >= 2 * batch_size:
                batch.append(waiting.popleft().result())
            if len(batch) == batch_size:
                vectors = _store(encoder, batch, vectors, done, count, where)
                done += len(batch)
                batch = []
                if progress:
                    progress(where, done, count)
        while waiting or batch:
            while waiting and len(batch) < batch_size:
                batch.append(waiting.popleft().result())
            vectors = _store(encoder, batch, vectors, done, count, where)
            done += len(batch)
            batch = []
            if progress:
                progress(where, done, count)
    if done != count or vectors is None:
        raise ReleaseError(f"{where} holds {done} pictures for {count} samples; the files do not belong together")
    return vectors


def _wanted(split: Split, rows: NDArray[np.intp] | None) -> Iterator[tuple[str, bytes]]:
    keep = None if rows is None else np.isin(np.arange(len(split.samples)), rows)
    for row, data in enumerate(split.source):
        if row >= len(split.samples):
            raise ReleaseError(f"the pictures outnumber the {len(split.samples)} samples they belong to")
        if keep is None or keep[row]:
            yield str(split.samples.ids[row]), data


def _prepare(encoder: Encoder, data: bytes, sample: str) -> Any:
    try:
        return encoder.prepare(decode(data))
    except ReleaseError as error:
        raise ReleaseError(f"sample {sample}: {error}") from error


def _store(
    encoder: Encoder, batch: list[Any], vectors: NDArray[np.float32] | None, start: int, count: int, where: str
) -> NDArray[np.float32]:
    found = encode(encoder, batch, None if vectors is None else vectors.shape[1], where)
    if vectors is None:
        vectors = np.empty((count, found.shape[1]), dtype=np.float32)
    vectors[start : start + len(found)] = found
    return vectors


def encode(encoder: Encoder, batch: list[Any], dimension: int | None, where: str) -> NDArray[np.float32]:
    """Encode one batch and check what comes back: one row each, a constant dimension."""
    try:
        found = np.asarray(encoder.encode(batch))
    except HarnessError:
        raise
    except Exception as error:
        raise ModelError(f"{encoder.card.spec} failed on {where}: {type(error).__name__}: {error}") from error
    if found.ndim != 2 or len(found) != len(batch) or not np.issubdtype(found.dtype, np.floating):
        raise ModelError(
            f"{encoder.card.spec} returned {found.dtype} of shape {found.shape} for {len(batch)} pictures of {where}; "
            "expected one row of floating point numbers each"
        )
    if dimension is not None and found.shape[1] != dimension:
        raise ModelError(
            f"{encoder.card.spec} returned vectors of {found.shape[1]} numbers for {where}, after {dimension} before"
        )
    return found.astype(np.float32, copy=False)
