"""Decisions on a small edition: twins inside it, twins of the past, dates, kinship."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image, ImageDraw

from catalog import tables
from catalog.decode import Pixels, encode_jpeg, encode_png
from catalog.ids import item_id
from catalog.ledger import balance
from catalog.store import Catalog
from curation import duplicates
from curation.duplicates import DuplicatePolicy
from curation.fingerprint import FingerprintPolicy, fingerprint
from curation.history import History, edition_file
from curation.history import save as remember

JUNE, DECEMBER = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
LATE = datetime(2026, 11, 1, tzinfo=UTC)


class Colours:
    """An embedder that needs no model: the picture and its mirror image in small, laid over each other, centred."""

    name, size = "colours@0", tables.EMBEDDING_SIZE

    def embed(self, images: Sequence[Pixels]) -> np.ndarray:
        small = [np.asarray(Image.fromarray(image).resize((16, 16))).astype(np.float32) for image in images]
        rows = [(picture + picture[:, ::-1]).ravel() for picture in small]
        wide = np.zeros((len(rows), self.size), np.float32)
        for place, row in enumerate(rows):
            wide[place, : len(row)] = row - row.mean()
        return wide / np.linalg.norm(wide, axis=1, keepdims=True)


def picture(seed: int, width: int = 300, height: int = 400) -> Pixels:
    """A drawing rich enough for hashes and features: shapes at random, different for each seed."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (width, height), tuple(rng.integers(60, 220, 3).tolist()))
    draw = ImageDraw.Draw(image)
    for _ in range(40):
        x, y, w, h = rng.integers(0, width), rng.integers(0, height), rng.integers(10, 120), rng.integers(10, 120)
        shape = draw.ellipse if rng.random() < 0.5 else draw.rectangle
        shape((x, y, x + w, y + h), fill=tuple(rng.integers(0, 255, 3).tolist()))
    return np.asarray(image)


def photo(catalog: Catalog, data: bytes, **more: Any) -> dict[str, Any]:
    """A row of table photos whose bytes are in the catalog."""
    row = {"photo_id": catalog.put_image(data), "width": 300, "height": 400, "origin": "retail", "first_seen": DECEMBER}
    return {**row, "source_url": "http://shop.test/a.jpg", "page_url": "http://shop.test/a", **more}


def edition(
    catalog: Catalog,
    rows: list[dict[str, Any]],
    history: History,
    name: str = "2026.12",
    verdicts: dict[str, bool] | None = None,
) -> tuple[Any, pa.Table, pa.Table]:
    """Fingerprint and decide, one garment per photo that covers most of it."""
    photos = tables.from_rows("photos", rows)
    garments = [
        {
            "item_id": item_id(row["photo_id"], (20, 20, 280, 380)),
            "photo_id": row["photo_id"],
            "box": (20.0, 20.0, 280.0, 380.0),
        }
        for row in rows
    ]
    items = tables.from_rows("items", garments)
    printed = fingerprint(photos, items, catalog, Colours(), FingerprintPolicy(), edition=name)
    balance(printed.ledger, "item", items["item_id"].to_pylist(), "fingerprint")
    prints = printed.tables["fingerprints"]
    empty = tables.empty("products")
    made = duplicates.find(
        items, photos, empty, prints, history, catalog, DuplicatePolicy(), edition=name, verdicts=verdicts
    )
    balance(made.ledger, "photo", photos["photo_id"].to_pylist(), "duplicates")
    return {row["id"]: row for row in made.tables["decisions"].to_pylist()}, prints, made.tables["decisions"]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


def test_copies_inside_an_edition_leave_the_largest(catalog: Catalog) -> None:
    whole = picture(1)
    big = photo(catalog, encode_png(whole))
    small = photo(catalog, encode_jpeg(np.asarray(Image.fromarray(whole).resize((150, 200)))), width=150, height=200)
    other = photo(catalog, encode_png(picture(2)))
    decisions, _, _ = edition(catalog, [small, other, big], History())
    assert decisions[big["photo_id"]]["kept"]
    assert decisions[other["photo_id"]]["kept"]
    dropped = decisions[small["photo_id"]]
    assert (dropped["kept"], dropped["reason"], dropped["matched_id"]) == (
        False,
        "duplicate_in_edition",
        big["photo_id"],
    )
    assert dropped["tier"] == "pdq"
    assert dropped["distance"] <= dropped["threshold"]


def test_a_reviewer_parts_twins_or_takes_the_other_one(catalog: Catalog) -> None:
    big = photo(catalog, encode_png(picture(1)))
    small = photo(catalog, encode_jpeg(picture(1)[::2, ::2]), width=150, height=200)
    names = big["photo_id"], small["photo_id"]
    for verdicts, kept in (({}, (True, False)), ({names[1]: True}, (True, True)), ({names[0]: False}, (False, True))):
        decisions, _, _ = edition(catalog, [big, small], History(), verdicts=verdicts)
        assert tuple(decisions[name]["kept"] for name in names) == kept, verdicts
    assert decisions[names[0]]["reason"] == "reviewer"


def test_same_pixels_in_another_file_are_the_second_kind_of_tier_one(catalog: Catalog) -> None:
    whole = picture(1)
    one, two = photo(catalog, encode_png(whole)), photo(catalog, _webp(whole), first_seen=JUNE)
    decisions, _, _ = edition(catalog, [one, two], History())
    assert decisions[one["photo_id"]]["tier"] == "pixels"
    assert decisions[two["photo_id"]]["kept"], "the older of two equals stays"


def test_the_oldest_date_of_a_cluster_is_everyones(catalog: Catalog) -> None:
    whole = picture(1)
    new = photo(catalog, encode_png(whole), width=300)
    old = photo(catalog, encode_jpeg(whole), width=200, published_at=JUNE)
    decisions, _, _ = edition(catalog, [new, old], History())
    kept = decisions[new["photo_id"]]
    assert kept["kept"]
    assert kept["date"] == JUNE
    evidence = json.loads(kept["date_evidence"])
    assert (evidence["source"], evidence["photo_id"], evidence["inherited"]) == ("published_at", old["photo_id"], True)


@pytest.mark.parametrize("change", ["mirror", "crop", "border", "mirror+crop+border"])
def test_a_relisted_photo_is_dropped_and_keeps_its_old_date(catalog: Catalog, change: str) -> None:
    whole = picture(3)
    first = photo(catalog, encode_png(whole), first_seen=JUNE)
    decisions, prints, table = edition(catalog, [first], History(), "2026.06")
    remember(catalog, "2026.06", edition_file(prints, table))
    again = photo(catalog, encode_jpeg(_changed(whole, change), 70))
    fresh = photo(catalog, encode_png(picture(4)))
    decisions, _, _ = edition(catalog, [again, fresh], History.load(catalog, before="2026.12"))
    assert decisions[fresh["photo_id"]]["kept"]
    dropped = decisions[again["photo_id"]]
    assert (dropped["reason"], dropped["matched_edition"]) == ("duplicate_of_past", "2026.06")
    assert dropped["matched_id"] == first["photo_id"]
    assert dropped["date"] == JUNE


def test_a_past_photo_without_bytes_is_still_recognised(catalog: Catalog, tmp_path: Path) -> None:
    whole = picture(5)
    first = photo(catalog, encode_png(whole), first_seen=JUNE)
    _, prints, table = edition(catalog, [first], History(), "2026.06")
    history = History().append("2026.06", edition_file(prints, table))
    elsewhere = Catalog(tmp_path / "other")
    again, fresh = photo(elsewhere, encode_jpeg(whole[:, ::-1], 80)), photo(elsewhere, encode_png(picture(6)))
    decisions, _, _ = edition(elsewhere, [again, fresh], history)
    assert decisions[again["photo_id"]]["reason"] == "duplicate_of_past"
    assert decisions[fresh["photo_id"]]["kept"]


def test_views_of_one_product_may_look_alike_and_others_may_not(catalog: Catalog) -> None:
    whole = picture(7)
    crop = encode_jpeg(_changed(whole, "crop"))
    mine = [photo(catalog, encode_png(whole), product_id="p-1"), photo(catalog, crop, product_id="p-1")]
    decisions, _, _ = edition(catalog, mine, History())
    assert [row["kept"] for row in decisions.values()] == [True, True]
    mine[1]["product_id"] = "p-2"
    decisions, _, _ = edition(catalog, mine, History())
    assert sorted(row["kept"] for row in decisions.values()) == [False, True]


def test_a_generated_picture_never_drives_out_a_real_one(catalog: Catalog) -> None:
    whole = picture(8)
    real = photo(catalog, encode_jpeg(whole), width=150, height=200)
    made = photo(catalog, encode_png(whole), origin="generated", first_seen=JUNE)
    decisions, _, _ = edition(catalog, [made, real], History())
    assert decisions[real["photo_id"]]["kept"]
    assert not decisions[made["photo_id"]]["kept"]


def test_photos_without_a_garment_are_told(catalog: Catalog) -> None:
    row = photo(catalog, encode_png(picture(9)))
    photos = tables.from_rows("photos", [row])
    empty = [tables.empty(name) for name in ("items", "products", "fingerprints")]
    made = duplicates.find(
        empty[0], photos, empty[1], empty[2], History(), catalog, DuplicatePolicy(), edition="2026.12"
    )
    assert made.ledger["reason"].to_pylist() == ["no_item"]
    assert made.tables["decisions"]["kept"].to_pylist() == [False]


def test_the_order_of_the_photos_does_not_matter(catalog: Catalog) -> None:
    rows = [photo(catalog, encode_png(picture(seed))) for seed in range(4)]
    rows.append(photo(catalog, encode_jpeg(picture(2), 60), width=200))
    forward, _, _ = edition(catalog, rows, History())
    backward, _, _ = edition(catalog, rows[::-1], History())
    assert forward == backward


def _webp(pixels: Pixels) -> bytes:
    from io import BytesIO

    sink = BytesIO()
    Image.fromarray(pixels).save(sink, "WEBP", lossless=True)
    return sink.getvalue()


def _changed(pixels: Pixels, change: str) -> Pixels:
    image = Image.fromarray(pixels)
    if "mirror" in change:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if "crop" in change:
        image = image.crop((20, 5, 275, 345))
    if "border" in change:
        frame = Image.new("RGB", (image.width + 40, image.height + 40), "white")
        frame.paste(image, (20, 20))
        image = frame
    return np.asarray(image)
