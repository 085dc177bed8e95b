"""Run an encoder over the pictures of a split: decode in threads, encode in batches, hold only vectors."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.cache import Cache
from lookbench_eval.encoders import Encoder
from lookbench_eval.errors import CacheError, HarnessError, ModelError, ReleaseError
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
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """Embed the pictures of a split (or its given rows, ascending): shape (n, d), float32.

    At most a few batches of pictures are decoded at a time. Raises ReleaseError that names a sample whose picture
    does not decode, ModelError when the model returns another number of rows, or another dimension than before. What
    was embedded before an error, or an interrupt, is in the cache.
    """
    count = len(split.samples) if rows is None else len(rows)
    task = _Task(encoder, where, count, batch_size, cache, progress)
    pool = ThreadPoolExecutor(workers or min(8, os.cpu_count() or 1), thread_name_prefix="decode")
    try:
        for place, (sample, data) in enumerate(_wanted(split, rows)):
            task.add(place, sample, data, pool)
        found = task.finish()
    except BaseException:
        if cache is not None:
            with suppress(CacheError):
                cache.flush()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if cache is not None:
        cache.flush()
    if task.done != count:
        raise ReleaseError(f"{where} holds {task.done} pictures for {count} samples; the files do not belong together")
    return found


class _Task:
    """The state of one `embed`: pictures in decoding, the next batch, and the vectors so far."""

    def __init__(
        self,
        encoder: Encoder,
        where: str,
        count: int,
        batch_size: int,
        cache: Cache | None,
        progress: Progress | None,
    ) -> None:
        self.done = 0
        self._encoder = encoder
        self._where = where
        self._count = count
        self._size = batch_size
        self._cache = cache
        self._progress = progress
        self._waiting: deque[tuple[int, bytes, Future[Any]]] = deque()
        self._batch: list[tuple[int, bytes, Any]] = []
        self._vectors: NDArray[np.float32] | None = None

    def add(self, place: int, sample: str, data: bytes, pool: ThreadPoolExecutor) -> None:
        """Take one picture: its vector comes from the cache, or it starts to be decoded."""
        if place >= self._count:
            self.done += 1
            return
        key = hashlib.sha256(data).digest() if self._cache is not None else b""
        held = self._cache.get(key) if self._cache is not None else None
        if held is not None:
            self._place(np.array([place]), held[None])
            return
        self._waiting.append((place, key, pool.submit(_prepare, self._encoder, data, sample)))
        if len(self._waiting) >= 2 * self._size:
            self._take()

    def finish(self) -> NDArray[np.float32]:
        """Encode what is left."""
        while self._waiting:
            self._take()
        if self._batch:
            self._run()
        return np.zeros((0, 0), dtype=np.float32) if self._vectors is None else self._vectors

    def _take(self) -> None:
        place, key, future = self._waiting.popleft()
        self._batch.append((place, key, future.result()))
        if len(self._batch) == self._size:
            self._run()

    def _run(self) -> None:
        places, keys, prepared = (list(column) for column in zip(*self._batch, strict=True))
        self._batch = []
        found = encode(self._encoder, prepared, self._where)
        self._place(np.array(places), found)
        if self._cache is not None:
            for key, vector in zip(keys, found, strict=True):
                self._cache.put(key, vector.copy())

    def _place(self, places: NDArray[np.intp], found: NDArray[np.float32]) -> None:
        if self._vectors is None:
            self._vectors = np.empty((self._count, found.shape[1]), dtype=np.float32)
        if found.shape[1] != self._vectors.shape[1]:
            raise ModelError(
                f"{self._encoder.card.spec} returned vectors of {found.shape[1]} numbers for {self._where}, "
                f"after {self._vectors.shape[1]} before"
            )
        self._vectors[places] = found
        self.done += len(places)
        if self._progress and (self.done == self._count or len(places) > 1 or self.done % self._size == 0):
            self._progress(self._where, self.done, self._count)


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


def encode(encoder: Encoder, batch: list[Any], where: str) -> NDArray[np.float32]:
    """Encode one batch and check that one row of floating point numbers comes back for each picture."""
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
    return found.astype(np.float32, copy=False)
