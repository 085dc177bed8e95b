"""Distractors: whole label groups held out of the queries, so that a distractor answers no query by construction."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from releases.records import Record, rank

Group = tuple[str, str]
Vectors = npt.NDArray[np.float32]
BAND_WIDTH = 0.1


@dataclass(frozen=True)
class HoldOut:
    """Which label groups and which products are distractors of an edition."""

    groups: frozenset[Group]
    products: frozenset[str]


def choose(
    products: Mapping[str, Sequence[Record]],
    wanted_by: Iterable[Group],
    *,
    share: float,
    ceiling: float,
    salt: str,
) -> HoldOut:
    """Hold out label groups until about ``share`` of the products are distractors.

    ``wanted_by`` names the group of each query of a look or generated picture: groups that cost fewer of them go first,
    then a stable hash decides. No category loses its last group, so distractors stay near what is asked for, and no
    group is taken that would lift the share over ``ceiling``. Products without a main attribute are never distractors.
    """
    group_of = {key: group for key, records in products.items() if (group := _main_group(records))}
    size, cost = Counter(group_of.values()), Counter(wanted_by)
    left = Counter(category for category, _ in size)
    held: set[Group] = set()
    taken = 0
    for group in sorted(size, key=lambda group: (cost[group], rank(salt, "/".join(group)))):
        if taken >= share * len(products):
            break
        if left[group[0]] > 1 and taken + size[group] <= ceiling * len(products):
            held.add(group)
            left[group[0]] -= 1
            taken += size[group]
    return HoldOut(frozenset(held), frozenset(key for key, group in group_of.items() if group in held))


def _main_group(records: Sequence[Record]) -> Group | None:
    """Return the label group that most photos of a product have, a tie going to the first in the alphabet."""
    votes = Counter(record.group for record in records if record.group)
    return min(votes, key=lambda group: (-votes[group], group)) if votes else None


class Space:
    """The embeddings of an edition's garments."""

    def __init__(self, fingerprints: pa.Table) -> None:
        self._row = {key: row for row, key in enumerate(fingerprints["id"].to_pylist())}
        self._embedding = fingerprints["embedding"]

    def nearest(self, candidates: Iterable[Record], queries: Iterable[Record]) -> dict[str, float]:
        """Return item_id -> cosine to the nearest query; candidates and queries without a fingerprint are left out."""
        known = [record.item_id for record in candidates if record.item_id in self._row]
        asked = [record.item_id for record in queries if record.item_id in self._row]
        return dict(zip(known, nearest(self._vectors(known), self._vectors(asked)).tolist(), strict=True))

    def _vectors(self, ids: Sequence[str]) -> Vectors:
        rows = pa.array([self._row[key] for key in ids], type=pa.int64())
        flat = self._embedding.take(rows).combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return flat.astype(np.float32).reshape(len(ids), -1) if ids else np.zeros((0, 1), dtype=np.float32)


def nearest(candidates: Vectors, queries: Vectors, *, block: int = 4096) -> npt.NDArray[np.float32]:
    """Return the cosine of each candidate (n, d) to its nearest query (m, d), shape (n,); both of unit length."""
    if not len(queries):
        return np.full(len(candidates), -1.0, dtype=np.float32)
    parts = [(candidates[start : start + block] @ queries.T).max(axis=1) for start in range(0, len(candidates), block)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


def band(cosine: float) -> str:
    """Return the interval of a cosine as text, such as ``0.60-0.70``."""
    low = min(int(max(cosine, 0.0) / BAND_WIDTH + 1e-6), 9) * BAND_WIDTH
    return f"{low:.2f}-{low + BAND_WIDTH:.2f}"
