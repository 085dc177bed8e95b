"""Pictures of shops that show no garment: what the screen must catch, and garments that it must not."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from catalog.decode import Decoded, decode, encode_jpeg
from curation import layouts
from curation.screen import ScreenPolicy, judge
from tests.curation import cards

POLICY = ScreenPolicy()
NUMBERS = range(40)


def seen(image: Image.Image) -> Decoded:
    return decode(encode_jpeg(np.array(image.convert("RGB")), 88), reduce_to=POLICY.look_at)


def reason(decoded: Decoded) -> str | None:
    return judge(decoded.pixels, (decoded.width, decoded.height), POLICY)[0]


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    return cards.garments(24)


@pytest.mark.parametrize(
    ("kind", "share", "named"),
    [
        # A table without rules is a page of words.
        ("size_chart", 0.97, {"size_chart", "text_card"}),
        ("text_card", 0.95, {"text_card"}),
        ("banner", 0.97, {"banner"}),
        # A picture as light as the gutter hides it.
        ("collage", 0.75, {"collage"}),
        ("placeholder", 0.9, {"placeholder", "text_card", "blank"}),
    ],
)
def test_what_is_no_photo_of_a_garment_is_caught(
    pictures: list[Image.Image], kind: str, share: float, named: set[str]
) -> None:
    make = dict(cards.every(pictures))[kind]
    found = Counter(reason(seen(make(number))) for number in NUMBERS)
    assert sum(found[name] for name in named) >= share * len(NUMBERS), found
    assert set(found) <= {*named, None}, found


def test_a_ruled_chart_is_called_one() -> None:
    assert {reason(seen(cards.size_chart(number))) for number in range(0, 40, 5)} == {"size_chart"}


def test_drawn_garments_pass() -> None:
    """Striped, checked and dotted ones, on tiles, planks and bricks."""
    from demo.compose import scene
    from demo.garments import random_spec, render

    fallen = []
    for seed in range(150):
        rng = np.random.default_rng(5000 + seed)
        made = scene(render(random_spec(rng), 192, seed).rgba, 360, 480, rng)
        if said := reason(seen(Image.fromarray(made.image))):
            fallen.append((seed, said))
    assert fallen == []


def test_small_garments_cut_out_on_white_pass(shared: Path) -> None:
    """Packshots: real garments, on pure white, of a quarter, a half and most of the frame."""
    from demo.cutouts import cut_out_file

    fallen, tried = [], 0
    for file in sorted((shared / "photos" / "images").glob("*.jpg"))[3::70]:
        cut = cut_out_file(file).rgba
        if cut is None:
            continue
        garment = Image.fromarray(cut)
        garment = garment.crop(garment.getchannel("A").getbbox())
        for share in (0.25, 0.45, 0.85):
            sheet, small = Image.new("RGB", (800, 800), "white"), garment.copy()
            small.thumbnail((round(800 * share),) * 2)
            sheet.paste(small, ((800 - small.width) // 2, (800 - small.height) // 2), small)
            tried += 1
            if said := reason(seen(sheet)):
                fallen.append((file.name, share, said))
    assert tried >= 60
    assert fallen == []


@pytest.mark.parametrize("turn", [0, 1])
def test_gutters_are_counted_both_ways(turn: int) -> None:
    noise = np.random.default_rng(1).integers(0, 120, (300, 300, 3)).astype(np.uint8)
    noise[:, 148:152] = 255
    assert layouts.gutters(np.ascontiguousarray(np.rot90(noise, turn)), 0.06, 30.0) == 1
    noise[100, 140:160] = 0  # a picture that crosses the line is one picture
    assert layouts.gutters(np.ascontiguousarray(np.rot90(noise, turn)), 0.06, 30.0) == 0
