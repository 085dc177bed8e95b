"""Which function cuts which category."""

from __future__ import annotations

from collections.abc import Callable

from demo.wardrobe import bottoms, dresses, extras, feet, headwear, outerwear, tops
from demo.wardrobe.draft import Draft

CUTTERS: dict[str, Callable[[Draft], None]] = {
    "top": tops.top,
    "shirt": tops.shirt,
    "sweater": tops.sweater,
    "cardigan": tops.cardigan,
    "jacket": outerwear.jacket,
    "vest": outerwear.vest,
    "coat": outerwear.coat,
    "cape": outerwear.cape,
    "dress": dresses.dress,
    "jumpsuit": dresses.jumpsuit,
    "pants": bottoms.pants,
    "shorts": bottoms.shorts,
    "skirt": bottoms.skirt,
    "tights": bottoms.tights,
    "leg warmer": bottoms.leg_warmer,
    "hat": headwear.hat,
    "headband": headwear.headband,
    "glasses": headwear.glasses,
    "umbrella": headwear.umbrella,
    "shoe": feet.shoe,
    "sock": feet.sock,
    "glove": feet.glove,
    "watch": feet.watch,
    "bag": extras.bag,
    "scarf": extras.scarf,
    "tie": extras.tie,
    "belt": extras.belt,
}
