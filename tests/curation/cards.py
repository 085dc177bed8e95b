"""Pictures of shops that show no garment, drawn in many styles: size charts, text cards, banners, collages, placeholders."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Maker = Callable[[int], Image.Image]
_PAPER: tuple[tuple[Colour, Colour], ...] = (
    ((255, 255, 255), (20, 20, 20)),
    ((250, 246, 238), (70, 50, 40)),
    ((24, 26, 34), (240, 240, 240)),
    ((236, 240, 244), (30, 60, 140)),
    ((255, 228, 225), (150, 20, 40)),
    ((20, 70, 60), (250, 240, 210)),
)
"""Ground and ink of cards."""
_SCRIPTS = (
    "Free shipping on orders over 50. Returns within thirty days in the original packaging, no questions asked.",
    "Бесплатная доставка от 3000 рублей. Возврат товара в течение тридцати дней в исходной упаковке, без вопросов.",
    "Δωρεάν αποστολή για παραγγελίες άνω των 50. Επιστροφές εντός τριάντα ημερών στην αρχική συσκευασία.",
    "توصيل مجاني للطلبات التي تزيد عن خمسين. يمكن إرجاع المنتجات خلال ثلاثين يوما في عبوتها الأصلية دون أسئلة",
    "Mașină 30 °C, nu folosiți înălbitor; țesătură: bumbac 95 %, elastan 5 %. Călcați la temperatură medie.",
)


def _font(size: int, name: str = "DejaVuSans") -> Any:
    """A font of matplotlib's own files, which know many scripts; Pillow's where it is not there."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return ImageFont.load_default(size)
    return ImageFont.truetype(str(Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf"), size)


def size_chart(number: int) -> Image.Image:
    """A table of sizes: ruled whole, ruled across only, with a filled head, with shaded rows, or without any rule."""
    rng = np.random.default_rng(number)
    ground, ink = _PAPER[number % 4]
    width, height = ((800, 800), (1000, 700), (700, 1000), (1200, 1200))[number // 5 % 4]
    sheet = Image.new("RGB", (width, height), ground)
    draw = ImageDraw.Draw(sheet)
    rows, columns, style = int(rng.integers(6, 11)), int(rng.integers(4, 7)), number % 5
    left, top, right, bottom = width * 0.06, height * 0.18, width * 0.94, height * (0.5 if width < height else 0.92)
    step, across = (bottom - top) / rows, (right - left) / columns
    font = _font(int(min(step * 0.5, across * 0.28)))
    draw.text((left, height * 0.06), "SIZE GUIDE (CM)", ink, _font(int(height * 0.05), "DejaVuSans-Bold"))
    half = tuple((3 * g + i) // 4 for g, i in zip(ground, ink, strict=True))
    for row in range(rows):
        y = top + row * step
        head = row == 0 and style == 2
        if head or (style == 3 and row % 2):
            draw.rectangle((left, y, right, y + step), ink if head else half)
        for column in range(columns):
            word = ("SIZE", "CHEST", "WAIST", "HIPS", "LENGTH", "SLEEVE")[column] if row == 0 else str(
                ("XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL", "5XL", "6XL")[row - 1] if column == 0
                else int(rng.integers(30, 130))
            )  # fmt: skip
            draw.text((left + (column + 0.15) * across, y + step * 0.2), word, ground if head else ink, font)
        if style in {0, 1}:
            draw.line((left, y, right, y), ink, max(1, width // 500))
    if style in {0, 1}:
        draw.line((left, bottom, right, bottom), ink, max(1, width // 500))
    if style == 0:
        for column in range(columns + 1):
            draw.line((left + column * across, top, left + column * across, bottom), ink, max(1, width // 500))
    return sheet


def text_card(number: int) -> Image.Image:
    """A page of words: terms of delivery, care or thanks, in five scripts, some centred, with and without a frame."""
    ground, ink = _PAPER[number % len(_PAPER)]
    width, height = ((800, 800), (900, 1200), (1200, 900))[number // 6 % 3]
    card = Image.new("RGB", (width, height), ground)
    draw = ImageDraw.Draw(card)
    size = int(width * (0.032, 0.04, 0.05)[number // 2 % 3])
    font, words = (
        _font(size, "DejaVuSerif" if number % 10 in {1, 5} else "DejaVuSans"),
        (_SCRIPTS[number % 5] + " ").split() * 3,
    )
    lines, line = [], ""
    for word in words:
        if draw.textlength(f"{line} {word}", font) > width * 0.8:
            lines.append(line.strip())
            line = ""
        line += f" {word}"
    for place, text in enumerate(lines[: int(height * 0.6 / (size * 1.7))]):
        x = (width - draw.textlength(text, font)) / 2 if number % 3 == 0 else width * 0.1
        draw.text((x, height * 0.15 + place * size * 1.7), text, ink, font)
    if number % 4 == 3:
        draw.rectangle((width * 0.04, height * 0.04, width * 0.96, height * 0.96), outline=ink, width=width // 200)
    return card


def banner(number: int, pictures: list[Image.Image]) -> Image.Image:
    """A wide strip of a shop's front: a picture on one side, words on the other, or words alone."""
    ground, ink = _PAPER[number % len(_PAPER)]
    width, height = ((1600, 600), (1400, 500), (1200, 600), (1800, 500))[number % 4]
    strip = Image.new("RGB", (width, height), ground)
    if number % 5:
        side = pictures[number % len(pictures)].convert("RGB").resize((width // 2, height))
        strip.paste(side, (0 if number % 2 else width // 2, 0))
    draw, x = ImageDraw.Draw(strip), width * (0.56 if number % 2 else 0.06)
    for place, (text, size) in enumerate(
        (("SUMMER SALE", 0.15), ("up to 50 % off all dresses", 0.08), ("SHOP NOW", 0.09))
    ):
        draw.text((x, height * (0.18 + 0.26 * place)), text, ink, _font(int(height * size), "DejaVuSans-Bold"))
    return strip


def collage(number: int, pictures: list[Image.Image]) -> Image.Image:
    """Several photos on one sheet, parted by straight gutters: 2x2, 1+2, 3x1, 1x2, 2x1; white, black or thin ones."""
    ground = ((255, 255, 255), (0, 0, 0), (255, 255, 255), (228, 220, 210))[number % 4]
    gap, side = (10, 24, 4, 40)[number % 4], 900
    whole = {
        0: [(0, 0, 1, 1), (1, 0, 2, 1), (0, 1, 1, 2), (1, 1, 2, 2)],
        1: [(0, 0, 1, 2), (1, 0, 2, 1), (1, 1, 2, 2)],
        2: [(0, 0, 2 / 3, 2), (2 / 3, 0, 4 / 3, 2), (4 / 3, 0, 2, 2)],
        3: [(0, 0, 1, 2), (1, 0, 2, 2)],
        4: [(0, 0, 2, 1), (0, 1, 2, 2)],
    }[number % 5]
    sheet = Image.new("RGB", (side, side), ground)
    edge = number // 4 % 2 * gap  # half of them have a frame too
    for place, (x0, y0, x1, y1) in enumerate(whole):
        half, unit = gap / 2, (side - 2 * edge + gap) / 2
        box = [
            round(edge - half + value * unit + way * half)
            for value, way in zip((x0, y0, x1, y1), (1, 1, -1, -1), strict=True)
        ]
        picture = pictures[(number * 4 + place) % len(pictures)].convert("RGB")
        sheet.paste(picture.resize((box[2] - box[0], box[3] - box[1])), (box[0], box[1]))
    return sheet


def placeholder(number: int) -> Image.Image:
    """What a shop shows where it has no photo: one tone, and a small camera, hanger, crossed frame or a few words."""
    ground = ((238, 238, 238), (255, 255, 255), (204, 210, 216), (245, 240, 232))[number % 4]
    ink = ((190, 190, 190), (120, 120, 120), (255, 255, 255), (160, 140, 120))[number % 4]
    width, height = ((600, 600), (800, 1000), (640, 480))[number // 4 % 3]
    sheet = Image.new("RGB", (width, height), ground)
    draw, x, y, r = ImageDraw.Draw(sheet), width / 2, height / 2, width * (0.11, 0.16, 0.2)[number // 3 % 3]
    kind = number % 5
    if kind == 0:  # a camera
        draw.rounded_rectangle((x - r, y - r * 0.7, x + r, y + r * 0.7), r * 0.15, ink)
        draw.ellipse((x - r * 0.45, y - r * 0.45, x + r * 0.45, y + r * 0.45), ground)
        draw.ellipse((x - r * 0.3, y - r * 0.3, x + r * 0.3, y + r * 0.3), ink)
    elif kind == 1:  # a hanger
        draw.line([(x, y - r * 0.3), (x - r, y + r * 0.5), (x + r, y + r * 0.5), (x, y - r * 0.3)], ink, int(r * 0.12))
        draw.arc((x - r * 0.2, y - r * 0.7, x + r * 0.2, y - r * 0.3), 180, 90, ink, int(r * 0.12))
    elif kind == 2:  # a frame with a mountain
        draw.rectangle((x - r, y - r * 0.8, x + r, y + r * 0.8), outline=ink, width=int(r * 0.12))
        draw.polygon([(x - r * 0.8, y + r * 0.6), (x - r * 0.2, y - r * 0.2), (x + r * 0.5, y + r * 0.6)], ink)
        draw.ellipse((x + r * 0.3, y - r * 0.5, x + r * 0.6, y - r * 0.2), ink)
    elif kind == 3:  # words
        for place, word in enumerate(("NO IMAGE", "AVAILABLE")):
            font = _font(int(width * 0.07), "DejaVuSans-Bold")
            draw.text((x - draw.textlength(word, font) / 2, y + (place - 1) * width * 0.1), word, ink, font)
    else:  # a cross in a circle and a word
        draw.ellipse((x - r, y - r, x + r, y + r), outline=ink, width=int(r * 0.1))
        draw.line((x - r * 0.7, y - r * 0.7, x + r * 0.7, y + r * 0.7), ink, int(r * 0.1))
        draw.text((x - width * 0.12, y + r * 1.3), "Coming soon", ink, _font(int(width * 0.04)))
    return sheet


def garments(count: int) -> list[Image.Image]:
    """Drawn garments in streets and rooms, for the pictures of banners and collages.

    On white, a white gutter is no more than the white between two garments of one photo.
    """
    from demo.compose import scene
    from demo.garments import random_spec, render

    made = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        drawn = render(random_spec(rng), 192, seed)
        made.append(Image.fromarray(scene(drawn.rgba, 300, 400, rng, setting=("flat", "street")[seed % 2]).image))
    return made


def every(pictures: list[Image.Image]) -> Iterator[tuple[str, Maker]]:
    """Reason code of the screen -> what draws the picture of a number."""
    yield "size_chart", size_chart
    yield "text_card", text_card
    yield "banner", lambda number: banner(number, pictures)
    yield "collage", lambda number: collage(number, pictures)
    yield "placeholder", placeholder
