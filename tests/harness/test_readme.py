"""The tutorial of the README, run as it is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2] / "harness"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (HOME / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def home(release: Path, tmp_path: Path) -> Path:
    """A folder with the release under the name that the tutorial uses, and the command on the path."""
    command = tmp_path / "bin" / "lookbench-eval"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m lookbench_eval "$@"\n')
    command.chmod(0o755)
    assert release == tmp_path / "lookbench-2026.12"
    return tmp_path


def run(words: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(HOME)}
    done = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_ten_lines_add_a_model(home: Path) -> None:
    model, *_ = blocks("python")
    lines = [line for line in model.splitlines() if line.strip() and '"""' not in line]
    assert len(lines) <= 10
    (home / "mymodel.py").write_text(model)
    shell, *_ = blocks("sh")
    done = run(["sh", "-e", "-c", shell], home)
    assert "Thumbnail 32 on lookbench-2026.12 (edition 2026.12)" in done.stdout
    assert "results/mine/result.json: accepted" in done.stdout
    assert "Thumbnail 32" in (home / "board.html").read_text()


def test_the_python_example(home: Path) -> None:
    done = run([sys.executable, "-c", blocks("python")[1]], home)
    assert "MRR(rel=item)" in done.stdout
    assert re.search(r"^[01]\.\d+ [01]\.\d+$", done.stdout, re.MULTILINE)


def test_every_measure_of_the_readme_is_known() -> None:
    from lookbench_eval import parse

    table = (HOME / "README.md").read_text(encoding="utf-8").split("## Measures")[1].split("- **Overall**")[0]
    named = [name for line in table.splitlines() for name in re.findall(r"`([^`]*)`", line.split(" | ")[0])]
    for name in named:
        if not name.startswith("("):
            assert parse(name.replace("@K", "@5"))
    assert len(named) > 10


def test_the_example_of_preprocessing_is_read() -> None:
    import json

    from lookbench_eval.encoders.preprocess import parse

    assert parse(json.loads(blocks("json")[0]), "README").size == (224, 224)
