"""Agreement of annotators, against hand-worked values and a second implementation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.agreement import cohen_kappa, krippendorff_alpha, overlap, percent
from annotation.errors import AnnotationError

# 12 necklines, 9 equal; both annotators use the three values 5, 4 and 3 times.
A = ["crew", "crew", "v", "v", "collar", "collar", "crew", "v", "collar", "crew", "v", "crew"]
B = ["crew", "v", "v", "v", "collar", "crew", "crew", "v", "collar", "crew", "collar", "crew"]


def test_twelve_necklines_by_hand() -> None:
    assert percent(A, B) == 9 / 12
    # pe = (25 + 16 + 9) / 144, kappa = (0.75 - pe) / (1 - pe)
    assert cohen_kappa(A, B) == pytest.approx(0.6170, abs=5e-5)
    # 24 values: 1 - 23 x 6 / (576 - 200)
    assert krippendorff_alpha([A, B]) == pytest.approx(0.6330, abs=5e-5)


def test_the_shared_case(shared) -> None:
    import json

    case = next(
        c for c in json.loads((shared / "cases/labels/cases.json").read_text()) if c["name"].startswith("agreement")
    )
    first, second = case["annotators"].values()
    assert percent(first, second) == pytest.approx(case["expected"]["percent"], abs=5e-4)
    assert cohen_kappa(first, second) == pytest.approx(case["expected"]["cohen_kappa"], abs=5e-4)
    alpha = krippendorff_alpha([first, second])
    assert alpha == pytest.approx(case["expected"]["krippendorff_alpha_nominal"], abs=5e-4)


def test_alpha_with_gaps_as_krippendorff_prints_it() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, nominal alpha 0.743.
    rows = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    observers = [[None if mark == "." else mark for mark in row.split()] for row in rows]
    assert krippendorff_alpha(observers) == pytest.approx(0.743, abs=5e-4)


LABEL = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.lists(LABEL, min_size=n, max_size=n), min_size=2, max_size=4)))
def test_alpha_equals_the_krippendorff_package(annotators: list[list[str | None]]) -> None:
    package = pytest.importorskip("krippendorff")
    ours = krippendorff_alpha(annotators)
    codes = {"a": 0.0, "b": 1.0, "c": 2.0, None: float("nan")}
    pairable = [[v for v in unit if v is not None] for unit in zip(*annotators, strict=True)]
    used = {v for unit in pairable if len(unit) > 1 for v in unit}
    if not used:
        assert ours is None
    elif len(used) == 1:
        assert ours == 1.0
    else:
        data = [[codes[v] for v in row] for row in annotators]
        theirs = package.alpha(reliability_data=data, level_of_measurement="nominal", value_domain=[0.0, 1.0, 2.0])
        assert ours == pytest.approx(theirs)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), min_size=1, max_size=20))
def test_agreement_does_not_depend_on_who_is_first(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assert percent(first, second) == percent(second, first)
    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa(second, first))
    assert percent(first, first) == cohen_kappa(first, first) == 1.0


def test_overlap_of_two_labels() -> None:
    first = [("colour", "red"), ("fit", "slim fit")]
    assert overlap(first, [("colour", "red"), ("fit", "loose fit")]) == pytest.approx(1 / 3)
    assert overlap([], []) == 1.0
    assert overlap(first, []) == 0.0


def test_lists_of_different_items_are_refused() -> None:
    with pytest.raises(AnnotationError, match="not 1 and 2"):
        percent(["a"], ["a", "b"])
    with pytest.raises(AnnotationError, match="the same items"):
        cohen_kappa([], [])
