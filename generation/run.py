"""The AI pictures of an edition, made from its kept garments, and those of a single photo."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from catalog import decode, tables
from catalog.errors import LookbenchError
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog
from generation import recipes
from generation.making import Cutter, Gate, GenerationPolicy, Made, make
from generation.pipelines import Pipeline
from taxonomy import Taxonomy
from taxonomy import load as load_taxonomy

__all__ = ["Gate", "GenerationError", "GenerationPolicy", "Made", "files", "from_image", "generate", "planned"]


class GenerationError(LookbenchError):
    """A photo from which nothing can be generated."""


def generate(
    seeds: pa.Table,
    catalog: Catalog,
    pipeline: Pipeline,
    policy: GenerationPolicy,
    *,
    edition: str,
    seed: int,
    now: datetime,
    products: pa.Table | None = None,
    photos: pa.Table | None = None,
    taxonomy: Taxonomy | None = None,
    gate: Gate | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StepResult:
    """Make the AI pictures of an edition from ``seeds``, its kept rows of table ``items`` with their product.

    ``products`` lends its texts to the prompts, ``photos`` its settings and licences (see ``planned``). Makes tables
    ``photos`` (origin ``generated``) and ``generated``; the bytes go into the catalog. The ledger has one row per plan
    (subject ``seed``, ids as ``planned`` gives them): kept, or dropped as ``cutout_failed``, ``safety``,
    ``safety_unchecked`` or ``not_needed`` (a reserve that was not called). The same inputs give the same bytes on the
    same machine.
    """
    taxonomy = taxonomy or load_taxonomy()
    plans = planned(seeds, policy, edition=edition, seed=seed, products=products, photos=photos, taxonomy=taxonomy)
    ledger, cutter, made = Ledger("generate", "seed", edition), Cutter(catalog), list[Made]()
    wanted = {"studio": policy.studio, "street": policy.street}
    total = sum(min(count, sum(plan.recipe == recipe for plan in plans)) for recipe, count in wanted.items())
    for recipe, count in wanted.items():
        waiting = [plan for plan in plans if plan.recipe == recipe]
        missing = count
        while waiting and missing:
            trial, waiting = waiting[:missing], waiting[missing:]
            for one in make(trial, cutter, pipeline, policy, ledger, now=now, gate=gate):
                catalog.put_image(one.data)
                made.append(one)
                missing -= 1
                if progress:
                    progress(len(made), total)
        for plan in waiting:
            ledger.dropped(plan.id, "not_needed", parent_id=plan.seeds[0].photo_id, evidence={"wanted": count})
    licences = _licences(photos)
    return StepResult(
        {
            "photos": tables.from_rows("photos", [_photo_row(one, policy, licences) for one in made]),
            "generated": tables.from_rows("generated", [one.row for one in made]),
        },
        ledger.table(),
        {
            "planned": dict(Counter(plan.recipe for plan in plans)),
            "made": dict(Counter(one.plan.recipe for one in made)),
            "pipeline": pipeline.name,
            "revision": pipeline.revision,
        },
    )


def planned(
    seeds: pa.Table,
    policy: GenerationPolicy,
    *,
    edition: str,
    seed: int,
    products: pa.Table | None = None,
    photos: pa.Table | None = None,
    taxonomy: Taxonomy | None = None,
) -> list[recipes.Plan]:
    """Return the plans, reserves included, that ``generate`` works through with the same arguments.

    No seeds are: items without a product, small ones, and those of photos that ``photos`` says show a person (setting
    ``model`` or ``street``), since no person may come into a generated picture.
    """
    taxonomy = taxonomy or load_taxonomy()
    worn = _worn(photos)
    texts = {row["product_id"]: _text(row) for row in products.to_pylist()} if products is not None else {}
    usable = [
        recipes.seed_of(row, taxonomy, texts.get(row["product_id"]))
        for row in seeds.to_pylist()
        if row["product_id"] and row["photo_id"] not in worn and _shorter_side(row["box"]) >= policy.min_crop
    ]
    spare = 1 + policy.reserve
    return recipes.plan(
        usable, studio=round(policy.studio * spare), street=round(policy.street * spare), edition=edition, seed=seed
    )


def from_image(
    data: bytes,
    pipeline: Pipeline,
    *,
    recipe: recipes.Recipe,
    count: int,
    seed: int,
    now: datetime,
    policy: GenerationPolicy | None = None,
    category: str = "garment",
    taxonomy: Taxonomy | None = None,
) -> list[Made]:
    """Make ``count`` pictures from one photo file, the whole of it taken as the garment's box; scenes take turns.

    Raises DecodeError for a file that is no photo, and GenerationError when no picture can be made of its garment.
    """
    policy, taxonomy = policy or GenerationPolicy(), taxonomy or load_taxonomy()
    pixels = decode.decode(data).pixels
    height, width = pixels.shape[:2]
    row = {"item_id": "image", "photo_id": decode.pixel_digest(pixels), "box": (0, 0, width, height)}
    one = recipes.seed_of({**row, "category": category}, taxonomy)
    plans = [recipes.single(recipe, number, one, seed) for number in range(1, count + 1)]
    ledger = Ledger("generate", "seed")
    made = list(make(plans, Cutter(None, {one.photo_id: pixels}), pipeline, policy, ledger, now=now))
    lost = [row for row in ledger.table().to_pylist() if row["outcome"] == "dropped"]
    if lost and not made:
        raise GenerationError(
            f"no picture could be made: {lost[0]['reason']} {lost[0]['evidence']}; give a photo of one garment on a "
            "background that it stands out from"
        )
    return made


def files(made: Sequence[Made]) -> dict[str, bytes]:
    """Return what a folder of these pictures holds by name: ``studio-0001.jpg``, ... and ``provenance.json``."""
    names = ["-".join(one.plan.id.split("-")[:2]) + ".jpg" for one in made]
    record = {name: one.row for name, one in zip(names, made, strict=True)}
    text = json.dumps(record, indent=1, sort_keys=True, default=datetime.isoformat)
    return {
        **{name: one.data for name, one in zip(names, made, strict=True)},
        "provenance.json": f"{text}\n".encode(),
    }


def _text(product: Mapping[str, Any]) -> str:
    parts = (product["name"], product["colour"], product["material"], product["description"])
    return ". ".join(part for part in parts if part)


def _shorter_side(box: Sequence[float]) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _worn(photos: pa.Table | None) -> set[str]:
    rows = photos.select(["photo_id", "setting"]).to_pylist() if photos is not None else []
    return {row["photo_id"] for row in rows if row["setting"] in {"model", "street"}}


def _licences(photos: pa.Table | None) -> dict[str, str]:
    rows = photos.select(["photo_id", "licence"]).to_pylist() if photos is not None else []
    return {row["photo_id"]: row["licence"] for row in rows if row["licence"]}


def _photo_row(one: Made, policy: GenerationPolicy, licences: Mapping[str, str]) -> dict[str, Any]:
    placed = set(one.row["seed_item_ids"])
    stated = {
        licences[seed.photo_id] for seed in one.plan.seeds if seed.item_id in placed and seed.photo_id in licences
    }
    return {
        "photo_id": one.row["photo_id"],
        "bytes": len(one.data),
        "mime": "image/jpeg",
        "width": policy.width,
        "height": policy.height,
        "origin": "generated",
        "shows": one.row["seed_product_ids"],
        "setting": "street" if one.plan.recipe == "street" else "flat",
        "licence": " AND ".join(sorted(stated)) or None,
        "first_seen": one.row["created_at"],
    }
