"""Titles and descriptions become categories and attributes."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taxonomy
from taxonomy.matching import match

TAX = taxonomy.load()


@pytest.mark.parametrize(
    ("label", "category", "type"),
    [
        ("Blazer", "jacket", "blazer"),
        ("Blouse", "shirt", "blouse"),
        ("Body", "jumpsuit", "bodysuit"),
        ("Dress", "dress", None),
        ("Hat", "hat", None),
        ("Hoodie", "top", "hoodie"),
        ("Longsleeve", "top", "long-sleeved t-shirt"),
        ("Outwear", "jacket", None),
        ("Pants", "pants", None),
        ("Polo", "top", "polo shirt"),
        ("Shirt", "shirt", None),
        ("Shoes", "shoe", None),
        ("Shorts", "shorts", None),
        ("Skirt", "skirt", None),
        ("T-Shirt", "top", "t-shirt"),
        ("Top", "top", None),
        ("Undershirt", "top", "undershirt"),
        ("Not sure", None, None),
        ("Other", None, None),
    ],
)
def test_the_labels_of_the_cc0_photos(label: str, category: str | None, type: str | None) -> None:
    found = match(label, TAX)
    assert found.category == category
    assert dict(found.attributes).get("type") == type


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Crisp white dress shirt", "shirt"),
        ("Belted shirt dress", "dress"),
        ("Denim jacket", "jacket"),
        ("Denim shirt dress with belt and pockets", "dress"),
        ("Sweater vest", "vest"),
        ("Sweater dress", "dress"),
        ("Polo neck sweater", "sweater"),
        ("Cap sleeve top", "top"),
        ("Tie-dye T-shirt", "top"),
        ("Belt bag", "bag"),
        ("Bow tie", "tie"),
        ("Shirt jacket", "jacket"),
        ("Top handle bag", "bag"),
        ("High-top sneakers", "shoe"),
        ("Jacket and trousers set", "jacket"),
        ("Wool scarves", "scarf"),
        ("Lederjacke", "jacket"),
        ("Winterjacke für Damen", "jacket"),
        ("Sommerkleid", "dress"),
        ("Robe longue noire", "dress"),
        ("Pantalon large", "pants"),
        ("Vestido rojo", "dress"),
        ("Camicia bianca", "shirt"),
        ("Gürtel aus Leder", "belt"),
        ("Top-quality garden hose reel 15 m", "pants"),  # a German word for trousers; the crawl keeps garden shops out
        ("Gift card", None),
        ("Shoelace, 120 cm", None),
        ("", None),
    ],
)
def test_the_head_noun_names_the_category(text: str, category: str | None) -> None:
    assert match(text, TAX).category == category


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("Sleeveless top", {"sleeveless"}, {"short sleeve", "long sleeve"}),
        ("Dress without sleeves", {"sleeveless"}, {"long sleeve"}),
        ("Jacket, no hood", set(), {"hooded"}),
        ("Jacket without hood or pockets", set(), {"hooded", "pockets"}),
        ("Hoodie without zip", {"hoodie", "hooded"}, {"zip front"}),
        ("Leather-free boots", {"boot"}, {"leather"}),
        ("Jacke ohne Kapuze", set(), {"hooded"}),
        ("Faux leather biker jacket", {"faux leather", "biker jacket"}, {"leather"}),
        ("Light blue shirt", {"light blue"}, {"blue"}),
        ("Navy blue blazer with gold buttons", {"navy"}, {"blue", "gold"}),
        ("Short sleeve hoodie", {"short sleeve", "hooded"}, {"long sleeve"}),
        ("Jeans. Pair them with a red t-shirt.", {"jeans", "denim"}, {"red", "t-shirt"}),
        ("Black skirt. The model wears a white floral blouse", {"black"}, {"white", "floral"}),
        ("Dress available in red, green and blue", set(), {"red", "green", "blue"}),
        ("3/4-sleeve top", {"three-quarter sleeve"}, set()),
        ("Rundhals-Pullover, gestreift", {"crew neck", "striped"}, set()),
        ("Bandage-free mini dress", {"mini"}, {"bodycon dress"}),
    ],
)
def test_values_are_found_whole_and_not_when_denied(text: str, present: set[str], absent: set[str]) -> None:
    values = {value for _, value in match(text, TAX).attributes}
    assert present <= values
    assert not absent & values


def test_a_value_of_another_category_is_left_out() -> None:
    assert match("Hooded bag", TAX).attributes == []
    assert ("length", "mini") not in match("mini", TAX, category="pants").attributes
    assert ("length", "mini") in match("mini", TAX, category="skirt").attributes


def test_a_given_category_is_not_questioned() -> None:
    found = match("Red denim jacket", TAX, category="shirt")
    assert found.category == "shirt"
    assert ("colour", "red") in found.attributes


def test_single_choice_facets_keep_one_value_and_colours_keep_their_order() -> None:
    found = match("Black and white striped and floral dress, v-neck or crew neck", TAX)
    facets = [facet for facet, _ in found.attributes]
    assert facets.count("pattern") == facets.count("neckline") == 1
    assert [value for facet, value in found.attributes if facet == "colour"] == ["black", "white"]


def test_the_main_attribute_follows_the_order_of_the_category() -> None:
    attributes = match("Red striped v-neck t-shirt", TAX).attributes
    assert TAX.main_attribute("top", attributes) == "striped"
    assert TAX.main_attribute("top", [("pattern", "plain"), ("colour", "red")]) == "red"
    assert TAX.main_attribute("top", [("pattern", "plain")]) == "plain"
    assert TAX.main_attribute("top", []) is None
    assert TAX.main_attribute("top", [("neckline", "red")]) is None


NAMES = [
    (category.name, facet, value)
    for category in TAX.categories.values()
    for facet in category.facets
    for value in TAX.values(category.name, facet)
]


@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
@pytest.mark.parametrize("joint", [" ", ", ", " - "])
def test_every_value_is_found_in_its_own_category_whatever_case_and_hyphens(
    case: Callable[[str], str], joint: str
) -> None:
    lost = []
    for category, facet, value in NAMES:
        text = case(f"{value}{joint}{category}")
        for written in (text, text.replace("-", "\N{HYPHEN}")):
            if (facet, value) not in match(written, TAX, category=category).attributes:
                lost.append((written, facet))
    assert not lost


def test_a_name_of_a_type_says_its_material_too() -> None:
    assert match("Leather belt", TAX).attributes == [("type", "buckle belt"), ("material", "leather")]
    assert ("material", "wool") in match("Wool hat in grey", TAX).attributes
    assert ("colour", "black") not in match("Black tie dress", TAX).attributes


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_values_that_its_category_allows(text: str) -> None:
    found = match(text, TAX)
    for facet, value in found.attributes:
        assert TAX.facet_of[value] == facet
        assert found.category is None or TAX.allows(found.category, value)
    assert match(text, TAX) == found


SYNONYMS = [(c.name, s) for c in TAX.categories.values() for s in (c.name, *c.synonyms) if not s.startswith("-")]


@pytest.mark.parametrize(("category", "synonym"), SYNONYMS)
def test_every_synonym_of_a_category_names_it(category: str, synonym: str) -> None:
    assert match(synonym, TAX).category == category


VALUE_SYNONYMS = [
    (category, facet.name, value.name, synonym)
    for facet in TAX.facets.values()
    for value in facet.values.values()
    for category in [next(c.name for c in TAX.categories.values() if TAX.allows(c.name, value.name))]
    for synonym in (value.name, *value.synonyms)
]


def test_every_synonym_of_a_value_finds_it() -> None:
    lost = [row for row in VALUE_SYNONYMS if (row[1], row[2]) not in match(row[3], TAX, category=row[0]).attributes]
    assert lost == []


def test_long_text_is_matched_in_time_that_grows_with_its_length() -> None:
    import time

    text = "Black striped cotton t-shirt with a round neck and short sleeves. " * 200
    begun = time.perf_counter()
    assert match(text, TAX).category == "top"
    assert time.perf_counter() - begun < 3
