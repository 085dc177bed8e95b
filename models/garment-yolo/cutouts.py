"""Cut the garments out of the CC0 photos: GrabCut started from a 4 % margin, judged, cached as PNG with alpha.

A cut-out is kept when its mask is one sensible piece: most of it in one component, not nearly empty, not the whole
picture. The others (a garment on a bed of the same colour, a person in a room) still serve as photos, never as pieces.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

SIDE = 256
"""Longest side in pixels at which photos are cut; twice what a garment takes in a composite."""
MARGIN = 0.04
"""Share of each side outside the rectangle that GrabCut starts from."""


@dataclass(frozen=True)
class Cutout:
    """One photo and the box of its garment, in shares of the picture; ``good`` when it may be composed with."""

    file: str
    sender: str
    label: str
    box: tuple[float, float, float, float]
    area: float
    solidity: float
    border: float
    good: bool


def grabcut(pixels: np.ndarray[Any, Any], iterations: int = 3) -> np.ndarray[Any, Any]:
    """Return the garment mask (H, W) uint8 0 or 255 of one RGB picture (H, W, 3) uint8, its largest pieces only."""
    import cv2

    height, width = pixels.shape[:2]
    dx, dy = max(2, round(width * MARGIN)), max(2, round(height * MARGIN))
    mask = np.zeros((height, width), np.uint8)
    cv2.setRNGSeed(7)
    bgr = np.ascontiguousarray(pixels[:, :, ::-1])
    background, foreground = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(
        bgr, mask, (dx, dy, width - 2 * dx, height - 2 * dy), background, foreground, iterations, cv2.GC_INIT_WITH_RECT
    )
    binary = np.where((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD), 255, 0).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    binary = cv2.morphologyEx(binary, cv2.MORPH_OPEN, kernel)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(binary)
    if count < 2:
        return np.zeros_like(binary)
    areas = stats[1:, cv2.CC_STAT_AREA]
    keep = 1 + np.flatnonzero(areas >= 0.2 * areas.max())
    contours, _ = cv2.findContours(
        np.isin(labels, keep).astype(np.uint8) * 255, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
    )
    filled = np.zeros_like(binary)
    return cv2.drawContours(filled, contours, -1, 255, thickness=-1)


def cut(job: tuple[dict[str, str], str, str]) -> Cutout:
    """Cut one row of photos.csv and write its RGBA PNG (whole picture, mask as alpha) into the cache."""
    import cv2
    from PIL import Image, ImageOps

    cv2.setNumThreads(1)
    row, photos, cache = job
    with Image.open(Path(photos) / row["file"]) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    upright.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    pixels = np.asarray(upright)
    mask = grabcut(pixels)
    height, width = mask.shape
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    share = float((mask > 0).mean())
    if share < 0.005:
        return Cutout(row["file"], row["sender_id"], row["label"], (0.0, 0.0, 1.0, 1.0), share, 0.0, 0.0, good=False)
    x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    points = cv2.findNonZero(mask)
    solidity = float((mask > 0).sum() / max(1.0, cv2.contourArea(cv2.convexHull(points))))
    edge = np.concatenate([mask[2], mask[-3], mask[:, 2], mask[:, -3]])
    border = float((edge > 0).mean())
    good = 0.06 <= share <= 0.85 and solidity >= 0.5 and border <= 0.08
    alpha = cv2.GaussianBlur(cv2.erode(mask, np.ones((3, 3), np.uint8)), (3, 3), 0)
    Image.fromarray(np.dstack([pixels, alpha])).save(Path(cache) / (Path(row["file"]).stem + ".png"), compress_level=1)
    box = (x0 / width, y0 / height, x1 / width, y1 / height)
    return Cutout(row["file"], row["sender_id"], row["label"], box, share, solidity, border, good=good)


def load(cache: Path) -> list[Cutout]:
    """Read the index that ``build`` wrote."""
    rows = json.loads((cache / "index.json").read_text())
    return [Cutout(**{**row, "box": tuple(row["box"])}) for row in rows]


def build(photos: Path, cache: Path, workers: int) -> list[Cutout]:
    """Cut every photo of ``photos/photos.csv`` once; a finished cache is read back."""
    if (cache / "index.json").exists():
        return load(cache)
    cache.mkdir(parents=True, exist_ok=True)
    with (photos / "photos.csv").open() as file:
        jobs = [(row, str(photos), str(cache)) for row in csv.DictReader(file)]
    with Pool(workers) as pool:
        made = list(_shown(pool.imap(cut, jobs, chunksize=16), len(jobs)))
    (cache / "index.json").write_text(json.dumps([asdict(cutout) for cutout in made], indent=0))
    return made


def _shown(cutouts: Iterator[Cutout], total: int) -> Iterator[Cutout]:
    for done, cutout in enumerate(cutouts, 1):
        if done % 200 == 0 or done == total:
            print(f"cut-outs: {done} of {total}", flush=True)
        yield cutout
