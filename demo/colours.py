"""Named garment colours, as sRGB triples, and small mixes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rgb = tuple[int, int, int]
Floats = npt.NDArray[np.floating[Any]]

COLOURS: dict[str, Rgb] = {
    "black": (34, 34, 37),
    "white": (243, 242, 238),
    "grey": (142, 144, 148),
    "navy": (32, 44, 84),
    "blue": (48, 96, 184),
    "light blue": (150, 190, 224),
    "red": (188, 34, 44),
    "burgundy": (112, 28, 48),
    "pink": (236, 158, 182),
    "orange": (228, 118, 36),
    "yellow": (238, 198, 58),
    "green": (44, 124, 74),
    "olive": (108, 110, 62),
    "turquoise": (40, 164, 166),
    "purple": (108, 62, 142),
    "brown": (110, 72, 48),
    "camel": (190, 146, 96),
    "beige": (220, 204, 176),
}

# Pairs that a shop would print on each other: dark with light, or two tones of one hue.
COMPANIONS: dict[str, tuple[str, ...]] = {
    "black": ("white", "grey", "red", "beige"),
    "white": ("navy", "black", "red", "blue", "green"),
    "grey": ("white", "black", "burgundy", "navy"),
    "navy": ("white", "red", "light blue", "beige"),
    "blue": ("white", "navy", "yellow", "light blue"),
    "light blue": ("white", "navy", "blue"),
    "red": ("white", "black", "navy"),
    "burgundy": ("beige", "pink", "camel", "white"),
    "pink": ("white", "burgundy", "red"),
    "orange": ("white", "brown", "navy"),
    "yellow": ("white", "black", "navy", "green"),
    "green": ("white", "yellow", "navy", "beige"),
    "olive": ("beige", "camel", "black"),
    "turquoise": ("white", "navy", "orange"),
    "purple": ("white", "pink", "yellow"),
    "brown": ("beige", "camel", "white"),
    "camel": ("white", "brown", "black"),
    "beige": ("brown", "navy", "burgundy", "green"),
}


def rgb(name: str) -> Floats:
    """Colour of that name as three floats in 0..1; an unknown name is a KeyError."""
    return np.asarray(COLOURS[name], dtype=np.float32) / 255.0


def mix(first: Floats, second: Floats, share: float) -> Floats:
    """Blend of two colours; `share` is the part of the second."""
    return (first * (1.0 - share) + second * share).astype(np.float32)


def lightness(colour: Floats) -> float:
    """Rec. 709 luma of a colour in 0..1."""
    return float(colour @ np.asarray((0.2126, 0.7152, 0.0722), dtype=np.float32))


def contrast(colour: Floats, share: float = 0.3) -> Floats:
    """Tone of the same colour that shows against it: lighter on dark cloth, darker on light cloth."""
    target = np.full(3, 1.0 if lightness(colour) < 0.35 else 0.0, dtype=np.float32)
    return mix(colour, target, share)
