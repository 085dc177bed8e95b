from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from demo.files import make, make_all
from demo.garments import random_spec
from demo.shots import Copy, DrawnShot


def shots(count: int) -> list[DrawnShot]:
    spec = random_spec(np.random.default_rng(3), "hat")
    return [DrawnShot(f"hat-{k}.jpg", spec, k) for k in range(count)]


def test_same_recipe_same_bytes_anywhere(tmp_path: Path) -> None:
    shot = shots(1)[0]
    first, second = make(shot, tmp_path / "a"), make(shot, tmp_path / "b")
    assert first == second
    a, b = ((tmp_path / d / "photos" / "hat-0.jpg").read_bytes() for d in "ab")
    assert a == b
    assert a[:3] == b"\xff\xd8\xff"


def test_finished_picture_is_left_alone_and_a_new_recipe_replaces_it(tmp_path: Path) -> None:
    shot = shots(1)[0]
    made = make(shot, tmp_path)
    file = tmp_path / "photos" / shot.name
    stamp = file.stat().st_mtime_ns
    assert make(shot, tmp_path) == made
    assert file.stat().st_mtime_ns == stamp
    old = file.read_bytes()
    make(DrawnShot(shot.name, shot.spec, 99), tmp_path)
    assert file.read_bytes() != old


def test_copy_makes_its_original_when_it_is_missing(tmp_path: Path) -> None:
    shot = shots(1)[0]
    copied = make(Copy("copy.jpg", shot, "mirrored", 1), tmp_path)
    original = make(shot, tmp_path)
    x0, y0, x1, y1 = original.boxes[0]
    assert copied.boxes == ((original.width - x1, y0, original.width - x0, y1),)


def test_progress_is_told_and_no_scraps_are_left(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    made = make_all(shots(3), tmp_path, workers=1, progress=lambda done, total: told.append((done, total)))
    assert list(made) == ["hat-0.jpg", "hat-1.jpg", "hat-2.jpg"]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.slow
def test_pool_makes_the_same_bytes(tmp_path: Path) -> None:
    make_all(shots(8), tmp_path / "one", workers=1)
    make_all(shots(8), tmp_path / "pool", workers=2)
    for k in range(8):
        name = f"photos/hat-{k}.jpg"
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "pool" / name).read_bytes()
