import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import tables
from curation.identity import IdentityPolicy, assign, check, overlap

POLICY = IdentityPolicy(look_cosine=0.6, look_margin=0.02, seed_cosine=0.5, seed_overlap=0.5)


def prints(vectors: dict[str, Sequence[float]]) -> pa.Table:
    rows = []
    for key, lead in vectors.items():
        vector = np.zeros(tables.EMBEDDING_SIZE, np.float32)
        vector[: len(lead)] = lead
        rows.append({"id": key, "photo_id": key, "embedding": (vector / np.linalg.norm(vector)).astype(np.float16)})
    return tables.from_rows("fingerprints", rows)


def item(key: str, photo: str, product: str | None = None, box: Sequence[float] = (0, 0, 10, 10)) -> dict[str, Any]:
    return {"item_id": key, "photo_id": photo, "product_id": product, "box": list(box)}


def tie(vectors: dict[str, Sequence[float]], shows: list[str], garments: Sequence[str]) -> dict[str, tuple[Any, str]]:
    """Products P and Q have one photo each (items p and q); ``garments`` are the items of look L."""
    rows = [item("p", "photo-p", "P"), item("q", "photo-q", "Q"), *(item(key, "L") for key in garments)]
    photos = tables.from_rows(
        "photos", [{"photo_id": "photo-p"}, {"photo_id": "photo-q"}, {"photo_id": "L", "shows": shows}]
    )
    result = assign(
        tables.from_rows("items", rows), prints(vectors), tables.empty("products"), photos, POLICY, edition="2026.06"
    )
    tied = {row["item_id"]: row["product_id"] for row in result.tables["items"].to_pylist()}
    reasons = {row["id"]: row["reason"] for row in result.ledger.to_pylist()}
    assert set(reasons) == set(tied)
    return {key: (tied[key], reasons[key]) for key in tied}


def test_each_garment_of_a_look_gets_the_linked_product_it_is_nearest_to() -> None:
    found = tie({"p": [1, 0], "q": [0, 1], "a": [1, 0.2], "b": [0.1, 1]}, ["P", "Q"], ["a", "b"])
    assert found["a"] == ("P", "tied")
    assert found["b"] == ("Q", "tied")
    assert found["p"] == ("P", "ok")


def test_two_garments_never_share_a_product() -> None:
    found = tie({"p": [1, 0, 0], "q": [0, 1, 0], "a": [1, 0, 0.1], "b": [1, 0, 0.3]}, ["P"], ["a", "b"])
    assert found["a"] == ("P", "tied")
    assert found["b"] == (None, "no_product")


@pytest.mark.parametrize(
    ("garment", "shows"),
    [([0.5, 0, 1], ["P", "Q"]), ([1, 1, 0], ["P", "Q"]), ([1, 0, 0], []), ([1, 0, 0], ["Z"])],
    ids=["too far", "as near to another", "nothing linked", "linked product has no photo"],
)
def test_an_unsure_garment_stays_without_a_product(garment: list[float], shows: list[str]) -> None:
    assert tie({"p": [1, 0, 0], "q": [0, 1, 0], "a": garment}, shows, ["a"])["a"] == (None, "no_product")


def test_a_generated_garment_must_stand_where_its_seed_was_put_and_look_like_it() -> None:
    generated = tables.from_rows(
        "generated",
        [
            {
                "photo_id": "G",
                "seed_item_ids": ["s", "t"],
                "seed_product_ids": ["S", "T"],
                "seed_boxes": [[0, 0, 10, 10], [20, 20, 30, 30]],
            },
            {"photo_id": "H", "seed_item_ids": ["s"], "seed_product_ids": ["S"], "seed_boxes": [[0, 0, 10, 10]]},
        ],
    )
    rows = [
        item("a", "G", box=(1, 0, 10, 10)),
        item("b", "G", box=(20, 20, 30, 30)),
        item("c", "G", box=(50, 50, 60, 60)),
    ]
    vectors = {"s": [1, 0], "t": [0, 1], "a": [1, 0.1], "b": [1, 0.2], "c": [1, 0]}
    result = check(tables.from_rows("items", rows), generated, prints(vectors), POLICY, edition="2026.06")
    assert [(row["item_id"], row["product_id"]) for row in result.tables["items"].to_pylist()] == [("a", "S")]
    reasons = {row["id"]: (row["outcome"], row["reason"]) for row in result.ledger.to_pylist()}
    assert reasons == {"a": ("kept", "ok"), "b": ("dropped", "identity_lost"), "c": ("dropped", "not_a_seed")}
    scores = dict(
        zip(*(result.tables["generated"][name].to_pylist() for name in ("photo_id", "identity_score")), strict=True)
    )
    lowest = float(np.dot([0, 1], [1, 0.2]) / np.hypot(1, 0.2))
    assert scores["G"] == pytest.approx(lowest, abs=1e-3)
    assert scores["H"] is None
    evidence = json.loads(next(row["evidence"] for row in result.ledger.to_pylist() if row["id"] == "b"))
    assert evidence["seed"] == "t"


corners = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50), st.integers(1, 50))


@given(corners, corners)
def test_overlap_equals_counting_pixels(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    masks = np.zeros((2, 100, 100), bool)
    boxes = [(x, y, x + w, y + h) for x, y, w, h in (a, b)]
    for mask, (x0, y0, x1, y1) in zip(masks, boxes, strict=True):
        mask[y0:y1, x0:x1] = True
    expected = (masks[0] & masks[1]).sum() / (masks[0] | masks[1]).sum()
    assert overlap(*boxes) == pytest.approx(expected)
    assert overlap(*boxes) == overlap(*reversed(boxes))
