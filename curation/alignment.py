"""The second look at a suspected copy: lay one picture over the other and compare what they share.

Local features (ORB, Rublee et al. 2011) of both pictures are matched with Lowe's ratio test, a similarity transform is
fitted by RANSAC, and the shared part is compared: how much of both pictures it covers, how well the brightness agrees
block by block, also beneath text and stickers laid over, and how far lightness and colours are apart when what a copy
may change as a whole is undone (curation.shades). Pictures too plain for features are laid frame on frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels
from curation import hashes, shades

SIDE: Final = 320
"""Longest side of the picture in which features are found, pixels."""

GRID: Final = 96
"""The second picture is compared on a GRID x GRID raster ..."""

BLOCKS: Final = 8
"""... in BLOCKS x BLOCKS blocks, so that a changed corner stays one block."""

SPREAD: Final = 7
"""Features are spread over SPREAD x SPREAD cells."""

_CELLS: Final = 16
"""Lightness is compared by the means of CELLS x CELLS cells, so that an edge laid a pixel off counts little."""

_SAME: Final = 2.5
"""Levels of L*, a* and b* within which a cell is unchanged."""

_EACH: Final = 9
"""The tone curve is fitted to every ninth pixel."""

_EDIT: Final = 5.0
"""L* by which a pixel may stray from the common tone curve before it is taken for something laid over."""

_PLAIN: Final = 0.25
"""Weight of a plain block that agrees, beside 1 for one with a pattern."""

Lab = npt.NDArray[np.float32]


@dataclass(frozen=True)
class View:
    """One upright picture prepared for a second look."""

    width: int
    """Pixels of the reduced, trimmed picture."""
    height: int
    """Pixels of the reduced, trimmed picture."""
    lab: Lab
    """(GRID, GRID, 3) CIE L*a*b* of that picture; L* 0 to 100."""
    points: npt.NDArray[np.float32]
    """(n, 2) x, y of the features, pixels."""
    descriptors: npt.NDArray[np.uint8]
    """(n, 32) ORB."""

    @property
    def grey(self) -> bool:
        """Whether no cell has a colour, noise apart: a copy may have lost it."""
        means = _blocks(self.lab[..., 1], _CELLS).mean(axis=-1), _blocks(self.lab[..., 2], _CELLS).mean(axis=-1)
        return float(np.hypot(*means).max()) < 4


@dataclass(frozen=True)
class Look:
    """What laying one picture over the other showed."""

    inliers: int
    """Features that agree with the transform; 0 for frame on frame."""
    overlap: float
    """The smaller of the shares that the common part covers of either picture, 0 to 1."""
    agreement: float
    """Share of the common blocks whose brightness pattern agrees, 0 to 1."""
    beneath: float
    """The same without the pixels, up to half of a block, that text or stickers laid over have changed."""
    patterned: float
    """Share of the common blocks that agree so and show a pattern, which is what tells pictures apart."""
    colour: float
    """How far a*b* stay apart over the common part after the best cast; 0 when either picture is grey all over."""
    light: float
    """How far L* stays apart over the common part after the best gain, 0 to 100."""
    tone: float
    """The same after the best tone curve, which undoes contrast and gamma as well: 80th percentile."""
    unchanged: float
    """Share of the common part that has the same lightness and colour in both, 0 to 1."""
    turn: int | None
    """Orientation of the first picture, of curation.hashes.ORIENTATIONS."""


@dataclass(frozen=True)
class LookPolicy:
    """When a second look confirms a copy; the lines are set by benchmarks/duplicates.py."""

    overlap: float = 0.5
    """Least share of either picture that both have in common (a crop by 20 % of both sides leaves 0.64)."""
    agreement: float = 0.6
    """Least share of agreeing blocks, aligned by features: other garments on one patterned floor reach 0.57."""
    frame_agreement: float = 0.8
    """Least share of agreeing blocks, frame on frame: two plain garments laid alike on one backdrop reach 0.76."""
    beneath: float = 0.93
    """Or least share beneath what is laid over: other garments on one backdrop reach 0.85."""
    patterned: float = 0.35
    """Least share of blocks with a pattern where only what lies beneath agrees, or all shades changed: two plain
    garments laid alike agree in every block, and 0.31 of them show an edge."""
    colour: float = 12.0
    """Most distance of colours in a*b* after the best cast: a product in another colour is no copy."""
    light: float = 10.0
    """Most distance of L* after the best gain: nor is one in a darker shade of the same hue."""
    unchanged: float = 0.25
    """Most of a copy that stays as it was when colour or light are farther apart: what remains changed as a whole, as
    contrast, gamma and sepia do, and a product in another colour does not (0.27 to 0.83 of its picture stays) ..."""
    tone: float = 6.0
    """... and most distance of L* that such a change leaves after the best tone curve."""


def confirms(look: Look, policy: LookPolicy) -> bool:
    """Return whether the look shows a copy."""
    line = policy.agreement if look.inliers else policy.frame_agreement
    same = look.colour <= policy.colour and look.light <= policy.light
    telling = look.patterned >= policy.patterned
    as_a_whole = telling and look.unchanged <= policy.unchanged and look.tone <= policy.tone
    shown = look.agreement >= line or (telling and look.beneath >= policy.beneath)
    return (same or as_a_whole) and look.overlap >= policy.overlap and shown


def view(pixels: Pixels, features: int = 400) -> View:
    """Prepare (H, W, 3) upright pixels."""
    import cv2

    small = np.ascontiguousarray(hashes.trim(hashes.reduce(pixels, SIDE)))
    raster = cv2.resize(small, (GRID, GRID), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(raster.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    if min(small.shape[:2]) < 40:  # too small for ORB's patch and pyramid
        return View(small.shape[1], small.shape[0], lab, np.empty((0, 2), np.float32), np.empty((0, 32), np.uint8))
    create: Any = cv2.ORB_create  # type: ignore[attr-defined]  # absent from opencv's stubs
    many = 5 * features
    detector = create(nfeatures=many, fastThreshold=7, edgeThreshold=12, patchSize=25, nlevels=4, scaleFactor=1.3)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    found, descriptors = detector.compute(grey, _spread(detector.detect(grey, None), grey.shape, features))
    points = np.array([point.pt for point in found], np.float32).reshape(-1, 2)
    if descriptors is None:
        descriptors = np.empty((0, 32), np.uint8)
    return View(small.shape[1], small.shape[0], lab, points, descriptors)


def _spread(points: Sequence[Any], shape: tuple[int, ...], count: int) -> list[Any]:
    """Return the strongest features of each of SPREAD x SPREAD cells, ``count`` in all: text has the most."""
    room: dict[tuple[int, int], int] = {}
    kept = []
    for point in sorted(points, key=lambda point: -point.response):
        cell = int(point.pt[1] * SPREAD / shape[0]), int(point.pt[0] * SPREAD / shape[1])
        if room.setdefault(cell, count // SPREAD**2) > 0:
            room[cell] -= 1
            kept.append(point)
    return kept


def views(pixels: Pixels, ways: Sequence[int | None] = (None, 0)) -> dict[int | None, View]:
    """Prepare upright pixels in several of curation.hashes.ORIENTATIONS; by default as they are and mirrored."""
    from PIL import Image

    picture = Image.fromarray(hashes.reduce(pixels, SIDE))
    return {way: view(np.asarray(hashes.turned(picture, way))) for way in ways}


def compare(first: dict[int | None, View], second: View) -> Look:
    """Return the best look at the first picture, in each orientation given, laid over the second.

    Agreement is measured by the line that it must pass: features that fit say more than frames that look alike.
    """
    looks: list[Look] = []
    for way, seen in first.items():
        looks.append(frame_on_frame(seen, second, way))
        if (look := overlay(seen, second, way)) is not None:
            looks.append(look)

    def standing(look: Look) -> float:
        line = LookPolicy.agreement if look.inliers else LookPolicy.frame_agreement
        return max(look.agreement / line, look.beneath / LookPolicy.beneath) * min(1.0, look.overlap * 1.25)

    return max(looks, key=lambda look: (standing(look), -look.colour))


def overlay(first: View, second: View, way: int | None = None) -> Look | None:
    """Fit ``first`` onto ``second`` by features; None when fewer than ten agree. ``way`` is only recorded."""
    import cv2

    if min(len(first.points), len(second.points)) < 10:
        return None
    near = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(first.descriptors, second.descriptors, k=2)
    good = [pair[0] for pair in near if len(pair) == 2 and pair[0].distance < 0.8 * pair[1].distance]
    if len(good) < 10:
        return None
    source = first.points[[match.queryIdx for match in good]]
    target = second.points[[match.trainIdx for match in good]]
    cv2.setRNGSeed(0)
    matrix, mask = cv2.estimateAffinePartial2D(source, target, ransacReprojThreshold=3.0, maxIters=500)
    if matrix is None or int(mask.sum()) < 10:
        return None
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    if not 0.4 < scale < 2.5:
        return None
    to_raster = np.diag([GRID / second.width, GRID / second.height]) @ matrix
    from_raster = np.diag([first.width / GRID, first.height / GRID, 1.0])
    matrix = to_raster @ from_raster
    moved = cv2.warpAffine(first.lab, matrix, (GRID, GRID), flags=cv2.INTER_LINEAR)
    inside = cv2.warpAffine(np.ones((GRID, GRID), np.uint8), matrix, (GRID, GRID), flags=cv2.INTER_NEAREST) > 0
    shared = float(inside.mean())
    grown = scale**2 * first.width * first.height / (second.width * second.height)
    seen = _look(moved, second.lab, inside, int(mask.sum()), min(shared, shared / grown), way)
    return replace(seen, colour=0.0) if first.grey or second.grey else seen


def frame_on_frame(first: View, second: View, way: int | None = None) -> Look:
    """Stretch ``first`` to the frame of ``second``; the overlap is the ratio of their aspects."""
    stretch = (first.width / first.height) / (second.width / second.height)
    everywhere = np.ones((GRID, GRID), bool)
    seen = _look(first.lab, second.lab, everywhere, 0, float(min(stretch, 1 / stretch)), way)
    return replace(seen, colour=0.0) if first.grey or second.grey else seen


def _look(moved: Lab, still: Lab, inside: npt.NDArray[np.bool_], inliers: int, overlap: float, way: int | None) -> Look:
    counts = _blocks(inside).sum(axis=-1)
    judged = counts >= (GRID // BLOCKS) ** 2 / 2
    if not judged.any():
        return Look(inliers, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, way)
    curve = shades.tone_curve(moved[..., 0][inside][::_EACH], still[..., 0][inside][::_EACH])
    light, other = shades.toned(moved[..., 0], curve), still[..., 0]
    whole = _compared(_blocks(inside), _blocks(light), _blocks(other), 0.7)
    bare = np.abs(light - other) < _EDIT
    kept = _blocks(inside & bare)
    beneath = _compared(kept, _blocks(light), _blocks(other), 0.8)
    clear = whole.agrees | (beneath.agrees & (2 * kept.sum(axis=-1) >= counts) & ~whole.plain)
    # a plain garment in another shade does not agree and counts below; a pattern that another one hides does not
    seen = inside & _grown(clear | whole.plain) & (_grown(whole.agrees | whole.plain) | bare)
    common = seen & _grown(clear & judged)
    colour = shades.colour_distance(moved[common], still[common])
    plain = whole.plain | beneath.plain
    patterned = float((clear & ~plain)[judged].mean())
    agreements = _share(whole.agrees, whole.plain, judged), _share(clear, plain, judged), patterned
    rasters = (*np.moveaxis(moved - still, -1, 0), moved[..., 0], other, light)
    *differences, before, after, toned = (_means(values, _blocks(seen, _CELLS)) for values in rasters)
    if not len(before):
        return Look(inliers, overlap, *agreements, colour, 0.0, 0.0, 0.0, way)
    gain, tone = shades.light_distance(before, after), float(np.quantile(np.abs(toned - after), 0.8))
    unchanged = float((np.abs(differences) < _SAME).all(axis=0).mean())
    return Look(inliers, overlap, *agreements, colour, gain, tone, unchanged, way)


def _share(agrees: npt.NDArray[np.bool_], plain: npt.NDArray[np.bool_], judged: npt.NDArray[np.bool_]) -> float:
    """Return the weight of the blocks that agree among those that are judged.

    Plain wall on plain wall says little; a plain block of another brightness says that something else is there.
    """
    weights = np.where(agrees & plain, _PLAIN, 1.0)[judged]
    return float((agrees[judged] * weights).sum() / weights.sum())


def _means(values: Lab, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the means of those cells of (GRID, GRID) of which half are in (CELLS, CELLS, samples) ``mask``."""
    counts = mask.sum(axis=-1)
    cells = counts >= mask.shape[-1] / 2
    found: npt.NDArray[np.float64] = (_blocks(values, _CELLS) * mask).sum(axis=-1)[cells] / counts[cells]
    return found


@dataclass(frozen=True)
class _Blocks:
    """What (BLOCKS, BLOCKS) blocks of two pictures say of each other."""

    agrees: npt.NDArray[np.bool_]
    plain: npt.NDArray[np.bool_]


def _compared(mask: npt.NDArray[np.bool_], light: Lab, other: Lab, line: float) -> _Blocks:
    """Compare L* of (BLOCKS, BLOCKS, samples) where ``mask`` is set: patterns by their correlation, plain by level."""
    size = np.maximum(mask.sum(axis=-1), 1)
    mean, other_mean = (light * mask).sum(-1) / size, (other * mask).sum(-1) / size
    off, other_off = (light - mean[..., None]) * mask, (other - other_mean[..., None]) * mask
    spread, other_spread = np.sqrt((off**2).sum(-1) / size), np.sqrt((other_off**2).sum(-1) / size)
    together = (off * other_off).sum(-1) / size
    plain = np.maximum(spread, other_spread) < 3
    alike = np.minimum(spread, other_spread) >= 0.3 * np.maximum(spread, other_spread)
    correlated = alike & (together > line * spread * other_spread)
    return _Blocks(np.where(plain, np.abs(mean - other_mean) < 20, correlated), plain)


def _grown(blocks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    side = GRID // BLOCKS
    return np.kron(blocks, np.ones((side, side), bool))


def _blocks(raster: npt.NDArray[Any], count: int = BLOCKS) -> npt.NDArray[Any]:
    """Return (GRID, GRID) as (count, count, samples)."""
    side = GRID // count
    return raster.reshape(count, side, count, side).swapaxes(1, 2).reshape(count, count, side * side)
