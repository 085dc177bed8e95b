import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation import embedders
from curation.errors import CurationError

MODEL = Path(__file__).parents[2] / "models" / "efficientnet-lite0" / "efficientnet-lite0.onnx"
SHA256 = "b6892053783f6926a2f0dcbe0eef86f8e89326959fa12dca2072fc734675a14d"
PREPROCESSING = {
    "size": [4, 4],
    "resize": "squash",
    "resample": "bicubic",
    "mean": [0.0, 0.0, 0.0],
    "std": [1.0, 1.0, 1.0],
    "input": "image",
    "output": "embedding",
}


def tiny(path: Path, scale: float = 1.0, **preprocessing: Any) -> str:
    """An ONNX file whose embedding is the flattened input times ``scale``."""
    import onnx
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Flatten", ["image"], ["flat"], axis=1),
        helper.make_node("Mul", ["flat", "scale"], ["embedding"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 4, 4])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", 48])],
        [helper.make_tensor("scale", TensorProto.FLOAT, [1], [scale])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if preprocessing:
        helper.set_model_props(model, {embedders.METADATA_KEY: json.dumps({**PREPROCESSING, **preprocessing})})
    onnx.save(model, path)
    return f"onnx:{path}"


def pictures(*sizes: tuple[int, int]) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.integers(1, 256, (height, width, 3)).astype(np.uint8) for height, width in sizes]


def test_vectors_are_unit_and_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    embedder = embedders.open(tiny(tmp_path / "m.onnx", resize="squash"))
    images = pictures(*[(9 + place, 7) for place in range(embedders.BATCH + 3)])
    together = embedder.embed(images)
    assert together.shape == (len(images), 48) == (len(images), embedder.size)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    assert np.allclose(together, np.concatenate([embedder.embed([image]) for image in images]), atol=1e-6)
    assert embedder.embed([]).shape == (0, 48)


@pytest.mark.parametrize(("resize", "white"), [("squash", 0), ("shortest_crop", 0), ("pad", 8)])
def test_each_resize_does_what_it_says(tmp_path: Path, resize: str, white: int) -> None:
    embedder = embedders.open(tiny(tmp_path / "m.onnx", resize=resize))
    half = np.zeros((20, 10, 3), np.uint8)
    half[:10] = 100
    plane = embedder.embed([half]).reshape(3, 4, 4)[0]
    brightest = plane >= plane.max() * 0.99
    assert (brightest.sum() == white) if white else (plane[0] > plane[-1]).all()


def test_mean_and_deviation_are_taken_off(tmp_path: Path) -> None:
    embedder = embedders.open(tiny(tmp_path / "m.onnx", mean=[0.5, 0.5, 0.5], std=[0.5, 0.5, 0.25]))
    vector = embedder.embed([np.full((4, 4, 3), 255, np.uint8)])[0]
    assert np.allclose(vector, np.repeat([1, 1, 2], 16) / np.sqrt(16 * (1 + 1 + 4)), atol=1e-6)


def test_vectors_that_are_zero_or_not_finite_are_refused(tmp_path: Path) -> None:
    for name, scale in (("zero", 0.0), ("nan", float("nan")), ("inf", float("inf"))):
        embedder = embedders.open(tiny(tmp_path / f"{name}.onnx", scale, resize="squash"))
        with pytest.raises(CurationError, match="zero or not finite"):
            embedder.embed(pictures((5, 5)))


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match=r"'clip:x' is not known; use onnx:PATH"):
        embedders.open("clip:x")
    with pytest.raises(CurationError, match="there is no file"):
        embedders.open(f"onnx:{tmp_path}/none.onnx")
    spec = tiny(tmp_path / "m.onnx")
    with pytest.raises(CurationError, match=r"sha256 of .*m\.onnx is [0-9a-f]{64}, the settings pin 0000"):
        embedders.open(spec, "0" * 64)
    with pytest.raises(CurationError, match=r"lacks 'lookbench\.preprocessing'"):
        embedders.open(spec)
    (tmp_path / "noise.onnx").write_bytes(b"not a model")
    with pytest.raises(CurationError, match="cannot be opened as ONNX"):
        embedders.open(f"onnx:{tmp_path}/noise.onnx")


def test_the_default_model_is_the_one_of_its_card_and_knows_a_mirror_image() -> None:
    embedder = embedders.open(f"onnx:{MODEL}", SHA256)
    assert SHA256 in MODEL.with_name("README.md").read_text()
    assert embedder.name == f"onnx:efficientnet-lite0.onnx@{SHA256}"
    assert embedder.size == 1280
    rng = np.random.default_rng(3)
    one, other = (np.kron(rng.integers(0, 256, (7, 7, 3)), np.ones((32, 32, 1))).astype(np.uint8) for _ in range(2))
    vectors = embedder.embed([one, one[:, ::-1].copy(), other])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
