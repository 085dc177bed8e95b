"""Results of invented models on an invented release, for the leaderboard: some of them know the older samples by heart."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from lookbench_eval import Release, Result, Samples, evaluate
from lookbench_eval.encoders import ModelCard
from lookbench_eval.encoders.precomputed import Embeddings
from lookbench_eval.evaluation import Declared
from lookbench_eval.readers import Split, Subset

FIRST = date(2026, 6, 3)
SIZES = {"real_studio_flat": 40, "aigen_studio": 20, "real_streetlook": 40, "aigen_streetlook": 20}
CATEGORIES = ("dress", "coat", "shoe", "bag", "skirt", "shirt")
MAINS = ("floral", "plain", "striped", "leather", "denim")


@dataclass(frozen=True)
class Invented:
    """An invented model: how blurred it sees, and until when it has seen the samples before."""

    name: str
    blur: float
    cutoff: date | None
    leak: float = 1.0
    """Factor on the blur for samples that are not newer than the cutoff."""


MODELS = (
    Invented("Fresh-Fashion-L", 1.05, date(2026, 5, 31)),
    Invented("Old-but-broad <b>SigLIP</b>", 1.3, date(2025, 1, 1)),
    Invented("Has-seen-it-all", 1.6, date(2026, 9, 15), leak=0.35),
    Invented("Silent-Lab-XL", 1.1, None),
)


def invented_release(scale: int = 1, days: int = 170) -> Release:
    """A release without pictures: each query has two photos of its product in the gallery."""
    rng = np.random.default_rng(1)
    parts = []
    product = 0
    for subset, size in SIZES.items():
        query, gallery = [], []
        street = "street" in subset
        for number in range(size * scale):
            label = {
                "category": CATEGORIES[rng.integers(len(CATEGORIES))],
                "main_attribute": MAINS[rng.integers(len(MAINS))],
                "attributes": [f"a{value}" for value in rng.integers(0, 12, 3)],
                "item": f"p{product}",
            }
            product += 1
            day = (FIRST + timedelta(days=int(rng.integers(days)))).isoformat()
            look = f"look-{subset}-{number // 3}" if street else ""
            query.append({**label, "id": f"{subset}-q{number}", "look": look, "date": day})
            gallery += [{**label, "id": f"{subset}-g{number}-{copy}", "date": day} for copy in range(2)]
        parts.append(Subset(subset, Split(Samples.of(query), ()), Split(Samples.of(gallery), ())))
    return Release("lookbench-2026.12", "lookbench", tuple(parts), edition="2026.12", digest="0" * 64, verified=True)


def vectors(release: Release, model: Invented, dimension: int = 24) -> Embeddings:
    """Vectors of the product, blurred."""
    rng = np.random.default_rng(len(model.name))

    def of(samples: Samples) -> np.ndarray:
        seen = samples.dates <= np.datetime64(model.cutoff or "NaT")
        blur = np.where(seen, model.blur * model.leak, model.blur)
        own = np.stack([np.random.default_rng(int(item[1:])).normal(size=dimension) for item in samples.item])
        return own + blur[:, None] * rng.normal(size=own.shape)

    query = np.concatenate([of(part.query.samples) for part in release.subsets])
    gallery = np.concatenate([of(part.gallery.samples) for part in release.subsets])
    card = ModelCard(f"onnx:{model.name}.onnx", model.name, f"sha256:{len(model.name):064x}", {"size": [224, 224]})
    return Embeddings(query, gallery, card)


def results(release: Release | None = None) -> Mapping[str, Result]:
    """One result per invented model."""
    release = release or invented_release()
    return {
        model.name: evaluate(
            release,
            embeddings=vectors(release, model),
            declared=Declared(model.name, model.cutoff, ("Shop photos 2024", "LAION") if model.cutoff else ()),
        )
        for model in MODELS
    }
