"""Identity: which product a garment of a look is, and whether a generated garment still is its seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from catalog import tables
from catalog.ledger import Ledger
from catalog.steps import StepResult

Vector = npt.NDArray[np.float32]
Box = Sequence[float]


@dataclass(frozen=True)
class IdentityPolicy:
    """How sure the tie between a garment and a product must be."""

    look_cosine: float = 0.6
    """Cosine of a look's garment to the nearest photo of a linked product, from which it is that product."""
    look_margin: float = 0.02
    """By how much that product must be nearer than any other linked one."""
    seed_cosine: float = 0.5
    """Cosine of a generated garment to its seed below which it is no longer the same garment."""
    seed_overlap: float = 0.5
    """Intersection over union of a found box with the place where the seed was put, from which they are one."""


def assign(
    items: pa.Table,
    fingerprints: pa.Table,
    products: pa.Table,
    photos: pa.Table,
    policy: IdentityPolicy,
    *,
    edition: str,
) -> StepResult:
    """Fill ``product_id`` of the garments in looks from the products that their page links.

    Within a look the surest pairs are tied first, each product once. Table ``items``; ledger of subject ``item``: all
    are kept, with reason ``ok`` (shop photo), ``tied`` or ``no_product`` and the cosines.
    """
    del products  # what a page links is in the photos; the argument keeps the door open for text
    vectors = _vectors(fingerprints)
    rows = items.to_pylist()
    shows = {row["photo_id"]: row["shows"] or [] for row in photos.to_pylist()}
    views = _views(rows, vectors)
    tied: dict[str, tuple[str, dict[str, Any]]] = {}
    looks: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["product_id"] is None:
            looks.setdefault(row["photo_id"], []).append(row)
    for photo_id, garments in looks.items():
        tied |= _tie(garments, [p for p in shows.get(photo_id, []) if p in views], views, vectors, policy)
    ledger = Ledger("tie-to-products", "item", edition)
    for row in rows:
        if row["product_id"] is not None:
            ledger.kept(row["item_id"], parent_id=row["photo_id"])
        elif row["item_id"] in tied:
            row["product_id"], evidence = tied[row["item_id"]]
            ledger.kept(row["item_id"], "tied", parent_id=row["photo_id"], evidence=evidence)
        else:
            linked = {"linked_products": len(shows.get(row["photo_id"], [])), "threshold": policy.look_cosine}
            ledger.kept(row["item_id"], "no_product", parent_id=row["photo_id"], evidence=linked)
    return StepResult({"items": tables.from_rows("items", rows)}, ledger.table())


def _tie(
    garments: Sequence[Mapping[str, Any]],
    linked: Sequence[str],
    views: Mapping[str, Vector],
    vectors: Mapping[str, Vector],
    policy: IdentityPolicy,
) -> dict[str, tuple[str, dict[str, Any]]]:
    if not linked:
        return {}
    near = {
        garment["item_id"]: {product: float((views[product] @ vectors[garment["item_id"]]).max()) for product in linked}
        for garment in garments
        if garment["item_id"] in vectors
    }
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    pairs = sorted(((c, i, p) for i, row in near.items() for p, c in row.items()), key=lambda t: (-t[0], t[1], t[2]))
    taken: set[str] = set()
    for cosine, item, product in pairs:
        if item in found or product in taken or cosine < policy.look_cosine:
            continue
        others = [c for p, c in near[item].items() if p != product and p not in taken]
        second = max(others, default=-1.0)
        if cosine - second < policy.look_margin:
            continue
        evidence = {"cosine": round(cosine, 4), "second": round(second, 4), "threshold": policy.look_cosine}
        found[item] = (product, evidence)
        taken.add(product)
    return found


def check(
    items: pa.Table, generated: pa.Table, fingerprints: pa.Table, policy: IdentityPolicy, *, edition: str
) -> StepResult:
    """Hold each garment found in a generated picture against the seed it was made from.

    Tables ``items`` (kept ones, with the seed's product) and ``generated`` (with the lowest cosine of a picture as
    ``identity_score``); ledger of subject ``item``: kept, or dropped as ``not_a_seed`` (no seed was put there),
    ``seed_unknown`` (no fingerprint of the seed) or ``identity_lost``.
    """
    vectors = _vectors(fingerprints)
    made = {row["photo_id"]: row for row in generated.to_pylist()}
    ledger, kept, scores = Ledger("generated-identity", "item", edition), [], dict[str, list[float]]()
    for row in items.to_pylist():
        seed, overlap = _seed_at(row["box"], made[row["photo_id"]])
        where = {"overlap": round(overlap, 3), "threshold": policy.seed_overlap}
        if seed is None or overlap < policy.seed_overlap:
            ledger.dropped(row["item_id"], "not_a_seed", parent_id=row["photo_id"], evidence=where)
            continue
        item, product = seed
        if item not in vectors or row["item_id"] not in vectors:
            ledger.dropped(row["item_id"], "seed_unknown", parent_id=row["photo_id"], evidence={"seed": item})
            continue
        cosine = float(vectors[item] @ vectors[row["item_id"]])
        scores.setdefault(row["photo_id"], []).append(cosine)
        evidence = {"seed": item, "cosine": round(cosine, 4), "threshold": policy.seed_cosine}
        if cosine < policy.seed_cosine:
            ledger.dropped(row["item_id"], "identity_lost", parent_id=row["photo_id"], evidence=evidence)
            continue
        ledger.kept(row["item_id"], parent_id=row["photo_id"], evidence=evidence)
        kept.append({**row, "product_id": product})
    scored = [
        {**row, "identity_score": min(scores.get(key, [np.nan])) if key in scores else None}
        for key, row in made.items()
    ]
    return StepResult(
        {"items": tables.from_rows("items", kept), "generated": tables.from_rows("generated", scored)}, ledger.table()
    )


def _seed_at(box: Box, made: Mapping[str, Any]) -> tuple[tuple[str, str] | None, float]:
    seeds = zip(made["seed_item_ids"], made["seed_product_ids"], made["seed_boxes"], strict=True)
    overlaps = [(overlap(box, place), (item, product)) for item, product, place in seeds]
    best, seed = max(overlaps, default=(0.0, None), key=lambda pair: pair[0])
    return seed, best


def overlap(a: Box, b: Box) -> float:
    """Return the intersection over union of two xyxy boxes, 0 to 1."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def _vectors(fingerprints: pa.Table) -> dict[str, Vector]:
    if not fingerprints.num_rows:
        return {}
    flat = fingerprints["embedding"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    rows = flat.reshape(fingerprints.num_rows, -1).astype(np.float32)
    return dict(zip(fingerprints["id"].to_pylist(), rows, strict=True))


def _views(rows: Sequence[Mapping[str, Any]], vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    """Return product -> the vectors of its garments in shop photos, shape (n, d)."""
    views: dict[str, list[Vector]] = {}
    for row in rows:
        if row["product_id"] is not None and row["item_id"] in vectors:
            views.setdefault(row["product_id"], []).append(vectors[row["item_id"]])
    return {product: np.stack(found) for product, found in views.items()}
