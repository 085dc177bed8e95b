"""Encoders and what is refused about them."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from lookbench_eval import HarnessError, evaluate, open_encoder
from lookbench_eval.encoders import ModelCard
from lookbench_eval.encoders.onnx import METADATA_KEY
from lookbench_eval.encoders.preprocess import parse
from lookbench_eval.pictures import decode
from tests.harness.small import picture

DECLARED = {
    "size": [16, 12],
    "resize": "squash",
    "resample": "bilinear",
    "mean": [0.5, 0.4, 0.3],
    "std": [0.2, 0.25, 0.3],
}


def write_onnx(path: Path, declared: dict | str | None = None, *, batch: int | str = "n", pooled: bool = False) -> Path:
    """A model that flattens its input, (n, 3, 16, 12) -> (n, 576), or averages it, -> (n, 3, 1, 1)."""
    import onnx
    from onnx import TensorProto, helper

    node = helper.make_node("GlobalAveragePool", ["x"], ["y"]) if pooled else helper.make_node("Flatten", ["x"], ["y"])
    graph = helper.make_graph(
        [node],
        "flat",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, 16, 12])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 3, 1, 1] if pooled else [batch, 576])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    if declared is not None:
        entry = model.metadata_props.add()
        entry.key, entry.value = METADATA_KEY, declared if isinstance(declared, str) else json.dumps(declared)
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("batch", ["n", 1])
def test_onnx_prepares_as_it_declares(tmp_path: Path, batch: int | str) -> None:
    path = write_onnx(tmp_path / "flat.onnx", DECLARED, batch=batch)
    encoder = open_encoder(f"onnx:{path}")
    shown = [decode(picture(seed)) for seed in (1, 2, 3)]
    found = encoder.encode([encoder.prepare(one) for one in shown])
    for vector, one in zip(found, shown, strict=True):
        pixels = np.asarray(one.resize((12, 16), Image.Resampling.BILINEAR), dtype=np.float32) / 255
        expected = ((pixels - [0.5, 0.4, 0.3]) / [0.2, 0.25, 0.3]).transpose(2, 0, 1).ravel()
        assert vector == pytest.approx(expected, abs=1e-5)
    assert encoder.card.revision.startswith("sha256:")
    assert encoder.card.preprocessing["size"] == (16, 12)
    assert encoder.card.spec == "onnx:flat.onnx"


def test_onnx_sidecar_and_pooled_output(tmp_path: Path) -> None:
    path = write_onnx(tmp_path / "pool.onnx", pooled=True)
    (tmp_path / "pool.onnx.json").write_text(json.dumps(DECLARED | {"output": "y", "input": "x"}))
    encoder = open_encoder(f"onnx:{path}")
    assert encoder.encode([encoder.prepare(decode(picture(1)))]).shape == (1, 3)


def test_onnx_scores_a_release(tmp_path: Path, release: Path) -> None:
    path = write_onnx(tmp_path / "flat.onnx", DECLARED)
    result = evaluate(release, f"onnx:{path}", measures=["Item@1"])
    assert result.value("Item@1") == 1.0
    assert result.document["model"]["name"] == "flat"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (None, "does not say how pictures are prepared"),
        ("not json", "is no JSON"),
        ("[1]", "expected an object"),
        (DECLARED | {"crop": 1}, r"unknown keys \['crop'\]"),
        (DECLARED | {"size": 16}, "size is 16"),
        (DECLARED | {"size": [0, 3]}, r"size is \[0, 3\]"),
        (DECLARED | {"std": [0.2, 0, 0.2]}, "divided by 0"),
        (DECLARED | {"mean": [1, 2]}, "expected 3 numbers"),
        (DECLARED | {"mean": ["a", 1, 2]}, "expected 3 numbers"),
        (DECLARED | {"resize": "stretch"}, "choose squash, shortest_crop, pad"),
        (DECLARED | {"resample": "cubic"}, "choose nearest"),
        (DECLARED | {"output": "z"}, "no output 'z'; it has y"),
        (DECLARED | {"input": "image"}, "no input 'image'; it has x"),
    ],
)
def test_onnx_declarations_that_cannot_be_used(tmp_path: Path, declared: Any, said: str) -> None:
    path = write_onnx(tmp_path / "flat.onnx", declared)
    with pytest.raises(HarnessError, match=said):
        open_encoder(f"onnx:{path}")


def test_onnx_input_of_another_size_is_an_error_with_the_shape(tmp_path: Path, release: Path) -> None:
    path = write_onnx(tmp_path / "flat.onnx", DECLARED | {"size": [8, 8]})
    with pytest.raises(HarnessError, match=r"failed on a batch of shape \(6, 3, 8, 8\)"):
        evaluate(release, f"onnx:{path}")


@pytest.mark.parametrize("content", [b"", b"not a model"])
def test_onnx_files_that_are_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(HarnessError, match=r"m.onnx cannot be loaded"):
        open_encoder(f"onnx:{tmp_path / 'm.onnx'}")


@pytest.mark.parametrize(
    ("resize", "expected"),
    [("squash", (8, 8)), ("shortest_crop", (8, 8)), ("pad", (8, 8))],
)
def test_every_way_of_resizing_gives_the_size(resize: str, expected: tuple[int, int]) -> None:
    declared = parse({"size": [8, 8], "resize": resize, "mean": [0, 0, 0], "std": [1, 1, 1]}, "test")
    for shape in ((24, 32), (7, 31), (1, 500), (500, 1), (8, 8)):
        assert declared.fit(Image.new("RGB", shape)).size == expected


def test_padding_is_white_and_centred() -> None:
    declared = parse({"size": [8, 8], "resize": "pad", "mean": [0, 0, 0], "std": [1, 1, 1]}, "test")
    fitted = np.asarray(declared.fit(Image.new("RGB", (4, 8), "black")))
    assert fitted[:, 2:6].max() == 0
    assert fitted[:, :2].min() == fitted[:, 6:].min() == 255


def test_cropping_keeps_the_centre() -> None:
    declared = parse({"size": [8, 8], "mean": [0, 0, 0], "std": [1, 1, 1]}, "test")
    image = Image.new("RGB", (24, 8), "black")
    image.paste((255, 0, 0), (8, 0, 16, 8))
    assert (np.asarray(declared.fit(image)) == [255, 0, 0]).all()


class Answers:
    """An encoder that returns what it is told to, batch by batch."""

    card = ModelCard("test", "test", "r1", {})

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def prepare(self, picture: Image.Image) -> Any:
        return picture

    def encode(self, prepared: Sequence[Any]) -> Any:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(len(prepared)) if callable(answer) else answer


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([lambda n: np.ones((n + 1, 4))], r"shape \(7, 4\) for 6 pictures of real_studio_flat/query"),
        ([np.ones], r"shape \(6,\)"),
        ([lambda n: np.ones((n, 4), dtype=np.int64)], "int64"),
        ([lambda n: np.ones((n, 4)), lambda n: np.ones((n, 5))], "changed its dimension between splits"),
        (
            [lambda n: np.full((n, 4), np.nan)],
            r"6 real_studio_flat query vectors are not finite: real_studio_flat-query-0-0",
        ),
        ([lambda n: np.zeros((n, 4))], "vectors are zero"),
        ([lambda n: 1 / 0], "ZeroDivisionError"),
        ([lambda n: np.array([["a"] * 4] * n)], "expected one row of floating point"),
    ],
)
def test_models_that_return_something_else(release: Path, answers: list[Any], said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        evaluate(release, Answers(*answers))


def test_a_dimension_that_changes_between_batches(release: Path) -> None:
    with pytest.raises(HarnessError, match=r"vectors of 5 numbers for real_studio_flat/query, after 4 before"):
        evaluate(release, Answers(lambda n: np.ones((n, 4)), lambda n: np.ones((n, 5))), batch_size=4)


def test_a_picture_that_does_not_decode_is_named(make_release: Any) -> None:
    def change(subset: str, split: str, rows: list[dict]) -> list[dict]:
        return (
            [*rows[:-1], {**rows[-1], "image": {"bytes": b"<html>404</html>", "path": None}}]
            if subset == "noise"
            else rows
        )

    with pytest.raises(HarnessError, match=r"sample noise-gallery-108-0: the picture does not decode"):
        evaluate(make_release(change=change), "pixels:8")


def test_functions_encode(tmp_path: Path, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def embed(pictures):\n"
        "    return np.stack([np.asarray(p.resize((8, 8)), dtype='float32').ravel() - 127 for p in pictures])\n"
        "embed.revision = 'v7'\n"
        "embed.preprocessing = {'size': 8}\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = evaluate(release, "python:mine:embed", measures=["Item@1"])
    assert result.value("Item@1") > 0.9
    assert result.document["model"]["revision"] == "v7"
    assert result.document["model"]["preprocessing"] == {"size": 8}
    for spec, said in (
        ("python:mine:nothing", "nothing"),
        ("python:number", "write python:module"),
        ("python:mine:number", "a int, no function"),
        ("python:absent:f", "absent"),
    ):
        with pytest.raises(HarnessError, match=said):
            open_encoder(spec)


@pytest.mark.parametrize("spec", ["", "resnet50", "onnx:", "pixels:big", "pixels:0", "onnx:/no/such/file.onnx"])
def test_specifications_that_are_none(spec: str) -> None:
    with pytest.raises(HarnessError, match=r"is not understood|impossible side|does not exist"):
        open_encoder(spec)


def tiny(kind: str, folder: Path) -> None:
    """Save a small model of a family with random weights, as the hub would hold it."""
    import torch
    import transformers as t

    torch.manual_seed(0)
    vision = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 8,
    }
    text = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "vocab_size": 50,
        "max_position_embeddings": 8,
    }
    if kind == "clip":
        model = t.CLIPModel(t.CLIPConfig(vision_config=vision, text_config=text, projection_dim=12))
        processor = t.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    elif kind == "siglip":
        model = t.SiglipModel(t.SiglipConfig(vision_config=vision, text_config=text))
        processor = t.SiglipImageProcessor(size={"height": 32, "width": 32})
    elif kind == "dinov2":
        model = t.Dinov2Model(t.Dinov2Config(**{**vision, "intermediate_size": None}, mlp_ratio=2))
        processor = t.BitImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    else:
        model = t.DINOv3ViTModel(t.DINOv3ViTConfig(**vision))
        processor = t.DINOv3ViTImageProcessorFast(size={"height": 32, "width": 32})
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size"), [("clip", 12), ("siglip", 16), ("dinov2", 16), ("dinov3", 16)])
def test_transformers_families(tmp_path: Path, release: Path, kind: str, size: int) -> None:
    pytest.importorskip("torch")
    tiny(kind, tmp_path / kind)
    encoder = open_encoder(f"transformers:{tmp_path / kind}")
    found = encoder.encode([encoder.prepare(decode(picture(seed))) for seed in (1, 2, 1)])
    assert found.shape == (3, size)
    assert found[0] == pytest.approx(found[2], abs=1e-5)
    assert not np.allclose(found[0], found[1], atol=1e-4)
    assert encoder.card.revision.startswith("sha256:")
    assert encoder.card.preprocessing["image_mean"]
    json.dumps(dict(encoder.card.preprocessing))
    result = evaluate(release, encoder, measures=["Fine@5"], subsets=["aigen_studio"])
    assert result.document["model"]["name"] == kind


@pytest.mark.slow
def test_transformers_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(HarnessError, match="cannot be loaded"):
        open_encoder(f"transformers:{tmp_path / 'empty'}")
    with pytest.raises(HarnessError, match="dtype 'int8'"):
        open_encoder("transformers:x", dtype="int8")
    with pytest.raises(HarnessError, match="transformers models only"):
        open_encoder("pixels:8", dtype="float16")
