"""The embedding cache: keyed, shared, and never half-written."""

import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookbench_eval import HarnessError, evaluate
from lookbench_eval.cache import Cache, identity
from lookbench_eval.encoders import ModelCard
from lookbench_eval.encoders.pixels import PixelEncoder
from lookbench_eval.errors import CacheError

CARD = ModelCard("onnx:m.onnx", "m", "sha256:1", {"size": [8, 8]})


class Counting(PixelEncoder):
    """Counts the pictures that it encodes."""

    def __init__(self, fail_after: int | None = None) -> None:
        super().__init__(8)
        self.encoded = 0
        self.fail_after = fail_after

    def encode(self, prepared: Sequence[Any]) -> Any:
        if self.fail_after is not None and self.encoded >= self.fail_after:
            raise KeyboardInterrupt
        self.encoded += len(prepared)
        return super().encode(prepared)


def test_the_second_run_encodes_nothing_and_scores_the_same(release: Path, tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    one = evaluate(release, first, cache=tmp_path / "cache")
    two = evaluate(release, second, cache=tmp_path / "cache")
    without = evaluate(release, Counting())
    assert first.encoded == 4 * (6 + 12) + 9
    assert second.encoded == 0
    assert one.document == two.document == without.document


def test_an_interrupted_run_keeps_what_it_has(release: Path, tmp_path: Path) -> None:
    broken = Counting(fail_after=30)
    with pytest.raises(KeyboardInterrupt):
        evaluate(release, broken, cache=tmp_path, batch_size=4)
    rest = Counting()
    evaluate(release, rest, cache=tmp_path, batch_size=4)
    assert broken.encoded + rest.encoded == 4 * (6 + 12) + 9


@pytest.mark.parametrize(
    "change",
    [{"revision": "sha256:2"}, {"preprocessing": {"size": [9, 9]}}, {"dtype": "float16"}, {"name": "module.other"}],
)
def test_another_model_has_another_folder(change: dict) -> None:
    assert identity(replace(CARD, **change)) != identity(CARD)
    assert identity(replace(CARD, device="cuda")) == identity(CARD)


def test_a_model_without_revision_is_not_cached(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match="states no revision"):
        Cache(tmp_path, replace(CARD, revision=""))


def filled(root: Path, names: Sequence[bytes]) -> Cache:
    cache = Cache(root, CARD)
    for name in names:
        cache.put(name.ljust(32), np.full(4, name[0], dtype=np.float32))
    cache.flush()
    return cache


def test_runs_that_overlap_add_up(tmp_path: Path) -> None:
    one, two = Cache(tmp_path, CARD), Cache(tmp_path, CARD)
    for cache, names in ((one, (b"a", b"b")), (two, (b"b", b"c"))):
        for name in names:
            cache.put(name.ljust(32), np.full(4, name[0], dtype=np.float32))
    one.flush()
    two.flush()
    after = Cache(tmp_path, CARD)
    assert len(after) == 3
    assert after.get(b"c".ljust(32)) == pytest.approx(np.full(4, ord("c")))


def test_equal_content_is_written_once(tmp_path: Path) -> None:
    filled(tmp_path, [b"a", b"b"])
    filled(tmp_path, [b"b", b"a"])
    assert len(list(Cache(tmp_path, CARD).folder.glob("*.parquet"))) == 1


def test_damaged_files_are_passed_over(tmp_path: Path) -> None:
    cache = filled(tmp_path, [b"a", b"b"])
    shard = next(cache.folder.glob("*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-7])
    assert len(Cache(tmp_path, CARD)) == 0


def test_non_finite_vectors_are_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path, CARD)
    cache.put(b"a".ljust(32), np.array([1, np.nan], dtype=np.float32))
    cache.flush()
    assert len(Cache(tmp_path, CARD)) == 0


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_written(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path, PixelEncoder(8).card)
    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(HarnessError, match=r"No space left on device.*leave --cache out"):
        evaluate(release, PixelEncoder(8), cache=tmp_path)
    assert [path.name for path in cache.folder.iterdir()] == ["model.json"]


def test_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="cannot be used"):
        Cache(tmp_path / "file", CARD)


def test_two_processes_at_once(release: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "lookbench_eval", str(release), "--model", "pixels:8", "--measure", "Item@1"]
    words += ["--cache", str(tmp_path / "cache"), "--json", "--quiet", "--batch-size", "4"]
    home = Path(__file__).resolve().parents[2] / "harness"
    runs = [
        subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(home)})
        for _ in range(2)
    ]
    outputs = [run.communicate(timeout=60)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert outputs[0] == outputs[1]
    assert not list((tmp_path / "cache").rglob("*.part"))
    assert len(Cache(tmp_path / "cache", PixelEncoder(8).card)) > 50
