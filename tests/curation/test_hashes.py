"""Hashes against imagehash and pdqhash themselves, and against pictures that are really turned."""

import imagehash
import numpy as np
import pdqhash
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from catalog.decode import Pixels, decode, encode_jpeg
from curation import hashes
from curation.hashes import INVERSE, ORIENTATIONS


def bits(one: bytes, other: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def scene(seed: int, width: int = 301, height: int = 420) -> Pixels:
    """Soft shapes without a plain border."""
    rng = np.random.default_rng(seed)
    low = Image.fromarray(rng.integers(0, 256, (9, 7, 3)).astype(np.uint8))
    return np.asarray(low.resize((width, height), Image.Resampling.BICUBIC))


def packshot(width: int = 240, height: int = 320, left: int = 60, top: int = 40) -> Pixels:
    """A garment-like shape with detail on white."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.polygon([(left, top), (left + 120, top), (left + 100, top + 230), (left + 15, top + 230)], fill=(30, 60, 120))
    draw.ellipse((left + 30, top + 60, left + 80, top + 120), fill=(230, 190, 40))
    return np.asarray(image)


def framed(pixels: Pixels, size: int, colour: tuple[int, int, int]) -> Pixels:
    image = Image.new("RGB", (pixels.shape[1] + 2 * size, pixels.shape[0] + 2 * size), colour)
    image.paste(Image.fromarray(pixels), (size, size))
    return np.asarray(image)


def test_phash_is_that_of_imagehash() -> None:
    pixels = scene(1)
    ours = hashes.compute(pixels).phash[0]
    assert bits(ours, np.packbits(imagehash.phash(Image.fromarray(pixels)).hash).tobytes()) <= 2


@given(st.integers(0, 2**32 - 1))
def test_the_eight_phashes_are_those_of_imagehash_on_the_turned_picture(seed: int) -> None:
    small = Image.fromarray(np.random.default_rng(seed).integers(0, 256, (32, 32)).astype(np.uint8))
    wanted = [np.packbits(imagehash.phash(hashes.turned(small, turn)).hash).tobytes() for turn in ORIENTATIONS]
    assert hashes.phashes(np.asarray(small)) == wanted


def test_pdq_is_that_of_pdqhash() -> None:
    pixels = scene(2)
    vector, quality = pdqhash.compute(pixels)
    ours = hashes.compute(pixels)
    assert bits(ours.pdq[0], np.packbits(vector.astype(bool)).tobytes()) <= 20
    assert ours.quality == quality


@pytest.mark.parametrize("seed", [3, 4])
def test_a_reduced_decode_hashes_alike(seed: int) -> None:
    data = encode_jpeg(scene(seed, 900, 1200), 90)
    full, small = hashes.compute(decode(data).pixels), hashes.compute(decode(data, reduce_to=256).pixels)
    assert bits(full.phash[0], small.phash[0]) <= 2
    assert bits(full.pdq[0], small.pdq[0]) <= 20


@pytest.mark.parametrize("turn", range(8))
def test_the_eight_orientations_are_those_of_the_turned_picture(turn: int) -> None:
    pixels = scene(5)
    upright = hashes.compute(pixels)
    turned = np.asarray(hashes.turned(Image.fromarray(pixels), ORIENTATIONS[turn]))
    really = hashes.compute(turned)
    assert bits(really.phash[0], upright.phash[turn]) <= 2
    assert bits(really.pdq[0], upright.pdq[turn]) <= 10
    others = [bits(really.pdq[0], upright.pdq[other]) for other in range(8) if other != turn]
    assert min(others) > 40


@given(st.integers(0, 7))
def test_every_orientation_is_undone_by_its_inverse(turn: int) -> None:
    picture = Image.fromarray(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    there = hashes.turned(picture, ORIENTATIONS[turn])
    assert hashes.turned(there, ORIENTATIONS[INVERSE[turn]]).tobytes() == picture.tobytes()


def test_orientations_are_a_group() -> None:
    picture = Image.fromarray(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    all_of_them = {(made.size, made.tobytes()) for made in (hashes.turned(picture, turn) for turn in ORIENTATIONS)}
    assert len(all_of_them) == 8
    twice = {
        (made.size, made.tobytes())
        for first in ORIENTATIONS
        for second in ORIENTATIONS
        for made in [hashes.turned(hashes.turned(picture, first), second)]
    }
    assert twice == all_of_them


@settings(max_examples=12, deadline=None)
@given(st.integers(12, 60), st.sampled_from([(255, 255, 255), (0, 0, 0), (200, 30, 60)]), st.booleans())
def test_a_frame_is_cut_off(size: int, colour: tuple[int, int, int], lossy: bool) -> None:
    pixels = scene(6)
    bordered = framed(pixels, size, colour)
    if lossy:
        bordered = decode(encode_jpeg(bordered, 80)).pixels
    inside = hashes.trim(bordered)
    assert abs(inside.shape[0] - pixels.shape[0]) <= 4
    assert abs(inside.shape[1] - pixels.shape[1]) <= 4
    assert bits(hashes.compute(bordered).phash[0], hashes.compute(pixels).phash[0]) <= 6


def test_a_background_is_cut_to_the_same_margin_however_wide_it_was() -> None:
    narrow, wide = packshot(200, 300, 40, 35), packshot(400, 500, 170, 90)
    assert np.abs(np.subtract(hashes.trim(narrow).shape, hashes.trim(wide).shape)).max() <= 4
    assert bits(hashes.compute(narrow).pdq[0], hashes.compute(wide).pdq[0]) <= 31


def test_a_frame_round_a_packshot_is_cut_with_its_background() -> None:
    plain = packshot()
    assert bits(hashes.compute(framed(plain, 30, (0, 0, 0))).pdq[0], hashes.compute(plain).pdq[0]) <= 24


def test_a_photo_without_a_border_keeps_its_size() -> None:
    assert hashes.trim(scene(7)).shape == (420, 301, 3)


@pytest.mark.parametrize("size", [(1, 1), (1, 50), (64, 64)])
def test_what_is_one_colour_keeps_its_size_and_has_no_quality(size: tuple[int, int]) -> None:
    flat = np.full((*size, 3), 200, np.uint8)
    assert hashes.trim(flat).shape == flat.shape
    assert hashes.compute(flat).quality == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(60, 700), st.integers(60, 700))
def test_reduced_pictures_keep_their_aspect(width: int, height: int) -> None:
    made = hashes.reduce(np.zeros((height, width, 3), np.uint8))
    if max(width, height) <= hashes.SIDE:
        assert made.shape == (height, width, 3)
    else:
        assert max(made.shape[:2]) == hashes.SIDE
        scale = hashes.SIDE / max(width, height)
        assert abs(made.shape[0] - height * scale) <= 0.5
        assert abs(made.shape[1] - width * scale) <= 0.5
