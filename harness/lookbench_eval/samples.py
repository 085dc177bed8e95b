"""What is known of the rows of a split: labels, dates and provenance, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Strings = NDArray[np.object_]
Dates = NDArray[np.datetime64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Metadata of n rows. Every column has shape (n,); a missing text is "", a missing date NaT.

    `attributes` holds frozensets of strings that include the main attribute; `facets` holds tuples of
    (facet, value) pairs. `item` names the product, `photo` the sha256 of the original file.
    """

    ids: Strings
    category: Strings
    main_attribute: Strings
    attributes: Strings
    item: Strings
    look: Strings
    photo: Strings
    site: Strings
    difficulty: Strings
    facets: Strings
    dates: Dates

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Samples:
        """The given rows (indices or a mask of shape (n,)), in that order."""
        return replace(self, **{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Samples:
        """Build from one mapping per row.

        Keys: `id`, and optionally `category`, `main_attribute`, `attributes`, `item`, `look`, `photo`,
        `site`, `difficulty`, `facets`, `date` (ISO text, `datetime.date`, or absent).
        """
        attributes = []
        for row in rows:
            values = {str(value) for value in row.get("attributes") or ()}
            main = row.get("main_attribute") or ""
            attributes.append(frozenset(values | {main} if main else values))
        return cls(
            ids=objects([str(row["id"]) for row in rows]),
            attributes=objects(attributes),
            facets=objects([tuple(row.get("facets") or ()) for row in rows]),
            dates=np.array([row.get("date") or "NaT" for row in rows], dtype="datetime64[D]"),
            **{
                name: objects([row.get(name) or "" for row in rows])
                for name in ("category", "main_attribute", "item", "look", "photo", "site", "difficulty")
            },
        )


def objects(values: Sequence[Any]) -> Strings:
    """A one-dimensional object array, also of tuples and sets, which numpy would unpack."""
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def concatenate(parts: Sequence[Samples]) -> Samples:
    """Rows of all parts, one after the other."""
    return Samples(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Samples)})
