"""Shop English: titles, descriptions, departments and prices that fit a garment."""

from __future__ import annotations

import re

import numpy as np

from demo.spec import GarmentSpec

BRANDS = ("Norrbo", "Maren Vale", "Tilda Oak", "Port Sable", "Kestrel Lane", "Ondine & Bram", "Hallig", "Fennimore")
CURRENCY = "EUR"

DEPARTMENTS: dict[str, str] = {
    **dict.fromkeys(("top", "shirt"), "Tops & Shirts"),
    **dict.fromkeys(("sweater", "cardigan"), "Knitwear"),
    **dict.fromkeys(("jacket", "coat", "vest", "cape"), "Jackets & Coats"),
    **dict.fromkeys(("dress", "jumpsuit"), "Dresses & Jumpsuits"),
    **dict.fromkeys(("pants", "shorts", "skirt"), "Trousers & Skirts"),
    "shoe": "Shoes",
    "bag": "Bags",
}
REAL_DEPARTMENTS: dict[str, str] = {
    **dict.fromkeys(("T-Shirt", "Longsleeve", "Polo", "Shirt", "Top", "Blouse", "Undershirt", "Body"), "Tops & Shirts"),
    **dict.fromkeys(("Hoodie",), "Knitwear"),
    **dict.fromkeys(("Outwear", "Blazer"), "Jackets & Coats"),
    "Dress": "Dresses & Jumpsuits",
    **dict.fromkeys(("Pants", "Shorts", "Skirt"), "Trousers & Skirts"),
    "Shoes": "Shoes",
}
ACCESSORIES = "Accessories"
OTHER = "More Clothing"

_PRICES: dict[str, float] = {
    "top": 25, "shirt": 49, "sweater": 69, "cardigan": 75, "jacket": 119, "vest": 59, "coat": 189, "cape": 129,
    "dress": 89, "jumpsuit": 95, "pants": 65, "shorts": 39, "skirt": 55, "shoe": 99, "bag": 85, "hat": 29,
    "scarf": 35, "sock": 9, "tie": 29, "belt": 35, "glove": 25, "tights": 15, "leg warmer": 19, "headband": 12,
    "umbrella": 29, "watch": 129, "glasses": 79,
}  # fmt: skip
_FITS = {"slim fit": "slim fit", "loose fit": "loose fit"}
_LENGTHS = {
    "cropped": "cropped length", "longline": "longline cut", "mini": "mini length", "midi": "midi length",
    "maxi": "maxi length",
    "knee length": "knee length",
}  # fmt: skip
_ONE_SIZE = frozenset({"bag", "hat", "scarf", "tie", "umbrella", "watch", "glasses", "headband", "cape"})
_WOMEN = frozenset({"dress", "skirt", "jumpsuit", "tights", "cape", "leg warmer", "headband"})
_PLURAL = {"pants", "shorts", "tights", "glasses"}
_OPENERS = (
    "An easy piece for every day.", "Cut to last more than one season.", "A quiet favourite, made well.",
    "Made for long days and short notice.", "The one that goes with everything else.",
    "Light to wear and simple to care for.",
)  # fmt: skip
_CARE = {
    "leather": "Wipe clean with a damp cloth.", "suede": "Brush when dry.", "wool": "Hand wash, dry flat.",
    "cashmere": "Hand wash, dry flat.",
    "silk": "Dry clean only.", "denim": "Wash inside out with like colours.", "metal": "Keep dry.",
    "acetate": "Clean with a soft cloth.",
    "rubber": "Rinse with water.", "straw": "Keep dry.", "felt": "Brush when dry.",
}  # fmt: skip
# British shops say trousers, and sell some garments in twos.
_NOUNS = {
    "pants": "trousers", "sock": "socks", "glove": "gloves", "shoe": "shoes", "leg warmer": "leg warmers",
    "knit glove": "knit gloves", "leather glove": "leather gloves", "mitten": "mittens",
    "ankle sock": "ankle socks", "crew sock": "crew socks", "knee sock": "knee socks",
    "sneaker": "sneakers", "high-top sneaker": "high-top sneakers", "ankle boot": "ankle boots",
    "high heel": "high heels",
    "loafer": "loafers", "rain boot": "rain boots",
}  # fmt: skip


def title_case(text: str) -> str:
    """Words with capitals, also after a hyphen, except small ones: "V-Neck Sweater in Navy"."""
    small = {"in", "and", "with", "of"}
    words = [w if w in small else re.sub(r"(^|[-&])([a-z])", lambda m: m[1] + m[2].upper(), w) for w in text.split()]
    return " ".join(words)


def noun_of(spec: GarmentSpec) -> str:
    """What the shop calls the garment: its type where it has one, else its category."""
    name = spec.style or spec.category
    return _NOUNS.get(name, name)


def title_of(spec: GarmentSpec) -> str:
    """Title with the attributes one sees: pattern, length, neckline, type and colour."""
    noun = noun_of(spec)
    words = []
    if spec.fit in ("slim fit", "loose fit"):
        words.append(spec.fit.replace(" fit", "-fit"))
    if spec.length and spec.length != "regular length":
        words.append(spec.length)
    if spec.pattern != "plain":
        words.append(spec.pattern if spec.pattern != "colour block" else "colour-block")
    if spec.neckline and spec.neckline not in noun and spec.style not in ("polo shirt", "hoodie", "shirt dress"):
        words.append(spec.neckline if spec.neckline not in ("shirt collar", "polo collar") else "collared")
    if spec.sleeve_length in ("short sleeve", "three-quarter sleeve", "sleeveless") and spec.style != "tank top":
        words.append(spec.sleeve_length.replace(" sleeve", "-sleeve"))
    elif not words:
        words.append(spec.material)
    return title_case(f"{' '.join(words)} {noun} in {spec.colour}")


def description_of(spec: GarmentSpec, rng: np.random.Generator) -> str:
    """Two or three sentences that hold every attribute."""
    noun = noun_of(spec)
    many = spec.category in _PLURAL or (noun.endswith("s") and not noun.endswith("ss"))
    neck = {"": "", "hooded": "a hood"}.get(spec.neckline, f"a {spec.neckline}")
    sleeve = {"": "", "sleeveless": "a sleeveless cut"}.get(spec.sleeve_length, f"{spec.sleeve_length}s")
    parts = [p for p in (neck, sleeve, f"a {spec.closure}" if spec.closure else "") if p]
    has = f", with {_listed(parts)}" if parts else ""
    print_of = (
        "in one plain colour" if spec.pattern == "plain" else f"with a {spec.pattern} pattern in {spec.second_colour}"
    )
    shape = "".join(f" {p.capitalize()}." for p in (_FITS.get(spec.fit, ""), _LENGTHS.get(spec.length, "")) if p)
    opener = _OPENERS[int(rng.integers(len(_OPENERS)))]
    care = _CARE.get(spec.material, "Machine wash at 30 degrees.")
    start = f"These {spec.colour} {noun} are" if many else f"This {spec.colour} {noun} is"
    return f"{opener} {start} made of {spec.material}, {print_of}{has}.{shape} {care}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def details_of(spec: GarmentSpec) -> tuple[tuple[str, str], ...]:
    """The table of attributes on the product page."""
    rows = (
        ("Type", spec.style or spec.category), ("Colour", spec.colour), ("Pattern", spec.pattern),
        ("Neckline", spec.neckline),
        ("Sleeve length", spec.sleeve_length), ("Length", spec.length), ("Fit", spec.fit), ("Closure", spec.closure),
        ("Material", spec.material),
    )  # fmt: skip
    return tuple((name, value) for name, value in rows if value)


def department_of(category: str) -> str:
    """Department of a drawn garment's category."""
    return DEPARTMENTS.get(category, ACCESSORIES)


def gender_of(spec: GarmentSpec, rng: np.random.Generator) -> str:
    """Whom the shop offers it to."""
    if spec.category in _WOMEN or spec.style in ("high heel", "handbag", "clutch"):
        return "women"
    if spec.category == "tie" or spec.style == "suit vest":
        return "men"
    return ("women", "men", "unisex")[int(rng.integers(3))]


def sizes_of(category: str) -> tuple[str, ...]:
    """Sizes on offer."""
    if category in _ONE_SIZE:
        return ("One size",)
    return ("37", "38", "39", "40", "41", "42") if category == "shoe" else ("XS", "S", "M", "L", "XL")


def price_of(category: str, brand: int, rng: np.random.Generator) -> tuple[str, str]:
    """Price and, for one product in six, the higher regular price (else an empty string)."""
    base = _PRICES.get(category, 39.0) * (0.8 + 0.1 * (brand % 5)) * float(rng.uniform(0.85, 1.2))
    regular = max(round(base), 5) - 0.05
    if rng.random() < 1 / 6:
        return f"{max(round(regular * 0.7) - 0.05, 3.95):.2f}", f"{regular:.2f}"
    return f"{regular:.2f}", ""


def slug(text: str) -> str:
    """Lower-case words joined by hyphens, as in a URL."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def gtin_of(number: int) -> str:
    """EAN-13 in the range that GS1 keeps for in-store use (prefix 2), with its check digit."""
    body = f"200{number:09d}"
    total = sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body))
    return f"{body}{-total % 10}"
