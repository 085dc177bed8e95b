import json

import pytest
import yaml

from releases import card, manifest
from releases.schema import COLUMNS, SUBSETS
from releases.summary import summarise


def test_the_head_of_the_card_is_yaml_with_every_config(frozen):
    _, head, _ = (frozen.path / "README.md").read_text().split("---\n", 2)
    content = yaml.safe_load(head)
    assert content["license"] == "cc0-1.0"
    assert [config["config_name"] for config in content["configs"]] == [*SUBSETS, "noise"]
    for config in content["configs"]:
        for split in config["data_files"]:
            assert list(frozen.path.glob(split["path"])), split


def test_the_card_says_what_a_reader_must_know(frozen):
    text = (frozen.path / "README.md").read_text()
    assert "All labels of this edition are machine labels." in text
    assert "> The looks are composed." in text
    for name, count in frozen.figures["rows"].items():
        assert f"{count:,}" in text, name
    assert all(f"`{column.name}`" in text for column in COLUMNS)


def test_labels_by_people_are_counted(made, frozen, catalog, inputs, policy, now, tmp_path):
    from releases.run import freeze

    people = type(made)({name: [dict(row) for row in rows] for name, rows in made.rows.items()})
    for row in people.rows["labels"][::2]:
        row.update(kind="human", agreement=0.8)
    text = (freeze(inputs(people), catalog, tmp_path / "r", policy, now=now).path / "README.md").read_text()
    assert "nobody has checked them" not in text
    assert "- human:" in text
    assert "Mean agreement between annotators: 0.800" in text


def test_citation_and_datasheet(frozen):
    citation = yaml.safe_load((frozen.path / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == "2026.12"
    assert str(citation["date-released"]) == "2026-12-20"
    sheet = (frozen.path / "datasheet.md").read_text()
    for gate in manifest.read(frozen.path)["gates"]:
        assert f"| {card.cell(gate['name'])} |" in sheet


@pytest.mark.parametrize(
    ("given", "text"),
    [("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("two\nlines", "two lines"), ("[x](y)", "\\[x\\](y)")],
)
def test_what_a_site_wrote_stays_in_its_cell(given, text):
    assert card.cell(given) == text


@pytest.mark.parametrize(("samples", "tag"), [(999, "n<1K"), (1_000, "1K<n<10K"), (69_399, "10K<n<100K")])
def test_size_categories(samples, tag):
    assert card.size_category(samples) == tag


def test_the_summary_counts_each_garment_once(frozen, made):
    found = summarise(frozen.path)
    items = {row["id"] for row in frozen.ledger.to_pylist() if row["outcome"] == "kept"}
    assert found.garments == len(items)
    assert sum(found.categories.values()) == len(items)
    assert found.samples > found.garments
    assert sum(found.label_kinds.values()) == len(items)
    assert json.dumps(found.bands)
