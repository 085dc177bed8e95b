from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog import tables
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog
from flows import edition as editions
from flows.why import UnknownId, life

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PHOTO, OTHER = "a1b2c3d4" + "0" * 56, "a1b2c3d5" + "0" * 56


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = Catalog(tmp_path)
    for key in (PHOTO, OTHER):
        catalog.append("photos", tables.from_rows("photos", [{"photo_id": key, "first_seen": NOW}]))
        sighting = {"photo_id": key, "url": "u", "page_url": "p", "site": "shop", "seen_at": NOW, "status": "new"}
        catalog.append("sightings", tables.from_rows("sightings", [sighting]))
    book = editions.begin(catalog, "2026.06", NOW)
    detect = Ledger("detect", "photo", "2026.06")
    detect.kept(PHOTO)
    detect.dropped(OTHER, "no_garment")
    detect.kept("i-1", subject="item", parent_id=PHOTO)
    assemble = Ledger("assemble", "item", "2026.06")
    assemble.dropped("i-1", "held_out", parent_id=PHOTO, evidence={"group": "hat"})
    for name, ledger, ids in (("detect", detect, [PHOTO, OTHER]), ("assemble", assemble, ["i-1"])):
        subject = "photo" if name == "detect" else "item"
        result = StepResult({}, ledger.table())
        book.step(name, lambda made=result: made, inputs={}, settings={"n": name}, subject=subject, ids=ids)
    book.save()
    return catalog


@pytest.mark.usefixtures("prefect")
def test_the_life_of_a_photo_holds_its_sighting_and_what_became_of_its_garments(catalog: Catalog) -> None:
    told = [(event["where"], event["what"], event["outcome"], event["reason"]) for event in life(catalog, PHOTO)]
    assert told == [
        ("crawl of shop", f"photo {PHOTO}", "seen", "new"),
        ("edition 2026.06, detect", f"photo {PHOTO}", "kept", "ok"),
        ("edition 2026.06, detect", "item i-1", "kept", "ok"),
        ("edition 2026.06, assemble", "item i-1", "dropped", "held_out"),
    ]
    assert life(catalog, PHOTO)[-1]["evidence"] == {"group": "hat"}


@pytest.mark.usefixtures("prefect")
def test_a_prefix_will_do_when_it_fits_one_id_only(catalog: Catalog) -> None:
    assert life(catalog, PHOTO[:8]) == life(catalog, PHOTO)
    with pytest.raises(UnknownId, match="fits 2 ids"):
        life(catalog, PHOTO[:7])
    for unknown in (PHOTO[:5], "ffffffff"):
        with pytest.raises(UnknownId, match="was ever seen"):
            life(catalog, unknown)
