"""What is held against the template before anything is uploaded: Label Studio would import it and show nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from annotation.errors import PredictionError

_OBJECTS = frozenset({"Image", "Text", "HyperText", "Video", "Audio", "List"})
_SHOWN = 5
"""Faults that a message quotes; the rest is counted."""


@dataclass(frozen=True)
class _Choices:
    to_name: str
    choice: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Template:
    """The controls and data fields that a template's XML declares."""

    choices: Mapping[str, _Choices]
    objects: Mapping[str, str]
    """Object name -> the data field it shows."""

    @classmethod
    def parse(cls, config: str) -> Template:
        """Read a template; raise PredictionError when it is not XML."""
        try:
            root = ET.fromstring(config)  # noqa: S314 - a template of ours or of the person's own server
        except ET.ParseError as error:
            raise PredictionError(
                f"the labelling template is not XML ({error}); build it from the taxonomy again"
            ) from error
        found = {
            node.get("name", ""): _Choices(
                node.get("toName", ""),
                node.get("choice", "single"),
                tuple(choice.get("alias") or choice.get("value") or "" for choice in node.iter("Choice")),
            )
            for node in root.iter("Choices")
        }
        objects = {
            n.get("name", ""): n.get("value", "").lstrip("$")
            for n in root.iter()
            if n.tag in _OBJECTS and n.get("name")
        }
        return cls(found, objects)

    def faults(self, results: Iterable[Mapping[str, Any]]) -> list[str]:
        """Return what is wrong with the results of one prediction, one sentence each."""
        found: list[str] = []
        seen: set[str] = set()
        for row in results:
            name = str(row.get("from_name", ""))
            control = self.choices.get(name)
            if control is None:
                known = ", ".join(repr(other) for other in self.choices)
                found.append(f"it points at control {name!r}, which the template has not; its controls are {known}")
                continue
            if name in seen:
                found.append(f"control {name!r} is answered twice")
            seen.add(name)
            if row.get("to_name") != control.to_name:
                found.append(f"control {name!r} belongs to object {control.to_name!r}, not {row.get('to_name')!r}")
            if row.get("type") != "choices":
                found.append(f"control {name!r} takes choices, not {row.get('type')!r}")
                continue
            found += _wrong_values(name, control, row.get("value", {}).get("choices", []))
        return found


def _wrong_values(name: str, control: _Choices, given: Any) -> list[str]:
    if not isinstance(given, list) or not given:
        return [f"control {name!r} has no list of choices"]
    found = []
    for value in given:
        if value not in control.values:
            near = difflib.get_close_matches(str(value), control.values, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"its values are {', '.join(map(repr, control.values[:8]))}"
            )
            found.append(f"{value!r} is no value of control {name!r}; {hint}")
    if control.choice == "single" and len(given) > 1:
        found.append(f"control {name!r} takes one value, not {len(given)}: {given}")
    return found


def check_tasks(config: str, tasks: Sequence[Mapping[str, Any]]) -> None:
    """Raise PredictionError when a task lacks a field of the template or a prediction does not fit it.

    The message names the first faults with task number and item, and counts the rest. Nothing is uploaded before this.
    """
    template = Template.parse(config)
    faults: list[str] = []
    for number, task in enumerate(tasks, 1):
        data = task.get("data", {})
        where = f"task {number} ({data.get('item_id') or next(iter(data.values()), 'without data')})"
        faults += [f"{where} lacks the field {field!r}" for field in template.objects.values() if field not in data]
        for prediction in task.get("predictions", []):
            faults += [f"{where}: {fault}" for fault in template.faults(prediction.get("result", []))]
    if faults:
        more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise PredictionError(
            f"nothing was uploaded, the predictions do not fit the template: {'; '.join(faults[:_SHOWN])}{more}"
        )
