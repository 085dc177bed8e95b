from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from catalog import decode
from generation import marks

PIXELS = np.random.default_rng(0).integers(0, 255, (40, 32, 3), dtype=np.uint8)


def test_pillow_reads_the_origin_back() -> None:
    marked = marks.mark(decode.encode_jpeg(PIXELS), tool='Look & "Bench"')
    description = Image.open(BytesIO(marked)).getxmp()["xmpmeta"]["RDF"]["Description"]
    assert description["DigitalSourceType"] == marks.COMPOSITE
    assert description["CreatorTool"] == 'Look & "Bench"'


def test_the_picture_itself_is_untouched() -> None:
    plain = decode.encode_jpeg(PIXELS)
    assert np.array_equal(decode.decode(marks.mark(plain, tool="x")).pixels, decode.decode(plain).pixels)


def test_a_jpeg_without_app0_is_marked_behind_its_first_marker() -> None:
    plain = decode.encode_jpeg(PIXELS)
    length = int.from_bytes(plain[4:6], "big")
    bare = plain[:2] + plain[4 + length :]
    assert marks.mark(bare, tool="x")[2:4] == b"\xff\xe1"
    assert decode.decode(marks.mark(bare, tool="x")).width == 32


def test_app0_stays_first() -> None:
    assert marks.mark(decode.encode_jpeg(PIXELS), tool="x")[2:4] == b"\xff\xe0"


def test_other_files_and_second_marks_are_refused() -> None:
    with pytest.raises(ValueError, match="no JPEG"):
        marks.mark(decode.encode_png(PIXELS), tool="x")
    with pytest.raises(ValueError, match="already"):
        marks.mark(marks.mark(decode.encode_jpeg(PIXELS), tool="x"), tool="x")
