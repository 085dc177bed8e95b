"""What the makers of drawn shop pictures share: fonts, lines of words, and grounds for them."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Picture = Image.Image
Draw = np.random.Generator
Maker = Callable[[Draw, list[Picture]], Picture]
Colour = tuple[int, int, int]

FACES: list[str] = [
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic",
    "DejaVuSansMono-Bold", "STIXGeneralBol",
]  # fmt: skip
"""Names of matplotlib's fonts, or files of fonts."""
BRANDS = ("LUMIÈRE", "north & co.", "BASICA", "Atelier Nord", "moda 24", "VELVET", "Hilde", "КОСМОС")


def pick(rng: Draw, among: Any) -> Any:
    """Return one of what is given."""
    return among[int(rng.integers(len(among)))]


def colour(rng: Draw, light: bool | None = None) -> Colour:
    """Return any colour, or a light or a dark one."""
    low, high = {None: (0, 256), True: (190, 256), False: (0, 90)}[light]
    return tuple(int(value) for value in rng.integers(low, high, 3))  # type: ignore[return-value]


def font(name: str, size: int, text: str = "") -> Any:
    """Return a font by its name among FACES; one with its letters for Arabic."""
    spec = find_spec("matplotlib")
    if any("\u0600" <= letter < "\u0700" for letter in text):
        name = "DejaVuSans"  # one that has Arabic
    if "/" not in name and (spec is None or spec.origin is None):
        return ImageFont.load_default(size)
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" if spec and spec.origin else Path()
    return ImageFont.truetype(name if "/" in name else str(folder / f"{name}.ttf"), size)


def words(text: str, size: int, colour: Colour, face: str, alpha: int = 255) -> Picture:
    """Return one line of ``text`` as RGBA, cut to its ink; Chinese and Japanese in the font that OpenCV 5 carries."""
    if any(letter >= "\u3000" for letter in text):
        import cv2

        plate = np.zeros((2 * size, (len(text) + 2) * size * 3 // 2, 3), np.uint8)
        cv2.putText(plate, text, (size // 2, size * 3 // 2), (255,) * 3, cv2.FontFace("uni"), size)  # type: ignore[call-overload]
        mask = Image.fromarray(plate[:, :, 0])
    else:
        drawn = font(face, size, text)
        left, top, right, bottom = drawn.getbbox(text)
        mask = Image.new("L", (max(1, int(right - left) + 2), max(1, int(bottom - top) + 2)))
        ImageDraw.Draw(mask).text((1 - left, 1 - top), text, 255, drawn)
    mask = mask.crop(mask.getbbox())
    line = Image.new("RGBA", mask.size, colour)
    line.putalpha(mask.point(lambda value: value * alpha // 255))
    return line


def fitted(text: str, size: int, width: float, colour: Colour, face: str, alpha: int = 255) -> Picture:
    """Return a line of text made smaller until it is at most ``width`` pixels wide."""
    line = words(text, size, colour, face, alpha)
    return line if line.width <= width else words(text, max(8, int(size * width / line.width)), colour, face, alpha)


def cover(picture: Picture, size: tuple[int, int]) -> Picture:
    """Return a picture that fills ``size``, cut where it stands out."""
    share = max(size[0] / picture.width, size[1] / picture.height)
    large = picture.convert("RGB").resize((round(picture.width * share) + 1, round(picture.height * share) + 1))
    left, top = (large.width - size[0]) // 2, (large.height - size[1]) // 2
    return large.crop((left, top, left + size[0], top + size[1]))


def gradient(rng: Draw, size: tuple[int, int], one: Colour, other: Colour) -> Picture:
    """Return a ground that runs from one colour to another, along a side, aslant or from the middle."""
    x, y = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    share = pick(rng, (x, y, (x + y) / 2, np.hypot(x - 0.5, y - 0.5) * 1.4))[:, :, None]
    return Image.fromarray((np.array(one) * (1 - share) + np.array(other) * share).clip(0, 255).astype(np.uint8))


def ground(rng: Draw, size: tuple[int, int], photos: list[Picture], light: bool) -> Picture:
    """Return a ground for words: a colour, a gradient, a blurred photo or rough paper."""
    kind, one = int(rng.integers(4)), colour(rng, light)
    if kind == 0:
        return Image.new("RGB", size, one)
    if kind == 1:
        return gradient(rng, size, one, colour(rng, light))
    if kind == 2:
        far = cover(pick(rng, photos), size).filter(ImageFilter.GaussianBlur(max(size) * 0.03))
        return Image.blend(far, Image.new("RGB", size, one), 0.5)
    rough = np.array(one) + rng.normal(0, 6, (*size[::-1], 1))
    return Image.fromarray(rough.clip(0, 255).astype(np.uint8).repeat(3 // rough.shape[2], axis=2))


def enlarged(picture: Picture) -> Picture:
    """Return a picture with 1,000 pixels on the longer side."""
    share = 1000 / max(picture.size)
    return picture.convert("RGB").resize((round(picture.width * share), round(picture.height * share)))
