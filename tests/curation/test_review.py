"""Contact sheets: what they show, what the desk refuses, and that the steps obey what a reviewer said."""

import http.client
import json
import shutil
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog import tables
from catalog.decode import encode_png
from catalog.ledger import Ledger
from catalog.store import Catalog
from curation.errors import CurationError
from curation.review import desk, sheets, verdicts
from curation.screen import ScreenPolicy, screen

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EDITION = "2026.06"
WHEN = datetime(2026, 6, 1, tzinfo=UTC)


def put(catalog: Catalog, count: int, size: int = 96) -> list[str]:
    rng = np.random.default_rng(3)
    return [
        catalog.put_image(encode_png(rng.integers(0, 256, (size, size * 3 // 4, 3)).astype(np.uint8)))
        for _ in range(count)
    ]


def photos(ids: list[str]) -> Any:
    return tables.from_rows("photos", [{"photo_id": photo, "width": 72, "height": 96} for photo in ids])


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


@pytest.fixture
def serve(catalog: Catalog) -> Iterator[Any]:
    started: list[ThreadingHTTPServer] = []

    def start(made: dict[str, dict[str, Any]]) -> int:
        def sheet(step: str) -> Any:
            return lambda: {**made[step], "said": verdicts.load(catalog, EDITION).get(step, {})}

        server = desk.Desk(catalog, EDITION, {step: sheet(step) for step in made})
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return server.server_port

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    link.request(method, path, json.dumps(body) if body is not None else None, headers)
    answer = link.getresponse()
    return answer.status, answer.read()


def test_the_last_word_counts_and_the_file_keeps_every_one(catalog: Catalog) -> None:
    assert verdicts.load(catalog, EDITION) == {}
    for key, word in (("a", "drop"), ("b", "keep"), ("a", "keep"), ("b", None)):
        verdicts.record(catalog, EDITION, "screen", key, word)
    assert verdicts.load(catalog, EDITION) == {"screen": {"a": True}}
    assert len(catalog.filesystem.cat_file(verdicts.path(catalog, EDITION)).splitlines()) == 4
    with pytest.raises(CurationError, match="maybe"):
        verdicts.record(catalog, EDITION, "screen", "a", "maybe")


@pytest.mark.parametrize("line", ["no json", '{"step": "screen", "id": "a"}', '{"step": "s", "id": "a", "verdict": 1}'])
def test_a_bad_line_is_named(catalog: Catalog, line: str) -> None:
    verdicts.record(catalog, EDITION, "screen", "a", "keep")
    file = verdicts.path(catalog, EDITION)
    catalog.write_bytes(file, catalog.filesystem.cat_file(file) + line.encode())
    with pytest.raises(CurationError, match="line 2"):
        verdicts.load(catalog, EDITION)


def test_a_step_obeys_both_ways_and_says_what_the_machine_had_said(catalog: Catalog) -> None:
    small, good, broken = put(catalog, 1)[0], put(catalog, 2, 400)[1], catalog.put_image(b"<html>")
    said = {small: True, good: False, broken: True}
    result = screen(photos([small, good, broken]), catalog, ScreenPolicy(), edition=EDITION, verdicts=said)
    told = {row["id"]: row for row in result.ledger.to_pylist()}
    assert (told[small]["outcome"], told[small]["reason"]) == ("kept", "reviewer")
    assert json.loads(told[small]["evidence"])["machine"] == "too_small"
    assert (told[good]["outcome"], told[good]["reason"]) == ("dropped", "reviewer")
    assert told[broken]["reason"] == "not_an_image", "nobody can keep what has no pixels"
    assert [row["photo_id"] for row in result.tables["photos"].to_pylist()] == [small]


def test_a_sheet_groups_by_outcome_and_draws_boxes_and_twins() -> None:
    ids = ["a" * 64, "b" * 64, "c" * 64]
    ledger = Ledger("detect", "photo", EDITION)
    ledger.kept(ids[0])
    ledger.kept("item-1", subject="item", parent_id=ids[0], evidence={"score": 0.9})
    lost = {"box": [0, 0, 72, 96], "category": "bag", "score": 0.25}
    ledger.dropped("item-2", "merged", subject="item", parent_id=ids[0], evidence=lost)
    ledger.dropped(ids[1], "no_garment", evidence={"best_score": 0.031})
    ledger.dropped(ids[2], "duplicate_in_edition", evidence={"twin": ids[0], "tier": "pdq", "distance": 12.0})
    items = tables.from_rows(
        "items", [{"item_id": "item-1", "photo_id": ids[0], "box": [18.0, 24.0, 36.0, 96.0], "category": "dress"}]
    )
    made = sheets.sheet("detect", ledger.table(), photos(ids), items, {ids[1]: False})
    assert [(group["outcome"], group["reason"], len(group["rows"])) for group in made["groups"]] == [
        ("kept", "ok", 1),
        ("dropped", "duplicate_in_edition", 1),
        ("dropped", "no_garment", 1),
    ]
    kept, twin, gone = (group["rows"][0] for group in made["groups"])
    assert kept["boxes"] == [[0.25, 0.25, 0.5, 1.0, "dress 0.90", True], [0.0, 0.0, 1.0, 1.0, "merged 0.25", False]]
    assert (twin["twin"], twin["note"]) == (ids[0], "distance 12, tier pdq")
    assert (gone["said"], gone["note"]) == (False, "best score 0.031")


def test_the_desk_refuses_strangers_and_nonsense(catalog: Catalog, serve: Any) -> None:
    photo = put(catalog, 1)[0]
    port = serve({"screen": {"step": "screen", "groups": []}})
    verdict = {"step": "screen", "id": photo, "verdict": "drop"}
    assert ask(port, "GET", "/", Host="evil.example")[0] == 403
    assert ask(port, "POST", "/verdict", verdict)[0] == 403, "a page of another origin can send no such header"
    trusted = {desk.HEADER: "1"}
    assert ask(port, "POST", "/verdict", verdict, Host="evil.example", **trusted)[0] == 403
    for wrong in ({}, [], {**verdict, "verdict": "perhaps"}, {**verdict, "step": "freeze"}):
        assert ask(port, "POST", "/verdict", wrong, **trusted)[0] == 400
    assert verdicts.load(catalog, EDITION) == {}
    assert ask(port, "POST", "/verdict", verdict, **trusted)[0] == 200
    assert verdicts.load(catalog, EDITION) == {"screen": {photo: False}}
    assert ask(port, "GET", "/thumb/" + "0" * 64)[0] == 404
    assert ask(port, "GET", "/../../etc/passwd")[0] == 404
    assert ask(port, "GET", f"/thumb/{photo}")[1][:2] == b"\xff\xd8"
    assert ask(port, "GET", f"/thumb/{photo}/0.5,0.5,0.5,0.5")[0] == 200, "an empty box shows a pixel"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync.sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.slow
def test_twenty_thousand_pictures_are_walked_by_keyboard(catalog: Catalog, serve: Any, browser: Any) -> None:
    real = put(catalog, 40)
    rows = [{"id": f"{n:064x}", "photo": real[n % 40], "note": f"row {n}"} for n in range(20_000)]
    pairs = [{"id": real[n], "photo": real[n], "twin": real[n + 1], "note": "distance 8"} for n in range(8)]
    groups = [
        {"outcome": "kept", "reason": "ok", "rows": rows},
        {"outcome": "dropped", "reason": "twin", "rows": pairs},
    ]
    port = serve({"screen": {"step": "screen", "groups": groups}, "detect": {"step": "detect", "groups": []}})
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/thumb/" in request.url else None)
    start = time.monotonic()
    page.goto(f"http://127.0.0.1:{port}/screen")
    page.wait_for_selector(".tile img")
    assert time.monotonic() - start < 5, "a long sheet opens at once"
    assert page.locator(".tile").count() < 80, "only what is in sight is drawn"
    assert len(asked) < 80
    assert page.locator("nav button").all_inner_texts()[0].split("\n") == ["ok", "20,000"]
    for key in ("ArrowRight", "d", "k"):
        page.keyboard.press(key)
    page.wait_for_function("document.querySelector('#state').textContent.startsWith('keep')")
    page.keyboard.press("End")
    page.wait_for_selector("text=row 19999")
    assert page.locator(".tile[aria-selected=true] .note").inner_text() == "row 19999"
    page.keyboard.press("n")
    page.wait_for_function("document.querySelectorAll('.tile .shot').length === 16")
    page.keyboard.press("Enter")
    assert page.locator("dialog[open] img").count() == 2
    page.keyboard.press("d")
    page.wait_for_function("document.querySelector('#state').textContent.startsWith('drop')")
    assert verdicts.load(catalog, EDITION) == {"screen": {rows[1]["id"]: False, rows[2]["id"]: True, real[0]: False}}
    assert faults == []
    page.close()
