"""Boxes from the detector, categories from the probe; the checked boxes are the ones that the figures speak of."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taxonomy
from catalog.decode import Pixels
from curation.categories import Head, Probe
from curation.detectors import Detection
from curation.errors import CurationError
from curation.second_stage import LEAST_SCORE, SecondStage

CHECKED = Path(__file__).parent.parent.parent / "models" / "garment-yolo" / "checked.csv"
PICTURE = np.zeros((100, 100, 3), np.uint8)
PICTURE[:, :50] = 255


class Fixed:
    name = "fixed@1"

    def __init__(self, *found: Detection) -> None:
        self.found = list(found)

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        return [self.found for _ in images]


class Light:
    """Embeds a crop by how light it is."""

    name, size = "light@1", 2

    def __init__(self) -> None:
        self.seen: list[tuple[int, ...]] = []

    def embed(self, images: Sequence[Pixels]) -> Any:
        self.seen += [image.shape for image in images]
        share = np.asarray([image.mean() / 255 for image in images], np.float32)
        return np.stack([share, 1 - share], axis=1)


PROBE = Probe(
    "probe@1",
    {"category": Head(("coat", "shirt"), np.asarray([[9, -9], [-9, 9]], np.float32), np.zeros(2, np.float32))},
)


def box(category: str, score: float, *corners: float, categories: tuple[str, ...] = ()) -> Detection:
    return Detection((corners[0], corners[1], corners[2], corners[3]), category, score, categories or (category,))


def test_a_large_box_may_be_anything_and_a_small_one_stays_in_its_class() -> None:
    large = box("top", 0.9, 0, 0, 49, 100, categories=("top", "shirt"))
    small = box("top", 0.8, 2, 2, 22, 22, categories=("top", "shirt"))
    other = box("bag", 0.7, 60, 60, 80, 80)
    weak = box("top", LEAST_SCORE / 2, 0, 0, 100, 100)
    embedder = Light()
    (found,) = SecondStage(Fixed(large, small, other, weak), embedder, PROBE).detect([PICTURE])
    assert [one.category for one in found] == ["coat", "shirt", "bag", "top"]
    assert [one.box for one in found] == [large.box, small.box, other.box, weak.box]
    assert [one.score for one in found] == [0.9, 0.8, 0.7, LEAST_SCORE / 2]
    assert len(embedder.seen) == 3, "nothing is embedded that no policy keeps"
    assert embedder.seen[1] == (22, 22, 3), "crops are padded as the probe was trained"


def test_of_boxes_around_one_garment_only_the_likeliest_is_named() -> None:
    best = box("top", 0.9, 0, 0, 60, 100, categories=("top", "shirt"))
    twin = box("dress", 0.8, 0, 0, 62, 100)
    apart = box("top", 0.7, 70, 0, 100, 100, categories=("top", "shirt"))
    embedder = Light()
    (found,) = SecondStage(Fixed(best, twin, apart), embedder, PROBE).detect([PICTURE])
    assert [one.category for one in found] == ["coat", "dress", "shirt"]
    assert len(embedder.seen) == 2


def test_no_garment_is_no_work() -> None:
    embedder = Light()
    assert SecondStage(Fixed(), embedder, PROBE).detect([PICTURE, PICTURE]) == [[], []]
    assert embedder.seen == []


def test_a_probe_of_another_embedder_is_refused() -> None:
    wide = Probe("probe@2", {"category": Head(("a",), np.zeros((7, 1), np.float32), np.zeros(1, np.float32))})
    with pytest.raises(CurationError, match=r"embeddings of 7 numbers, light@1 makes 2"):
        SecondStage(Fixed(), Light(), wide)


def test_the_checked_boxes_are_whole() -> None:
    with CHECKED.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 200
    assert len({row["file"] for row in rows}) == len(rows)
    assert {row["category"] for row in rows} <= set(taxonomy.load().categories)
    assert {row["drawn_by"] for row in rows} == {"grabcut", "detector", "hand"}
    for row in rows:
        x0, y0, x1, y1 = (int(row[name]) for name in ("x0", "y0", "x1", "y1"))
        assert 0 <= x0 < x1, row["file"]
        assert 0 <= y0 < y1, row["file"]


@pytest.mark.slow
def test_a_sample_of_the_checked_photos_meets_the_bars(shared: Path) -> None:
    """Every sixth photo: most are boxed at IoU 0.5, and the category is the sender's on most."""
    from catalog.decode import decode
    from curation import boxes
    from curation.items import DETECT_SIDE, ItemPolicy, garments
    from flows.workshop import Workshop

    with CHECKED.open() as file:
        rows = list(csv.DictReader(file))[::6]
    detector = Workshop.open().detector
    met = right = 0
    for row in rows:
        seen = decode((shared / "photos" / "images" / row["file"]).read_bytes(), reduce_to=DETECT_SIDE)
        share = seen.pixels.shape[1] / seen.width
        truth = tuple(float(row[name]) * share for name in ("x0", "y0", "x1", "y1"))
        size = (seen.pixels.shape[1], seen.pixels.shape[0])
        kept, _ = garments(detector.detect([seen.pixels])[0], size, ItemPolicy(), look=False)
        best = max(kept, key=lambda found: boxes.iou(found.box, truth), default=None)
        if best is not None and boxes.iou(best.box, truth) >= 0.5:
            met += 1
            right += best.category == row["category"]
    assert met >= 0.9 * len(rows)
    assert right >= 0.65 * len(rows)
