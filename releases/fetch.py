"""Fill a LookBench release of links: fetch each photo, check it, cut its crops, write a complete copy.

    python fetch.py OUT [--delay SECONDS]

Needs Python 3.11, pyarrow and Pillow, and nothing of LookBench. Asks one address at a time. A photo that is gone, or is
another one by now, is named in OUT/missing.tsv and its rows are left out of the copy. Photos are kept in OUT-photos, so
that a second run asks only for what is still missing.
"""

import argparse
import ast
import hashlib
import io
import json
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MAX_BYTES = 50_000_000
TIMEOUT = 30.0
SMALL, GREY = 64, 128
MARGIN = 0.21
"""Share of a face's box added on each side: the ellipse in the grown box then passes through the box's corners."""
CELLS = 3
"""Means of colour that are left of a face along its longer side, whatever its size: nothing sharper can be won back."""
QUALITY = 95
"""JPEG quality of a photo with blurred faces."""
AGENT = "lookbench-fetch/1 (fills a research release; one request at a time)"


def fetch(url: str, sha256: str) -> bytes:
    """Return the bytes behind ``url``; raise OSError when they cannot be had or are not the photo of the release."""
    if not url.startswith(("https://", "http://")):
        raise OSError(f"{url} is no web address")
    request = urllib.request.Request(url, headers={"User-Agent": AGENT})  # noqa: S310 - scheme checked above
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        data: bytes = answer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"more than {MAX_BYTES} bytes")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise OSError("another file stands at this address now")
    return data


def upright(data: bytes) -> Any:
    """Return a photo as an upright RGB picture on white."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
    return image.convert("RGB")


def blur(image: Any, boxes: Sequence[Sequence[float]]) -> Any:
    """Return an RGB picture of Pillow with what is in an ellipse around each box (xyxy) reduced to a few colours."""
    from PIL import Image, ImageDraw

    image = image.copy()
    for x0, y0, x1, y1 in boxes:
        dx, dy = (x1 - x0) * MARGIN, (y1 - y0) * MARGIN
        left, top, right, bottom = round(x0 - dx), round(y0 - dy), round(x1 + dx) + 1, round(y1 + dy) + 1
        wide, tall = right - left, bottom - top
        corner = max(0, left), max(0, top)
        face = image.crop((*corner, min(image.width, right), min(image.height, bottom)))
        cells = [max(1, round(CELLS * side / max(face.size))) for side in face.size]
        few = face.resize(cells, Image.Resampling.BOX).resize(face.size, Image.Resampling.BICUBIC)
        mask = Image.new("L", face.size)
        x, y = left - corner[0], top - corner[1]
        ImageDraw.Draw(mask).ellipse((x, y, x + wide - 1, y + tall - 1), fill=255)
        image.paste(few, corner, mask)
    return image


def blurred(data: bytes, row: dict[str, Any]) -> bytes:
    """Return a photo as JPEG with the faces blurred that a row names; the very bytes when it names none."""
    boxes = ast.literal_eval(row.get("faces") or "[]")
    if not boxes:
        return data
    sink = io.BytesIO()
    blur(upright(data), boxes).save(sink, "JPEG", quality=QUALITY, subsampling=0)
    return sink.getvalue()


def crop(data: bytes, row: dict[str, Any], quality: int) -> bytes:
    """Return what a row shows of a photo as JPEG: its box, made smaller or partly grey where it is a harder variant."""
    from PIL import Image

    shown = upright(data).crop(ast.literal_eval(row["bbox"]))
    if row.get("variant") == "small":
        shown.thumbnail((SMALL, SMALL), Image.Resampling.LANCZOS)
    if row.get("hidden"):
        shown.paste((GREY, GREY, GREY), ast.literal_eval(row["hidden"]))
    sink = io.BytesIO()
    shown.save(sink, "JPEG", quality=quality, subsampling=0)
    return sink.getvalue()


class Photos:
    """Photos by address, each fetched once."""

    def __init__(self, cache: Path, delay: float) -> None:
        self.cache, self.delay, self.missing = cache, delay, dict[str, str]()
        cache.mkdir(parents=True, exist_ok=True)

    def get(self, url: str, sha256: str) -> bytes | None:
        """Return a photo, from the cache where it is already there; None when it cannot be had."""
        place = self.cache / sha256
        if place.exists():
            return place.read_bytes()
        if url in self.missing:
            return None
        time.sleep(self.delay)
        try:
            data = fetch(url, sha256)
        except (OSError, urllib.error.URLError) as error:
            self.missing[url] = str(error)
            return None
        place.write_bytes(data)
        return data


def fill(row: dict[str, Any], photos: Photos, quality: int) -> dict[str, Any] | None:
    """Return a row with its pixels; None when its photo cannot be had."""
    if row["raw_image"]["bytes"] is not None:
        return row
    raw = photos.get(row["source_url"], row["photo_sha256"])
    if raw is None:
        return None
    raw = blurred(raw, row)
    cut = crop(raw, row, quality)
    return {**row, "image": {"bytes": cut, "path": None}, "raw_image": {"bytes": raw, "path": row["photo_sha256"]}}


def copy_split(source: Path, target: Path, photos: Photos, quality: int) -> None:
    """Write a filled copy of one parquet file, row group by row group."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetFile(source) as opened, pq.ParquetWriter(target, opened.schema_arrow, compression="none") as writer:
        for number in range(opened.num_row_groups):
            rows = [fill(row, photos, quality) for row in opened.read_row_group(number).to_pylist()]
            kept = [row for row in rows if row is not None]
            writer.write_table(pa.Table.from_pylist(kept, schema=opened.schema_arrow))


def main(arguments: list[str] | None = None) -> int:
    """Fill the release that this script lies in."""
    parser = argparse.ArgumentParser(description="Fill a LookBench release of links.")
    parser.add_argument("out", type=Path, help="folder of the filled copy")
    parser.add_argument("--delay", type=float, default=1.0, help="seconds between two requests")
    options = parser.parse_args(arguments)
    home = Path(__file__).resolve().parent
    photos = Photos(options.out.with_name(f"{options.out.name}-photos"), options.delay)
    quality = json.loads((home / "manifest.json").read_bytes())["settings"]["release"]["jpeg_quality"]
    for file in sorted(home.rglob("*")):
        target = options.out / file.relative_to(home)
        if file.suffix == ".parquet" and file.relative_to(home).parts[0] in {"data", "anchors"}:
            copy_split(file, target, photos, quality)
        elif file.is_file() and file.name != "manifest.json" and not file.is_relative_to(options.out.resolve()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    lines = [f"{url}\t{why}\n" for url, why in sorted(photos.missing.items())]
    (options.out / "missing.tsv").write_text("".join(lines), encoding="utf-8")
    seal(home, options.out)
    print(f"filled {options.out}; {len(lines)} photos could not be had", file=sys.stderr)
    return 1 if lines else 0


def seal(home: Path, out: Path) -> None:
    """Write the manifest of the filled copy: its own files, and the sha256 of the manifest it was filled from."""
    origin = (home / "manifest.json").read_bytes()
    content = {**json.loads(origin), "filled_from": hashlib.sha256(origin).hexdigest()}
    content["files"] = {
        file.relative_to(out).as_posix(): {
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "bytes": file.stat().st_size,
        }
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.relative_to(out).as_posix() != "manifest.json"
    }
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    (out / "manifest.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
