"""Annotations become labels: people overrule machines, strangers are refused, nothing is lost."""

import json

import pytest

import taxonomy
from annotation.controls import answers, choices, controls, result
from annotation.errors import PullError
from annotation.pull import read
from catalog import tables
from catalog.ledger import balance

TAX = taxonomy.load()
ASKED = controls(TAX)
ITEMS = tables.from_rows("items", [{"item_id": f"i-{n}", "photo_id": f"p-{n}", "box": [0, 0, 1, 1]} for n in range(4)])


def annotation(id: int, category: str, *attributes: tuple[str, str], by: int = 1, machine: bool = False, **more):
    seconds = None if machine else 12.5
    return {"id": id, "completed_by": by, "result": result(ASKED, category, attributes), "was_cancelled": False,
            "lead_time": seconds, "parent_prediction": 5 if machine else None, **more}  # fmt: skip


def task(item: str, *annotations) -> dict:
    return {"id": 1, "data": {"item_id": item, "model_version": "probe 1"}, "annotations": list(annotations)}


def pull(*tasks: dict):
    done = read(
        tasks, "2026.06", ITEMS, TAX, accounts={1: "ada@example.org", 2: "bob@example.org", 3: "cy@example.org"}
    )
    balance(done.ledger, "item", ITEMS["item_id"].to_pylist(), "pull")
    labels = {row["item_id"]: row for row in done.tables["labels"].to_pylist()}
    return labels, {row["id"]: row for row in done.ledger.to_pylist()}, done.figures


def values(row) -> list[str]:
    return [a["value"] for a in row["attributes"]]


def test_a_persons_annotation_is_a_human_label() -> None:
    labels, ledger, _ = pull(task("i-0", annotation(9, "dress", ("pattern", "floral"), ("colour", "red"))))
    row = labels["i-0"]
    assert (row["category"], row["main_attribute"], values(row)) == ("dress", "floral", ["floral", "red"])
    assert (row["annotator"], row["kind"], row["lead_time_s"], row["agreement"]) == (
        "ada@example.org",
        "human",
        12.5,
        None,
    )
    assert row["model_version"] is None
    assert ledger["i-0"]["reason"] == "human"
    assert ledger["i-1"]["reason"] == "not_pushed"


def test_an_accepted_prediction_stays_machine() -> None:
    labels, _, figures = pull(task("i-0", annotation(9, "hat", ("colour", "red"), machine=True)))
    assert (labels["i-0"]["kind"], labels["i-0"]["annotator"], labels["i-0"]["model_version"]) == (
        "machine",
        "probe 1",
        "probe 1",
    )
    assert labels["i-0"]["lead_time_s"] is None
    assert figures["labels/machine"] == 1


def test_a_prediction_that_a_person_submitted_is_human() -> None:
    labels, _, _ = pull(task("i-0", annotation(9, "hat", machine=True, lead_time=3.0)))
    assert labels["i-0"]["kind"] == "human"


def test_people_overrule_machines() -> None:
    labels, _, _ = pull(
        task("i-0", annotation(1, "hat", machine=True), annotation(2, "scarf"), annotation(3, "hat", machine=True))
    )
    assert (labels["i-0"]["category"], labels["i-0"]["kind"]) == ("scarf", "human")


def test_several_people_make_one_label_by_majority_with_their_agreement() -> None:
    labels, _, figures = pull(
        task(
            "i-0",
            annotation(1, "dress", ("pattern", "floral"), ("colour", "red"), by=1),
            annotation(2, "dress", ("pattern", "dotted"), ("colour", "red"), by=2),
            annotation(3, "dress", ("pattern", "dotted"), ("colour", "blue"), by=3),
        )
    )
    row = labels["i-0"]
    assert values(row) == ["dotted", "red"]
    assert row["annotator"] == "ada@example.org + bob@example.org + cy@example.org"
    # Overlaps of {dress, floral, red}, {dress, dotted, red}, {dress, dotted, blue}: 2/4, 1/5, 2/4.
    assert row["agreement"] == pytest.approx((2 / 4 + 1 / 5 + 2 / 4) / 3)
    assert row["lead_time_s"] == pytest.approx(37.5)
    assert figures["category/percent"] == 1.0
    assert figures["double_labelled"] == 1
    assert figures["attributes/overlap"] == pytest.approx(row["agreement"])


def test_two_people_who_differ_keep_the_earlier_answer() -> None:
    labels, _, figures = pull(
        task("i-0", annotation(7, "skirt", by=2), annotation(4, "dress", ("colour", "red"), by=1))
    )
    assert labels["i-0"]["category"] == "dress"
    assert figures["category/percent"] == 0.0


def test_what_gives_no_label_is_dropped_with_its_reason() -> None:
    unusable = annotation(2, "dress", ("colour", "red"))
    unusable["result"] = unusable["result"][1:]
    strange = annotation(3, "dress")
    strange["result"] = [choices("category", ["spaceship"])]
    labels, ledger, _ = pull(
        task("i-0", annotation(1, "dress", was_cancelled=True)),
        task("i-1"),
        task("i-2", unusable),
        task("i-3", strange),
    )
    assert labels == {}
    assert {item: row["reason"] for item, row in ledger.items()} == {
        "i-0": "skipped", "i-1": "not_annotated", "i-2": "no_category", "i-3": "unknown_category",
    }  # fmt: skip


def test_values_the_category_does_not_have_are_left_out_and_named() -> None:
    rows = annotation(1, "hat", ("colour", "red"))
    rows["result"] += [choices("neckline", ["v-neck"]), choices("type.dress", ["wrap dress"])]
    labels, ledger, _ = pull(task("i-0", rows))
    assert values(labels["i-0"]) == ["red"]
    assert json.loads(ledger["i-0"]["evidence"])["left_out"] == ["neckline: v-neck", "type: wrap dress"]


def test_annotations_of_strangers_are_refused_by_name() -> None:
    with pytest.raises(PullError, match=r"2 annotated tasks .* name no item of edition 2026\.06: i-99, task 1;"):
        pull(task("i-99", annotation(1, "hat")), {"id": 1, "data": {}, "annotations": [annotation(2, "hat")]})
    pull(task("i-99"))  # a task nobody annotated names nothing


def test_a_value_with_a_comma_is_never_split(shared) -> None:
    case = next(
        c for c in json.loads((shared / "cases/labels/cases.json").read_text()) if c["name"] == "choice with a comma"
    )
    found = answers(case["export"][0]["annotations"][0]["result"])
    assert [{"facet": name, "value": value} for name, value in found] == case["expected"]["pulled"]
    assert answers([choices("colour", ["black, white", "red"])]) == [("colour", "black, white"), ("colour", "red")]
