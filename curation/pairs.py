"""Pairs of pictures that repeat each other: candidates by exact search, judged in three tiers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from curation.alignment import Look, LookPolicy, View, compare, confirms
from curation.hashes import INVERSE, ORIENTATIONS

Codes = npt.NDArray[np.uint8]
Hits = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""(n,) first pictures, (n,) second pictures, (n,) cosines."""
Views = Callable[[int, tuple[int | None, ...]], dict[int | None, View] | None]

ROWS: Final = 2048
"""New vectors of one block of the cosine search ..."""

BLOCK: Final = 8192
"""... and vectors that they are held against: 8,192 x 1,280 float32 are 42 MB, their cosines with ROWS others 67 MB."""


@dataclass(frozen=True)
class DuplicatePolicy:
    """The lines of the three tiers; set by benchmarks/duplicates.py."""

    phash: int = 8
    """Most differing bits of 64 for a pHash twin."""
    pdq: int = 60
    """Most differing bits of 256 for a PDQ twin."""
    pdq_alone: int = 31
    """The same where no pixels are left for a second look (Facebook's own line)."""
    quality: int = 50
    """Least PDQ quality of both pictures: below it (Facebook's line) hashes collide, and only a second look speaks."""
    cosine: float = 0.66
    """Least cosine of two embeddings that calls for a second look."""
    cosine_alone: float = 0.95
    """Least cosine that is enough where no pixels are left, together with ``pdq_with_cosine``."""
    pdq_with_cosine: int = 90
    """Most differing bits of 256 for a pair that only its embedding found, where no pixels are left."""
    candidates: int = 4
    """Second looks per picture at pairs that only the embedding, or a hash that cannot vouch, suggests."""
    overlap: float = LookPolicy.overlap
    """Least share of either picture that both have in common."""
    agreement: float = LookPolicy.agreement
    """Least share of agreeing blocks, features aligned."""
    frame_agreement: float = LookPolicy.frame_agreement
    """Least share of agreeing blocks, frame on frame."""
    beneath: float = LookPolicy.beneath
    """Or least share of agreeing blocks beneath text and stickers."""
    patterned: float = LookPolicy.patterned
    """Least share of blocks with a pattern where only what lies beneath agrees, or all shades changed."""
    colour: float = LookPolicy.colour
    """Most distance of colours in a*b*."""
    light: float = LookPolicy.light
    """Most distance of lightness in L*."""
    unchanged: float = LookPolicy.unchanged
    """Most of a copy that stays as it was when colour or light are farther apart ..."""
    tone: float = LookPolicy.tone
    """... and most distance of L* that is left then after the best tone curve."""

    @property
    def look(self) -> LookPolicy:
        """The lines of the second look."""
        return LookPolicy(
            self.overlap,
            self.agreement,
            self.frame_agreement,
            self.beneath,
            self.patterned,
            self.colour,
            self.light,
            self.unchanged,
            self.tone,
        )


@dataclass(frozen=True)
class Prints:
    """Fingerprints of ``n`` pictures, one side of a search."""

    files: Sequence[str]
    """sha256 of the bytes."""
    pixels: Sequence[str | None]
    """sha256 of the decoded pixels, where known."""
    phash: Codes
    """(n, turns, 8): one turn, or the eight of curation.hashes.ORIENTATIONS on the new side."""
    pdq: Codes
    """(n, turns, 32)."""
    quality: npt.NDArray[np.int64]
    """(n,); negative where a picture has no hashes."""
    vectors: Sequence[npt.NDArray[np.floating[Any]]]
    """Unit vectors of the pictures and of the garments in them, m in all; arrays of (k, size), memory-mapped or not."""
    owner: npt.NDArray[np.int64]
    """(m,) the picture of each vector."""
    kin: Sequence[frozenset[str]]
    """Products and seeds: pictures with one in common are expected to look alike."""

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self.files)


@dataclass(frozen=True)
class Pair:
    """Two pictures that repeat each other: ``a`` of the new side, ``b`` of the new side or of the past."""

    a: int
    b: int
    past: bool
    tier: str
    """bytes, pixels, pdq, phash or embedding."""
    distance: float
    """Bits, or 1 - cosine."""
    threshold: float
    look: Look | None = None


@dataclass
class _Near:
    """The smallest distances seen between two pictures."""

    phash: int = 64
    pdq: int = 256
    turn: int = 0
    cosine: float = -1.0


Key = tuple[int, int, bool]


def find(
    new: Prints,
    past: Prints,
    views: Views,
    past_views: Views,
    policy: DuplicatePolicy,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Return every pair found among the new pictures, and between them and the past, sorted.

    ``views`` and ``past_views`` give a picture prepared for a second look in the orientations asked for, or None when
    its bytes are gone. A pair is in the list once, by its strongest tier. ``progress`` is told the second looks.
    """
    found: dict[Key, Pair] = {}
    for other, is_past in ((new, False), (past, True)):
        for tier, ours, theirs in (("bytes", new.files, other.files), ("pixels", new.pixels, other.pixels)):
            for a, b in _equal(ours, theirs, is_past):
                found.setdefault((a, b, is_past), Pair(a, b, is_past, tier, 0.0, 0.0))
    near: dict[Key, _Near] = {}
    for other, is_past in ((new, False), (past, True)):
        _hash_candidates(new, other, is_past, policy, near)
        _cosine_candidates(new, other, is_past, policy, near)
    suspects = _order(near, new, past, policy)
    for done, key in enumerate(suspects, 1):
        if key not in found and (pair := _judge(key, near[key], new, past, views, past_views, policy)):
            found[key] = pair
        if progress:
            progress(done, len(suspects))
    return [found[key] for key in sorted(found)]


def _equal(ours: Sequence[str | None], theirs: Sequence[str | None], is_past: bool) -> Iterator[tuple[int, int]]:
    places: dict[str | None, list[int]] = {}
    for a, value in enumerate(ours):
        places.setdefault(value, []).append(a)
    places.pop(None, None)
    for b, value in enumerate(theirs):
        yield from ((a, b) for a in places.get(value, ()) if is_past or b > a)


def _hash_candidates(
    new: Prints, other: Prints, is_past: bool, policy: DuplicatePolicy, near: dict[Key, _Near]
) -> None:
    ours, hashed = np.flatnonzero(new.quality >= 0), np.flatnonzero(other.quality >= 0)
    if not len(ours) or not len(hashed):
        return
    for kind, line in (("phash", policy.phash), ("pdq", policy.pdq)):
        queries, codes = getattr(new, kind)[ours], getattr(other, kind)[hashed, 0]
        turns = queries.shape[1]
        for query, place, distance in within(queries.reshape(-1, queries.shape[2]), codes, line):
            row, turn = divmod(query, turns)
            a, b = int(ours[row]), int(hashed[place])
            if not is_past and a == b:
                continue
            key = (a, b, is_past) if is_past else (min(a, b), max(a, b), False)
            seen = near.setdefault(key, _Near())
            if distance < getattr(seen, kind):
                setattr(seen, kind, distance)
                seen.turn = turn if is_past or a < b else INVERSE[turn]


def within(queries: Codes, codes: Codes, line: int) -> Iterator[tuple[int, int, int]]:
    """Yield (query, code, bits) for every pair within ``line`` bits: exact, by faiss' binary range search."""
    import faiss

    index = faiss.IndexBinaryFlat(codes.shape[1] * 8)
    index.add(np.ascontiguousarray(codes))
    limits, distances, labels = index.range_search(np.ascontiguousarray(queries), line + 1)
    for query in np.flatnonzero(np.diff(limits.astype(np.int64))):
        for place in range(int(limits[query]), int(limits[query + 1])):
            if distances[place] <= line:
                yield int(query), int(labels[place]), int(distances[place])


def _cosine_candidates(
    new: Prints, other: Prints, is_past: bool, policy: DuplicatePolicy, near: dict[Key, _Near]
) -> None:
    """Add the cosines of pairs that a hash has found, and of the others each picture's ``policy.candidates`` nearest.

    ``_order`` would not have a second look at more, and their number grows with the square of the pictures.
    """
    by_hash = [key for key in near if key[2] == is_past]
    codes = [a * len(other) + b for a, b, _ in by_hash]
    if not is_past:
        codes += [b * len(other) + a for a, b, _ in by_hash]
    hashed = np.array(codes, np.int64)
    nearest: Hits = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    for start, ours in _blocks(new.vectors, ROWS):
        for first, theirs in _blocks(other.vectors, BLOCK):
            cosines = ours @ theirs.T
            rows, columns = np.nonzero(cosines >= policy.cosine)
            owners, others, values = new.owner[start + rows], other.owner[first + columns], cosines[rows, columns]
            known = np.isin(owners * len(other) + others, hashed)
            _add(near, (owners[known], others[known], values[known]), new, other, is_past)
            found = ~known if is_past else ~known & (owners != others)
            joined = (
                np.append(nearest[0], owners[found]),
                np.append(nearest[1], others[found]),
                np.append(nearest[2], values[found]),
            )
            nearest = _nearest(joined, new, other, policy.candidates)
    _add(near, nearest, new, other, is_past)


def _nearest(hits: Hits, new: Prints, other: Prints, count: int) -> Hits:
    """Return of each first picture the ``count`` second ones of the largest cosine, kin left out."""
    owners, others, values = hits
    order = np.lexsort((others, -values, owners))
    kept: list[int] = []
    for group in np.split(order, np.flatnonzero(np.diff(owners[order])) + 1):
        seen: set[int] = set()
        for place in group:
            a, b = int(owners[place]), int(others[place])
            if len(seen) == count:
                break
            if b not in seen and not new.kin[a] & other.kin[b]:
                seen.add(b)
                kept.append(int(place))
    return owners[kept], others[kept], values[kept]


def _add(near: dict[Key, _Near], hits: Hits, new: Prints, other: Prints, is_past: bool) -> None:
    for a, b, cosine in zip(*(part.tolist() for part in hits), strict=True):
        if not new.kin[a] & other.kin[b]:
            seen = near.setdefault((a, b, True) if is_past else (min(a, b), max(a, b), False), _Near())
            seen.cosine = max(seen.cosine, cosine)


def _blocks(
    vectors: Sequence[npt.NDArray[np.floating[Any]]], size: int
) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """Yield (place of its first vector, float32 block): only a block of the past is ever in memory."""
    place = 0
    for array in vectors:
        for start in range(0, len(array), size):
            yield place + start, array[start : start + size].astype(np.float32, copy=False)
        place += len(array)


def _order(near: dict[Key, _Near], new: Prints, past: Prints, policy: DuplicatePolicy) -> list[Key]:
    """Return the candidates to judge: all that a hash vouches for, and the nearest few of the others per picture."""
    vouched: list[Key] = []
    rest: list[Key] = []
    for key, seen in near.items():
        a, b, is_past = key
        quality = min(new.quality[a], (past if is_past else new).quality[b])
        by_hash = seen.phash <= policy.phash or seen.pdq <= policy.pdq
        (vouched if by_hash and quality >= policy.quality else rest).append(key)
    looked: dict[Any, int] = {}
    for key in sorted(rest, key=lambda key: (-near[key].cosine, near[key].pdq, near[key].phash, key)):
        a, b, is_past = key
        sides: tuple[Any, ...] = (a,) if is_past else (a, b)
        if any(looked.get(side, 0) < policy.candidates for side in sides):
            vouched.append(key)
            for side in sides:
                looked[side] = looked.get(side, 0) + 1
    return vouched


def _judge(
    key: Key, seen: _Near, new: Prints, past: Prints, views: Views, past_views: Views, policy: DuplicatePolicy
) -> Pair | None:
    a, b, is_past = key
    other = past if is_past else new
    quality = min(new.quality[a], other.quality[b])
    tier, distance, threshold = _tier(seen, policy)
    turns = sorted({0, 1, seen.turn})
    ways = tuple(ORIENTATIONS[turn] for turn in turns)
    still = (past_views if is_past else views)(b, (None,))
    moving = views(a, ways) if still is not None else None
    if moving is None or still is None:
        alone = _alone(seen, new, other, a, b, quality, policy)
        return Pair(a, b, is_past, tier, distance, threshold) if alone else None
    look = compare(moving, still[None])
    return Pair(a, b, is_past, tier, distance, threshold, look) if confirms(look, policy.look) else None


def _tier(seen: _Near, policy: DuplicatePolicy) -> tuple[str, float, float]:
    if seen.pdq <= policy.pdq:
        return "pdq", float(seen.pdq), float(policy.pdq)
    if seen.phash <= policy.phash:
        return "phash", float(seen.phash), float(policy.phash)
    return "embedding", round(1 - seen.cosine, 6), round(1 - policy.cosine, 6)


def _alone(seen: _Near, new: Prints, other: Prints, a: int, b: int, quality: int, policy: DuplicatePolicy) -> bool:
    """Whether fingerprints alone are enough: the bytes of one side are gone."""
    if quality < policy.quality:
        return False
    if seen.pdq <= policy.pdq_alone or (seen.phash <= policy.phash and seen.pdq <= policy.pdq):
        return True
    bits = np.bitwise_count(new.pdq[a] ^ other.pdq[b, 0]).sum(axis=-1).min()
    return bool(seen.cosine >= policy.cosine_alone and bits <= policy.pdq_with_cosine)
