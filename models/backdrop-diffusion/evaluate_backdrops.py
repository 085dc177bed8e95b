"""The figures and the sample sheet of the backdrop model's card.

    python models/backdrop-diffusion/evaluate_backdrops.py --each 24

Prints JSON: how often a sample is taken for the scene it was asked for (ridge classifier trained on drawn scenes,
beside its accuracy on held-out drawn ones), how much fine noise samples have in ratio to drawn scenes, how far they
are from the nearest training picture in ratio to held-out drawn ones (1 is as new as a fresh drawing), and seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from backdrop_scenes import SCENES, draw

HERE = Path(__file__).parent
Floats = npt.NDArray[np.float32]


def main() -> None:
    """Sample, compare with drawn scenes, print, write the sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=HERE)
    parser.add_argument("--each", type=int, default=24, help="samples per scene")
    parser.add_argument("--train", type=int, default=150, help="drawn scenes per class to compare with")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent.parent))
    names = list(SCENES)
    samples, seconds = _sample(options.folder, names, options.each, options.steps)
    train = _drawn(names, range(options.train))
    held = _drawn(names, range(100_000, 100_000 + options.each))
    weights = _fit(train)
    report = {
        "class accuracy, samples": _accuracy(weights, samples),
        "class accuracy, drawn": _accuracy(weights, held),
        "fine noise, samples to drawn": {
            name: round(_noise(samples[k]) / _noise(held[k]), 2) for k, name in enumerate(names)
        },
        "distance to nearest training picture, samples to drawn": round(
            _nearest(samples, train) / _nearest(held, train), 2
        ),
        "seconds a sample": round(seconds, 3),
    }
    print(json.dumps(report, indent=1))
    _sheet(samples, HERE / "samples.png")


def _sample(folder: Path, names: list[str], each: int, steps: int) -> tuple[Floats, float]:
    """Samples (classes, each, 80, 64, 3) in 0..1 and processor seconds for one."""
    import torch
    from diffusers.utils import logging

    from generation.backdrops import BackdropPipeline

    logging.set_verbosity_error()
    torch.set_num_threads(1)
    pipeline = BackdropPipeline.from_pretrained(folder, use_safetensors=True, dtype=torch.float32)
    pipeline.set_progress_bar_config(disable=True)
    started = time.process_time()
    made = [
        pipeline([name] * each, [torch.Generator().manual_seed(1000 * k + seed) for seed in range(each)], steps)
        for k, name in enumerate(names)
    ]
    return np.stack(made), (time.process_time() - started) / (each * len(names))


def _drawn(names: list[str], seeds: range) -> Floats:
    return np.stack([[draw(name, seed) for seed in seeds] for name in names]).astype(np.float32) / 255


def _features(pictures: Floats) -> Floats:
    """Colours on an 8 x 10 grid and the size of horizontal and vertical edges there, one row a picture."""
    import cv2

    rows = []
    for picture in pictures:
        grey = picture.mean(axis=2)
        edges = np.dstack([np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0)), np.abs(cv2.Sobel(grey, cv2.CV_32F, 0, 1))])
        small = [cv2.resize(x, (8, 10), interpolation=cv2.INTER_AREA).ravel() for x in (picture, 4 * edges)]
        rows.append(np.concatenate([*small, [1.0]]))
    return np.asarray(rows, np.float32)


def _fit(train: Floats) -> Floats:
    classes, each = train.shape[:2]
    features = _features(train.reshape(-1, *train.shape[2:])).astype(np.float64)
    wanted = np.repeat(np.eye(classes), each, axis=0)
    return np.asarray(
        np.linalg.solve(features.T @ features + 5.0 * np.eye(features.shape[1]), features.T @ wanted), np.float32
    )


def _accuracy(weights: Floats, pictures: Floats) -> float:
    classes, each = pictures.shape[:2]
    guesses = (_features(pictures.reshape(-1, *pictures.shape[2:])) @ weights).argmax(axis=1)
    return round(float((guesses == np.repeat(np.arange(classes), each)).mean()), 3)


def _noise(pictures: Floats) -> float:
    """Median size of what a 3 x 3 median filter takes away: speckle, hardly edges."""
    import cv2

    return float(np.mean([np.abs(p - cv2.medianBlur(p, 3)).mean() for p in pictures])) + 1e-4


def _nearest(pictures: Floats, train: Floats) -> float:
    flat = [
        x.reshape(x.shape[0] * x.shape[1], 10, 8, 8, 8, 3).mean(axis=(2, 4)).reshape(-1, 240) for x in (pictures, train)
    ]
    distances = ((flat[0] ** 2).sum(axis=1)[:, None] + (flat[1] ** 2).sum(axis=1) - 2 * flat[0] @ flat[1].T).clip(0)
    return float(np.sqrt(distances.min(axis=1)).mean())


def _sheet(samples: Floats, path: Path) -> None:
    from catalog.decode import encode_png

    rows = [np.concatenate(list(row[:6]), axis=1) for row in samples]
    half = len(rows) // 2
    sheet = np.concatenate([np.concatenate(rows[:half]), np.concatenate(rows[half:])], axis=1)
    path.write_bytes(encode_png((sheet * 255 + 0.5).astype(np.uint8)))


if __name__ == "__main__":
    main()
