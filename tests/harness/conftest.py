"""A small release that is written afresh for each test that asks for one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from tests.harness.small import SCHEMA, SUBSETS, rows_of, seal, write_split


@pytest.fixture
def make_release(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a release: `change(subset, split, rows)` may alter the rows of a split."""

    def write(
        name: str = "lookbench-2026.12",
        change: Callable[[str, str, list[dict]], list[dict]] = lambda subset, split, rows: rows,
        subsets: Sequence[str] = SUBSETS,
        schema: pa.Schema = SCHEMA,
    ) -> Path:
        root = tmp_path / name
        for place, subset in enumerate(subsets):
            start = 10 * place
            write_split(root, subset, "query", change(subset, "query", rows_of(subset, "query", start=start)), schema)
            gallery = rows_of(subset, "gallery", copies=2, start=start)
            write_split(root, subset, "gallery", change(subset, "gallery", gallery), schema)
        noise = change("noise", "gallery", rows_of("noise", "gallery", products=9, start=100))
        write_split(root, "noise", "gallery", noise, schema)
        seal(root)
        return root

    return write


@pytest.fixture
def release(make_release: Callable[..., Path]) -> Path:
    return make_release()
