"""Encoders: how pictures become vectors, chosen by a specification such as `onnx:model.onnx`."""

from lookbench_eval.encoders.base import Encoder, ModelCard
from lookbench_eval.encoders.spec import SPECS, open_encoder

__all__ = ["SPECS", "Encoder", "ModelCard", "open_encoder"]
