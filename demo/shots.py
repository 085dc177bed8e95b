"""Recipes of picture files: each is a small record that always makes the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from demo.compose import Composition, Placement, compose, look, relit, scene, trim
from demo.cutouts import cut_out_file
from demo.pixels import to_bytes
from demo.spec import GarmentSpec

Image = npt.NDArray[np.uint8]
KINDS = ("re-encoded", "resized", "cropped", "mirrored", "bordered")
_SIZES = ((450, 600), (510, 510), (420, 560), (480, 600))


@dataclass(frozen=True)
class Made:
    """A finished file: size and xyxy box of each garment, in the recipe's order; `visible` is what shows of each."""

    name: str
    width: int
    height: int
    boxes: tuple[tuple[int, int, int, int], ...]
    visible: tuple[float, ...]


@dataclass(frozen=True)
class DrawnShot:
    """A drawn garment as a packshot, on another backdrop, or close up."""

    name: str
    spec: GarmentSpec
    seed: int
    view: str = "packshot"
    turn: float = 0.0

    def paint(self, _root: Path) -> Composition:
        """The picture and its box."""
        from demo.garments import render

        rng = np.random.default_rng((self.seed, 23))
        width, height = _SIZES[int(rng.integers(len(_SIZES)))]
        if self.view == "detail":
            drawn = render(self.spec, 720, self.seed)
            return _detail(trim(drawn.rgba), width, height, rng)
        drawn = render(self.spec, 460, self.seed)
        if self.view == "packshot":
            return scene(drawn.rgba, width, height, rng, setting="studio", turn=2.0, tilt=0.015)
        return _turned(drawn.rgba, width, height, rng, self.turn, "flat")


@dataclass(frozen=True)
class RealShot:
    """An honest variant of a real photo: its garment cut out and laid elsewhere, or the whole photo skewed."""

    name: str
    photo: str
    seed: int
    turn: float

    def paint(self, root: Path) -> Composition:
        """The picture and its box."""
        rng = np.random.default_rng((self.seed, 29))
        width, height = _SIZES[int(rng.integers(len(_SIZES)))]
        cut = cut_out_file(Path(self.photo), root / "cutouts")
        if cut.rgba is not None:
            return _turned(cut.rgba, width, height, rng, self.turn, ("flat", "studio")[int(rng.random() < 0.35)])
        return _skewed(read_picture(Path(self.photo)), rng, self.turn)


@dataclass(frozen=True)
class LookShot:
    """An outfit: drawn designs, or cut-outs of real photos (`photos` and `categories` of equal length)."""

    name: str
    seed: int
    setting: str
    designs: tuple[GarmentSpec, ...] = ()
    photos: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def paint(self, root: Path) -> Composition:
        """The picture and a box for each piece; a photo that cannot be cut out is a ValueError."""
        from demo.garments import render

        rng = np.random.default_rng((self.seed, 31))
        pieces: list[tuple[Image, str]] = []
        for k, spec in enumerate(self.designs):
            pieces.append((render(spec, 380, self.seed * 8 + k).rgba, spec.category))
        for photo, category in zip(self.photos, self.categories, strict=True):
            cut = cut_out_file(Path(photo), root / "cutouts")
            if cut.rgba is None:
                raise ValueError(f"{photo} cannot be part of look {self.name}: {cut.reason}; choose another photo")
            pieces.append((cut.rgba, category))
        return look(pieces, 600, 800, rng, setting=self.setting)


@dataclass(frozen=True)
class Copy:
    """An old picture listed again: re-encoded, resized, cropped by at most 15 %, mirrored or bordered."""

    name: str
    source: DrawnShot | RealShot | str
    kind: str
    seed: int

    def copy_of(
        self, picture: Image, boxes: Sequence[tuple[int, int, int, int]]
    ) -> tuple[Image, list[tuple[int, int, int, int]], int]:
        """The changed picture, its boxes and its JPEG quality."""
        import cv2

        rng = np.random.default_rng((self.seed, 37))
        h, w = picture.shape[:2]
        quality = 88
        if self.kind == "re-encoded":
            return picture, list(boxes), 62
        if self.kind == "resized":
            scale = float(rng.uniform(0.55, 0.8))
            size = (round(w * scale), round(h * scale))
            small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
            return small, [_clip(tuple(v * scale for v in b), *size) for b in boxes], quality
        if self.kind == "cropped":
            share = 1 - np.sqrt(
                1 - float(rng.uniform(0.08, 0.15))
            )  # of each side, so that at most 15 % of the area goes
            dx, dy = int(w * share * rng.uniform(0, 1)), int(h * share * rng.uniform(0, 1))
            nw, nh = int(np.ceil(w * (1 - share))), int(np.ceil(h * (1 - share)))
            part = picture[dy : dy + nh, dx : dx + nw]
            return part, [_clip((b[0] - dx, b[1] - dy, b[2] - dx, b[3] - dy), nw, nh) for b in boxes], quality
        if self.kind == "mirrored":
            return picture[:, ::-1], [(w - b[2], b[1], w - b[0], b[3]) for b in boxes], quality
        pad = int(max(h, w) * rng.uniform(0.04, 0.08))
        tone = (255, 255, 255) if rng.random() < 0.6 else (24, 24, 26)
        framed = cv2.copyMakeBorder(picture, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=tone)
        return framed, [(b[0] + pad, b[1] + pad, b[2] + pad, b[3] + pad) for b in boxes], quality


Shot = DrawnShot | RealShot | LookShot | Copy


def turns(rng: np.random.Generator, count: int) -> list[float]:
    """Rotations in degrees for the views of one product, so far apart that no two views pass for copies."""
    first = 1 if rng.random() < 0.5 else -1
    wide = (
        float(rng.uniform(9, 13)),
        -float(rng.uniform(11, 17)),
        float(rng.uniform(20, 25)),
        -float(rng.uniform(22, 25)),
    )
    return [round(first * t, 2) for t in wide[:count]]


def _clip(box: Iterable[float], width: int, height: int) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = box
    return (
        int(np.clip(x0, 0, width)), int(np.clip(y0, 0, height)), int(np.clip(np.ceil(x1), 0, width)),
        int(np.clip(np.ceil(y1), 0, height)),
    )  # fmt: skip


def _turned(rgba: Image, width: int, height: int, rng: np.random.Generator, turn: float, setting: str) -> Composition:
    """One cut-out, turned by `turn` degrees, so large that all of it stays inside the frame."""
    from demo.backdrops import paint_any

    piece = trim(rgba)
    a = np.deg2rad(abs(turn))
    h, w = piece.shape[:2]
    across, down = w * np.cos(a) + h * np.sin(a), w * np.sin(a) + h * np.cos(a)
    scale = rng.uniform(0.8, 0.95) * min(width / across, height / down)
    at = Placement(width * rng.uniform(0.47, 0.53), height * rng.uniform(0.47, 0.53), scale * max(h, w), turn, 0.06)
    return compose(paint_any(width, height, rng, setting), [(piece, at)], rng)


def _detail(piece: Image, width: int, height: int, rng: np.random.Generator) -> Composition:
    """A close-up: the garment larger than the frame."""
    from demo.backdrops import paint_any

    size = 1.35 * max(width, height)
    at = Placement(
        width * rng.uniform(0.42, 0.58), height * rng.uniform(0.72, 0.86), size, float(rng.normal(0, 5)), 0.02
    )
    return compose(paint_any(width, height, rng, "studio"), [(piece, at)], rng)


def _skewed(picture: Image, rng: np.random.Generator, turn: float) -> Composition:
    """The middle of a photo under another angle and light; nothing outside of the photo shows."""
    import cv2

    h, w = picture.shape[:2]
    a = np.deg2rad(turn * 0.6)
    reach = 1 / (np.cos(abs(a)) + max(w / h, h / w) * np.sin(abs(a)))
    corners = np.asarray([(-w, -h), (w, -h), (w, h), (-w, h)], dtype=np.float64) / 2 * reach * 0.97
    corners *= 1 - rng.uniform(0, 0.08, (4, 2))
    source = corners @ np.asarray([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + (w / 2, h / 2)
    goal = np.asarray([(0, 0), (w, 0), (w, h), (0, h)], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(source.astype(np.float32), goal)
    warped = cv2.warpPerspective(picture, matrix, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    lit = relit(warped.astype(np.float32) / 255, rng)
    return Composition(to_bytes(lit), (), ())


def read_picture(path: Path) -> Image:
    """A picture file as upright RGB (H, W, 3) uint8."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    with Pillow.open(path) as picture:
        return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
