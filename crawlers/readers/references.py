"""Embedded state whose objects are kept apart and refer to each other, made plain: Nuxt payloads, Apollo caches."""

from collections.abc import Callable
from typing import Any

MAX_DEPTH = 12
_WRAPPERS = frozenset({"ShallowReactive", "Reactive", "Ref", "ShallowRef", "EmptyRef", "EmptyShallowRef"})


def resolved(value: Any) -> Any:
    """Return state with its references replaced by what they name; state without any comes back as it is."""
    if isinstance(value, list) and len(value) > 2 and _is_payload(value[0]):
        return _followed(value[0], lambda entry: _place(value, entry), MAX_DEPTH)
    if isinstance(value, dict):
        cache = next((holder for holder in (value, *value.values()) if _is_cache(holder)), None)
        if cache is not None:
            named = [entry for key, entry in cache.items() if ":" in key and isinstance(entry, dict)]
            return [_followed(entry, lambda part: _named(cache, part), 5) for entry in named[:500]]
    return value


def _is_payload(head: Any) -> bool:
    """Return whether the first entry of a list is the root of a Nuxt payload: places in the list, not values."""
    if isinstance(head, list):
        return len(head) == 2 and head[0] in _WRAPPERS
    return isinstance(head, dict) and "data" in head and all(type(place) is int for place in head.values())


def _place(payload: list[Any], entry: Any) -> Any:
    if type(entry) is int:
        entry = payload[entry] if 0 <= entry < len(payload) else None
    if isinstance(entry, list) and len(entry) == 2 and entry[0] in _WRAPPERS:
        return _place(payload, entry[1]) if type(entry[1]) is int and entry[1] else None
    return entry


def _is_cache(holder: Any) -> bool:
    return isinstance(holder, dict) and any(
        ":" in key and isinstance(entry, dict) and "__typename" in entry for key, entry in list(holder.items())[:50]
    )


def _named(cache: dict[str, Any], part: Any) -> Any:
    if isinstance(part, dict) and len(part) <= 4:
        name = part.get("__ref") or (part.get("id") if part.get("type") == "id" else None)
        return cache.get(name, part) if isinstance(name, str) else part
    return part


def _followed(entry: Any, look: Callable[[Any], Any], depth: int) -> Any:
    """Return an entry with every part replaced by what ``look`` finds for it, ``depth`` levels deep."""
    entry = look(entry)
    if depth <= 0:
        return entry if not isinstance(entry, dict | list) else None
    if isinstance(entry, dict):
        return {key: _followed(part, look, depth - 1) for key, part in entry.items()}
    return [_followed(part, look, depth - 1) for part in entry[:500]] if isinstance(entry, list) else entry
