from datetime import UTC, datetime

import pytest

from releases import anchors, manifest, reading
from releases.diff import diff
from releases.run import freeze
from releases.schema import ANCHORS, SUBSETS
from releases.verify import verify


@pytest.fixture(scope="module")
def second(frozen, catalog, make_edition, inputs, policy, tmp_path_factory):
    """The edition after: other products, half a year later."""
    made = make_edition(catalog.put_image, first=1_000, day=datetime(2027, 5, 1, tzinfo=UTC))
    out = tmp_path_factory.mktemp("second") / "lookbench-2027.06"
    now = datetime(2027, 6, 20, tzinfo=UTC)
    return freeze(inputs(made, "2027.06", previous=frozen.path), catalog, out, policy, now=now)


def test_anchors_are_rows_of_the_edition_before_word_for_word(frozen, second, policy):
    asked = reading.read_split(second.path, ANCHORS, "query").to_pylist()
    assert len(asked) == policy.anchors
    before = {
        row["sample_id"]: row
        for subset in SUBSETS
        for split in ("query", "gallery")
        for row in reading.read_split(frozen.path, subset, split).to_pylist()
    }
    shown = reading.read_split(second.path, ANCHORS, "gallery").to_pylist()
    assert shown
    assert all(before[row["sample_id"]] == row for row in [*asked, *shown])
    assert {row["product_id"] for row in asked} <= {row["product_id"] for row in shown}
    assert len({(row["photo_sha256"], row["bbox"]) for row in shown}) == len(shown)


def test_anchors_are_no_subset_and_the_card_and_manifest_name_them(frozen, second):
    assert not (second.path / "data" / ANCHORS).exists()
    assert not set(second.figures["rows"]) & {"anchors/query"}
    content = manifest.read(second.path)
    assert content["previous"]["edition"] == "2026.12"
    assert "config_name: anchors" in (second.path / "README.md").read_text()
    assert verify(second.path).rows["anchors/query"] > 0


def test_all_subsets_give_anchors(second):
    subsets = {
        name.split("-")[1] for name in reading.read_labels(second.path, ANCHORS, "query")["sample_id"].to_pylist()
    }
    assert subsets == set(SUBSETS)


def test_no_past_edition_no_anchors(frozen):
    assert anchors.choose(None, 5) is None
    assert anchors.choose(frozen.path, 0) is None


def test_two_editions_compared(frozen, second):
    found = diff(frozen.path, second.path)
    assert not found.equal
    flat = found.splits["real_studio_flat/query"]
    assert (len(flat.removed), len(flat.added)) == (flat.before, flat.after)
    assert "2026.12 -> 2027.06" in str(found)
    same = diff(frozen.path, frozen.path)
    assert same.equal
    assert same.settings == {}
