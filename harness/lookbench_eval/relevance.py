"""Which gallery rows answer a query, and how well.

A relevance maps (query, gallery) pairs to a gain: 0 is no answer, anything above is a positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import MeasureError
from lookbench_eval.samples import Samples, Strings

Index = NDArray[np.intp]
Gains = NDArray[np.float64]

RELEVANCES = ("coarse", "fine", "fine-all", "fine-subset", "graded", "item", "judged")


class Relevance(Protocol):
    """Gains of pairs, and the positives of one query."""

    def gains(self, queries: Index, gallery: Index) -> Gains:
        """Gains of the pairs (queries[i], gallery[i]), shape (m,)."""

    def positives(self, query: int) -> Index:
        """Gallery rows with a gain above zero, own files included, in ascending order."""


class SameCode:
    """Gain 1 where query and gallery carry the same code; a negative code equals nothing."""

    def __init__(self, queries: NDArray[np.int64], gallery: NDArray[np.int64]) -> None:
        self._queries = queries
        self._gallery = gallery
        self._order = np.argsort(gallery, kind="stable")
        ordered = gallery[self._order]
        self._first = np.searchsorted(ordered, queries, side="left")
        self._last = np.where(queries < 0, self._first, np.searchsorted(ordered, queries, side="right"))

    def gains(self, queries: Index, gallery: Index) -> Gains:
        wanted = self._queries[queries]
        same: NDArray[np.bool_] = (wanted == self._gallery[gallery]) & (wanted >= 0)
        return same.astype(np.float64)

    def positives(self, query: int) -> Index:
        return self._order[self._first[query] : self._last[query]]


class Overlap:
    """Within another relevance, the share of the query's attributes that the answer carries.

    Attributes that no query carries cannot overlap, so the bit sets hold only those of the queries.
    """

    def __init__(self, within: SameCode, queries: Strings, gallery: Strings, rule: str) -> None:
        self._within = within
        self._rule = rule
        words = {word: place for place, word in enumerate(sorted({word for one in queries for word in one}))}
        self._query_bits = _bits(queries, words)
        self._gallery_bits = _bits(gallery, words)
        self._query_sizes = np.array([len(one) for one in queries], dtype=np.int64)
        self._gallery_sizes = np.array([len(one) for one in gallery], dtype=np.int64)

    def gains(self, queries: Index, gallery: Index) -> Gains:
        gains = self._within.gains(queries, gallery)
        held = np.flatnonzero(gains)
        asker, answer = queries[held], gallery[held]
        common = np.bitwise_count(self._query_bits[asker] & self._gallery_bits[answer]).sum(axis=1, dtype=np.int64)
        size = self._query_sizes[asker]
        if self._rule == "share":
            gains[held] = common / np.maximum(size, 1)
        else:
            right = common == size
            if self._rule == "equal":
                right &= self._gallery_sizes[answer] == size
            gains[held] = right
        return gains

    def positives(self, query: int) -> Index:
        rows = self._within.positives(query)
        return rows[self.gains(np.full(len(rows), query), rows) > 0]


class Judged:
    """Gains taken from relevance judgements: query id -> gallery id -> grade (negative counts as 0)."""

    def __init__(self, queries: Strings, gallery: Strings, qrels: Mapping[str, Mapping[str, int]]) -> None:
        place = {name: row for row, name in enumerate(gallery)}
        self._width = max(len(gallery), 1)
        keys, grades = [], []
        for row, name in enumerate(queries):
            for answer, grade in qrels.get(name, {}).items():
                if answer in place and grade > 0:
                    keys.append(row * self._width + place[answer])
                    grades.append(float(grade))
        order = np.argsort(np.array(keys, dtype=np.int64))
        self._keys = np.array(keys, dtype=np.int64)[order]
        self._grades = np.array(grades, dtype=np.float64)[order]

    def gains(self, queries: Index, gallery: Index) -> Gains:
        if not len(self._keys):
            return np.zeros(len(queries))
        wanted = queries.astype(np.int64) * self._width + gallery
        found = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[found] == wanted, self._grades[found], 0.0)

    def positives(self, query: int) -> Index:
        first, last = np.searchsorted(self._keys, (query * self._width, (query + 1) * self._width))
        return (self._keys[first:last] - query * self._width).astype(np.intp)


def build(
    name: str, queries: Samples, gallery: Samples, qrels: Mapping[str, Mapping[str, int]] | None = None
) -> Relevance:
    """Make a relevance by name.

    - `coarse`: category equal; `fine`: category and main attribute equal (the published Fine);
    - `fine-all`: category equal and the same set of attributes; `fine-subset`: category equal and every
      attribute of the query present;
    - `graded`: [fine] x |Aq n Ai| / |Aq|; `item`: same product; `judged`: the qrels.

    An empty label equals nothing. Raises MeasureError for `judged` without qrels or an unknown name.
    """
    if name == "judged":
        if qrels is None:
            raise MeasureError("relevance 'judged' needs relevance judgements (qrels), and this data has none")
        return Judged(queries.ids, gallery.ids, qrels)
    if name == "item":
        return SameCode(*_codes([queries.item], [gallery.item]))
    coarse = [queries.category], [gallery.category]
    if name == "coarse":
        return SameCode(*_codes(*coarse))
    fine = [queries.category, queries.main_attribute], [gallery.category, gallery.main_attribute]
    if name == "fine":
        return SameCode(*_codes(*fine))
    if name == "graded":
        return Overlap(SameCode(*_codes(*fine)), queries.attributes, gallery.attributes, "share")
    if name in {"fine-all", "fine-subset"}:
        rule = "equal" if name == "fine-all" else "subset"
        return Overlap(SameCode(*_codes(*coarse)), queries.attributes, gallery.attributes, rule)
    raise MeasureError(f"unknown relevance {name!r}; choose one of {', '.join(RELEVANCES)}")


def _codes(queries: Sequence[Strings], gallery: Sequence[Strings]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct label tuples of the queries; -1 for a tuple with an empty part or foreign to them."""
    known: dict[tuple[str, ...], int] = {}
    ours = [known.setdefault(key, len(known)) if all(key) else -1 for key in zip(*queries, strict=True)]
    theirs = [known.get(key, -1) for key in zip(*gallery, strict=True)]
    return np.array(ours, dtype=np.int64), np.array(theirs, dtype=np.int64)


def _bits(sets: Strings, words: Mapping[str, int]) -> NDArray[np.uint64]:
    """Bit sets of shape (n, ceil(words / 64))."""
    bits = np.zeros((len(sets), max(1, -(-len(words) // 64))), dtype=np.uint64)
    rows, places = [], []
    for row, one in enumerate(sets):
        for word in one:
            place = words.get(word)
            if place is not None:
                rows.append(row)
                places.append(place)
    held = np.array(places, dtype=np.int64)
    np.bitwise_or.at(bits, (np.array(rows, dtype=np.intp), held >> 6), np.uint64(1) << (held & 63).astype(np.uint64))
    return bits
