"""ONNX models through onnxruntime; the model file says how its pictures are prepared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.encoders import preprocess
from lookbench_eval.encoders.base import Matrix, ModelCard
from lookbench_eval.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image

METADATA_KEY = "lookbench.preprocessing"


class OnnxEncoder:
    """`onnx:FILE`. The preprocessing is the JSON under METADATA_KEY in the model, or in `FILE.json` beside it."""

    def __init__(self, path: Path, *, device: str | None = None) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise ModelError("onnx models need onnxruntime; install lookbench-eval[onnx]") from error
        if not path.is_file():
            raise ModelError(f"{path} does not exist; give the path of an ONNX file after onnx:")
        providers = _providers(onnxruntime.get_available_providers(), device)
        try:
            self._session = onnxruntime.InferenceSession(str(path), providers=providers)
        except Exception as error:
            raise ModelError(f"{path} cannot be loaded as an ONNX model: {error}") from error
        self._preprocessing = self._declared(path)
        self._input = self._named(self._session.get_inputs(), self._preprocessing.input, "input", path)
        self._output = self._named(self._session.get_outputs(), self._preprocessing.output, "output", path)
        self._half = self._input.type == "tensor(float16)"
        self._single = self._input.shape[:1] == [1]
        self.card = ModelCard(
            spec=f"onnx:{path.name}",
            name=path.stem,
            revision=f"sha256:{_digest(path)}",
            preprocessing=self._preprocessing.as_json(),
            device="cuda" if providers[0].startswith("CUDA") else "cpu",
            dtype="float16" if self._half else "float32",
        )

    def prepare(self, picture: Image) -> NDArray[np.float32]:
        """One picture as a tensor of shape (3, height, width)."""
        return self._preprocessing.apply(picture)

    def encode(self, prepared: Sequence[NDArray[np.float32]]) -> Matrix:
        """Embed a batch: shape (n, d), also where the model takes one picture at a time."""
        batch = np.stack(prepared)
        if self._half:
            batch = batch.astype(np.float16)
        parts = np.split(batch, len(batch)) if self._single else [batch]
        try:
            outputs = [self._session.run([self._output.name], {self._input.name: part})[0] for part in parts]
        except Exception as error:
            raise ModelError(f"{self.card.spec} failed on a batch of shape {batch.shape}: {error}") from error
        return np.concatenate([_vectors(output, self.card.spec) for output in outputs])

    def _declared(self, path: Path) -> preprocess.Preprocessing:
        text = self._session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
        where = f"{path}, metadata {METADATA_KEY}"
        sidecar = path.with_name(path.name + ".json")
        if text is None and sidecar.is_file():
            text, where = sidecar.read_text(encoding="utf-8"), str(sidecar)
        if text is None:
            raise ModelError(
                f"{path} does not say how pictures are prepared; put JSON with size, resize, resample, mean and std "
                f"under the metadata key {METADATA_KEY!r} or into {sidecar.name}"
            )
        try:
            declared = json.loads(text)
        except ValueError as error:
            raise ModelError(f"{where} is no JSON: {error}") from error
        if not isinstance(declared, dict):
            raise ModelError(f"{where} is {declared!r}; expected an object")
        return preprocess.parse(declared, where)

    @staticmethod
    def _named(nodes: Sequence[Any], name: str | None, kind: str, path: Path) -> Any:
        if name is None and kind == "input" and len(nodes) > 1:
            raise ModelError(
                f"{path} has {len(nodes)} inputs ({', '.join(n.name for n in nodes)}); name one as 'input'"
            )
        for node in nodes:
            if name in {None, node.name}:
                return node
        raise ModelError(f"{path} has no {kind} {name!r}; it has {', '.join(node.name for node in nodes)}")


def _vectors(output: NDArray[Any], spec: str) -> Matrix:
    """Drop the trailing axes of length one that pooled features often keep."""
    flat = output.reshape(output.shape[0], -1) if output.ndim > 2 and output[0].size == output.shape[1] else output
    if flat.ndim != 2:
        raise ModelError(f"{spec} returned an array of shape {output.shape}; expected one vector per picture")
    return flat


def _providers(available: Sequence[str], device: str | None) -> list[str]:
    if device not in {None, "cpu", "cuda"}:
        raise ModelError(f"device {device!r} is unknown to onnxruntime here; choose cpu or cuda")
    if device == "cuda" and "CUDAExecutionProvider" not in available:
        raise ModelError(f"device cuda was asked for, but onnxruntime offers {', '.join(available)}")
    wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"] if device != "cpu" else ["CPUExecutionProvider"]
    return [name for name in wanted if name in available]


def _digest(path: Path) -> str:
    """sha256 of the model and, where weights lie outside of it, of `FILE.data` too."""
    digest = hashlib.sha256()
    for part in (path, path.with_name(path.name + ".data")):
        if part.is_file():
            with part.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()
