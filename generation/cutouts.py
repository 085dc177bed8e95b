"""A garment cut out of its photo: GrabCut from its box, a soft edge, and the reasons to refuse an implausible mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from catalog.errors import LookbenchError

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

WORK: Final = 224
"""Longest side, in pixels, at which GrabCut runs; the edge is found again at full size afterwards."""
MARGIN: Final = 0.04
"""Where the box meets the edge of the photo, this share of its inner side counts as background."""
PAIRED: Final = frozenset({"shoe", "sock", "glove", "leg warmer"})
"""Categories that lie in two pieces."""
LEGGED: Final = frozenset({"pants", "jumpsuit", "tights"})
"""Categories with a gap of background between their legs, which no box keeps out."""


class CutoutError(LookbenchError):
    """A garment that could not be cut out plausibly; ``reason`` is the ledger's code, ``evidence`` its measures."""

    def __init__(self, reason: str, message: str, evidence: dict[str, float]) -> None:
        super().__init__(message)
        self.reason, self.evidence = reason, evidence


@dataclass(frozen=True)
class Cutout:
    """One garment without its background, trimmed to its mask."""

    colour: Floats
    """(h, w, 3) sRGB in 0..1; near the edge the garment's own colour, never the old background's."""
    alpha: Floats
    """(h, w) 0..1."""
    measures: dict[str, float]
    """What plausibility was judged by: ``fill``, ``main_piece``, ``border``, ``edge``, ``raggedness``."""


def cut_out(pixels: Pixels, box: Sequence[float], category: str | None = None) -> Cutout:
    """Cut the garment in ``box`` (xyxy, pixels) out of a photo (H, W, 3).

    GrabCut (Rother et al. 2004) with what lies outside the box as sure background, then a guided filter (He et al.
    2010) on the full-size crop for the soft edge. Deterministic. Raises CutoutError with reason ``crop_too_small``,
    ``mask_too_small``, ``mask_fills_box``, ``mask_in_pieces``, ``mask_meets_border``, ``mask_ragged`` or
    ``edge_too_faint``.
    """
    import cv2

    crop, inner = _surroundings(pixels, box)
    if min(wide := inner[2] - inner[0], high := inner[3] - inner[1]) < 24:
        measures = {"width": wide, "height": high}
        raise CutoutError("crop_too_small", f"no cut-out: the crop is {wide:.0f} x {high:.0f} pixels", measures)
    share = min(WORK / max(crop.shape[:2]), 1.0)
    size = (max(round(crop.shape[1] * share), 8), max(round(crop.shape[0] * share), 8))
    small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
    mask = _grabcut(small, [value * share for value in inner], category in LEGGED)
    mask, main_piece = _main_pieces(mask, 2 if category in PAIRED else 1)
    measures = _measure(small, mask, main_piece, [value * share for value in inner])
    _judge(measures)
    alpha = _soften(crop, mask)
    return _trim(_own_colours(crop, alpha), alpha, measures)


def _surroundings(pixels: Pixels, box: Sequence[float]) -> tuple[Pixels, list[float]]:
    """The box with 8 % around it where the photo has it, and the part of it that may be garment (xyxy)."""
    height, width = pixels.shape[:2]
    x0, y0, x1, y1 = (float(value) for value in box)
    pad_x, pad_y = 0.08 * (x1 - x0), 0.08 * (y1 - y0)
    left, top = int(max(x0 - pad_x, 0)), int(max(y0 - pad_y, 0))
    right, bottom = int(min(x1 + pad_x + 0.5, width)), int(min(y1 + pad_y + 0.5, height))
    margin_x, margin_y = MARGIN * (x1 - x0), MARGIN * (y1 - y0)
    inner = [
        max(x0 - left, margin_x),
        max(y0 - top, margin_y),
        min(x1 - left, right - left - margin_x),
        min(y1 - top, bottom - top - margin_y),
    ]
    return pixels[top:bottom, left:right], inner


def _grabcut(small: Pixels, inner: Sequence[float], legs: bool) -> npt.NDArray[np.uint8]:
    import cv2

    height, width = small.shape[:2]
    left, top = max(int(inner[0]), 1), max(int(inner[1]), 1)
    right, bottom = min(int(inner[2]), width - 1), min(int(inner[3]), height - 1)
    mask = np.full((height, width), cv2.GC_BGD, np.uint8)
    mask[top:bottom, left:right] = cv2.GC_PR_FGD
    cv2.setRNGSeed(0)  # GrabCut's k-means draws from this thread's generator
    models = np.zeros((1, 65)), np.zeros((1, 65))
    smooth = cv2.bilateralFilter(small, 5, 18, 3)  # weave and JPEG noise are no edges
    cv2.grabCut(smooth, mask, None, *models, 3, cv2.GC_INIT_WITH_MASK)
    if legs and (gap := _between_legs(smooth, mask == cv2.GC_PR_FGD, (left, top, right, bottom))).any():
        mask[gap] = cv2.GC_BGD
        cv2.grabCut(smooth, mask, None, *models, 2, cv2.GC_INIT_WITH_MASK)
    found = ((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    return np.asarray(
        cv2.morphologyEx(cv2.morphologyEx(found, cv2.MORPH_OPEN, kernel), cv2.MORPH_CLOSE, kernel), np.uint8
    )


def _between_legs(small: Pixels, found: npt.NDArray[np.bool_], box: tuple[int, int, int, int]) -> npt.NDArray[np.bool_]:
    """Pixels of the mask in the triangle between the legs that have clearly another colour than the garment."""
    import cv2

    left, top, right, bottom = box
    middle, half, tall = (left + right) / 2, 0.2 * (right - left), bottom - top
    triangle = np.zeros(found.shape, np.uint8)
    corners = [(middle, top + 0.36 * tall), (middle + half, bottom), (middle - half, bottom)]
    cv2.fillPoly(triangle, [np.asarray(corners, np.int32)], 1)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    garment = found & (triangle == 0)
    if not garment.any():
        return np.zeros_like(found)
    centre = np.median(lab[garment], axis=0)
    usual = float(np.percentile(np.linalg.norm(lab[garment] - centre, axis=1), 75))
    foreign = np.linalg.norm(lab - centre, axis=2) > max(24.0, 1.8 * usual)
    return np.asarray(found & (triangle == 1) & foreign, np.bool_)


def _main_pieces(mask: npt.NDArray[np.uint8], pieces: int) -> tuple[npt.NDArray[np.uint8], float]:
    """Keep the largest piece or two, close pinholes, and return the share of the mask that was kept."""
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    if count < 2:
        return mask, 0.0
    areas = stats[1:, cv2.CC_STAT_AREA]
    order = np.argsort(-areas, kind="stable")
    chosen = [int(k) + 1 for k in order[:pieces] if areas[k] >= 0.4 * areas[order[0]]]
    kept = np.isin(labels, chosen).astype(np.uint8)
    holes, hole_labels, hole_stats, _ = cv2.connectedComponentsWithStats(1 - kept, connectivity=4)
    for hole in range(1, holes):
        if hole_stats[hole, cv2.CC_STAT_AREA] < 0.01 * kept.sum():
            kept[hole_labels == hole] = 1
    return kept, float(areas[[k - 1 for k in chosen]].sum() / areas.sum())


def _measure(small: Pixels, mask: npt.NDArray[np.uint8], main_piece: float, inner: Sequence[float]) -> dict[str, float]:
    import cv2

    area = float(mask.sum())
    left, top, right, bottom = (int(value) for value in inner)
    rim = mask[top:bottom, left:right]
    sides = np.concatenate([rim[:2].max(axis=0), rim[-2:].max(axis=0), rim[:, :2].max(axis=1), rim[:, -2:].max(axis=1)])
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    thin = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    inside = (cv2.erode(mask, thin) - cv2.erode(mask, kernel)).astype(bool)
    outside = (cv2.dilate(mask, kernel) - cv2.dilate(mask, thin)).astype(bool)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    around = sum(cv2.arcLength(contour, True) for contour in contours)
    hull = sum(cv2.arcLength(cv2.convexHull(contour), True) for contour in contours)
    return {
        "fill": round(area / max((right - left) * (bottom - top), 1), 4),
        "main_piece": round(main_piece, 4),
        "border": round(float(sides.mean()), 4),
        "edge": round(_step(lab, inside, outside), 3),
        "raggedness": round(around / max(hull, 1.0), 4),
    }


def _step(lab: Floats, inside: npt.NDArray[np.bool_], outside: npt.NDArray[np.bool_]) -> float:
    """Median colour distance (CIE76) from each pixel just inside the mask to the mean just outside, nearby."""
    import cv2

    if not inside.any() or not outside.any():
        return 0.0
    weight = outside.astype(np.float32)
    near = cv2.boxFilter(lab * weight[..., None], -1, (13, 13), normalize=False)
    count = cv2.boxFilter(weight, -1, (13, 13), normalize=False)
    known = inside & (count > 0.5)
    if not known.any():
        return 0.0
    beyond = near[known] / count[known][:, None]
    return float(np.median(np.linalg.norm(lab[known] - beyond, axis=1)))


_LIMITS: Final = (
    # measure, worst value allowed, +1 when more is worse, reason, what it means; set on 300 of the CC0 photos by eye
    ("fill", 0.12, -1, "mask_too_small", "the mask covers too little of the box"),
    ("fill", 0.93, +1, "mask_fills_box", "the mask covers the whole box, so nothing was told apart"),
    ("main_piece", 0.80, -1, "mask_in_pieces", "the mask falls into pieces"),
    ("border", 0.33, +1, "mask_meets_border", "the mask runs along the edge of the box"),
    ("raggedness", 1.9, +1, "mask_ragged", "the outline is torn"),
    ("edge", 7.0, -1, "edge_too_faint", "garment and background have nearly one colour along the outline"),
)


def _judge(measures: dict[str, float]) -> None:
    for name, limit, sign, reason, meaning in _LIMITS:
        if sign * (measures[name] - limit) > 0:
            raise CutoutError(reason, f"no cut-out: {meaning} ({name} {measures[name]:g}, limit {limit:g})", measures)


def _soften(crop: Pixels, mask: npt.NDArray[np.uint8]) -> Floats:
    """Full-size alpha (h, w): the small mask pulled to the edges of the crop, about two pixels wide."""
    import cv2

    height, width = crop.shape[:2]
    grown = cv2.resize(mask.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    reach = max(round(max(height, width) / WORK * 2), 2)
    guide = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    filtered = _guided(guide, np.clip(grown, 0, 1), 2 * reach + 1, 1e-3)
    near = cv2.GaussianBlur(grown, (0, 0), reach / 2)
    filtered = np.clip(filtered, near - 0.35, near + 0.35)  # the guide may move the edge, not tear it
    # Steeper and half a pixel inwards: what is doubtful is background.
    sharp = np.clip((filtered - 0.5) * 1.9 + 0.32, 0, 1)
    return np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.8), np.float32)


def _guided(guide: Floats, values: Floats, window: int, epsilon: float) -> Floats:
    """Guided filter of ``values`` by a grey ``guide``, both (h, w) in 0..1 (He, Sun, Tang 2010, equations 5, 6, 8)."""
    import cv2

    def mean(x: Floats) -> Floats:
        return np.asarray(cv2.boxFilter(x, -1, (window, window), borderType=cv2.BORDER_REFLECT), np.float32)

    mean_guide, mean_values = mean(guide), mean(values)
    slope = (mean(guide * values) - mean_guide * mean_values) / (mean(guide * guide) - mean_guide**2 + epsilon)
    return np.asarray(mean(slope) * guide + mean(mean_values - slope * mean_guide), np.float32)


def _own_colours(crop: Pixels, alpha: Floats) -> Floats:
    """The crop in 0..1 with the colours of its soft edge drawn from the garment's inside, so that no halo stays."""
    import cv2

    colour = np.asarray(crop / 255, np.float32)
    sure = cv2.erode((alpha > 0.97).astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.float32)
    spread, weight = colour * sure[..., None], sure
    filled = colour.copy()
    done = sure.copy()
    for sigma in (1.5, 3.0, 6.0):
        total = cv2.GaussianBlur(spread, (0, 0), sigma)
        count = cv2.GaussianBlur(weight, (0, 0), sigma)
        take = (done < 0.5) & (count > 0.02)
        filled[take] = total[take] / count[take][:, None]
        done[take] = 1
    return filled


def _trim(colour: Floats, alpha: Floats, measures: dict[str, float]) -> Cutout:
    rows, columns = np.nonzero(alpha.max(axis=1) > 0.05)[0], np.nonzero(alpha.max(axis=0) > 0.05)[0]
    window = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return Cutout(np.ascontiguousarray(colour[window]), np.ascontiguousarray(alpha[window]), measures)
