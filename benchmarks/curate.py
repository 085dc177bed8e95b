"""Where the curate step spends its time, and whether its memory grows with the number of photos.

    python benchmarks/curate.py --photos ../shared/photos --counts 1000 10000

Screen, detect, fingerprint and deduplicate run one after another over a catalog of real photos, as ``refresh`` runs
them, with the default models and policies but one photo at a time; each count in a process of its own. Photos beyond
the folder's number are quarters of the others, enlarged: other pictures, not copies. CPU time is taken at the doors of
what does the work (decode, models, hashes, candidate search, second look), each without what it calls in turn; the rest
is ours. Exit status 1 when decode, models, hashes and search (with its second look) are under 85 % of the CPU time, or
when the largest count takes over 1.5 times the memory of the smallest.
"""

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import Image

from catalog import tables
from catalog.store import Catalog
from curation import alignment, duplicates, fingerprint, hashes, items, pairs, screen
from curation.history import History
from flows.workshop import Workshop

SHARE, GROWTH, SIDE = 0.85, 1.5, 800
NOW = datetime(2026, 6, 1, tzinfo=UTC)
SPENT: dict[str, float] = defaultdict(float)
_open = threading.local()


def timed(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``work`` with its own CPU time, less that of other doors inside it, added to ``part``.

    The time is the process's: models have threads of their own. So one photo must be worked on at a time.
    """

    def door(*given: Any, **named: Any) -> Any:
        within = getattr(_open, "stack", None)
        if within is None:
            within = _open.stack = []
        within.append(0.0)
        start = time.process_time()
        try:
            return work(*given, **named)
        finally:
            spent = time.process_time() - start
            SPENT[part] += spent - within.pop()
            if within:
                within[-1] += spent

    return door


def doors(workshop: Workshop) -> None:
    """Put a clock at the doors of decode, models, hashes and search."""
    for room in (screen, items, fingerprint, duplicates):
        room.decode = timed("decode", room.decode)  # type: ignore[attr-defined]
    for model, verb in ((workshop.detector, "detect"), (workshop.embedder, "embed"), (workshop.text, "lines")):
        setattr(model, verb, timed("models", getattr(model, verb)))
    hashes.compute = timed("hashes", hashes.compute)
    for name in ("_hash_candidates", "_cosine_candidates"):
        setattr(pairs, name, timed("search", getattr(pairs, name)))
    for name in ("view", "compare", "overlay", "frame_on_frame"):
        setattr(alignment, name, timed("second look", getattr(alignment, name)))


def stock(folder: Path, count: int, catalog: Catalog) -> list[dict[str, Any]]:
    """Put ``count`` photos into the catalog; returns their rows."""
    files = sorted((folder / "images").glob("*.jpg"))
    rows = []
    for number in range(count):
        turn, place = divmod(number, len(files))
        data = files[place].read_bytes() if turn == 0 else quarter(files[place], turn)
        facts = {"product_id": f"p-{number}", "setting": "flat", "site": "bench", "first_seen": NOW}
        rows.append({"photo_id": catalog.put_image(data), "bytes": len(data), "origin": "retail", **facts})
    return list({row["photo_id"]: row for row in rows}.values())


def quarter(file: Path, turn: int) -> bytes:
    """Return one quarter (1 to 4) of a photo as a JPEG of ``SIDE`` pixels."""
    with Image.open(file) as image:
        row, column = divmod((turn - 1) % 4, 2)
        width, height = image.width // 2, image.height // 2
        part = image.convert("RGB").crop((column * width, row * height, (column + 1) * width, (row + 1) * height))
    sink = io.BytesIO()
    part.resize((SIDE, SIDE * part.height // part.width)).save(sink, "JPEG", quality=88)
    return sink.getvalue()


def measure(photos: Path, count: int) -> dict[str, Any]:
    """Run the four steps over ``count`` photos; returns CPU seconds by part, and peak memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop.open(root=folder, now=NOW)
        catalog, settings = workshop.catalog, workshop.settings
        rows = tables.from_rows("photos", stock(photos, count, catalog))
        products = tables.from_rows("products", [])
        history = History.load(catalog)
        doors(workshop)
        begun, started = time.process_time(), time.monotonic()
        alone = {name: replace(getattr(settings, name), threads=1) for name in ("screen", "items")}
        screened = screen.screen(rows, catalog, alone["screen"], edition="bench", text=workshop.text)
        kept = screened.tables["photos"]
        found = items.find(kept, products, catalog, workshop.detector, alone["items"], edition="bench").tables["items"]
        policy = replace(settings.fingerprint, workers=1)
        prints = fingerprint.fingerprint(kept, found, catalog, workshop.embedder, policy, edition="bench")
        known = prints.tables["fingerprints"]
        duplicates.find(found, kept, products, known, history, catalog, settings.duplicates, edition="bench")
        total = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    parts = {part: round(spent, 2) for part, spent in sorted(SPENT.items())}
    named = sum(SPENT.values()) / total
    figures = {"photos": count, "cpu_seconds": round(total, 1), "wall_seconds": round(time.monotonic() - started, 1)}
    return {**figures, "parts": parts, "named_share": round(named, 3), "peak_mib": round(peak)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos"), help="folder with images/")
    parser.add_argument("--counts", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not any((options.photos / "images").glob("*.jpg")):
        print(f"skipped: {options.photos} holds no images/*.jpg; name a folder with --photos")
        return 0
    if options.one:
        print(json.dumps(measure(options.photos, options.one)))
        return 0
    made = []
    for count in options.counts:
        command = [sys.executable, __file__, "--photos", str(options.photos), "--one", str(count)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        made.append(json.loads(told.splitlines()[-1]))
        print(json.dumps(made[-1]), flush=True)
    growth = made[-1]["peak_mib"] / made[0]["peak_mib"]
    share = min(run["named_share"] for run in made)
    good = share >= SHARE and growth <= GROWTH
    print(f"named {share:.3f} (bar {SHARE}), memory x{growth:.2f} (bar {GROWTH}): {'good' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
