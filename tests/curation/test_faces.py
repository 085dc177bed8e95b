"""Faces: found in real photos that installed packages carry, only on looks, and told in table and ledger."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from catalog import tables
from catalog.decode import Pixels, encode_jpeg
from catalog.store import Catalog
from curation import faces
from curation.detectors import Detection
from curation.items import ItemPolicy, find

MODEL = Path(__file__).parents[2] / "models" / "centerface" / "centerface.onnx"
HOPPER = (175.0, 125.0, 360.0, 340.0)
"""Brow to chin and ear to ear of grace_hopper.jpg (512 x 600), read off the picture by eye."""


def sample(package: str, *place: str) -> Image.Image:
    """Return a photo of people that a package ships."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Image.open(Path(spec.origin).parent.joinpath(*place)).convert("RGB")


@pytest.fixture(scope="session")
def finder() -> faces.FaceFinder:
    return faces.open(f"centerface:{MODEL}")


@pytest.fixture(scope="session")
def hopper() -> Image.Image:
    return sample("matplotlib", "mpl-data", "sample_data", "grace_hopper.jpg")


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0, 1.7])
def test_a_face_is_found_at_several_sizes(finder: faces.FaceFinder, hopper: Image.Image, share: float) -> None:
    size = (round(hopper.width * share), round(hopper.height * share))
    found = finder.find(np.asarray(hopper.resize(size)))  # the likeliest: at 1.7 the badge of the cap has 0.42
    assert found[0].score >= ItemPolicy.score_face
    box = [value / share for value in found[0].box]
    assert np.abs(np.subtract(box, HOPPER)).max() < 30
    assert found[0].category == "face"


def test_two_people_have_two_faces(finder: faces.FaceFinder) -> None:
    found = finder.find(np.asarray(sample("ultralytics", "assets", "zidane.jpg")))
    assert [face.score >= ItemPolicy.score_face for face in found] == [True, True]
    assert found == sorted(found, key=lambda face: -face.score)


def test_an_even_ground_has_no_face_and_tiny_pictures_are_no_fault(finder: faces.FaceFinder) -> None:
    assert finder.find(np.full((200, 333, 3), 180, np.uint8)) == []
    assert finder.find(np.zeros((1, 1, 3), np.uint8)) == []


class Blind:
    """A garment detector that sees one coat everywhere."""

    name = "blind@1"

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        return [[Detection((10.0, 10.0, 200.0, 300.0), "coat", 0.9, ("coat",))] for _ in images]


def test_looks_are_searched_and_product_photos_are_not(
    tmp_path: Path, finder: faces.FaceFinder, hopper: Image.Image
) -> None:
    catalog = Catalog(tmp_path)
    large = hopper.resize((1536, 1800))  # decoded at half size: the boxes must come back in pixels of the whole
    look, shop, bare = (
        catalog.put_image(encode_jpeg(np.asarray(picture)))
        for picture in (large, hopper, Image.new("RGB", (300, 400), (120, 140, 160)))
    )
    wide, high = {"width": 1536}, {"height": 1800}
    rows = [
        {"photo_id": look, **wide, **high, "origin": "street", "setting": "street"},
        {"photo_id": shop, "width": 512, "height": 600, "origin": "retail", "setting": "flat", "product_id": "p-1"},
        {"photo_id": bare, "width": 300, "height": 400, "origin": "street", "setting": "street"},
    ]
    photos = tables.from_rows("photos", rows)

    def run(**given: object) -> object:
        products = tables.empty("products")
        return find(photos, products, catalog, Blind(), ItemPolicy(), edition="2026.12", **given)  # type: ignore[arg-type]

    result = run(faces=finder)
    found = {row["photo_id"]: row for row in result.tables["faces"].to_pylist()}  # type: ignore[attr-defined]
    assert set(found) == {look, bare}
    assert found[bare]["boxes"] == []
    assert found[look]["finder"] == finder.name
    (box,) = found[look]["boxes"]
    assert np.abs(np.subtract(box, [3 * value for value in HOPPER])).max() < 90

    told = [row for row in result.ledger.to_pylist() if row["subject"] == "face"]  # type: ignore[attr-defined]
    assert [row["parent_id"] for row in told] == [look]
    evidence = json.loads(told[0]["evidence"])
    assert evidence["box"] == pytest.approx(box, abs=0.06)
    assert evidence["score"] >= ItemPolicy.score_face

    none = run()
    assert none.tables["faces"].num_rows == 0  # type: ignore[attr-defined]
    assert "face" not in none.ledger["subject"].to_pylist()  # type: ignore[attr-defined]
