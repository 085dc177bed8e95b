"""Predictions that the template cannot show are refused before anything is uploaded."""

import json

import pytest

import taxonomy
from annotation.checks import Template, check_tasks
from annotation.controls import choices, controls, result
from annotation.errors import PredictionError
from annotation.template import build

TAX = taxonomy.load()
CONFIG = build(TAX)
DATA = {"item_id": "i-1", "crop": "a.jpg", "photo": "b.jpg", "note": "x"}


def task(*rows: dict) -> dict:
    return {"data": DATA, "predictions": [{"result": list(rows)}]}


def test_the_shared_cases(shared) -> None:
    refused = [
        case for case in json.loads((shared / "cases/labels/cases.json").read_text()) if case["expected"].get("refused")
    ]
    assert len(refused) == 2
    for case in refused:
        with pytest.raises(PredictionError) as caught:
            check_tasks(case["config"], [case["task"]])
        for name in case["expected"]["message_names"]:
            assert repr(name) in str(caught.value), case["name"]


def test_a_value_with_a_comma_is_one_value(shared) -> None:
    case = next(
        c for c in json.loads((shared / "cases/labels/cases.json").read_text()) if c["name"] == "choice with a comma"
    )
    assert Template.parse(case["config"]).choices["colour"].values == ("black, white", "red")
    given = {"data": {"image": "x.jpg"}, "predictions": [{"result": case["export"][0]["annotations"][0]["result"]}]}
    check_tasks(case["config"], [given])


def test_a_prediction_of_a_label_fits() -> None:
    rows = result(
        controls(TAX), "dress", [("neckline", "v-neck"), ("colour", "red"), ("colour", "blue"), ("type", "wrap dress")]
    )
    assert [row["from_name"] for row in rows] == ["category", "type.dress", "neckline", "colour"]
    check_tasks(CONFIG, [task(*rows), {"data": DATA}])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (choices("colours", ["red"]), "control 'colours', which the template has not"),
        (choices("colour", ["Red"]), "'Red' is no value of control 'colour'; did you mean 'red'?"),
        (choices("pattern", ["plain", "striped"]), "takes one value, not 2"),
        (choices("colour", []), "has no list of choices"),
        ({**choices("colour", ["red"]), "to_name": "photo"}, "belongs to object 'crop', not 'photo'"),
        ({**choices("colour", ["red"]), "type": "labels"}, "takes choices, not 'labels'"),
        (choices("type.top", ["wrap dress"]), "'wrap dress' is no value of control 'type.top'"),
    ],
)
def test_each_fault_says_which_task_control_and_value(row: dict, words: str) -> None:
    with pytest.raises(PredictionError) as caught:
        check_tasks(CONFIG, [{"data": DATA}, task(row)])
    assert words in str(caught.value)
    assert "task 2 (i-1)" in str(caught.value)
    assert "nothing was uploaded" in str(caught.value)


def test_a_control_answered_twice_and_a_missing_field_are_refused() -> None:
    with pytest.raises(PredictionError, match="'colour' is answered twice"):
        check_tasks(CONFIG, [task(choices("colour", ["red"]), choices("colour", ["blue"]))])
    with pytest.raises(PredictionError, match="lacks the field 'crop'"):
        check_tasks(CONFIG, [{"data": {"item_id": "i-9", "photo": "x", "note": ""}}])


def test_many_faults_are_counted_not_listed() -> None:
    with pytest.raises(PredictionError, match="and 15 more"):
        check_tasks(CONFIG, [task(choices("nope", ["x"]))] * 20)


def test_a_template_that_is_not_xml_is_refused() -> None:
    with pytest.raises(PredictionError, match="not XML"):
        Template.parse("<View><Choices></View>")
