import json

import pytest

from catalog.ledger import Ledger, LedgerError, balance


def ledger() -> Ledger:
    made = Ledger("screen", "photo", "2026.12")
    made.kept("a")
    made.dropped("b", "too_small", evidence={"side": 80, "line": 160})
    return made


def test_every_row_says_step_subject_outcome_reason_and_evidence() -> None:
    made = ledger()
    made.kept("i", "tied", parent_id="a", subject="item")
    rows = made.table().to_pylist()
    assert [(row["id"], row["outcome"], row["reason"]) for row in rows] == [
        ("a", "kept", "ok"),
        ("b", "dropped", "too_small"),
        ("i", "kept", "tied"),
    ]
    assert {(row["edition"], row["step"]) for row in rows} == {("2026.12", "screen")}
    assert rows[0]["evidence"] is None
    assert json.loads(rows[1]["evidence"]) == {"side": 80, "line": 160}
    assert (rows[2]["subject"], rows[2]["parent_id"]) == ("item", "a")


def test_a_ledger_that_has_each_input_once_balances() -> None:
    balance(ledger().table(), "photo", ["b", "a", "a"], "here")
    balance(Ledger("screen", "photo").table(), "photo", [], "here")


def test_rows_of_other_subjects_do_not_count() -> None:
    made = ledger()
    made.kept("a", subject="item")
    made.dropped("x", "small", subject="item")
    balance(made.table(), "photo", ["a", "b"], "here")


@pytest.mark.parametrize(
    ("inputs", "again", "says"),
    [
        (["a", "b", "c"], None, r"lost \['c'\] \(1\), unknown \[\]"),
        (["a"], None, r"unknown \['b'\] \(1\)"),
        (["a", "b"], "b", r"twice \['b'\] \(1\)"),
    ],
)
def test_what_is_lost_unknown_or_double_is_named(inputs: list[str], again: str | None, says: str) -> None:
    made = ledger()
    if again:
        made.kept(again)
    with pytest.raises(LedgerError, match=says):
        balance(made.table(), "photo", inputs, "step screen")
