"""The typed, frozen model of a taxonomy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

from taxonomy.phrases import Lexicon

Choice = Literal["single", "multiple"]
CHOICES: tuple[str, ...] = get_args(Choice)
GROUPS = ("upper", "lower", "full", "outer", "head", "hand", "foot", "accessory")
SYSTEMS = ("fashionpedia", "deepfashion2", "google")
"""Foreign vocabularies a taxonomy maps to."""


class TaxonomyError(Exception):
    """A taxonomy file that cannot be used, or a name it does not know; the message says where and what to do."""

    exit_code = 1


@dataclass(frozen=True)
class Value:
    """One value of a facet, for example ``v-neck``."""

    name: str
    """Unique among all values of the taxonomy."""
    definition: str
    """One line that says what is seen."""
    synonyms: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Categories it is limited to; empty means every category that has the facet."""
    implies: tuple[str, ...] = ()
    """Names of values that come with it."""
    leads: bool = True
    """Whether it may be a main attribute while a leading value is there."""


@dataclass(frozen=True)
class Facet:
    """One question about a garment, for example ``neckline``."""

    name: str
    choice: Choice
    definition: str
    values: MappingProxyType[str, Value]


@dataclass(frozen=True)
class Category:
    """One kind of garment."""

    name: str
    group: str
    """One of GROUPS: where on the body it is worn."""
    definition: str
    synonyms: tuple[str, ...]
    facets: tuple[str, ...]
    """Facets that apply, in the order in which they are asked."""
    main_facets: tuple[str, ...]
    """Facets that may give the main attribute, the strongest first, colour last."""


@dataclass(frozen=True)
class Compound:
    """A word or phrase that says a category and values at once, for example ``miniskirt``."""

    phrase: str
    category: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Mapping:
    """One class of a foreign vocabulary and what it means here."""

    id: int
    name: str
    categories: tuple[str, ...]
    """The categories it covers, the usual one first."""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Taxonomy:
    """A whole taxonomy, as read from its file."""

    version: str
    categories: MappingProxyType[str, Category]
    facets: MappingProxyType[str, Facet]
    compounds: tuple[Compound, ...] = ()
    ignored: tuple[str, ...] = ()
    mappings: MappingProxyType[str, tuple[Mapping, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def facet_of(self) -> MappingProxyType[str, str]:
        """The facet of each value name."""
        return MappingProxyType({value: facet.name for facet in self.facets.values() for value in facet.values})

    @cached_property
    def lexicon(self) -> Lexicon:
        """Every phrase that means a category or a value."""
        lexicon = Lexicon()
        for category in self.categories.values():
            lexicon.add((category.name, *category.synonyms), category=category.name)
        for facet in self.facets.values():
            for value in facet.values.values():
                only = value.categories[0] if len(value.categories) == 1 else None
                lexicon.add((value.name, *value.synonyms), category=only, values=(value.name,))
        for compound in self.compounds:
            lexicon.add((compound.phrase,), category=compound.category, values=compound.values)
        lexicon.add(self.ignored)
        return lexicon

    def value(self, name: str) -> Value:
        """Return the value ``name``; raise TaxonomyError when there is none."""
        if name not in self.facet_of:
            raise TaxonomyError(f"taxonomy {self.version} has no value {name!r}; see its facets")
        return self.facets[self.facet_of[name]].values[name]

    def values(self, category: str, facet: str) -> tuple[str, ...]:
        """Return the values of ``facet`` that ``category`` may have, in file order; empty when it has not the facet."""
        if facet not in self.categories[category].facets:
            return ()
        return tuple(
            value.name
            for value in self.facets[facet].values.values()
            if not value.categories or category in value.categories
        )

    def allows(self, category: str, value: str) -> bool:
        """Return whether a garment of ``category`` may have ``value``."""
        return value in self.facet_of and value in self.values(category, self.facet_of[value])

    def main_attribute(self, category: str, attributes: Iterable[tuple[str, str]]) -> str | None:
        """Return the value that leads for ``category`` among ``attributes`` (pairs of facet and value).

        The first facet of ``main_facets`` with a value that may lead wins; where there is none, the first with any
        value; None when no main facet has a value.
        """
        known = [(facet, value) for facet, value in attributes if self.facet_of.get(value) == facet]
        for strict in (True, False):
            for main in self.categories[category].main_facets:
                for facet, value in known:
                    if facet == main and (not strict or self.value(value).leads):
                        return value
        return None

    def ordered(self, category: str, attributes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the attributes that ``category`` allows, by facet in asking order, one for a single-choice facet."""
        by_facet: dict[str, list[str]] = {}
        for facet, value in attributes:
            if self.facet_of.get(value) == facet and self.allows(category, value):
                found = by_facet.setdefault(facet, [])
                if value not in found and not (found and self.facets[facet].choice == "single"):
                    found.append(value)
        return [(facet, value) for facet in self.categories[category].facets for value in by_facet.get(facet, ())]

    def implied(self, values: Sequence[str]) -> list[tuple[str, str]]:
        """Return the (facet, value) pairs that come with ``values``."""
        return [(self.facet_of[name], name) for value in values for name in self.value(value).implies]

    def category_of(self, system: str, id: int) -> str:
        """Return the usual category of class ``id`` of a foreign vocabulary; raise TaxonomyError when unknown."""
        for mapping in self._system(system):
            if mapping.id == id:
                return mapping.categories[0]
        raise TaxonomyError(
            f"taxonomy {self.version} maps no class {id} of {system}; add it to the mappings of the file"
        )

    def ids(self, system: str, category: str) -> tuple[int, ...]:
        """Return the classes of a foreign vocabulary that cover ``category``, those where it is the usual one first."""
        covering = [mapping for mapping in self._system(system) if category in mapping.categories]
        covering.sort(key=lambda mapping: (mapping.categories[0] != category, len(mapping.values)))
        return tuple(mapping.id for mapping in covering)

    def _system(self, system: str) -> tuple[Mapping, ...]:
        if system not in self.mappings:
            raise TaxonomyError(
                f"taxonomy {self.version} has no mapping to {system!r}; known: {', '.join(self.mappings)}"
            )
        return self.mappings[system]
