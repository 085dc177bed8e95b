import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from catalog import tables
from catalog.decode import encode_png
from catalog.ids import sha256
from catalog.store import Catalog
from curation import history
from curation.errors import CurationError
from curation.history import History
from flows.cli import app
from flows.remember import HistoryError, rebuild
from releases.manifest import ManifestError

RUNNER = CliRunner()


def edition_file(photo: str) -> bytes:
    vector = np.full(tables.EMBEDDING_SIZE, 1 / tables.EMBEDDING_SIZE**0.5, np.float16)
    one = {"id": photo, "photo_id": photo, "pixels": photo, "phash": b"p" * 8, "pdq": b"q" * 32, "pdq_quality": 90}
    prints = tables.from_rows("fingerprints", [{**one, "model": "m", "embedding": vector}])
    when = {"date": datetime(2026, 6, 1, tzinfo=UTC), "date_evidence": "{}"}
    return history.edition_file(prints, tables.from_rows("decisions", [{"id": photo, "kept": True, **when}]))


def release(folder: Path, edition: str, data: bytes, said: str | None = None) -> Path:
    """The two files of a release that history is made from."""
    folder.mkdir()
    (folder / history.IN_RELEASE).write_bytes(data)
    files = {history.IN_RELEASE: {"sha256": said or sha256(data), "bytes": len(data)}}
    content = {"schema_version": 1, "edition": edition, "files": files}
    (folder / "manifest.json").write_text(json.dumps(content))
    return folder


def test_history_is_built_again_from_releases_alone(tmp_path: Path) -> None:
    before = Catalog(tmp_path / "one")
    made = {edition: edition_file(photo) for edition, photo in (("2026.06", "a"), ("2026.12", "b"))}
    for edition, data in made.items():
        history.save(before, edition, data)
    places = [release(tmp_path / f"lookbench-{edition}", edition, data) for edition, data in made.items()]
    after = Catalog(tmp_path / "two")
    history.save(after, "2026.06", edition_file("lost"))
    history.save(after, "set", edition_file("listed"))
    told = rebuild(places, after)
    assert [(row["name"], row["entries"]) for row in told] == [("2026.06", 1), ("2026.12", 1)]
    assert (
        History.load(after, before="2027.06").digest
        == History.load(before).append("set", edition_file("listed")).digest
    )


def test_nothing_is_written_when_one_release_is_not_what_it_says(tmp_path: Path) -> None:
    good = release(tmp_path / "good", "2026.06", edition_file("a"))
    torn = release(tmp_path / "torn", "2026.12", edition_file("b"), said="0" * 64)
    catalog = Catalog(tmp_path / "root")
    with pytest.raises(HistoryError, match="not the file that the manifest lists"):
        rebuild([good, torn], catalog)
    (torn / history.IN_RELEASE).unlink()
    with pytest.raises(HistoryError, match="lookbench history add NAME"):
        rebuild([good, torn], catalog)
    with pytest.raises(ManifestError, match="no release"):
        rebuild([good, tmp_path], catalog)
    assert history.check(catalog) == []


def test_the_command_lists_pictures_grows_and_shows(tmp_path: Path) -> None:
    pictures, root = tmp_path / "pictures", str(tmp_path / "root")
    pictures.mkdir()
    rng = np.random.default_rng(1)
    for number in range(2):
        (pictures / f"{number}.png").write_bytes(encode_png(rng.integers(0, 256, (64, 64, 3)).astype(np.uint8)))
        told = RUNNER.invoke(app, ["history", "add", "set-2017", str(pictures), "--root", root, "--json"])
        assert told.exit_code == 0, told.output
        assert (json.loads(told.stdout)["added"], json.loads(told.stdout)["entries"]) == (1, number + 1)
    (tmp_path / "sums.txt").write_text("ab" * 32 + "\n")
    day = ["--published", "2017-10-01"]
    assert (
        RUNNER.invoke(app, ["history", "add", "sums", str(tmp_path / "sums.txt"), *day, "--root", root]).exit_code == 0
    )
    shown = json.loads(RUNNER.invoke(app, ["history", "show", "--root", root, "--json"]).stdout)
    assert [(row["name"], row["entries"]) for row in shown] == [("set-2017", 1), ("set-2017", 1), ("sums", 1)]
    rows = {row["edition"]: row for row in History.load(Catalog(root)).table.to_pylist()}
    assert rows["sums"]["date"] == datetime(2017, 10, 1, tzinfo=UTC)
    assert rows["set-2017"]["date"] is None


@pytest.mark.parametrize(
    ("name", "source", "error", "words"),
    [
        ("2026.06", ".", HistoryError, "name of an edition"),
        ("set", "nowhere", HistoryError, "neither a folder of pictures nor a file"),
        ("a/b", ".", CurationError, "cannot name a set"),
    ],
)
def test_what_cannot_be_listed_is_said(
    tmp_path: Path, name: str, source: str, error: type[Exception], words: str
) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(np.zeros((8, 8, 3), np.uint8)))
    done = RUNNER.invoke(app, ["history", "add", name, str(tmp_path / source), "--root", str(tmp_path / "root")])
    assert isinstance(done.exception, error)
    assert words in str(done.exception)
