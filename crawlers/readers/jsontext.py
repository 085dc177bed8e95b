"""JSON as pages really hold it: comments around it, several values in one script, raw control characters, broken
syntax."""

import html
import json
import re
from typing import Any

MAX_REPAIR = 262_144
MAX_STATE = 8_000_000
_WRAP = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|(?:-->|//\s*\]\]>|\]\]>|/\*\s*\]\]>\s*\*/)\s*$"
)
_DECODER = json.JSONDecoder(strict=False)
_CAPITAL = re.compile(r'"[A-Z]\w*"\s*:')
# "isDesktop ? 'a.jpg' : 'b.jpg'": a choice between two texts.
_CHOICE = re.compile(r"\b[\w$.]+\s*\?\s*('[^'\n]*'|\"[^\"\n]*\")\s*:\s*(?:'[^'\n]*'|\"[^\"\n]*\")")
_BETWEEN = re.compile(r"[\s;,\ufeff\x00]*")


def parse(text: str) -> tuple[list[Any], str | None]:
    """Return the JSON values of one script and a warning when it was broken.

    Strict JSON first; then value after value with raw control characters allowed; then a repair of what is left.
    Nothing usable gives an empty list and a warning that says so.
    """
    import orjson

    body = _WRAP.sub("", text.strip("\ufeff \t\r\n")).strip("\ufeff \t\r\n")
    if not body:
        return [], "empty"
    try:
        return [orjson.loads(body)], None
    except ValueError:
        pass
    if body[1:].lstrip().startswith("&quot;"):
        body = html.unescape(body)
    values, rest = _sequence(body)
    if not rest:
        return values, None if values else "no JSON"
    repaired = _repair(rest)
    if repaired:
        return values + repaired, "broken JSON, repaired"
    return values, "broken JSON, skipped"


def has_capital_keys(text: str) -> bool:
    """Return whether any key of a JSON text begins with a capital letter."""
    return _CAPITAL.search(text) is not None


def small_keys(value: Any, depth: int = 0) -> Any:
    """Return a value whose keys begin with a small letter (``Offers``, ``SKU``: some shops write them so)."""
    if depth > 24 or not isinstance(value, dict | list):
        return value
    if isinstance(value, list):
        return [small_keys(entry, depth + 1) for entry in value]
    return {
        (key.lower() if key.isupper() else key[:1].lower() + key[1:]): small_keys(entry, depth + 1)
        for key, entry in value.items()
    }


def _sequence(body: str) -> tuple[list[Any], str]:
    values: list[Any] = []
    at = 0
    while (at := _end(_BETWEEN, body, at)) < len(body):
        if body[at] not in "{[":
            return values, body[at:]
        try:
            value, at = _DECODER.raw_decode(body, at)
        except (ValueError, RecursionError):
            return values, body[at:]
        values.append(value)
    return values, ""


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _repair(text: str) -> list[Any]:
    import json_repair

    if len(text) > MAX_REPAIR or not text.lstrip().startswith(("{", "[")):
        return []
    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError):
        return []
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(entry, dict) for entry in value)):
        return [value]
    return []


def value_at(text: str, at: int) -> Any | None:
    """Return the JSON value or JavaScript literal that starts at ``at``, or None; of a choice between two texts the
    first."""
    if len(text) - at > MAX_STATE:
        return None
    try:
        return _DECODER.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        pass
    import chompjs

    try:
        return chompjs.parse_js_object(_CHOICE.sub(r"\1", text[at : at + MAX_REPAIR * 4]))
    except (ValueError, RecursionError, IndexError, TypeError, UnicodeError, MemoryError):
        return None
