"""Start training from a released ONNX file, in which every norm has melted into the convolution before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

SAMPLE = 512
"""Pictures on which the norms' means and variances are taken again."""


def start(model: Any, weights: Path, pictures: list[Path], side: int) -> None:
    """Copy the weights by name and give each norm statistics under which it changes nothing.

    A norm after a fused convolution w, b is the identity plus b when its scale is sqrt(var + eps) and its shift
    mean + b, whatever mean and variance are; those of our own pictures keep it so while it trains on them.

    Raises ``SystemExit`` when the file lacks a layer of the model or a shape differs.
    """
    import onnx
    import torch

    given = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(str(weights)).graph.initializer}

    def copied(into: Any, name: str) -> None:
        value = given.get(name)
        if value is None or tuple(value.shape) != tuple(into.shape):
            raise SystemExit(f"{weights}: layer {name} is missing or has another shape than {tuple(into.shape)}")
        into.data.copy_(torch.from_numpy(value.copy()))

    norms: dict[str, Any] = {}
    for name, layer in model.named_modules():
        if name.startswith("model.0.") or not isinstance(layer, torch.nn.Conv2d):
            continue  # the frozen backbone has its own source
        copied(layer.weight, f"{name}.weight")
        if layer.bias is not None:
            copied(layer.bias, f"{name}.bias")
            continue
        if f"{name}.bias" in given:
            norm = model.get_submodule(name.rsplit(".", 1)[0]).bn
            copied(norm.bias, f"{name}.bias")
            norm.weight.data.fill_(1.0)
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0 - norm.eps)
            norms[name] = norm
    sums = _statistics(model, norms, pictures, side)
    for name, norm in norms.items():
        count, total, squares = sums[name]
        mean = total / count
        variance = (squares / count - mean**2).clamp_min(1e-6)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_((variance + norm.eps).sqrt())
        norm.bias.data.add_(mean)


def _statistics(model: Any, norms: dict[str, Any], pictures: list[Path], side: int) -> dict[str, list[Any]]:
    """Return count, sum and sum of squares per channel of what enters each norm."""
    import torch

    sums: dict[str, list[Any]] = {name: [0, 0.0, 0.0] for name in norms}

    def watch(name: str) -> Any:
        def hook(_: Any, inputs: tuple[Any, ...]) -> None:
            values = inputs[0].double()
            mine = sums[name]
            mine[0] += values.numel() // values.shape[1]
            mine[1] = mine[1] + values.sum((0, 2, 3))
            mine[2] = mine[2] + (values**2).sum((0, 2, 3))

        return hook

    hooks = [norm.register_forward_pre_hook(watch(name)) for name, norm in norms.items()]
    was = model.training
    model.eval()
    chosen = pictures[:: max(1, len(pictures) // SAMPLE)][:SAMPLE]
    with torch.no_grad():
        for first in range(0, len(chosen), 16):
            batch = np.stack([_letterboxed(path, side) for path in chosen[first : first + 16]])
            model(torch.from_numpy(batch).permute(0, 3, 1, 2).float() / 255)
    for hook in hooks:
        hook.remove()
    model.train(was)
    return sums


def _letterboxed(path: Path, side: int) -> np.ndarray[Any, Any]:
    from PIL import Image, ImageOps

    with Image.open(path) as image:
        return np.asarray(ImageOps.pad(image.convert("RGB"), (side, side), color=(114, 114, 114)))
