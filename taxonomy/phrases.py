"""Words of a text and the phrases that a taxonomy knows, compared without case, accents, hyphens or number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "’": "'", "&": " and ", "+": " and "})
SUFFIX_MIN_STEM = 3
"""Letters that must stand before the last part of a compound word: "-hut" finds "Filzhut", not "schut"."""


def fold(text: str) -> str:
    """Return ``text`` in lower case without accents; ``ß`` becomes ``ss`` and ``'s`` loses its apostrophe."""
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))  # first: a mathematical "A" is an "a" too
    decomposed = unicodedata.normalize("NFKD", plain.casefold()).translate(_LETTERS)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).replace("'", "")


def words(text: str) -> tuple[str, ...]:
    """Return the folded words of ``text``: runs of letters and digits."""
    return tuple(_WORD.findall(fold(text)))


def plurals(word: str) -> Iterator[str]:
    """Yield English plural forms of ``word``; nothing for a word that already looks plural."""
    if word.endswith(("ss", "x", "z", "ch", "sh")):
        yield word + "es"
    elif word.endswith("s"):
        return
    elif len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        yield word[:-1] + "ies"
    else:
        yield word + "s"
        if word.endswith("f") and not word.endswith("ff"):
            yield word[:-1] + "ves"


def variants(phrase: str) -> Iterator[tuple[str, ...]]:
    """Yield the word sequences that stand for ``phrase``: itself and with its last word in the plural."""
    base = words(phrase)
    if base:
        yield base
        for plural in plurals(base[-1]):
            yield (*base[:-1], plural)


@dataclass(frozen=True)
class Meaning:
    """What a phrase says: a category, values, both, or nothing at all (an ignored phrase)."""

    category: str | None = None
    values: tuple[str, ...] = ()


@dataclass
class Lexicon:
    """Phrases and their meanings; a phrase has several when they belong to different categories."""

    phrases: dict[tuple[str, ...], list[Meaning]] = field(default_factory=dict)
    plurals: dict[tuple[str, ...], list[Meaning]] = field(default_factory=dict)
    """Derived forms; a written phrase wins over them ("tights" is no plural of "tight")."""
    suffixes: dict[str, Meaning] = field(default_factory=dict)
    longest: int = 0

    def add(self, phrases: Iterable[str], *, category: str | None = None, values: tuple[str, ...] = ()) -> None:
        """Add phrases of one meaning; one that begins with "-" is the last part of a compound word."""
        meaning = Meaning(category, values)
        for phrase in phrases:
            if phrase.startswith("-"):
                for (suffix,) in variants(phrase):
                    self.suffixes[suffix] = meaning
                continue
            for number, key in enumerate(variants(phrase)):
                known = (self.plurals if number else self.phrases).setdefault(key, [])
                if meaning not in known:
                    known.append(meaning)
                self.longest = max(self.longest, len(key))

    def meanings(self, key: tuple[str, ...]) -> list[Meaning]:
        """Return the meanings of a word sequence; a single unknown word is tried as a compound."""
        known = self.phrases.get(key) or self.plurals.get(key, [])
        if known or len(key) != 1:
            return known
        word = key[0]
        for start in range(SUFFIX_MIN_STEM, len(word) - 2):
            if word[start:] in self.suffixes:
                return [self.suffixes[word[start:]]]
        return []
