"""More pictures of shops, drawn in other styles than ``cards``: words over photos, and photos with words that must stay.

``DROPPED`` show no garment for itself, ``STAYS`` do; each maker draws one picture from a seed and from photos of garments.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont

Picture = Image.Image
Draw = np.random.Generator
Maker = Callable[[Draw, list[Picture]], Picture]
Colour = tuple[int, int, int]

FACES: list[str] = [
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic",
    "DejaVuSansMono-Bold", "STIXGeneralBol",
]  # fmt: skip
"""Names of matplotlib's fonts, or files of fonts."""
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
_SLOGANS = ("NEW YORK", "California\n1984", "KEEP CALM\nAND\nCARRY ON", "LOVE", "Just\nbe nice", "ROCK\nAND ROLL", "Paris",
            "BORN\nTO RIDE", "university", "МОСКВА", "GOOD\nVIBES\nONLY", "athletic dept.\nest. 1976")  # fmt: skip
_BRANDS = ("LUMIÈRE", "north & co.", "BASICA", "Atelier Nord", "moda 24", "VELVET", "Hilde", "КОСМОС")


def _pick(rng: Draw, among: Any) -> Any:
    return among[int(rng.integers(len(among)))]


def _colour(rng: Draw, light: bool | None = None) -> Colour:
    low, high = {None: (0, 256), True: (190, 256), False: (0, 90)}[light]
    return tuple(int(value) for value in rng.integers(low, high, 3))  # type: ignore[return-value]


def _font(name: str, size: int, text: str = "") -> Any:
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
        font = _font(face, size, text)
        left, top, right, bottom = font.getbbox(text)
        mask = Image.new("L", (max(1, int(right - left) + 2), max(1, int(bottom - top) + 2)))
        ImageDraw.Draw(mask).text((1 - left, 1 - top), text, 255, font)
    mask = mask.crop(mask.getbbox())
    line = Image.new("RGBA", mask.size, colour)
    line.putalpha(mask.point(lambda value: value * alpha // 255))
    return line


def _fitted(text: str, size: int, width: float, colour: Colour, face: str, alpha: int = 255) -> Picture:
    line = words(text, size, colour, face, alpha)
    return line if line.width <= width else words(text, max(8, int(size * width / line.width)), colour, face, alpha)


def _cover(picture: Picture, size: tuple[int, int]) -> Picture:
    """Return a picture that fills ``size``, cut where it stands out."""
    share = max(size[0] / picture.width, size[1] / picture.height)
    large = picture.convert("RGB").resize((round(picture.width * share) + 1, round(picture.height * share) + 1))
    left, top = (large.width - size[0]) // 2, (large.height - size[1]) // 2
    return large.crop((left, top, left + size[0], top + size[1]))


def _gradient(rng: Draw, size: tuple[int, int], one: Colour, other: Colour) -> Picture:
    """Return a ground that runs from one colour to another, along a side, aslant or from the middle."""
    x, y = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    share = _pick(rng, (x, y, (x + y) / 2, np.hypot(x - 0.5, y - 0.5) * 1.4))[:, :, None]
    return Image.fromarray((np.array(one) * (1 - share) + np.array(other) * share).clip(0, 255).astype(np.uint8))


def _ground(rng: Draw, size: tuple[int, int], photos: list[Picture], light: bool) -> Picture:
    """Return a ground for words: a colour, a gradient, a blurred photo or rough paper."""
    kind, one = int(rng.integers(4)), _colour(rng, light)
    if kind == 0:
        return Image.new("RGB", size, one)
    if kind == 1:
        return _gradient(rng, size, one, _colour(rng, light))
    if kind == 2:
        far = _cover(_pick(rng, photos), size).filter(ImageFilter.GaussianBlur(max(size) * 0.03))
        return Image.blend(far, Image.new("RGB", size, one), 0.5)
    rough = np.array(one) + rng.normal(0, 6, (*size[::-1], 1))
    return Image.fromarray(rough.clip(0, 255).astype(np.uint8).repeat(3 // rough.shape[2], axis=2))


def banner(rng: Draw, photos: list[Picture]) -> Picture:
    """Words over a photo: left, right, in the middle, below or above; with a scrim, on a panel, or bare."""
    size = _pick(
        rng, ((1600, 900), (1200, 800), (1500, 600), (1400, 900), (1920, 800), (1200, 840), (1080, 1080), (1080, 1350))
    )
    width, height = size
    sheet = _cover(_pick(rng, photos), size)
    light = bool(rng.integers(2))
    ink, veil = ((255, 255, 255), (0, 0, 0)) if light else ((20, 20, 24), (255, 255, 255))
    if rng.random() < 0.25:
        ink = _colour(rng, light)
    where = _pick(rng, ("left", "right", "middle", "below", "above"))
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
        side = _gradient(rng, (width // 2, height), _colour(rng, not light), _colour(rng, not light))
        where = _pick(rng, ("left", "right"))
        sheet.paste(side, (0 if where == "left" else width - width // 2, 0))
    head, second, small, button = _pick(rng, _WORDS)
    face, room = _pick(rng, FACES), width * (0.43 if where in {"left", "right"} else 0.8)
    big = int(height * rng.uniform(0.1, 0.2))
    lines = [_fitted(head, big, room, ink, face), _fitted(second, int(big * rng.uniform(0.5, 0.9)), room, ink, face)]
    if rng.random() < 0.8:
        lines.append(_fitted(small, int(big * 0.35), room, ink, _pick(rng, FACES)))
    if rng.random() < 0.6:
        word = _fitted(button, int(big * 0.33), room, veil, face)
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
    size = _pick(rng, ((800, 800), (900, 1200), (1200, 800), (1000, 1000)))
    light = bool(rng.integers(2))
    sheet = _ground(rng, size, photos, light)
    line = _fitted(
        _pick(rng, _LONE),
        int(size[1] * rng.uniform(0.07, 0.2)),
        size[0] * 0.85,
        _colour(rng, not light),
        _pick(rng, FACES),
    )
    sheet.paste(line, ((size[0] - line.width) // 2, int((size[1] - line.height) * rng.uniform(0.3, 0.6))), line)
    if rng.random() < 0.3:
        small = _fitted(
            _pick(rng, _BRANDS), int(size[1] * 0.04), size[0] * 0.5, _colour(rng, not light), _pick(rng, FACES)
        )
        sheet.paste(small, ((size[0] - small.width) // 2, int(size[1] * 0.88)), small)
    return sheet


def text_card(rng: Draw, photos: list[Picture]) -> Picture:
    """A page of words on a ground that is not even, with or without a head, bullets or a picture in its corner."""
    width, height = size = _pick(rng, ((800, 800), (900, 1200), (1200, 900)))
    light = bool(rng.integers(2))
    sheet, ink, face = _ground(rng, size, photos, light), _colour(rng, not light), _pick(rng, FACES)
    big, left, y = int(width * rng.uniform(0.035, 0.055)), width * 0.08, height * 0.08
    if rng.random() < 0.6:
        head = _fitted(
            _pick(rng, ("Shipping & returns", "OUR PROMISE", "Care", "ВОЗВРАТ", "Why us?")),
            big * 2,
            width * 0.8,
            ink,
            face,
        )
        sheet.paste(head, (int(left), int(y)), head)
        y += big * 4
    bullets, line = rng.random() < 0.3, ""
    for word in (_pick(rng, _TEXT) + " " + _pick(rng, _TEXT)).split():
        if y > height * 0.9:
            break
        if _font(face, big, word).getlength(f"{line} {word}") < width * 0.8:
            line = f"{line} {word}".strip()
            continue
        drawn = words(("• " if bullets else "") + line, big, ink, face)
        sheet.paste(drawn, (int(left), int(y)), drawn)
        y, line = y + big * 1.8, word
    if rng.random() < 0.25:
        corner = _cover(_pick(rng, photos), (width // 4, height // 5))
        sheet.paste(corner, (int(width * 0.72), int(height * 0.78)))
    return sheet


def size_chart(rng: Draw, photos: list[Picture]) -> Picture:
    """A table of sizes on any ground, ruled faintly or not at all, with a sketch or photo of the garment beside it."""
    width, height = size = _pick(rng, ((1000, 1000), (1200, 800), (900, 1200)))
    light = bool(rng.integers(2))
    sheet, ink = _ground(rng, size, photos, light), _colour(rng, not light)
    draw, face = ImageDraw.Draw(sheet), _pick(rng, FACES[:2])
    beside = rng.random() < 0.4
    right = width * (0.62 if beside and width >= height else 0.95)
    bottom = height * (0.62 if beside and width < height else 0.95)
    if beside:
        small = _cover(_pick(rng, photos), (int(width * 0.3), int(height * 0.32)))
        sheet.paste(
            small, (int(width * 0.66), int(height * 0.64)) if width < height else (int(width * 0.66), int(height * 0.3))
        )
    head = _fitted(
        _pick(rng, ("Size guide", "РАЗМЕРЫ", "Größentabelle", "SIZE CHART (inch)")),
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
                else _pick(rng, ("XS", "S", "M", "L", "XL", "EU", "UK", "Bust", "Hip"))
            )
            cell = _fitted(said, int(min(down * 0.5, across * 0.4)), across * 0.8, ink, face)
            sheet.paste(cell, (int(left + across * (column + 0.1)), int(top + down * (row + 0.25))), cell)
        if style == 1:
            draw.line((left, top + down * row, right, top + down * row), tuple((c + 128) // 2 for c in ink), 1)
        if style == 2 and row % 2:
            band = Image.new("RGB", (int(right - left), int(down)), ink)
            sheet.paste(band, (int(left), int(top + down * row)), Image.new("L", band.size, 28))
    return sheet


def collage(rng: Draw, photos: list[Picture]) -> Picture:
    """Two to four photos edge to edge, or with a thin or light gutter between them."""
    width, height = size = _pick(rng, ((1000, 1000), (1200, 800), (900, 1200)))
    grid = _pick(rng, ((2, 1), (2, 1), (1, 2), (2, 2), (3, 1)))
    gap = int(_pick(rng, (0, 0, 2, 4, 12)))
    sheet = Image.new("RGB", size, _pick(rng, ((255, 255, 255), (240, 238, 232), (0, 0, 0))))
    across, down = (width - gap * (grid[0] - 1)) // grid[0], (height - gap * (grid[1] - 1)) // grid[1]
    for place in range(grid[0] * grid[1]):
        column, row = place % grid[0], place // grid[0]
        sheet.paste(_cover(_pick(rng, photos), (across, down)), (column * (across + gap), row * (down + gap)))
    return sheet


def watermark(rng: Draw, photos: list[Picture]) -> Picture:
    """A photo with a faint mark in a corner or along its foot."""
    sheet = _enlarged(_pick(rng, photos))
    mark = _fitted("© " + _pick(rng, _BRANDS), int(sheet.height * rng.uniform(0.02, 0.04)), sheet.width * 0.35, (255, 255, 255),
                   _pick(rng, FACES), int(rng.integers(120, 230)))  # fmt: skip
    x = _pick(rng, (0.03, 0.5 - mark.width / sheet.width / 2, 0.97 - mark.width / sheet.width))
    sheet.paste(mark, (int(sheet.width * x), int(sheet.height * _pick(rng, (0.03, 0.94)))), mark)
    return sheet


def brand(rng: Draw, photos: list[Picture]) -> Picture:
    """A product photo with the shop's or the maker's name in a corner, some with a line below it."""
    sheet, ink = _enlarged(_pick(rng, photos)), _pick(rng, ((255, 255, 255), (15, 15, 15), (180, 20, 40)))
    face, y = _pick(rng, FACES), sheet.height * _pick(rng, (0.04, 0.86))
    name = _fitted(_pick(rng, _BRANDS), int(sheet.height * rng.uniform(0.035, 0.065)), sheet.width * 0.4, ink, face)
    x = int(sheet.width * _pick(rng, (0.04, 0.96 - name.width / sheet.width)))
    sheet.paste(name, (x, int(y)), name)
    if rng.random() < 0.4:
        line = _fitted("since 1962", int(name.height * 0.6) + 4, name.width, ink, face)
        sheet.paste(line, (x, int(y + name.height * 1.5)), line)
    return sheet


def price_flash(rng: Draw, photos: list[Picture]) -> Picture:
    """A photo with a price or a reduction in a circle or a box in its corner."""
    sheet, ink = _enlarged(_pick(rng, photos)), _pick(rng, ((220, 20, 30), (20, 20, 20), (250, 210, 30)))
    side = int(min(sheet.size) * rng.uniform(0.16, 0.28))
    x, y = _pick(rng, ((0.03, 0.03), (0.97, 0.03), (0.97, 0.97), (0.03, 0.97)))
    left, top = x * sheet.width - (side if x > 0.5 else 0), y * sheet.height - (side if y > 0.5 else 0)
    draw, round_ = ImageDraw.Draw(sheet), rng.random() < 0.5
    (draw.ellipse if round_ else draw.rectangle)((left, top, left + side, top + side * (1 if round_ else 0.6)), ink)
    word = _fitted(
        _pick(rng, ("-50 %", "€ 19.99", "SALE", "NEW", "1 290 ₽", "2 for 1")),
        side // 3,
        side * 0.8,
        (255, 255, 255),
        _pick(rng, FACES),
    )
    sheet.paste(
        word, (int(left + (side - word.width) / 2), int(top + side * (0.5 if round_ else 0.3) - word.height / 2)), word
    )
    return sheet


def wide(rng: Draw, photos: list[Picture]) -> Picture:
    """A wide photo without a word."""
    return _cover(_pick(rng, photos), _pick(rng, ((1500, 800), (1600, 900), (1200, 800), (1400, 600))))


def slogan(rng: Draw, cutouts: list[Picture]) -> Picture:
    """A garment, cut out (RGBA), with a slogan over its chest, on any ground, some of them wide."""
    size = _pick(rng, ((800, 800), (900, 1200), (1200, 900), (1400, 900)))
    sheet = _ground(rng, size, cutouts, True) if rng.random() < 0.5 else Image.new("RGB", size, (250, 250, 250))
    garment = _printed(rng, cutouts, (size[0] * 0.92, size[1] * 0.92))
    sheet.paste(garment, ((size[0] - garment.width) // 2, (size[1] - garment.height) // 2), garment)
    return sheet


def slogans(rng: Draw, cutouts: list[Picture]) -> Picture:
    """Two or three such garments beside each other, or a single one away from the middle of a wide picture."""
    size = _pick(rng, ((1500, 1000), (1200, 800), (1400, 700)))
    sheet = _ground(rng, size, cutouts, True) if rng.random() < 0.5 else Image.new("RGB", size, (250, 250, 250))
    places = _pick(rng, ((0.25,), (0.75,), (0.25, 0.75), (0.25, 0.75), (0.18, 0.5, 0.82)))
    for x in places:
        garment = _printed(rng, cutouts, (size[0] * 0.96 / max(2, len(places)), size[1] * 0.94))
        sheet.paste(garment, (int(size[0] * x - garment.width / 2), (size[1] - garment.height) // 2), garment)
    return sheet


def _printed(rng: Draw, cutouts: list[Picture], room: tuple[float, float]) -> Picture:
    """Return a garment that fits ``room`` with one to three lines of print, shaded by its folds."""
    garment = _pick(rng, cutouts)
    share = min(room[0] / garment.width, room[1] / garment.height)
    garment = garment.resize((int(garment.width * share), int(garment.height * share)))
    ink, face = _colour(rng, bool(np.asarray(garment.convert("L")).mean() < 120)), _pick(rng, FACES)
    print_, y = Image.new("RGBA", garment.size), garment.height * rng.uniform(0.25, 0.4)
    across, tall = garment.width * rng.uniform(0.25, 0.5), int(garment.height * rng.uniform(0.06, 0.12))
    for row in str(_pick(rng, _SLOGANS)).split("\n"):
        line = _fitted(row, tall, across, ink, face)
        print_.alpha_composite(line, (int((garment.width - line.width) / 2), int(y)))
        y += line.height * 1.4
    print_ = print_.rotate(float(rng.normal(0, 4)), Image.Resampling.BICUBIC)
    fold = np.asarray(garment.convert("L").filter(ImageFilter.GaussianBlur(8))).astype(float)
    worn = np.array(print_)
    worn[:, :, :3] = (worn[:, :, :3] * (0.75 + 0.25 * fold / max(1.0, fold.max()))[:, :, None]).clip(0, 255)
    garment.paste(Image.fromarray(worn).convert("RGB"), mask=Image.fromarray(worn[:, :, 3]))
    return garment


def _enlarged(picture: Picture) -> Picture:
    share = 1000 / max(picture.size)
    return picture.convert("RGB").resize((round(picture.width * share), round(picture.height * share)))


DROPPED: dict[str, Maker] = {
    "banner": banner,
    "lone_words": lone_words,
    "text_card": text_card,
    "size_chart": size_chart,
    "collage": collage,
}
STAYS: dict[str, Maker] = {"watermark": watermark, "brand": brand, "price_flash": price_flash, "wide": wide}
"""Drawn from photos."""
PRINTED: dict[str, Maker] = {"slogan": slogan, "slogans": slogans}
"""These stay too; drawn from cut-outs."""
