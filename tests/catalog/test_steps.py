from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from catalog import steps, tables
from catalog.ledger import Ledger, LedgerError
from catalog.steps import Step, StepResult
from catalog.store import Catalog
from catalog.tables import TableError

INPUT = tables.from_rows("items", [{"item_id": name, "box": (0, 0, 1, 1)} for name in ("a", "b")])


def result(*, lose: bool = False) -> StepResult:
    ledger = Ledger("halve", "item", "2026.12")
    ledger.kept("a")
    if not lose:
        ledger.dropped("b", "even")
    return StepResult({"items": INPUT.slice(0, 1)}, ledger.table(), {"kept": 1})


def run(catalog: Catalog, work: Callable[[], StepResult], **changes: Any) -> Step:
    arguments: dict[str, Any] = {
        "inputs": {"items": INPUT},
        "settings": {"line": 1},
        "subject": "item",
        "ids": ["a", "b"],
        "code": "v1",
    }
    return steps.run(catalog, "2026.12", "halve", work, **{**arguments, **changes})


def never() -> StepResult:
    raise AssertionError("worked again")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path)


def test_the_same_work_is_done_once(catalog: Catalog) -> None:
    first = run(catalog, result)
    again = run(Catalog(catalog.root), never)
    assert (first.reused, again.reused) == (False, True)
    assert again.digest == first.digest
    assert again.result.tables["items"].equals(first.result.tables["items"])
    assert again.result.ledger.equals(first.result.ledger)
    assert again.result.figures == {"kept": 1}


def test_the_same_rows_in_other_chunks_are_the_same_input(catalog: Catalog) -> None:
    run(catalog, result)
    chunked = pa.concat_tables([INPUT.slice(0, 1), INPUT.slice(1, 1)])
    assert run(catalog, never, inputs={"items": chunked}).reused


@pytest.mark.parametrize(
    "change",
    [{"settings": {"line": 2}}, {"code": "v2"}, {"inputs": {"items": INPUT.slice(0, 1)}}, {"inputs": {"other": INPUT}}],
)
def test_other_inputs_settings_or_code_are_other_work(catalog: Catalog, change: dict[str, Any]) -> None:
    first = run(catalog, result)
    second = run(catalog, result, **change)
    assert not second.reused
    assert second.path != first.path
    assert run(catalog, never).reused, "the first output is still there"


def test_a_ledger_that_does_not_balance_is_no_output(catalog: Catalog) -> None:
    with pytest.raises(LedgerError, match=r"step halve of edition 2026.12.*lost"):
        run(catalog, lambda: result(lose=True))
    assert not run(catalog, result).reused


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_step_killed_while_writing_is_worked_again(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    write, calls = Catalog.write_bytes, []

    def killed(self: Catalog, path: str, data: bytes) -> None:
        calls.append(path)
        if len(calls) == nth:
            raise KeyboardInterrupt
        write(self, path, data)

    monkeypatch.setattr(Catalog, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        run(catalog, result)
    monkeypatch.undo()
    assert not run(catalog, result).reused
    assert run(catalog, never).reused


def test_a_step_that_fails_leaves_nothing(catalog: Catalog) -> None:
    with pytest.raises(AssertionError, match="worked again"):
        run(catalog, never)
    assert not catalog.filesystem.exists(f"{catalog.path}/editions")


def test_a_damaged_output_is_named_not_trusted(catalog: Catalog) -> None:
    step = run(catalog, result)
    Path(step.path, "items.parquet").write_bytes(b"PAR1")
    with pytest.raises(TableError, match=r"items\.parquet.*cannot be read"):
        run(catalog, never)


def test_tables_of_the_wrong_schema_are_refused(catalog: Catalog) -> None:
    wrong = StepResult({"photos": INPUT}, result().ledger)
    with pytest.raises(TableError, match="step halve"):
        run(catalog, lambda: wrong)
