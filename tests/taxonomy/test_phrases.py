"""Folding, plurals and compounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.phrases import Lexicon, Meaning, fold, plurals, variants, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Café", "cafe"), ("WEIẞ", "weiss"), ("Größe", "grosse"), ("Women's", "womens"), ("Ærø", "aero"), ("Ｔee", "tee")],
)
def test_folding_drops_case_accents_and_apostrophes(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_words_part_at_hyphens_slashes_and_underscores() -> None:
    assert words("V-Neck_top 3/4 (fit & flare)") == ("v", "neck", "top", "3", "4", "fit", "and", "flare")


@pytest.mark.parametrize(
    ("word", "many"),
    [("dress", ["dresses"]), ("watch", ["watches"]), ("body", ["bodies"]), ("scarf", ["scarfs", "scarves"]),
     ("jersey", ["jerseys"]), ("shorts", []), ("cuff", ["cuffs"]), ("box", ["boxes"])],
)  # fmt: skip
def test_english_plurals(word: str, many: list[str]) -> None:
    assert list(plurals(word)) == many


def test_only_the_last_word_of_a_phrase_takes_the_plural() -> None:
    assert list(variants("short sleeve")) == [("short", "sleeve"), ("short", "sleeves")]
    assert list(variants("!?")) == []


def test_a_written_phrase_wins_over_a_derived_plural() -> None:
    lexicon = Lexicon()
    lexicon.add(("tight",), values=("skinny fit",))
    lexicon.add(("tights",), category="tights")
    assert lexicon.meanings(("tights",)) == [Meaning("tights")]
    assert lexicon.meanings(("tight",)) == [Meaning(None, ("skinny fit",))]


def test_a_compound_word_is_known_by_its_last_part() -> None:
    lexicon = Lexicon()
    lexicon.add(("-jacke",), category="jacket")
    assert lexicon.meanings(("lederjacke",)) == [Meaning("jacket")]
    assert lexicon.meanings(("jacke",)) == []
    assert lexicon.meanings(("xjacke",)) == []
    assert lexicon.meanings(("jackenfutter",)) == []


@given(st.text(max_size=60))
def test_folding_is_stable(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert words(text) == words(fold(text))
