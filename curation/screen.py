"""Screening: photos that do not decode, are too small, blank, extremely long, or hold text instead of a garment."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from catalog import tables
from catalog.decode import DecodeError, Pixels, decode
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog, StoreError
from curation.review.verdicts import REASON, Verdicts

Progress = Callable[[int, int], None]
PORTION = 64  # photos in memory at a time


@dataclass(frozen=True)
class ScreenPolicy:
    """Which photos are worth looking at."""

    min_side: int = 160
    """Shorter side, in pixels, below which a photo is ``too_small``."""
    max_aspect: float = 4.0
    """Longer side over shorter side above which a photo is ``extreme_aspect`` (banners)."""
    max_pixels: int = 100_000_000
    """Pixels above which a photo is refused from its header."""
    min_deviation: float = 4.0
    """Standard deviation of the grey levels (0 to 255) below which a photo is ``blank``."""
    max_flat: float = 0.97
    """Share of pixels within 2 levels of the commonest grey above which a photo is ``text_card``: lines on a ground."""
    look_at: int = 256
    """Longest side, in pixels, of the reduced picture that these figures are taken from."""
    threads: int = 2
    """Photos decoded at a time."""


def screen(
    photos: pa.Table,
    catalog: Catalog,
    policy: ScreenPolicy,
    *,
    edition: str,
    verdicts: Verdicts | None = None,
    progress: Progress | None = None,
) -> StepResult:
    """Keep the photos that can be used; table ``photos`` with upright width and height, ledger of subject ``photo``.

    Reasons: those of DecodeError, ``missing_bytes``, ``too_small``, ``extreme_aspect``, ``blank``, ``text_card``; each
    with the measured value and its threshold. A reviewer's verdict on a photo that decodes decides before all figures
    (``reviewer``).
    """
    ledger, kept, said = Ledger("screen", "photo", edition), [], verdicts or {}
    rows = photos.to_pylist()
    for done, (row, verdict) in enumerate(_judged(rows, catalog, policy), 1):
        reason, evidence, size = verdict
        stays = said.get(row["photo_id"]) if size[0] else None
        if stays is not None:
            evidence = {**evidence, "machine": reason or "ok"}
            reason = None if stays else REASON
        if reason:
            ledger.dropped(row["photo_id"], reason, evidence=evidence)
        else:
            ledger.kept(row["photo_id"], REASON if stays else "ok", evidence=evidence)
            kept.append({**row, "width": size[0], "height": size[1]})
        if progress:
            progress(done, len(rows))
    return StepResult({"photos": tables.from_rows("photos", kept)}, ledger.table())


Verdict = tuple[str | None, dict[str, Any], tuple[int, int]]


def _judged(
    rows: list[dict[str, Any]], catalog: Catalog, policy: ScreenPolicy
) -> Iterator[tuple[dict[str, Any], Verdict]]:
    with ThreadPoolExecutor(policy.threads) as pool:
        for start in range(0, len(rows), PORTION):
            portion = rows[start : start + PORTION]
            yield from zip(portion, pool.map(lambda row: _look(row["photo_id"], catalog, policy), portion), strict=True)


def _look(photo_id: str, catalog: Catalog, policy: ScreenPolicy) -> Verdict:
    try:
        data = catalog.get_image(photo_id)
        decoded = decode(data, max_pixels=policy.max_pixels, reduce_to=policy.look_at)
    except DecodeError as error:
        return error.reason, {"message": str(error)}, (0, 0)
    except StoreError as error:
        return "missing_bytes", {"message": str(error)}, (0, 0)
    return judge(decoded.pixels, (decoded.width, decoded.height), policy)


def judge(pixels: Pixels, size: tuple[int, int], policy: ScreenPolicy) -> Verdict:
    """Return (reason or None, evidence, size) for (H, W, 3) pixels, reduced or not, of a photo of ``size`` (w, h)."""
    shorter, longer = sorted(size)
    if shorter < policy.min_side:
        return "too_small", {"shorter_side": shorter, "threshold": policy.min_side}, size
    if longer > policy.max_aspect * shorter:
        return "extreme_aspect", {"aspect": round(longer / shorter, 2), "threshold": policy.max_aspect}, size
    grey = pixels.mean(axis=2)
    deviation = float(grey.std())
    if deviation < policy.min_deviation:
        return "blank", {"deviation": round(deviation, 2), "threshold": policy.min_deviation}, size
    counts = np.bincount(grey.astype(np.uint8).ravel(), minlength=256)
    common = int(counts.argmax())
    flat = float(counts[max(0, common - 2) : common + 3].sum() / grey.size)
    if flat > policy.max_flat:
        return "text_card", {"flat": round(flat, 4), "threshold": policy.max_flat}, size
    return None, {"deviation": round(deviation, 1), "flat": round(flat, 3)}, size
