"""The fresh environment of a harness wheel: made once, whole, however many runs ask for it."""

import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flows import validate
from flows.workshop import Workshop

NAME = "lookbench_eval-0.0.1"
PARTS = {
    "probe.py": "def main():\n    print('scored')\n",
    f"{NAME}.dist-info/METADATA": "Metadata-Version: 2.1\nName: lookbench-eval\nVersion: 0.0.1\n",
    f"{NAME}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{NAME}.dist-info/entry_points.txt": "[console_scripts]\nlookbench-eval = probe:main\n",
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / f"{NAME}-py3-none-any.whl"
    record = f"{NAME}.dist-info/RECORD"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        archive.writestr(record, "".join(f"{name},,\n" for name in (*PARTS, record)))
    return path


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.setenv("LOOKBENCH_CACHE", str(tmp_path / "cache"))
    return Workshop.open(root=str(tmp_path / "catalog"))


def scored(command: Path) -> str:
    return subprocess.run([command], capture_output=True, text=True, check=True).stdout


def test_runs_side_by_side_make_one_environment(
    wheel: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(
        validate, "_call", lambda arguments, call=validate._call: (calls.append(arguments[2]), call(arguments))
    )
    with ThreadPoolExecutor(3) as pool:
        commands = list(pool.map(lambda _: validate.environment(wheel, "", workshop), range(3)))
    assert len(set(commands)) == 1
    assert scored(commands[0]) == "scored\n"
    assert calls == ["venv", "pip"]


def test_what_a_killed_installation_left_is_made_again(wheel: Path, workshop: Workshop) -> None:
    command = validate.environment(wheel, "", workshop)
    (command.parent.parent / ".installed").unlink()
    command.write_text("#!/bin/sh\nexit 3\n")
    assert scored(validate.environment(wheel, "", workshop)) == "scored\n"


def test_pips_own_words_reach_the_person(tmp_path: Path, workshop: Workshop) -> None:
    broken = tmp_path / f"{NAME}-py3-none-any.whl"
    broken.write_bytes(b"no archive")
    with pytest.raises(validate.ValidationError, match=r"could not install the harness wheel"):
        validate.environment(broken, "", workshop)
