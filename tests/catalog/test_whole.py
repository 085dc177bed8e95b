"""Files that end before their picture does, however they are closed."""

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from catalog.decode import DecodeError, decode
from catalog.whole import fades_to_grey

END = b"\xff\xd9"


def jpeg(mode: str = "RGB", **options: Any) -> bytes:
    noise = np.random.default_rng(5).integers(0, 256, (40, 60, 3), np.uint8)
    picture = Image.fromarray(noise).resize((600, 400), Image.Resampling.BICUBIC).convert(mode)
    sink = BytesIO()
    picture.save(sink, "JPEG", quality=85, **options)
    return sink.getvalue()


@pytest.mark.parametrize("reduce_to", [None, 200, 60])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("subsampling", [0, 2])
def test_a_cut_jpeg_with_an_end_mark_is_truncated(
    mode: str, subsampling: int, share: float, reduce_to: int | None
) -> None:
    whole = jpeg(mode, subsampling=subsampling)
    assert decode(whole, reduce_to=reduce_to).width == 600
    closed = whole[: int(len(whole) * share)] + END
    Image.open(BytesIO(closed)).load()  # Pillow takes it
    with pytest.raises(DecodeError) as caught:
        decode(closed, reduce_to=reduce_to)
    assert caught.value.reason == "truncated"


def test_a_progressive_jpeg_whose_first_scan_is_cut_is_truncated() -> None:
    whole = jpeg(progressive=True)
    scan = whole.index(b"\xff\xda")
    with pytest.raises(DecodeError, match="ends before the picture does"):
        decode(whole[: scan + 400] + END)


@pytest.mark.parametrize("grey", [127, 128, 129])
def test_a_grey_card_and_a_garment_on_such_a_wall_stay(grey: int) -> None:
    card = np.full((240, 240, 3), grey, np.uint8)
    shown = card.copy()
    shown[60:180, 60:180] = (180, 30, 40)
    for pixels in (card, shown):
        sink = BytesIO()
        Image.fromarray(pixels).save(sink, "JPEG", quality=90)
        assert decode(sink.getvalue()).width == 240


def test_the_tail_is_judged_by_whole_rows() -> None:
    samples = np.full((320, 100, 3), 128, np.uint8)
    samples[:200] = 40
    assert fades_to_grey(samples)
    samples[-1, 0, 0] = 127
    assert not fades_to_grey(samples)
    assert not fades_to_grey(np.dstack([samples, samples[:, :, :1]]))
