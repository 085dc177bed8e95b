"""Open an encoder from its specification."""

from __future__ import annotations

from pathlib import Path

from lookbench_eval.encoders.base import Encoder
from lookbench_eval.errors import ModelError

SPECS = ("onnx:FILE", "transformers:ID[@REVISION]", "python:MODULE:FUNCTION", "pixels:SIDE")


def open_encoder(
    spec: str, *, device: str | None = None, dtype: str | None = None, remote_code: bool = False
) -> Encoder:
    """Load a model. Raises ModelError that says which specifications there are.

    `device` and `dtype` default to what the kind of model does best; `remote_code` lets a transformers repository run
    code of its own.
    """
    kind, _, rest = spec.partition(":")
    if dtype and kind != "transformers":
        raise ModelError(f"a dtype can be chosen for transformers models only, not for {spec!r}")
    if kind == "onnx" and rest:
        from lookbench_eval.encoders.onnx import OnnxEncoder

        return OnnxEncoder(Path(rest), device=device)
    if kind == "transformers" and rest:
        from lookbench_eval.encoders.transformers import TransformersEncoder

        folder = Path(rest).is_dir()
        name, _, revision = (rest, "", "") if folder else rest.partition("@")
        return TransformersEncoder(
            name, revision or None, device=device, dtype=dtype or "float32", remote_code=remote_code
        )
    if kind == "python" and rest:
        from lookbench_eval.encoders.function import load

        return load(spec)
    if kind == "pixels" and rest.isdecimal():
        from lookbench_eval.encoders.pixels import PixelEncoder

        return PixelEncoder(int(rest))
    raise ModelError(f"model {spec!r} is not understood; write one of {', '.join(SPECS)}")
