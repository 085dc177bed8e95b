"""Boxes: xyxy in pixels, right and bottom exclusive."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from curation.detectors import Detection

Box = tuple[float, float, float, float]


def area(box: Box) -> float:
    """Return the area in square pixels, 0 for an empty box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap(a: Box, b: Box) -> float:
    """Return the area that two boxes share, in square pixels."""
    return area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))


def iou(a: Box, b: Box) -> float:
    """Return intersection over union, 0 to 1."""
    shared = overlap(a, b)
    union = area(a) + area(b) - shared
    return shared / union if union > 0 else 0.0


def centrality(box: Box, size: tuple[int, int]) -> float:
    """Return 1 for a box centred in a picture of ``size`` (width, height), falling to 0 at its corners."""
    dx = (box[0] + box[2]) / 2 / size[0] - 0.5
    dy = (box[1] + box[3]) / 2 / size[1] - 0.5
    return max(0.0, 1.0 - math.hypot(dx, dy) / math.hypot(0.5, 0.5))


def padded(box: Box, size: tuple[int, int], share: float) -> Box:
    """Return the box grown by ``share`` of its sides, clamped to the picture and widened to whole pixels."""
    dx, dy = (box[2] - box[0]) * share, (box[3] - box[1]) * share
    return (
        float(min(max(0, math.floor(box[0] - dx)), size[0])),
        float(min(max(0, math.floor(box[1] - dy)), size[1])),
        float(max(0, min(size[0], math.ceil(box[2] + dx)))),
        float(max(0, min(size[1], math.ceil(box[3] + dy)))),
    )


def touches(box: Box, size: tuple[int, int], share: float) -> bool:
    """Return whether a box comes nearer to the picture's edge than ``share`` of its side."""
    dx, dy = size[0] * share, size[1] * share
    return box[0] <= dx or box[1] <= dy or box[2] >= size[0] - dx or box[3] >= size[1] - dy


def merge(
    found: Sequence["Detection"], most_iou: float, most_inside: float
) -> tuple[list["Detection"], list[tuple["Detection", "Detection"]]]:
    """Return one detection for each garment, best score first, and the (twin, winner) pairs that were merged.

    Two boxes are one garment when they overlap by more than ``most_iou``, or, within one category, when the smaller
    lies inside the other by more than ``most_inside`` of its area. Ties in score go by box, then category.
    """
    kept: list[Detection] = []
    twins: list[tuple[Detection, Detection]] = []
    for detection in sorted(found, key=lambda d: (-d.score, d.box, d.category)):
        winner = next((k for k in kept if _same(k, detection, most_iou, most_inside)), None)
        if winner is None:
            kept.append(detection)
        else:
            twins.append((detection, winner))
    return kept, twins


def _same(a: "Detection", b: "Detection", most_iou: float, most_inside: float) -> bool:
    if iou(a.box, b.box) > most_iou:
        return True
    smaller = min(area(a.box), area(b.box))
    return a.category == b.category and smaller > 0 and overlap(a.box, b.box) / smaller > most_inside
