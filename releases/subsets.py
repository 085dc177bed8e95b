"""From the records of an edition to its four subsets and the distractors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from catalog.ledger import Ledger
from releases import harder, holdout
from releases.holdout import Space
from releases.policy import ReleasePolicy
from releases.records import Record, by_product, rank
from releases.schema import NOISE, SUBSETS

_LOOKS = ("real_streetlook", "aigen_streetlook")


@dataclass(frozen=True)
class Sample:
    """One row of a release: a record in its place."""

    record: Record
    subset: str
    split: str
    sample_id: str
    number: str
    """The published ``item_ID``: the product's number in this subset."""
    band: str | None = None
    variant: str | None = None


@dataclass(frozen=True)
class Split:
    """Queries and gallery of one subset; the distractors have a gallery only."""

    query: tuple[Sample, ...] = ()
    gallery: tuple[Sample, ...] = ()


@dataclass(frozen=True)
class Assembly:
    """An edition, assembled."""

    edition: str
    subsets: Mapping[str, Split]
    """The four subsets in their published order, then ``noise``."""
    garments: Mapping[str, int] = field(default_factory=dict)
    """look_id -> garments found in that photo."""

    @property
    def noise(self) -> Split:
        """The distractors."""
        return self.subsets[NOISE]

    def queries(self) -> list[Sample]:
        """All queries, subset by subset."""
        return [sample for name in SUBSETS for sample in self.subsets[name].query]


@dataclass
class _Draft:
    """What assembling decides as it goes along."""

    ledger: Ledger
    queries: dict[str, list[Record]] = field(default_factory=lambda: {name: [] for name in SUBSETS})
    galleries: dict[str, list[Record]] = field(default_factory=lambda: {name: [] for name in SUBSETS})
    noise: list[tuple[Record, str]] = field(default_factory=list)
    variants: Mapping[str, str] = field(default_factory=dict)

    def drop(self, record: Record, reason: str, **evidence: object) -> None:
        self.ledger.dropped(record.item_id, reason, parent_id=record.photo_id, evidence=evidence or None)


def assemble(
    records: Sequence[Record],
    fingerprints: pa.Table,
    policy: ReleasePolicy,
    *,
    edition: str,
    ledger: Ledger,
    solved: frozenset[harder.Cell] = frozenset(),
) -> Assembly:
    """Give every record its place, or drop it in ``ledger`` with a reason; each item gets exactly one ledger row.

    Rules: a product with two photos or more gives one of them as a query of ``real_studio_flat`` and keeps the others
    in galleries; generated pictures and looks are queries and never gallery; a photo that is a query is in no gallery
    of any subset; a query stays only with another photo of its product and a gallery row of equal category and main
    attribute; distractors are whole label groups that no query has. ``fingerprints`` bands the distractors. A share
    of the queries of the kinds in ``solved`` is asked for in a harder form, among nearer products.

    Reasons: ``no_product``, ``unknown_origin``, ``no_main_attribute``, ``held_out``, ``mixed_labels``, ``extra_box``,
    ``extra_item``, ``not_a_seed``, ``no_product_photo``, ``no_positive``, ``too_near``, ``too_far``,
    ``no_fingerprint``.
    """
    draft = _Draft(ledger)
    shop, asked = _sort_by_origin(records, draft)
    products = by_product(shop)
    wanted = [group for group in (record.group for _, record in asked) if group]
    held = holdout.choose(
        products, wanted, share=policy.noise_share, ceiling=policy.noise_ceiling, salt=f"noise {edition}"
    )
    seeds = {seed for record in records for seed in record.seed_items}
    pool, distractors = _divide_shop(products, held, seeds, edition, draft)
    _choose_asked(asked, held, by_product(pool), draft)
    space = Space(fingerprints)
    draft.variants = harder.choose(draft.queries, solved, policy.harder_share, edition=edition)
    _fill_galleries(pool, policy, edition, draft, space)
    _choose_noise(distractors, space, policy, draft)
    garments = Counter(record.look_id for record in records if record.look_id)
    return _number(draft, edition, garments)


def _sort_by_origin(records: Sequence[Record], draft: _Draft) -> tuple[list[Record], list[tuple[str, Record]]]:
    """Split records into photos of products and (subset, record) candidates for queries."""
    shop, asked = [], []
    for record in sorted(records, key=lambda record: record.item_id):
        subset = {
            ("street", None): "real_streetlook",
            ("generated", "studio"): "aigen_studio",
            ("generated", "street"): "aigen_streetlook",
        }.get((record.origin, record.recipe))
        if subset is None and record.origin != "retail":
            draft.drop(record, "unknown_origin", origin=record.origin, recipe=record.recipe)
        elif record.product_id is None:
            draft.drop(record, "no_product")
        elif subset:
            asked.append((subset, record))
        else:
            shop.append(record)
    return shop, asked


def _divide_shop(
    products: Mapping[str, list[Record]], held: holdout.HoldOut, seeds: set[str], edition: str, draft: _Draft
) -> tuple[list[Record], list[Record]]:
    """Choose the ``real_studio_flat`` query of each product; return what is left for galleries, and the distractors."""
    pool: list[Record] = []
    distractors: list[Record] = []
    for key, records in products.items():
        if key in held.products:
            for record in records:
                if record.group in held.groups:
                    distractors.append(record)
                else:
                    draft.drop(record, "mixed_labels", product=key, group=record.group)
            continue
        query = _studio_query(records, held, seeds, edition)
        if query:
            draft.queries["real_studio_flat"].append(query)
        for record in records:
            if query and record.photo_id == query.photo_id:
                if record is not query:
                    draft.drop(record, "extra_item", query=query.item_id)
            else:
                pool.append(record)
    return pool, distractors


def _studio_query(records: Sequence[Record], held: holdout.HoldOut, seeds: set[str], edition: str) -> Record | None:
    """Return the garment of a product that asks for its other photos.

    A photo that seeded a generated picture goes first: as a query it is in no gallery, so no generated picture finds
    the very pixels it was made from. Then a stable hash decides.
    """
    if len({record.photo_id for record in records}) < 2:
        return None
    fit = [
        record
        for record in records
        if record.setting in {"flat", None} and record.group and record.group not in held.groups
    ]
    order = {record.item_id: (record.item_id not in seeds, rank(edition, record.item_id)) for record in fit}
    for record in sorted(fit, key=lambda record: order[record.item_id]):
        if any(other.photo_id != record.photo_id and other.group == record.group for other in records):
            return record
    return None


def _choose_asked(
    asked: Iterable[tuple[str, Record]], held: holdout.HoldOut, pool: Mapping[str, list[Record]], draft: _Draft
) -> None:
    """Keep the garments of looks and generated pictures that are good queries."""
    groups = {record.group for records in pool.values() for record in records}
    best: dict[str, Record] = {}
    for subset, record in asked:
        rival = best.get(record.photo_id, record)
        if subset == "aigen_studio" and record.product_id in record.seed_products and rival.score <= record.score:
            best[record.photo_id] = record
    for subset, record in asked:
        if record.origin == "generated" and record.product_id not in record.seed_products:
            draft.drop(record, "not_a_seed", product=record.product_id, seeds=list(record.seed_products))
        elif subset == "aigen_studio" and best[record.photo_id] is not record:
            draft.drop(record, "extra_box", query=best[record.photo_id].item_id)
        elif record.group is None:
            draft.drop(record, "no_main_attribute")
        elif record.group in held.groups or record.product_id in held.products:
            draft.drop(record, "held_out", group=record.group, product=record.product_id)
        elif record.product_id not in pool:
            draft.drop(record, "no_product_photo", product=record.product_id)
        elif record.group not in groups:
            draft.drop(record, "no_positive", group=record.group)
        else:
            draft.queries[subset].append(record)


def _fill_galleries(pool: Sequence[Record], policy: ReleasePolicy, edition: str, draft: _Draft, space: Space) -> None:
    """Give each subset the photos that answer its queries, then other products up to the wanted size.

    ``real_studio_flat`` takes every photo, so none is lost. Where queries were made harder, ``harder_share`` of the
    other products are those that look most like them.
    """
    ordered = sorted(pool, key=lambda record: rank(edition, record.item_id))
    for subset, queries in draft.queries.items():
        if subset == "real_studio_flat":
            draft.galleries[subset] = ordered
            continue
        products = {record.product_id for record in queries}
        answers = {record.group for record in queries}
        answers -= {record.group for record in ordered if record.product_id in products}
        chosen = {record.item_id for record in ordered if record.product_id in products or record.group in answers}
        room = max(0, round(policy.gallery_per_query * len(queries)) - len(chosen))
        others = [record for record in ordered if record.item_id not in chosen]
        made_harder = [record for record in queries if record.item_id in draft.variants]
        near = space.nearest(others, made_harder) if made_harder else {}
        misses = sorted(near, key=lambda item_id: -near[item_id])[: round(policy.harder_share * room)]
        chosen.update(misses)
        rest = [record.item_id for record in others if record.item_id not in chosen]
        chosen.update(rest[: room - len(misses)])
        draft.galleries[subset] = [record for record in ordered if record.item_id in chosen] if queries else []


def _choose_noise(distractors: Sequence[Record], space: Space, policy: ReleasePolicy, draft: _Draft) -> None:
    """Keep distractors that are neither too near to a query nor too far from all of them, with their band."""
    near = space.nearest(distractors, [record for records in draft.queries.values() for record in records])
    for record in distractors:
        cosine = near.get(record.item_id)
        if cosine is None:
            draft.drop(record, "no_fingerprint")
        elif cosine > policy.noise_near:
            draft.drop(record, "too_near", cosine=round(cosine, 4), threshold=policy.noise_near)
        elif cosine < policy.noise_far:
            draft.drop(record, "too_far", cosine=round(cosine, 4), threshold=policy.noise_far)
        else:
            draft.noise.append((record, holdout.band(cosine)))


def _number(draft: _Draft, edition: str, garments: Mapping[str, int]) -> Assembly:
    """Name every sample, number the products of each subset, and enter what was kept into the ledger."""
    subsets: dict[str, Split] = {}
    for subset in SUBSETS:
        queries = sorted(draft.queries[subset], key=lambda record: (record.look_id or "", record.item_id))
        gallery = draft.galleries[subset]
        ids = dict.fromkeys(record.product_id for record in [*queries, *gallery])
        numbers = {key: str(number) for number, key in enumerate(ids, start=1)}
        made = {
            split: tuple(
                _sample(
                    record,
                    edition,
                    subset,
                    split,
                    numbers[record.product_id],
                    variant=draft.variants.get(record.item_id) if split == "query" else None,
                )
                for record in records
            )
            for split, records in (("query", queries), ("gallery", gallery))
        }
        subsets[subset] = Split(**made)
    noise = sorted(draft.noise, key=lambda pair: rank(edition, pair[0].item_id))
    subsets[NOISE] = Split(
        gallery=tuple(
            _sample(record, edition, NOISE, "gallery", f"noise_{number}", band)
            for number, (record, band) in enumerate(noise, start=1)
        )
    )
    places: dict[str, list[Sample]] = {}
    for split in subsets.values():
        for sample in (*split.query, *split.gallery):
            places.setdefault(sample.record.item_id, []).append(sample)
    for key, samples in places.items():
        first = samples[0]
        draft.ledger.kept(
            key,
            NOISE if first.subset == NOISE else first.split,
            parent_id=first.record.photo_id,
            evidence={
                "samples": [sample.sample_id for sample in samples],
                **({"variant": first.variant} if first.variant else {}),
            },
        )
    return Assembly(edition, subsets, dict(garments))


def _sample(
    record: Record,
    edition: str,
    subset: str,
    split: str,
    number: str,
    band: str | None = None,
    variant: str | None = None,
) -> Sample:
    return Sample(record, subset, split, f"{edition}-{subset}-{split}-{record.item_id}", number, band, variant)
