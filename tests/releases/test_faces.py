"""Faces in a release: blurred in every picture of it, named in its rows, kept where the setting says so."""

import importlib.util
import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from catalog.decode import decode, encode_png
from catalog.ledger import Ledger
from curation import faces
from releases import anchors, evidence, manifest
from releases.errors import ReleaseError
from releases.faces import blurred, boxes
from releases.fetch import blur
from releases.run import freeze
from releases.schema import NAMES, NOISE, SUBSETS, schema
from releases.subsets import Assembly, Split
from releases.verify import examine, verify

FACE = [26.0, 30.0, 46.0, 54.0]
EMPTY = Assembly("2026.12", {name: Split() for name in (*SUBSETS, NOISE)})
QUERY = "data/real_streetlook/query-00000-of-00001.parquet"


def hopper() -> Image.Image:
    spec = importlib.util.find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    place = Path(spec.origin).parent / "mpl-data" / "sample_data" / "grace_hopper.jpg"
    return Image.open(place).convert("RGB")


@pytest.fixture(scope="module")
def shown(make_edition, catalog, inputs):
    """An edition of which one look, a query, has a face; with the look's photo id."""
    made = make_edition(catalog.put_image)
    look = next(row["photo_id"] for row in made.rows["photos"] if row["origin"] == "street")
    next(row for row in made.rows["faces"] if row["photo_id"] == look)["boxes"] = [FACE]
    return inputs(made), look


@pytest.fixture(scope="module")
def masked(shown, catalog, policy, now, tmp_path_factory):
    return freeze(shown[0], catalog, tmp_path_factory.mktemp("masked") / "release", policy, now=now).path


@pytest.fixture(scope="module")
def bare(shown, catalog, policy, now, tmp_path_factory):
    out = tmp_path_factory.mktemp("bare") / "release"
    return freeze(shown[0], catalog, out, replace(policy, faces="keep"), now=now).path


def queries(release: Path, look: str) -> list[dict]:
    rows = [row for row in pq.read_table(release / QUERY).to_pylist() if row["photo_sha256"] == look]
    assert rows
    return rows


def test_a_blurred_face_is_no_face_any_more_and_the_rest_is_untouched():
    finder = faces.open(f"centerface:{Path(__file__).parents[2] / 'models/centerface/centerface.onnx'}")
    before = hopper()
    for share in (0.5, 1.0, 2.0):
        picture = before.resize((round(512 * share), round(600 * share)))
        (face,) = [face for face in finder.find(np.asarray(picture)) if face.score >= 0.4]
        after = blur(picture, [face.box])
        assert not [face for face in finder.find(np.asarray(after)) if face.score >= 0.4]
        x0, y0, x1, y1 = (round(value) for value in face.box)
        changed = (np.asarray(after) != np.asarray(picture)).any(axis=2)
        assert changed[y0:y1, x0:x1].mean() > 0.95
        dx, dy = round((x1 - x0) * 0.25), round((y1 - y0) * 0.25)
        changed[max(0, y0 - dy) : y1 + dy, max(0, x0 - dx) : x1 + dx] = False
        assert not changed.any()


@pytest.mark.parametrize("side", [30, 300])
def test_nothing_but_a_few_means_of_colour_is_left_whatever_the_size(side):
    """A face that differs in every pixel, by as much up as down, gives nearly the same picture."""
    even = np.full((120 + side, 120 + side, 3), 128, np.uint8)
    ups = np.where(np.indices(even.shape[:2]).sum(axis=0) % 2, 90, -90)
    noisy = (even + ups[:, :, None]).astype(np.uint8)
    box = [60.0, 60.0, 60.0 + side, 60.0 + side]
    inside = slice(60 + side // 4, 60 + side - side // 4)
    one, other = (np.asarray(blur(Image.fromarray(each), [box]))[inside, inside].astype(int) for each in (even, noisy))
    assert np.abs(even.astype(int) - noisy).min() == 90
    assert np.abs(one - other).max() <= 2


def test_a_photo_without_faces_keeps_its_bytes_and_one_with_faces_always_gives_the_same():
    sink = BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    hopper().save(sink, "JPEG", exif=exif)
    data = sink.getvalue()
    assert blurred(data, []) is data
    once = blurred(data, [[10.0, 10.0, 99.0, 99.0]])
    assert once == blurred(data, [[10.0, 10.0, 99.0, 99.0]])
    assert decode(once).pixels.shape == decode(data).pixels.shape == (512, 600, 3)


@pytest.mark.parametrize("box", [[-5.0, -5.0, 9.0, 9.0], [55.0, 35.0, 60.0, 40.0], [0.0, 0.0, 60.0, 40.0]])
def test_faces_at_the_edges(box):
    pixels = np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    assert (decode(blurred(encode_png(pixels), [box])).pixels != pixels).any()


def test_every_picture_of_the_look_is_blurred_and_its_rows_say_so(masked, bare, shown, catalog):
    look = shown[1]
    original = catalog.get_image(look)
    x0, y0, x1, y1 = (int(value) for value in FACE)
    for with_face, without in zip(queries(bare, look), queries(masked, look), strict=True):
        assert with_face["raw_image"]["bytes"] == original
        assert with_face["faces"] is None
        assert boxes(without) == [FACE]
        assert without["photo_sha256"] == look
        whole = decode(without["raw_image"]["bytes"]).pixels
        assert whole.shape == (90, 72, 3)
        before = decode(original).pixels[y0:y1, x0:x1].astype(float)
        after = whole[y0:y1, x0:x1].astype(float)
        assert after.std(axis=(0, 1)).max() < before.std(axis=(0, 1)).max() / 2  # the stripes are gone
        left, top, *_ = eval_box(without["bbox"])
        crop = decode(without["image"]["bytes"]).pixels.astype(float)
        cut = crop[y0 - top : y1 - top, x0 - left : x1 - left]
        assert cut.std(axis=(0, 1)).max() < before.std(axis=(0, 1)).max() / 2
        assert without["image"]["bytes"] != with_face["image"]["bytes"]
    others = [row for row in pq.read_table(masked / QUERY).to_pylist() if row["photo_sha256"] != look]
    assert others
    assert {row["faces"] for row in others} == {None}


def eval_box(text: str) -> list[int]:
    return [int(part) for part in text.strip("[]").split(",")]


def test_the_manifest_says_whether_and_both_releases_verify(masked, bare):
    assert manifest.read(masked)["faces"] == "blur"
    assert manifest.read(bare)["faces"] == "keep"
    assert verify(masked).ok
    assert verify(bare).ok


def test_freezing_again_gives_the_same_bytes(masked, shown, catalog, policy, now, tmp_path):
    again = freeze(shown[0], catalog, tmp_path / "again", policy, now=now).path
    assert (again / QUERY).read_bytes() == (masked / QUERY).read_bytes()


def test_a_row_that_claims_a_blur_over_the_original_file_is_found_out(masked, bare, tmp_path):
    for name, claim in (("bare", str([FACE])), ("odd", "[oops")):
        copy = Path(shutil.copytree(bare, tmp_path / name))
        change(copy, lambda _, claim=claim: {"faces": claim})
        assert "faces" in {failure.check for failure in examine(copy).failures}
    copy = Path(shutil.copytree(masked, tmp_path / "masked"))
    change(copy, lambda row: {"faces": None} if row["faces"] else {})
    assert "photo_sha256" in {failure.check for failure in examine(copy).failures}


def change(path, of) -> None:
    table = pq.read_table(path / QUERY)
    rows = [{**row, **of(row)} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path / QUERY)
    manifest.seal(path)


def test_a_look_that_nobody_searched_is_not_frozen(make_edition, catalog, inputs, policy, now, tmp_path):
    made = make_edition(catalog.put_image)
    made.rows["faces"].clear()
    with pytest.raises(ReleaseError, match=r"looks were not searched for faces.*models\.faces.*release\.faces to keep"):
        freeze(inputs(made), catalog, tmp_path / "none", policy, now=now)
    assert freeze(inputs(made), catalog, tmp_path / "kept", replace(policy, faces="keep"), now=now).path.is_dir()


def test_a_release_from_before_the_column_still_has_a_schema():
    before = [name for name in NAMES if name != "faces"]
    assert schema(before).names == before


def test_anchors_leave_looks_of_a_release_that_shows_faces(masked, bare):
    def looks(faces: str, release: Path) -> list[str]:
        chosen = anchors.choose(release, 8, faces=faces)
        assert chosen is not None
        return [row["look_id"] for row in (*chosen.query, *chosen.gallery) if row["look_id"]]

    assert looks("blur", bare) == []
    assert looks("keep", bare)
    assert looks("blur", masked)


def test_thumbnails_of_dropped_looks_are_blurred_or_left_out(made, catalog, policy, tmp_path):
    photo = made.rows["photos"][0]["photo_id"]
    other = made.rows["photos"][1]["photo_id"]
    ledger = Ledger("screen", "photo", "2026.12")
    ledger.dropped(photo, "blank")
    tables = {name: made.table(name) for name in ("items", "photos", "decisions")}

    def picture(name: str, known: dict) -> bytes | None:
        folder = tmp_path / name
        evidence.write(folder, tables, EMPTY, {"screen": ledger.table()}, catalog, policy, known)
        return pq.read_table(folder / "evidence.parquet")["picture"].to_pylist()[0]

    plain = picture("plain", {})
    assert plain
    assert picture("clear", {photo: []}) == plain
    assert picture("unsearched", {photo: None}) is None
    assert picture("masked", {photo: [FACE]}) not in (None, plain)
    sources = evidence.Sources(catalog, {}, {}, False, {photo: []})
    assert sources.of(other, other)
    assert sources.of(other, other, twin=photo) is None
