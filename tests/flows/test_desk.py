"""The desk of an edition in a real browser: verdicts given by keyboard are what the next run of the steps does."""

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog import tables
from catalog.decode import encode_jpeg
from catalog.store import Catalog
from curation.history import History
from curation.review import verdicts
from demo.garments import render
from demo.spec import random_spec
from flows import desk
from flows import edition as editions
from flows.edition import EditionError
from flows.seeing import see
from flows.workshop import Workshop

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EDITION, JUNE = "2026.06", datetime(2026, 6, 1, tzinfo=UTC)
DRAWN = ("dress", "shirt", "pants", "coat")


def picture(category: str, quality: int = 90) -> bytes:
    rgba = render(random_spec(np.random.default_rng(5), category), 480, seed=1).rgba
    alpha = rgba[..., 3:].astype(np.float32) / 255
    return encode_jpeg((rgba[..., :3] * alpha + 235 * (1 - alpha)).astype(np.uint8), quality)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.open(root=str(tmp_path_factory.mktemp("desk")), now=JUNE)


@pytest.fixture(scope="module")
def photos(workshop: Workshop) -> Any:
    """Four garments and a second, poorer file of the first."""
    files = [picture(one) for one in DRAWN] + [picture(DRAWN[0], quality=40)]
    row = {"origin": "retail", "setting": "flat", "first_seen": JUNE}
    return tables.from_rows("photos", [{"photo_id": workshop.catalog.put_image(data), **row} for data in files])


def refresh(workshop: Workshop, photos: Any) -> editions.Edition:
    """The part of a refresh that obeys verdicts on photos of shops."""
    book = editions.begin(workshop.catalog, EDITION, JUNE)
    see(book, photos, tables.empty("products"), History.load(workshop.catalog), workshop)
    book.save(state=editions.AWAITING_LABELS)
    return book


def outcome(book: editions.Edition, step: str, photo: str) -> tuple[str, str]:
    (row,) = [row for row in book.load(step).ledger.to_pylist() if row["id"] == photo]
    return row["outcome"], row["reason"]


@pytest.fixture
def page() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1280, "height": 860})
        browser.close()


def walk_to(page: Any, photo: str) -> None:
    """Press the arrow key until the picture is reached."""
    page.keyboard.press("Home")
    for _ in range(10):
        if page.locator(f"[aria-selected=true] img[src='/thumb/{photo}']").count():
            return
        page.keyboard.press("ArrowRight")
    pytest.fail(f"{photo} is not in the group")


@pytest.mark.slow
@pytest.mark.usefixtures("prefect")
def test_what_a_reviewer_says_by_keyboard_the_next_run_does(workshop: Workshop, photos: Any, page: Any) -> None:
    dress, shirt, pants, _, copy = photos["photo_id"].to_pylist()
    book = refresh(workshop, photos)
    copy, dress = sorted((dress, copy), key=lambda photo: outcome(book, "deduplicate", photo))
    assert outcome(book, "deduplicate", copy) == ("dropped", "duplicate_in_edition")
    server = desk.open_desk(book)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for step, photo, key in (("screen", shirt, "d"), ("detect", pants, "d"), ("deduplicate", copy, "k")):
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/{step}")
            page.locator(".tile").first.wait_for()
            if key == "k":
                page.keyboard.press("n")
                page.keyboard.press("n")
                page.locator("#groups [aria-pressed=true]", has_text="duplicate in edition").wait_for()
                assert page.locator(".tile figcaption").all_inner_texts() == ["this one", "kept instead"]
            walk_to(page, photo)
            page.keyboard.press(key)
            page.locator("#state", has_text="saved").wait_for()
        said = {"screen": {shirt: False}, "detect": {pants: False}, "deduplicate": {copy: True}}
        assert verdicts.load(workshop.catalog, EDITION) == said

        again = refresh(workshop, photos)
        assert outcome(again, "screen", shirt) == ("dropped", "reviewer")
        assert outcome(again, "detect", pants) == ("dropped", "reviewer")
        assert outcome(again, "deduplicate", copy) == ("kept", "unique")
        assert outcome(again, "deduplicate", dress) == ("kept", "unique")

        page.goto(f"http://127.0.0.1:{server.server_address[1]}/screen#dropped/reviewer/1")
        page.locator(f".tile.drop img[src='/thumb/{shirt}']").wait_for()
        page.keyboard.press("x")
        page.locator("#state", has_text="taken back").wait_for()
        assert outcome(refresh(workshop, photos), "screen", shirt) == ("kept", "ok")
    finally:
        server.shutdown()
        server.server_close()


def test_pages_follow_the_run_and_a_frozen_edition_is_for_reading(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    book = editions.begin(catalog, EDITION, JUNE)
    with pytest.raises(EditionError, match=r"nothing to review yet.*lookbench refresh 2026\.06"):
        desk.open_desk(book)
    folder = f"{catalog.path}/editions/{EDITION}/"
    for step in ("screen", "generate", "assemble"):
        catalog.write_table(f"{folder}{step}/ledger.parquet", tables.empty("ledger"))
        for table in ("photos", "items"):
            catalog.write_table(f"{folder}{step}/{table}.parquet", tables.empty(table))
        record = {"tables": ["items", "photos"], "figures": {}}
        catalog.write_bytes(f"{folder}{step}/step.json", json.dumps(record).encode())
    made = desk.EditionSheets(catalog, EDITION)
    done = {step: f"editions/{EDITION}/{step}" for step in ("screen", "generate", "assemble")}
    book.record = replace(book.record, steps=done)
    book.save()
    assert made.steps() == ["screen", "generate", "assemble"]
    verdicts.record(catalog, EDITION, "screen", "a" * 64, "drop")
    screen, generate, assemble = (made.sheet(step) for step in made.steps())
    assert (screen["judge"], screen["words"], screen["said"]) == ("screen", ["keep", "drop"], {"a" * 64: False})
    assert (generate["judge"], generate["words"]) == ("generated-screen", ["drop"])
    assert (assemble["judge"], assemble["words"]) == (None, [])
    editions.find(catalog, EDITION).save(state=editions.FROZEN, frozen_at=JUNE, release="r")
    assert (made.sheet("screen")["judge"], made.sheet("screen")["words"]) == (None, [])
    assert "frozen" in made.sheet("screen")["about"]
    with pytest.raises(EditionError, match="no step detect yet"):
        made.sheet("detect")
