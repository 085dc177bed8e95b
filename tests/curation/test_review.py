"""Contact sheets: what they show, what the desk refuses, and that the steps obey what a reviewer said."""

import http.client
import json
import re
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
from catalog.decode import decode, encode_png
from catalog.ledger import Ledger
from catalog.store import Catalog
from curation.errors import CurationError
from curation.review import desk, sheets, thumbnails, verdicts
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


def garment(photo: str) -> Any:
    row = {"item_id": "item-1", "photo_id": photo, "box": [18.0, 24.0, 36.0, 96.0], "category": "dress"}
    return tables.from_rows("items", [row])


def photos(ids: list[str]) -> Any:
    return tables.from_rows("photos", [{"photo_id": photo, "width": 72, "height": 96} for photo in ids])


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


class Made:
    """Sheets as given, with what is said of them so far."""

    def __init__(self, catalog: Catalog, made: dict[str, list[dict[str, Any]]]) -> None:
        self.catalog, self.edition, self.made = catalog, EDITION, made

    def steps(self) -> list[str]:
        return list(self.made)

    def sheet(self, step: str) -> dict[str, Any]:
        judge = None if step == "assemble" else step
        words = {"assemble": [], "generate": ["drop"]}.get(step, ["keep", "drop"])
        said = verdicts.load(self.catalog, EDITION).get(step, {})
        return {"judge": judge, "words": words, "about": f"About {step}.", "said": said, "groups": self.made[step]}


@pytest.fixture
def serve(catalog: Catalog) -> Iterator[Any]:
    started: list[ThreadingHTTPServer] = []

    def start(made: dict[str, list[dict[str, Any]]]) -> int:
        server = desk.Desk(catalog, Made(catalog, made))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return server.server_port

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def group(outcome: str, reason: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"outcome": outcome, "reason": reason, "rows": rows}


def one(photo: str | None, *facts: str, **more: Any) -> dict[str, Any]:
    return {"id": photo or "none", "photo": photo, "facts": list(facts), **more}


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
    face = {"box": [36, 0, 54, 24], "score": 0.87, "finder": "centerface:test"}
    ledger.kept("face-1", subject="face", parent_id=ids[0], evidence=face)
    ledger.dropped(ids[1], "no_garment", evidence={"best_score": 0.031})
    pair = {"twin": ids[0], "tier": "pdq", "distance": 12.0, "threshold": 60.0, "look": {"inliers": 8, "turn": None}}
    ledger.dropped(ids[2], "duplicate_in_edition", evidence=pair)
    made = sheets.groups(sheets.Source(ledger.table(), photos(ids), garment(ids[0])))
    assert [(one["outcome"], one["reason"], len(one["rows"])) for one in made] == [
        ("kept", "ok", 1),
        ("dropped", "duplicate_in_edition", 1),
        ("dropped", "no_garment", 1),
    ]
    kept, twin, gone = (one["rows"][0] for one in made)
    assert kept["boxes"] == [
        [0.25, 0.25, 0.5, 1.0, "dress 0.90", True],
        [0.0, 0.0, 1.0, 1.0, "bag 0.25 (merged)", False],
    ]
    assert kept["facts"] == ["1 of 2 boxes kept"]
    assert kept["faces"] == [[0.5, 0.0, 0.75, 0.25, "face 0.87"]]
    assert twin["beside"] == [{"photo": ids[0], "name": "kept instead"}]
    assert twin["facts"] == ["pdq distance 12, threshold 60", "look inliers 8"]
    assert gone["facts"] == ["best score 0.031"]


def test_what_lies_nearest_to_the_threshold_comes_first() -> None:
    ids = [letter * 64 for letter in "abcd"]
    ledger = Ledger("duplicates", "photo", EDITION)
    for photo, distance in zip(ids, (0.0, 58.0, 30.0), strict=False):
        found = {"tier": "pdq", "distance": distance, "threshold": 60.0, "twin": ids[3], "edition": "2025.12"}
        ledger.dropped(photo, "duplicate_of_past", evidence=found)
    ledger.kept(ids[3], "unique", evidence={"best_of": ids[:2]})
    kept, dropped = sheets.groups(sheets.Source(ledger.table(), photos(ids), tables.empty("items")))
    assert [row["photo"] for row in dropped["rows"]] == [ids[1], ids[2], ids[0]]
    assert {beside["name"] for row in dropped["rows"] for beside in row["beside"]} == {"in 2025.12"}
    assert (kept["reason"], len(kept["rows"][0]["beside"])) == ("unique, with copies", 2)


def test_a_made_picture_stands_beside_its_seed() -> None:
    seed, picture = "a" * 64, "b" * 64
    ledger = Ledger("generate", "seed", EDITION)
    ledger.kept("studio-1", parent_id=seed, evidence={"photo_id": picture, "seeds": ["item-1"], "scene": "rug"})
    ledger.dropped("studio-2", "cutout_failed", parent_id=seed, evidence={"item-1": {"reason": "edge_too_faint"}})
    ledger.dropped("studio-3", "not_needed", parent_id=seed, evidence={"wanted": 1})
    kept, failed, spare = sheets.groups(sheets.Source(ledger.table(), photos([seed]), garment(seed)))
    beside = [{"photo": seed, "name": "seed", "box": [0.25, 0.25, 0.5, 1.0]}]
    assert (kept["rows"][0]["photo"], kept["rows"][0]["beside"], kept["rows"][0]["facts"]) == (
        picture,
        beside,
        ["scene rug"],
    )
    assert (failed["rows"][0]["photo"], failed["rows"][0]["beside"]) == (None, beside)
    assert spare["rows"][0]["beside"] == [{"photo": seed, "name": "seed"}]


def test_items_are_shown_cropped_with_the_places_they_came_to() -> None:
    photo = "a" * 64
    ledger = Ledger("assemble", "item", EDITION)
    samples = [f"{EDITION}-noise-gallery-item-1", f"{EDITION}-real_studio_flat-query-item-1"]
    ledger.kept("item-1", "query", parent_id=photo, evidence={"samples": samples})
    (row,) = sheets.groups(sheets.Source(ledger.table(), photos([photo]), garment(photo)))[0]["rows"]
    assert (row["photo"], row["box"]) == (photo, [0.25, 0.25, 0.5, 1.0])
    assert row["facts"] == ["dress", "noise gallery", "real_studio_flat query"]


def test_a_thumbnail_is_made_once(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    photo = put(catalog, 1, 400)[0]
    made = thumbnails.Thumbnails(catalog)
    first, cut = made.small(photo), made.small(photo, "0.25,0,0.75,0.5")
    assert (decode(first).height, decode(first).width) == (192, 144)
    assert decode(cut).width < 192 <= decode(made.large(photo)).height, "a crop is not blown up"
    assert decode(made.small(photo, "0.5,0.5,0.5,0.5")).pixels.shape == (1, 1, 3), "an empty box shows a pixel"
    monkeypatch.setattr(Catalog, "get_image", lambda *_: pytest.fail("the original was read again"))
    again = thumbnails.Thumbnails(Catalog(catalog.root))
    assert (again.small(photo), again.small(photo, "0.25,0,0.75,0.5")) == (first, cut)
    for wrong in ("../" + photo[3:], photo[:-1], photo + "/"):
        with pytest.raises(ValueError, match="names no picture"):
            again.small(wrong)
    with pytest.raises(ValueError, match="names no picture"):
        again.small(photo, "0,0,1,../../1")


def test_the_desk_refuses_strangers_and_nonsense(catalog: Catalog, serve: Any) -> None:
    photo, other = put(catalog, 2)
    rows = [group("kept", "ok", [one(photo)])]
    port = serve({"screen": rows, "generate": rows, "assemble": rows})
    verdict = {"page": "screen", "photo": photo, "verdict": "drop"}
    trusted = {desk.HEADER: "1"}
    assert ask(port, "GET", "/", Host="evil.example")[0] == 403
    assert ask(port, "GET", "/data/screen", Host=f"evil.example:{port}")[0] == 403, "a name that was rebound to us"
    assert ask(port, "POST", "/verdict", verdict)[0] == 403, "a page of another origin can send no such header"
    assert ask(port, "POST", "/verdict", verdict, Host="evil.example", **trusted)[0] == 403
    assert ask(port, "POST", "/verdict", verdict, Origin="http://evil.example", **trusted)[0] == 403
    assert ask(port, "POST", "/verdict", {**verdict, "photo": "a" * 5000}, **trusted)[0] == 403
    assert ask(port, "POST", "/verdict", None, **{"Content-Length": "many", **trusted})[0] == 403
    for wrong in (
        {},
        [],
        {**verdict, "verdict": "perhaps"},
        {**verdict, "page": "freeze"},
        {**verdict, "photo": other},
        {**verdict, "photo": None},
        {**verdict, "page": "assemble"},
        {**verdict, "page": "generate", "verdict": "keep"},
    ):
        assert ask(port, "POST", "/verdict", wrong, **trusted)[0] == 400, wrong
    assert verdicts.load(catalog, EDITION) == {}
    assert ask(port, "POST", "/verdict", verdict, Origin=f"http://127.0.0.1:{port}", **trusted)[0] == 204
    assert verdicts.load(catalog, EDITION) == {"screen": {photo: False}}
    for path in ("/thumb/" + "0" * 64, "/thumb/..%2f..%2fetc/passwd", "/../../etc/passwd", "/review.html", "/data/x"):
        assert ask(port, "GET", path)[0] == 404, path
    assert ask(port, "GET", f"/thumb/{photo}")[1][:2] == b"\xff\xd8"
    assert ask(port, "GET", f"/photo/{photo}/0,0,0.5,0.5")[0] == 200


@pytest.mark.parametrize(("error", "told"), [(BrokenPipeError, False), (RuntimeError, True)])
def test_a_browser_that_scrolls_on_is_no_fault(
    serve: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[Exception],
    told: bool,
) -> None:
    port = serve({})
    monkeypatch.setattr(Made, "steps", lambda _: (_ for _ in ()).throw(error("while answering")))
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        ask(port, "GET", "/steps")
    assert ("while answering" in capsys.readouterr().err) is told


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync.sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    yield opened
    opened.close()
    assert faults == []


def saved(page: Any, text: str) -> None:
    page.locator("#state", has_text=re.compile(f"^{re.escape(text)}")).wait_for()


@pytest.mark.slow
def test_twenty_thousand_pictures_are_walked_by_keyboard(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, serve: Any, page: Any
) -> None:
    picture = thumbnails.Thumbnails(catalog).small(put(catalog, 1)[0])
    monkeypatch.setattr(thumbnails.Thumbnails, "small", lambda *_: picture)
    rows = [one(f"{n:064x}", f"row {n}") for n in range(20_000)]
    port = serve({"screen": [group("kept", "ok", rows)], "detect": []})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/thumb/" in request.url else None)
    start = time.monotonic()
    page.goto(f"http://127.0.0.1:{port}/screen")
    page.wait_for_selector(".tile img")
    assert time.monotonic() - start < 5, "a long sheet opens at once"
    assert page.locator("#groups button").all_inner_texts()[0].split("\n") == ["ok", "20,000"]
    for key in ("ArrowRight", "d", "k"):
        page.keyboard.press(key)
    saved(page, "keep")
    page.keyboard.press("End")
    page.wait_for_selector("text=row 19999")
    assert page.locator(".tile[aria-selected=true] .facts span").first.inner_text() == "row 19999"
    assert page.locator("#scroller").get_attribute("aria-activedescendant") == "t19999"
    assert page.locator("*").count() < 1500, "only what is near is drawn"
    assert len(asked) < 200
    assert verdicts.load(catalog, EDITION) == {"screen": {rows[1]["id"]: False, rows[2]["id"]: True}}


@pytest.mark.slow
def test_a_reviewer_judges_takes_back_and_finds_the_verdicts_again(catalog: Catalog, serve: Any, page: Any) -> None:
    real = put(catalog, 9)
    evil = "<img src=x onerror=document.title='taken'>"
    pairs = [one(real[n], "pdq distance 8", evil, beside=[{"photo": real[8], "name": evil}]) for n in range(3)]
    gone = [one(photo, boxes=[[0.1, 0.1, 0.9, 0.9, "dress 0.90", True]]) for photo in real[3:6]]
    groups = [group("kept", "ok", gone), group("dropped", "twin_<b>", pairs), group("dropped", "lost", [one(None)])]
    port = serve({"screen": groups, "assemble": groups})
    page.goto(f"http://127.0.0.1:{port}/screen")
    page.wait_for_selector(".shot.ready .box:visible")
    page.keyboard.press("n")
    page.locator(".tile .shot.ready").nth(5).wait_for()
    assert page.locator(".tile figcaption").nth(1).inner_text() == evil, "hostile text is text"
    page.keyboard.press("Enter")
    assert page.locator("#zoom img").count() == 2
    page.keyboard.press("d")
    saved(page, "drop")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    saved(page, "keep")
    assert verdicts.load(catalog, EDITION) == {"screen": {real[0]: False, real[1]: True}}
    page.keyboard.press("u")
    saved(page, "verdict on")
    assert page.locator("#place").inner_text() == "2 of 3", "undo goes back to what it undoes"
    page.keyboard.press("p")
    page.keyboard.press("u")
    page.locator("#place", has_text="1 of 3").wait_for()
    page.keyboard.press("d")
    saved(page, "drop")
    assert verdicts.load(catalog, EDITION) == {"screen": {real[0]: False}}
    page.reload()
    page.wait_for_selector(".tile.drop .word")
    assert page.locator("#groups [aria-pressed=true] span").first.inner_text() == "twin <b>", "the place is remembered"
    page.locator("#groups button", has_text="your verdicts").click()
    assert page.locator(".tile").count() == 1
    page.locator("#groups button", has_text="lost").click()
    page.keyboard.press("d")
    saved(page, "there is no picture")
    page.keyboard.press("?")
    assert page.locator("dialog#help[open]").count() == 1
    page.goto(f"http://127.0.0.1:{port}/assemble")
    page.wait_for_selector(".tile")
    page.keyboard.press("d")
    saved(page, "About assemble.")
    assert page.locator("[data-act=drop]").is_disabled()
    assert verdicts.load(catalog, EDITION) == {"screen": {real[0]: False}}
    assert page.title() == f"{EDITION}: assemble"


@pytest.mark.slow
def test_the_sheet_fits_a_phone_and_answers_to_touch(catalog: Catalog, serve: Any, page: Any) -> None:
    real = put(catalog, 12)
    port = serve({"screen": [group("kept", "ok", [one(photo) for photo in real])]})
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"http://127.0.0.1:{port}/screen")
    page.wait_for_selector(".shot.ready")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("[data-act=drop]").click()
    saved(page, "drop")
    page.locator(".tile").nth(3).click()
    page.locator("[data-act=enlarge]").click()
    assert page.locator("#zoom").is_visible()
    assert page.locator("[data-act=enlarge]").inner_text() == "Close"
    assert verdicts.load(catalog, EDITION) == {"screen": {real[0]: False}}


def test_a_screen_reader_hears_what_is_seen_and_no_list_without_options(
    catalog: Catalog, serve: Any, page: Any
) -> None:
    (photo,) = put(catalog, 1)
    groups = [group("kept", "ok", [one(photo, "deviation 12", "flat 0.4")]), group("dropped", "blank", [])]
    port = serve({"screen": groups})
    page.goto(f"http://127.0.0.1:{port}/screen")
    page.wait_for_selector(".shot.ready")
    told = page.get_by_role("option", name="deviation 12 flat 0.4", exact=True)
    assert told.get_attribute("aria-description") == "ok"
    page.keyboard.press("n")
    page.get_by_text("Nothing here.").wait_for()
    assert page.get_by_role("listbox").count() == 0
    assert page.locator("#scroller").get_attribute("aria-activedescendant") is None
