"""The shipped taxonomy is complete, and a wrong one is refused with file and line."""

from pathlib import Path

import pytest

import taxonomy
from taxonomy.model import TaxonomyError
from taxonomy.reader import PATH, load, read

SMALL = """\
version: "1.0.0"
categories:
  dress:
    group: full
    definition: A dress.
    synonyms: [gown]
    facets: [neckline, colour]
    main: [neckline, colour]
  hat:
    group: head
    definition: A hat.
    facets: [colour]
    main: [colour]
facets:
  neckline:
    choice: single
    definition: The neck.
    values:
      v-neck: {definition: A point., synonyms: [deep v]}
      halter: {definition: A strap., categories: [dress], implies: [red]}
  colour:
    choice: multiple
    definition: The colour.
    values:
      red: {definition: Red.}
      blue: {definition: Blue., leads: false}
mappings:
  google:
    - {id: 2271, name: Dresses, categories: [dress]}
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_taxonomy_has_the_27_categories_of_fashionpedia_in_its_order() -> None:
    tax = load()
    assert len(tax.categories) == 27
    assert [mapping.categories[0] for mapping in tax.mappings["fashionpedia"]] == list(tax.categories)
    assert [mapping.id for mapping in tax.mappings["fashionpedia"]] == list(range(27))
    assert [mapping.id for mapping in tax.mappings["deepfashion2"]] == list(range(1, 14))


def test_every_value_is_defined_in_one_line_and_reachable_by_a_category() -> None:
    tax = load()
    reachable = {v for c in tax.categories.values() for f in c.facets for v in tax.values(c.name, f)}
    assert reachable == set(tax.facet_of)
    assert len(reachable) > 150
    for facet in tax.facets.values():
        for value in facet.values.values():
            assert 8 <= len(value.definition) <= 110, value.name


def test_every_category_has_values_to_choose_for_each_of_its_facets_and_colour_as_fallback() -> None:
    tax = load()
    for category in tax.categories.values():
        assert category.main_facets[-1] == "colour"
        assert set(category.main_facets) <= set(category.facets)
        for facet in category.facets:
            assert len(tax.values(category.name, facet)) >= 2, (category.name, facet)


def test_every_category_is_in_each_foreign_vocabulary_that_covers_it() -> None:
    tax = load()
    for name in tax.categories:
        assert tax.ids("fashionpedia", name), name
        assert tax.ids("google", name), name
    assert tax.ids("google", "dress")[0] == 2271
    assert tax.ids("deepfashion2", "skirt") == (9,)
    assert tax.category_of("google", 187) == "shoe"
    with pytest.raises(TaxonomyError, match="no class 9 of google"):
        tax.category_of("google", 9)
    with pytest.raises(TaxonomyError, match="no mapping to 'modanet'"):
        tax.ids("modanet", "dress")


def test_implied_values_fit_the_categories_of_the_value_that_implies_them() -> None:
    tax = load()
    for facet in tax.facets.values():
        for value in facet.values.values():
            for implied in value.implies:
                homes = value.categories or tuple(c for c in tax.categories if facet.name in tax.categories[c].facets)
                assert all(tax.allows(home, implied) for home in homes), (value.name, implied)


def test_load_reads_once_and_reads_again_when_the_file_changed(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    assert load(path) is load(path)
    path.write_text(SMALL.replace("1.0.0", "1.0.10"), encoding="utf-8")
    assert load(path).version == "1.0.10"


def test_a_small_taxonomy_reads_as_written(tmp_path: Path) -> None:
    tax = read(write(tmp_path, SMALL))
    assert tax.values("dress", "neckline") == ("v-neck", "halter")
    assert tax.values("hat", "neckline") == ()
    assert tax.facets["colour"].choice == "multiple"
    assert tax.value("halter").implies == ("red",)
    with pytest.raises(TaxonomyError, match="no value 'green'"):
        tax.value("green")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("      red: {", "      v-neck: {", 25, "value 'v-neck' of colour is at line 19 already, in neckline"),
        ("      blue: {", "      red: {", 26, "'red' is there twice, first at line 25"),
        (
            "synonyms: [deep v]",
            "synonyms: [deep v, Gown]",
            19,
            "'Gown' means value v-neck and, at line 6, category dress",
        ),
        ("synonyms: [deep v]", "synonyms: [V neck]", 19, "'V neck' means value v-neck again"),
        ("main: [neckline, colour]", "main: [colour, neckline]", 8, "'main' must end in colour"),
        ("facets: [neckline, colour]", "facets: [neckline, collar, colour]", 7, "unknown facet 'collar'"),
        ("group: head", "group: skull", 10, "group 'skull' is none of upper"),
        ("choice: single", "choice: one", 16, "choice 'one' must be single or multiple"),
        ("categories: [dress], implies", "categories: [hat], implies", 20, "'hat' is a category without neckline"),
        ("implies: [red]", "implies: [green]", 20, "implies the unknown value 'green'"),
        ("leads: false", "leads: maybe", 26, "'leads' must be true or false"),
        ("    definition: A hat.\n", "", 10, "'definition' is missing"),
        ("    group: head", "    groop: head", 10, "unknown key 'groop'"),
        ('version: "1.0.0"', 'version: "one"', 1, "version 'one' must be three numbers"),
        ("categories: [dress]}", "categories: [gown]}", 29, "unknown category 'gown'"),
        ("id: 2271", "id: x", 29, "id 'x' must be a whole number"),
        ("      red: {definition: Red.}", "      Red!: {definition: Red.}", 25, "names are lower-case words"),
        ("synonyms: [gown]", "synonyms: gown", 6, "'synonyms' must be a list"),
        ("choice: single", "choice: [single", 17, "not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in SMALL
    path = write(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(TaxonomyError) as caught:
        read(path)
    assert f"{path}:{line}: " in str(caught.value)
    assert words in str(caught.value)


def test_all_mistakes_are_named_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = (
        SMALL.replace("group: head", "group: skull").replace("leads: false", "leads: 3").replace("[deep v]", "[gown]")
    )
    with pytest.raises(TaxonomyError) as caught:
        read(write(tmp_path, text))
    lines = [int(row.split(":")[1]) for row in str(caught.value).splitlines()]
    assert lines == [10, 19, 26]


def test_a_missing_or_empty_file_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="cannot be read"):
        load(tmp_path / "none.yaml")
    with pytest.raises(TaxonomyError, match=r":1: the file is empty"):
        read(write(tmp_path, ""))


def test_a_duplicated_value_in_the_shipped_file_is_refused(tmp_path: Path) -> None:
    text = PATH.read_text(encoding="utf-8")
    extra = text.replace("      plain:\n", "      v-neck:\n        definition: Not a pattern.\n      plain:\n", 1)
    with pytest.raises(TaxonomyError, match="value 'v-neck' of neckline is at line") as caught:
        read(write(tmp_path, extra))
    assert "mine.yaml:" in str(caught.value)
    assert taxonomy.load().value("v-neck").name == "v-neck"
