"""The wheel that lies in every release."""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2] / "harness"


def build(source: Path, folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


def test_building_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    copy = tmp_path / "elsewhere" / "harness"
    shutil.copytree(HOME, copy, ignore=shutil.ignore_patterns("__pycache__", "dist"))
    for path in copy.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    wheels = [build(HOME, tmp_path / "one"), build(copy, tmp_path / "two")]
    assert wheels[0].name == wheels[1].name
    assert len({hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}) == 1


def test_the_wheel_holds_the_package_alone_with_its_data(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    with zipfile.ZipFile(build(HOME, tmp_path)) as wheel:
        names = wheel.namelist()
        assert {name.split("/")[0].split("-")[0] for name in names} == {"lookbench_eval"}
        assert {"lookbench_eval/py.typed", "lookbench_eval/result.schema.json"} <= set(names)
        metadata = wheel.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line] == [
        "Requires-Dist: numpy>=2.0",
        "Requires-Dist: pyarrow>=17",
    ]


def test_nothing_of_the_house_is_imported() -> None:
    rooms = {"annotation", "catalog", "crawlers", "curation", "demo", "flows", "generation", "releases", "taxonomy"}
    for path in HOME.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not rooms & {name.split(".")[0] for name in named}, path
