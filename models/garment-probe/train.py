"""Train the second stage: ``python train.py --photos DIR --work DIR``; writes ``garment-probe.npz`` and its figures.

Reads the vectors of ``garment-eye.onnx``, which ``finetune.py`` makes first. The category is named by the layer that
was trained with it; each facet by logistic regression on crops of CC0 photos of the train senders, the same garments
cut out and laid on other backdrops, and garments drawn by ``demo.garments``. Held out: whole senders and drawing seeds.
The work folder is that of ``models/garment-yolo/train.py``, whose cut-outs and drawings it reads.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "garment-yolo"))

import cutouts  # noqa: E402
import pieces  # noqa: E402

SEED = 20262
SHARPNESS = 16.0
"""Length to which unit vectors are drawn out before the layer that names; a softmax over cosines alone is too flat."""
PADDING = 0.03
"""As the crops of items are padded."""

CC0: dict[str, dict[str, str]] = {
    "T-Shirt": {"category": "top", "type": "t-shirt", "sleeve length": "short sleeve"},
    "Longsleeve": {"category": "top", "type": "long-sleeved t-shirt", "sleeve length": "long sleeve"},
    "Polo": {"category": "top", "type": "polo shirt", "sleeve length": "short sleeve"},
    "Undershirt": {"category": "top", "type": "undershirt", "sleeve length": "sleeveless"},
    "Hoodie": {"category": "top", "type": "hoodie", "sleeve length": "long sleeve"},
    "Top": {"category": "top"},
    "Shirt": {"category": "shirt"},
    "Blouse": {"category": "shirt", "type": "blouse"},
    "Outwear": {"category": "jacket"},
    "Blazer": {"category": "jacket", "type": "blazer", "sleeve length": "long sleeve"},
    "Dress": {"category": "dress"},
    "Pants": {"category": "pants"},
    "Shorts": {"category": "shorts"},
    "Skirt": {"category": "skirt"},
    "Shoes": {"category": "shoe"},
    "Hat": {"category": "hat"},
}
"""What the labels of photos.csv say; 'Body', 'Other' and 'Not sure' say too little."""
FACETS = {"type": "style", "pattern": "pattern", "neckline": "neckline", "sleeve length": "sleeve_length"}
"""Facet of the taxonomy -> field of a drawn design."""


@dataclass
class Crops:
    """Pictures to embed, what is true of each, and where it is from."""

    truths: list[dict[str, str]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    vectors: list[Any] = field(default_factory=list)


def gather(photos: Path, work: Path, drawn_each: int) -> dict[str, Any]:
    """Embed every crop once; returns vectors (n, 1280), truths and sources (held-out ones end in ``+test``)."""
    cache = work / "eye-vectors.npz"
    listing = work / "eye-truths.json"
    if cache.exists() and listing.exists():
        with np.load(cache) as arrays:
            return {"vectors": arrays["vectors"], **json.loads(listing.read_text())}
    from curation import embedders

    embedder = embedders.open(f"onnx:{HERE / 'garment-eye.onnx'}")
    crops, batch = Crops(), []

    def add(pixels: Any, truth: dict[str, str], source: str) -> None:
        batch.append(pixels)
        crops.truths.append(truth)
        crops.sources.append(source)
        if len(batch) == 64:
            flush()

    def flush() -> None:
        if batch:
            crops.vectors.append(embedder.embed(batch))
            batch.clear()
            print(f"embedded {sum(map(len, crops.vectors))}", flush=True)

    _add_photos(photos, work, add)
    _add_drawn(work, drawn_each, add)
    flush()
    vectors = np.concatenate(crops.vectors)
    np.savez(cache, vectors=vectors)
    listing.write_text(json.dumps({"truths": crops.truths, "sources": crops.sources}))
    return {"vectors": vectors, "truths": crops.truths, "sources": crops.sources}


def _add_photos(photos: Path, work: Path, add: Any) -> None:
    from PIL import Image, ImageOps

    from demo.compose import scene

    for index, cutout in enumerate(cutouts.load(work / "cutouts")):
        if cutout.label not in CC0:
            continue
        test = "+test" if pieces.held_out(cutout.sender) else ""
        with Image.open(photos / cutout.file) as image:
            pixels = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
        if cutout.good:
            add(crop(pixels, cutout.box), CC0[cutout.label], "cc0" + test)
            rng = np.random.default_rng([SEED, index])
            rgba = pieces.load(pieces.Piece(str(work / "cutouts" / (Path(cutout.file).stem + ".png")), ""))
            made = scene(np.ascontiguousarray(rgba), 216, 288, rng)
            shares = _shares(made.boxes[0], made.image)
            add(crop(made.image, shares), CC0[cutout.label], "cc0-composed" + test)
        else:
            add(pixels, CC0[cutout.label], "cc0-whole" + test)


def _add_drawn(work: Path, each: int, add: Any) -> None:
    import taxonomy
    from demo import garments
    from demo.compose import scene

    words = taxonomy.load()
    for test in (False, True):
        pieces.drawn(work / "drawn", test=test, each=each if not test else max(4, each // 4), workers=1)
        for path in sorted((work / "drawn" / ("test" if test else "train")).glob("*.png")):
            name, _, number = path.stem.rpartition("-")
            category = next(c for c in garments.CATEGORIES if c.replace(" ", "-") == name)
            spec = garments.random_spec(np.random.default_rng([int(number), sum(map(ord, category))]), category)
            said = {facet: getattr(spec, attribute) for facet, attribute in FACETS.items()}
            truth = {"category": category}
            truth.update({facet: value for facet, value in said.items() if value and words.allows(category, value)})
            made = scene(
                pieces.load(pieces.Piece(str(path), category)), 216, 288, np.random.default_rng([SEED, int(number)])
            )
            add(crop(made.image, _shares(made.boxes[0], made.image)), truth, "drawn" + ("+test" if test else ""))


def _shares(box: Any, image: Any) -> tuple[float, float, float, float]:
    h, w = image.shape[:2]
    return box[0] / w, box[1] / h, box[2] / w, box[3] / h


def crop(pixels: Any, box: tuple[float, float, float, float]) -> Any:
    """Return the padded crop; ``box`` in shares of the picture."""
    h, w = pixels.shape[:2]
    dx, dy = (box[2] - box[0]) * PADDING, (box[3] - box[1]) * PADDING
    x0, x1 = max(0, int((box[0] - dx) * w)), min(w, int(np.ceil((box[2] + dx) * w)))
    y0, y1 = max(0, int((box[1] - dy) * h)), min(h, int(np.ceil((box[3] + dy) * h)))
    return np.ascontiguousarray(pixels[y0:y1, x0:x1])


def fit(vectors: Any, targets: Any, count: int, penalty: float) -> tuple[Any, Any]:
    """Return weights (size, count) and bias (count,) of least penalised cross-entropy; rare values weigh more."""
    from scipy.optimize import minimize

    mean, spread = vectors.mean(0), vectors.std(0) + 1e-6
    x = ((vectors - mean) / spread).astype(np.float64)
    frequency = np.bincount(targets, minlength=count).astype(np.float64)
    weight = np.sqrt(frequency.sum() / count / np.maximum(frequency, 1))[targets]
    weight /= weight.sum()
    size = x.shape[1]

    def loss(flat: Any) -> tuple[float, Any]:
        w, b = flat[: size * count].reshape(size, count), flat[size * count :]
        scores = x @ w + b
        scores -= scores.max(1, keepdims=True)
        powers = np.exp(scores)
        probabilities = powers / powers.sum(1, keepdims=True)
        value = -(weight * np.log(probabilities[np.arange(len(x)), targets] + 1e-12)).sum() + penalty * (w**2).sum()
        probabilities[np.arange(len(x)), targets] -= 1
        pull = weight[:, None] * probabilities
        return float(value), np.concatenate([(x.T @ pull + 2 * penalty * w).ravel(), pull.sum(0)])

    found = minimize(loss, np.zeros(size * count + count), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x
    w = found[: size * count].reshape(size, count) / spread[:, None]
    return w.astype(np.float32), (found[size * count :] - mean @ w).astype(np.float32)


def trained(work: Path) -> tuple[Any, Any]:
    """Return weights (size, categories) and bias of the layer that was trained with the network, for unit vectors."""
    import torch

    layers = torch.load(work / "eye.pt", weights_only=True)["heads"]
    return layers["0.weight"].numpy().T * SHARPNESS, layers["0.bias"].numpy()


def train(data: dict[str, Any], work: Path, penalty: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays of the file and the held-out figures of each head."""
    vectors, truths, sources = data["vectors"], data["truths"], np.asarray(data["sources"])
    test = np.char.endswith(sources, "+test")
    arrays: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for head in ("category", *FACETS):
        has = np.asarray([head in truth for truth in truths])
        values = sorted(
            {truth[head] for truth, known, held in zip(truths, has, test, strict=True) if known and not held}
        )
        index = {value: place for place, value in enumerate(values)}
        rows = np.flatnonzero(has & ~test)
        targets = np.asarray([index[truths[row][head]] for row in rows])
        weights, bias = trained(work) if head == "category" else fit(vectors[rows], targets, len(values), penalty)
        weights, bias = weights.astype(np.float16), bias.astype(np.float32)
        arrays |= {f"{head}.values": np.asarray(values), f"{head}.weights": weights, f"{head}.bias": bias}
        figures[head] = _measure(head, values, weights, bias, vectors, truths, sources, has & test)
    return arrays, figures


def _measure(
    head: str, values: list[str], weights: Any, bias: Any, vectors: Any, truths: list[Any], sources: Any, rows: Any
) -> dict[str, Any]:
    import taxonomy

    words = taxonomy.load()
    made: dict[str, Any] = {"values": len(values)}
    for source in sorted(set(sources[rows])):
        mine = np.flatnonzero(rows & (sources == source))
        scores = vectors[mine] @ weights.astype(np.float32) + bias
        if head != "category":  # a facet is asked about a known category, as annotation does
            allowed = np.asarray([[words.allows(truths[row]["category"], value) for value in values] for row in mine])
            scores = np.where(allowed, scores, -np.inf)
        said = [values[place] for place in scores.argmax(1)]
        right = [truths[row][head] == word for row, word in zip(mine, said, strict=True)]
        made[source] = {"n": len(mine), "accuracy": round(float(np.mean(right)), 4)}
        if head == "category":
            made[source]["by_category"] = {
                category: [sum(r for r, row in zip(right, mine, strict=True) if truths[row][head] == category), n]
                for category in values
                if (n := sum(truths[row][head] == category for row in mine))
            }
    return made


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder with photos.csv of the CC0 photos")
    parser.add_argument("--work", type=Path, required=True, help="work folder of garment-yolo's training")
    parser.add_argument("--drawn", type=int, default=40, help="drawn garments of each category")
    parser.add_argument("--penalty", type=float, default=3e-5)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    arrays, figures = train(gather(options.photos, options.work, options.drawn), options.work, options.penalty)
    np.savez(options.out / "garment-probe.npz", **arrays)
    (options.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(
        json.dumps(
            {head: {s: v["accuracy"] for s, v in found.items() if s != "values"} for head, found in figures.items()}
        )
    )


if __name__ == "__main__":
    main()
