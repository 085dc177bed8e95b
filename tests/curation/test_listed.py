"""Listed public sets: folders, parquet files and hash lists become history, and their name is what a decision tells."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from catalog import tables
from catalog.decode import Pixels, encode_jpeg, encode_png, pixel_digest
from catalog.ids import sha256
from catalog.store import Catalog
from curation import duplicates, hashes, listed
from curation.duplicates import DuplicatePolicy
from curation.errors import CurationError
from curation.fingerprint import FingerprintPolicy, fingerprint
from curation.history import History
from curation.listed import ListedSet

DAY = datetime(2017, 10, 1, tzinfo=UTC)


class Small:
    """An embedder that needs no model: the picture at 20 x 16, centred, padded to the size of the tables."""

    name, size = "small@0", tables.EMBEDDING_SIZE

    def embed(self, images: Sequence[Pixels]) -> np.ndarray:
        rows = np.zeros((len(images), self.size), np.float32)
        for place, image in enumerate(images):
            small = np.asarray(Image.fromarray(image).convert("L").resize((20, 16))).astype(np.float32).ravel()
            rows[place, : small.size] = small - small.mean()
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def scene(seed: int) -> Pixels:
    low = Image.fromarray(np.random.default_rng(seed).integers(0, 256, (9, 7, 3)).astype(np.uint8))
    return np.asarray(low.resize((210, 270), Image.Resampling.BICUBIC))


def history(name: str, *files: bytes) -> History:
    made = History()
    for data in files:
        made = made.append(name, data)
    return made


def decided(catalog: Catalog, pictures: Sequence[bytes], past: History) -> list[dict[str, object]]:
    """Decide on photos, one garment each; rows in the order of ``pictures``."""
    ids = [catalog.put_image(data) for data in pictures]
    when = {"origin": "retail", "first_seen": datetime(2026, 11, 1, tzinfo=UTC), "width": 210, "height": 270}
    photos = tables.from_rows("photos", [{"photo_id": one, **when} for one in ids])
    items = tables.from_rows("items", [{"item_id": f"i{one}", "photo_id": one, "box": (0, 0, 210, 270)} for one in ids])
    prints = fingerprint(photos, items, catalog, Small(), FingerprintPolicy(), edition="2026.12").tables["fingerprints"]
    empty = tables.empty("products")
    made = duplicates.find(items, photos, empty, prints, past, catalog, DuplicatePolicy(), edition="2026.12")
    told = {row["id"]: row for row in made.tables["decisions"].to_pylist()}
    return [told[one] for one in ids]


def test_a_folder_and_the_parquet_files_in_it_are_listed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").write_bytes(encode_png(scene(1)))
    (tmp_path / "again.png").write_bytes(encode_png(scene(1)))
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    pictures = [{"bytes": encode_png(scene(seed)), "path": None} for seed in (2, 3)]
    pq.write_table(
        pa.table({"image": pictures, "raw": [None, pictures[0]], "label": ["x", "y"]}), tmp_path / "b.parquet"
    )
    skipped: dict[str, str] = {}
    it = ListedSet("deepfashion", DAY, skipped)
    rows = history("deepfashion", *listed.from_folder(tmp_path, it, Small())).table.to_pylist()
    assert {row["photo_id"] for row in rows} == {sha256(encode_png(scene(seed))) for seed in (1, 2, 3)}
    assert len(rows) == 3
    assert {row["edition"] for row in rows} == {"deepfashion"}
    assert {row["date"] for row in rows} == {DAY}
    places = {json.loads(row["date_evidence"])["place"] for row in rows}
    assert places == {"again.png", "b.parquet#0.image", "b.parquet#1.image"}
    assert skipped["notes.txt"] == "not_an_image"
    assert "parquet cannot be read" in skipped["torn.parquet"]
    one = next(row for row in rows if row["photo_id"] == sha256(encode_png(scene(2))))
    made = hashes.compute(scene(2))
    assert (one["phash"], one["pdq"], one["pdq_quality"]) == (made.phash[0], made.pdq[0], made.quality)
    assert one["pixels"] == pixel_digest(scene(2))


def test_what_is_known_is_passed_over_and_portions_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "PORTION", 4)
    monkeypatch.setattr(listed, "_AT_ONCE", 2)
    for seed in range(7):
        (tmp_path / f"{seed}.png").write_bytes(encode_png(scene(seed)))
    first, *others = listed.from_folder(tmp_path, ListedSet("set"), Small())
    known = history("set", first).table["photo_id"].to_pylist()
    again = list(listed.from_folder(tmp_path, ListedSet("set"), Small(), known=known))
    assert [len(known), *(history("set", data).table.num_rows for data in others)] == [4, 3]
    assert history("set", first, *again).digest == history("set", first, *others).digest


@pytest.mark.parametrize("date", [DAY, None])
def test_a_copy_of_a_listed_picture_is_dropped_under_the_name_of_the_set(tmp_path: Path, date: datetime | None) -> None:
    (tmp_path / "set").mkdir()
    for seed in (1, 2):
        (tmp_path / "set" / f"{seed}.png").write_bytes(encode_png(scene(seed)))
    past = history("set-2017", *listed.from_folder(tmp_path / "set", ListedSet("set-2017", date), Small()))
    new = [encode_jpeg(scene(1)[:, ::-1], 80), encode_png(scene(2)), encode_png(scene(3))]
    mirrored, same, fresh = decided(Catalog(tmp_path / "catalog"), new, past)
    assert [row["tier"] for row in (mirrored, same, fresh)] == ["pdq", "bytes", None]
    for row in (mirrored, same):
        assert (row["reason"], row["matched_edition"]) == ("duplicate_of_past", "set-2017")
        assert row["date"] == (date or datetime(2026, 11, 1, tzinfo=UTC))
    assert fresh["kept"]


def test_hash_lists_find_by_what_they_hold(tmp_path: Path) -> None:
    made = hashes.compute(scene(4))
    lines = [
        "name,sha256,pixels,phash,pdq,pdq_quality",
        f"one,{sha256(encode_png(scene(1)))},,,,",
        f"two,,{pixel_digest(scene(2))},,,",
        f"four,,,{made.phash[0].hex()},{made.pdq[0].hex().upper()},{made.quality}",
    ]
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    past = history("listed", listed.from_hashes(tmp_path / "list.csv", ListedSet("listed", DAY)))
    new = [encode_png(scene(1)), encode_png(scene(2)), encode_png(scene(3)), encode_jpeg(scene(4), 70)]
    rows = decided(Catalog(tmp_path / "catalog"), new, past)
    assert [row["tier"] for row in rows] == ["bytes", "pixels", None, "pdq"]
    assert [row["matched_edition"] for row in rows] == ["listed", "listed", None, "listed"]
    assert rows[3]["matched_id"] == "listed/list.csv:4"


def test_a_bare_list_of_sha256_is_enough(tmp_path: Path) -> None:
    (tmp_path / "sums.txt").write_text(f"{'ab' * 32}\n{'cd' * 32}\n")
    rows = history("sums", listed.from_hashes(tmp_path / "sums.txt", ListedSet("sums"))).table
    assert rows["photo_id"].to_pylist() == ["ab" * 32, "cd" * 32]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,phash\na,00\n", "phash alone never decides"),
        ("", "its header names nothing"),
        ("pdq\n" + "0" * 64, "pdq with pdq_quality"),
        ("sha256\nxyz\n", r"list.csv:2: sha256 is 'xyz', expected 64 hex digits"),
        ("pdq,pdq_quality\n" + "0" * 64 + ",101\n", "list.csv:2: pdq_quality is '101'"),
        ("sha256,pdq,pdq_quality\n" + "0" * 64 + ",,50\n", "list.csv:2: pdq_quality without pdq"),
        ("sha256,name\n,a\n", "list.csv:2: no hash on this line"),
    ],
)
def test_a_list_that_cannot_be_right_is_refused_by_line_and_value(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(CurationError, match=words):
        listed.from_hashes(tmp_path / "list.csv", ListedSet("set"))


def test_embeddings_of_another_model_are_not_compared(tmp_path: Path) -> None:
    """The same vectors under another model's name: nothing but the hashes may speak."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "1.png").write_bytes(encode_png(scene(1)))
    other = Small()
    other.name = "other@0"
    for embedder, vectors in ((Small(), 1), (other, 0)):
        past = history("set", *listed.from_folder(tmp_path / "set", ListedSet("set"), embedder))
        _, found = duplicates.past(past, "small@0")
        assert sum(map(len, found.vectors)) == vectors
        assert len(found.owner) == vectors
        assert len(found) == 1


def test_a_photo_of_two_editions_is_held_once_under_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(scene(1)))
    (data,) = listed.from_folder(tmp_path, ListedSet("x", DAY), Small())
    (late,) = listed.from_folder(tmp_path, ListedSet("x", datetime(2026, 1, 1, tzinfo=UTC)), Small())
    row, found = duplicates.past(History().append("2026.12", late).append("2026.06", data), "small@0")
    assert len(found) == 1
    assert found.owner.tolist() == [0, 0]
    assert (row(0)["edition"], row(0)["date"]) == ("2026.06", DAY)
