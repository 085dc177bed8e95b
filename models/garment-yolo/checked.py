"""Measure on photos whose boxes were checked one by one: ``python checked.py --photos DIR --work DIR``.

``checked.csv`` names 239 CC0 photos of senders outside training: box in pixels of the upright photo, category, and who
drew the box. Candidates were GrabCut's and the detector's. Each was looked at on contact sheets of forty, by a vision
model and not by a person, taken where it fits the garment and drawn anew where neither does (``drawn_by``: grabcut,
detector, hand), then looked at again. A pair of shoes is one box. One photo of 240 was left out: its hood lies apart.
Categories are the sender's label, put right where the picture plainly shows another category of the taxonomy (coat for
outerwear, sweater for longsleeve).

Writes ``checked.json``: ultralytics' own validator with the detector's 17 classes and with one class for all; and, as
the pipeline uses it, recall at IoU 0.5 of the boxes above the score line and how often the second stage names the
category, strictly and by the sender's label (coat = jacket, sweater = top: labels that senders do not tell apart).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LABELLED = {"coat": "jacket", "sweater": "top"}
os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")


def rows() -> list[dict[str, str]]:
    """Return the checked boxes."""
    with (HERE / "checked.csv").open() as file:
        return list(csv.DictReader(file))


def write(photos: Path, work: Path) -> Path:
    """Write the photos and labels as the validator reads them; returns the data file."""
    from PIL import Image

    from catalog.decode import decode

    classes = json.loads((HERE / "classes.json").read_text())["classes"]
    place = {member: index for index, members in enumerate(classes.values()) for member in members}
    for folder in ("images", "labels"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    for row in rows():
        seen = decode((photos / row["file"]).read_bytes())
        Image.fromarray(seen.pixels).save(work / "images" / row["file"], quality=95)
        x0, y0, x1, y1 = (float(row[name]) for name in ("x0", "y0", "x1", "y1"))
        w, h = seen.width, seen.height
        line = f"{place[row['category']]} {(x0 + x1) / 2 / w} {(y0 + y1) / 2 / h} {(x1 - x0) / w} {(y1 - y0) / h}"
        (work / "labels" / f"{Path(row['file']).stem}.txt").write_text(line + "\n")
    data = work / "data.yaml"
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(classes))
    data.write_text(f"path: {work}\ntrain: images\nval: images\nnames:\n{names}")
    return data


def validate(model: Path, data: Path, *, single: bool) -> dict[str, float]:
    """Return the figures of ultralytics' validator, with the detector's classes or with one for all."""
    from ultralytics import YOLO

    found = (
        YOLO(str(model), task="detect")
        .val(
            data=str(data), imgsz=256, batch=1, device="cpu", plots=False, verbose=False, workers=0, single_cls=single,
            project=str(data.parent), name="runs",
        )
        .box
    )  # fmt: skip
    named = {"mAP50": found.map50, "mAP50-95": found.map, "precision": found.mp, "recall": found.mr}
    return {name: round(float(value), 4) for name, value in named.items()}


def pipeline(model: Path, photos: Path) -> dict[str, Any]:
    """Return how often a box above the score line meets the garment, and its category is right."""
    from catalog.decode import decode
    from curation import boxes, categories, detectors, embedders
    from curation.items import DETECT_SIDE, ItemPolicy, garments
    from curation.second_stage import SecondStage

    detector = SecondStage(
        detectors.open(f"yolo:{model}"),
        embedders.open(f"onnx:{HERE.parent / 'garment-probe' / 'garment-eye.onnx'}"),
        categories.open(f"probe:{HERE.parent / 'garment-probe' / 'garment-probe.npz'}"),
    )
    totals = dict.fromkeys(("photos", "boxed", "category", "category_as_labelled", "boxes"), 0)
    for row in rows():
        seen = decode((photos / row["file"]).read_bytes(), reduce_to=DETECT_SIDE)
        share = seen.pixels.shape[1] / seen.width
        truth = tuple(float(row[name]) * share for name in ("x0", "y0", "x1", "y1"))
        size = (seen.pixels.shape[1], seen.pixels.shape[0])
        kept, _ = garments(detector.detect([seen.pixels])[0], size, ItemPolicy(), look=False)
        best = max(kept, key=lambda found: boxes.iou(found.box, truth), default=None)
        met = best is not None and boxes.iou(best.box, truth) >= 0.5
        totals["photos"] += 1
        totals["boxes"] += len(kept)
        totals["boxed"] += met
        if met and best is not None:
            said = best.category
            totals["category"] += said == row["category"]
            totals["category_as_labelled"] += said in (row["category"], LABELLED.get(row["category"]))
    rates = {name: round(totals[name] / totals["photos"], 4) for name in ("boxed", "category", "category_as_labelled")}
    return {**totals, "rates": rates}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--photos", type=Path, required=True, help="folder of the CC0 photos")
    parser.add_argument("--work", type=Path, required=True, help="folder for the validator's copies")
    parser.add_argument("--model", type=Path, default=HERE / "garment-yolo.onnx")
    options = parser.parse_args()
    data = write(options.photos, options.work.resolve())
    figures = {
        "pipeline": pipeline(options.model, options.photos),
        "validator, 17 classes": validate(options.model, data, single=False),
        "validator, one class": validate(options.model, data, single=True),
    }
    (HERE / "checked.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
