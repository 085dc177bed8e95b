"""Garments of photos: detect, merge, choose, pad; one item for each garment."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from catalog import tables
from catalog.decode import DecodeError, decode
from catalog.ids import item_id
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog
from curation.boxes import area, centrality, merge, padded, touches
from curation.detectors import Detection, Detector
from curation.faces import FaceFinder
from curation.review.verdicts import REASON, Verdicts

if TYPE_CHECKING:
    from taxonomy import Taxonomy

DETECT_SIDE: Final = 640
"""Photos are decoded to this longest side at least; no detector here reads more."""


@dataclass(frozen=True)
class ItemPolicy:
    """Which boxes become items."""

    score_retail: float = 0.1
    """Least score on a product photo, which shows one garment large: there a weak box is still a right one."""
    score_look: float = 0.25
    """Least score on a look, where every box becomes an item."""
    merge_iou: float = 0.6
    """Boxes overlapping more than this are one garment, whatever their classes."""
    merge_inside: float = 0.9
    """A box lying inside another of the same category by more than this share is a part of it."""
    score_face: float = 0.4
    """Least score of a face on a look. Measured in models/centerface: what a lower line adds are patterns on cloth."""
    padding: float = 0.03
    """Share of a box's sides added on each side before cropping."""
    minimum_side: int = 32
    """Least side of a crop in pixels of the photo."""
    minimum_share: float = 0.001
    """Least share of the photo's area."""
    border: float = 0.005
    """A box nearer to the edge than this share of the photo's side touches it."""
    rival: float = 0.5
    """A product photo whose text names none of its boxes is refused when the second box has this share of the first's
    prominence: which of the two is for sale is then unknown."""
    threads: int = 2
    """Photos decoded and looked at at a time."""


def find(
    photos: pa.Table,
    products: pa.Table,
    catalog: Catalog,
    detector: Detector,
    policy: ItemPolicy,
    *,
    edition: str,
    verdicts: Verdicts | None = None,
    faces: FaceFinder | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StepResult:
    """Find the garments of ``photos``: one on a product's photo, all on a look; and the faces on looks.

    Returns the tables ``items`` and ``faces``; the latter has a row for every look that was searched, and none without
    ``faces``. A product photo is not searched: it shows what a shop chose to show, and a face printed on its garment
    must stay.

    The ledger has one row for each photo (dropped: ``no_garment``, ``product_not_shown`` or a decode code), rows of
    subject ``item`` for each box above the score line: kept, or dropped as ``merged``, ``too_small`` or
    ``not_the_product``, and of subject ``face`` for each face. A reviewer's verdict on a photo takes all its boxes
    (``reviewer``), or gives a photo without an item its most prominent box; where the detector saw none the whole photo
    becomes the item, of the category that its product's text names. ``progress`` is called with (done, total).
    """
    ledger = Ledger("detect", "photo", edition)
    named = _named_categories(products)
    rows: list[dict[str, Any]] = []
    searched: list[dict[str, Any]] = []
    listed = photos.to_pylist()
    with ThreadPoolExecutor(policy.threads) as pool:
        looks = pool.map(lambda photo: _detect(photo, catalog, detector, faces), listed)
        for done, (photo, seen) in enumerate(zip(listed, looks, strict=True), 1):
            stays = (verdicts or {}).get(photo["photo_id"])
            rows += _of_photo(photo, seen, named.get(photo["product_id"] or ""), detector.name, policy, ledger, stays)
            if faces is not None and is_look(photo) and not isinstance(seen, DecodeError):
                searched.append(_faces(photo["photo_id"], seen, faces.name, policy, ledger))
            if progress is not None:
                progress(done, photos.num_rows)
    figures = {
        "photos": photos.num_rows,
        "items": len(rows),
        "photos_with_items": len({row["photo_id"] for row in rows}),
        "faces": sum(len(row["boxes"]) for row in searched),
    }
    made = {"items": tables.from_rows("items", rows), "faces": tables.from_rows("faces", searched)}
    return StepResult(made, ledger.table(), figures)


def is_look(photo: Mapping[str, Any]) -> bool:
    """Return whether every garment of a photo is an item: street photos, and retail photos of no single product."""
    if photo["origin"] == "generated":
        return bool(photo["setting"] == "street")
    return bool(photo["origin"] == "street" or photo["setting"] == "street" or photo["product_id"] is None)


Found = tuple[tuple[int, int], list[Detection], list[Detection]]
"""Size (width, height) of a photo, and the garments and faces seen in it, in its pixels."""


def _detect(
    photo: Mapping[str, Any], catalog: Catalog, detector: Detector, finder: FaceFinder | None
) -> Found | DecodeError:
    try:
        decoded = decode(catalog.get_image(photo["photo_id"]), reduce_to=DETECT_SIDE)
    except DecodeError as error:
        return error
    scale = (decoded.width / decoded.pixels.shape[1], decoded.height / decoded.pixels.shape[0])
    faces = finder.find(decoded.pixels) if finder is not None and is_look(photo) else []
    found = detector.detect([decoded.pixels])[0]
    size = (decoded.width, decoded.height)
    return size, [scaled(garment, scale) for garment in found], [scaled(face, scale) for face in faces]


def _faces(photo_id: str, seen: Found, finder: str, policy: ItemPolicy, ledger: Ledger) -> dict[str, Any]:
    """Return the row of a searched look in table ``faces``, and tell the ledger of each face."""
    found = [face for face in seen[2] if face.score >= policy.score_face]
    for face in found:
        evidence = {"box": [round(value, 1) for value in face.box], "score": round(face.score, 4), "finder": finder}
        key = item_id(photo_id, face.box).replace("i-", "face-", 1)
        ledger.kept(key, subject="face", parent_id=photo_id, evidence=evidence)
    boxes, scores = [list(face.box) for face in found], [face.score for face in found]
    return {"photo_id": photo_id, "boxes": boxes, "scores": scores, "finder": finder}


def _of_photo(
    photo: Mapping[str, Any],
    seen: Found | DecodeError,
    named: str | None,
    detector: str,
    policy: ItemPolicy,
    ledger: Ledger,
    stays: bool | None,
) -> list[dict[str, Any]]:
    photo_id = photo["photo_id"]
    if isinstance(seen, DecodeError):
        ledger.dropped(photo_id, seen.reason, evidence={"error": str(seen)})
        return []
    look, (size, found, _) = is_look(photo), seen
    kept, lost = garments(found, size, policy, look=look)
    evidence: dict[str, Any] = {"boxes": len(found), "score_line": policy.score_look if look else policy.score_retail}
    category: str | None = None
    if not look and kept:
        chosen, rule = the_product(kept, size, named, policy)
        evidence["rule"] = rule
        lost += [(detection, "not_the_product", {"rule": rule}) for detection in kept if detection is not chosen]
        kept = [chosen] if chosen else []
        category = named if chosen and named else None
    if stays is False:
        lost += [(detection, REASON, {}) for detection in kept]
        kept = []
    elif stays and not kept and found:
        kept = [the_product(found, size, None, policy)[0] or found[0]]
        lost = [each for each in lost if each[0] != kept[0]]
    elif stays and not kept and named:
        kept = [Detection((0.0, 0.0, float(size[0]), float(size[1])), named, 0.0)]
    elif stays and not kept:
        evidence["kept_by_reviewer"] = "but no box was found and no text names a garment"
    rows = [_row(photo, detection, size, policy, detector, category, look=look) for detection in kept]
    for row, detection in zip(rows, kept, strict=True):
        details = {"detected": detection.category, "score": round(detection.score, 4)}
        ledger.kept(row["item_id"], subject="item", parent_id=photo_id, evidence=details)
    for detection, reason, details in lost:
        box = padded(detection.box, size, policy.padding)
        facts = {"box": box, "category": detection.category, "score": round(detection.score, 4), **details}
        ledger.dropped(item_id(photo_id, box), reason, subject="item", parent_id=photo_id, evidence=facts)
    if rows:
        reason = REASON if stays else "ok"
        ledger.kept(photo_id, reason, evidence={**evidence, "items": [row["item_id"] for row in rows]})
    else:
        best = round(max((detection.score for detection in found), default=0.0), 4)
        reason = "product_not_shown" if "rule" in evidence else "no_garment"
        reason = REASON if stays is False else reason
        ledger.dropped(photo_id, reason, evidence={**evidence, "best_score": best})
    return rows


def scaled(detection: Detection, scale: tuple[float, float]) -> Detection:
    """Return a detection of a reduced picture in pixels of the full one."""
    x0, y0, x1, y1 = detection.box
    box = (x0 * scale[0], y0 * scale[1], x1 * scale[0], y1 * scale[1])
    return Detection(box, detection.category, detection.score, detection.categories)


Lost = tuple[Detection, str, dict[str, Any]]
"""A box that is no item: the detection, the reason code and the evidence."""


def garments(
    found: Sequence[Detection], size: tuple[int, int], policy: ItemPolicy, *, look: bool
) -> tuple[list[Detection], list[Lost]]:
    """Return one detection for each garment of a photo of ``size`` (width, height), and the boxes that are none."""
    line = policy.score_look if look else policy.score_retail
    above = [detection for detection in found if detection.score >= line]
    merged, twins = merge(above, policy.merge_iou, policy.merge_inside)
    lost: list[Lost] = [(twin, "merged", {"into": winner.box, "as": winner.category}) for twin, winner in twins]
    kept = []
    for detection in merged:
        x0, y0, x1, y1 = padded(detection.box, size, policy.padding)
        share = area(detection.box) / (size[0] * size[1])
        if min(x1 - x0, y1 - y0) < policy.minimum_side or share < policy.minimum_share:
            limits = {"minimum_side": policy.minimum_side, "minimum_share": policy.minimum_share}
            lost.append((detection, "too_small", limits))
        else:
            kept.append(detection)
    return kept, lost


def the_product(
    found: Sequence[Detection], size: tuple[int, int], named: str | None, policy: ItemPolicy
) -> tuple[Detection | None, str]:
    """Return the box that shows the product of a product photo and the rule that chose it.

    ``named`` is the category that the product's text names. A box whose class stands for it wins, then one of the same
    part of the body, then the largest and most central; None when the text names none of several prominent boxes.
    """

    def prominence(detection: Detection) -> float:
        return area(detection.box) * (0.5 + 0.5 * centrality(detection.box, size)) * (0.5 + 0.5 * detection.score)

    ordered = sorted(found, key=lambda detection: (-prominence(detection), detection.box))
    if named is None:
        return ordered[0], "prominent"
    if exact := [d for d in ordered if named in (d.category, *d.categories)]:
        return exact[0], "text"
    groups = _groups()
    if near := [d for d in ordered if groups.get(d.category) == groups.get(named)]:
        return near[0], "text_group"
    if len(ordered) > 1 and prominence(ordered[1]) >= policy.rival * prominence(ordered[0]):
        return None, "text_names_no_box"
    return ordered[0], "only_prominent"


def _row(
    photo: Mapping[str, Any],
    detection: Detection,
    size: tuple[int, int],
    policy: ItemPolicy,
    detector: str,
    category: str | None,
    *,
    look: bool,
) -> dict[str, Any]:
    box = padded(detection.box, size, policy.padding)
    return {
        "item_id": item_id(photo["photo_id"], box),
        "photo_id": photo["photo_id"],
        "look_id": photo["photo_id"] if look else None,
        "product_id": None if look else photo["product_id"],
        "box": list(box),
        "category": category or detection.category,
        "score": detection.score,
        "detector": detector,
        "crop_width": round(box[2] - box[0]),
        "crop_height": round(box[3] - box[1]),
        "touches_border": touches(detection.box, size, policy.border),
    }


def _named_categories(products: pa.Table) -> dict[str, str]:
    """Return product_id -> the category that its name, else its breadcrumbs, else its description names."""
    import taxonomy
    from taxonomy.matching import match

    loaded: Taxonomy = taxonomy.load()
    named = {}
    for product in products.select(["product_id", "name", "category_path", "description"]).to_pylist():
        texts = [product["name"], *reversed(product["category_path"] or []), product["description"]]
        for text in filter(None, texts):
            if category := match(text, loaded).category:
                named[product["product_id"]] = category
                break
    return named


def _groups() -> dict[str, str]:
    import taxonomy

    return {name: category.group for name, category in taxonomy.load().categories.items()}
