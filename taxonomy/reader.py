"""From ``fashion.yaml`` to a Taxonomy, every mistake named with its file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import yaml

from taxonomy.model import (
    CHOICES,
    GROUPS,
    SYSTEMS,
    Category,
    Choice,
    Compound,
    Facet,
    Mapping,
    Taxonomy,
    TaxonomyError,
    Value,
)
from taxonomy.nodes import Problems, Table, compose
from taxonomy.phrases import words

PATH = Path(__file__).with_name("fashion.yaml")
"""The taxonomy that ships with the package."""
FALLBACK = "colour"
"""The facet that ends every list of main facets: any garment has one."""
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_NAME = re.compile(r"[a-z0-9]+(?:[ -][a-z0-9]+)*")
_CATEGORY_KEYS = ("group", "definition", "synonyms", "facets", "main")
_VALUE_KEYS = ("definition", "synonyms", "categories", "implies", "leads")


def load(path: Path | None = None) -> Taxonomy:
    """Return the taxonomy of the package, or the one at ``path``; read once per file and size.

    Raises TaxonomyError that names file and line of every mistake.
    """
    file = (path or PATH).resolve()
    try:
        stamp = file.stat()
    except OSError as error:
        raise TaxonomyError(
            f"{file}: the taxonomy cannot be read ({error.strerror}); give the path of a readable file"
        ) from error
    return _cached(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _cached(file: Path, _changed: int, _size: int) -> Taxonomy:
    return read(file)


def read(path: Path) -> Taxonomy:
    """Read and check the taxonomy at ``path``; raise TaxonomyError with one line per mistake."""
    root_node = compose(path)
    problems = Problems(path)
    root = Table(root_node, problems, "taxonomy")
    root.only(
        ("version", "categories", "facets", "compounds", "ignored", "mappings"), ("version", "categories", "facets")
    )
    problems.stop()
    version = root.text("version")
    if not _VERSION.fullmatch(version):
        problems.add(root.items["version"], f"version {version!r} must be three numbers, for example 1.0.0")
    phrases = _Phrases(problems)
    facets = _facets(Table(root.items["facets"], problems, "facets"), problems)
    categories = _categories(Table(root.items["categories"], problems, "categories"), facets, problems)
    names = {value for facet, _ in facets.values() for value in facet.values}
    _check_categories(root, categories, phrases, problems)
    _check_values(facets, categories, names, phrases, problems)
    compounds = _compounds(root, categories, names, phrases, problems)
    ignored = tuple(str(entry.value) for entry in root.list_nodes("ignored"))
    for entry in root.list_nodes("ignored"):
        phrases.claim(entry, str(entry.value), set(categories), "an ignored phrase")
    mappings = _mappings(root, set(categories), names, problems)
    problems.stop()
    return Taxonomy(
        version,
        MappingProxyType(categories),
        MappingProxyType({name: facet for name, (facet, _) in facets.items()}),
        compounds,
        ignored,
        MappingProxyType(mappings),
    )


class _Phrases:
    """Which phrase means what in which categories: none may mean two things of one category."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.claims: dict[tuple[str, ...], list[tuple[set[str], str, int]]] = {}

    def claim(self, node: Any, phrase: str, categories: set[str], owner: str) -> None:
        if not words(phrase):
            self.problems.add(node, f"{owner}: {phrase!r} has no word in it")
            return
        line = node.start_mark.line + 1
        if phrase.startswith("-"):
            phrase = f"suffix{phrase}"
        claimed = self.claims.setdefault(words(phrase), [])
        for scope, other, at in claimed:
            if scope & categories:
                again = "again" if other == owner else f"and, at line {at}, {other}"
                self.problems.add(node, f"{phrase!r} means {owner} {again}; keep it in one place")
                return
        claimed.append((categories, owner, line))


_Facets = dict[str, tuple[Facet, Table]]


def _name(node: Any, name: str, what: str, problems: Problems) -> None:
    if not _NAME.fullmatch(name):
        problems.add(node, f"{what} {name!r}: names are lower-case words joined by one blank or hyphen")


def _facets(table: Table, problems: Problems) -> _Facets:
    found: _Facets = {}
    homes: dict[str, tuple[str, int]] = {}
    for name, node in table.items.items():
        _name(table.keys[name], name, "facet", problems)
        entry = Table(node, problems, f"facet {name}")
        entry.only(("choice", "definition", "values"), ("choice", "definition", "values"))
        choice = entry.text("choice", "single")
        if choice not in CHOICES:
            problems.add(entry.items["choice"], f"facet {name}: choice {choice!r} must be single or multiple")
        listed = Table(entry.items.get("values", node), problems, f"facet {name}, values")
        values: dict[str, Value] = {}
        for value, value_node in listed.items.items():
            key = listed.keys[value]
            _name(key, value, "value", problems)
            if value in homes:
                facet, line = homes[value]
                problems.add(
                    key,
                    f"value {value!r} of {name} is at line {line} already, in {facet}; give one of them another name",
                )
                continue
            homes[value] = (name, key.start_mark.line + 1)
            said = Table(value_node, problems, f"value {value}")
            said.only(_VALUE_KEYS, ("definition",))
            values[value] = Value(
                value,
                said.text("definition"),
                said.names("synonyms"),
                said.names("categories"),
                said.names("implies"),
                said.flag("leads", default=True),
            )
        found[name] = (Facet(name, cast(Choice, choice), entry.text("definition"), MappingProxyType(values)), listed)
    return found


def _categories(table: Table, facets: _Facets, problems: Problems) -> dict[str, Category]:
    found: dict[str, Category] = {}
    for name, node in table.items.items():
        _name(table.keys[name], name, "category", problems)
        entry = Table(node, problems, f"category {name}")
        entry.only(_CATEGORY_KEYS, ("group", "definition", "facets", "main"))
        group = entry.text("group")
        if "group" in entry.items and group not in GROUPS:
            problems.add(entry.items["group"], f"category {name}: group {group!r} is none of {', '.join(GROUPS)}")
        for key, known in (("facets", set(facets)), ("main", set(entry.names("facets")))):
            for facet in entry.list_nodes(key):
                if facet.value not in known:
                    problems.add(facet, f"category {name}: {key!r} names the unknown facet {facet.value!r}")
        main = entry.names("main")
        if main and main[-1] != FALLBACK:
            problems.add(
                entry.items["main"], f"category {name}: 'main' must end in {FALLBACK}, so that every garment has one"
            )
        found[name] = Category(
            name, group, entry.text("definition"), entry.names("synonyms"), entry.names("facets"), main
        )
    return found


def _check_categories(root: Table, categories: dict[str, Category], phrases: _Phrases, problems: Problems) -> None:
    table = Table(root.items["categories"], Problems(problems.path), "categories")
    for name in categories:
        phrases.claim(table.keys[name], name, set(categories), f"category {name}")
        entry = Table(table.items[name], Problems(problems.path), name)
        for synonym in entry.list_nodes("synonyms"):
            phrases.claim(synonym, str(synonym.value), set(categories), f"category {name}")


def _check_values(
    facets: _Facets, categories: dict[str, Category], names: set[str], phrases: _Phrases, problems: Problems
) -> None:
    for facet, listed in facets.values():
        asked = {category.name for category in categories.values() if facet.name in category.facets}
        for value in facet.values.values():
            entry = Table(listed.items[value.name], Problems(problems.path), f"value {value.name}")
            for category in entry.list_nodes("categories"):
                if category.value not in asked:
                    known = (
                        "an unknown category"
                        if category.value not in categories
                        else f"a category without {facet.name}"
                    )
                    problems.add(category, f"value {value.name}: {category.value!r} is {known}")
            for implied in entry.list_nodes("implies"):
                if implied.value not in names:
                    problems.add(implied, f"value {value.name} implies the unknown value {implied.value!r}")
            scope = set(value.categories) or asked
            owner = f"value {value.name}"
            phrases.claim(listed.keys[value.name], value.name, scope, owner)
            for synonym in entry.list_nodes("synonyms"):
                phrases.claim(synonym, str(synonym.value), scope, owner)


def _compounds(
    root: Table, categories: dict[str, Category], names: set[str], phrases: _Phrases, problems: Problems
) -> tuple[Compound, ...]:
    if "compounds" not in root.items:
        return ()
    table = Table(root.items["compounds"], problems, "compounds")
    found = []
    for phrase, node in table.items.items():
        entry = Table(node, problems, f"compound {phrase}")
        entry.only(("category", "values"), ("category", "values"))
        category = entry.text("category")
        _known(
            entry.items.get("category", node), [category], set(categories), f"compound {phrase}", "category", problems
        )
        _known(node, entry.names("values"), names, f"compound {phrase}", "value", problems)
        phrases.claim(table.keys[phrase], phrase, set(categories), f"compound {phrase}")
        found.append(Compound(phrase, category, entry.names("values")))
    return tuple(found)


def _mappings(root: Table, categories: set[str], names: set[str], problems: Problems) -> dict[str, tuple[Mapping, ...]]:
    if "mappings" not in root.items:
        return {}
    table = Table(root.items["mappings"], problems, "mappings")
    table.only(SYSTEMS, ())
    found: dict[str, tuple[Mapping, ...]] = {}
    for system, node in table.items.items():
        if not isinstance(node, yaml.SequenceNode):
            problems.add(node, f"mapping {system} must be a list of classes")
            continue
        lines: dict[str, int] = {}
        classes = []
        for entry_node in node.value:
            entry = Table(entry_node, problems, f"mapping {system}")
            entry.only(("id", "name", "categories", "values"), ("id", "name", "categories"))
            number = entry.text("id", "0")
            if not number.isdecimal():
                problems.add(entry_node, f"mapping {system}: id {number!r} must be a whole number")
                continue
            if number in lines:
                problems.add(
                    entry_node, f"mapping {system}: class {number} is at line {lines[number]} already; remove one"
                )
            lines[number] = entry_node.start_mark.line + 1
            _known(
                entry_node,
                entry.names("categories"),
                categories,
                f"mapping {system}, class {number}",
                "category",
                problems,
            )
            _known(entry_node, entry.names("values"), names, f"mapping {system}, class {number}", "value", problems)
            classes.append(Mapping(int(number), entry.text("name"), entry.names("categories"), entry.names("values")))
        found[system] = tuple(classes)
    return found


def _known(node: Any, given: Iterable[str], known: set[str], what: str, kind: str, problems: Problems) -> None:
    for name in given:
        if name not in known:
            problems.add(node, f"{what}: unknown {kind} {name!r}")
