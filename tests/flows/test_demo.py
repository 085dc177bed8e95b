"""The whole demo, as a person runs it: a live shop, two seasons, two editions, every part real."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from catalog.store import Catalog
from flows import edition as editions

pytestmark = pytest.mark.slow
SUBSETS = ("real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook")
PUBLISHED = [
    "image", "raw_image", "category", "main_attribute", "other_attributes", "bbox", "item_ID", "task", "difficulty",
]  # fmt: skip


def lookbench(*arguments: str | Path, ok: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500, env=env)
    if ok and done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-6000:]}")
    return done


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Demo:
    """A demo and where it lies; it runs beside what else is done, until someone asks for it."""

    def __init__(self, root: Path, arguments: Sequence[str | Path]) -> None:
        self.root, self.arguments = root, [*arguments, "--root", root, "--port", str(free_port()), "--json"]
        self.environment = {"LOOKBENCH_ANNOTATION__PORT": str(free_port())}
        self._made = ThreadPoolExecutor(1).submit(lookbench, "demo", *self.arguments, **self.environment)

    def finished(self) -> "Demo":
        done = self._made.result()
        self.said, self.editions = done.stderr, json.loads(done.stdout)
        self.catalog = Catalog(self.root)
        return self

    def truth(self, season: int) -> Any:
        return json.loads((self.root / "shop" / f"truth-season-{season}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def demos(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Demo]:
    """The demos that the tests of this run ask for, made side by side."""
    chosen = [test for test in request.session.items if test.path == request.path]
    asked = {
        name
        for test in chosen
        for name in (*test.fixturenames, *getattr(getattr(test, "callspec", None), "params", {}).values())
    }
    arguments: dict[str, list[str | Path]] = {"drawn": ["--products", "48"]}
    with suppress(pytest.skip.Exception):  # those that ask for ``real`` are skipped then
        arguments["real"] = ["--photos", request.getfixturevalue("shared") / "photos", "--products", "64"]
    return {name: Demo(tmp_path_factory.mktemp(name), given) for name, given in arguments.items() if name in asked}


@pytest.fixture(scope="module")
def drawn(demos: dict[str, Demo]) -> Demo:
    return demos["drawn"].finished()


@pytest.fixture(scope="module")
def real(shared: Path, demos: dict[str, Demo]) -> Demo:
    return demos["real"].finished()


@pytest.fixture(params=["drawn", "real"])
def demo(request: pytest.FixtureRequest) -> Demo:
    found: Demo = request.getfixturevalue(request.param)
    return found


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_two_editions_are_frozen_and_sound(demo: Demo) -> None:
    assert [made["edition"] for made in demo.editions] == ["2026.06", "2026.12"]
    for made in demo.editions:
        report = json.loads(lookbench("verify", made["release"], "--json").stdout)
        assert report["ok"], report
        assert Path(made["report"]).is_file()


def test_the_release_loads_as_a_dataset(demo: Demo) -> None:
    import datasets
    from PIL.Image import Image

    for made in demo.editions:
        for subset in SUBSETS:
            loaded = datasets.load_dataset(made["release"], subset)
            assert set(loaded) == {"query", "gallery"}
            for split in loaded.values():
                assert split.column_names[:9] == PUBLISHED
                assert isinstance(split.features["image"], datasets.Image)
                assert isinstance(split.features["raw_image"], datasets.Image)
                assert all(split.features[name].dtype == "string" for name in PUBLISHED[2:])
                assert all(split["date"])
                assert all(split["date_evidence"])
                assert isinstance(split[0]["image"], Image)
        assert set(datasets.load_dataset(made["release"], "noise")) == {"gallery"}


def test_every_ledger_balances(demo: Demo) -> None:
    for record in editions.records(demo.catalog):
        book = editions.find(demo.catalog, record.edition)
        steps = {name: book.load(name) for name in record.steps}
        chain = ["select", "screen", "detect", "deduplicate"]
        assert {*chain, "fingerprint", "tie-to-products", "generate", "prelabel", "pull", "assemble"} <= set(steps)
        coming = set(steps["select"].ledger["id"].to_pylist())
        for name in chain:
            rows = [row for row in steps[name].ledger.to_pylist() if row["subject"] == "photo"]
            assert sorted(row["id"] for row in rows) == sorted(coming)
            assert all(row["reason"] for row in rows)
            coming = {row["id"] for row in rows if row["outcome"] == "kept"}
        labelled = steps["prelabel"].tables["labels"]["item_id"].to_pylist()
        assert sorted(steps["pull"].ledger["id"].to_pylist()) == sorted(labelled)
    first, second = (editions.find(demo.catalog, made["edition"]).load("select") for made in demo.editions)
    chosen = [photo for step in (first, second) for photo in step.tables["photos"]["photo_id"].to_pylist()]
    assert sorted(chosen) == sorted(second.ledger["id"].to_pylist()), "every photo is in exactly one edition"


def test_what_was_published_before_is_not_published_again(demo: Demo) -> None:
    import pyarrow.dataset as ds

    first, second = (
        {
            value
            for file in Path(made["release"]).glob("data/*/*.parquet")
            for value in ds.dataset(file).to_table(columns=["photo_sha256"])["photo_sha256"].to_pylist()
        }
        for made in demo.editions
    )
    assert first
    assert second
    assert not first & second


def test_relisted_photos_are_found_and_keep_their_first_date(demo: Demo) -> None:
    """The shop's truth says which photos of the second season copy one of the first."""
    seen = demo.catalog.read("sightings").select(["url", "photo_id"]).to_pylist()
    photo_of = {row["url"].rsplit("/", 1)[-1].split("?")[0]: row["photo_id"] for row in seen}
    before, after = (editions.find(demo.catalog, made["edition"]) for made in demo.editions)
    old = {row["id"]: row for row in before.load("deduplicate").tables["decisions"].to_pylist()}
    new = {row["id"]: row for row in after.load("deduplicate").tables["decisions"].to_pylist()}
    copies = [(photo_of[copy["photo"]], photo_of[copy["of"]]) for copy in demo.truth(2)["copies"]]
    pairs = [(new[copy], old[original]) for copy, original in copies if copy in new and original in old]
    assert len(pairs) >= 8
    caught = [(copy, original) for copy, original in pairs if not copy["kept"]]
    assert len(caught) >= 0.95 * len(pairs)
    assert all(copy["date"] <= original["date"] for copy, original in caught)


def test_why_tells_of_a_kept_and_of_a_dropped_photo(demo: Demo) -> None:
    book = editions.find(demo.catalog, "2026.12")
    rows = book.load("deduplicate").ledger.to_pylist()
    kept = next(row for row in rows if row["outcome"] == "kept")
    dropped = next(row for row in rows if row["outcome"] == "dropped")
    for row in (kept, dropped):
        events = json.loads(lookbench("why", row["id"][:20], "--root", demo.root, "--json").stdout)
        assert events[0]["where"].startswith("crawl of")
        (verdict,) = [
            event
            for event in events
            if event["what"] == f"photo {row['id']}" and event["where"].endswith("deduplicate")
        ]
        assert verdict["outcome"] == row["outcome"]
        assembled = {event["outcome"] for event in events if event["where"].endswith("assemble")}
        assert assembled
        assert assembled == {"dropped"} or row is kept


def test_running_the_demo_again_changes_nothing(drawn: Demo) -> None:
    before = digests(drawn.root / "releases") | digests(drawn.root / "tables")
    again = json.loads(lookbench("demo", *drawn.arguments, **drawn.environment).stdout)
    assert again == drawn.editions
    assert digests(drawn.root / "releases") | digests(drawn.root / "tables") == before


def test_freezing_twice_gives_the_same_bytes(drawn: Demo, tmp_path: Path) -> None:
    made = drawn.editions[1]
    settings = drawn.root / "lookbench.yaml"
    where = ["--root", drawn.root, "--settings", settings]
    lookbench("freeze", made["edition"], "--out", tmp_path / "copy", *where, **drawn.environment)
    assert digests(tmp_path / "copy") == digests(Path(made["release"]))
    refused = lookbench("freeze", made["edition"], *where, ok=False, **drawn.environment)
    assert refused.returncode == 1
    assert refused.stderr.strip().splitlines()[-1].startswith("error: edition 2026.12 is frozen already")


def test_a_killed_refresh_goes_on_to_the_same_edition(drawn: Demo, tmp_path: Path) -> None:
    """The second edition is refreshed once more in a copy of the catalog, killed after some steps, and run again."""
    root = tmp_path / "root"
    shutil.copytree(drawn.root, root, ignore=shutil.ignore_patterns("services", "shop", "2026.12", "lookbench-2026.12"))
    for later in root.glob("history/2026.12-*.arrow"):
        later.unlink()
    arguments = [
        "refresh",
        "2026.12",
        "--root",
        root,
        "--settings",
        drawn.root / "lookbench.yaml",
        "--now",
        "2026-12-01T09:00:00",
    ]
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    env = {**os.environ, **drawn.environment}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=env, start_new_session=True, **quiet) as child:
        deadline = time.monotonic() + 300
        while not list(root.glob("editions/2026.12/detect-*/step.json")) and time.monotonic() < deadline:
            assert child.poll() is None, "the refresh ended before it could be killed"
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGKILL)  # with the Prefect server that it started
    try:
        lookbench(*arguments, **drawn.environment)
    finally:
        down = ["services", "down", "--root", root, "--settings", drawn.root / "lookbench.yaml"]
        lookbench(*down, **drawn.environment)
    killed, whole = (editions.find(Catalog(place), "2026.12").record for place in (root, drawn.root))
    refreshed = set(killed.steps)
    assert {"generated-deduplicate", "prelabel"} <= refreshed
    assert killed.steps == {name: path for name, path in whole.steps.items() if name in refreshed}
