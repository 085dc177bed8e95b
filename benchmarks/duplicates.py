"""How well copies are found: recall and precision of the three tiers on a labelled pair set made from real photos.

    python benchmarks/duplicates.py --photos ../shared/photos --out benchmarks/duplicates.json

Half of the senders of the CC0 clothing photos make the set; the other half (``--half 0``) is to choose the lines by.
Every photo is copied in every way of ``COPIES``; each copy is searched among all originals. A pair with its own
original is right, one with another sender's photo is wrong, and so is one with the same photo whose garment got
another colour before its old backdrop (``other_colours``; they count in the precision), or photos of one sender that
show two kinds of garment before one backdrop (``other_garments``; they count as well). Other pairs inside a sender are
left out, which often show one garment twice. The lines are swept, one at a time, to show how near the edge they lie.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter

from catalog.decode import Pixels, decode, encode_jpeg, pixel_digest
from catalog.ids import sha256
from curation import alignment, embedders, hashes, pairs
from curation.embedders import Embedder
from curation.pairs import DuplicatePolicy, Prints
from demo import cutouts
from demo.colours import COLOURS

Picture = Image.Image
Random = np.random.Generator
OTHER = 25.0
"""Least distance in L*a*b* of a garment's old colour and its new one."""
MODEL = Path(__file__).parents[1] / "models" / "efficientnet-lite0" / "efficientnet-lite0.onnx"


def cropped(picture: Picture, share: float, rng: Random) -> Picture:
    """Take ``share`` of width and of height off."""
    width, height = int(picture.width * (1 - share)), int(picture.height * (1 - share))
    x, y = rng.integers(0, picture.width - width + 1), rng.integers(0, picture.height - height + 1)
    return picture.crop((x, y, x + width, y + height))


def bordered(picture: Picture, rng: Random) -> Picture:
    """Put a white, black or red frame of 3 to 10 % around."""
    size = int(max(picture.size) * rng.uniform(0.03, 0.1))
    colour = [(255, 255, 255), (0, 0, 0), (200, 30, 60)][rng.integers(3)]
    frame = Image.new("RGB", (picture.width + 2 * size, picture.height + 2 * size), colour)
    frame.paste(picture, (size, size))
    return frame


def retouched(picture: Picture, rng: Random) -> Picture:
    """Blur three patches of a sixth of the sides, sharpen the whole."""
    made, (width, height) = picture.copy(), picture.size
    for _ in range(3):
        x, y = int(rng.integers(0, width * 3 // 4)), int(rng.integers(0, height * 3 // 4))
        box = (x, y, x + width // 6, y + height // 6)
        made.paste(made.crop(box).filter(ImageFilter.GaussianBlur(8)), box)
    return made.filter(ImageFilter.UnsharpMask())


def lettered(picture: Picture, rng: Random) -> Picture:
    """Lay a white band of a tenth of the height with red letters over it."""
    made, y = picture.copy(), rng.uniform(0.1, 0.8) * picture.height
    draw = ImageDraw.Draw(made)
    draw.rectangle((0, y, made.width, y + made.height // 10), fill="white")
    draw.text((made.width * 0.05, y), "SALE -50% NEW IN", fill="red", font_size=max(14, made.height // 12))
    return made


def shifted(picture: Picture, rng: Random) -> Picture:
    """Turn the hue by 17 degrees, raise the saturation by a quarter, change the brightness by a fifth."""
    turn = int(rng.choice([-12, 12]))
    hue, saturation, value = picture.convert("HSV").split()
    hue, saturation = hue.point(lambda v: (v + turn) % 256), saturation.point(lambda v: min(255, int(v * 1.25)))
    made = Image.merge("HSV", (hue, saturation, value)).convert("RGB")
    return ImageEnhance.Brightness(made).enhance(float(rng.choice([0.8, 1.2])))


def hashtags(picture: Picture, rng: Random) -> Picture:
    """Write six lines from edge to edge, white with a black outline."""
    made = picture.copy()
    draw, size = ImageDraw.Draw(made), picture.width / 13
    for line in range(6):
        at = (picture.width * 0.05, picture.height * (0.05 + 0.15 * line + rng.uniform(0, 0.03)))
        draw.text(at, "#ootd #vintage #sale", fill="white", font_size=size, stroke_width=2, stroke_fill="black")
    return made


def watermarked(picture: Picture, rng: Random) -> Picture:
    """Tile a slanted word over the whole, half or all but opaque."""
    sheet = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    draw, size = ImageDraw.Draw(sheet), picture.width // 8
    for y in range(0, picture.height, 2 * size):
        for x in range(-size, picture.width, 4 * size):
            draw.text(
                (x + y % (4 * size), y), "stock", fill=(255, 255, 255, int(rng.choice([110, 220]))), font_size=size
            )
    return Image.alpha_composite(picture.convert("RGBA"), sheet.rotate(20)).convert("RGB")


def contrasted(picture: Picture, rng: Random) -> Picture:
    """Give more or less contrast by 0.4, or a gamma of 0.6 or 1.6."""
    if rng.random() < 0.5:
        return ImageEnhance.Contrast(picture).enhance(float(rng.choice([0.6, 1.4])))
    gamma = float(rng.choice([0.6, 1.6]))
    return picture.point(lambda value: round(255 * (value / 255) ** gamma))


def tinted(picture: Picture, rng: Random) -> Picture:
    """Make it warm, cold or sepia."""
    sepia = [[0.393, 0.349, 0.272], [0.769, 0.686, 0.534], [0.189, 0.168, 0.131]]
    matrix = [np.diag([1.15, 1, 0.8]), np.diag([0.85, 1, 1.15]), np.array(sepia)][rng.integers(3)]
    return Image.fromarray((np.asarray(picture) @ matrix).clip(0, 255).astype(np.uint8))


def on_a_phone(picture: Picture, rng: Random) -> Picture:
    """Show it in an app, with its bars above and below."""
    shown = picture.resize((400, round(picture.height * 400 / picture.width)))
    top, bottom = int(rng.integers(60, 120)), int(rng.integers(120, 270))
    ground, ink = [((255, 255, 255), (20, 20, 20)), ((15, 15, 18), (240, 240, 240))][rng.integers(2)]
    screen = Image.new("RGB", (400, top + shown.height + bottom), ground)
    screen.paste(shown, (0, top))
    draw, foot = ImageDraw.Draw(screen), top + shown.height
    draw.text((20, 12), "12:41", fill=ink, font_size=20)
    draw.text((55, top - 40), "wardrobe_anna", fill=ink, font_size=18)
    for place in range(4):
        draw.ellipse((20 + 50 * place, foot + 12, 48 + 50 * place, foot + 40), outline=ink, width=3)
    draw.text((20, foot + 50), "liked by someone and others", fill=ink, font_size=16)
    return screen


def mirrored(picture: Picture) -> Picture:
    """Swap left and right."""
    return picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


COPIES: dict[str, tuple[Callable[[Picture, Random], Picture], int]] = {
    "re-encoded": (lambda picture, _: picture, 40),
    "resized to half": (lambda picture, _: picture.resize((picture.width // 2, picture.height // 2)), 85),
    "cropped by 10 % of both sides": (lambda picture, rng: cropped(picture, 0.10, rng), 85),
    "cropped by 20 % of both sides": (lambda picture, rng: cropped(picture, 0.20, rng), 85),
    "bordered": (bordered, 85),
    "mirrored": (lambda picture, _: mirrored(picture), 85),
    "turned by a quarter": (lambda picture, _: picture.transpose(Image.Transpose.ROTATE_90), 85),
    "retouched": (retouched, 85),
    "text laid over": (lettered, 85),
    "lines of text laid over": (hashtags, 85),
    "watermark tiled over": (watermarked, 85),
    "colours shifted": (shifted, 85),
    "contrast or gamma": (contrasted, 85),
    "warm, cold or sepia": (tinted, 85),
    "shown on a phone": (on_a_phone, 85),
    "mirrored and cropped by 15 %": (lambda picture, rng: cropped(mirrored(picture), 0.15, rng), 70),
    "mirrored, cropped and bordered": (lambda picture, rng: bordered(cropped(mirrored(picture), 0.15, rng), rng), 70),
}


BLIND: dict[str, Any] = {"colour": 1e9, "light": 1e9}
LINES: dict[str, tuple[float, ...]] = {
    "agreement": (0.4, 0.5, 0.55, 0.6, 0.65, 0.7),
    "frame_agreement": (0.5, 0.6, 0.7, 0.8, 0.9),
    "beneath": (0.8, 0.87, 0.9, 0.93, 0.96, 2.0),
    "colour": (6.0, 9.0, 12.0, 15.0, 20.0),
    "light": (5.0, 7.5, 10.0, 12.5, 15.0),
    "unchanged": (0.0, 0.15, 0.2, 0.25, 0.3, 0.4),
    "tone": (2.0, 4.0, 6.0, 8.0, 12.0),
}
"""Lines of the second look that are swept, one at a time."""


def recoloured(pixels: Pixels, rng: Random) -> Pixels | None:
    """Give the garment another colour and keep its folds and its backdrop; None where no garment stands out."""
    mask = cutouts.mask_of(pixels)
    if cutouts.doubt(mask):
        return None
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    old = np.median(lab[mask > 0.5], axis=0)
    shades = cv2.cvtColor(np.float32([list(COLOURS.values())]) / 255, cv2.COLOR_RGB2LAB)[0]
    far = shades[np.linalg.norm(shades - old, axis=1) >= OTHER]
    new = far[rng.integers(len(far))]
    folds = np.array([np.clip(new[0] / max(old[0], 10), 0.5, 1.3), 0.6, 0.6], np.float32)
    soft = cv2.GaussianBlur((mask > 0.5).astype(np.float32), (0, 0), 1.0)[..., None]
    made = lab * (1 - soft) + (new + (lab - old) * folds) * soft
    back = cv2.cvtColor(made.astype(np.float32), cv2.COLOR_LAB2RGB)
    return (back.clip(0, 1) * 255).round().astype(np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; exit status 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--photos", type=Path, default=Path("../shared/photos"), help="folder with photos.csv and images/"
    )
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--half", type=int, default=1, choices=(0, 1), help="which half of the senders")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if not (options.photos / "photos.csv").is_file():
        print(f"skipped: {options.photos} holds no photos.csv; name a folder with --photos")
        return 0
    rows = chosen(options.photos, options.count, options.half)
    figures = measure(rows, embedders.open(f"onnx:{MODEL}"), DuplicatePolicy())
    text = json.dumps(figures, indent=1)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)
    return 0 if figures["with_pixels"]["recall"] >= 0.95 and figures["with_pixels"]["precision"] >= 0.99 else 1


def chosen(folder: Path, count: int, half: int) -> list[tuple[str, str, Picture]]:
    """Return (sender, label, picture) of ``count`` photos of one half of the senders."""
    with (folder / "photos.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["sender_id"]) % 2 == half]
    order = np.random.default_rng(half).permutation(len(rows))[:count]
    picked = [rows[place] for place in sorted(order)]
    pictures = (Image.fromarray(decode((folder / row["file"]).read_bytes()).pixels) for row in picked)
    return [(row["sender_id"], row["label"], picture) for row, picture in zip(picked, pictures, strict=True)]


def measure(rows: Sequence[tuple[str, str, Picture]], embedder: Embedder, policy: DuplicatePolicy) -> dict[str, Any]:
    """Return recall by kind of copy, precision, and the same for other lines of agreement."""
    senders, labels, pictures = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    originals = [np.asarray(picture) for picture in pictures]
    past, past_views = prints(originals, embedder), viewer(originals)
    loose = replace(policy, agreement=0.0, frame_agreement=0.0, **BLIND)
    kinds: dict[str, Any] = {}
    looks: list[tuple[bool, pairs.Pair]] = []
    alone = [0, 0]
    for number, (kind, (change, quality)) in enumerate(COPIES.items()):
        rng = np.random.default_rng((number, 1))
        made = [decode(encode_jpeg(np.asarray(change(picture, rng)), quality)).pixels for picture in pictures]
        new = prints(made, embedder)
        found = pairs.find(new, past, viewer(made), past_views, loose)
        found = [pair for pair in found if pair.past and (pair.a == pair.b or senders[pair.a] != senders[pair.b])]
        looks += [(pair.a == pair.b, pair) for pair in found]
        held = [pair for pair in found if holds(pair, policy)]
        hash_only = [pair for pair in held if pair.a == pair.b and pair.tier in {"phash", "pdq", "pixels", "bytes"}]
        kinds[kind] = {
            "recall": round(sum(pair.a == pair.b for pair in held) / len(rows), 4),
            "by_hash": round(len(hash_only) / len(rows), 4),
            "wrong": sum(pair.a != pair.b for pair in held),
        }
        without = pairs.find(new, past, lambda *_: None, lambda *_: None, policy)
        without = [pair for pair in without if pair.past]
        right = sum(pair.a == pair.b for pair in without)
        wrong = sum(senders[pair.a] != senders[pair.b] for pair in without)
        kinds[kind]["recall_without_pixels"] = round(right / len(rows), 4)
        alone[0] += right
        alone[1] += wrong
        print(kind, kinds[kind], file=sys.stderr)
    others = other_colours(originals, embedder, past, past_views, loose)
    beside = other_garments(labels, senders, past, past_views)
    looks += [(False, pair) for pair in beside]
    looks += [(False, pair) for pair in others["found"]]
    total, blind = len(rows) * len(COPIES), replace(policy, **BLIND)
    return {
        "photos": len(rows),
        "copies": total,
        "pairs_searched": total * len(rows),
        "policy": asdict(policy),
        "with_pixels": score(looks, policy, total),
        "without_pixels": rates(*alone, total),
        "by_kind": kinds,
        "other_colours": {
            "photos": others["photos"],
            "wrong": sum(holds(pair, policy) for pair in others["found"]),
            "wrong_without_colour": sum(holds(pair, blind) for pair in others["found"]),
        },
        "other_garments": {"pairs": len(beside), "wrong": sum(holds(pair, policy) for pair in beside)},
        "sweep": {
            name: [{name: line, **score(looks, _with(policy, name, line), total)} for line in lines]
            for name, lines in LINES.items()
        },
    }


def other_colours(
    originals: Sequence[Pixels], embedder: Embedder, past: Prints, past_views: pairs.Views, policy: DuplicatePolicy
) -> dict[str, Any]:
    """Return the pairs ``found`` between photos in another colour and their own originals, and how many ``photos``."""
    rng = np.random.default_rng(99)
    made = [(place, other) for place, pixels in enumerate(originals) if (other := recoloured(pixels, rng)) is not None]
    pictures = [decode(encode_jpeg(other, 85)).pixels for _, other in made]
    found = pairs.find(prints(pictures, embedder), past, viewer(pictures), past_views, policy)
    return {"photos": len(made), "found": [pair for pair in found if pair.past and pair.b == made[pair.a][0]]}


def other_garments(
    labels: Sequence[str], senders: Sequence[str], past: Prints, views: pairs.Views, count: int = 400
) -> list[pairs.Pair]:
    """Return looks at the likest pairs of one sender that are labelled as two kinds of garment, before one backdrop."""
    named = [label not in {"Not sure", "Other", "Skip"} for label in labels]
    likeness = past.vectors[0] @ past.vectors[0].T
    beside = [
        (float(likeness[a, b]), a, b)
        for a in range(len(labels))
        for b in range(a)
        if named[a] and named[b] and senders[a] == senders[b] and labels[a] != labels[b]
    ]
    made = []
    for cosine, a, b in sorted(beside, reverse=True)[:count]:
        first, second = views(a, (None, 0)), views(b, (None,))
        if first and second:
            made.append(pairs.Pair(a, b, False, "embedding", 1 - cosine, 0.0, alignment.compare(first, second[None])))
    return made


def _with(policy: DuplicatePolicy, name: str, line: float) -> DuplicatePolicy:
    changed: dict[str, Any] = {name: line}
    return replace(policy, **changed)


def holds(pair: pairs.Pair, policy: DuplicatePolicy) -> bool:
    """Whether a pair found with loose lines is one under ``policy``."""
    return pair.look is None or alignment.confirms(pair.look, policy.look)


def score(looks: Sequence[tuple[bool, pairs.Pair]], policy: DuplicatePolicy, total: int) -> dict[str, float]:
    """Return recall and precision under ``policy``."""
    held = [right for right, pair in looks if holds(pair, policy)]
    return rates(sum(held), len(held) - sum(held), total)


def rates(right: int, wrong: int, total: int) -> dict[str, float]:
    """Return recall and precision from counts."""
    return {"recall": round(right / total, 4), "precision": round(right / max(1, right + wrong), 4), "wrong": wrong}


def prints(pictures: Sequence[Pixels], embedder: Embedder) -> Prints:
    """Return the fingerprints of whole pictures."""
    made = [hashes.compute(pixels) for pixels in pictures]
    count = len(pictures)
    return Prints(
        files=[sha256(pixels.tobytes() + b"file") for pixels in pictures],
        pixels=[pixel_digest(pixels) for pixels in pictures],
        phash=np.frombuffer(b"".join(b"".join(one.phash) for one in made), np.uint8).reshape(count, 8, 8),
        pdq=np.frombuffer(b"".join(b"".join(one.pdq) for one in made), np.uint8).reshape(count, 8, 32),
        quality=np.array([one.quality for one in made]),
        vectors=[embedder.embed([hashes.for_embedder(pixels) for pixels in pictures])],
        owner=np.arange(count),
        kin=[frozenset()] * count,
    )


def viewer(pictures: Sequence[Pixels]) -> pairs.Views:
    """Return the prepared pictures, as pairs.find asks for them."""
    seen: dict[tuple[int, Any], alignment.View] = {}

    def views(place: int, ways: tuple[int | None, ...]) -> dict[int | None, alignment.View]:
        for way in ways:
            if (place, way) not in seen:
                seen[place, way] = alignment.views(pictures[place], (way,))[way]
        return {way: seen[place, way] for way in ways}

    return views


if __name__ == "__main__":
    sys.exit(main())
