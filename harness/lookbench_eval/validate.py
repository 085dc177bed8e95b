"""Check a document against the part of JSON Schema that the schema of a result uses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any

from lookbench_eval.schema import SCHEMA_PATH

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def faults(document: Any) -> list[str]:
    """Where a document departs from the schema of a result, one sentence each; empty when it does not."""
    schema = _schema()
    return list(_faults(document, schema, "", schema["$defs"]))


@cache
def _schema() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    return found


def _faults(value: Any, schema: Mapping[str, Any], path: str, defs: Mapping[str, Any]) -> Iterator[str]:
    where = path or "the document"
    if "$ref" in schema:
        yield from _faults(value, defs[schema["$ref"].removeprefix("#/$defs/")], path, defs)
        return
    if "anyOf" in schema:
        branches = [defs[one["$ref"].removeprefix("#/$defs/")] if "$ref" in one else one for one in schema["anyOf"]]
        tried = [list(_faults(value, one, path, defs)) for one in branches]
        if all(tried):
            # Tell what is wrong with the branch of the value's own type, not that it is of another.
            near = [place for place, one in enumerate(branches) if _is(value, one["type"])]
            yield from tried[near[0] if near else 0]
        return
    if "const" in schema and (value != schema["const"] or isinstance(value, bool)):
        yield f"{where} is {value!r}; expected {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}; expected one of {', '.join(map(str, schema['enum']))}"
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(_is(value, kind) for kind in wanted):
        yield f"{where} is {value!r}; expected {' or '.join(wanted)}"
        return
    if isinstance(value, str):
        yield from _text(value, schema, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(value, schema, where)
    elif isinstance(value, list) and "items" in schema:
        for place, one in enumerate(value):
            yield from _faults(one, schema["items"], f"{path}[{place}]", defs)
    elif isinstance(value, dict):
        yield from _object(value, schema, path, defs)


def _object(value: Mapping[str, Any], schema: Mapping[str, Any], path: str, defs: Mapping[str, Any]) -> Iterator[str]:
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield f"{path or 'the document'} lacks {name!r}"
    for name, one in value.items():
        inner = f"{path}.{name}" if path else name
        if name in known:
            yield from _faults(one, known[name], inner, defs)
        elif rest is False:
            yield f"{inner} is not part of the schema"
        elif isinstance(rest, dict):
            yield from _faults(one, rest, inner, defs)


def _text(value: str, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where} is {value!r}; expected the form {schema['pattern']}"
    if schema.get("format") == "date":
        try:
            date.fromisoformat(value)
        except ValueError:
            yield f"{where} is {value!r}; expected a date such as 2026-03-01"


def _number(value: float, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    for key, wrong, said in (
        ("minimum", value < schema.get("minimum", value), "at least"),
        ("maximum", value > schema.get("maximum", value), "at most"),
        ("exclusiveMinimum", value <= schema.get("exclusiveMinimum", value - 1), "above"),
        ("exclusiveMaximum", value >= schema.get("exclusiveMaximum", value + 1), "below"),
    ):
        if key in schema and wrong:
            yield f"{where} is {value!r}; expected {said} {schema[key]}"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])
