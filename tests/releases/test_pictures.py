from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from catalog.decode import decode, encode_jpeg, encode_png
from releases.errors import ReleaseError
from releases.pictures import corners, crops, thumbnail


@given(st.tuples(*[st.floats(-50, 150)] * 4))
def test_corners_are_whole_and_inside_or_refused(box):
    try:
        x0, y0, x1, y1 = corners(box, 100, 80)
    except ReleaseError:
        assert (
            min(box[2], 100) <= max(box[0], 0)
            or min(box[3], 80) <= max(box[1], 0)
            or box[2] <= box[0]
            or box[3] <= box[1]
        )
        return
    assert 0 <= x0 < x1 <= 100
    assert 0 <= y0 < y1 <= 80
    assert x0 <= max(box[0], 0)
    assert x1 >= min(box[2], 100)


def test_a_crop_is_that_part_of_the_upright_picture():
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[10:30, 5:25] = (200, 30, 30)
    image = Image.fromarray(np.rot90(pixels))
    exif = image.getexif()
    exif[0x0112] = 6  # stored a quarter turn to the left, so to be turned to the right
    sink = BytesIO()
    image.save(sink, "JPEG", quality=95, exif=exif, subsampling=0)
    (crop,) = crops(sink.getvalue(), [((5.4, 10.2, 24.8, 29.9), None, "i-1")], 95)
    assert crop.corners == (5, 10, 25, 30)
    cut = decode(crop.jpeg).pixels
    assert cut.shape == (20, 20, 3)
    assert np.abs(cut.astype(int) - (200, 30, 30)).max() < 40


def test_thumbnails_are_small_and_repeatable():
    rng = np.random.default_rng(0)
    data = encode_jpeg(rng.integers(0, 255, (900, 600, 3), dtype=np.uint8))
    first = thumbnail(data, side=120)
    assert decode(first).pixels.shape[:2] == (120, 80)
    assert thumbnail(data, side=120) == first
    boxed = thumbnail(encode_png(np.zeros((50, 50, 3), np.uint8)), (10, 10, 20, 30), side=120)
    assert decode(boxed).pixels.shape[:2] == (20, 10)


def test_a_box_outside_says_so():
    with pytest.raises(ReleaseError, match=r"box \[70.0, 0.0, 90.0, 9.0\] lies outside of its photo of 60 x 40 pixels"):
        corners((70.0, 0.0, 90.0, 9.0), 60, 40)
