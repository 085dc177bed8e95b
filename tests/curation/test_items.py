"""Items: which boxes of a photo become items, and that every photo and box is accounted for."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog import ledger as ledgers
from catalog import tables
from catalog.decode import Pixels, encode_png
from catalog.store import Catalog
from curation.detectors import Detection
from curation.items import ItemPolicy, find, garments, is_look, the_product

POLICY = ItemPolicy(padding=0.0)
WHEN = datetime(2026, 6, 1, tzinfo=UTC)
PRODUCTS: list[dict[str, Any]] = [
    {"product_id": "p-1", "name": "Blue linen shirt"},
    {"product_id": "p-2", "name": "The Alba"},
]


class Scripted:
    """A detector that says what the test wrote down for a picture, told by its first pixel."""

    name = "scripted@1"

    def __init__(self, answers: dict[int, list[Detection]]) -> None:
        self.answers = answers

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        return [self.answers[int(image[0, 0, 0])] for image in images]


def box(category: str, score: float, *corners: float, categories: tuple[str, ...] = ()) -> Detection:
    return Detection((corners[0], corners[1], corners[2], corners[3]), category, score, categories or (category,))


def photo(catalog: Catalog, key: int, size: tuple[int, int] = (200, 300), **columns: Any) -> dict[str, Any]:
    pixels = np.full((size[1], size[0], 3), key, np.uint8)
    row: dict[str, Any] = {
        "photo_id": catalog.put_image(encode_png(pixels)), "width": size[0], "height": size[1], "origin": "retail",
        "product_id": "p-1", "setting": "flat", "first_seen": WHEN,
    }  # fmt: skip
    return {**row, **columns}


def run(catalog: Catalog, rows: list[dict[str, Any]], answers: dict[int, list[Detection]], **policy: Any) -> Any:
    photos = tables.from_rows("photos", rows)
    products = tables.from_rows("products", PRODUCTS)
    settings = ItemPolicy(**{"padding": 0.0, **policy})
    result = find(photos, products, catalog, Scripted(answers), settings, edition="2026.06")
    ledgers.balance(result.ledger, "photo", photos["photo_id"].to_pylist(), "test")
    return result


def reasons(ledger: pa.Table, subject: str) -> Counter[str]:
    return Counter(row["reason"] for row in ledger.to_pylist() if row["subject"] == subject)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


def test_a_product_photo_gives_the_box_that_its_text_names(catalog: Catalog) -> None:
    found = [
        box("pants", 0.9, 10, 100, 190, 290),
        box("top", 0.4, 40, 10, 160, 100, categories=("top", "shirt", "sweater")),
    ]
    result = run(catalog, [photo(catalog, 5)], {5: found})
    (item,) = result.tables["items"].to_pylist()
    assert item["box"] == [40.0, 10.0, 160.0, 100.0]
    assert item["category"] == "shirt"
    assert (item["product_id"], item["look_id"]) == ("p-1", None)
    assert (item["crop_width"], item["crop_height"]) == (120, 90)
    assert reasons(result.ledger, "item") == {"ok": 1, "not_the_product": 1}


def test_text_that_names_nothing_leaves_the_most_prominent_box(catalog: Catalog) -> None:
    found = [box("hat", 0.9, 0, 0, 60, 60), box("dress", 0.6, 30, 30, 170, 280)]
    result = run(catalog, [photo(catalog, 5, product_id="p-2")], {5: found})
    assert result.tables["items"]["category"].to_pylist() == ["dress"]


def test_a_photo_of_other_garments_than_the_product_is_refused(catalog: Catalog) -> None:
    found = [box("shoe", 0.9, 10, 10, 190, 140), box("bag", 0.9, 10, 150, 190, 290)]
    result = run(catalog, [photo(catalog, 5)], {5: found})
    assert result.tables["items"].num_rows == 0
    assert reasons(result.ledger, "photo") == {"product_not_shown": 1}


def test_no_garment_is_a_reason_and_never_a_made_up_box(catalog: Catalog) -> None:
    answers = {5: [], 6: [box("top", 0.06, 10, 10, 190, 290)]}
    result = run(catalog, [photo(catalog, 5), photo(catalog, 6)], answers)
    assert result.tables["items"].num_rows == 0
    assert reasons(result.ledger, "photo") == {"no_garment": 2}
    evidence = [json.loads(row["evidence"]) for row in result.ledger.to_pylist()]
    assert sorted(row["best_score"] for row in evidence) == [0.0, 0.06]


def test_a_look_gives_every_garment_and_its_own_score_line(catalog: Catalog) -> None:
    found = [
        box("top", 0.9, 40, 10, 160, 120),
        box("jacket", 0.6, 42, 10, 160, 122),
        box("pants", 0.5, 50, 115, 150, 280),
        box("bag", 0.2, 150, 100, 199, 180),
        box("watch", 0.9, 10, 10, 20, 20),
    ]
    row = photo(catalog, 5, origin="street", product_id=None, setting="street")
    result = run(catalog, [row], {5: found})
    items = result.tables["items"]
    assert items["category"].to_pylist() == ["top", "pants"]
    assert set(items["look_id"].to_pylist()) == {row["photo_id"]}
    assert reasons(result.ledger, "item") == {"ok": 2, "merged": 1, "too_small": 1}


def test_boxes_are_in_pixels_of_the_full_photo(catalog: Catalog) -> None:
    row = photo(catalog, 5, size=(2600, 1300))
    result = run(catalog, [row], {5: [box("shirt", 0.9, 100, 50, 300, 250)]})
    (item,) = result.tables["items"].to_pylist()
    factor = 2600 / 650  # the reduced decode halves until the next half would fall below 640
    assert item["box"] == [100 * factor, 50 * factor, 300 * factor, 250 * factor]


def test_an_undecodable_photo_does_not_end_the_batch(catalog: Catalog) -> None:
    broken = {**photo(catalog, 7), "photo_id": catalog.put_image(b"<html>gone</html>")}
    result = run(catalog, [broken, photo(catalog, 5)], {5: [box("shirt", 0.9, 10, 10, 190, 290)]})
    assert result.tables["items"].num_rows == 1
    assert reasons(result.ledger, "photo") == {"not_an_image": 1, "ok": 1}


def test_border_and_padding(catalog: Catalog) -> None:
    result = run(catalog, [photo(catalog, 5)], {5: [box("shirt", 0.9, 0.4, 20, 120, 200)]}, padding=0.1)
    (item,) = result.tables["items"].to_pylist()
    assert item["touches_border"] is True
    assert item["box"] == [0.0, 2.0, 132.0, 218.0]


def test_the_same_photos_give_the_same_tables(catalog: Catalog) -> None:
    rows, answers = [photo(catalog, 5), photo(catalog, 6)], {5: [], 6: [box("shirt", 0.9, 10, 10, 190, 290)]}
    seen: list[tuple[int, int]] = []
    first = run(catalog, rows, answers)
    photos = tables.from_rows("photos", rows)
    again = find(
        photos, tables.empty("products"), catalog, Scripted(answers), POLICY, edition="2026.06",
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert tables.digest(first.tables["items"].select(["item_id", "box"])) == tables.digest(
        again.tables["items"].select(["item_id", "box"])
    )
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("columns", "look"),
    [
        ({"origin": "retail", "product_id": "p-1", "setting": "flat"}, False),
        ({"origin": "retail", "product_id": "p-1", "setting": "model"}, False),
        ({"origin": "retail", "product_id": None, "setting": "model"}, True),
        ({"origin": "street", "product_id": None, "setting": None}, True),
        ({"origin": "generated", "product_id": None, "setting": "flat"}, False),
        ({"origin": "generated", "product_id": None, "setting": "street"}, True),
    ],
)
def test_what_counts_as_a_look(columns: dict[str, Any], look: bool) -> None:
    assert is_look(columns) is look


def test_the_same_part_of_the_body_stands_in_for_the_named_category() -> None:
    skirt, shoe = box("skirt", 0.8, 40, 40, 160, 200), box("shoe", 0.9, 20, 40, 190, 290)
    assert the_product([shoe, skirt], (200, 300), "shorts", POLICY) == (skirt, "text_group")
    assert the_product([skirt], (200, 300), "bag", POLICY) == (skirt, "only_prominent")


def test_garments_keeps_one_of_two_classes() -> None:
    found = [box("top", 0.9, 0, 0, 100, 100), box("dress", 0.5, 0, 0, 100, 110)]
    kept, lost = garments(found, (200, 300), POLICY, look=False)
    assert [one.category for one in kept] == ["top"]
    assert [(one.category, reason) for one, reason, _ in lost] == [("dress", "merged")]


def test_a_reviewer_takes_a_photos_boxes_or_gives_it_one(catalog: Catalog) -> None:
    faint = box("bag", 0.06, 40, 40, 160, 200)
    rows = [photo(catalog, 1), photo(catalog, 2), photo(catalog, 3), photo(catalog, 4, product_id="p-2")]
    answers = {1: [box("shirt", 0.9, 20, 20, 180, 280)], 2: [faint], 3: [], 4: []}
    photos, products = tables.from_rows("photos", rows), tables.from_rows("products", PRODUCTS)
    first, second, third, fourth = (row["photo_id"] for row in rows)
    said = {first: False, second: True, third: True, fourth: True}
    result = find(photos, products, catalog, Scripted(answers), POLICY, edition="2026.06", verdicts=said)
    items = {row["photo_id"]: (row["category"], row["box"]) for row in result.tables["items"].to_pylist()}
    assert items == {second: ("bag", [40, 40, 160, 200]), third: ("shirt", [0, 0, 200, 300])}
    photo_rows = {row["id"]: row for row in result.ledger.to_pylist() if row["subject"] == "photo"}
    assert {key: (row["outcome"], row["reason"]) for key, row in photo_rows.items()} == {
        first: ("dropped", "reviewer"),
        second: ("kept", "reviewer"),
        third: ("kept", "reviewer"),
        fourth: ("dropped", "no_garment"),
    }
    assert "no text names a garment" in json.loads(photo_rows[fourth]["evidence"])["kept_by_reviewer"]
    assert reasons(result.ledger, "item") == {"reviewer": 1, "ok": 2}
