"""Pictures of shops that show no garment for itself, drawn in other styles than ``cards``.

Each maker draws one from a seed and from photos of garments.
"""

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance

from tests.curation.shop_paper import (
    BRANDS,
    FACES,
    Draw,
    Maker,
    Picture,
    colour,
    cover,
    fitted,
    font,
    gradient,
    ground,
    pick,
    words,
)

_WORDS: tuple[tuple[str, ...], ...] = (
    ("SUMMER SALE", "UP TO 50 % OFF", "on all dresses and shirts until Sunday", "SHOP NOW"),
    ("New Collection", "Autumn / Winter", "Discover the pieces of the season", "View all"),
    ("MID SEASON", "SALE", "extra 20 % with code EXTRA20", "WOMEN   MEN   KIDS"),
    ("The Linen Edit", "Made for warm days", "Free shipping on orders over 60", "Explore"),
    ("BLACK FRIDAY", "-70%", "Everything must go", "BUY"),
    ("РАСПРОДАЖА", "скидки до 70 %", "на всю летнюю одежду и обувь", "КУПИТЬ"),
    ("Новая коллекция", "осень 2026", "Бесплатная доставка по всей стране", "Смотреть"),
    ("ΕΚΠΤΩΣΕΙΣ", "έως 60 %", "σε όλα τα φορέματα", "ΑΓΟΡΑ"),
    ("تخفيضات", "خصم حتى 50 %", "على جميع الفساتين", "تسوق الآن"),
    ("新品上市", "全场五折", "限时优惠 买二送一", "立即购买"),
    ("サマーセール", "最大50%オフ", "送料無料キャンペーン", "今すぐ見る"),
    ("Soldes d'été", "jusqu'à -60 %", "sur une sélection d'articles", "J'en profite"),
)
"""What banners say: headline, second line, small print, button."""
_LONE = ("SALE", "NEW IN", "SOLD OUT", "Coming soon", "-50 %", "Gift card", "НОВИНКА", "NEU", "Outlet", "新品", "LAST CHANCE",
         "Thank you", "MEMBERS ONLY", "SALDI", "Скоро")  # fmt: skip
_TEXT = (
    "Free shipping on all orders over 50. Returns are free within thirty days, in the original packaging and unworn.",
    "Made of organic cotton, spun and sewn in Portugal. Wash at thirty degrees, do not bleach, iron at low heat, enjoy.",
    "Возврат товара в течение тридцати дней. Бесплатная доставка от трёх тысяч рублей по всей стране, без вопросов.",
    "Wir versenden klimaneutral in zwei bis drei Werktagen. Rückgabe innerhalb von dreißig Tagen, kostenlos im Laden.",
    "توصيل مجاني للطلبات التي تزيد عن خمسين. يمكن إرجاع المنتجات خلال ثلاثين يوما في عبوتها الأصلية دون أسئلة من أحد",
)


def banner(rng: Draw, photos: list[Picture]) -> Picture:
    """Words over a photo: left, right, in the middle, below or above; with a scrim, on a panel, or bare."""
    size = pick(
        rng, ((1600, 900), (1200, 800), (1500, 600), (1400, 900), (1920, 800), (1200, 840), (1080, 1080), (1080, 1350))
    )
    width, height = size
    sheet = cover(pick(rng, photos), size)
    light = bool(rng.integers(2))
    ink, veil = ((255, 255, 255), (0, 0, 0)) if light else ((20, 20, 24), (255, 255, 255))
    if rng.random() < 0.25:
        ink = colour(rng, light)
    where = pick(rng, ("left", "right", "middle", "below", "above"))
    style = int(rng.integers(4))
    if style == 0:  # a veil over all of it
        sheet = Image.blend(sheet, Image.new("RGB", size, veil), float(rng.uniform(0.25, 0.55)))
    elif style == 1:  # one that fades out
        fade = np.linspace(0.85, 0, width if where in {"left", "right", "middle"} else height)
        fade = fade[::-1] if where in {"right", "below"} else fade
        plane = np.tile(fade, (height, 1)) if len(fade) == width else np.tile(fade[:, None], (1, width))
        sheet.paste(Image.new("RGB", size, veil), mask=Image.fromarray((plane * 255).astype(np.uint8)))
    elif style == 2:  # bare, on a photo made darker or lighter
        sheet = ImageEnhance.Brightness(sheet).enhance(0.6 if light else 1.3)
    else:  # the photo on one side, a gradient on the other
        side = gradient(rng, (width // 2, height), colour(rng, not light), colour(rng, not light))
        where = pick(rng, ("left", "right"))
        sheet.paste(side, (0 if where == "left" else width - width // 2, 0))
    head, second, small, button = pick(rng, _WORDS)
    face, room = pick(rng, FACES), width * (0.43 if where in {"left", "right"} else 0.8)
    big = int(height * rng.uniform(0.1, 0.2))
    lines = [fitted(head, big, room, ink, face), fitted(second, int(big * rng.uniform(0.5, 0.9)), room, ink, face)]
    if rng.random() < 0.8:
        lines.append(fitted(small, int(big * 0.35), room, ink, pick(rng, FACES)))
    if rng.random() < 0.6:
        word = fitted(button, int(big * 0.33), room, veil, face)
        plate = Image.new("RGBA", (word.width * 3 // 2, word.height * 5 // 2), ink)
        plate.alpha_composite(word, (word.width // 4, word.height * 3 // 4))
        lines.append(plate)
    gap = int(big * 0.4)
    tall = sum(line.height + gap for line in lines) - gap
    top = {"below": height * 0.94 - tall, "above": height * 0.06}.get(where, (height - tall) / 2)
    for line in lines:
        left = {"left": width * 0.04, "right": width * 0.53}.get(where, (width - line.width) / 2)
        sheet.paste(line, (int(left), int(max(4, top))), line)
        top += line.height + gap
    return sheet


def lone_words(rng: Draw, photos: list[Picture]) -> Picture:
    """One or two words on a coloured, graded, blurred or rough ground."""
    size = pick(rng, ((800, 800), (900, 1200), (1200, 800), (1000, 1000)))
    light = bool(rng.integers(2))
    sheet = ground(rng, size, photos, light)
    line = fitted(
        pick(rng, _LONE),
        int(size[1] * rng.uniform(0.07, 0.2)),
        size[0] * 0.85,
        colour(rng, not light),
        pick(rng, FACES),
    )
    sheet.paste(line, ((size[0] - line.width) // 2, int((size[1] - line.height) * rng.uniform(0.3, 0.6))), line)
    if rng.random() < 0.3:
        small = fitted(pick(rng, BRANDS), int(size[1] * 0.04), size[0] * 0.5, colour(rng, not light), pick(rng, FACES))
        sheet.paste(small, ((size[0] - small.width) // 2, int(size[1] * 0.88)), small)
    return sheet


def text_card(rng: Draw, photos: list[Picture]) -> Picture:
    """A page of words on a ground that is not even, with or without a head, bullets or a picture in its corner."""
    width, height = size = pick(rng, ((800, 800), (900, 1200), (1200, 900)))
    light = bool(rng.integers(2))
    sheet, ink, face = ground(rng, size, photos, light), colour(rng, not light), pick(rng, FACES)
    big, left, y = int(width * rng.uniform(0.035, 0.055)), width * 0.08, height * 0.08
    if rng.random() < 0.6:
        head = fitted(
            pick(rng, ("Shipping & returns", "OUR PROMISE", "Care", "ВОЗВРАТ", "Why us?")),
            big * 2,
            width * 0.8,
            ink,
            face,
        )
        sheet.paste(head, (int(left), int(y)), head)
        y += big * 4
    bullets, line = rng.random() < 0.3, ""
    for word in (pick(rng, _TEXT) + " " + pick(rng, _TEXT)).split():
        if y > height * 0.9:
            break
        if font(face, big, word).getlength(f"{line} {word}") < width * 0.8:
            line = f"{line} {word}".strip()
            continue
        drawn = words(("• " if bullets else "") + line, big, ink, face)
        sheet.paste(drawn, (int(left), int(y)), drawn)
        y, line = y + big * 1.8, word
    if rng.random() < 0.25:
        corner = cover(pick(rng, photos), (width // 4, height // 5))
        sheet.paste(corner, (int(width * 0.72), int(height * 0.78)))
    return sheet


def size_chart(rng: Draw, photos: list[Picture]) -> Picture:
    """A table of sizes on any ground, ruled faintly or not at all, with a sketch or photo of the garment beside it."""
    width, height = size = pick(rng, ((1000, 1000), (1200, 800), (900, 1200)))
    light = bool(rng.integers(2))
    sheet, ink = ground(rng, size, photos, light), colour(rng, not light)
    draw, face = ImageDraw.Draw(sheet), pick(rng, FACES[:2])
    beside = rng.random() < 0.4
    right = width * (0.62 if beside and width >= height else 0.95)
    bottom = height * (0.62 if beside and width < height else 0.95)
    if beside:
        small = cover(pick(rng, photos), (int(width * 0.3), int(height * 0.32)))
        sheet.paste(
            small, (int(width * 0.66), int(height * 0.64)) if width < height else (int(width * 0.66), int(height * 0.3))
        )
    head = fitted(
        pick(rng, ("Size guide", "РАЗМЕРЫ", "Größentabelle", "SIZE CHART (inch)")),
        int(height * 0.055),
        width * 0.6,
        ink,
        face,
    )
    sheet.paste(head, (int(width * 0.05), int(height * 0.05)), head)
    rows, columns, style = int(rng.integers(6, 12)), int(rng.integers(4, 7)), int(rng.integers(3))
    left, top = width * 0.05, height * 0.16
    down, across = (bottom - top) / rows, (right - left) / columns
    for row in range(rows):
        for column in range(columns):
            said = (
                str(int(rng.integers(30, 120)))
                if row and column
                else pick(rng, ("XS", "S", "M", "L", "XL", "EU", "UK", "Bust", "Hip"))
            )
            cell = fitted(said, int(min(down * 0.5, across * 0.4)), across * 0.8, ink, face)
            sheet.paste(cell, (int(left + across * (column + 0.1)), int(top + down * (row + 0.25))), cell)
        if style == 1:
            draw.line((left, top + down * row, right, top + down * row), tuple((c + 128) // 2 for c in ink), 1)
        if style == 2 and row % 2:
            band = Image.new("RGB", (int(right - left), int(down)), ink)
            sheet.paste(band, (int(left), int(top + down * row)), Image.new("L", band.size, 28))
    return sheet


def collage(rng: Draw, photos: list[Picture]) -> Picture:
    """Two to four photos edge to edge, or with a thin or light gutter between them."""
    width, height = size = pick(rng, ((1000, 1000), (1200, 800), (900, 1200)))
    grid = pick(rng, ((2, 1), (2, 1), (1, 2), (2, 2), (3, 1)))
    gap = int(pick(rng, (0, 0, 2, 4, 12)))
    sheet = Image.new("RGB", size, pick(rng, ((255, 255, 255), (240, 238, 232), (0, 0, 0))))
    across, down = (width - gap * (grid[0] - 1)) // grid[0], (height - gap * (grid[1] - 1)) // grid[1]
    for place in range(grid[0] * grid[1]):
        column, row = place % grid[0], place // grid[0]
        sheet.paste(cover(pick(rng, photos), (across, down)), (column * (across + gap), row * (down + gap)))
    return sheet


DROPPED: dict[str, Maker] = {
    "banner": banner,
    "lone_words": lone_words,
    "text_card": text_card,
    "size_chart": size_chart,
    "collage": collage,
}
