"""Exact cosine search, one block of queries at a time, in bounded memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import VectorError, name_some
from lookbench_eval.samples import Strings

Floats = NDArray[np.floating]
Scores = NDArray[np.float32]
Index = NDArray[np.intp]

BLOCK_BYTES = 128 * 2**20
_TILE = 16_384
_PROBES = 32
_SAFE_NORM = (1e-12, 1e12)  # outside it a float32 dot product may under- or overflow


@dataclass(frozen=True, eq=False)
class Vectors:
    """Embeddings that passed the checks: parts of shape (n_i, d), with the inverse of every row's length."""

    parts: tuple[Floats, ...]
    inverse: NDArray[np.float32]
    twins: tuple[Index, Index]
    """Columns that repeat an earlier row byte for byte, and the first such row of each."""

    def __len__(self) -> int:
        return len(self.inverse)

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return int(self.parts[0].shape[1])


def check(parts: Sequence[Floats], ids: Strings, where: str) -> Vectors:
    """Check embeddings and prepare them for search, without copying them.

    `parts` are matrices (n_i, d) that together have one row per id. Raises VectorError that names the ids of
    non-finite and of zero rows, or says how many rows were expected.
    """
    shapes = [part.shape for part in parts]
    if any(part.ndim != 2 for part in parts) or len({shape[1] for shape in shapes}) != 1:
        raise VectorError(
            f"{where} embeddings have shapes {shapes}; expected matrices (rows, dimension) of one dimension"
        )
    if sum(shape[0] for shape in shapes) != len(ids):
        raise VectorError(
            f"{where} embeddings have {sum(s[0] for s in shapes)} rows, but there are {len(ids)} {where} samples"
        )
    if not all(np.issubdtype(part.dtype, np.floating) for part in parts):
        raise VectorError(f"{where} embeddings have types {[str(p.dtype) for p in parts]}; expected floating point")
    norms = np.concatenate([_norms(part) for part in parts]) if len(ids) else np.zeros(0)
    broken = ~np.isfinite(norms)
    if broken.any():
        raise VectorError(
            f"{int(broken.sum())} {where} vectors are not finite: {name_some(ids[broken])}; "
            "the model returned NaN or infinity for these pictures"
        )
    zero = norms == 0
    if zero.any():
        raise VectorError(
            f"{int(zero.sum())} {where} vectors are zero: {name_some(ids[zero])}; "
            "a zero vector has no direction to compare"
        )
    low, high = _SAFE_NORM
    if len(norms) and (norms.min() < low or norms.max() > high):
        parts = [_unit(part) for part in parts]
        norms = np.concatenate([_norms(part) for part in parts])
    return Vectors(tuple(parts), (1.0 / norms).astype(np.float32), _twins(parts))


def unit_rows(vectors: Vectors) -> NDArray[np.float32]:
    """All rows at unit length, shape (n, d), float32."""
    dense = np.concatenate([part.astype(np.float32, copy=False) for part in vectors.parts])
    return (dense * vectors.inverse[:, None]).astype(np.float32, copy=False)


def blocks(queries: Vectors, gallery: Vectors, *, block_bytes: int = BLOCK_BYTES) -> Iterator[tuple[slice, Scores]]:
    """Yield (rows, scores): the cosine of a block of queries with the whole gallery, shape (b, N), float32.

    The array is reused by the next block. `block_bytes` bounds its size whatever N is. Gallery rows that are
    byte for byte the same get exactly the same score: matrix kernels may differ in the last bit by position.
    """
    size = max(1, len(gallery))
    height = max(1, min(len(queries), block_bytes // (4 * size)))
    buffer = np.empty((height, len(gallery)), dtype=np.float32)
    ready = unit_rows(queries)
    repeats, firsts = gallery.twins
    for start in range(0, len(queries), height):
        rows = slice(start, min(start + height, len(queries)))
        scores = buffer[: rows.stop - rows.start]
        column = 0
        for tile in _tiles(gallery.parts):
            np.matmul(ready[rows], tile.T, out=scores[:, column : column + len(tile)])
            column += len(tile)
        scores *= gallery.inverse
        if len(repeats):
            scores[:, repeats] = scores[:, firsts]
        yield rows, scores


def _tiles(parts: Sequence[Floats]) -> Iterator[NDArray[np.float32]]:
    for part in parts:
        if part.dtype == np.float32 and part.flags.c_contiguous:
            yield part
            continue
        for start in range(0, len(part), _TILE):
            yield np.ascontiguousarray(part[start : start + _TILE], dtype=np.float32)


def _norms(part: Floats) -> NDArray[np.float64]:
    """Euclidean length of every row, in float64, tile by tile."""
    norms = np.empty(len(part))
    for start in range(0, len(part), _TILE):
        tile = part[start : start + _TILE]
        if tile.dtype == np.float16:
            tile = tile.astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.einsum("ij,ij->i", tile, tile).astype(np.float64)
            odd = ~np.isfinite(squares) | (squares < np.finfo(np.float32).tiny)
            if odd.any():
                squares[odd] = np.square(tile[odd].astype(np.float64)).sum(axis=1)
        norms[start : start + _TILE] = np.sqrt(squares)
    return norms


def _unit(part: Floats) -> NDArray[np.float32]:
    """Rows at unit length; the largest entry is taken out first so that squares stay in range."""
    wide = part.astype(np.float64)
    wide /= np.abs(wide).max(axis=1, keepdims=True)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    return wide.astype(np.float32)


def _twins(parts: Sequence[Floats]) -> tuple[Index, Index]:
    """Rows that repeat an earlier row, and the earlier rows.

    A checksum of some columns finds the suspects; only those are compared in full.
    """
    sums = np.concatenate([_checksums(part) for part in parts])
    order = np.argsort(sums, kind="stable")
    same = np.flatnonzero(sums[order][1:] == sums[order][:-1])
    offsets = np.cumsum([0, *[len(part) for part in parts]])

    def row(place: int) -> bytes:
        part = int(np.searchsorted(offsets, place, side="right")) - 1
        return (np.asarray(parts[part][place - offsets[part]], dtype=np.float32) + np.float32(0)).tobytes()

    firsts: dict[bytes, int] = {}
    repeats = []
    for place in np.unique(np.concatenate([order[same], order[same + 1]])).tolist():
        digest = hashlib.sha256(row(place)).digest()
        first = firsts.setdefault(digest, place)
        if first != place:
            repeats.append((place, first))
    pairs = np.array(repeats, dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _checksums(part: Floats) -> NDArray[np.uint64]:
    """A number per row that equal rows share, from up to 32 columns spread over the width."""
    columns = np.unique(np.linspace(0, part.shape[1] - 1, _PROBES).astype(np.intp))
    odd = np.random.default_rng(0).integers(1, 2**32, len(columns), dtype=np.uint64) | np.uint64(1)
    sums = np.empty(len(part), dtype=np.uint64)
    for start in range(0, len(part), _TILE):
        # Adding zero makes -0.0 and 0.0, which compare equal, the same bits.
        tile = np.ascontiguousarray(part[start : start + _TILE][:, columns], dtype=np.float32) + np.float32(0)
        sums[start : start + len(tile)] = tile.view(np.uint32).astype(np.uint64) @ odd
    return sums
