"""From a title or description to a category and attributes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from taxonomy.model import Taxonomy
from taxonomy.phrases import Meaning, fold

_PIECE = re.compile(r"[^\W_]+|[^\w\s]+|\s+")
_HARD = re.compile(r"[.,;:!?|()\[\]{}•·–—\n]")
_DASHES = "-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{MINUS SIGN}"
_LINKS = frozenset({
    "with", "without", "w", "and", "or", "in", "for", "by", "from", "on", "of", "under", "over", "plus", "mit",
    "ohne", "und", "oder", "fur", "aus", "von", "im", "avec", "sans", "et", "ou", "en", "pour", "de", "con",
    "sin", "y", "o", "para", "senza", "e", "per", "di", "da",
})  # fmt: skip
"""Words after which another thing may be named: what comes before them names the garment."""
_NEGATORS = frozenset({
    "no", "not", "non", "without", "nor", "never", "ohne", "kein", "keine", "keinen", "nicht", "sans", "pas",
    "sin", "senza",
})  # fmt: skip
_NEGATED_WORDS = 2
"""A negator reaches this many words on: "no hood", "without any pockets", "no hood or pockets"."""
_TRIMMINGS = frozenset({
    "button", "buttons", "hardware", "zip", "zipper", "zips", "buckle", "buckles", "tone", "toned", "trim",
    "stitching", "logo", "detail", "details", "accents",
})  # fmt: skip
"""A colour before one of these is the colour of a part: "gold buttons"."""
_STYLING = re.compile(
    r"\b(?:pairs?|paired|styled?|styles|wear|worn|teams?|teamed|combines?|combined|matche[sd]|layer(?:ed)?|goes|go|looks)\b"
    r"[^.!?\n]*?\b(?:with|over|under|alongside)\b[^.!?\n]*"
    r"|\bmodels? (?:is |are )?(?:wears?|wearing)\b[^.!?\n]*"
    r"|\b(?:also )?available in\b[^.!?\n]*"
    r"|\b(?:kombinier\w*|getragen|passt|tragen) [^.!?\n]*?\b(?:mit|zu|uber)\b[^.!?\n]*"
)
"""Sentences about other garments or other variants."""


@dataclass(frozen=True)
class Match:
    """What a text says about a garment."""

    category: str | None = None
    attributes: list[tuple[str, str]] = field(default_factory=list)
    """(facet, value) pairs, facets in the asking order of the category."""


@dataclass(frozen=True)
class _Word:
    text: str
    segment: int
    """Counts up at punctuation and at linking words."""
    phrase: int
    """Counts up at punctuation only: no phrase runs across it."""


@dataclass(frozen=True)
class _Span:
    start: int
    stop: int
    segment: int
    meanings: tuple[Meaning, ...]


def match(text: str, taxonomy: Taxonomy, *, category: str | None = None) -> Match:
    """Return the category and attributes that ``text`` names.

    Whole words only, the longest phrase first, whatever the case, accents, hyphens or plural. The category is the last
    garment named in the first part of the text that names one ("denim shirt dress with belt" is a dress). A given
    ``category`` is not questioned. Without any category the attributes of all categories are returned.
    """
    tokens = _tokens(_STYLING.sub(" . ", fold(text)))
    spans = _spans(tokens, taxonomy)
    category = category or _category(spans)
    positive: list[str] = []
    negated: set[str] = set()
    for span in spans:
        values = (*_modifiers(span, tokens, category, taxonomy), *_values(span, category, taxonomy))
        if _is_negated(span, tokens):
            negated.update(values)
        elif not (_is_trimming(span, tokens) and any(taxonomy.facet_of[value] == "colour" for value in values)):
            positive.extend(values)
    # The head noun comes last, so of several types the last one named is the garment's.
    types = [value for value in positive if taxonomy.facet_of[value] == "type"]
    ranked = types[::-1] + [value for value in positive if value not in types]
    pairs = [(taxonomy.facet_of[value], value) for value in ranked]
    stated = {facet for facet, _ in pairs}
    for facet, value in taxonomy.implied(ranked[:1] if types else []) + taxonomy.implied(ranked[1:]):
        if facet not in stated or taxonomy.facets[facet].choice == "multiple":
            pairs.append((facet, value))
    pairs = [pair for pair in pairs if pair[1] not in negated]
    return Match(category, taxonomy.ordered(category, pairs) if category else list(dict.fromkeys(pairs)))


def _tokens(text: str) -> list[_Word]:
    found: list[_Word] = []
    segment = phrase = 0
    spaced = True
    for piece in _PIECE.findall(text):
        if piece[0].isalnum():
            segment += piece in _LINKS
            found.append(_Word(piece, segment, phrase))
            spaced = False
        elif piece.isspace():
            segment, phrase = (segment + 1, phrase + 1) if "\n" in piece else (segment, phrase)
            spaced = True
        elif _HARD.search(piece) or (spaced and piece[0] in _DASHES):  # " - " parts a title, "v-neck" is one word
            segment, phrase = segment + 1, phrase + 1
    return found


def _spans(tokens: list[_Word], taxonomy: Taxonomy) -> list[_Span]:
    lexicon = taxonomy.lexicon
    taken = [False] * len(tokens)
    spans = []
    for length in range(min(lexicon.longest, len(tokens)), 0, -1):
        for start in range(len(tokens) - length + 1):
            stop = start + length
            if any(taken[start:stop]) or tokens[start].phrase != tokens[stop - 1].phrase:
                continue
            if meanings := lexicon.meanings(tuple(token.text for token in tokens[start:stop])):
                taken[start:stop] = [True] * length
                spans.append(_Span(start, stop, tokens[start].segment, tuple(meanings)))
    return sorted(spans, key=lambda span: span.start)


def _category(spans: list[_Span]) -> str | None:
    named = [
        (span.segment, category)
        for span in spans
        if (category := next((meaning.category for meaning in span.meanings if meaning.category), None))
    ]
    first = named[0][0] if named else None
    return next((category for segment, category in reversed(named) if segment == first), None)


def _values(span: _Span, category: str | None, taxonomy: Taxonomy) -> tuple[str, ...]:
    for meaning in span.meanings:
        if meaning.values and (category is None or any(taxonomy.allows(category, value) for value in meaning.values)):
            return meaning.values
    return ()


def _modifiers(span: _Span, tokens: list[_Word], category: str | None, taxonomy: Taxonomy) -> tuple[str, ...]:
    """What stands before the garment inside a name: a "wool hat" is a beanie, and of wool all the same."""
    for head in range(span.stop - 1, span.start, -1):
        named = taxonomy.lexicon.meanings(tuple(token.text for token in tokens[head : span.stop]))
        if category and any(meaning.category == category for meaning in named):
            inner = _spans(tokens[span.start : head], taxonomy)
            return tuple(value for part in inner for value in _values(part, category, taxonomy))
    return ()


def _is_negated(span: _Span, tokens: list[_Word]) -> bool:
    if span.stop < len(tokens) and tokens[span.stop].text == "free":
        return True
    reach = range(max(0, span.start - _NEGATED_WORDS), span.start)
    near = [i for i in reach if tokens[i].phrase == tokens[span.start].phrase]
    if any(tokens[i].text in _NEGATORS for i in near):
        return True
    linked = span.start >= 3 and tokens[span.start - 1].text in {"or", "nor", "oder"}
    return linked and tokens[span.start - 3].text in _NEGATORS


def _is_trimming(span: _Span, tokens: list[_Word]) -> bool:
    return span.stop < len(tokens) and tokens[span.stop].text in _TRIMMINGS
