"""Detectors: what opens, what is refused, and what the interface promises."""

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation import class_maps, detectors
from curation.detectors import FLOOR, Detection
from curation.errors import CurationError

MODEL = Path(__file__).parent.parent.parent / "models" / "garment-yolo" / "garment-yolo.onnx"
CLASSES = json.loads((MODEL.parent / "classes.json").read_text())["classes"]


@pytest.fixture(scope="module")
def yolo() -> detectors.Detector:
    if importlib.util.find_spec("ultralytics") is None:
        pytest.skip("the vision extra is not installed")
    return detectors.open(f"yolo:{MODEL}", hashlib.sha256(MODEL.read_bytes()).hexdigest())


def composed(category: str, seed: int) -> tuple[Any, tuple[float, ...]]:
    """One drawn garment of a seed that training never saw, on a backdrop, and its true box."""
    from demo.compose import scene
    from demo.garments import random_spec, render

    drawn = render(random_spec(np.random.default_rng(seed), category), 256, 7_000_000 + seed)
    made = scene(drawn.rgba, 300, 400, np.random.default_rng(seed), setting="studio")
    return made.image, tuple(map(float, made.boxes[0]))


def test_our_model_finds_drawn_garments(yolo: detectors.Detector) -> None:
    from curation.boxes import iou

    boxed, classed = [], []
    for seed, category in enumerate(["top", "pants", "dress", "bag", "shoe", "hat", "skirt", "shorts"]):
        pixels, truth = composed(category, seed)
        found = [one for one in yolo.detect([pixels])[0] if iou(one.box, truth) >= 0.5]
        boxed.append(bool(found))
        classed.append(any(category in one.categories for one in found))
    assert sum(boxed) >= 7, boxed
    assert sum(classed) >= 5, classed


def test_detections_are_ordered_bounded_and_in_the_taxonomy(yolo: detectors.Detector) -> None:
    import taxonomy

    pixels, _ = composed("dress", 31)
    (found,) = yolo.detect([pixels])
    scores = [detection.score for detection in found]
    assert scores == sorted(scores, reverse=True)
    assert all(FLOOR <= score <= 1 for score in scores)
    for detection in found:
        assert detection.category == detection.categories[0]
        assert set(detection.categories) <= set(taxonomy.load().categories)
        x0, y0, x1, y1 = detection.box
        assert 0 <= x0 < x1 <= 300
        assert 0 <= y0 < y1 <= 400


def test_a_result_does_not_depend_on_its_neighbours(yolo: detectors.Detector) -> None:
    one, two = composed("dress", 3)[0], composed("pants", 4)[0][:250, :120]
    assert yolo.detect([one, two]) == [*yolo.detect([one]), *yolo.detect([two])]


def test_the_name_carries_the_sha256(yolo: detectors.Detector) -> None:
    assert yolo.name == f"yolo:garment-yolo.onnx@{hashlib.sha256(MODEL.read_bytes()).hexdigest()}"


def test_the_model_brings_its_class_map() -> None:
    pytest.importorskip("onnx")
    assert class_maps.of_onnx(MODEL) == CLASSES
    assert MODEL.stat().st_size <= 12_000_000


@pytest.mark.parametrize(
    ("spec", "sha256", "message"),
    [
        ("yolo:nowhere/model.onnx", None, "there is no file"),
        (f"yolo:{MODEL}", "0" * 64, "the settings pin 0000"),
        ("yolo:model.engine", None, "not a format it reads"),
        ("yolo:model.pt", None, "is a pickle"),
        ("tf:model", None, "is not known"),
        ("yolo:", None, "is not known"),
        ("transformers:valentinafeve/yolos-fashionpedia", None, "names no revision"),
    ],
)
def test_what_is_refused_says_why(spec: str, sha256: str | None, message: str) -> None:
    with pytest.raises(CurationError, match=message):
        detectors.open(spec, sha256)


def test_a_pickle_needs_its_sha256_even_when_allowed(tmp_path: Path) -> None:
    weights = tmp_path / "model.pt"
    weights.write_bytes(b"pickle")
    with pytest.raises(CurationError, match="pin its sha256"):
        detectors.open(f"yolo:{weights}", allow_pickles=True)
    with pytest.raises(CurationError, match="sha256"):
        detectors.open(f"yolo:{weights}", "1" * 64, allow_pickles=True)


def test_a_damaged_onnx_file_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(MODEL.read_bytes()[:5000])
    with pytest.raises(CurationError, match=r"broken\.onnx cannot be"):
        detectors.open(f"yolo:{broken}")


def test_class_maps_know_the_published_vocabularies() -> None:
    names = {0: "shirt, blouse", 1: "sleeve", 2: "Shoe", 3: "long sleeve outwear", 4: "person"}
    resolved = class_maps.resolve(names, None, "test")
    assert resolved[0] == ("shirt",)
    assert resolved[1] == resolved[4] == ()
    assert resolved[2] == ("shoe",)
    assert resolved[3][0] == "jacket"


def test_a_class_map_of_ones_own_is_checked() -> None:
    assert class_maps.resolve({0: "tshirt", 1: "face"}, {"tshirt": ["top"]}, "test") == {0: ("top",), 1: ()}
    with pytest.raises(CurationError, match="no class 'tee'"):
        class_maps.resolve({0: "tshirt"}, {"tee": ["top"]}, "test")
    with pytest.raises(CurationError, match="'blouson' is no category"):
        class_maps.resolve({0: "tshirt"}, {"tshirt": ["blouson"]}, "test")
    with pytest.raises(CurationError, match="none of its classes"):
        class_maps.resolve({0: "cat", 1: "dog"}, None, "test")


def test_classes_without_category_are_left_out() -> None:
    rows = [([0, 0, 5, 5], 0, 0.9), ([1, 1, 9, 9], 1, 0.8), ([2, 2, 9, 9], 0, 0.95), ([2, 2, 9, 9], 0, 0.01)]
    found = detectors.detections(rows, {0: ("top", "shirt"), 1: ()})
    assert found == [
        Detection((2, 2, 9, 9), "top", 0.95, ("top", "shirt")),
        Detection((0, 0, 5, 5), "top", 0.9, ("top", "shirt")),
    ]


@pytest.fixture(scope="module")
def tiny_yolos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A YOLOS of random weights with three Fashionpedia classes."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(3)
    config = transformers.YolosConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=[64, 48],
        patch_size=16, num_detection_tokens=6, id2label={0: "shirt, blouse", 1: "shoe", 2: "bag, wallet"},
        label2id={"shirt, blouse": 0, "shoe": 1, "bag, wallet": 2},
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("yolos")
    transformers.YolosForObjectDetection(config).save_pretrained(folder)
    transformers.YolosImageProcessor(size={"height": 64, "width": 48}, do_pad=False).save_pretrained(folder)
    return folder


def test_transformers_detectors_load_and_answer_in_pixels(tiny_yolos: Path) -> None:
    sha256 = hashlib.sha256((tiny_yolos / "model.safetensors").read_bytes()).hexdigest()
    detector = detectors.open(f"transformers:{tiny_yolos}", sha256)
    assert detector.name == f"transformers:{tiny_yolos.name}@{sha256}"
    pixels = np.random.default_rng(1).integers(0, 255, (120, 90, 3), dtype=np.uint8)
    (found,) = detector.detect([pixels])
    assert found, "random weights give every class about a quarter"
    assert {detection.category for detection in found} <= {"shirt", "shoe", "bag"}
    assert all(-90 <= detection.box[0] <= detection.box[2] <= 180 for detection in found)
    assert detector.detect([pixels]) == [found]


def test_transformers_files_are_checked(tiny_yolos: Path, tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="the settings pin"):
        detectors.open(f"transformers:{tiny_yolos}", "2" * 64)
    with pytest.raises(CurationError, match="there is no file"):
        detectors.open(f"transformers:{tmp_path}")


def test_the_classes_of_our_model_cover_the_taxonomy_once() -> None:
    import taxonomy

    named = [category for members in CLASSES.values() for category in members]
    assert sorted(named) == sorted(taxonomy.load().categories)
    assert all(members[0] == name for name, members in CLASSES.items())


def test_ultralytics_leaves_the_decode_path_alone(yolo: detectors.Detector) -> None:
    from PIL import Image

    from catalog.decode import DecodeError, decode

    assert yolo.name
    assert Image.open.__module__ == "PIL.Image"
    with pytest.raises(DecodeError) as caught:
        decode(b"<html>gone</html>")
    assert caught.value.reason == "not_an_image"
