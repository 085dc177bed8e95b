"""Which function cuts which category."""

from __future__ import annotations

from collections.abc import Callable

from demo.wardrobe import bottoms, dresses, extras, feet, headwear, knits, legwear, outerwear, tops, watches
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
    "tights": legwear.tights,
    "leg warmer": legwear.leg_warmer,
    "hat": headwear.hat,
    "headband": headwear.headband,
    "glasses": headwear.glasses,
    "umbrella": headwear.umbrella,
    "shoe": feet.shoe,
    "sock": knits.sock,
    "glove": knits.glove,
    "watch": watches.watch,
    "bag": extras.bag,
    "scarf": extras.scarf,
    "tie": extras.tie,
    "belt": extras.belt,
}
