"""Date windows and slices."""

from datetime import date

import numpy as np
import pytest

from lookbench_eval.errors import MeasureError, WindowError
from lookbench_eval.samples import Samples
from lookbench_eval.slices import cut
from lookbench_eval.windows import make, refuse_empty

DATES = np.array(["2026-03-01", "2026-03-02", "2026-05-31", "NaT"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    ("words", "inside"),
    [
        ({}, [True, True, True, True]),
        ({"cutoff": "2026-03-01"}, [False, True, True, False]),
        ({"since": "2026-03-01"}, [True, True, True, False]),
        ({"until": "2026-03-01"}, [True, False, False, False]),
        ({"since": "2026-03-02", "until": "2026-03-02"}, [False, True, False, False]),
        ({"cutoff": date(2026, 3, 1), "until": "2026-05-30"}, [False, True, False, False]),
    ],
)
def test_the_cutoff_day_is_out_and_the_other_bounds_are_in(words: dict, inside: list[bool]) -> None:
    assert make(**words).mask(DATES).tolist() == inside


def test_the_gallery_is_cut_only_when_asked() -> None:
    assert make("2026-03-01").gallery_mask(DATES).all()
    assert make("2026-03-01", cut_gallery=True).gallery_mask(DATES).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"cutoff": "March 2026"}, "March 2026"),
        ({"since": "2026-05-01", "until": "2026-04-01"}, "before since"),
        ({"cutoff": "2026-05-01", "until": "2026-05-01"}, "cutoff"),
        ({"cut_gallery": True}, "cutoff"),
    ],
)
def test_impossible_windows_are_refused(words: dict, said: str) -> None:
    with pytest.raises(WindowError, match=said):
        make(**words)


def test_an_empty_window_says_which_dates_exist() -> None:
    with pytest.raises(WindowError, match=r"2026-03-01 to 2026-05-31: 2026-03 \(2\), 2026-05 \(1\)"):
        refuse_empty(make("2027-01-01"), DATES, "lookbench-2026.12")


def test_a_window_on_undated_data_says_so() -> None:
    with pytest.raises(WindowError, match="no dates"):
        refuse_empty(make("2027-01-01"), np.full(3, "NaT", dtype="datetime64[D]"), "old set")


ROWS = Samples.of(
    [
        {
            "id": "a",
            "category": "dress",
            "site": "s1",
            "date": "2026-03-01",
            "facets": [("sleeve", "long"), ("sleeve", "puff")],
        },
        {"id": "b", "category": "coat", "site": "", "date": "2026-03-31", "facets": [("fit", "loose")]},
        {"id": "c", "category": "dress", "site": "s1", "facets": []},
    ]
)


@pytest.mark.parametrize(
    ("kind", "slices"),
    [
        ("month", {"(none)": ["c"], "2026-03": ["a", "b"]}),
        ("category", {"coat": ["b"], "dress": ["a", "c"]}),
        ("site", {"(none)": ["b"], "s1": ["a", "c"]}),
        ("facet:sleeve", {"(none)": ["b", "c"], "long": ["a"], "puff": ["a"]}),
    ],
)
def test_slices(kind: str, slices: dict[str, list[str]]) -> None:
    assert {key: ROWS.ids[mask].tolist() for key, mask in cut(ROWS, kind).items()} == slices


@pytest.mark.parametrize(("kind", "said"), [("colour", "unknown slice"), ("facet:neckline", "fit, sleeve")])
def test_unknown_slices_say_what_there_is(kind: str, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        cut(ROWS, kind)
