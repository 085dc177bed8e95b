"""The second look at a suspected copy: lay one picture over the other and compare what they share.

Local features (ORB, Rublee et al. 2011) of both pictures are matched with Lowe's ratio test, a similarity transform is
fitted by RANSAC, and the shared part is compared: how much of both pictures it covers, how well the brightness agrees
block by block, how far lightness and colours are apart. Pictures too plain for features are laid frame on frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels
from curation import hashes

SIDE: Final = 320
"""Longest side of the picture in which features are found, pixels."""

GRID: Final = 96
"""The second picture is compared on a GRID x GRID raster ..."""

BLOCKS: Final = 8
"""... in BLOCKS x BLOCKS blocks, so that a changed corner stays one block."""

_STRETCH: Final = 1.8
_TURN: Final = np.deg2rad(22)
_SHIFT: Final = 8.0
_RIDGE: Final = 25.0
"""Bounds of a colour cast: factor of chroma, turn of hue, shift in a*b*; and the squared a*b* that carries no news."""

_CELLS: Final = 16
"""Lightness is compared by the means of CELLS x CELLS cells, so that an edge laid a pixel off counts little."""

_GAINS: Final = np.geomspace(0.75, 1 / 0.75, 15)
"""Factors by which a copy may be lighter or darker as a whole (in L*; a fifth of the brightness is 0.83 to 1.16)."""

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
        """Whether no pixel has a colour: a copy may have lost it."""
        return float(np.hypot(self.lab[..., 1], self.lab[..., 2]).max()) < 4


@dataclass(frozen=True)
class Look:
    """What laying one picture over the other showed."""

    inliers: int
    """Features that agree with the transform; 0 for frame on frame."""
    overlap: float
    """The smaller of the shares that the common part covers of either picture, 0 to 1."""
    agreement: float
    """Share of the common blocks whose brightness pattern agrees, 0 to 1."""
    colour: float
    """How far a*b* stay apart over the common part after the best cast; 0 when either picture is grey all over."""
    light: float
    """How far L* stays apart over the common part after the best change of brightness, 0 to 100."""
    turn: int | None
    """Orientation of the first picture, of curation.hashes.ORIENTATIONS."""


@dataclass(frozen=True)
class LookPolicy:
    """When a second look confirms a copy; the lines are set by benchmarks/duplicates.py."""

    overlap: float = 0.5
    """Least share of either picture that both have in common (a crop by 20 % of both sides leaves 0.64)."""
    agreement: float = 0.5
    """Least share of agreeing blocks, the pictures aligned by features."""
    frame_agreement: float = 0.8
    """Least share of agreeing blocks, frame on frame: two plain garments laid alike on one backdrop reach 0.76."""
    colour: float = 12.0
    """Most distance of colours in a*b* after the best cast: a product in another colour is no copy."""
    light: float = 10.0
    """Most distance of L* after the best change of brightness: nor is one in a darker shade of the same hue."""


def confirms(look: Look, policy: LookPolicy) -> bool:
    """Return whether the look shows a copy."""
    line = policy.agreement if look.inliers else policy.frame_agreement
    same = look.colour <= policy.colour and look.light <= policy.light
    return same and look.overlap >= policy.overlap and look.agreement >= line


def view(pixels: Pixels, features: int = 400) -> View:
    """Prepare (H, W, 3) upright pixels."""
    import cv2

    small = np.ascontiguousarray(hashes.trim(hashes.reduce(pixels, SIDE)))
    raster = cv2.resize(small, (GRID, GRID), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(raster.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    if min(small.shape[:2]) < 40:  # too small for ORB's patch and pyramid
        return View(small.shape[1], small.shape[0], lab, np.empty((0, 2), np.float32), np.empty((0, 32), np.uint8))
    create: Any = cv2.ORB_create  # type: ignore[attr-defined]  # absent from opencv's stubs
    detector = create(nfeatures=features, fastThreshold=7, edgeThreshold=12, patchSize=25, nlevels=4, scaleFactor=1.3)
    found, descriptors = detector.detectAndCompute(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), None)
    points = np.array([point.pt for point in found], np.float32).reshape(-1, 2)
    if descriptors is None:
        descriptors = np.empty((0, 32), np.uint8)
    return View(small.shape[1], small.shape[0], lab, points, descriptors)


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
        return look.agreement / line * min(1.0, look.overlap * 1.25)

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
    counts = _blocks(inside.astype(np.float32)).sum(axis=-1)
    judged = counts >= (GRID // BLOCKS) ** 2 / 2
    if not judged.any():
        return Look(inliers, 0.0, 0.0, 0.0, 0.0, way)
    mask, light, other = _blocks(inside), _blocks(moved[..., 0]), _blocks(still[..., 0])
    size = np.maximum(counts, 1)
    mean, other_mean = (light * mask).sum(-1) / size, (other * mask).sum(-1) / size
    off, other_off = (light - mean[..., None]) * mask, (other - other_mean[..., None]) * mask
    spread, other_spread = np.sqrt((off**2).sum(-1) / size), np.sqrt((other_off**2).sum(-1) / size)
    together = (off * other_off).sum(-1) / size
    plain = np.maximum(spread, other_spread) < 3
    alike = np.minimum(spread, other_spread) >= 0.3 * np.maximum(spread, other_spread)
    correlated = alike & (together > 0.7 * spread * other_spread)
    agrees = np.where(plain, np.abs(mean - other_mean) < 20, correlated)
    # plain wall on plain wall says little, a plain block of another brightness says that something else is there
    weights = np.where(plain & agrees, _PLAIN, 1.0)[judged]
    agreement = float((agrees[judged] * weights).sum() / weights.sum())
    side = GRID // BLOCKS
    common = inside & np.kron(agrees & judged, np.ones((side, side), bool))
    colour, lightness = _colour_distance(moved[common], still[common]), _light_distance(moved, still, inside)
    return Look(inliers, overlap, agreement, colour, lightness, way)


def _blocks(raster: npt.NDArray[Any], count: int = BLOCKS) -> npt.NDArray[Any]:
    """Return (GRID, GRID) as (count, count, samples)."""
    side = GRID // count
    return raster.reshape(count, side, count, side).swapaxes(1, 2).reshape(count, count, side * side)


def _light_distance(moved: Lab, still: Lab, inside: npt.NDArray[np.bool_]) -> float:
    """Return how far the lightness stays apart after the best gain: 85th percentile of |L*| over the shared cells.

    A copy is lighter or darker as a whole, its backdrop too, as far as white allows; a garment in another shade keeps
    its backdrop. All shared cells count, agreeing or not: a plain garment in another shade is what does not agree.
    """
    mask = _blocks(inside, _CELLS)
    counts = mask.sum(axis=-1)
    judged = counts >= mask.shape[-1] / 2
    if not judged.any():
        return 0.0
    first, second = (
        (_blocks(light[..., 0], _CELLS) * mask).sum(axis=-1)[judged] / counts[judged] for light in (moved, still)
    )
    gains = _GAINS[:, None]
    white = 100 * np.minimum(gains, 1.0)  # the lighter side may have met white
    apart = np.abs(np.minimum(first * gains, 100) - np.minimum(second, white))
    return float(np.quantile(apart, 0.85, axis=1).min())


def _colour_distance(moved: Lab, still: Lab) -> float:
    """Return how far the colours stay apart after the best cast: 90th percentile in a*b*.

    A cast turns all hues by one angle, stretches all chroma by one factor and shifts all colours alike, each within
    bounds; a product in another colour changes where its background does not.
    """
    if not len(moved):
        return 0.0
    first, second = (values[:, 1] + 1j * values[:, 2] for values in (moved, still))
    spread = first - first.mean()
    power = float((np.abs(spread) ** 2).mean())
    # the ridge leaves pictures of almost one colour without a turn or stretch of their own
    cast = complex(((spread.conj() * (second - second.mean())).mean() + _RIDGE) / (power + _RIDGE))
    stretch = min(max(abs(cast), 1 / _STRETCH), _STRETCH)
    angle = min(max(float(np.angle(cast)), -_TURN), _TURN)
    turned = first * stretch * np.exp(1j * angle)
    shift = complex(np.median((second - turned).real), np.median((second - turned).imag))
    if abs(shift) > _SHIFT:
        shift *= _SHIFT / abs(shift)
    return float(np.quantile(np.abs(second - turned - shift), 0.9))
