"""The labelling template asks what the taxonomy asks."""

from xml.etree import ElementTree as ET

import taxonomy
from annotation.controls import CATEGORY, IMAGE, answers, controls, result
from annotation.template import build, hotkeys, instructions

TAX = taxonomy.load()
ROOT = ET.fromstring(build(TAX))


def questions(category: str) -> dict[str, list[str]]:
    """Control name -> values shown when ``category`` is chosen."""
    shown = {}
    for view in ROOT.iter("View"):
        if view.get("visibleWhen") and category in view.get("whenChoiceValue", "").split(","):
            for node in view.iter("Choices"):
                shown[node.get("name", "")] = [choice.get("value", "") for choice in node.iter("Choice")]
    return shown


def test_it_shows_crop_and_photo_and_asks_the_category_with_a_key_each() -> None:
    assert [(node.get("name"), node.get("value")) for node in ROOT.iter("Image")] == [
        ("crop", "$crop"),
        ("photo", "$photo"),
    ]
    category = next(node for node in ROOT.iter("Choices") if node.get("name") == CATEGORY)
    assert category.get("required") == "true"
    assert [choice.get("value") for choice in category] == list(TAX.categories)
    keys = [choice.get("hotkey") for choice in category]
    assert all(keys)
    assert len(set(keys)) == 27


def test_a_category_is_asked_its_facets_with_its_values_and_no_others() -> None:
    by_name = {control.name: control for control in controls(TAX)}
    for category in TAX.categories.values():
        shown = questions(category.name)
        assert {by_name[name].facet: tuple(values) for name, values in shown.items()} == {
            facet: TAX.values(category.name, facet) for facet in category.facets
        }, category.name


def test_control_names_are_unique_and_point_at_the_crop() -> None:
    names = [node.get("name") for node in ROOT.iter("Choices")]
    assert len(names) == len(set(names))
    assert {node.get("toName") for node in ROOT.iter("Choices")} == {IMAGE}
    assert {node.get("choice") for node in ROOT.iter("Choices") if node.get("name") == "colour"} == {"multiple"}


def test_it_stays_small_because_label_studio_parses_it_for_every_row() -> None:
    assert len(build(TAX)) < 40_000


def test_hotkeys_prefer_the_first_letter_and_end_with_the_alphabet() -> None:
    assert hotkeys(["shirt", "shorts", "skirt"]) == {"shirt": "s", "shorts": "h", "skirt": "k"}
    many = hotkeys([f"aaa{n:02}" for n in range(60)])
    assert len(set(many.values())) == len(many) == 36


def test_the_instructions_define_every_value() -> None:
    page = instructions(TAX)
    for facet in TAX.facets.values():
        for value in facet.values.values():
            assert f"<dt>{value.name}</dt><dd>" in page
    assert "&amp;" not in page or "<script" not in page


def test_answers_read_what_result_wrote() -> None:
    attributes = [("pattern", "striped"), ("colour", "black"), ("colour", "white"), ("length", "mini")]
    rows = result(controls(TAX), "skirt", attributes)
    by_name = {control.name: control.facet for control in controls(TAX)}
    assert [(by_name[name], value) for name, value in answers(rows)] == [
        ("category", "skirt"), ("pattern", "striped"), ("length", "mini"), ("colour", "black"), ("colour", "white"),
    ]  # fmt: skip


def test_the_same_taxonomy_gives_the_same_bytes() -> None:
    assert build(TAX) == build(taxonomy.read(taxonomy.PATH))
