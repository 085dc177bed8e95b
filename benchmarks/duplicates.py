"""How well copies are found: recall and precision of the three tiers on a labelled pair set made from real photos.

    python benchmarks/duplicates.py --photos ../shared/photos --out benchmarks/duplicates.json

Half of the senders of the CC0 clothing photos make the set; the other half (``--half 0``) is to choose the lines by.
Every photo is copied in every way of ``COPIES``; each copy is searched among all originals. A pair with its own
original is right, one with another sender's photo is wrong, and so is one with the same photo whose garment got
another colour before its old backdrop (``other_colours``; they count in the precision). Photos of one sender often
show one garment twice or a whole rack before one wall, so pairs inside a sender are left out. The lines are swept to
show how near the edge they lie.
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
    "colours shifted": (shifted, 85),
    "mirrored and cropped by 15 %": (lambda picture, rng: cropped(mirrored(picture), 0.15, rng), 70),
    "mirrored, cropped and bordered": (lambda picture, rng: bordered(cropped(mirrored(picture), 0.15, rng), rng), 70),
}


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


def chosen(folder: Path, count: int, half: int) -> list[tuple[str, Picture]]:
    """Return (sender, picture) of ``count`` photos of one half of the senders."""
    with (folder / "photos.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["sender_id"]) % 2 == half]
    order = np.random.default_rng(half).permutation(len(rows))[:count]
    picked = [rows[place] for place in sorted(order)]
    return [(row["sender_id"], Image.fromarray(decode((folder / row["file"]).read_bytes()).pixels)) for row in picked]


def measure(rows: Sequence[tuple[str, Picture]], embedder: Embedder, policy: DuplicatePolicy) -> dict[str, Any]:
    """Return recall by kind of copy, precision, and the same for other lines of agreement."""
    senders = [sender for sender, _ in rows]
    originals = [np.asarray(picture) for _, picture in rows]
    past, past_views = prints(originals, embedder), viewer(originals)
    loose = replace(policy, agreement=0.0, frame_agreement=0.0, colour=1e9, light=1e9)
    kinds: dict[str, Any] = {}
    looks: list[tuple[bool, pairs.Pair]] = []
    alone = [0, 0]
    for number, (kind, (change, quality)) in enumerate(COPIES.items()):
        rng = np.random.default_rng((number, 1))
        made = [decode(encode_jpeg(np.asarray(change(picture, rng)), quality)).pixels for _, picture in rows]
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
    looks += [(False, pair) for pair in others["found"]]
    total, blind = len(rows) * len(COPIES), replace(policy, colour=1e9, light=1e9)
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
        "sweep": [
            {"agreement": line, **score(looks, replace(policy, agreement=line, frame_agreement=1.6 * line), total)}
            for line in (0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6)
        ],
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
