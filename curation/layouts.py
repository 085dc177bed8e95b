"""What is drawn, not photographed: lines of text, ruled tables, lone icons, the gutters and seams of a collage.

All of it is read from reduced pictures of some 256 to 512 pixels.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels

Mask = npt.NDArray[np.bool_]

_INK: Final = 40
"""Grey levels from the ground beyond which a pixel is ink."""
_PAGE: Final = 0.3
"""Share of ground below which nothing is read as a page."""
_SOLID: Final = 7
"""Side in pixels of the smallest square that is part of a ground."""
_GROUNDS: Final = 3
"""Most grounds of a page: paper, filled heads, shaded rows."""
_LEAST_GROUND: Final = 0.03
"""Least share of a picture that is a ground of its own."""
_RULE: Final = 0.3
"""Least share of a side that a straight run of ink must have to be a rule of a table."""
_THIN: Final = 3
"""Pixels that a rule is thin: so far above and below it there is ground."""
_TALL: Final = 0.08
"""Most share of the height that one line of text has."""
_RUNS: Final = 4
"""Fewest separate marks, words or numbers, of a line of text."""
_STILL: Final = 2.0
"""Most standard deviation along a gutter: JPEG keeps a drawn line this even, and no joint of tiles or planks is."""
_VARIED: Final = 5.0
"""Least standard deviation along a picture beside it."""
_PARTS: Final = (1 / 3, 1 / 2, 2 / 3)
"""Where pictures that fill a collage meet, as shares of its side."""
_OFF: Final = 0.012
"""Share of the side by which they may meet beside it."""
_STEP: Final = 20.0
"""Grey levels of the step from one picture into the next."""
_SHARP: Final = 1.5
"""How many times the changes beside it this step has."""
_BUSY: Final = 10.0
"""Least standard deviation along both sides of a seam: painted walls and floors have less."""
_UNLIKE: Final = 25.0
"""Least standard deviation of the step along a seam: where a wall meets a floor it stays the same."""
_ALONE: Final = 0.5
"""Most share of steps along any other line: stripes and checks have several such lines."""


@dataclass(frozen=True)
class Page:
    """A picture read as a page."""

    ground: float
    """Share of pixels that are even ground: paper, filled heads, shaded rows."""
    lines: int
    """Lines of text: low bands of several marks with nothing but ground above and below."""
    share: float
    """Share of the ink that is in lines of text; rules do not count."""
    rules: int
    """Long thin straight lines, both ways."""


def page(pixels: Pixels, tall: float = _TALL) -> Page:
    """Read (H, W, 3) pixels as a page; ``tall`` is the most share of the height that a line of text has.

    The folds and the pattern of a garment pass through every row between its top and its bottom, so that a garment,
    dotted or striped, is one high band and no text.
    """
    grey = grey_of(pixels)
    off = _off_ground(grey)
    ground = float((off <= 12).mean())
    if ground < _PAGE:
        return Page(ground, 0, 0.0, 0)
    ink = off > _INK
    across, down = _rules(ink), _rules(ink.T).T
    text = ink & ~_grown(across | down)
    lines = inside = 0
    for top, bottom in _bands(text.any(axis=1)):
        marks = len(_bands(text[top:bottom].any(axis=0)))
        if bottom - top <= max(2, tall * len(text)) and marks >= _RUNS:
            lines += 1
            inside += int(text[top:bottom].sum())
    rules = len(_bands(across.any(axis=1))) + len(_bands(down.any(axis=0)))
    return Page(ground, lines, inside / max(1, int(text.sum())), rules)


def icon(pixels: Pixels) -> tuple[float, float]:
    """Return (share of (H, W, 3) pixels off the ground, share of those that have one and the same colour).

    The drawing of a placeholder has one colour, apart from its edges; a small garment on white has many.
    """
    grey = grey_of(pixels).astype(np.int16)
    if (np.abs(grey - int(np.bincount(grey.ravel()).argmax())) > 8).mean() > 0.5:
        return 1.0, 0.0  # no ground to speak of
    colours = pixels.astype(np.int16)
    off = _apart(colours, _mode(colours.reshape(-1, 3))) > 4
    share = float(off.mean())
    if share in {0.0, 1.0}:
        return share, 0.0
    drawn = colours[off]
    return share, float((_apart(drawn, _mode(drawn)) <= 2).mean())


def gutters(pixels: Pixels, width: float, contrast: float) -> int:
    """Return how many straight even lines part (H, W, 3) pixels from edge to edge, between two pictures.

    A gutter is at most ``width`` of the side wide. Along both its sides the picture varies and stands off by more than
    ``contrast`` grey levels for most of the way: beside the white between two shoes there is more white, and beside a
    stripe of a fabric another stripe.
    """
    return _upright_gutters(pixels, width, contrast) + _upright_gutters(pixels.transpose(1, 0, 2), width, contrast)


def _upright_gutters(pixels: Pixels, width: float, contrast: float) -> int:
    import cv2

    numbers = pixels.astype(np.float32)
    mean, square = (cv2.reduce(values, 0, cv2.REDUCE_AVG)[0] for values in (numbers, numbers * numbers))
    spread = np.sqrt(np.maximum(square - mean * mean, 0)).max(axis=1)
    size, found = len(spread), 0
    for start, stop in _bands(spread <= _STILL):
        before, after = start - 3, stop + 2  # past the pixels where gutter and picture blend
        if stop - start > max(1, width * size) or before < size * 0.1 or after >= size * 0.9:
            continue
        colour = mean[start:stop].mean(axis=0)
        sides = [float((_apart(numbers[:, place], colour) > contrast).mean()) for place in (before, after)]
        found += min(sides) > 0.5 and min(spread[before], spread[after]) > _VARIED
    return found


def seams(pixels: Pixels, least: float) -> int:
    """Return how many directions (0 to 2) have pictures that meet edge to edge, without a gutter, in (H, W, 3) pixels.

    They meet in the middle or at a third, where a sharp step runs along at least this share of the side, and no other
    line has the like.
    """
    return sum(_is_seam(part.astype(np.float32), least) for part in (pixels, pixels.transpose(1, 0, 2)))


def _is_seam(pixels: npt.NDArray[np.float32], least: float) -> bool:
    size = pixels.shape[1]
    places = np.arange(4, size - 4)
    off = np.min([np.abs(places - part * size) for part in _PARTS], axis=0)
    reach = max(2.0, _OFF * size)
    likely, others = places[off <= reach], places[off > reach + 3]
    if not len(likely) or not len(others):
        return False
    shares = _steps_along(pixels, likely)
    if shares.max() < least:
        return False
    place = likely[shares.argmax()]
    before, after = pixels[:, place - 2], pixels[:, place + 1]  # past the pixel where the two blend
    return bool(
        min(before.std(axis=0).max(), after.std(axis=0).max()) >= _BUSY
        and (after - before).std(axis=0).max() >= _UNLIKE
        and _steps_along(pixels, others).max() <= _ALONE
    )


def _steps_along(pixels: npt.NDArray[np.float32], places: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the share of the rows in which a sharp step stands before each of the columns ``places``."""
    before, after = pixels[:, places - 2], pixels[:, places + 1]
    step = _apart(after, before)
    beside = np.maximum(_apart(pixels[:, places - 4], before), _apart(pixels[:, places + 3], after))
    found: npt.NDArray[np.float64] = ((step > _STEP) & (step > _SHARP * beside)).mean(axis=0)
    return found


def grey_of(pixels: Pixels) -> Pixels:
    """Return the mean of the channels of (H, W, 3) pixels, (H, W) uint8, rounded down."""
    wide = pixels.astype(np.uint16)
    return ((wide[:, :, 0] + wide[:, :, 1] + wide[:, :, 2]) // 3).astype(np.uint8)


def _apart(colours: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the largest difference of a channel between colours (…, 3) and another one."""
    apart = np.abs(colours - other)
    found: npt.NDArray[Any] = np.maximum(np.maximum(apart[..., 0], apart[..., 1]), apart[..., 2])
    return found


def _mode(colours: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the commonest of (N, 3) colours, found among steps of eight levels."""
    steps = (colours // 8).astype(np.int32)
    keys = (steps[:, 0] * 32 + steps[:, 1]) * 32 + steps[:, 2]
    inside = colours[keys == np.bincount(keys).argmax()]
    found: npt.NDArray[np.int16] = np.median(inside, axis=0).astype(np.int16)
    return found


def _off_ground(grey: Pixels) -> npt.NDArray[np.int16]:
    """Return by how many levels each pixel stands off from the ground that is nearest to it."""
    import cv2

    wide, counts = grey.astype(np.int16), np.bincount(grey.ravel(), minlength=256)
    tones, far = [int(counts.argmax())], list[npt.NDArray[np.float32]]()
    for _ in range(_GROUNDS):
        tone = int(counts.argmax())
        even = (np.abs(wide - tone) <= 10).astype(np.uint8)
        solid = cv2.morphologyEx(even, cv2.MORPH_OPEN, np.ones((_SOLID, _SOLID), np.uint8))
        if solid.mean() >= _LEAST_GROUND:
            tones = [*tones[: len(far)], tone]
            far.append(cv2.distanceTransform(1 - solid, cv2.DIST_L1, 3))
        counts[max(0, tone - 16) : tone + 17] = 0
    nearest = np.array(tones, np.int16)[np.argmin(far, axis=0)] if len(far) > 1 else tones[0]
    off: npt.NDArray[np.int16] = np.abs(wide - nearest)
    return off


def _rules(ink: Mask) -> Mask:
    """Return the pixels of long horizontal runs of ink that have ground close above and below, as no garment has."""
    import cv2

    row = np.ones((1, max(8, int(_RULE * ink.shape[1]))), np.uint8)
    runs = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, row)
    beside = np.pad(ink, ((_THIN, _THIN), (0, 0)))
    free = (runs > 0) & ~beside[: -2 * _THIN] & ~beside[2 * _THIN :]
    _, parts = cv2.connectedComponents(runs, connectivity=8)
    shares = np.bincount(parts.ravel(), weights=free.ravel()) / np.bincount(parts.ravel())
    found: Mask = (runs > 0) & (shares > 0.6)[parts]
    return found


def _grown(mask: Mask) -> Mask:
    import cv2

    grown: Mask = cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return grown


def _bands(filled: npt.ArrayLike) -> list[tuple[int, int]]:
    """Return (start, stop) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], np.asarray(filled), [False]])))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
