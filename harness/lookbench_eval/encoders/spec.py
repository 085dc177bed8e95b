"""Open an encoder from its specification."""

from __future__ import annotations

from pathlib import Path

from lookbench_eval.encoders.base import Encoder
from lookbench_eval.errors import ModelError

SPECS = ("onnx:FILE", "pixels:SIDE")


def open_encoder(spec: str, *, device: str | None = None) -> Encoder:
    """Load a model. Raises ModelError that says which specifications there are."""
    kind, _, rest = spec.partition(":")
    if kind == "onnx" and rest:
        from lookbench_eval.encoders.onnx import OnnxEncoder

        return OnnxEncoder(Path(rest), device=device)
    if kind == "pixels" and rest.isdecimal():
        from lookbench_eval.encoders.pixels import PixelEncoder

        return PixelEncoder(int(rest))
    raise ModelError(f"model {spec!r} is not understood; write one of {', '.join(SPECS)}")
