"""Records: everything that is known of one garment, joined from the tables of the catalog."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from catalog.ledger import Ledger

_KIND_RANK: Final = {"adjudicated": 0, "human": 1, "machine": 2}


@dataclass(frozen=True)
class Record:
    """One garment in one photo, with its label, its date and where it comes from."""

    item_id: str
    photo_id: str
    origin: str
    """retail, street or generated."""
    setting: str | None
    recipe: str | None
    """studio or street for generated pictures, else null."""
    seed_items: tuple[str, ...]
    seed_products: tuple[str, ...]
    product_id: str | None
    look_id: str | None
    box: tuple[float, float, float, float]
    score: float
    category: str
    main_attribute: str | None
    attributes: tuple[tuple[str, str], ...]
    """(facet, value) pairs, the main one included."""
    label_kind: str
    label_agreement: float | None
    date: datetime | None
    date_evidence: str | None
    first_seen: datetime | None
    published_at: datetime | None
    source_url: str | None
    site: str | None
    brand: str | None
    title: str | None
    licence: str | None
    generator: str | None

    @property
    def group(self) -> tuple[str, str] | None:
        """Category and main attribute: what Fine@K compares; None when there is no main attribute."""
        return (self.category, self.main_attribute) if self.main_attribute else None

    @property
    def words(self) -> frozenset[str]:
        """All attribute values, the main one included: what nDCG@K compares."""
        held = {value for _, value in self.attributes}
        return frozenset(held | {self.main_attribute} if self.main_attribute else held)


def rank(salt: str, key: str) -> str:
    """Return a stable pseudo-random sort key: the same on every machine, unrelated between salts."""
    return hashlib.sha256(f"{salt}\n{key}".encode()).hexdigest()


def join(
    items: pa.Table,
    photos: pa.Table,
    products: pa.Table,
    labels: pa.Table,
    decisions: pa.Table,
    generated: pa.Table,
    ledger: Ledger,
) -> list[Record]:
    """Join the tables into records; an item that lacks a part is dropped in the ledger with the reason.

    Reasons: ``photo_unknown``, ``photo_undecided``, ``photo_dropped``, ``unlabelled``. A missing date is not a reason:
    it is a fault of the edition, which a gate refuses as a whole.
    """
    photo_of = _by("photo_id", photos)
    product_of = _by("product_id", products)
    decision_of = _by("id", decisions)
    made_of = _by("photo_id", generated)
    label_of = {item_id: settle(rows) for item_id, rows in _groups("item_id", labels).items()}
    records = []
    for item in items.to_pylist():
        item_id, photo_id = item["item_id"], item["photo_id"]
        photo, decision, label = photo_of.get(photo_id), decision_of.get(photo_id), label_of.get(item_id)
        if photo is None:
            ledger.dropped(item_id, "photo_unknown", parent_id=photo_id)
        elif decision is None:
            ledger.dropped(item_id, "photo_undecided", parent_id=photo_id)
        elif not decision["kept"]:
            why = {key: decision[key] for key in ("reason", "matched_id", "matched_edition", "tier", "distance")}
            ledger.dropped(item_id, "photo_dropped", parent_id=photo_id, evidence=why)
        elif label is None or not label["category"]:
            ledger.dropped(item_id, "unlabelled", parent_id=photo_id)
        else:
            product = product_of.get(item["product_id"] or photo["product_id"])
            records.append(_record(item, photo, product, label, decision, made_of.get(photo_id)))
    return records


def settle(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Choose the label of one item: adjudicated before human before machine, then what most annotators say.

    A tie goes to the annotator whose name sorts first.
    """
    best = min(_KIND_RANK.get(row["kind"], 9) for row in rows)
    peers = sorted(
        (row for row in rows if _KIND_RANK.get(row["kind"], 9) == best), key=lambda row: str(row["annotator"])
    )
    votes = Counter((row["category"], row["main_attribute"]) for row in peers)
    return max(peers, key=lambda row: votes[row["category"], row["main_attribute"]])


def _record(
    item: Mapping[str, Any],
    photo: Mapping[str, Any],
    product: Mapping[str, Any] | None,
    label: Mapping[str, Any],
    decision: Mapping[str, Any],
    made: Mapping[str, Any] | None,
) -> Record:
    pairs = tuple((pair["facet"], pair["value"]) for pair in label["attributes"] or ())
    return Record(
        item_id=item["item_id"],
        photo_id=photo["photo_id"],
        origin=photo["origin"],
        setting=photo["setting"],
        recipe=made["recipe"] if made else None,
        seed_items=tuple(made["seed_item_ids"] or ()) if made else (),
        seed_products=tuple(made["seed_product_ids"] or ()) if made else (),
        product_id=item["product_id"] or photo["product_id"],
        look_id=item["look_id"],
        box=tuple(item["box"]),
        score=item["score"] or 0.0,
        category=label["category"],
        main_attribute=label["main_attribute"] or None,
        attributes=pairs,
        label_kind=label["kind"],
        label_agreement=label["agreement"],
        date=decision["date"],
        date_evidence=decision["date_evidence"],
        first_seen=photo["first_seen"],
        published_at=photo["published_at"],
        source_url=photo["source_url"],
        site=photo["site"],
        brand=product["brand"] if product else None,
        title=product["name"] if product else None,
        licence=photo["licence"],
        generator=f"{made['pipeline']}@{made['revision']}" if made else None,
    )


def _by(key: str, table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in table.to_pylist()}


def _groups(key: str, table: pa.Table) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in table.to_pylist():
        grouped[row[key]].append(row)
    return grouped


def by_product(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group records by product, both in a stable order; records without a product are left out."""
    grouped: dict[str, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.item_id):
        if record.product_id:
            grouped[record.product_id].append(record)
    return dict(sorted(grouped.items()))
