"""Figures worked out by hand, each with its arithmetic."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookbench_eval import HarnessError, Samples, ScoringPolicy, ask, overall, parse, score
from lookbench_eval.measures import parse_all
from lookbench_eval.measures.look import look_scores
from lookbench_eval.search import blocks, check

Row = Mapping[str, Any]


def row(name: str, category: str, attributes: Sequence[str], item: str, **more: str) -> Row:
    return {
        "id": name,
        "category": category,
        "main_attribute": attributes[0],
        "attributes": attributes,
        "item": item,
        **more,
    }


def figures(
    queries: Sequence[Row],
    gallery: Sequence[Row],
    similarity: Sequence[Sequence[float]],
    measures: Sequence[str],
    **policy: Any,
) -> dict[str, float]:
    asked, answers = Samples.of(queries), Samples.of(gallery)
    questions = ask(asked, answers, [parse(name) for name in measures], ScoringPolicy(**policy))
    found = score(questions, [(slice(0, len(asked)), np.array(similarity, dtype=np.float32))])
    means = {}
    for measure, values in found.values.items():
        means[str(measure)] = float(np.mean(look_scores(asked.look, values)[1] if measure.name == "Look" else values))
    return means | {"tie_rate": float(found.tied.mean()), "excluded": float(found.excluded)}


BOOTS = [
    row("b1", "boot", ["suede", "ankle"], "p1"),
    row("b2", "boot", ["rubber", "knee"], "p3"),
    row("s1", "sandal", ["cork", "flat"], "p4"),
    row("s2", "sandal", ["cork", "wedge"], "p2"),
]


def test_hits_of_three_kinds() -> None:
    queries = [row("q1", "boot", ["suede", "ankle"], "p1"), row("q2", "sandal", ["cork", "wedge"], "p2")]
    # q1 ranks b2 (category only), then b1; q2 ranks s1 (category and main attribute), then s2, its product.
    found = figures(
        queries, BOOTS, [[0.4, 0.7, 0.1, 0.0], [0.0, 0.1, 0.9, 0.6]], ["Coarse@1", "Fine@1", "Item@1", "Item@2", "MRR"]
    )
    assert found["Coarse@1"] == 1.0
    assert found["Fine@1"] == 0.5
    assert found["Item@1"] == 0.0
    assert found["Item@2"] == 1.0
    assert found["MRR"] == pytest.approx((1 / 2 + 1) / 2)


@pytest.mark.parametrize(
    ("ties", "hit", "rank"),
    [("pessimistic", 0.0, 1 / 3), ("optimistic", 1.0, 1.0), ("expected", 1 / 3, (1 + 1 / 2 + 1 / 3) / 3)],
)
def test_one_positive_among_three_equal_scores(ties: str, hit: float, rank: float) -> None:
    queries = [row("q", "boot", ["suede"], "p1")]
    found = figures(queries, [BOOTS[2], BOOTS[0], BOOTS[3]], [[0.5, 0.5, 0.5]], ["Coarse@1", "MRR"], ties=ties)
    assert found["Coarse@1"] == pytest.approx(hit)
    assert found["MRR"] == pytest.approx(rank)
    assert found["tie_rate"] == 1.0


def test_ties_that_change_nothing_are_not_counted() -> None:
    queries = [row("q", "boot", ["suede"], "p1")]
    found = figures(queries, BOOTS, [[0.9, 0.2, 0.2, 0.2]], ["Fine@1", "MRR"])
    assert found["tie_rate"] == 0.0


def test_graded_gain_and_ideal() -> None:
    query = row("q", "skirt", ["tulle", "midi", "pleated", "pink"], "p0")
    gallery = [
        row("g1", "skirt", ["tulle", "midi", "mini"], "p1"),  # 2 of 4
        row("g2", "skirt", ["denim", "midi", "pleated", "pink"], "p2"),  # another main attribute: 0
        row("g3", "dress", ["tulle", "midi", "pleated", "pink"], "p3"),  # another category: 0
        row("g4", "skirt", ["pink", "pleated", "midi"], "p4"),  # another main attribute: 0
        row("g5", "skirt", ["tulle", "midi", "pleated", "pink", "lace"], "p0"),  # 4 of 4, more costs nothing
    ]
    found = figures(
        [query],
        gallery,
        [[0.9, 0.8, 0.7, 0.6, 0.5]],
        ["nDCG@1", "nDCG@4", "nDCG@5", "Fine@1", "Fine(match=subset)@5", "Fine(match=subset)@4"],
    )
    ideal = 1 + 0.5 / math.log2(3)
    assert found["nDCG@1"] == 0.5
    assert found["nDCG@4"] == pytest.approx(0.5 / ideal)
    assert found["nDCG@5"] == pytest.approx((0.5 + 1 / math.log2(6)) / ideal)
    assert found["Fine@1"] == 1.0
    assert found["Fine(match=subset)@4"] == 0.0
    assert found["Fine(match=subset)@5"] == 1.0


def test_ways_of_matching_are_told_apart() -> None:
    query = row("q", "coat", ["wool", "long"], "p0")
    gallery = [
        row("g1", "coat", ["wool", "short"], "p1"),
        row("g2", "coat", ["wool", "long", "belted"], "p2"),
        row("g3", "coat", ["long", "wool"], "p3"),
    ]
    names = [f"Fine(match={match})@{k}" for match in ("all", "subset") for k in (1, 2, 3)] + ["Fine@1"]
    found = figures([query], gallery, [[0.9, 0.8, 0.7]], names)
    assert [found[name] for name in names] == [0, 0, 1, 0, 1, 1, 1]


def test_ideal_has_no_more_places_than_positives() -> None:
    query = row("q", "sock", ["wool"], "p0")
    gallery = [row(f"g{n}", "sock", ["wool" if n in {1, 3} else "nylon"], f"p{n}") for n in range(5)]
    found = figures([query], gallery, [[0.9, 0.8, 0.7, 0.6, 0.5]], ["nDCG@5"])
    assert found["nDCG@5"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))


def test_recall_and_average_precision() -> None:
    query = row("q", "sock", ["wool"], "p0")
    gallery = [row(f"g{n}", "sock", ["wool" if n in {0, 2, 4} else "nylon"], f"p{n}") for n in range(5)]
    found = figures([query], gallery, [[0.9, 0.8, 0.7, 0.6, 0.5]], ["Recall@1", "Recall@3", "mAP", "mAP@3"])
    assert found["Recall@1"] == pytest.approx(1 / 3)
    assert found["Recall@3"] == pytest.approx(2 / 3)
    assert found["mAP"] == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert found["mAP@3"] == pytest.approx((1 + 2 / 3) / 3)


def test_query_without_positive_is_named_with_the_measure() -> None:
    queries = [row("fine", "boot", ["suede"], "p1"), row("lost", "poncho", ["alpaca"], "p9")]
    with pytest.raises(HarnessError, match=r"Fine@1: 1 \(lost\)"):
        figures(queries, BOOTS, [[1, 0, 0, 0], [1, 0, 0, 0]], ["Fine@1"])
    assert figures(queries, BOOTS, [[1, 0, 0, 0], [1, 0, 0, 0]], ["Fine@1"], no_positive="zero")["Fine@1"] == 0.5
    questions = ask(Samples.of(queries), Samples.of(BOOTS), [parse("Fine@1")], ScoringPolicy(no_positive="skip"))
    found = score(questions, [(slice(0, 2), np.array([[1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.float32))])
    assert found.values[parse("Fine@1")][0] == 1.0
    assert np.isnan(found.values[parse("Fine@1")][1])
    assert found.no_positive == {parse("Fine@1"): 1}


def test_query_of_unknown_product_is_not_asked_for_it() -> None:
    queries = [row("known", "boot", ["suede"], "p1"), row("unknown", "boot", ["suede"], "")]
    questions = ask(Samples.of(queries), Samples.of(BOOTS), parse_all(["Item@1", "Fine@1"]))
    found = score(questions, [(slice(0, 2), np.array([[1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.float32))])
    assert found.not_asked == {parse("Item@1"): 1}
    assert np.isnan(found.values[parse("Item@1")][1])
    assert found.values[parse("Fine@1")].tolist() == [1, 1]


def test_empty_labels_match_nothing() -> None:
    queries = [{"id": "q", "category": "", "main_attribute": ""}]
    gallery = [{"id": "g", "category": "", "main_attribute": ""}]
    assert figures(queries, gallery, [[1.0]], ["Coarse@1", "Fine@1", "nDCG@1"], no_positive="zero")["Coarse@1"] == 0


def test_own_file_is_left_out_and_counted() -> None:
    query = row("q", "coat", ["trench", "belted"], "p1", photo="f1")
    gallery = [
        row("g1", "coat", ["trench", "belted"], "p1", photo="f1"),
        row("g2", "coat", ["down"], "p2", photo="f2"),
        row("g3", "coat", ["trench"], "p1", photo="f3"),
    ]
    found = figures([query], gallery, [[1.0, 0.8, 0.7]], ["Fine@1", "Item@2", "Recall@2", "nDCG@3"])
    assert found["excluded"] == 1
    assert found["Fine@1"] == 0.0
    assert found["Item@2"] == 1.0
    assert found["Recall@2"] == 1.0
    # One positive is left, with gain 1/2, at the second place; the ideal puts it first.
    assert found["nDCG@3"] == pytest.approx(1 / math.log2(3))
    kept = figures([query], gallery, [[1.0, 0.8, 0.7]], ["Fine@1"], own_file="keep")
    assert kept["Fine@1"] == 1.0
    assert kept["excluded"] == 0


def test_own_file_as_the_only_positive_is_no_positive() -> None:
    query = row("q", "coat", ["trench"], "p1", photo="f1")
    with pytest.raises(HarnessError, match="q"):
        figures([query], [row("g1", "coat", ["trench"], "p1", photo="f1")], [[1.0]], ["Fine@1"])


def test_look_counts_when_all_garments_are_right() -> None:
    queries = [
        row("q1", "boot", ["suede"], "p1", look="A"),
        row("q2", "sandal", ["cork"], "p2", look="A"),
        row("q3", "boot", ["rubber"], "p3", look="B"),
        row("q4", "boot", ["rubber"], "p3"),
    ]
    right, wrong = [0.9, 0.1, 0.2, 0.3], [0.9, 0.8, 0.1, 0.1]
    found = figures(queries, BOOTS, [right, wrong, [0.1, 0.9, 0, 0], [0.1, 0.9, 0, 0]], ["Fine@1", "Look@1", "Look@3"])
    assert found["Fine@1"] == 0.75
    assert found["Look@1"] == 0.5
    assert found["Look@3"] == 1.0


def test_overall_is_weighted_by_queries() -> None:
    assert overall([2 / 3, 0.0], [3, 1]) == pytest.approx(0.5)


PUBLISHED = {
    "GR-Pro": ((77.50, 75.13, 62.39, 69.14), 67.38),
    "GR-Lite": ((75.00, 70.47, 60.14, 68.74), 65.71),
    "Marqo-FashionCLIP": ((71.88, 72.02, 56.88, 66.37), 63.24),
    "Marqo-FashionSigLIP": ((74.38, 74.09, 55.15, 66.17), 62.77),
    "SigLIP2-B/16": ((69.38, 72.02, 51.89, 62.81), 59.45),
    "SigLIP2-L/16": ((60.00, 65.80, 48.22, 58.36), 54.84),
}


@pytest.mark.parametrize("model", PUBLISHED)
def test_overall_gives_the_published_table(model: str) -> None:
    subsets, whole = PUBLISHED[model]
    assert overall(subsets, [160, 193, 981, 1011]) == pytest.approx(whole, abs=0.01)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Fine@1", "Fine@1"),
        ("ndcg@5", "nDCG@5"),
        ("RR", "MRR"),
        ("AP@10", "mAP@10"),
        ("R@20", "Recall@20"),
        (" MRR( rel = item )@10 ", "MRR(rel=item)@10"),
        ("Fine(match=main)@1", "Fine@1"),
        ("Fine(match=all)@5", "Fine(match=all)@5"),
    ],
)
def test_measures_parse_and_print(text: str, printed: str) -> None:
    assert str(parse(text)) == printed
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Fine", "needs a depth"),
        ("Fine@0", "depth 0"),
        ("Precision@5", "unknown measure"),
        ("nDCG(rel=colour)@5", "rel=colour"),
        ("MRR(match=all)", "match=all"),
        ("Fine@1000000", "depth 1000000"),
        ("", "unknown measure"),
    ],
)
def test_wrong_measures_say_what_is_right(text: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        parse(text)


def test_lists_of_measures_keep_order_and_drop_repeats() -> None:
    found = parse_all(["Fine@1,nDCG@5", "MRR(rel=item) Recall( rel=item )@5", "Fine@1"])
    assert [str(measure) for measure in found] == ["Fine@1", "nDCG@5", "MRR(rel=item)", "Recall(rel=item)@5"]


CASES = (
    Path(os.environ.get("LOOKBENCH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    / "cases/metrics/cases.json"
)


@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    "case", json.loads(CASES.read_text()) if CASES.is_file() else [], ids=lambda case: case["name"]
)
def test_shared_cases(case: Mapping[str, Any]) -> None:
    expected = case["expected"]

    def rows(part: Mapping[str, Any], side: str) -> list[Row]:
        return [{**one, "photo": one.get("photo_sha256")} for one in part[side]]

    def found(part: Mapping[str, Any], names: Sequence[str], **policy: Any) -> dict[str, float]:
        return figures(rows(part, "queries"), rows(part, "gallery"), part["similarity"], names, **policy)

    if "error" in expected and "similarity" in case:
        with pytest.raises(HarnessError, match=r"Fine@1.*q7"):
            found(case, ["Fine@1"])
    elif "error" in expected:
        vectors = np.array([[float(number) for number in one] for one in case["gallery_embeddings"]])
        with pytest.raises(HarnessError, match=r"gallery.*g2"):
            check([vectors], Samples.of(rows(case, "gallery")).ids, "gallery")
    elif "subsets" in case:
        means = [100 * found(part, ["Fine@1"])["Fine@1"] for part in case["subsets"].values()]
        counts = [len(part["queries"]) for part in case["subsets"].values()]
        assert overall(means, counts) == pytest.approx(expected["overall"], abs=1e-4)
    elif "pessimistic" in expected:
        for policy in ("pessimistic", "optimistic", "expected"):
            values = found(case, list(expected[policy]), ties=policy)
            assert {name: round(values[name], 4) for name in expected[policy]} == expected[policy]
            assert values["tie_rate"] == expected["tie_rate"]
    else:
        values = found(case, [name for name in expected if "@" in name])
        for name, value in expected.items():
            if name != "gains":
                assert values[name] == pytest.approx(value, abs=1e-4), name


def test_embeddings_and_similarities_agree() -> None:
    rng = np.random.default_rng(3)
    queries = Samples.of([row("q1", "boot", ["suede"], "p1"), row("q2", "sandal", ["cork"], "p2")])
    gallery = Samples.of(BOOTS)
    left, right = rng.normal(size=(2, 8)), rng.normal(size=(4, 8))
    cosine = (left / np.linalg.norm(left, axis=1, keepdims=True)) @ (
        right / np.linalg.norm(right, axis=1, keepdims=True)
    ).T
    names = parse_all(["Fine@1 MRR nDCG@2"])
    questions = ask(queries, gallery, names)
    one = score(questions, blocks(check([left], queries.ids, "query"), check([right], gallery.ids, "gallery")))
    two = score(questions, [(slice(0, 2), cosine.astype(np.float32))])
    for name in names:
        assert one.values[name].tolist() == two.values[name].tolist()
