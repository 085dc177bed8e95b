"""Garments cut out of real photos: GrabCut from a thin margin, with a check that the mask is plausible."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]

_MARGIN = 0.04
_WORK = 176  # longer side in pixels at which GrabCut runs
_LEAST, _MOST = 0.08, 0.86
_EDGE_TOUCH = 0.25


@dataclass(frozen=True)
class CutOut:
    """A cut-out (H, W, 4) uint8 in the photo's own pixels, or the reason why there is none."""

    rgba: Image | None
    reason: str = ""


def mask_of(image: Image, seed: int = 0) -> Mask:
    """Foreground (H, W) uint8 in {0, 255} by GrabCut from a 4 % margin (Rother et al. 2004), largest parts kept."""
    import cv2

    h, w = image.shape[:2]
    scale = min(_WORK / max(h, w), 1.0)
    small = cv2.resize(image, (max(round(w * scale), 8), max(round(h * scale), 8)), interpolation=cv2.INTER_AREA)
    sh, sw = small.shape[:2]
    mx, my = max(round(sw * _MARGIN), 1), max(round(sh * _MARGIN), 1)
    marks = np.zeros((sh, sw), dtype=np.uint8)
    cv2.setRNGSeed(seed)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(small[..., ::-1].copy(), marks, (mx, my, sw - 2 * mx, sh - 2 * my), *models, 4, cv2.GC_INIT_WITH_RECT)
    front = np.isin(marks, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8)
    front = cv2.morphologyEx(front, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(front, connectivity=8)
    if count < 2:
        return np.zeros((h, w), dtype=np.uint8)
    areas = stats[1:, cv2.CC_STAT_AREA]
    keep = np.flatnonzero(areas >= 0.12 * areas.max()) + 1
    front = np.isin(labels, keep).astype(np.uint8)
    front = _filled(cv2.morphologyEx(front, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)))
    grown = cv2.resize(front * 255, (w, h), interpolation=cv2.INTER_CUBIC)
    smooth: Mask = (cv2.GaussianBlur(grown, (0, 0), 1.2) > 127).astype(np.uint8) * 255
    return smooth


def _filled(front: Mask) -> Mask:
    """Holes below 2 % of the picture filled; larger ones may be true gaps, as between a strap and a dress."""
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(1 - front, connectivity=4)
    out = front.copy()
    for k in range(1, count):
        x, y, w, h, area = stats[k]
        inside = x > 0 and y > 0 and x + w < front.shape[1] and y + h < front.shape[0]
        if inside and area < 0.02 * front.size:
            out[labels == k] = 1
    return out


def doubt(mask: Mask) -> str:
    """Why a mask is implausible as one garment, or an empty string."""
    import cv2

    share = float((mask > 0).mean())
    if share < _LEAST:
        return f"the cut-out covers {share:.0%} of the photo, below {_LEAST:.0%}"
    if share > _MOST:
        return f"the cut-out covers {share:.0%} of the photo, above {_MOST:.0%}"
    h, w = mask.shape
    inset_y, inset_x = int(h * (_MARGIN + 0.01)), int(w * (_MARGIN + 0.01))
    ring = np.concatenate([mask[inset_y, :], mask[-inset_y - 1, :], mask[:, inset_x], mask[:, -inset_x - 1]])
    touch = float((ring > 0).mean())
    if touch > _EDGE_TOUCH:
        return f"the cut-out runs along {touch:.0%} of the frame, above {_EDGE_TOUCH:.0%}"
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    area = sum(cv2.contourArea(c) for c in contours)
    hull = cv2.contourArea(cv2.convexHull(np.vstack(contours)))
    if area < 0.45 * hull:
        return f"the cut-out is ragged: it fills {area / hull:.0%} of its hull, below 45%"
    length = sum(cv2.arcLength(c, True) for c in contours)
    if length**2 > 140 * area:
        return f"the outline is ragged: squared length {length**2 / area:.0f} times its area, above 140"
    return ""


def cut_out(image: Image) -> CutOut:
    """Cut the garment out of an RGB photo (H, W, 3) uint8; the result says why when it cannot be done well."""
    import cv2

    mask = mask_of(image)
    reason = doubt(mask)
    if reason:
        return CutOut(None, reason)
    inner = cv2.erode(mask, np.ones((3, 3), np.uint8))
    alpha = cv2.GaussianBlur(inner, (0, 0), 0.9)
    return CutOut(np.dstack([image, alpha]))


def cut_out_file(photo: Path, cache: Path | None = None) -> CutOut:
    """As `cut_out`, of a photo file; with `cache`, each photo (known by its sha256) is cut only once."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    data = photo.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if cache is not None:
        kept, refused = cache / f"{digest}.png", cache / f"{digest}.txt"
        if refused.exists():
            return CutOut(None, refused.read_text(encoding="utf-8"))
    with Pillow.open(photo) as opened:
        image = np.asarray(ImageOps.exif_transpose(opened).convert("RGB"))
    if cache is not None and kept.exists():
        with Pillow.open(kept) as alpha:
            return CutOut(np.dstack([image, np.asarray(alpha)]))
    made = cut_out(image)
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        partial = cache / f".{digest}.{os.getpid()}.part"  # two processes may cut the same photo
        if made.rgba is None:
            partial.write_text(made.reason, encoding="utf-8")
            partial.replace(refused)
        else:
            Pillow.fromarray(made.rgba[..., 3]).save(partial, format="PNG", compress_level=1)
            partial.replace(kept)
    return made
