"""The leaderboard page in a real browser, and the check of submissions."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookbench_eval import HarnessError, Result, load
from lookbench_eval.cli import main
from lookbench_eval.leaderboard import build, check
from lookbench_eval.leaderboard.data import encode, pack
from lookbench_eval.result import digest
from tests.harness import board

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="module")
def results() -> Mapping[str, Result]:
    return board.results()


@pytest.fixture(scope="module")
def page_file(results: Mapping[str, Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("board") / "board.html"
    path.write_text(build(list(results.values())), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync.sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, page_file: Path) -> Iterator[Callable[..., Any]]:
    opened = []

    def go(width: int = 1280, hash_: str = "") -> Any:
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on(
            "request", lambda request: page.said.append(request.url) if not request.url.startswith("file:") else None
        )
        page.goto(page_file.as_uri() + hash_)
        opened.append(page)
        return page

    yield go
    for page in opened:
        assert page.said == [], "the page complained, or asked the network for something"
        page.close()


def names(page: Any) -> list[str]:
    return page.locator(".name").all_inner_texts()


def main_cell(page: Any, name: str) -> tuple[float, float, float, str]:
    row = page.locator("tr.line", has=page.locator(".name", has_text=name))
    found = row.locator(".c-main")
    value = float(found.locator(".value").inner_text())
    low, high = (float(number) for number in found.locator(".range").inner_text().split("\u2013"))
    return value, low, high, found.get_attribute("class")


def slide(page: Any, day: str) -> None:
    page.evaluate(
        """(day) => {
            const slider = document.getElementById("after");
            slider.value = Math.round(Date.parse(day + "T00:00:00Z") / 86400000);
            slider.dispatchEvent(new Event("input"));
        }""",
        day,
    )
    page.wait_for_function("(day) => document.getElementById('after-text').textContent.endsWith(day)", arg=day)


def expected(result: Result, measure: str, after: str | None = None, subset: str | None = None) -> tuple[float, int]:
    """Mean of a window, from the table of queries alone."""
    assert result.per_query is not None
    rows = [
        row
        for row in result.per_query.to_pylist()
        if (after is None or row["date"].isoformat() > after) and (subset is None or row["subset"] == subset)
    ]
    if measure.startswith("Look"):
        looks: dict[str, float] = {}
        for row in rows:
            if row["look_id"]:
                looks[row["look_id"]] = looks.get(row["look_id"], 1.0) * row[measure]
        values = list(looks.values())
    else:
        values = [row[measure] for row in rows]
    return float(np.mean(values)), len(values)


@pytest.mark.slow
def test_the_page_states_what_the_results_state(open_page: Callable[..., Any], results: Mapping[str, Result]) -> None:
    page = open_page()
    ranked = sorted(results, key=lambda name: -results[name].value("Fine@1"))
    assert names(page) == ranked
    for name, result in results.items():
        figure = result.document["overall"]["values"]["Fine@1"]
        value, low, high, _ = main_cell(page, name)
        assert value == pytest.approx(100 * figure["value"], abs=0.005)
        assert (low, high) == pytest.approx((100 * figure["lo"], 100 * figure["hi"]), abs=0.051)
        cell = page.locator("tr.line", has=page.locator(".name", has_text=name)).locator(
            "[data-subset=aigen_studio] .value"
        )
        assert float(cell.inner_text()) == pytest.approx(100 * result.value("Fine@1", "aigen_studio"), abs=0.051)
    assert page.locator("#edition").inner_text() == "Edition 2026.12"
    assert page.locator("tr.line .interval").count() == len(results)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["Fine@1", "nDCG@10", "MRR", "Look@1"])
def test_the_date_slider_scores_again(
    open_page: Callable[..., Any], results: Mapping[str, Result], measure: str
) -> None:
    page = open_page()
    page.select_option("#measure", measure)
    whole = main_cell(page, "Has-seen-it-all")[0]
    slide(page, "2026-09-15")
    for name, result in results.items():
        mean, count = expected(result, measure, "2026-09-15")
        value, low, high, _ = main_cell(page, name)
        assert value == pytest.approx(100 * mean, abs=0.006), name
        assert low <= value <= high
        row = page.locator("tr.line", has=page.locator(".name", has_text=name))
        assert row.locator(".c-n").inner_text() == str(count)
    if measure != "Look@1":
        assert main_cell(page, "Has-seen-it-all")[0] < whole - 10
    assert "scored again in this page" in page.locator("#status").inner_text()
    assert "after=2026-09-15" in page.url


@pytest.mark.slow
def test_intervals_of_a_window_are_those_of_the_harness(
    open_page: Callable[..., Any], results: Mapping[str, Result]
) -> None:
    from lookbench_eval import evaluate
    from lookbench_eval.windows import make

    release = board.invented_release()
    model = board.MODELS[0]
    again = evaluate(release, embeddings=board.vectors(release, model), window=make("2026-07-31"))
    figure = again.document["overall"]["values"]["Fine@5"]
    page = open_page(hash_="#measure=Fine%405&after=2026-07-31")
    value, low, high, _ = main_cell(page, model.name)
    assert value == pytest.approx(100 * figure["value"], abs=0.006)
    # 500 resamples in the page against 2,000 in the harness.
    assert (low, high) == pytest.approx((100 * figure["lo"], 100 * figure["hi"]), abs=1.5)


@pytest.mark.slow
def test_cells_are_shaded_while_they_hold_samples_older_than_the_cutoff(open_page: Callable[..., Any]) -> None:
    page = open_page()
    kinds = {
        name: main_cell(page, name)[3].split()[-1] for name in ("Fresh-Fashion-L", "Has-seen-it-all", "Silent-Lab-XL")
    }
    assert kinds == {"Fresh-Fashion-L": "c-main", "Has-seen-it-all": "old", "Silent-Lab-XL": "unknown"}
    cell = page.locator("tr.line", has=page.locator(".name", has_text="Has-seen-it-all")).locator(".c-main")
    assert re.match(
        r"\d+ % of these 120 queries are not newer than the declared cutoff 2026-09-15", cell.get_attribute("title")
    )
    slide(page, "2026-09-10")
    assert "old" in main_cell(page, "Has-seen-it-all")[3]
    slide(page, "2026-09-15")
    assert "old" not in main_cell(page, "Has-seen-it-all")[3]
    assert "unknown" in main_cell(page, "Silent-Lab-XL")[3]


@pytest.mark.slow
def test_each_model_on_its_own_samples(open_page: Callable[..., Any], results: Mapping[str, Result]) -> None:
    page = open_page()
    page.check("#own")
    mean, _ = expected(results["Has-seen-it-all"], "Fine@1", "2026-09-15")
    assert main_cell(page, "Has-seen-it-all")[0] == pytest.approx(100 * mean, abs=0.006)
    silent = page.locator("tr.line", has=page.locator(".name", has_text="Silent-Lab-XL"))
    assert "no cutoff declared" in silent.locator(".c-main").inner_text()
    assert silent.locator(".c-rank").inner_text() == ""
    assert names(page)[-1] == "Silent-Lab-XL"


@pytest.mark.slow
def test_sorting_and_filtering(open_page: Callable[..., Any], results: Mapping[str, Result]) -> None:
    page = open_page()
    page.click("#heads button:has-text('Model')")
    assert names(page) == sorted(results)
    page.click("#heads button:has-text('Model')")
    assert names(page) == sorted(results, reverse=True)
    page.click("#heads button:has-text('AI studio')")
    assert names(page) == sorted(results, key=lambda name: -results[name].value("Fine@1", "aigen_studio"))
    page.click("#heads button:has-text('AI studio')")
    assert names(page) == sorted(results, key=lambda name: results[name].value("Fine@1", "aigen_studio"))
    assert page.locator("#heads [aria-sort]").get_attribute("aria-sort") == "ascending"
    page.click("[role=radio]:has-text('AI street')")
    assert "40" not in page.locator("#status").inner_text().split(" of ")[0]
    for name, result in results.items():
        assert main_cell(page, name)[0] == pytest.approx(100 * result.value("Fine@1", "aigen_streetlook"), abs=0.006)
    assert page.locator("[role=radio][aria-checked=true]").inner_text() == "AI street"


@pytest.mark.slow
def test_the_address_brings_the_view_back(open_page: Callable[..., Any]) -> None:
    page = open_page(hash_="#measure=nDCG%4010&subset=real_streetlook&after=2026-08-01&own=1")
    assert page.locator("#measure").input_value() == "nDCG@10"
    assert page.locator("[role=radio][aria-checked=true]").inner_text() == "Street"
    assert page.locator("#after-text").inner_text() == "newer than 2026-08-01"
    assert page.locator("#own").is_checked()
    open_page(hash_="#measure=nonsense&subset=x&after=soon&own=maybe")


@pytest.mark.slow
def test_details_open_by_keyboard(open_page: Callable[..., Any], results: Mapping[str, Result]) -> None:
    page = open_page()
    page.locator(".name", has_text="Fresh-Fashion-L").focus()
    page.keyboard.press("Enter")
    detail = page.locator("tr.detail")
    assert "sha256:" in detail.inner_text()
    assert "Shop photos 2024, LAION" in detail.inner_text()
    cells = detail.locator("tr", has_text="MRR").locator("td").all_inner_texts()
    assert float(cells[0]) == pytest.approx(100 * results["Fresh-Fashion-L"].value("MRR"), abs=0.051)


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Any], width: int) -> None:
    page = open_page(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".name").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_names_are_text_and_never_markup(open_page: Callable[..., Any]) -> None:
    page = open_page()
    assert page.locator("#rows b").count() == 0
    assert page.locator(".name", has_text="Old-but-broad <b>SigLIP</b>").count() == 1


def test_the_page_is_one_file_that_fetches_nothing(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=|@import|url\(|fetch\(|XMLHttp", text)
    assert "default-src 'none'" in text
    assert "<b>SigLIP" not in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))  # type: ignore[union-attr]
    assert [model["name"] for model in data["releases"][0]["models"]] == [model.name for model in board.MODELS]
    noscript = re.search(r"<noscript>.*</noscript>", text, re.DOTALL)
    assert noscript
    assert "Silent-Lab-XL" in noscript.group()


def test_the_same_results_make_the_same_page(results: Mapping[str, Result], page_file: Path) -> None:
    assert build(list(results.values())) == page_file.read_text(encoding="utf-8")


def test_values_survive_the_packing() -> None:
    assert encode(np.array([0, 1, np.nan, 1.0])) == "01-1"
    text = encode(np.array([0.25, 1, np.nan]))
    assert text.startswith("b64:")


def test_results_that_do_not_belong_on_one_page(results: Mapping[str, Result], tmp_path: Path) -> None:
    one = results["Fresh-Fashion-L"]
    with pytest.raises(HarnessError, match="two results of Fresh-Fashion-L"):
        pack([one, one])
    with pytest.raises(HarnessError, match="table of queries"):
        pack([Result(one.document, None)])
    with pytest.raises(HarnessError, match="at least one"):
        build([])
    loose = {
        **one.document,
        "settings": {**one.document["settings"], "ties": "optimistic"},
        "model": {**one.document["model"], "name": "x"},
    }
    with pytest.raises(HarnessError, match="x was scored with ties 'optimistic', Fresh-Fashion-L with 'pessimistic'"):
        pack([one, Result(loose, one.per_query)])


def test_editions_are_listed_newest_first(results: Mapping[str, Result]) -> None:
    one = results["Fresh-Fashion-L"]
    older = {
        **one.document,
        "release": {
            **one.document["release"],
            "edition": "2026.06",
            "name": "lookbench-2026.06",
            "data_sha256": "1" * 64,
        },
    }
    assert [part["edition"] for part in pack([Result(older, one.per_query), one])] == ["2026.12", "2026.06"]


@pytest.fixture
def submission(results: Mapping[str, Result], tmp_path: Path) -> Path:
    return results["Fresh-Fashion-L"].save(tmp_path / "submission")


def forge(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a result and make its digest fit, as somebody who knows the format would."""
    document = json.loads(path.read_text())
    change(document)
    document["digest"] = digest(document)
    path.write_text(json.dumps(document))


def test_a_whole_and_declared_result_is_accepted(submission: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(submission) == []
    assert main(["leaderboard", "check", str(submission)]) == 0
    assert capsys.readouterr().out == f"{submission}: accepted\n"


@pytest.mark.parametrize(
    ("change", "about", "said"),
    [
        (lambda d: d["overall"]["values"]["Fine@1"].update(value=0.9, hi=0.95), "figures", "but its queries give"),
        (lambda d: d["subsets"]["aigen_studio"]["values"]["MRR"].update(n=19), "figures", "over 19"),
        (lambda d: d["overall"]["values"]["MRR"].update(lo=0.99, hi=0.999), "figures", "does not contain its value"),
        (
            lambda d: d["overall"]["values"].update({"Fine@3": d["overall"]["values"]["Fine@1"]}),
            "figures",
            "no column Fine@3",
        ),
        (lambda d: d["overall"].update(queries=119), "counts", "120 queries together"),
        (lambda d: d["subsets"]["aigen_studio"].update(queries_in_release=30), "counts", "20 of 30 queries"),
        (lambda d: d["subsets"].pop("aigen_studio"), "counts", "subsets missing: aigen_studio"),
        (lambda d: d["model"].update(revision=""), "revision", "nothing pins the model"),
        (lambda d: d["model"].update(declared_cutoff=None), "cutoff", "declares no training cutoff"),
        (lambda d: d["model"].update(training_sets=[]), "training sets", "declares no training sets"),
        (lambda d: d["release"].update(verified=False), "release", "not verified"),
        (lambda d: d["settings"].update(ties="optimistic"), "settings", "takes 'pessimistic'"),
        (lambda d: d["settings"]["bootstrap"].update(resamples=10), "settings", "takes 1000 or more"),
        (lambda d: d["model"].update(declared_cutoff="soon"), "schema", "expected a date"),
        (lambda d: d.update(extra=1), "schema", "extra is not part of the schema"),
        (lambda d: d["overall"]["values"]["MRR"].pop("hi"), "schema", "lacks 'hi'"),
        (lambda d: d["overall"]["values"]["MRR"].update(hi=1.5), "schema", "expected at most 1"),
        (lambda d: d["settings"].update(no_positive="maybe"), "schema", "expected one of error, zero, skip"),
    ],
)
def test_what_keeps_a_result_off_the_page(
    submission: Path, change: Callable[[dict[str, Any]], object], about: str, said: str
) -> None:
    forge(submission, change)
    found = [one for one in check(submission) if one.severity == "error"]
    assert any(one.about == about and said in one.text for one in found), found


def test_an_edited_result_and_a_lost_table_are_refused(submission: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = submission.read_text()
    submission.write_text(text.replace("Fresh-Fashion-L", "Fresher"))
    assert [one.about for one in check(submission)] == ["schema"]
    submission.write_text(text)
    (submission.parent / "per_query.parquet").unlink()
    assert main(["leaderboard", "check", str(submission), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] is False
    assert "per_query.parquet" in found["findings"][str(submission)][0]["text"]


def test_a_cutoff_behind_all_samples_and_a_window_are_warnings(submission: Path) -> None:
    forge(submission, lambda d: d["model"].update(declared_cutoff="2027-01-01"))
    assert [(one.severity, one.about) for one in check(submission)] == [("warning", "cutoff")]


def test_the_release_is_compared(submission: Path, release: Path) -> None:
    assert [one.about for one in check(submission, release)] == ["release"]


def test_the_command_builds_the_page(submission: Path, tmp_path: Path) -> None:
    target = tmp_path / "site" / "index.html"
    assert main(["leaderboard", "build", str(submission), "--out", str(target), "--title", "A & B"]) == 0
    assert "<title>A &amp; B</title>" in target.read_text()
    assert load(submission).value("Fine@1") > 0


def test_faults_are_those_of_a_full_validator(submission: Path) -> None:
    """Every change to a document that jsonschema refuses is refused here, and the other way round."""
    jsonschema = pytest.importorskip("jsonschema")
    from lookbench_eval.schema import SCHEMA_PATH
    from lookbench_eval.validate import faults

    validator = jsonschema.Draft202012Validator(
        json.loads(SCHEMA_PATH.read_text()), format_checker=jsonschema.FormatChecker()
    )
    document = json.loads(submission.read_text())
    paths: list[list[Any]] = []

    def walk(node: Any, path: list[Any]) -> None:
        paths.append(path)
        inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, held in inner:
            walk(held, [*path, key])

    walk(document, [])
    rng = np.random.default_rng(0)
    values = [None, True, 0, -1, 2, 0.5, "text", "2026-01-01", [], {}, ["x"], "0" * 64]
    for place in rng.choice(len(paths), 100):
        changed = json.loads(json.dumps(document))
        if not paths[place]:
            continue
        node = changed
        for key in paths[place][:-1]:
            node = node[key]
        if rng.random() < 0.3 and isinstance(node, dict):
            del node[paths[place][-1]]
        else:
            node[paths[place][-1]] = values[rng.integers(len(values))]
        assert bool(faults(changed)) == (not validator.is_valid(changed)), (paths[place], faults(changed))
