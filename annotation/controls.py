"""The controls of a labelling template: which question each asks, with which choices, for which categories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from taxonomy.model import Taxonomy

CATEGORY = "category"
"""Name of the control that asks for the category; every other is shown by its answer."""
IMAGE = "crop"
"""Name of the object every control refers to: the garment itself."""


@dataclass(frozen=True)
class Control:
    """One list of choices."""

    name: str
    """Unique in the template: the facet, with the first of its categories where other categories choose otherwise."""
    facet: str
    choice: str
    """single or multiple."""
    values: tuple[str, ...]
    categories: tuple[str, ...]
    """Categories that show it; empty for the category control."""
    main: bool = False
    """Whether it may give the main attribute of the first category."""


def controls(taxonomy: Taxonomy) -> tuple[Control, ...]:
    """Return the controls of a template, the category first, facets in the order of the taxonomy."""
    made = [Control(CATEGORY, CATEGORY, "single", tuple(taxonomy.categories), ())]
    for facet in taxonomy.facets.values():
        askers: dict[tuple[str, ...], list[str]] = {}
        for category in taxonomy.categories:
            if values := taxonomy.values(category, facet.name):
                askers.setdefault(values, []).append(category)
        for values, categories in askers.items():
            name = _slug(facet.name) if len(askers) == 1 else f"{_slug(facet.name)}.{_slug(categories[0])}"
            main = facet.name in taxonomy.categories[categories[0]].main_facets
            made.append(Control(name, facet.name, facet.choice, values, tuple(categories), main))
    return tuple(made)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name)


def choices(name: str, values: Iterable[str]) -> dict[str, Any]:
    """Return one result of Label Studio: the values chosen in control ``name``."""
    return {"from_name": name, "to_name": IMAGE, "type": "choices", "value": {"choices": list(values)}}


def result(asked: Iterable[Control], category: str, attributes: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the results that answer the controls of ``category`` with ``attributes`` (facet, value)."""
    by_facet: dict[str, list[str]] = {}
    for facet, value in attributes:
        by_facet.setdefault(facet, []).append(value)
    rows = [choices(CATEGORY, [category])]
    rows += [
        choices(control.name, by_facet[control.facet])
        for control in asked
        if category in control.categories and control.facet in by_facet
    ]
    return rows


def answers(results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the (control name, value) pairs of an annotation; a value is never split, whatever it holds."""
    return [
        (str(row["from_name"]), str(value))
        for row in results
        if row.get("type") == "choices"
        for value in row.get("value", {}).get("choices", [])
    ]
