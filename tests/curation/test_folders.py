import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from catalog.decode import encode_jpeg, encode_png
from curation import duplicates, embedders
from curation.folders import compare_folders

MODEL = Path(__file__).parents[2] / "models" / "efficientnet-lite0" / "efficientnet-lite0.onnx"


def scene(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    low = Image.fromarray(rng.integers(0, 256, (9, 7, 3)).astype(np.uint8))
    return np.asarray(low.resize((210, 270), Image.Resampling.BICUBIC))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    one = scene(1)
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.png").write_bytes(encode_png(one))
    (tmp_path / "b.jpg").write_bytes(encode_png(one))
    (tmp_path / "sub" / "c.jpg").write_bytes(encode_jpeg(np.rot90(one), 80))
    (tmp_path / "other.jpg").write_bytes(encode_jpeg(scene(2)))
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


def names(rows: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    return {(row["a"], row["b"]): row["tier"] for row in rows}


def test_every_copy_is_paired_with_its_tier(folder: Path) -> None:
    skipped: list[tuple[str, str]] = []
    rows = compare_folders(folder, skipped=lambda name, reason: skipped.append((name, reason)))
    assert names(rows) == {
        ("a.png", "b.jpg"): "bytes",
        ("a.png", "sub/c.jpg"): "pdq",
        ("b.jpg", "sub/c.jpg"): "pdq",
    }
    assert all(row["distance"] <= row["threshold"] for row in rows)
    assert skipped == [("notes.txt", "not_an_image")]


def test_against_another_folder_only_pairs_across_count(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    new = tmp_path_factory.mktemp("new")
    (new / "again.jpg").write_bytes(encode_jpeg(scene(2)[:, ::-1], 70))
    (new / "twice.jpg").write_bytes(encode_jpeg(scene(2)[:, ::-1], 71))
    (new / "fresh.jpg").write_bytes(encode_jpeg(scene(3)))
    assert set(names(duplicates.folders(new, folder))) == {("again.jpg", "other.jpg"), ("twice.jpg", "other.jpg")}


def test_an_empty_folder_has_no_pairs(tmp_path: Path) -> None:
    assert compare_folders(tmp_path) == []


def shared_cases() -> Path:
    root = os.environ.get("LOOKBENCH_SHARED")
    return (Path(root) if root else Path(__file__).parents[3] / "shared") / "cases" / "images"


@pytest.mark.skipif(not shared_cases().is_dir(), reason="the shared cases are not here")
def test_all_copies_among_the_shared_images_are_found_and_nothing_else() -> None:
    import json

    answers = json.loads((shared_cases() / "answers.json").read_text())
    wanted = _groups([(name, row["duplicate_of"]["file"]) for name, row in answers.items() if "duplicate_of" in row])
    found = compare_folders(shared_cases(), embedder=embedders.open(f"onnx:{MODEL}"))
    assert _groups([(row["a"], row["b"]) for row in found]) == wanted


def _groups(pairs: list[tuple[str, str]]) -> set[frozenset[str]]:
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if not group & set(pair)] + [set(pair).union(*touched)]
    return {frozenset(group) for group in groups}
