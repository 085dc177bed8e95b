"""The second stage: probabilities, limits, attributes, and files that are refused."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog import tables
from curation import categories
from curation.errors import CurationError

HEADS: dict[str, Any] = {
    "category.values": np.asarray(["cardigan", "coat", "jacket", "top"]),
    "category.weights": np.eye(4, dtype=np.float16) * 8,
    "category.bias": np.zeros(4, np.float32),
    "sleeve length.values": np.asarray(["long sleeve", "short sleeve"]),
    "sleeve length.weights": np.asarray([[4, 0], [4, 0], [4, 0], [0, 4]], np.float16),
    "sleeve length.bias": np.zeros(2, np.float32),
}
MODEL = Path(__file__).parent.parent.parent / "models" / "garment-probe" / "garment-probe.npz"


@pytest.fixture
def probe(tmp_path: Path) -> categories.Probe:
    return written(tmp_path, HEADS)


def written(folder: Path, arrays: dict[str, Any]) -> categories.Probe:
    file = folder / "probe.npz"
    np.savez(file, **arrays)
    return categories.open(f"probe:{file}", hashlib.sha256(file.read_bytes()).hexdigest())


def test_probabilities_by_hand(probe: categories.Probe) -> None:
    (ranked,) = probe.predict(np.asarray([[0, 0, 1, 0]], np.float32))
    share = float(np.exp(8) / (np.exp(8) + 3))
    assert ranked[0] == ("jacket", pytest.approx(share, rel=1e-5))
    assert [value for value, _ in ranked[1:]] == ["cardigan", "coat", "top"]  # ties keep the file's order
    assert sum(value for _, value in ranked) == pytest.approx(1.0, rel=1e-5)


def test_among_limits_and_an_unknown_limit_does_not(probe: categories.Probe) -> None:
    vectors = np.asarray([[0, 0, 1, 0.5], [0, 0, 1, 0.5], [0, 0, 1, 0.5]], np.float32)
    limited, unknown, free = probe.predict(vectors, [["coat", "top"], ["shoe"], []])
    assert [value for value, _ in limited] == ["top", "coat"]
    assert sum(value for _, value in limited) == pytest.approx(1.0, rel=1e-5)
    assert unknown == free == probe.predict(vectors[:1])[0]


def test_attributes_only_where_the_category_has_the_facet(probe: categories.Probe) -> None:
    vectors = np.asarray([[0, 0, 0, 1], [0, 0, 0, 1]], np.float32)
    top, shoe = probe.attributes(vectors, ["top", "shoe"])
    assert [(facet, value) for facet, value, _ in top] == [("sleeve length", "short sleeve")]
    assert shoe == []


def test_nothing_in_nothing_out(probe: categories.Probe) -> None:
    assert probe.predict(np.empty((0, 4), np.float32)) == []
    assert probe.attributes(np.empty((0, 4), np.float32), []) == []


def test_embeddings_of_another_model_are_refused(probe: categories.Probe) -> None:
    with pytest.raises(CurationError, match="embeddings of 4 numbers, these have shape"):
        probe.predict(np.zeros((2, 5), np.float32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"category.bias": np.zeros(3, np.float32)}, "bias"),
        ({"category.weights": np.zeros((4, 5), np.float16)}, "weights"),
        ({"category.values": np.asarray([{"a": 1}], dtype=object)}, "damaged"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(CurationError, match=message):
        written(tmp_path, {**HEADS, **change})


def test_missing_foreign_and_headless_files(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="there is no file"):
        categories.open(str(tmp_path / "none.npz"))
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(CurationError, match="damaged"):
        categories.open(str(tmp_path / "text.npz"))
    with pytest.raises(CurationError, match="the settings pin"):
        categories.open(str(tmp_path / "text.npz"), "0" * 64)
    with pytest.raises(CurationError, match="holds no head"):
        written(tmp_path, {key: value for key, value in HEADS.items() if not key.startswith("category")})


def test_the_trained_probe_fits_the_taxonomy_and_its_embedder() -> None:
    import taxonomy

    probe, words = categories.open(f"probe:{MODEL}"), taxonomy.load()
    assert MODEL.stat().st_size < 2_000_000
    assert probe.size == tables.EMBEDDING_SIZE
    assert set(probe.categories) <= set(words.categories)
    for facet, values in probe.facets.items():
        assert all(words.facet_of[value] == facet for value in values)
