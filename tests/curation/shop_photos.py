"""Photos of shops with words that must stay: marks, names, prices, and slogans on garments.

Each maker draws one from a seed and from photos of garments.
"""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from tests.curation.shop_paper import (
    BRANDS,
    FACES,
    Draw,
    Maker,
    Picture,
    colour,
    cover,
    enlarged,
    fitted,
    ground,
    pick,
)

_SLOGANS = ("NEW YORK", "California\n1984", "KEEP CALM\nAND\nCARRY ON", "LOVE", "Just\nbe nice", "ROCK\nAND ROLL", "Paris",
            "BORN\nTO RIDE", "university", "МОСКВА", "GOOD\nVIBES\nONLY", "athletic dept.\nest. 1976")  # fmt: skip


def watermark(rng: Draw, photos: list[Picture]) -> Picture:
    """A photo with a faint mark in a corner or along its foot."""
    sheet = enlarged(pick(rng, photos))
    mark = fitted("© " + pick(rng, BRANDS), int(sheet.height * rng.uniform(0.02, 0.04)), sheet.width * 0.35, (255, 255, 255),
                   pick(rng, FACES), int(rng.integers(120, 230)))  # fmt: skip
    x = pick(rng, (0.03, 0.5 - mark.width / sheet.width / 2, 0.97 - mark.width / sheet.width))
    sheet.paste(mark, (int(sheet.width * x), int(sheet.height * pick(rng, (0.03, 0.94)))), mark)
    return sheet


def brand(rng: Draw, photos: list[Picture]) -> Picture:
    """A product photo with the shop's or the maker's name in a corner, some with a line below it."""
    sheet, ink = enlarged(pick(rng, photos)), pick(rng, ((255, 255, 255), (15, 15, 15), (180, 20, 40)))
    face, y = pick(rng, FACES), sheet.height * pick(rng, (0.04, 0.86))
    name = fitted(pick(rng, BRANDS), int(sheet.height * rng.uniform(0.035, 0.065)), sheet.width * 0.4, ink, face)
    x = int(sheet.width * pick(rng, (0.04, 0.96 - name.width / sheet.width)))
    sheet.paste(name, (x, int(y)), name)
    if rng.random() < 0.4:
        line = fitted("since 1962", int(name.height * 0.6) + 4, name.width, ink, face)
        sheet.paste(line, (x, int(y + name.height * 1.5)), line)
    return sheet


def price_flash(rng: Draw, photos: list[Picture]) -> Picture:
    """A photo with a price or a reduction in a circle or a box in its corner."""
    sheet, ink = enlarged(pick(rng, photos)), pick(rng, ((220, 20, 30), (20, 20, 20), (250, 210, 30)))
    side = int(min(sheet.size) * rng.uniform(0.16, 0.28))
    x, y = pick(rng, ((0.03, 0.03), (0.97, 0.03), (0.97, 0.97), (0.03, 0.97)))
    left, top = x * sheet.width - (side if x > 0.5 else 0), y * sheet.height - (side if y > 0.5 else 0)
    draw, round_ = ImageDraw.Draw(sheet), rng.random() < 0.5
    (draw.ellipse if round_ else draw.rectangle)((left, top, left + side, top + side * (1 if round_ else 0.6)), ink)
    word = fitted(
        pick(rng, ("-50 %", "€ 19.99", "SALE", "NEW", "1 290 ₽", "2 for 1")),
        side // 3,
        side * 0.8,
        (255, 255, 255),
        pick(rng, FACES),
    )
    sheet.paste(
        word, (int(left + (side - word.width) / 2), int(top + side * (0.5 if round_ else 0.3) - word.height / 2)), word
    )
    return sheet


def wide(rng: Draw, photos: list[Picture]) -> Picture:
    """A wide photo without a word."""
    return cover(pick(rng, photos), pick(rng, ((1500, 800), (1600, 900), (1200, 800), (1400, 600))))


def slogan(rng: Draw, cutouts: list[Picture]) -> Picture:
    """A garment, cut out (RGBA), with a slogan over its chest, on any ground, some of them wide."""
    size = pick(rng, ((800, 800), (900, 1200), (1200, 900), (1400, 900)))
    sheet = ground(rng, size, cutouts, True) if rng.random() < 0.5 else Image.new("RGB", size, (250, 250, 250))
    garment = _printed(rng, cutouts, (size[0] * 0.92, size[1] * 0.92))
    sheet.paste(garment, ((size[0] - garment.width) // 2, (size[1] - garment.height) // 2), garment)
    return sheet


def slogans(rng: Draw, cutouts: list[Picture]) -> Picture:
    """Two or three such garments beside each other, or a single one away from the middle of a wide picture."""
    size = pick(rng, ((1500, 1000), (1200, 800), (1400, 700)))
    sheet = ground(rng, size, cutouts, True) if rng.random() < 0.5 else Image.new("RGB", size, (250, 250, 250))
    places = pick(rng, ((0.25,), (0.75,), (0.25, 0.75), (0.25, 0.75), (0.18, 0.5, 0.82)))
    for x in places:
        garment = _printed(rng, cutouts, (size[0] * 0.96 / max(2, len(places)), size[1] * 0.94))
        sheet.paste(garment, (int(size[0] * x - garment.width / 2), (size[1] - garment.height) // 2), garment)
    return sheet


def _printed(rng: Draw, cutouts: list[Picture], room: tuple[float, float]) -> Picture:
    """Return a garment that fits ``room`` with one to three lines of print, shaded by its folds."""
    garment = pick(rng, cutouts)
    share = min(room[0] / garment.width, room[1] / garment.height)
    garment = garment.resize((int(garment.width * share), int(garment.height * share)))
    ink, face = colour(rng, bool(np.asarray(garment.convert("L")).mean() < 120)), pick(rng, FACES)
    print_, y = Image.new("RGBA", garment.size), garment.height * rng.uniform(0.25, 0.4)
    across, tall = garment.width * rng.uniform(0.25, 0.5), int(garment.height * rng.uniform(0.06, 0.12))
    for row in str(pick(rng, _SLOGANS)).split("\n"):
        line = fitted(row, tall, across, ink, face)
        print_.alpha_composite(line, (int((garment.width - line.width) / 2), int(y)))
        y += line.height * 1.4
    print_ = print_.rotate(float(rng.normal(0, 4)), Image.Resampling.BICUBIC)
    fold = np.asarray(garment.convert("L").filter(ImageFilter.GaussianBlur(8))).astype(float)
    worn = np.array(print_)
    worn[:, :, :3] = (worn[:, :, :3] * (0.75 + 0.25 * fold / max(1.0, fold.max()))[:, :, None]).clip(0, 255)
    garment.paste(Image.fromarray(worn).convert("RGB"), mask=Image.fromarray(worn[:, :, 3]))
    return garment


STAYS: dict[str, Maker] = {"watermark": watermark, "brand": brand, "price_flash": price_flash, "wide": wide}
"""Drawn from photos."""
PRINTED: dict[str, Maker] = {"slogan": slogan, "slogans": slogans}
"""These stay too; drawn from cut-outs."""
