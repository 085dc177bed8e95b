"""State that a page writes as the result of a function call, as Nuxt 2 does: read as text, never executed.

``window.__NUXT__=(function(a,b){b.name=a;return {data:[{product:b}]}}("Coat",{}))`` hands repeated values in as
arguments, and repeated objects as empty ones that it fills before it returns.
"""

import re
from collections.abc import Iterator
from typing import Any

MAX_CALL = 4_000_000
_CALL = re.compile(r"=\s*\(?\s*function\s*\(([\w$,\s]{0,20000})\)\s*\{")
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_DELIMITER = re.compile(rf"{_STRING}|[\[\](){{}};]")
_SET = re.compile(r"([\w$]+)(?:\.([\w$]+)|\[\s*(?:\"([^\"]*)\"|'([^']*)'|(\d+))\s*\])\s*=(?!=)\s*")
# In the place of a value: a name, a short boolean, an undefined, an array's length, a date; chompjs knows the rest.
_VALUE = re.compile(
    rf"{_STRING}|(?P<before>[:,\[]\s*)(?:(?P<name>[A-Za-z_$][\w$]*|![01]|void 0|Array\(\d*\))|"
    r"new Date\((?P<date>[^()]*)\))(?=\s*[,}\]])"
)
_CONSTANTS = {"true": True, "false": False, "!0": True, "!1": False}
_MARK = "\ue000"


def values(text: str) -> Iterator[Any]:
    """Yield what each ``= (function(...) {... return {...}}(...))`` of a script returns."""
    for match in _CALL.finditer(text):
        end = _end(text, match.end())
        if end is None or end - match.start() > MAX_CALL:
            continue
        value = _returned([name.strip() for name in match[1].split(",")], text[match.end() : end], text[end + 1 :])
        if value is not None:
            yield value


def _end(text: str, at: int) -> int | None:
    """Return where the bracket closes that is open at ``at``."""
    depth = 1
    for match in _DELIMITER.finditer(text, at):
        mark = match[0]
        depth += (mark in "[({") - (mark in "])}")
        if not depth:
            return match.start()
    return None


def _returned(names: list[str], body: str, rest: str) -> Any:
    call = re.match(r"\s*\)?\s*\(", rest)
    end = _end(rest, call.end()) if call else None
    given = _literal(f"[{rest[call.end() : end]}]", {}) if call and end is not None else []
    known = dict(zip(names, given if isinstance(given, list) else [], strict=False))
    at = 0
    while match := _SET.match(body, at):
        stop = _statement(body, match.end())
        key = next(part for part in match.groups()[1:] if part is not None)
        holder = known.get(match[1])
        value = _literal(f"[{body[match.end() : stop]}]", known)
        if isinstance(value, list) and len(value) == 1:
            if isinstance(holder, dict):
                holder[key] = value[0]
            elif isinstance(holder, list) and key.isdigit():
                holder.append(value[0])
        at = stop + 1
    back = re.compile(r"\s*return\s*(?=[{\[])").match(body, at)
    return _literal(body[back.end() :], known) if back else None


def _statement(body: str, at: int) -> int:
    """Return where the statement ends that goes on at ``at``."""
    depth = 0
    for match in _DELIMITER.finditer(body, at):
        mark = match[0]
        if mark == ";" and not depth:
            return match.start()
        depth += (mark in "[({") - (mark in "])}")
    return len(body)


def _literal(text: str, known: dict[str, Any]) -> Any:
    """Return a JavaScript literal in which names stand for known values; an unknown name is None."""
    import chompjs

    def marked(match: re.Match[str]) -> str:
        if name := match["name"]:
            return f'{match["before"]}"{_MARK}{name}"'
        return match[0] if match["date"] is None else match["before"] + match["date"]

    try:
        value = chompjs.parse_js_object(_VALUE.sub(marked, text))
    except (ValueError, RecursionError, IndexError, TypeError, UnicodeError, MemoryError):
        return None
    return _filled(value, {**known, **_CONSTANTS})


def _filled(value: Any, known: dict[str, Any], depth: int = 0) -> Any:
    if isinstance(value, str):
        return known.get(value[1:]) if value[:1] == _MARK else value
    if depth < 40 and isinstance(value, dict):
        return {key: _filled(part, known, depth + 1) for key, part in value.items()}
    if depth < 40 and isinstance(value, list):
        return [_filled(part, known, depth + 1) for part in value]
    return value
