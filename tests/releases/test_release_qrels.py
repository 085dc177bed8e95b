import math
import random

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from releases import reading
from releases.qrels import Judged, grades
from releases.schema import SUBSETS


def judged(id: str, category: str, main: str, others: set[str], product: str) -> Judged:
    return Judged(id, category, main, frozenset({main, *others}), product)


def test_grades_by_hand():
    query = judged("q", "dress", "floral", {"midi", "red"}, "p1")
    gallery = [
        judged("same", "dress", "floral", {"midi", "red"}, "p1"),
        judged("near", "dress", "floral", {"maxi", "red"}, "p2"),
        judged("bare", "dress", "floral", set(), "p3"),
        judged("other label", "dress", "plain", {"midi", "red"}, "p1"),
        judged("other", "skirt", "floral", {"midi", "red"}, "p4"),
    ]
    assert list(grades([query], gallery)) == [
        ("q", "bare", 1),
        ("q", "near", 2),
        ("q", "other label", 0),
        ("q", "same", 3),
    ]


def dcg(gains: list[float], k: int) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:k]))


WORDS = st.frozensets(st.sampled_from("abcdef"), min_size=0, max_size=4)


@given(WORDS, st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=8), st.integers(0, 99))
def test_whole_grades_give_the_ndcg_of_the_design(asked, answers, seed):
    query = judged("q", "dress", "main", set(asked), "p")
    gallery = [
        judged(str(n), "dress", "main" if same else "else", set(words), "x") for n, (words, same) in enumerate(answers)
    ]
    found = {answer: grade for _, answer, grade in grades([query], gallery)}
    order = random.Random(seed).sample(gallery, len(gallery))
    whole = [float(found.get(row.sample_id, 0)) for row in order]
    share = [
        len(query.words & row.words) / len(query.words) if row.main_attribute == query.main_attribute else 0.0
        for row in order
    ]
    ideal = dcg(sorted(whole, reverse=True), 5), dcg(sorted(share, reverse=True), 5)
    assert (ideal[0] == 0) == (ideal[1] == 0)
    if ideal[0]:
        assert math.isclose(dcg(whole, 5) / ideal[0], dcg(share, 5) / ideal[1], rel_tol=1e-12)


def test_every_query_of_a_release_is_judged_with_a_positive(frozen):
    for subset in SUBSETS:
        lines = (frozen.path / "qrels" / f"{subset}.tsv").read_text().splitlines()
        rows = [line.split("\t") for line in lines]
        assert all(len(row) == 4 and row[1] == "0" and row[3].isdigit() for row in rows)
        asked = reading.read_labels(frozen.path, subset, "query")["sample_id"].to_pylist()
        assert {row[0] for row in rows if int(row[3]) > 0} == set(asked)
        assert lines == sorted(lines)


def test_looks_group_the_queries(frozen, made):
    looks = pq.read_table(frozen.path / "qrels" / "looks.parquet").to_pylist()
    assert {row["subset"] for row in looks} == {"real_streetlook", "aigen_streetlook"}
    worn = {row["photo_id"]: len(row["shows"]) for row in made.rows["photos"] if row.get("shows")}
    for row in looks:
        assert 1 <= len(row["sample_ids"]) <= row["garments"]
        if row["subset"] == "real_streetlook":
            assert row["garments"] == worn[row["look_id"]]
