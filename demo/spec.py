"""What a garment is: its category and visible attributes, and which of them go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demo.colours import COLOURS, COMPANIONS

PATTERNS = (
    "plain", "striped", "vertical striped", "checked", "plaid", "dotted", "floral", "leopard",
    "chevron", "camouflage", "graphic", "colour block",
)  # fmt: skip


@dataclass(frozen=True)
class GarmentSpec:
    """One garment design; an attribute that its category does not have is the empty string.

    `variant` tells apart designs of equal attributes: it decides the print's scale, pockets, buttons.
    """

    category: str
    colour: str
    second_colour: str = "white"
    pattern: str = "plain"
    style: str = ""
    neckline: str = ""
    sleeve_length: str = ""
    length: str = ""
    fit: str = ""
    closure: str = ""
    material: str = "cotton"
    variant: int = 0


@dataclass(frozen=True)
class Choices:
    """The values that each attribute of a category may take; an empty tuple means not applicable."""

    styles: tuple[str, ...] = ()
    necklines: tuple[str, ...] = ()
    sleeves: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    fits: tuple[str, ...] = ()
    closures: tuple[str, ...] = ()
    materials: tuple[str, ...] = ("cotton",)
    patterns: tuple[str, ...] = PATTERNS


_SOLID = ("plain",)
_WOVEN = ("plain", "striped", "vertical striped", "checked", "plaid", "dotted", "floral")
_KNITS = ("plain", "striped", "chevron", "colour block", "argyle", "dotted")
_TOP_LENGTHS = ("regular length", "cropped", "longline")
_FITS = ("regular fit", "slim fit", "loose fit")

CHOICES: dict[str, Choices] = {
    "top": Choices(
        styles=("t-shirt", "t-shirt", "t-shirt",
        "long-sleeved t-shirt", "polo shirt", "tank top", "hoodie", "sweatshirt"),
        necklines=("crew neck", "v-neck", "scoop neck", "boat neck", "square neck"), sleeves=("short sleeve",),
        lengths=_TOP_LENGTHS, fits=_FITS, materials=("cotton", "jersey"),
    ),
    "shirt": Choices(
        necklines=("shirt collar",), sleeves=("long sleeve", "short sleeve"), lengths=("regular length", "longline"),
        fits=_FITS, closures=("button front",), materials=("cotton", "linen", "denim", "silk"),
        patterns=_WOVEN,
    ),
    "sweater": Choices(
        necklines=("crew neck", "v-neck", "turtleneck", "boat neck"), sleeves=("long sleeve",),
        lengths=_TOP_LENGTHS, fits=("regular fit", "loose fit"), materials=("wool", "cotton", "cashmere"),
        patterns=_KNITS,
    ),
    "cardigan": Choices(
        styles=("button cardigan",),
        necklines=("v-neck", "crew neck"), sleeves=("long sleeve",), lengths=("regular length", "longline", "cropped"),
        fits=("regular fit", "loose fit"), closures=("button front",), materials=("wool", "cashmere"), patterns=_KNITS,
    ),
    "jacket": Choices(
        styles=("denim jacket", "bomber jacket", "blazer", "puffer jacket", "biker jacket"),
        sleeves=("long sleeve",), lengths=("regular length", "cropped"), materials=("denim",),
        patterns=("plain", "plain", "plain", "camouflage", "checked"),
    ),
    "vest": Choices(
        styles=("suit vest", "puffer vest"), sleeves=("sleeveless",), lengths=("regular length",),
        materials=("wool", "nylon"), patterns=("plain", "vertical striped", "checked", "plaid"),
    ),
    "coat": Choices(
        styles=("trench coat", "wool coat", "parka"), sleeves=("long sleeve",), lengths=("knee length", "midi"),
        materials=("wool", "cotton"), patterns=("plain", "plain", "checked", "plaid"),
    ),
    "dress": Choices(
        styles=("a-line dress", "sheath dress", "shirt dress", "slip dress", "fit and flare dress"),
        necklines=("crew neck", "v-neck", "scoop neck", "square neck"),
        sleeves=("sleeveless", "short sleeve", "long sleeve"), lengths=("mini", "midi", "maxi"),
        materials=("cotton", "silk", "linen", "chiffon"),
        patterns=("plain", "striped", "dotted", "floral", "checked", "leopard", "plaid", "colour block"),
    ),
    "jumpsuit": Choices(
        styles=("long jumpsuit",),
        necklines=("v-neck", "scoop neck", "shirt collar"), sleeves=("sleeveless", "short sleeve", "long sleeve"),
        lengths=("regular length", "cropped"), materials=("cotton", "linen", "denim"),
        patterns=("plain", "plain", "vertical striped", "floral", "dotted"),
    ),
    "skirt": Choices(
        styles=("a-line skirt", "pencil skirt", "pleated skirt", "tiered skirt"), lengths=("mini", "midi", "maxi"),
        materials=("cotton", "denim", "silk", "wool"),
        patterns=("plain", "striped", "checked", "plaid", "dotted", "floral", "leopard"),
    ),
    "pants": Choices(
        styles=("jeans", "tailored trousers", "joggers", "palazzo pants", "leggings"),
        lengths=("regular length", "cropped"), fits=("regular fit",), materials=("cotton",),
        patterns=("plain", "plain", "plain", "vertical striped", "checked", "camouflage"),
    ),
    "shorts": Choices(
        styles=("denim shorts", "chino shorts", "sport shorts"), lengths=("regular length", "mini", "knee length"),
        materials=("cotton",), patterns=("plain", "plain", "vertical striped", "checked", "floral", "camouflage"),
    ),
    "hat": Choices(
        styles=("baseball cap", "beanie", "fedora", "bucket hat", "sun hat"), materials=("cotton",),
        patterns=("plain", "plain", "striped", "checked", "camouflage"),
    ),
    "shoe": Choices(
        styles=("sneaker", "high-top sneaker", "ankle boot", "high heel", "loafer", "rain boot"),
        materials=("leather", "canvas", "suede"), patterns=_SOLID,
    ),
    "bag": Choices(
        styles=("tote bag", "handbag", "backpack", "shoulder bag", "clutch"), materials=("leather", "canvas"),
        patterns=("plain", "plain", "striped", "checked", "leopard", "floral"),
    ),
    "scarf": Choices(
        styles=("long scarf",), materials=("wool", "silk"),
        patterns=("plain", "striped", "plaid", "checked", "dotted", "floral", "leopard"),
    ),
    "sock": Choices(
        styles=("ankle sock", "crew sock", "knee sock"), materials=("cotton", "wool"),
        patterns=("plain", "striped", "dotted", "argyle", "chevron"),
    ),
    "tie": Choices(
        styles=("necktie", "bow tie"), materials=("silk",),
        patterns=("plain", "diagonal striped", "dotted", "plaid", "floral"),
    ),
    "belt": Choices(styles=("buckle belt",), materials=("leather", "canvas"), patterns=_SOLID),
    "glove": Choices(
        styles=("knit glove", "leather glove", "mitten"), materials=("wool",), patterns=("plain", "striped"),
    ),
    "tights": Choices(
        styles=("opaque tights",), materials=("nylon",), patterns=("plain", "plain", "dotted", "vertical striped"),
    ),
    "leg warmer": Choices(materials=("wool",), patterns=("plain", "striped")),
    "headband": Choices(
        styles=("wide headband", "knotted headband"), materials=("cotton",),
        patterns=("plain", "striped", "dotted", "floral"),
    ),
    "umbrella": Choices(
        styles=("stick umbrella",), materials=("nylon",), patterns=("plain", "colour block", "dotted", "checked"),
    ),
    "watch": Choices(styles=("analogue watch",), materials=("leather", "metal"), patterns=_SOLID),
    "glasses": Choices(styles=("eyeglasses", "sunglasses"), materials=("acetate", "metal"), patterns=_SOLID),
    "cape": Choices(
        necklines=("turtleneck", "shirt collar"), lengths=("regular length",), materials=("wool",),
        patterns=("plain", "plaid", "checked", "striped"),
    ),
}  # fmt: skip

CATEGORIES = tuple(CHOICES)

_STYLE_MATERIALS: dict[str, tuple[str, ...]] = {
    "denim jacket": ("denim",), "bomber jacket": ("nylon", "suede"), "blazer": ("wool", "linen"),
    "puffer jacket": ("nylon",), "biker jacket": ("leather",), "suit vest": ("wool",), "puffer vest": ("nylon",),
    "trench coat": ("cotton",), "wool coat": ("wool",), "parka": ("nylon", "cotton"),
    "slip dress": ("silk",), "jeans": ("denim",), "tailored trousers": ("wool",), "joggers": ("jersey",),
    "palazzo pants": ("linen", "cotton"), "leggings": ("jersey",), "denim shorts": ("denim",),
    "chino shorts": ("cotton", "linen"), "sport shorts": ("nylon",), "beanie": ("wool",), "fedora": ("felt",),
    "sun hat": ("straw",), "rain boot": ("rubber",), "high-top sneaker": ("canvas",), "sneaker": ("canvas", "leather"),
    "loafer": ("leather", "suede"), "high heel": ("leather", "suede"), "knit glove": ("wool",),
    "leather glove": ("leather",), "mitten": ("wool",), "handbag": ("leather",), "clutch": ("leather",),
    "shoulder bag": ("leather",), "backpack": ("canvas", "nylon"), "tote bag": ("canvas",),
}  # fmt: skip

_DENIM = ("navy", "blue", "light blue", "black", "grey", "white")
_STYLE_COLOURS: dict[str, tuple[str, ...]] = {
    "denim jacket": _DENIM, "jeans": _DENIM, "denim shorts": _DENIM,
    "biker jacket": ("black", "brown", "burgundy", "white"), "sun hat": ("beige", "camel", "white"),
    "trench coat": ("beige", "camel", "navy", "black", "olive"),
}  # fmt: skip
_PLAIN_STYLES = frozenset({
    "denim jacket", "bomber jacket", "puffer jacket", "biker jacket", "trench coat", "parka", "jeans", "denim shorts",
    "fedora", "sun hat", "leather glove", "clutch", "puffer vest", "slip dress",
})  # fmt: skip


_STYLE_NECKS: dict[str, tuple[str, ...]] = {
    "slip dress": ("v-neck", "scoop neck"), "shirt dress": ("shirt collar",), "polo shirt": ("polo collar",),
    "tank top": ("scoop neck", "v-neck", "square neck"), "hoodie": ("hooded",), "sweatshirt": ("crew neck",),
}  # fmt: skip
_STYLE_SLEEVES: dict[str, tuple[str, ...]] = {
    "slip dress": ("sleeveless",), "shirt dress": ("short sleeve", "long sleeve"), "tank top": ("sleeveless",),
    "t-shirt": ("short sleeve", "short sleeve", "three-quarter sleeve"), "long-sleeved t-shirt": ("long sleeve",),
    "hoodie": ("long sleeve",), "sweatshirt": ("long sleeve",),
}  # fmt: skip


def _pick(rng: np.random.Generator, values: Sequence[str]) -> str:
    return values[int(rng.integers(len(values)))] if values else ""


def random_spec(rng: np.random.Generator, category: str | None = None) -> GarmentSpec:
    """Draw a plausible design, of `category` or of one drawn evenly; an unknown category is a KeyError."""
    name = category or _pick(rng, CATEGORIES)
    offer = CHOICES[name]
    style = _pick(rng, offer.styles)
    colour = _pick(rng, _STYLE_COLOURS.get(style, tuple(COLOURS)))
    pattern = "plain" if style in _PLAIN_STYLES else _pick(rng, offer.patterns)
    if pattern != "plain" and style in ("bomber jacket", "biker jacket"):
        pattern = "plain"
    necklines, sleeves = _STYLE_NECKS.get(style, offer.necklines), _STYLE_SLEEVES.get(style, offer.sleeves)
    return GarmentSpec(
        category=name,
        colour=colour,
        second_colour=_pick(rng, COMPANIONS[colour]),
        pattern=pattern,
        style=style,
        neckline=_pick(rng, necklines),
        sleeve_length=_pick(rng, sleeves),
        length=_pick(rng, offer.lengths),
        fit=_pick(rng, offer.fits),
        closure=_pick(rng, offer.closures),
        material=_pick(rng, _STYLE_MATERIALS.get(style, offer.materials)),
        variant=int(rng.integers(10_000)),
    )
