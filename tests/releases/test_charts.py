from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases import charts

START = datetime(2026, 1, 5, tzinfo=UTC)


def test_bars_add_up_the_rest():
    made = charts.bars({"a": 8, "b": 4, "c": 2, "d": 1}, 3)
    assert [(bar.label, bar.count, bar.share) for bar in made] == [("a", 8, 1.0), ("b", 4, 0.5), ("2 others", 3, 0.375)]
    assert charts.bars({}) == []


@given(st.lists(st.integers(0, 900), max_size=60))
def test_every_date_is_in_one_bin(days):
    made = charts.timeline(sorted(START + timedelta(days=day) for day in days))
    assert sum(item.count for item in made.bins) == len(days)
    assert len({item.label for item in made.bins}) == len(made.bins)
    assert len(made.bins) <= 48
    assert [item.label for item in made.bins] == sorted(item.label for item in made.bins)


@pytest.mark.parametrize(("span", "unit", "bins"), [(30, "day", 31), (70, "week", 11), (365, "month", 13)])
def test_the_bins_suit_the_span(span, unit, bins):
    made = charts.timeline([START + timedelta(days=day) for day in range(span + 1)])
    assert (made.unit, len(made.bins), made.few) == (unit, bins, False)


def test_few_days_are_told_by_name():
    made = charts.timeline([START] * 3 + [START + timedelta(days=180)])
    assert made.few
    assert Counter({item.label: item.count for item in made.bins}) == Counter({"2026-01-05": 3, "2026-07-04": 1})


def test_documents_of_another_kind_are_left_out():
    assert charts.scores([{"schema": "else"}, {}]) == []
