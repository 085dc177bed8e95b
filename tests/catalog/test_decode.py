"""The one decode path on generated files of every kind that shops serve."""

import os
import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import imagehash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import GifImagePlugin, Image, ImageCms, TiffImagePlugin

from catalog.decode import Decoded, DecodeError, decode, encode_jpeg, encode_png, pixel_digest

RED, GREEN, WHITE = (220, 20, 30), (0, 200, 0), (255, 255, 255)


def drawing(width: int = 60, height: int = 40) -> Image.Image:
    """White, with a red block in the upper left quarter and a gradient below: each flip and turn looks different."""
    image = Image.new("RGB", (width, height), WHITE)
    image.paste(RED, (4, 4, width // 2, height // 2))
    for x in range(width):
        image.paste((x * 4 % 256, 128, 128), (x, height * 3 // 4, x + 1, height))
    return image


def saved(image: Image.Image, format: str, **options: Any) -> bytes:
    sink = BytesIO()
    image.save(sink, format, **options)
    return sink.getvalue()


def near(pixel: Any, colour: tuple[int, int, int], tolerance: int = 3) -> bool:
    return bool(np.abs(np.asarray(pixel).astype(int) - colour).max() <= tolerance)


def refused(data: bytes, **options: Any) -> str:
    with pytest.raises(DecodeError) as caught:
        decode(data, **options)
    assert str(caught.value).count("\n") == 0
    return caught.value.reason


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_every_orientation_ends_upright(format: str, orientation: int) -> None:
    upright = drawing()
    turn = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(turn[orientation]) if orientation > 1 else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"quality": 95} if format in {"JPEG", "WEBP", "AVIF"} else {}
    decoded = decode(saved(stored, format, exif=exif, **options))
    assert (decoded.width, decoded.height) == upright.size
    assert decoded.pixels.shape == (40, 60, 3)
    assert np.abs(decoded.pixels.astype(int) - np.asarray(upright)).mean() < 6
    assert (f"orientation {orientation}" in decoded.done) == (orientation > 1)


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_an_orientation_that_does_not_exist_is_ignored(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert decode(saved(drawing(), "PNG", exif=exif)).pixels.tobytes() == drawing().tobytes()


def test_transparency_of_a_palette_becomes_white() -> None:
    image = Image.new("P", (30, 20), 0)
    image.putpalette([*GREEN, *RED])
    image.paste(1, (10, 5, 20, 15))
    decoded = decode(saved(image, "PNG", transparency=0))
    assert near(decoded.pixels[0, 0], WHITE, 0)
    assert near(decoded.pixels[10, 15], RED, 0)
    assert decoded.done == ("matte",)
    assert near(decode(saved(image, "PNG")).pixels[0, 0], GREEN, 0), "without transparency it is green"


@pytest.mark.parametrize("alpha", [0, 127, 255])
def test_alpha_is_laid_on_white(alpha: int) -> None:
    grey = Image.new("LA", (5, 4), (40, alpha))
    expected = round((40 * alpha + 255 * (255 - alpha)) / 255)
    decoded = decode(saved(grey, "PNG"))
    assert near(decoded.pixels[2, 2], (expected,) * 3, 1)
    assert ("matte" in decoded.done) == (alpha < 255)
    colour = Image.new("RGBA", (5, 4), (200, 100, 0, alpha))
    for kind, options in (("PNG", {}), ("WEBP", {"lossless": True, "exact": True})):
        pixel = decode(saved(colour, kind, **options)).pixels[1, 1]
        assert near(pixel, tuple(round((v * alpha + 255 * (255 - alpha)) / 255) for v in (200, 100, 0)), 1)


def test_a_colour_key_is_transparent() -> None:
    image = Image.new("RGB", (6, 6), GREEN)
    image.paste(RED, (2, 2, 4, 4))
    decoded = decode(saved(image, "PNG", transparency=GREEN))
    assert near(decoded.pixels[0, 0], WHITE, 0)
    assert near(decoded.pixels[3, 3], RED, 0)


def test_cmyk_is_no_negative() -> None:
    decoded = decode(saved(drawing().convert("CMYK"), "JPEG", quality=95))
    assert near(decoded.pixels[1, 40], WHITE)
    assert near(decoded.pixels[10, 12], RED, 12)
    assert "cmyk" in decoded.done


def adobe_rgb_like(gamma: float = 2.2) -> bytes:
    """A matrix profile with the Adobe RGB (1998) primaries, written by hand from the ICC specification (v2)."""

    def fixed(value: float) -> bytes:
        return struct.pack(">i", round(value * 65536))

    def xyz(*values: float) -> bytes:
        return b"XYZ \0\0\0\0" + b"".join(map(fixed, values))

    name = b"Wide test RGB\0"
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + b"\0" * 78,
        b"wtpt": xyz(0.9642, 1.0, 0.8249),
        b"rXYZ": xyz(0.60974, 0.31111, 0.01947),
        b"gXYZ": xyz(0.20528, 0.62567, 0.06087),
        b"bXYZ": xyz(0.14919, 0.06322, 0.74457),
    }
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    tags |= {b"rTRC": curve, b"gTRC": curve, b"bTRC": curve}
    table, body, offset = b"", b"", 128 + 4 + 12 * len(tags)
    for key, value in tags.items():
        table += key + struct.pack(">II", offset + len(body), len(value))
        body += value + b"\0" * (-len(value) % 4)
    size = offset + len(body)
    head = struct.pack(">I", size) + b"\0" * 4 + struct.pack(">I", 0x02100000) + b"mntrRGB XYZ " + b"\0" * 12
    head += b"acsp" + b"\0" * 28 + fixed(0.9642) + fixed(1.0) + fixed(0.8249)
    return head + b"\0" * (128 - len(head)) + struct.pack(">I", len(tags)) + table + body


def adobe_to_srgb(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    """The same conversion by the published matrices (IEC 61966-2-1 and Adobe RGB 1998, both D65)."""
    to_xyz = np.array([[0.57667, 0.18556, 0.18823], [0.29734, 0.62736, 0.07529], [0.02703, 0.07069, 0.99134]])
    to_srgb = np.array([[3.24045, -1.53714, -0.49853], [-0.96927, 1.87601, 0.04156], [0.05564, -0.20403, 1.05723]])
    linear = to_srgb @ to_xyz @ (np.array(colour) / 255) ** 2.2
    linear = linear.clip(0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return tuple(np.round(encoded * 255).astype(int).tolist())


@pytest.mark.parametrize("colour", [(172, 60, 61), (90, 140, 90), (120, 120, 120), (255, 255, 255)])
def test_a_wide_profile_is_converted(colour: tuple[int, int, int]) -> None:
    image = Image.new("RGB", (8, 8), colour)
    decoded = decode(saved(image, "PNG", icc_profile=adobe_rgb_like()))
    assert near(decoded.pixels[4, 4], adobe_to_srgb(colour), 3)
    assert decoded.done == ("profile -> sRGB",)


def test_an_srgb_profile_leaves_the_pixels_alone() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    decoded = decode(saved(drawing(), "PNG", icc_profile=profile))
    assert decoded.pixels.tobytes() == drawing().tobytes()
    assert decoded.done == ()


def test_a_profile_that_is_none_is_told_and_ignored() -> None:
    decoded = decode(saved(drawing(), "PNG", icc_profile=b"no profile at all"))
    assert decoded.pixels.tobytes() == drawing().tobytes()
    assert decoded.done == ("unusable profile ignored",)


def test_sixteen_bits_are_scaled() -> None:
    ramp = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (8, 1))
    decoded = decode(saved(Image.fromarray(ramp), "PNG"))
    assert near(decoded.pixels[3, 0], (0, 0, 0), 0)
    assert near(decoded.pixels[3, 63], WHITE, 0)
    assert near(decoded.pixels[3, 32], (130, 130, 130), 1)
    assert "16 bit" in decoded.done


def test_sixteen_bit_colour_is_told() -> None:
    row = b"\0" + struct.pack(">3H", 65535, 32768, 0) * 4

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 4, 3, 16, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * 3)) + chunk(b"IEND", b"")
    decoded = decode(data)
    assert near(decoded.pixels[1, 1], (255, 128, 0), 1)
    assert decoded.done == ("16 bit",)


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG"])
def test_frame_0_of_an_animation_is_taken_and_marked(format: str) -> None:
    frames = [Image.new("RGB", (32, 32), colour) for colour in (RED, GREEN, WHITE)]
    options = {"lossless": True} if format == "WEBP" else {}
    decoded = decode(saved(frames[0], format, save_all=True, append_images=frames[1:], duration=80, **options))
    assert near(decoded.pixels[16, 16], RED)
    assert decoded.done == ("frame 0 of several" if format == "GIF" else "frame 0 of 3",)


def test_progressive_and_grey_and_one_bit_and_one_pixel() -> None:
    assert near(decode(saved(drawing(), "JPEG", progressive=True, quality=95)).pixels[10, 12], RED, 12)
    assert decode(saved(drawing().convert("L"), "JPEG")).pixels.shape == (40, 60, 3)
    assert near(decode(saved(Image.new("1", (3, 3), 1), "PNG")).pixels[1, 1], WHITE, 0)
    one = decode(saved(Image.new("RGB", (1, 1), RED), "PNG"))
    assert (one.width, one.height, one.pixels.tolist()) == (1, 1, [[list(RED)]])


@pytest.mark.parametrize("format", ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF"])
def test_the_media_type_is_by_content(format: str) -> None:
    decoded = decode(saved(drawing(), format))
    assert decoded.mime == {"BMP": "image/bmp"}.get(format, f"image/{format.lower()}")


def test_heic_is_read_where_the_library_is_there_and_refused_by_name_where_not() -> None:
    pillow_heif = pytest.importorskip("pillow_heif")
    sink = BytesIO()
    pillow_heif.from_pillow(drawing(64, 48)).save(sink, quality=95)
    decoded = decode(sink.getvalue())
    assert (decoded.width, decoded.height) == (64, 48)
    assert near(decoded.pixels[10, 12], RED, 16)


def test_avif_without_a_decoder_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("catalog.decode.FORMATS", ("JPEG", "PNG"))
    with pytest.raises(DecodeError, match=r"AVIF.*pillow") as caught:
        decode(saved(drawing(), "AVIF"))
    assert caught.value.reason == "unsupported"


@pytest.mark.parametrize("format", ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "HEIF"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_a_cut_file_is_refused_as_truncated(format: str, share: float) -> None:
    if format == "HEIF":
        pytest.importorskip("pillow_heif").register_heif_opener()
    noise = np.random.default_rng(1).integers(0, 256, (120, 90, 3)).astype(np.uint8)
    options = {"progressive": True} if format == "JPEG" else {}
    data = saved(Image.fromarray(noise), format, **options)
    assert refused(data[: int(len(data) * share)]) == "truncated"


def test_a_palette_that_is_missing_is_damage_and_ends_no_batch() -> None:
    image = Image.new("P", (8, 8), 1)
    image.putpalette([*GREEN, *RED])
    data = saved(image, "PNG")
    start = data.index(b"PLTE") - 4
    size = int.from_bytes(data[start : start + 4], "big") + 12
    assert refused(data[:start] + data[start + size :]) == "damaged"


def pages(count: int) -> bytes:
    """A TIFF of many directories of one and the same picture."""
    tags = ((256, 4), (257, 4), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 4), (279, 16))
    size, out = 2 + 12 * len(tags) + 4, b"II*\0" + struct.pack("<I", 8)
    for page in range(count):
        out += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
        out += struct.pack("<I", 8 + (page + 1) * size if page + 1 < count else 0)
    return out


def frames(count: int) -> bytes:
    """A GIF of many frames of one pixel."""
    head = b"GIF89a" + struct.pack("<HHBBB", 8, 8, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return head + (b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00") * count + b"\x3b"


@pytest.mark.parametrize("many", [pages, frames])
def test_the_frames_behind_the_first_cost_nothing(
    many: Callable[[int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[int] = []
    for plugin in (GifImagePlugin.GifImageFile, TiffImagePlugin.TiffImageFile):
        step = plugin._seek

        def seek(self: Any, frame: int, *rest: Any, step: Any = step) -> None:
            walked.append(frame)
            step(self, frame, *rest)

        monkeypatch.setattr(plugin, "_seek", seek)
    assert decode(many(1)).done == ()
    assert decode(many(2000)).done == ("frame 0 of several",)
    assert len(walked) < 20


def bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def test_a_bomb_is_refused_by_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(Image.Image, "load", never)
    assert refused(bomb(20_000, 20_000)) == "bomb"
    assert refused(bomb(40, 40), max_pixels=100) == "bomb"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "vector"),
        (b"<?xml version='1.0'?>\n<!-- drawn --><svg/>", "vector"),
        (b"<!DOCTYPE html><html>404</html>", "not_an_image"),
        (b"\n  <html><body>gone</body></html>", "not_an_image"),
        (b'{"error": 1}', "not_an_image"),
        (b"%PDF-1.7 <svg/>", "unsupported"),
        (b"<?xml version='1.0'?><!-- " + b"a licence " * 900 + b"--><svg/>", "vector"),
        ("<?xml version='1.0' encoding='utf-16'?><svg/>".encode("utf-16"), "vector"),
        (b"<!-- cached -->\n<html><body>gone</body></html>", "not_an_image"),
        (b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00", "unsupported"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + b"\x00" * 17, "damaged"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "truncated"),
        (b"\xff\xd8\xff", "damaged"),
        (bytes(range(256)), "not_an_image"),
    ],
)
def test_what_is_no_photo_is_named(data: bytes, reason: str) -> None:
    assert refused(data) == reason


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_a_reduced_decode_is_as_large_as_asked_and_shows_the_same(format: str) -> None:
    smooth = Image.fromarray(np.random.default_rng(3).integers(0, 256, (9, 6, 3)).astype(np.uint8))
    big = smooth.resize((600, 900), Image.Resampling.BICUBIC)
    whole, small = decode(saved(big, format)), decode(saved(big, format), reduce_to=200)
    assert (small.width, small.height, small.mime) == (600, 900, whole.mime)
    assert 200 <= max(small.pixels.shape[:2]) < 400
    again = np.asarray(Image.fromarray(whole.pixels).resize(small.pixels.shape[1::-1], Image.Resampling.BOX))
    assert np.abs(again.astype(int) - small.pixels).mean() < 4


def test_a_reduced_decode_knows_orientation_and_full_size() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    decoded = decode(saved(drawing(640, 400), "JPEG", exif=exif), reduce_to=100)
    assert (decoded.width, decoded.height) == (400, 640)
    assert decoded.pixels.shape[0] > decoded.pixels.shape[1]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_png_returns_the_pixels_and_the_digest_tells_them_apart(width: int, height: int, random: Any) -> None:
    pixels = np.frombuffer(random.randbytes(width * height * 3), np.uint8).reshape(height, width, 3)
    decoded = decode(encode_png(pixels))
    assert np.array_equal(decoded.pixels, pixels)
    assert pixel_digest(decoded.pixels) == pixel_digest(pixels)
    changed = pixels.copy()
    changed[0, 0, 0] ^= 1
    assert pixel_digest(changed) != pixel_digest(pixels)
    if width != height:
        assert pixel_digest(pixels.reshape(width, height, 3)) != pixel_digest(pixels)


def test_encoding_is_deterministic() -> None:
    pixels = np.asarray(drawing())
    assert encode_jpeg(pixels) == encode_jpeg(pixels.copy())
    assert encode_png(pixels) == encode_png(pixels.copy())
    assert len(encode_jpeg(pixels, 40)) < len(encode_jpeg(pixels, 95))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_no_damage_raises_anything_but_decode_error(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "AVIF"]))
    picture = drawing(24, 16)
    file = bytearray(saved(picture.quantize(8) if kind == "PNG" and data.draw(st.booleans()) else picture, kind))
    for _ in range(data.draw(st.integers(1, 6))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    try:
        decoded = decode(bytes(file), max_pixels=1_000_000)
    except DecodeError:
        return
    assert isinstance(decoded, Decoded)
    assert decoded.pixels.dtype == np.uint8


def shared_cases() -> Path:
    root = os.environ.get("LOOKBENCH_SHARED")
    return (Path(root) if root else Path(__file__).parents[3] / "shared") / "cases" / "images"


@pytest.mark.skipif(not shared_cases().is_dir(), reason="the shared cases are not here")
def test_all_shared_images_answer_right() -> None:
    import json

    folder = shared_cases()
    for name, wanted in json.loads((folder / "answers.json").read_text()).items():
        data = (folder / name).read_bytes()
        if not wanted["decodes"]:
            refused(data)
            continue
        decoded = decode(data)
        height, width = decoded.pixels.shape[:2]
        assert (decoded.width, decoded.height, width, height) == (wanted["width"], wanted["height"]) * 2, name
        probes = {"corner_rgb": (0, 0), "centre_rgb": (height // 2, width // 2)}
        probes |= {"middle_rgb": (0, width // 2), "right_edge_rgb": (0, width - 1)}
        for key, place in probes.items():
            assert key not in wanted or near(decoded.pixels[place], tuple(wanted[key])), (name, key)
        if inside := wanted.get("inside_rgb"):
            assert near(decoded.pixels[inside["y"], inside["x"]], tuple(inside["rgb"])), name


@pytest.mark.parametrize("size", [(1201, 1600), (1600, 1207), (803, 611), (2047, 900)])
def test_a_reduced_jpeg_keeps_its_shape_and_hashes_as_the_full_one(size):
    rng = np.random.default_rng(size[0])
    rough = Image.fromarray(rng.integers(0, 256, (9, 7, 3), np.uint8)).resize(size, Image.Resampling.BICUBIC)
    sink = BytesIO()
    rough.save(sink, "JPEG", quality=88)
    small, full = decode(sink.getvalue(), reduce_to=256), decode(sink.getvalue())
    assert max(small.pixels.shape) >= 256
    assert small.pixels.shape[0] / small.pixels.shape[1] == pytest.approx(size[1] / size[0], rel=0.005)
    hashed = [int(str(imagehash.phash(Image.fromarray(each.pixels))), 16) for each in (small, full)]
    assert (hashed[0] ^ hashed[1]).bit_count() <= 2
