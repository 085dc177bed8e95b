"""Exact cosine search and the checks before it."""

import numpy as np
import pytest

from lookbench_eval.errors import VectorError
from lookbench_eval.samples import objects
from lookbench_eval.search import blocks, check


def ids(count: int, letter: str = "g") -> np.ndarray:
    return objects([f"{letter}{place}" for place in range(count)])


def cosine(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    left, right = left.astype(np.float64), right.astype(np.float64)
    return (left / np.linalg.norm(left, axis=1)[:, None]) @ (right / np.linalg.norm(right, axis=1)[:, None]).T


def similarities(left: np.ndarray, *parts: np.ndarray, block_bytes: int = 1 << 20) -> np.ndarray:
    gallery = check(list(parts), ids(sum(map(len, parts))), "gallery")
    rows = [
        scores.copy()
        for _, scores in blocks(check([left], ids(len(left), "q"), "query"), gallery, block_bytes=block_bytes)
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("block_bytes", [1, 4 * 300, 1 << 20])
def test_cosine_is_exact_in_any_type_and_block(dtype: type, block_bytes: int) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(9, 33)).astype(dtype), (5 * rng.normal(size=(300, 33))).astype(dtype)
    found = similarities(left, right[:120], right[120:], block_bytes=block_bytes)
    assert np.abs(found - cosine(left, right)).max() < 1e-5


@pytest.mark.parametrize("scale", [1e-30, 1e-8, 1e8, 1e30])
def test_lengths_far_from_one_neither_vanish_nor_overflow(scale: float) -> None:
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=(3, 8)), rng.normal(size=(20, 8))
    found = similarities((left * scale).astype(np.float32), (right * scale).astype(np.float32))
    assert np.abs(found - cosine(left, right)).max() < 1e-5


def test_repeated_rows_get_the_very_same_score() -> None:
    rng = np.random.default_rng(2)
    right = rng.normal(size=(1003, 77)).astype(np.float32)
    right[[5, 700, 1002]] = right[3]
    right[900] = right[901]
    found = similarities(rng.normal(size=(50, 77)).astype(np.float32), right[:600], right[600:])
    for place in (5, 700, 1002):
        assert (found[:, place] == found[:, 3]).all()
    assert (found[:, 900] == found[:, 901]).all()
    gallery = check([right], ids(1003), "gallery")
    assert gallery.twins[0].tolist() == [5, 700, 901, 1002]
    assert gallery.twins[1].tolist() == [3, 3, 900, 3]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_rows_are_named(value: float) -> None:
    vectors = np.ones((4, 3))
    vectors[2, 1] = value
    with pytest.raises(VectorError, match=r"1 gallery vectors are not finite: g2"):
        check([vectors], ids(4), "gallery")


def test_zero_rows_are_named() -> None:
    vectors = np.ones((9, 3), dtype=np.float32)
    vectors[[1, 8]] = 0
    with pytest.raises(VectorError, match=r"2 query vectors are zero: q1, q8"):
        check([vectors], ids(9, "q"), "query")


def test_denormal_rows_are_not_zero() -> None:
    check([np.full((2, 4), 1e-40, dtype=np.float32)], ids(2), "gallery")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([np.ones((3, 2))], "3 rows, but there are 4"),
        ([np.ones((2, 2)), np.ones((2, 3))], "of one dimension"),
        ([np.ones(4)], "of one dimension"),
        ([np.ones((4, 2), dtype=np.int64)], "floating point"),
    ],
)
def test_wrong_shapes_and_types(parts: list[np.ndarray], said: str) -> None:
    with pytest.raises(VectorError, match=said):
        check(parts, ids(4), "gallery")


def test_memory_mapped_files_are_not_read_whole(tmp_path) -> None:
    rng = np.random.default_rng(3)
    right = rng.normal(size=(200, 16))
    np.save(tmp_path / "g.npy", right)
    mapped = np.load(tmp_path / "g.npy", mmap_mode="r")
    gallery = check([mapped], ids(200), "gallery")
    assert isinstance(gallery.parts[0], np.memmap)
