"""Measure the exported detector with ultralytics' own validator: ``python measure.py --work DIR``.

Writes ``figures.json`` beside this file: mAP50, mAP50-95 and recall on held-out composites (``val``), on rendered and
drawn people who wear held-out garments (``bodies``, ``worn``) and on whole held-out photos (``photos``), overall and by
class; and draws detections of some of them into the work folder.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")


def measure(model: Path, data: Path, imgsz: int) -> dict[str, Any]:
    """Return the validator's figures for one data file."""
    from ultralytics import YOLO

    found = YOLO(str(model), task="detect").val(
        data=str(data),
        imgsz=imgsz,
        batch=8,
        device="cpu",
        plots=False,
        verbose=False,
        workers=0,
        project=str(data.parent),
        name="val-runs",
    )
    box = found.box
    by_class = {
        found.names[int(index)]: {"mAP50": round(float(box.ap50[place]), 4), "recall": round(float(box.r[place]), 4)}
        for place, index in enumerate(box.ap_class_index)
    }
    return {
        "mAP50": round(float(box.map50), 4),
        "mAP50-95": round(float(box.map), 4),
        "precision": round(float(box.mp), 4),
        "recall": round(float(box.mr), 4),
        "by_class": by_class,
    }


def boxes_found(model: Path, folder: Path) -> dict[str, Any]:
    """Return how many true boxes are met at IoU 0.5 by any box, by one of the right class, and by the first box."""
    import numpy as np
    from PIL import Image

    from curation import boxes, detectors
    from curation.items import ItemPolicy, garments

    detector, names = detectors.open(f"yolo:{model}"), list(json.loads((HERE / "classes.json").read_text())["classes"])
    policy = ItemPolicy()
    totals = {"truths": 0, "met": 0, "met_and_class": 0, "extra": 0, "pictures": 0, "empty": 0}
    for path in sorted((folder / "images").glob("*.jpg")):
        pixels = np.asarray(Image.open(path).convert("RGB"))
        h, w = pixels.shape[:2]
        lines = (folder / "labels" / f"{path.stem}.txt").read_text().split("\n")
        truths = [_truth(line, w, h) for line in lines if line]
        kept, _ = garments(
            detector.detect([pixels])[0], (w, h), policy, look=not path.stem.startswith(("photo", "single"))
        )
        totals["pictures"] += 1
        totals["empty"] += not kept
        used: set[int] = set()
        for index, box in truths:
            pairs = [(boxes.iou(d.box, box), place) for place, d in enumerate(kept)]
            good = [place for overlap, place in pairs if overlap >= 0.5]
            used.update(good)
            totals["truths"] += 1
            totals["met"] += bool(good)
            totals["met_and_class"] += any(kept[place].category == names[index] for place in good)
        totals["extra"] += len(kept) - len(used)
    return totals


def _truth(line: str, width: int, height: int) -> tuple[int, tuple[float, float, float, float]]:
    index, x, y, w, h = (float(value) for value in line.split())
    return int(index), ((x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height)


def sheet(model: Path, pictures: list[Path], out: Path) -> None:
    """Draw what the detector finds on up to 24 pictures, with the item policy's score lines, into one contact sheet."""
    import numpy as np
    from PIL import Image, ImageDraw

    from curation import detectors
    from curation.items import ItemPolicy, garments

    detector, policy, side = detectors.open(f"yolo:{model}"), ItemPolicy(), 300
    board = Image.new("RGB", (side * 8, side * 3))
    for place, path in enumerate(pictures[:24]):
        with Image.open(path) as image:
            picture = image.convert("RGB")
        picture.thumbnail((side, side))
        pixels, pen = np.asarray(picture), ImageDraw.Draw(picture)
        look = not path.stem.startswith(("photo", "single"))
        for detection in garments(detector.detect([pixels])[0], picture.size, policy, look=look)[0]:
            pen.rectangle(detection.box, outline="red", width=2)
            pen.text(
                (detection.box[0] + 3, detection.box[1] + 2), f"{detection.category} {detection.score:.2f}", "lime"
            )
        board.paste(picture, (place % 8 * side, place // 8 * side))
    board.save(out)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="work folder of the training")
    parser.add_argument("--model", type=Path, default=HERE / "garment-yolo.onnx")
    parser.add_argument("--imgsz", type=int, default=256)
    parser.add_argument("--out", type=Path, default=HERE / "figures.json")
    options = parser.parse_args()
    data = options.work.resolve() / "data"
    figures: dict[str, Any] = {"imgsz": options.imgsz}
    for name, folder, file in (
        ("composites", "val", "data.yaml"),
        ("bodies", "bodies", "bodies.yaml"),
        ("worn", "worn", "worn.yaml"),
        ("photos", "photos", "photos.yaml"),
    ):
        figures[name] = {
            **measure(options.model, data / file, options.imgsz),
            "items": boxes_found(options.model, data / folder),
        }
    options.out.write_text(json.dumps(figures, indent=1) + "\n")
    for name, folder in (("composites", "val"), ("bodies", "bodies"), ("worn", "worn"), ("photos", "photos")):
        pictures = sorted((data / folder / "images").glob("*.jpg"))
        sheet(options.model, pictures[:: max(1, len(pictures) // 24)], options.work / f"sheet-{name}.png")
    print(json.dumps({k: {i: j for i, j in v.items() if i != "by_class"} for k, v in figures.items() if k != "imgsz"}))


if __name__ == "__main__":
    main()
