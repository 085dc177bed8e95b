"""Whether a file holds the whole of its picture: codecs do not all notice, or call what is cut damaged."""

from typing import Any, Final

import numpy.typing as npt

GREY: Final = 128
"""What libjpeg paints where a scan's data ends before the picture does: blocks of zeros (jdhuff.c, "uniform gray")."""
TAIL: Final = 1 / 32
"""Least share of the rows that must be that grey; a strip thinner than this is let pass."""


def is_cut(data: bytes) -> bool:
    """Return whether the container, RIFF or ISO 14496-12, says that the file should be longer."""
    if data[:4] == b"RIFF":
        return len(data) < int.from_bytes(data[4:8], "little") + 8
    if data[4:8] != b"ftyp":
        return False
    place = 0
    while place < len(data):  # the boxes of AVIF and HEIF
        size = int.from_bytes(data[place : place + 4], "big")
        if size == 1:
            size = int.from_bytes(data[place + 8 : place + 16], "big")
        if size == 0:
            return False  # to the end of the file
        place += max(size, 8)
    return place > len(data)


def fades_to_grey(samples: npt.NDArray[Any]) -> bool:
    """Return whether a decoded JPEG (H, W) or (H, W, C) ends in libjpeg's own grey, to the last sample, but not begins.

    So does one whose data was cut and then closed with an end mark, as some servers and proxies do: nothing else tells.
    A card that is grey all over stays. Pictures of four channels are not judged: their inks are turned round.
    """
    if samples.ndim == 3 and samples.shape[2] != 3:
        return False
    rows = max(1, round(len(samples) * TAIL))
    return bool((samples[-rows:] == GREY).all() and not (samples[:rows] == GREY).all())
