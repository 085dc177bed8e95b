"""The one decode path: file bytes to upright sRGB pixels on a white matte. Nobody else opens an image."""

import hashlib
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from catalog import whole
from catalog.errors import LookbenchError

if TYPE_CHECKING:
    from PIL import Image

Pixels = npt.NDArray[np.uint8]

FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "HEIF")
"""Pillow's names of the formats that are opened at all; all others are refused by name."""

_UPRIGHT: Final = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
"""EXIF orientation -> PIL.Image.Transpose (ROTATE_* turn counter-clockwise)."""

_OTHER_FORMATS: Final = (
    (b"%PDF", "a PDF document"),
    (b"8BPS", "a Photoshop document"),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"\x00\x00\x01\x00", "a Windows icon"),
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a zip archive"),
)

_READ: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"BM", b"II*\x00", b"MM\x00*", b"RIFF")
"""How the formats begin that are read; a file that does and still cannot be opened is a damaged one."""

_HEIF: Final = frozenset({b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"})
_AVIF: Final = frozenset({b"avif", b"avis"})
"""Brands of ISO media files that are pictures."""

_HEAD: Final = 16_384
"""Bytes in which the first element of a drawing or a page is looked for."""

_DAMAGE: Final = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    EOFError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    RuntimeError,
    MemoryError,
    struct.error,
    zlib.error,
)
"""What Pillow and its codecs raise on damaged files."""


class DecodeError(LookbenchError):
    """A file that is not a usable photo; ``reason`` is the code that ledgers carry.

    Codes: ``empty``, ``not_an_image``, ``vector``, ``unsupported``, ``bomb``, ``truncated``, ``damaged``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Decoded:
    """One decoded picture."""

    pixels: Pixels
    """(H, W, 3) uint8, upright, sRGB, on a white matte; smaller than ``width`` x ``height`` after a reduced decode."""
    width: int
    """Pixels of the upright picture at full size."""
    height: int
    """Pixels of the upright picture at full size."""
    mime: str
    """Media type by content."""
    done: tuple[str, ...]
    """What was done on the way, e.g. ``("orientation 6", "profile -> sRGB", "matte", "frame 0 of 5")``."""


def decode(data: bytes, *, max_pixels: int = 100_000_000, reduce_to: int | None = None) -> Decoded:
    """Decode one image file.

    With ``reduce_to`` the longest side of ``pixels`` is at least that many pixels (or the full size when it is smaller)
    and less than about twice as many; JPEG is then decoded at 1/2, 1/4 or 1/8 size, which is where the time goes.
    Pictures of more than ``max_pixels`` are refused from their header. Raises DecodeError.
    """
    image = _open(data, max_pixels)
    try:
        return _decoded(image, data, max_pixels, reduce_to)
    except _DAMAGE as error:
        code = "truncated" if isinstance(error, EOFError) or "truncated" in str(error) else _cut_or_damaged(data)
        raise _broken(code, f"{image.format} data", error) from error


def _decoded(image: "Image.Image", data: bytes, max_pixels: int, reduce_to: int | None) -> Decoded:
    kind, full = image.format or "", image.size
    if full[0] * full[1] > max_pixels:
        raise _bomb(f"{full[0]:,} x {full[1]:,}", max_pixels)
    done: list[str] = []
    if (frames := _frames(image)) != "1":
        done.append(f"frame 0 of {frames}")
    if reduce_to and kind in {"JPEG", "MPO"} and max(full) > reduce_to:
        share = reduce_to / max(full)
        image.draft(None, (max(1, round(full[0] * share)), max(1, round(full[1] * share))))
    turn = _orientation(image)
    image.load()
    if whole.is_cut(data) or (kind in {"JPEG", "MPO"} and whole.fades_to_grey(np.asarray(image))):
        raise DecodeError("truncated", f"the {kind} data ends before the picture does; fetch the file again")
    if kind not in {"JPEG", "MPO"}:
        full = image.size  # TIFF turns itself upright while loading
    image = _whole_blocks(image, full, reduce_to or 0)
    colour, alpha = _to_srgb(image, data, done)
    if alpha is not None and alpha.histogram()[255] < alpha.width * alpha.height:
        colour = _on_white(colour, alpha)
        done.append("matte")
    if reduce_to and (factor := max(colour.size) // reduce_to) > 1:
        colour = colour.reduce(factor)
    if turn in _UPRIGHT:
        done.insert(0, f"orientation {turn}")
        if _orientation(image) == turn:
            colour = colour.transpose(_transposes()[_UPRIGHT[turn]])
            full = full[::-1] if turn >= 5 else full
    return Decoded(np.array(colour, dtype=np.uint8), full[0], full[1], _mime(kind), tuple(done))


def pixel_digest(pixels: Pixels) -> str:
    """Return the sha256 of (H, W, 3) pixels and their shape as hex: equal exactly when the pictures are."""
    state = hashlib.sha256(f"{pixels.shape[1]}x{pixels.shape[0]}\n".encode())
    state.update(np.ascontiguousarray(pixels).data)
    return state.hexdigest()


def encode_jpeg(pixels: Pixels, quality: int = 95) -> bytes:
    """Return (H, W, 3) uint8 pixels as JPEG without chroma subsampling; the same pixels give the same bytes."""
    return _encode(pixels, format="JPEG", quality=quality, subsampling=0)


def encode_png(pixels: Pixels) -> bytes:
    """Return (H, W, 3) uint8 pixels as PNG; the same pixels give the same bytes."""
    return _encode(pixels, format="PNG", compress_level=6)


def _encode(pixels: Pixels, **options: Any) -> bytes:
    from PIL import Image

    sink = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(sink, **options)
    return sink.getvalue()


def _open(data: bytes, max_pixels: int) -> "Image.Image":
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise DecodeError("empty", "the file is empty (0 bytes); fetch it again")
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF:
        _register_heif()
    Image.init()
    known: list[str] = [name for name in FORMATS if name in Image.OPEN]
    try:
        return Image.open(BytesIO(data), formats=known)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        size = re.search(r"\((\d+) pixels", str(error))
        raise _bomb(f"{int(size[1]):,}" if size else "too many", max_pixels) from error
    except UnidentifiedImageError as error:
        raise _refusal(data, known) from error
    except _DAMAGE as error:
        raise _broken(_cut_or_damaged(data), "header of the image", error) from error


def _broken(code: str, part: str, error: Exception) -> DecodeError:
    told = " ".join(str(error).split()) or type(error).__name__
    return DecodeError(code, f"the {part} is {code} ({told}); fetch the file again")


def _register_heif() -> None:
    try:
        import pillow_heif
    except ImportError:
        return
    pillow_heif.register_heif_opener()


def _bomb(size: str, limit: int) -> DecodeError:
    return DecodeError("bomb", f"the header announces {size} pixels, the limit is {limit:,}; refused before decoding")


def _refusal(data: bytes, known: Sequence[str]) -> DecodeError:
    """Say what a file is that none of the decoders ``known`` recognises."""
    if other := _other_kind(data):
        return other
    brand = data[8:12] if data[4:8] == b"ftyp" else b""
    if brand in _HEIF and "HEIF" not in known:
        return DecodeError("unsupported", "the file is HEIC, which needs the package pillow-heif")
    if brand in _AVIF and "AVIF" not in known:
        return DecodeError("unsupported", "the file is AVIF, beyond this build of Pillow; install pillow >= 11.3")
    if brand and brand not in _HEIF | _AVIF:
        return DecodeError("unsupported", "the file is a video, or of another kind of ISO media file, not a photo")
    if whole.is_cut(data):
        return DecodeError("truncated", "the file ends before the picture does; fetch it again")
    if brand or data.startswith(_READ):
        return DecodeError("damaged", "the file begins as a picture, but its header is damaged; fetch it again")
    return DecodeError("not_an_image", f"the bytes are no known image (they begin with {data[:8]!r})")


def _other_kind(data: bytes) -> DecodeError | None:
    for magic, name in _OTHER_FORMATS:
        if data.startswith(magic):
            return DecodeError("unsupported", f"the file is {name}, which is not read; supported: {', '.join(FORMATS)}")
    head = _text(data[:_HEAD])
    if "<svg" in head:
        return DecodeError("vector", "the file is an SVG drawing, not a photo")
    if re.match(r"<(!doctype html|html|head|body)\b", head):
        return DecodeError("not_an_image", "the file is an HTML page, most likely an error page of the site")
    return None


def _text(head: bytes) -> str:
    """Return the start of a text file in small letters, without what may stand before its first element."""
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "utf-8-sig", errors="replace").lower()
    return re.sub(r"\A(\s+|<!--.*?-->|<\?.*?\?>)*", "", text, flags=re.DOTALL)


def _mime(format: str) -> str:
    from PIL import Image

    return Image.MIME.get("JPEG" if format == "MPO" else format, "application/octet-stream")


def _frames(image: "Image.Image") -> str:
    """Return how many frames a file holds, as far as its header tells."""
    if image.format in {"GIF", "TIFF"}:  # a header does not; counting would walk millions, a TIFF's in quadratic time
        return "several" if getattr(image, "is_animated", False) else "1"
    try:
        return str(getattr(image, "n_frames", 1))
    except _DAMAGE:
        return "1"  # later frames are damaged; only the first is read


def _orientation(image: "Image.Image") -> int:
    from PIL import ExifTags

    try:
        turn = image.getexif().get(ExifTags.Base.Orientation, 1)
    except _DAMAGE:
        return 1
    return turn if isinstance(turn, int) else 1


def _transposes() -> dict[int, "Image.Transpose"]:
    from PIL import Image

    return {transpose.value: transpose for transpose in Image.Transpose}


def _cut_or_damaged(data: bytes) -> str:
    return "truncated" if whole.is_cut(data) else "damaged"


def _to_srgb(image: "Image.Image", data: bytes, done: list[str]) -> tuple["Image.Image", "Image.Image | None"]:
    """Return 8-bit RGB and its alpha channel (None when there is none), colours converted to sRGB."""
    if image.format == "PNG" and data[24:25] == b"\x10" and not image.mode.startswith("I"):
        done.append("16 bit")
    if image.mode == "F" or (image.mode == "I" and int(np.abs(np.asarray(image)).max()) > 65535):
        raise DecodeError("unsupported", f"{image.format} with {image.mode}-mode samples (32 bits) is no photo")
    alpha = None
    if image.mode.startswith("I"):
        image, alpha = _sixteen_to_eight(image)
        done.append("16 bit")
    profile: bytes | None = image.info.get("icc_profile")
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        alpha = rgba.getchannel("A")
        image = image.convert("L") if image.mode == "LA" else rgba.convert("RGB")
    if image.mode == "CMYK":
        done.append("cmyk")
    elif image.mode not in {"RGB", "L"}:
        image = image.convert("L" if image.mode == "1" else "RGB")
    if profile and (converted := _through_profile(image, profile, done)) is not None:
        image = converted
    return image.convert("RGB"), alpha


def _whole_blocks(image: "Image.Image", full: tuple[int, int], least: int) -> "Image.Image":
    """Return a JPEG decoded at 1/2, 1/4 or 1/8 without a last column or row that stands for less than a whole one.

    Kept, it would stretch the picture by up to a pixel, and a hash of it would stray from that of the full decode.
    """
    scale = -(-max(full) // max(image.size))
    size = max(1, full[0] // scale), max(1, full[1] // scale)
    return image if image.size == size or max(size) < least else image.crop((0, 0, *size))


def _sixteen_to_eight(image: "Image.Image") -> tuple["Image.Image", "Image.Image | None"]:
    from PIL import Image

    samples = np.asarray(image).clip(0, 65535).astype(np.uint16)
    small = Image.fromarray(((samples.astype(np.uint32) + 128) // 257).astype(np.uint8))
    small.info = {key: image.info[key] for key in ("icc_profile",) if key in image.info}
    key = image.info.get("transparency")
    if not isinstance(key, int):
        return small, None
    return small, Image.fromarray(np.where(samples == key, 0, 255).astype(np.uint8))


def _through_profile(image: "Image.Image", profile: bytes, done: list[str]) -> "Image.Image | None":
    from PIL import ImageCms

    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if image.mode == "RGB" and "srgb" in (source.profile.profile_description or "").lower():
            return None
        srgb = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, source, srgb, outputMode="RGB")
    except (ImageCms.PyCMSError, *_DAMAGE):
        done.append("unusable profile ignored")
        return None
    done.append("profile -> sRGB")
    return converted


def _on_white(colour: "Image.Image", alpha: "Image.Image") -> "Image.Image":
    from PIL import Image

    return Image.composite(colour, Image.new("RGB", colour.size, (255, 255, 255)), alpha)
