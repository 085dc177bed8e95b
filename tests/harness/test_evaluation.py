"""The whole way from a release to figures."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lookbench_eval import HarnessError, Release, ScoringPolicy, evaluate, open_release
from lookbench_eval.encoders.precomputed import load
from lookbench_eval.windows import make


def stacked(release: Release, dimension: int = 32, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of products plus noise, in the order that --embeddings expects."""
    rng = np.random.default_rng(seed)

    def vector(item: str) -> np.ndarray:
        own = np.random.default_rng(int.from_bytes(hashlib.sha256(item.encode()).digest()[:4], "big"))
        return own.normal(size=dimension) + 0.8 * rng.normal(size=dimension)

    queries = [item for part in release.subsets for item in part.query.samples.item]
    gallery = [item for part in release.subsets for item in part.gallery.samples.item]
    assert release.noise is not None
    gallery += list(release.noise.samples.item)
    return np.stack([vector(item) for item in queries]), np.stack([vector(item) for item in gallery])


@pytest.fixture
def vectors(release: Path, tmp_path: Path) -> tuple[Path, Path]:
    query, gallery = stacked(open_release(release))
    np.save(tmp_path / "query.npy", query.astype(np.float32))
    np.save(tmp_path / "gallery.npy", gallery.astype(np.float32))
    return tmp_path / "query.npy", tmp_path / "gallery.npy"


def test_pixels_find_the_products(release: Path) -> None:
    result = evaluate(release, "pixels:16")
    assert result.document["overall"]["queries"] == 24
    assert result.value("Item@1") > 0.9
    part = result.document["subsets"]["real_streetlook"]
    assert (part["queries"], part["gallery"], part["noise"], part["looks"]) == (6, 12, 9, 3)
    assert part["dates"] == {"first": "2026-07-01", "last": "2026-12-03"}


def test_embeddings_score_like_a_plain_sort(release: Path, vectors: tuple[Path, Path]) -> None:
    found = open_release(release)
    result = evaluate(release, embeddings=vectors, measures=["Fine@1", "Item@3", "MRR(rel=item)"])
    query, gallery = (np.load(path).astype(np.float64) for path in vectors)
    hits, start, opening = {"Fine@1": [], "Item@3": [], "MRR(rel=item)": []}, 0, 0
    for part in found.subsets:
        asked = part.query.samples
        answers = found.gallery_of(part)
        end = opening + len(part.gallery.samples)
        own = np.concatenate([gallery[opening:end], gallery[-9:]])
        opening = end
        for row in range(len(asked)):
            cosine = own @ query[start + row] / np.linalg.norm(own, axis=1)
            order = np.argsort(-cosine)
            same = (answers.category == asked.category[row]) & (answers.main_attribute == asked.main_attribute[row])
            item = answers.item == asked.item[row]
            hits["Fine@1"].append(float(same[order[0]]))
            hits["Item@3"].append(float(item[order[:3]].any()))
            hits["MRR(rel=item)"].append(1 / (np.flatnonzero(item[order])[0] + 1))
        start += len(asked)
    for name, values in hits.items():
        assert result.value(name) == pytest.approx(np.mean(values)), name


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_the_type_of_the_embeddings_changes_nothing(
    release: Path, vectors: tuple[Path, Path], tmp_path: Path, dtype: type
) -> None:
    names = ["Fine@1", "nDCG@10", "MRR", "mAP"]
    plain = evaluate(release, embeddings=vectors, measures=names)
    for path in vectors:
        np.save(tmp_path / f"other-{path.name}", np.load(path).astype(dtype))
    other = evaluate(release, embeddings=(tmp_path / "other-query.npy", tmp_path / "other-gallery.npy"), measures=names)
    for name in names:
        assert other.value(name) == pytest.approx(plain.value(name), abs=1e-5 if dtype is np.float64 else 0.05)


@pytest.mark.parametrize("batch_size", [1, 5, 64])
def test_the_batch_size_changes_nothing(release: Path, batch_size: int) -> None:
    assert evaluate(release, "pixels:6", batch_size=batch_size).document == evaluate(release, "pixels:6").document


def test_the_order_of_rows_changes_nothing(make_release: Callable[..., Path]) -> None:
    plain = evaluate(make_release("lookbench-a"), "pixels:6")
    turned = evaluate(make_release("lookbench-b", change=lambda subset, split, rows: rows[::-1]), "pixels:6")
    for name in plain.document["settings"]["measures"]:
        assert turned.value(name) == pytest.approx(plain.value(name), abs=1e-12)


def test_a_window_keeps_newer_queries_and_the_whole_gallery(release: Path) -> None:
    result = evaluate(release, "pixels:16", window=make("2026-10-02"))
    part = result.document["subsets"]["aigen_studio"]
    assert (part["queries"], part["queries_in_release"], part["gallery"], part["noise"]) == (2, 6, 12, 9)
    assert part["dates"] == {"first": "2026-11-02", "last": "2026-12-03"}
    assert result.document["settings"]["window"]["cutoff"] == "2026-10-02"


def test_the_gallery_is_cut_when_asked(release: Path) -> None:
    result = evaluate(release, "pixels:16", window=make("2026-10-02", cut_gallery=True), measures=["Item@1"])
    assert result.document["subsets"]["aigen_studio"]["gallery"] == 4


def test_embeddings_are_cut_with_the_window(release: Path, vectors: tuple[Path, Path]) -> None:
    whole = evaluate(release, embeddings=vectors, measures=["Item@1"])
    cut = evaluate(release, embeddings=vectors, measures=["Item@1"], window=make(since="2026-11-01"))
    assert whole.per_query is not None
    assert cut.per_query is not None
    kept = {row["query_id"]: row["Item@1"] for row in whole.per_query.to_pylist()}
    assert [row["Item@1"] for row in cut.per_query.to_pylist()] == [
        kept[name] for name in cut.per_query["query_id"].to_pylist()
    ]
    assert len(cut.per_query) == 8


def test_a_subset_outside_of_the_window_is_said_to_be_empty(make_release: Callable[..., Path]) -> None:
    from datetime import date

    path = make_release(
        change=lambda subset, split, rows: (
            [{**row, "date": date(2025, 1, 1)} for row in rows] if subset == "aigen_studio" else rows
        )
    )
    result = evaluate(path, "pixels:8", window=make("2026-01-01"), measures=["Item@1"])
    assert result.document["subsets"]["aigen_studio"] == {"queries": 0, "queries_in_release": 6, "values": {}}
    assert "aigen_studio: none of its 6 queries lies in the window" in result.table(200)


def test_the_own_file_is_left_out_and_counted(make_release: Callable[..., Path]) -> None:
    def change(subset: str, split: str, rows: list[dict]) -> list[dict]:
        if subset == "real_studio_flat" and split == "gallery":
            twin = {
                **rows[0],
                "sample_id": "twin",
                "photo_sha256": hashlib.sha256(b"real_studio_flat-query-0-0").hexdigest(),
            }
            return [twin, *rows]
        return rows

    result = evaluate(make_release(change=change), "pixels:16", measures=["Item@1"])
    assert result.document["subsets"]["real_studio_flat"]["own_file_excluded"] == 1
    assert "Left out: 1 answers" in result.table(200)


def test_missing_positives_are_refused_with_subset_measure_and_ids(make_release: Callable[..., Path]) -> None:
    def change(subset: str, split: str, rows: list[dict]) -> list[dict]:
        return (
            [row for row in rows if row["product_id"] != "p12"]
            if subset == "aigen_studio" and split == "gallery"
            else rows
        )

    path = make_release(change=change)
    with pytest.raises(
        HarnessError,
        match=r"aigen_studio: queries without a positive in the gallery: Item@1: 1 \(aigen_studio-query-12-0\)",
    ):
        evaluate(path, "pixels:8", measures=["Item@1"])
    result = evaluate(path, "pixels:8", measures=["Item@1"], policy=ScoringPolicy(no_positive="skip"))
    assert result.document["overall"]["values"]["Item@1"]["n"] == 23


def test_what_labels_can_tell_is_refused_before_the_model_runs(release: Path) -> None:
    class Never:
        """A model that must not be asked for anything."""

        def __getattr__(self, name: str) -> None:
            raise AssertionError(name)

    for words, said in (
        ({"measures": ["Success@1"]}, "qrels"),
        ({"slices": ["colour"]}, "unknown slice"),
        ({"window": make("2030-01-01")}, "no query"),
    ):
        with pytest.raises(HarnessError, match=said):
            evaluate(release, Never(), **words)


def test_either_a_model_or_embeddings(release: Path) -> None:
    with pytest.raises(HarnessError, match="neither"):
        evaluate(release)
    with pytest.raises(HarnessError, match="choose one"):
        evaluate(release, "pixels:8", embeddings=("a.npy", "b.npy"))


def test_unknown_measures_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="unknown measure 'Precision@5'"):
        evaluate(tmp_path / "nothing", "pixels:8", measures=["Precision@5"])


def test_counts_of_embeddings_are_explained(release: Path, vectors: tuple[Path, Path]) -> None:
    np.save(vectors[1], np.load(vectors[1])[:-1])
    with pytest.raises(
        HarnessError, match=r"56 rows; the release has 57: 12 real_studio_flat/gallery \+ .* \+ 9 noise, in this order"
    ):
        evaluate(release, embeddings=vectors)


@pytest.mark.parametrize(
    "content", [b"", b"no array", np.array([{"a": 1}], dtype=object), np.ones((2, 2), dtype=np.int64), np.ones(3)]
)
def test_files_that_hold_no_matrix(tmp_path: Path, content: bytes | np.ndarray) -> None:
    path = tmp_path / "v.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content, allow_pickle=True)
    with pytest.raises(HarnessError, match=r"v\.npy"):
        load(path, path)


def test_embeddings_with_nan_name_the_sample(release: Path, vectors: tuple[Path, Path]) -> None:
    broken = np.load(vectors[1])
    broken[-1, 0] = np.nan
    np.save(vectors[1], broken)
    with pytest.raises(HarnessError, match=r"gallery vectors are not finite: noise-gallery-108-0"):
        evaluate(release, embeddings=vectors)


def test_dimensions_of_queries_and_gallery_must_agree(release: Path, vectors: tuple[Path, Path]) -> None:
    np.save(vectors[0], np.load(vectors[0])[:, :-1])
    with pytest.raises(HarnessError, match="query vectors have 31 numbers, gallery vectors 32"):
        evaluate(release, embeddings=vectors)
