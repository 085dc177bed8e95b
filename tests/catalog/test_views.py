from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog import tables, views
from catalog.store import Catalog

MAY, JUNE, JULY, AUGUST = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7, 8))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


def test_a_product_is_as_last_read_but_first_seen_when_first_seen(catalog: Catalog) -> None:
    rows = [
        {
            "product_id": "p",
            "name": "Anorak",
            "price": "80",
            "regular_price": "99",
            "first_seen": MAY,
            "last_seen": MAY,
        },
        {"product_id": "p", "name": "Anorak", "price": "99", "first_seen": JUNE, "last_seen": JULY},
        {"product_id": "q", "name": "Kilt", "first_seen": JUNE, "last_seen": JUNE},
    ]
    for row in reversed(rows):
        catalog.append("products", tables.from_rows("products", [row]))
    anorak, kilt = views.products(catalog).to_pylist()
    assert (anorak["price"], anorak["regular_price"]) == ("99", None)  # the sale is over
    assert (anorak["first_seen"], anorak["last_seen"]) == (MAY, JULY)
    assert (kilt["name"], kilt["last_seen"]) == ("Kilt", JUNE)
    seen = {"photo_id": "a", "product_id": "q", "seen_at": JULY, "status": "same"}
    failed = {**seen, "photo_id": None, "product_id": "q", "seen_at": AUGUST, "status": "http_404"}
    catalog.append("sightings", tables.from_rows("sightings", [seen, failed, {**seen, "product_id": None}]))
    assert [row["last_seen"] for row in views.products(catalog).to_pylist()] == [JULY, JULY]


def test_a_photo_is_as_first_seen_and_keeps_every_product_its_pages_link(catalog: Catalog) -> None:
    rows = [
        {"photo_id": "a", "first_seen": JUNE, "page_url": "second", "shows": ["r"], "licence": "CC0-1.0"},
        {"photo_id": "a", "first_seen": MAY, "page_url": "first", "shows": ["q", "p"]},
        {"photo_id": "b", "first_seen": MAY},
    ]
    for row in rows:
        catalog.append("photos", tables.from_rows("photos", [row]))
    look, other = views.photos(catalog).to_pylist()
    assert (look["page_url"], look["first_seen"], look["shows"]) == ("first", MAY, ["p", "q", "r"])
    assert look["licence"] == "CC0-1.0"  # filled from the later row
    assert other["shows"] is None


def test_an_empty_catalog_has_empty_views(catalog: Catalog) -> None:
    assert views.products(catalog).num_rows == views.photos(catalog).num_rows == 0
