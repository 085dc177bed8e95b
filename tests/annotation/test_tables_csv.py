"""A spreadsheet shows cells, it runs none of them."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tables_csv import dump, guard


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("-5 %", "'-5 %"),
        ("@home", "'@home"),
        ("\tx", "'\tx"),
        ("plain", "plain"),
        ("a=b", "a=b"),
        ("", ""),
        ('=HYPERLINK("https://shop.example/","a, b")', '\'=HYPERLINK("https://shop.example/","a, b")'),
    ],
)
def test_a_text_that_would_be_a_formula_gets_an_apostrophe(text: str, cell: str) -> None:
    assert guard(text) == cell
    assert list(csv.reader(io.StringIO(dump([{"t": text}], ["t"]))))[1:] == [[cell]] or text == ""


def test_the_shared_cases(shared) -> None:
    cases = json.loads((shared / "cases/labels/cases.json").read_text())
    texts = next(case for case in cases if "spreadsheet" in case["name"])
    written = dump([{"text": text} for text in texts["texts"]], ["text"])
    assert [row[0] for row in csv.reader(io.StringIO(written))][1:] == texts["expected"]["csv"]
    comma = next(case for case in cases if case["name"] == "choice with a comma")
    line = dump([{"task": 7, "colour": "black, white"}], ["task", "colour"]).splitlines()[1]
    assert line == comma["expected"]["csv_line"]


def test_numbers_stay_numbers_and_null_is_empty() -> None:
    assert dump([{"a": -5, "b": 0.25, "c": None, "d": True}], ["a", "b", "c", "d"]) == "a,b,c,d\n-5,0.25,,True\n"


def test_lists_of_attributes_are_one_cell() -> None:
    row = {"attributes": [{"facet": "colour", "value": "black, white"}, {"facet": "fit", "value": "slim fit"}]}
    written = dump([row], ["attributes"])
    assert list(csv.reader(io.StringIO(written)))[1] == ["colour: black, white | fit: slim fit"]


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"])), min_size=1, max_size=5
    )
)
def test_every_text_comes_back_as_one_cell_that_starts_no_formula(texts: list[str]) -> None:
    written = dump([{"id": n, "t": text} for n, text in enumerate(texts)], ["id", "t"])
    rows = list(csv.reader(io.StringIO(written)))[1:]
    assert [
        row[1].removeprefix("'") if text.startswith(("=", "+", "-", "@", "\t")) else row[1]
        for row, text in zip(rows, texts, strict=True)
    ] == texts
    assert not any(row[1].startswith(("=", "+", "-", "@")) for row in rows)
