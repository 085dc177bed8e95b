"""Labels to start from: what the shop's text says, and what the pixels show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from annotation import colour as colours_of
from catalog import tables
from catalog.decode import DecodeError, decode
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog, StoreError
from taxonomy.matching import match
from taxonomy.model import Taxonomy

Attributes = list[tuple[str, str]]


@dataclass(frozen=True)
class PrelabelPolicy:
    """How machine labels are made."""

    second_colour: float = 0.3
    """Share of the garment from which a second colour is written down."""
    decode_to: int = 256
    """Longest side, in pixels, of the reduced decode that colours are read from."""
    name: str = "lookbench text+colour 2"
    """Written as model_version of every label."""


@dataclass
class _Draft:
    """One item on its way to a label."""

    item: Mapping[str, Any]
    product: Mapping[str, Any] | None
    origin: str | None
    colours: list[colours_of.Colour] = field(default_factory=list)


def prelabel(
    items: pa.Table,
    products: pa.Table,
    photos: pa.Table,
    catalog: Catalog,
    taxonomy: Taxonomy,
    policy: PrelabelPolicy | None = None,
    *,
    edition: str,
    progress: Callable[[int, int], None] | None = None,
) -> StepResult:
    """Return one machine label per item: table ``labels``, a ledger of subject ``item`` and figures.

    The category is the text's, else the detector's. Attributes come from the product's name, colour, material,
    breadcrumbs and description, in this order; colours from the pixels where the text names none, the same for all
    items of a product (the mean over its retail photos). Items of looks and generated pictures with a product_id
    inherit its text. An item whose photo does not decode or that has no category of the taxonomy is dropped with its
    reason.
    """
    policy = policy or PrelabelPolicy()
    ledger = Ledger("prelabel", "item", edition)
    by_product = {row["product_id"]: row for row in products.to_pylist()}
    by_photo = {row["photo_id"]: row for row in photos.to_pylist()}
    rows = items.to_pylist()
    drafts = []
    for done, (item, pixels, scale) in enumerate(_with_pixels(rows, catalog, policy, ledger), 1):
        photo = by_photo.get(item["photo_id"], {})
        draft = _Draft(item, by_product.get(item["product_id"] or photo.get("product_id")), photo.get("origin"))
        draft.colours = colours_of.colours(pixels, [corner * scale for corner in item["box"]])
        drafts.append(draft)
        if progress:
            progress(done, len(rows))
    shared = _product_colours(drafts)
    texts = {product_id: read_text(row, taxonomy) for product_id, row in by_product.items()}
    labels: list[dict[str, Any]] = []
    figures: dict[str, int] = defaultdict(int)
    for draft in drafts:
        text = texts[draft.product["product_id"]] if draft.product else {}
        category, category_from = _category(draft, text, taxonomy)
        if category is None:
            ledger.dropped(
                draft.item["item_id"],
                "no_category",
                parent_id=draft.item["photo_id"],
                evidence={"detector": draft.item["category"]},
            )
            continue
        attributes = taxonomy.ordered(category, _merge(text, category, taxonomy))
        colour_from = "text"
        if not any(facet == "colour" for facet, _ in attributes):
            product_id = draft.product["product_id"] if draft.product else None
            seen = shared.get(product_id, draft.colours) if product_id else draft.colours
            names = colours_of.leading(seen, second=policy.second_colour)
            attributes = taxonomy.ordered(category, [*attributes, *(("colour", name) for name in names)])
            colour_from = "product pixels" if product_id in shared else "pixels"
        main = taxonomy.main_attribute(category, attributes)
        labels.append({
            "item_id": draft.item["item_id"], "category": category, "main_attribute": main,
            "attributes": [{"facet": facet, "value": value} for facet, value in attributes],
            "annotator": policy.name, "kind": "machine", "model_version": policy.name,
            "taxonomy_version": taxonomy.version,
        })  # fmt: skip
        ledger.kept(
            draft.item["item_id"],
            parent_id=draft.item["photo_id"],
            evidence={"category_from": category_from, "colour_from": colour_from, "attributes": len(attributes)},
        )
        figures[f"category_from/{category_from}"] += 1
        figures[f"colour_from/{colour_from}"] += 1
        figures["without_main_attribute"] += main is None
    return StepResult({"labels": tables.from_rows("labels", labels)}, ledger.table(), dict(sorted(figures.items())))


def read_text(product: Mapping[str, Any], taxonomy: Taxonomy) -> dict[str, str]:
    """Return the texts of a product that speak of its garment, the most telling first, and ``category`` if named."""
    path = product["category_path"] or []
    texts = {
        "name": product["name"] or "",
        "path": " , ".join(reversed(path)),
        "colour": product["colour"] or "",
        "material": product["material"] or "",
        "description": product["description"] or "",
    }
    # Breadcrumbs are read innermost first: "Women > Dresses > Shirt dresses" is about shirt dresses.
    for text in (texts["name"], *reversed(path), texts["description"]):
        if (found := match(text, taxonomy).category) is not None:
            return {"category": found, **texts}
    return texts


def _merge(text: Mapping[str, str], category: str, taxonomy: Taxonomy) -> Attributes:
    """Return what all texts say for ``category``; a single-choice facet keeps the first text's value."""
    found: Attributes = []
    for key in ("name", "colour", "material", "path", "description"):
        said = match(text.get(key, ""), taxonomy, category=category)
        have = {facet for facet, _ in found}
        # A description repeats and adds; what the name says of a facet stands.
        found += [pair for pair in said.attributes if pair[0] not in have]
    return found


def _category(draft: _Draft, text: Mapping[str, str], taxonomy: Taxonomy) -> tuple[str | None, str]:
    if "category" in text:
        return text["category"], "text"
    detected = draft.item["category"]
    return (detected, "detector") if detected in taxonomy.categories else (None, "none")


def _product_colours(drafts: Iterable[_Draft]) -> dict[str, list[colours_of.Colour]]:
    """Return the mean colour shares of each product over its retail items, the largest first."""
    shares: dict[str, list[list[colours_of.Colour]]] = defaultdict(list)
    for draft in drafts:
        if draft.product and draft.origin == "retail" and draft.colours:
            shares[draft.product["product_id"]].append(draft.colours)
    merged = {}
    for product_id, lists in shares.items():
        total: dict[str, float] = defaultdict(float)
        for colour in (colour for found in lists for colour in found):
            total[colour.name] += colour.share / len(lists)
        merged[product_id] = sorted(
            (colours_of.Colour(name, share) for name, share in total.items()), key=lambda c: (-c.share, c.name)
        )
    return merged


def _with_pixels(
    rows: Sequence[Mapping[str, Any]], catalog: Catalog, policy: PrelabelPolicy, ledger: Ledger
) -> Iterable[tuple[Mapping[str, Any], Any, float]]:
    """Yield (item, pixels, scale of its box), each photo decoded once; items without pixels go to the ledger."""
    by_photo: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_photo[row["photo_id"]].append(row)
    for photo_id, found in by_photo.items():
        try:
            picture = decode(catalog.get_image(photo_id), reduce_to=policy.decode_to)
        except (DecodeError, StoreError) as error:
            reason = error.reason if isinstance(error, DecodeError) else "missing_photo"
            for row in found:
                ledger.dropped(row["item_id"], reason, parent_id=photo_id, evidence={"error": str(error)})
            continue
        scale = picture.pixels.shape[1] / picture.width
        for row in found:
            yield row, picture.pixels, scale
