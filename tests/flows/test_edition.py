import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog import tables
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog
from flows import edition as editions
from flows.edition import EditionError
from flows.refresh import _history

JUNE, DECEMBER = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "root")


def test_window_starts_where_the_frozen_edition_before_opened(catalog: Catalog) -> None:
    first = editions.begin(catalog, "2026.06", JUNE)
    assert first.record.since is None
    first.save(state=editions.FROZEN, frozen_at=JUNE, release="somewhere")
    assert editions.begin(catalog, "2026.12", DECEMBER).record.since == JUNE


def test_begin_again_keeps_the_window(catalog: Catalog) -> None:
    editions.begin(catalog, "2026.06", JUNE)
    assert editions.begin(catalog, "2026.06", DECEMBER).record.opened_at == JUNE


@pytest.mark.parametrize("name", ["2026-06", "2026.13", "2026.00", "june", "26.06", "2026.06\n", "../2026.06"])
def test_a_name_that_is_no_month_is_refused(catalog: Catalog, name: str) -> None:
    with pytest.raises(EditionError, match="not a year and month"):
        editions.begin(catalog, name, JUNE)


def test_frozen_and_older_editions_are_refused(catalog: Catalog) -> None:
    editions.begin(catalog, "2026.06", JUNE).save(state=editions.FROZEN, frozen_at=JUNE, release="somewhere")
    with pytest.raises(EditionError, match="frozen since 2026-06-01"):
        editions.begin(catalog, "2026.06", DECEMBER)
    with pytest.raises(EditionError, match=r"older than 2026\.06"):
        editions.begin(catalog, "2025.12", DECEMBER)


def test_an_unknown_edition_names_the_known_ones(catalog: Catalog) -> None:
    editions.begin(catalog, "2026.06", JUNE)
    with pytest.raises(EditionError, match=r"'2030\.01' is unknown.*known: 2026\.06"):
        editions.find(catalog, "2030.01")


def test_record_survives_a_round_trip(catalog: Catalog) -> None:
    book = editions.begin(catalog, "2026.06", JUNE)
    book.save(state=editions.FROZEN, frozen_at=DECEMBER, release="r")
    assert editions.find(catalog, "2026.06").record == book.record
    assert json.loads(catalog.filesystem.cat_file(f"{catalog.path}/editions/2026.06/edition.json"))["state"] == "frozen"


def test_a_refresh_begun_again_cannot_be_frozen_before_it_is_through(catalog: Catalog) -> None:
    book = editions.begin(catalog, "2026.06", JUNE)
    book.record = replace(book.record, steps={"screen": "of the refresh before"})
    book.save(state=editions.AWAITING_LABELS)
    editions.begin(catalog, "2026.06", DECEMBER)
    found = editions.find(catalog, "2026.06").record
    assert (found.state, found.steps) == (editions.OPEN, {})


@pytest.mark.usefixtures("prefect")
def test_a_step_is_worked_once_and_loaded_back(catalog: Catalog) -> None:
    calls = []

    def work() -> StepResult:
        calls.append(1)
        ledger = Ledger("screen", "photo", "2026.06")
        ledger.kept("a")
        return StepResult({"photos": tables.empty("photos")}, ledger.table())

    arguments = {"inputs": {"photos": tables.empty("photos")}, "settings": {"x": 1}, "subject": "photo", "ids": ["a"]}
    for _ in range(2):
        book = editions.begin(catalog, "2026.06", JUNE)
        book.step("screen", work, **arguments)
    assert calls == [1]
    assert editions.find(catalog, "2026.06").load("screen").ledger["id"].to_pylist() == ["a"]
    with pytest.raises(EditionError, match="no finished step 'detect'"):
        book.load("detect")


def test_a_past_edition_without_fingerprints_is_refused_not_forgotten(catalog: Catalog) -> None:
    editions.begin(catalog, "2026.06", JUNE).save(state=editions.FROZEN, frozen_at=JUNE, release="releases/r")
    book = editions.begin(catalog, "2026.12", DECEMBER)
    with pytest.raises(EditionError, match=r"no fingerprints of edition 2026\.06.*history rebuild releases/r"):
        _history(book)
    assert not _history(editions.find(catalog, "2026.06")).parts
