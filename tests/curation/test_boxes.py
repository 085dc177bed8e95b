"""Boxes: overlap, padding, merging."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.boxes import area, centrality, iou, merge, padded, touches
from curation.detectors import Detection

SIZE = (200, 300)


def boxes() -> st.SearchStrategy[tuple[float, float, float, float]]:
    sides = st.tuples(st.floats(0, 150), st.floats(0, 250), st.floats(1, 50), st.floats(1, 50))
    return sides.map(lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3]))


def found() -> st.SearchStrategy[list[Detection]]:
    one = st.builds(Detection, boxes(), st.sampled_from(["top", "jacket"]), st.floats(0.05, 1.0))
    return st.lists(one, max_size=8)


def test_iou_by_hand() -> None:
    assert iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(50 / 150)
    assert iou((0, 0, 10, 10), (10, 0, 20, 10)) == 0.0
    assert iou((3, 3, 3, 9), (3, 3, 3, 9)) == 0.0


@given(boxes(), st.floats(0, 0.3))
@settings(max_examples=60)
def test_padding_keeps_the_box_and_stays_inside(box: tuple[float, float, float, float], share: float) -> None:
    grown = padded(box, SIZE, share)
    assert all(float(side).is_integer() for side in grown)
    assert grown[0] <= box[0]
    assert grown[1] <= box[1]
    assert grown[2] >= box[2]
    assert grown[3] >= box[3]
    assert grown[0] >= 0
    assert grown[1] >= 0
    assert grown[2] <= SIZE[0]
    assert grown[3] <= SIZE[1]


def test_padding_by_hand() -> None:
    assert padded((10, 20, 110, 220), SIZE, 0.05) == (5.0, 10.0, 115.0, 230.0)
    assert padded((-4, 0, 205, 300.5), SIZE, 0.1) == (0.0, 0.0, 200.0, 300.0)


def test_touches_and_centrality() -> None:
    assert touches((0.5, 50, 100, 200), SIZE, 0.005)
    assert not touches((5, 50, 100, 200), SIZE, 0.005)
    assert centrality((50, 100, 150, 200), SIZE) == pytest.approx(1.0)
    assert centrality((0, 0, 0, 0), SIZE) == pytest.approx(0.0)


def test_two_classes_on_one_garment_are_one() -> None:
    shirt = Detection((10, 10, 110, 110), "top", 0.9)
    coat = Detection((12, 10, 112, 112), "jacket", 0.6)
    shoe = Detection((10, 200, 60, 240), "shoe", 0.5)
    kept, twins = merge([coat, shoe, shirt], 0.6, 0.9)
    assert kept == [shirt, shoe]
    assert twins == [(coat, shirt)]


def test_a_part_merges_only_into_its_own_category() -> None:
    whole = Detection((0, 0, 100, 200), "top", 0.9)
    sleeve = Detection((0, 10, 30, 100), "top", 0.5)
    bag = Detection((60, 120, 98, 190), "bag", 0.5)
    kept, twins = merge([whole, sleeve, bag], 0.6, 0.9)
    assert kept == [whole, bag]
    assert twins == [(sleeve, whole)]


@given(found(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_merging_ignores_order_and_loses_nothing(detections: list[Detection], random: st.DataObject) -> None:
    kept, twins = merge(detections, 0.6, 0.9)
    shuffled = list(detections)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge(shuffled, 0.6, 0.9) == (kept, twins)
    assert len(kept) + len(twins) == len(detections)
    assert merge(kept, 0.6, 0.9) == (kept, [])
    assert all(area(one.box) > 0 for one in kept)
