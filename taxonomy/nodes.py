"""YAML nodes with their lines, so that every complaint can name one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from taxonomy.model import TaxonomyError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Problems:
    """Collects complaints about one file; each names its line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[tuple[int, str]] = []

    def add(self, node: Any, message: str) -> None:
        """Complain about ``node``."""
        self.found.append((node.start_mark.line + 1, message))

    def at(self, node: Any) -> str:
        """Return the line of ``node`` as text."""
        return f"line {node.start_mark.line + 1}"

    def stop(self) -> None:
        """Raise TaxonomyError with all complaints in the order of their lines, when there are any."""
        if self.found:
            lines = [f"{self.path}:{line}: {message}" for line, message in sorted(self.found)]
            raise TaxonomyError("\n".join(lines))


class Table:
    """A YAML mapping whose keys are strings, with the line of every key."""

    def __init__(self, node: Any, problems: Problems, what: str) -> None:
        self.node, self.problems, self.what = node, problems, what
        self.keys: dict[str, Any] = {}
        self.items: dict[str, Any] = {}
        if not isinstance(node, yaml.MappingNode):
            problems.add(node, f"{what} must be a mapping of names")
            return
        for key, value in node.value:
            if key.value in self.items:
                problems.add(
                    key,
                    f"{what}: {key.value!r} is there twice, first at {problems.at(self.keys[key.value])}; remove one",
                )
                continue
            self.keys[key.value], self.items[key.value] = key, value

    def only(self, allowed: tuple[str, ...], required: tuple[str, ...]) -> None:
        """Complain about unknown and missing keys."""
        for key in self.items:
            if key not in allowed:
                self.problems.add(self.keys[key], f"{self.what}: unknown key {key!r}; known: {', '.join(allowed)}")
        for key in required:
            if key not in self.items:
                self.problems.add(self.node, f"{self.what}: {key!r} is missing")

    def text(self, key: str, default: str = "") -> str:
        """Return a one-line text; complain when it is empty or not a text."""
        if key not in self.items:
            return default
        node = self.items[key]
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip() or "\n" in node.value:
            self.problems.add(node, f"{self.what}: {key!r} must be one line of text")
            return default
        return str(node.value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a yes or no."""
        if key not in self.items:
            return default
        node = self.items[key]
        if getattr(node, "value", None) not in {"true", "false"}:
            self.problems.add(node, f"{self.what}: {key!r} must be true or false")
            return default
        return bool(node.value == "true")

    def list_nodes(self, key: str) -> Iterator[Any]:
        """Yield the scalar nodes of a list; complain about anything else and about repeated entries."""
        if key not in self.items:
            return
        node = self.items[key]
        if not isinstance(node, yaml.SequenceNode):
            self.problems.add(node, f"{self.what}: {key!r} must be a list")
            return
        seen: set[str] = set()
        for entry in node.value:
            if not isinstance(entry, yaml.ScalarNode) or not entry.value.strip():
                self.problems.add(entry, f"{self.what}: every entry of {key!r} must be a text")
            elif entry.value in seen:
                self.problems.add(entry, f"{self.what}: {entry.value!r} is twice in {key!r}; remove one")
            else:
                seen.add(entry.value)
                yield entry

    def names(self, key: str) -> tuple[str, ...]:
        """Return the entries of a list of texts."""
        return tuple(str(entry.value) for entry in self.list_nodes(key))


def compose(path: Path) -> Any:
    """Read the root node of a YAML file; raise TaxonomyError naming the line that is not YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaxonomyError(
            f"{path}: the taxonomy cannot be read ({error}); give the path of a readable UTF-8 file"
        ) from error
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise TaxonomyError(f"{path}:{line}: not YAML: {error.problem}; mend this line") from error
    except yaml.YAMLError as error:
        raise TaxonomyError(f"{path}: not YAML: {error}") from error
    if node is None:
        raise TaxonomyError(f"{path}:1: the file is empty; a taxonomy has version, categories and facets")
    return node
