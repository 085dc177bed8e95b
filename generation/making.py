"""One plan becomes one picture: cut out, place, have it painted, check, finish, mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from catalog import decode
from catalog.ids import sha256
from catalog.ledger import Ledger
from catalog.store import Catalog, StoreError
from generation import marks, scenes
from generation.cutouts import Cutout, CutoutError, cut_out
from generation.pipelines import Painting, Pipeline, Request
from generation.recipes import Plan, Seed

Pixels = npt.NDArray[np.uint8]

TOOL: Final = "LookBench"
PORTION: Final = 16
"""Plans worked together: enough for a batch of the model, few enough to hold in memory."""


class Gate(Protocol):
    """A safety check of finished pictures, beside what the pipeline itself says."""

    def __call__(self, pixels: Pixels) -> tuple[bool, str]:
        """Return whether the picture (h, w, 3) may be used, and the verdict to record."""
        ...


@dataclass(frozen=True)
class GenerationPolicy:
    """How many AI pictures an edition gets and how they are made."""

    studio: int = 60
    """Pictures of one garment, at most; fewer when there are fewer products."""
    street: int = 20
    """Looks of two to four garments, at most."""
    reserve: float = 0.4
    """Share of further plans that stand by for those whose garment cannot be cut out."""
    steps: int = 20
    """Denoising steps."""
    width: int = 512
    """Pixels; a multiple of 8."""
    height: int = 640
    """Pixels; a multiple of 8."""
    quality: int = 92
    """JPEG quality."""
    min_crop: int = 120
    """A garment whose crop is narrower or lower than this many pixels is no seed."""
    keep_unchecked: bool = False
    """Keep pictures of a text-guided pipeline that has no safety checker."""


@dataclass(frozen=True)
class Made:
    """One finished picture."""

    plan: Plan
    data: bytes
    """JPEG, marked as synthetic."""
    row: dict[str, Any]
    """Its row of table ``generated``."""


@dataclass(frozen=True)
class _Set:
    """A plan whose garments are cut out and placed, back to front, waiting for its scene."""

    plan: Plan
    seeds: tuple[Seed, ...]
    placements: tuple[scenes.Placement, ...]


class Cutter:
    """Cut-outs by item, each made once; photos come from ``pixels`` by photo id, else from ``catalog``."""

    def __init__(self, catalog: Catalog | None, pixels: Mapping[str, Pixels] | None = None) -> None:
        self._catalog, self._pixels = catalog, dict(pixels or {})
        self._known: dict[str, Cutout | CutoutError] = {}

    def cut(self, seeds: Sequence[Seed]) -> list[Cutout | CutoutError]:
        """Return the cut-out of each seed, or why there is none."""
        new = {one.item_id: one for one in seeds if one.item_id not in self._known}
        with ThreadPoolExecutor(2) as pool:  # OpenCV works without the interpreter's lock
            self._known.update(zip(new, pool.map(self._one, new.values()), strict=True))
        return [self._known[one.item_id] for one in seeds]

    def _one(self, seed: Seed) -> Cutout | CutoutError:
        try:
            return cut_out(self._photo(seed.photo_id), seed.box, seed.category)
        except CutoutError as error:
            return error
        except (decode.DecodeError, StoreError) as error:
            return CutoutError("photo_unreadable", str(error), {})

    def _photo(self, photo_id: str) -> Pixels:
        if photo_id in self._pixels or self._catalog is None:
            return self._pixels[photo_id]
        return decode.decode(self._catalog.get_image(photo_id)).pixels


def make(
    plans: Sequence[Plan], cutter: Cutter, pipeline: Pipeline, policy: GenerationPolicy, ledger: Ledger, *,
    now: datetime, gate: Gate | None = None,
) -> Iterator[Made]:  # fmt: skip
    """Work through plans in order; each is yielded as a picture and kept in the ledger, or dropped there."""
    size = policy.width, policy.height
    for portion in _cut_ahead(plans, cutter):
        ready = [placed for plan in portion if (placed := _place(plan, cutter, policy, ledger))]
        requests = [
            Request(
                s.plan.scene.name,
                s.plan.prompt,
                s.plan.negative_prompt,
                s.plan.seed,
                scenes.flatten(s.placements, size),
            )
            for s in ready
        ]
        for placed, painting in zip(ready, pipeline.paint(requests, steps=policy.steps), strict=True):
            pixels = _finish(placed, painting, pipeline)
            refusal, verdict = _check(pixels, painting, policy, gate)
            if refusal:
                ledger.dropped(placed.plan.id, refusal, evidence={"verdict": verdict, "scene": placed.plan.scene.name})
                continue
            data = marks.mark(decode.encode_jpeg(pixels, policy.quality), tool=TOOL)
            row = _row(placed, sha256(data), verdict, pipeline, policy, now)
            seen = {"photo_id": row["photo_id"], "seeds": row["seed_item_ids"], "scene": placed.plan.scene.name}
            ledger.kept(placed.plan.id, parent_id=placed.plan.seeds[0].photo_id, evidence=seen)
            yield Made(placed.plan, data, row)


def _cut_ahead(plans: Sequence[Plan], cutter: Cutter) -> Iterator[Sequence[Plan]]:
    """Yield portions of plans whose garments are cut out, while OpenCV works on the next: painting takes one core."""
    portions = [plans[start : start + PORTION] for start in range(0, len(plans), PORTION)]
    with ThreadPoolExecutor(1) as ahead:
        work = [ahead.submit(cutter.cut, [one for plan in portion for one in plan.seeds]) for portion in portions[:1]]
        for portion, following in zip(portions, [*portions[1:], ()], strict=True):
            work.pop().result()
            work.append(ahead.submit(cutter.cut, [one for plan in following for one in plan.seeds]))
            yield portion


def _place(plan: Plan, cutter: Cutter, policy: GenerationPolicy, ledger: Ledger) -> _Set | None:
    """Place the garments of a plan; a look goes on without a garment that failed while it is still an outfit."""
    cut = list(zip(plan.seeds, cutter.cut(plan.seeds), strict=True))
    good = [(one, result) for one, result in cut if isinstance(result, Cutout)]
    is_outfit = len(plan.seeds) == 1 or (len(good) > 1 and any(one.group in scenes.BODY for one, _ in good))
    if not good or not is_outfit:
        why = {one.item_id: {"reason": r.reason, **r.evidence} for one, r in cut if isinstance(r, CutoutError)}
        ledger.dropped(plan.id, "cutout_failed", parent_id=plan.seeds[0].photo_id, evidence=why)
        return None
    rng, size = np.random.default_rng(plan.seed), (policy.width, policy.height)
    if plan.recipe == "studio":
        one, result = good[0]
        return _Set(plan, (one,), tuple(scenes.studio(result, size, plan.scene.how == "lying", rng)))
    groups = [one.group for one, _ in good]
    placements = scenes.outfit([result for _, result in good], groups, size, rng)
    back_to_front = scenes.order(groups)
    return _Set(plan, tuple(good[k][0] for k in back_to_front), tuple(placements[k] for k in back_to_front))


def _finish(placed: _Set, painting: Painting, pipeline: Pipeline) -> Pixels:
    if pipeline.paints_around:
        return scenes.paste(painting.pixels, placed.placements)
    rng = np.random.default_rng([placed.plan.seed, 1])
    return scenes.compose(painting.pixels, placed.placements, placed.plan.scene.how, rng)


def _check(pixels: Pixels, painting: Painting, policy: GenerationPolicy, gate: Gate | None) -> tuple[str | None, str]:
    """The ledger's reason to drop a picture, or None, and the verdict of all that checked it."""
    verdict = painting.verdict
    if painting.safe is False:
        return "safety", verdict
    if gate is not None:
        passed, said = gate(pixels)
        return None if passed else "safety", f"{verdict}; {said}"
    return "safety_unchecked" if painting.safe is None and not policy.keep_unchecked else None, verdict


def _row(
    placed: _Set, photo_id: str, verdict: str, pipeline: Pipeline, policy: GenerationPolicy, now: datetime
) -> dict[str, Any]:
    plan = placed.plan
    return {
        "photo_id": photo_id,
        "seed_item_ids": [one.item_id for one in placed.seeds],
        "seed_product_ids": [one.product_id for one in placed.seeds],
        "seed_boxes": [_inside(one.box, policy) for one in placed.placements],
        "recipe": plan.recipe,
        "pipeline": pipeline.name,
        "revision": pipeline.revision,
        "licence": pipeline.licence,
        "prompt": plan.prompt,
        "negative_prompt": plan.negative_prompt,
        "seed": plan.seed,
        "steps": policy.steps,
        "scheduler": pipeline.scheduler,
        "safety_verdict": verdict,
        "created_at": now,
    }


def _inside(box: Sequence[float], policy: GenerationPolicy) -> list[float]:
    return [
        float(np.clip(value, 0, limit)) for value, limit in zip(box, (policy.width, policy.height) * 2, strict=True)
    ]
