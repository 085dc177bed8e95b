"""The second look: copies however changed, and pictures that only look alike."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter

from catalog.decode import Pixels, decode, encode_jpeg
from curation.alignment import Look, LookPolicy, compare, confirms, view, views


def picture(seed: int, colour: tuple[int, int, int] = (150, 40, 60)) -> Image.Image:
    """A garment-like shape with a print, on a soft background."""
    rng = np.random.default_rng(seed)
    low = Image.fromarray(rng.integers(170, 230, (4, 3, 3)).astype(np.uint8))
    image = low.resize((360, 480), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(image)
    draw.polygon(
        [(80, 60), (280, 60), (330, 200), (270, 220), (270, 420), (90, 420), (90, 220), (30, 200)], fill=colour
    )
    for _ in range(25):
        x, y, r = rng.integers(100, 250), rng.integers(90, 390), rng.integers(4, 22)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=tuple(rng.integers(0, 256, 3).tolist()))
    return image


def framed(image: Image.Image) -> Image.Image:
    frame = Image.new("RGB", (image.width + 60, image.height + 60), "black")
    frame.paste(image, (30, 30))
    return frame


def lettered(image: Image.Image) -> Image.Image:
    marked = image.copy()
    ImageDraw.Draw(marked).rectangle((0, 380, 360, 425), fill="white")
    ImageDraw.Draw(marked).text((20, 385), "SALE  -50 %", fill="red", font_size=32)
    return marked


def hashtags(image: Image.Image) -> Image.Image:
    """Lines of text from edge to edge, which most of the strongest features lie on."""
    marked = image.copy()
    draw = ImageDraw.Draw(marked)
    for line in range(6):
        at = (15, 30 + 75 * line)
        draw.text(at, "#ootd #vintage #sale", "white", font_size=28, stroke_width=2, stroke_fill="black")
    return marked


def on_a_phone(image: Image.Image) -> Image.Image:
    screen = Image.new("RGB", (360, 780), (15, 15, 18))
    screen.paste(image, (0, 90))
    draw = ImageDraw.Draw(screen)
    draw.text((20, 12), "12:41", "white", font_size=20)
    draw.text((55, 50), "wardrobe_anna", "white", font_size=18)
    for place in range(4):
        draw.ellipse((20 + 50 * place, 585, 48 + 50 * place, 613), outline="white", width=3)
    draw.text((20, 640), "liked by someone and others", "white", font_size=16)
    return screen


def tinted(image: Image.Image, matrix: list[list[float]]) -> Image.Image:
    return Image.fromarray((np.asarray(image) @ np.array(matrix)).clip(0, 255).astype(np.uint8))


SEPIA = [[0.393, 0.349, 0.272], [0.769, 0.686, 0.534], [0.189, 0.168, 0.131]]
COPIES = {
    "re-encoded": lambda image: image,
    "small": lambda image: image.resize((150, 200)),
    "cropped": lambda image: image.crop((40, 20, 330, 405)),
    "mirrored": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "mirrored and cropped": lambda image: image.crop((40, 20, 330, 405)).transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "framed": framed,
    "lettered": lettered,
    "darker": lambda image: ImageEnhance.Brightness(image).enhance(0.75),
    "grey": lambda image: image.convert("L").convert("RGB"),
    "hashtags": hashtags,
    "on a phone": on_a_phone,
    "more contrast": lambda image: ImageEnhance.Contrast(image).enhance(1.4),
    "less contrast": lambda image: ImageEnhance.Contrast(image).enhance(0.6),
    "gamma": lambda image: image.point(lambda value: round(255 * (value / 255) ** 1.6)),
    "warm": lambda image: tinted(image, [[1.15, 0, 0], [0, 1, 0], [0, 0, 0.8]]),
    "sepia": lambda image: tinted(image, SEPIA),
}


def jpeg(image: Image.Image) -> Pixels:
    return decode(encode_jpeg(np.asarray(image), 75)).pixels


@pytest.mark.parametrize("change", COPIES)
def test_a_copy_is_confirmed(change: str) -> None:
    original = picture(1)
    look = compare(views(jpeg(COPIES[change](original))), view(np.asarray(original)))
    assert confirms(look, LookPolicy()), look
    assert look.turn == (0 if "mirrored" in change else None)


@pytest.mark.parametrize(("seed", "colour"), [(2, (150, 40, 60)), (3, (20, 90, 40))])
def test_another_print_on_the_same_cut_is_no_copy(seed: int, colour: tuple[int, int, int]) -> None:
    look = compare(views(np.asarray(picture(seed, colour))), view(np.asarray(picture(1))))
    assert not confirms(look, LookPolicy()), look


def test_a_small_part_of_a_picture_is_no_copy_of_it() -> None:
    original = picture(1)
    look = compare(views(np.asarray(original.crop((90, 90, 230, 260)))), view(np.asarray(original)))
    assert not confirms(look, LookPolicy()), look


def test_features_see_through_any_turn_and_frames_through_the_one_asked_for() -> None:
    original, plain = picture(1), picture(1).resize((33, 44))
    turned = np.asarray(original.rotate(90, expand=True))
    assert confirms(compare(views(turned), view(np.asarray(original))), LookPolicy())
    small = np.asarray(plain.transpose(Image.Transpose.ROTATE_90))
    assert not confirms(compare(views(small), view(np.asarray(plain))), LookPolicy())
    assert confirms(compare(views(small, (Image.Transpose.ROTATE_270,)), view(np.asarray(plain))), LookPolicy())


def recoloured(image: Image.Image, colour: tuple[int, int, int]) -> Image.Image:
    """The same picture with the garment in another colour: its red cloth replaced, its light and prints kept."""
    pixels = np.asarray(image).copy()
    cloth = np.abs(pixels.astype(int) - (150, 40, 60)).max(axis=2) < 30
    pixels[cloth] = colour
    return Image.fromarray(pixels)


@pytest.mark.parametrize(("first", "second"), [((48, 96, 184), (34, 34, 37)), ((188, 34, 44), (112, 28, 48))])
def test_a_shade_apart_is_no_copy_and_a_darker_picture_is(
    first: tuple[int, int, int], second: tuple[int, int, int]
) -> None:
    one, other = picture(1, first), picture(1, second)
    look = compare(views(np.asarray(other)), view(np.asarray(one)))
    assert look.agreement > 0.6, "their patterns agree"
    assert look.light > LookPolicy.light
    assert not confirms(look, LookPolicy()), look
    for strength in (0.8, 1.2):
        darker = compare(views(jpeg(ImageEnhance.Brightness(one).enhance(strength))), view(np.asarray(one)))
        assert confirms(darker, LookPolicy()), darker


@pytest.mark.parametrize("colour", [(40, 90, 130), (95, 95, 20), (84, 21, 36)])
def test_a_variant_in_another_colour_is_no_copy(colour: tuple[int, int, int]) -> None:
    look = compare(views(np.asarray(recoloured(picture(1), colour))), view(np.asarray(picture(1))))
    assert look.agreement > 0.8
    assert not confirms(look, LookPolicy()), look


def test_other_garments_on_one_patterned_floor_are_no_copies() -> None:
    rng = np.random.default_rng(5)
    planks = np.kron(rng.integers(60, 150, (30, 6)), np.ones((16, 60))) + rng.normal(0, 6, (480, 360))
    floor = Image.fromarray((planks[..., None] * [1.0, 0.75, 0.55]).clip(0, 255).astype(np.uint8))

    def laid_down(outline: list[tuple[int, int]], shade: int) -> Pixels:
        image = floor.copy()
        ImageDraw.Draw(image).polygon(outline, fill=(shade, shade, shade - 8))
        return jpeg(image.filter(ImageFilter.GaussianBlur(1)))

    shirt = [(120, 90), (240, 90), (340, 300), (300, 320), (250, 220), (250, 350), (110, 350), (110, 220), (60, 320)]
    trousers = [(120, 60), (240, 60), (270, 400), (200, 400), (180, 160), (160, 400), (90, 400)]
    first, second = laid_down(shirt, 214), laid_down(trousers, 222)
    look = compare(views(first), view(second))
    assert look.beneath > 0.8, "the floor agrees"
    assert not confirms(look, LookPolicy()), look
    assert confirms(compare(views(first[:, ::-1]), view(first)), LookPolicy())


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (64, 64)])
def test_pictures_without_features_are_laid_frame_on_frame(size: tuple[int, int]) -> None:
    flat = np.full((*size, 3), 180, np.uint8)
    assert compare(views(flat), view(flat)).inliers == 0


def test_a_look_is_held_against_every_line() -> None:
    good = Look(
        inliers=60,
        overlap=0.8,
        agreement=0.9,
        beneath=0.9,
        patterned=0.6,
        colour=3,
        light=2,
        tone=1,
        unchanged=0.8,
        turn=None,
    )
    policy = LookPolicy()
    assert confirms(good, policy)
    for worse in ({"overlap": 0.4}, {"agreement": 0.3}, {"colour": 60}, {"light": 40}):
        assert not confirms(replace(good, **worse), policy)
    assert not confirms(replace(good, inliers=0, agreement=0.7), policy), "frame on frame needs more"
    over = replace(good, agreement=0.3, beneath=0.95)
    assert confirms(over, policy)
    assert not confirms(replace(over, patterned=0.3), policy), "two plain things agree beneath as well"
    toned = replace(good, colour=40, light=30, unchanged=0.1)
    assert confirms(toned, policy)
    for worse in ({"patterned": 0.3}, {"unchanged": 0.4}, {"tone": 9}):
        assert not confirms(replace(toned, **worse), policy)


def laid(outline: list[tuple[int, int]], cloth: int = 40) -> Pixels:
    """A garment of one dark cloth on a plain soft backdrop, as a shop lays out everything it sells."""
    image = Image.new("RGB", (360, 480), (222, 224, 228))
    ImageDraw.Draw(image).polygon(outline, fill=(cloth, cloth, cloth + 6))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(2)))


def test_plain_garments_on_one_backdrop_are_no_copies_however_alike_their_frames() -> None:
    skirt = [(90, 120), (270, 120), (310, 350), (50, 350)]
    shorts = [(100, 110), (260, 110), (320, 340), (195, 345), (180, 300), (165, 345), (45, 345)]
    look = compare(views(laid(skirt)), view(laid(shorts)))
    assert look.inliers == 0
    assert 0.6 < look.agreement < LookPolicy.frame_agreement, "frames alone agree that far"
    assert not confirms(look, LookPolicy()), look
    assert confirms(compare(views(laid(skirt)), view(laid(skirt, 44))), LookPolicy())
