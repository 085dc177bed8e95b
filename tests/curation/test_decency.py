"""The decency gate on a small classifier made here: its weights are drawn, its promises are not."""

import json
from pathlib import Path

import numpy as np
import pytest

from curation import decency
from curation.errors import CurationError

PIXELS = np.random.default_rng(3).integers(0, 256, (240, 180, 3)).astype(np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny ViT for two classes, saved as safetensors."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    place = tmp_path_factory.mktemp("gate")
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=32, patch_size=8,
        id2label={0: "normal", 1: "NSFW"}, label2id={"normal": 0, "NSFW": 1},
    )  # fmt: skip
    transformers.ViTForImageClassification(config).save_pretrained(place)
    transformers.ViTImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(place)
    return place


def test_the_score_is_the_probability_of_the_named_class(folder: Path) -> None:
    gate = decency.open(f"transformers:{folder}")
    score = gate.indecency(PIXELS)
    assert 0 < score < 1
    assert gate.indecency(PIXELS) == score
    other = decency.open(f"transformers:{folder}", labels=["normal"]).indecency(PIXELS)
    assert score + other == pytest.approx(1, abs=1e-5)
    assert gate.name.startswith(f"transformers:{folder.name}@")


def test_what_is_refused_says_why(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="is not known"):
        decency.open("onnx:gate.onnx")
    with pytest.raises(CurationError, match="names no revision"):
        decency.open("transformers:some/nsfw-classifier")
    with pytest.raises(CurationError, match="the settings pin 0000"):
        decency.open(f"transformers:{folder}", "0" * 64)
    with pytest.raises(CurationError, match="has the classes normal, nsfw; none of them is one of violence"):
        decency.open(f"transformers:{folder}", labels=["violence"])
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "vit"}), encoding="utf-8")
    with pytest.raises(CurationError, match=r"there is no file .*model\.safetensors"):
        decency.open(f"transformers:{tmp_path}")
