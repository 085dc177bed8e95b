"""Words laid over pictures, as a text finder sees them: what must go, and photos with words that must stay."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from catalog import tables
from catalog.decode import decode, encode_jpeg
from catalog.store import Catalog
from curation import text
from curation.lettering import lettering
from curation.screen import ScreenPolicy, judge, screen
from curation.text import Line, TextFinder
from tests.curation import cards, shop_paper, shop_photos, shop_words

POLICY = ScreenPolicy()
MODEL = Path(__file__).parents[2] / "models" / "text-lines" / "text-lines.onnx"


@pytest.fixture(scope="module")
def finder() -> TextFinder:
    return text.open(f"ppocr:{MODEL}")


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    return cards.garments(24)


def reason(image: Image.Image, finder: TextFinder | None) -> str | None:
    seen = decode(encode_jpeg(np.array(image.convert("RGB")), 88), reduce_to=POLICY.look_at)
    return judge(seen.pixels, (seen.width, seen.height), POLICY, finder)[0]


def newly(images: list[Image.Image], finder: TextFinder) -> list[str | None]:
    """Return why each picture falls that stays without a finder: cloth without a fold is an icon to the other rules."""
    return [reason(image, finder) for image in images if reason(image, None) is None]


@pytest.mark.parametrize(
    ("kind", "share"), [("banner", 0.4), ("lone_words", 0.9), ("text_card", 0.95), ("size_chart", 0.9)]
)
def test_words_without_a_photo_of_a_garment_are_caught(
    finder: TextFinder, pictures: list[Image.Image], kind: str, share: float
) -> None:
    make = shop_words.DROPPED[kind]
    said = [reason(make(np.random.default_rng([7, number]), pictures), finder) for number in range(20)]
    assert sum(one is not None for one in said) >= share * len(said), said


@pytest.mark.parametrize("kind", shop_photos.STAYS)
def test_photos_with_a_mark_a_name_or_a_price_stay(finder: TextFinder, pictures: list[Image.Image], kind: str) -> None:
    make = shop_photos.STAYS[kind]
    said = newly([make(np.random.default_rng([8, number]), pictures) for number in range(20)], finder)
    assert len(said) >= 15
    assert set(said) == {None}


@pytest.mark.parametrize("kind", shop_photos.PRINTED)
def test_garments_with_slogans_stay(finder: TextFinder, kind: str) -> None:
    from demo.garments import random_spec, render

    worn = [Image.fromarray(render(random_spec(np.random.default_rng(seed)), 300, seed).rgba) for seed in range(12)]
    make = shop_photos.PRINTED[kind]
    said = newly([make(np.random.default_rng([9, number]), worn) for number in range(20)], finder)
    assert len(said) >= 15
    assert set(said) == {None}


def test_the_ledger_tells_what_was_read_and_by_which_finder(tmp_path: Path, finder: TextFinder) -> None:
    catalog = Catalog(tmp_path)
    x = np.linspace(0, 90, 600).astype(np.uint8)
    ground = np.stack([x + 40, x + 90, x + 20], axis=1)[None].repeat(500, axis=0)
    sheet, line = Image.fromarray(ground), shop_paper.words("COMING SOON", 60, (250, 240, 200), "DejaVuSans-Bold")
    sheet.paste(line, (60, 200), line)
    photo = catalog.put_image(encode_jpeg(np.array(sheet)))
    photos = tables.from_rows("photos", [{"photo_id": photo}])
    (told,) = screen(photos, catalog, POLICY, edition="2026.12", text=finder).ledger.to_pylist()
    evidence = json.loads(told["evidence"])
    assert (told["outcome"], told["reason"]) in {("dropped", "placeholder"), ("dropped", "text_card")}
    assert evidence["text"] == finder.name
    assert evidence["edges"] <= evidence["threshold"] == POLICY.max_edges_words
    (bare,) = screen(photos, catalog, POLICY, edition="2026.12").ledger.to_pylist()
    assert "text" not in json.loads(bare["evidence"])


SLOGANS = ("ba12206f", "53e1ebfe", "9846b8a6", "178a2941", "c7036eae", "96399c5f", "8acbe013", "b1c52857", "31300080")
"""Real shirts with large slogans, some close up, and photos on grounds whose pattern reads as text."""


def test_real_shirts_with_slogans_stay(finder: TextFinder, shared: Path) -> None:
    files = [file for name in SLOGANS for file in sorted((shared / "photos" / "images").glob(f"{name}*.jpg"))]
    assert len(files) == len(SLOGANS)
    assert [(file.name, said) for file in files if (said := reason(Image.open(file), finder))] == []


def test_what_an_outline_encloses_is_not_open() -> None:
    sheet = np.full((240, 320, 3), 230, np.uint8)
    sheet[60:200, 100:220] = 90  # a garment
    inside, outside = (Line(x, 120.0, 60.0, 14.0, 0.0, 0.9) for x in (160.0, 50.0))
    turned = Line(50.0, 40.0, 60.0, 14.0, 30.0, 0.9)
    read = lettering(sheet, [inside, outside, turned])
    assert (read.lines, read.open) == (2, 1)
    assert read.share == pytest.approx(60 * 14 / (240 * 320))
    assert read.aside == pytest.approx(0.5 - 50 / 320)
    assert 0 < read.edges < 0.05
    assert lettering(sheet[:50], [Line(160.0, 25.0, 60.0, 10.0, 0.0, 0.9)]).edges == 0
