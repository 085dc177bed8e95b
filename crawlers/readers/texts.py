"""Small text helpers shared by the readers."""

import html
import re
from functools import lru_cache

_SPACE = re.compile(r"[\s\u00a0\u200b\u2060\ufeff]+")
_TAG = re.compile(r"<(?:br|/p|/li|/div)[^>]*>|</?[a-zA-Z][^<>]*>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def squeeze(value: object, limit: int = 10_000) -> str | None:
    """Return text with entities resolved and runs of blanks made one space; None when nothing is left."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)[: limit * 2]
    if "&" in text:
        text = html.unescape(html.unescape(text))
    joined = " ".join(text.split())
    if not joined.isprintable():  # zero-width blanks, control characters, halves of pairs
        joined = _SPACE.sub(" ", _CONTROL.sub("", text)).strip()
    return joined[:limit] or None


def plain(value: object) -> str | None:
    """Return text of an HTML fragment without its tags."""
    if not isinstance(value, str):
        return squeeze(value)
    text = html.unescape(value) if "&lt;" in value else value
    return squeeze(_TAG.sub(" ", text) if "<" in text else text)


@lru_cache(2048)
def words(text: str | None) -> frozenset[str]:
    """Return the words of a text, case folded."""
    return frozenset(word.casefold() for word in _WORD.findall(text or ""))


def tokens(*names: str | None) -> frozenset[str]:
    """Return the parts of class names, ids and labels: ``PriceRow sale_price`` gives price, row, sale."""
    joined = " ".join(filter(None, names))
    return _tokens(joined) if joined else frozenset()


@lru_cache(8192)
def _tokens(joined: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", joined).replace("_", " ")))


def alike(one: str | None, two: str | None) -> float:
    """Return how much of the shorter text's words the other holds, 0 to 1."""
    first, second = words(one), words(two)
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))
