"""The text finder on words drawn here, whose places are known."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from curation import text
from tests.curation import shop_paper

MODEL = Path(__file__).parents[2] / "models" / "text-lines" / "text-lines.onnx"


@pytest.fixture(scope="module")
def finder() -> text.TextFinder:
    return text.open(f"ppocr:{MODEL}")


@pytest.mark.parametrize("said", ["SUMMER SALE", "Новая коллекция", "ΕΚΠΤΩΣΕΙΣ", "تخفيضات الصيف"])
def test_a_line_is_found_where_it_was_drawn(finder: text.TextFinder, said: str) -> None:
    sheet, line = (
        Image.new("RGB", (320, 240), (40, 90, 140)),
        shop_paper.words(said, 26, (255, 255, 255), "DejaVuSans-Bold"),
    )
    sheet.paste(line, (30, 100), line)
    found = finder.lines(np.asarray(sheet))
    left, right = min(one.x - one.length / 2 for one in found), max(one.x + one.length / 2 for one in found)
    assert (left, right) == pytest.approx((30, 30 + line.width), abs=8)
    assert all(abs(one.y - 100 - line.height / 2) < 6 and abs(one.tilt) < 3 for one in found)


@pytest.mark.parametrize("turn", [-20, 20])
def test_a_turned_line_says_by_how_much(finder: text.TextFinder, turn: int) -> None:
    sheet, line = Image.new("RGB", (320, 320), "white"), shop_paper.words("WINTER", 40, (0, 0, 0), "DejaVuSans-Bold")
    sheet.paste(line, (80, 140), line)
    (found,) = finder.lines(np.asarray(sheet.rotate(-turn, fillcolor="white")))  # Pillow turns against the clock
    assert found.tilt == pytest.approx(turn, abs=4)


def test_an_even_ground_has_no_line_and_tiny_pictures_are_no_fault(finder: text.TextFinder) -> None:
    assert finder.lines(np.full((200, 333, 3), 180, np.uint8)) == []
    assert finder.lines(np.zeros((1, 1, 3), np.uint8)) == []
