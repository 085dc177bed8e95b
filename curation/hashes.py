"""Perceptual hashes of the trimmed picture, in its eight orientations: pHash as imagehash has it, PDQ by pdqhash.

pHash: https://www.hackerfactor.com/blog/index.php?/archives/432-Looks-Like-It.html (64 bits). PDQ and its quality:
Facebook, "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (256 bits, quality 0 to 100;
50 is its own line between pictures that the hash can vouch for and those that are too flat).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels

if TYPE_CHECKING:
    from PIL import Image

ORIENTATIONS: Final = (None, 0, 1, 2, 3, 4, 5, 6)
"""The eight flips and quarter turns: as it is, then PIL.Image.Transpose by value."""

INVERSE: Final = (0, 1, 2, 5, 4, 3, 6, 7)
"""The place in ``ORIENTATIONS`` that undoes each of them."""

_PDQ_ORDER: Final = (0, 5, 4, 1, 2, 3, 6, 7)
"""Where pdqhash.compute_dihedral keeps the hash of each of ``ORIENTATIONS``."""

_FLAT: Final = 4
"""Levels of 255 that the outermost line of a drawn border may stray from its colour (JPEG at quality 75 keeps it)."""

_LINES: Final = 32
"""Lines looked at together."""

SIDE: Final = 256
"""Longest side of the picture that is hashed.

Measured over 2,775 photos without a border, of 1,200 px (1,600 px): made from the full decode, as the pipeline does, 2
(1) pHashes stray by more than 2 of 64 bits from imagehash's, by 4; made from a decode reduced to this side 28 (11) do,
by up to 12, and from one reduced to twice this side 7 (3), by 4. Decoding again in full where coefficients lie near
the median would not pay: a margin that catches every stray from the full decode takes in 28 % of all photos at twice
this side, 94 % at this side.
"""


_COSINES: Final = 2 * np.cos(np.pi * (2 * np.arange(32) + 1) * np.arange(8)[:, None] / 64)
"""The eight lowest rows of the discrete cosine transform (type II, as scipy scales it)."""

_SIGNS: Final = (-1.0) ** np.arange(8)
_ROWS: Final = _SIGNS[:, None]
_BOTH: Final = _SIGNS * _ROWS


@dataclass(frozen=True)
class Hashes:
    """What the hashes say of one picture."""

    phash: tuple[bytes, ...]
    """Eight hashes of 8 bytes, one per entry of ``ORIENTATIONS``."""
    pdq: tuple[bytes, ...]
    """Eight hashes of 32 bytes."""
    quality: int
    """PDQ quality, 0 to 100."""


def compute(pixels: Pixels) -> Hashes:
    """Hash (H, W, 3) upright pixels, trimmed of uniform borders first; on reduced decodes see ``SIDE``."""
    import pdqhash
    from PIL import Image

    picture = Image.fromarray(trim(reduce(pixels))).convert("L")
    phash = phashes(np.asarray(picture.resize((32, 32), Image.Resampling.LANCZOS)))  # what imagehash does first
    # 64 x 64 is the grid PDQ itself works on; made here, it is symmetric, and the eight hashes are exact
    grid = np.asarray(picture.resize((64, 64), Image.Resampling.BILINEAR))
    vectors, quality = pdqhash.compute_dihedral(np.stack([grid] * 3, axis=-1))
    return Hashes(tuple(phash), tuple(_pack(vectors[place]) for place in _PDQ_ORDER), int(quality))


def phashes(small: npt.NDArray[np.uint8]) -> list[bytes]:
    """Return imagehash's pHash of a (32, 32) grey picture in each of ``ORIENTATIONS``.

    Turning a picture transposes its cosine coefficients and changes the signs of the odd ones: one transform makes all
    eight, where imagehash would make eight.
    """
    low = _COSINES @ small @ _COSINES.T
    across = low.T
    turns = (low, low * _SIGNS, low * _ROWS, across * _ROWS, low * _BOTH, across * _SIGNS, across, across * _BOTH)
    flat = np.stack(turns).reshape(8, 64)
    return [_pack(bits) for bits in flat > np.median(flat, axis=1, keepdims=True)]


def reduce(pixels: Pixels, side: int = SIDE) -> Pixels:
    """Return (H, W, 3) pixels made smaller until the longest side is ``side``; smaller pictures stay as they are."""
    from PIL import Image

    height, width = pixels.shape[:2]
    if max(height, width) <= side:
        return pixels
    size = max(1, round(width * side / max(height, width))), max(1, round(height * side / max(height, width)))
    # a whole-factor reduce would average a partial last row or column, and a mirrored copy another one
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR, reducing_gap=None))


def for_embedder(pixels: Pixels) -> Pixels:
    """Return what an embedder sees of a whole (H, W, 3) picture: without borders, twice the side that is hashed."""
    return trim(reduce(pixels, 2 * SIDE))


def turned(picture: "Image.Image", turn: int | None) -> "Image.Image":
    """Return the picture in one of ``ORIENTATIONS``."""
    from PIL import Image

    return picture if turn is None else picture.transpose(Image.Transpose(turn))


def trim(pixels: Pixels, tolerance: int = 20) -> Pixels:
    """Give (H, W, 3) pixels the borders that every copy would get: none of a frame, an eighth of a plain background.

    Each side is judged alone, by the colour of its outermost line, so that a turned picture is cut alike. That line
    must be as flat as only drawn or cut-out borders are (a wall or a table is not, and would be cut a little
    differently in every copy); then lines go while 98 % of their samples are within ``tolerance`` of its colour. When
    that was a frame, with straight edges on all four sides, what is left is trimmed again. Sides that showed plain
    background get a margin of it back, since a silhouette needs its background. Never cuts below an eighth of either
    side: a picture that flat keeps its size.
    """
    (top, bottom, left, right), colours = trim_box(pixels, tolerance)
    kept = pixels[top:bottom, left:right]
    tall, wide = max(1, kept.shape[0] // 8), max(1, kept.shape[1] // 8)
    for axis, (size, before, after) in enumerate(((tall, colours[0], colours[1]), (wide, colours[2], colours[3]))):
        strips = [_strip(kept, colour, size, axis) for colour in (before, after)]
        kept = np.concatenate([strips[0], kept, strips[1]], axis=axis)
    return kept


def _strip(pixels: Pixels, colour: Pixels | None, size: int, axis: int) -> Pixels:
    shape = list(pixels.shape)
    shape[axis] = size if colour is not None else 0
    return np.broadcast_to(0 if colour is None else colour, shape).astype(np.uint8)


def trim_box(pixels: Pixels, tolerance: int = 20) -> tuple[tuple[int, int, int, int], list[Pixels | None]]:
    """Return (top, bottom, left, right) inside frame and background, and the background's colour on each side."""
    box = (0, pixels.shape[0], 0, pixels.shape[1])
    for _ in range(3):
        inner = pixels[box[0] : box[1], box[2] : box[3]]
        across = inner.transpose(1, 0, 2)
        sides = [_border(lines, tolerance) for lines in (inner, inner[::-1], across, across[::-1])]
        (top, bottom, left, right), frame = [size for size, _ in sides], all(edge for _, edge in sides)
        cut = (box[0] + top, box[1] - bottom, box[2] + left, box[3] - right)
        if (cut[1] - cut[0]) * 8 < pixels.shape[0] or (cut[3] - cut[2]) * 8 < pixels.shape[1]:
            break
        if not frame:
            lines = (inner[0], inner[-1], across[0], across[-1])
            return cut, [
                np.median(line, axis=0).astype(np.uint8) if size else None
                for line, (size, _) in zip(lines, sides, strict=True)
            ]
        box = cut
    return box, [None] * 4


def _border(lines: Pixels, tolerance: int) -> tuple[int, bool]:
    """Return how many lines show only the colour of the first one, and whether a straight edge ends them."""
    colour = np.median(lines[0], axis=0).astype(np.float32)
    if _strays(lines[:1], colour, _FLAT)[0] > 0.02:
        return 0, False
    for start in range(1, len(lines), _LINES):
        strays = _strays(lines[start : start + _LINES], colour, tolerance)
        if (strays > 0.02).any():
            place = start + int((strays > 0.02).argmax())
            if place * 50 < len(lines):
                break  # a border of under 2 % is a seam, and is cut or not by chance
            if (_strays(lines[place : place + 3], colour, tolerance) > 0.5).any():
                return place + 1, True  # the first line after a frame is a blend of both
            return place, False
    return 0, False


def _strays(lines: Pixels, colour: npt.NDArray[np.float32], tolerance: int) -> npt.NDArray[np.float64]:
    """Return the share of each line's samples that are farther from ``colour`` than ``tolerance`` in any channel."""
    lowest = np.clip(np.ceil(colour - tolerance), 0, 255).astype(np.uint8)
    highest = np.clip(np.floor(colour + tolerance), 0, 255).astype(np.uint8)
    # in bytes, what is below the lowest wraps to above the highest; numpy is faster channel by channel
    red, green, blue = (lines[..., c] - lowest[c] > highest[c] - lowest[c] for c in range(3))
    shares: npt.NDArray[np.float64] = (red | green | blue).mean(axis=1)
    return shares


def _pack(bits: npt.NDArray[np.generic]) -> bytes:
    return np.packbits(bits.astype(bool).ravel()).tobytes()
