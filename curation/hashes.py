"""Perceptual hashes of the trimmed picture, in its eight orientations: pHash by imagehash, PDQ by pdqhash.

pHash: https://www.hackerfactor.com/blog/index.php?/archives/432-Looks-Like-It.html (64 bits). PDQ and its quality:
Facebook, "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (256 bits, quality 0 to 100;
50 is its own line between pictures that the hash can vouch for and those that are too flat).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

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

SIDE: Final = 256
"""Longest side of the reduced picture that is hashed: at 256 px pHash is within 2 of 64 bits of the full decode."""


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
    """Hash (H, W, 3) upright pixels, trimmed of uniform borders first; a reduced decode will do."""
    import imagehash
    import pdqhash
    from PIL import Image

    picture = Image.fromarray(trim(reduce(pixels))).convert("L")
    # what imagehash does first; turning the small picture is turning the picture
    small = picture.resize((32, 32), Image.Resampling.LANCZOS)
    phash = tuple(_pack(imagehash.phash(turned(small, turn)).hash) for turn in ORIENTATIONS)
    # 64 x 64 is the grid PDQ itself works on; made here, it is symmetric, and the eight hashes are exact
    grid = np.asarray(picture.resize((64, 64), Image.Resampling.BILINEAR))
    vectors, quality = pdqhash.compute_dihedral(np.stack([grid] * 3, axis=-1))
    return Hashes(phash, tuple(_pack(vectors[place]) for place in _PDQ_ORDER), int(quality))


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
    colour = np.median(lines[0], axis=0)
    if _strays(lines[0], colour, _FLAT) > 0.02:
        return 0, False
    for place in range(1, len(lines)):
        if _strays(lines[place], colour, tolerance) > 0.02:
            if place * 50 < len(lines):
                break  # a border of under 2 % is a seam, and is cut or not by chance
            if any(_strays(line, colour, tolerance) > 0.5 for line in lines[place : place + 3]):
                return place + 1, True  # the first line after a frame is a blend of both
            return place, False
    return 0, False


def _strays(line: Pixels, colour: npt.NDArray[np.floating[Any]], tolerance: int) -> float:
    return float((np.abs(line - colour).max(axis=1) > tolerance).mean())


def _pack(bits: npt.NDArray[np.generic]) -> bytes:
    return np.packbits(bits.astype(bool).ravel()).tobytes()
