from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog import ids
from catalog.ledger import Ledger, balance
from releases import holdout
from releases.policy import ReleasePolicy
from releases.records import join, settle
from releases.schema import SUBSETS
from releases.subsets import Assembly, assemble

POLICY = ReleasePolicy(noise_near=0.999, noise_far=0.0)


def run(made, policy: ReleasePolicy = POLICY, edition: str = "2026.12") -> tuple[Assembly, pa.Table]:
    ledger = Ledger("assemble", "item", edition)
    names = ("items", "photos", "products", "labels", "decisions", "generated")
    records = join(*(made.table(name) for name in names), ledger)
    assembly = assemble(records, made.table("fingerprints"), policy, edition=edition, ledger=ledger)
    table = ledger.table()
    balance(table, "item", [row["item_id"] for row in made.rows["items"]], "test")
    return assembly, table


def hold_rules(assembly: Assembly) -> None:
    """Assert what must be true of every assembly."""
    samples = [s for split in assembly.subsets.values() for s in (*split.query, *split.gallery)]
    names = Counter(sample.sample_id for sample in samples)
    assert max(names.values(), default=1) == 1
    asked = {sample.record.photo_id for sample in assembly.queries()}
    shown = {s.record.photo_id for split in assembly.subsets.values() for s in split.gallery}
    assert not asked & shown
    noise = assembly.noise.gallery
    for name in SUBSETS:
        gallery = assembly.subsets[name].gallery
        groups, products = {s.record.group for s in gallery}, {s.record.product_id for s in gallery}
        for query in assembly.subsets[name].query:
            assert query.record.group is not None
            assert query.record.group in groups
            assert query.record.product_id in products
    assert not {s.record.group for s in assembly.queries()} & {s.record.group for s in noise}
    assert not {s.record.product_id for s in samples if s.subset != "noise"} & {s.record.product_id for s in noise}


def test_every_subset_is_made_and_every_item_is_accounted_for(made):
    assembly, table = run(made)
    hold_rules(assembly)
    for name in SUBSETS:
        assert assembly.subsets[name].query, name
        assert assembly.subsets[name].gallery, name
    assert assembly.noise.gallery
    reasons = Counter(table.filter(pa.compute.equal(table["outcome"], "kept"))["reason"].to_pylist())
    assert set(reasons) == {"query", "gallery", "noise"}


def test_the_share_of_distractors_lies_between_the_lines(made):
    assembly, _ = run(made)
    held = {sample.record.product_id for sample in assembly.noise.gallery}
    assert 0.15 <= len(held) / len(made.rows["products"]) <= 0.25


def test_a_seed_photo_is_the_query_of_its_product_and_in_no_gallery(made):
    assembly, _ = run(made)
    photos = {row["item_id"]: row["photo_id"] for row in made.rows["items"]}
    count = Counter(row["product_id"] for row in made.rows["photos"] if row["origin"] == "retail")
    shown = {s.record.photo_id for s in assembly.subsets["aigen_studio"].gallery}
    seeds = [s.record for s in assembly.subsets["aigen_studio"].query if count[s.record.product_id] > 1]
    assert seeds
    assert not {photos[seed] for record in seeds for seed in record.seed_items} & shown


def test_positives_of_a_product_are_all_its_other_photos(made):
    assembly, _ = run(made)
    photos = defaultdict(set)
    for row in made.rows["photos"]:
        if row["origin"] == "retail":
            photos[row["product_id"]].add(row["photo_id"])
    split = assembly.subsets["real_studio_flat"]
    found = defaultdict(set)
    for sample in split.gallery:
        found[sample.record.product_id].add(sample.record.photo_id)
    for query in split.query:
        assert found[query.record.product_id] == photos[query.record.product_id] - {query.record.photo_id}


def test_numbers_restart_in_each_subset_and_tie_queries_to_their_product(made):
    assembly, _ = run(made)
    for name in SUBSETS:
        split = assembly.subsets[name]
        product = {s.number: s.record.product_id for s in split.gallery}
        assert {int(number) for number in product} | {int(s.number) for s in split.query} == set(
            range(1, len(product) + 1)
        )
        assert all(product[query.number] == query.record.product_id for query in split.query)
    assert assembly.noise.gallery[0].number == "noise_1"


def test_same_input_same_assembly_in_any_order(made):
    first, _ = run(made)
    shuffled = type(made)({name: list(reversed(rows)) for name, rows in made.rows.items()})
    second, _ = run(shuffled)
    assert first.subsets == second.subsets


def test_distractors_too_near_and_too_far_go_to_the_ledger(made):
    _, table = run(made, replace(POLICY, noise_near=0.5, noise_far=0.0))
    rows = [row for row in table.to_pylist() if row["reason"] == "too_near"]
    assert rows
    assert '"threshold": 0.5' in rows[0]["evidence"]
    _, table = run(made, replace(POLICY, noise_far=0.99))
    assert "too_far" in table["reason"].to_pylist()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows["decisions"][0].update(kept=False, reason="duplicate"), "photo_dropped"),
        (lambda rows: rows["decisions"].pop(0), "photo_undecided"),
        (lambda rows: rows["photos"].pop(0), "photo_unknown"),
        (lambda rows: rows["labels"].pop(0), "unlabelled"),
        (
            lambda rows: [rows["items"][0].update(product_id=None), rows["photos"][0].update(product_id=None)],
            "no_product",
        ),
        (lambda rows: rows["photos"][0].update(origin="unheard"), "unknown_origin"),
    ],
)
def test_what_is_missing_is_dropped_with_its_reason(made, change, reason):
    copy = type(made)({name: [dict(row) for row in rows] for name, rows in made.rows.items()})
    change(copy.rows)
    assembly, table = run(copy)
    hold_rules(assembly)
    first = next(row for row in table.to_pylist() if row["id"] == copy.rows["items"][0]["item_id"])
    assert (first["outcome"], first["reason"]) == ("dropped", reason)


def test_a_box_of_a_generated_picture_that_is_no_seed_is_dropped(made):
    copy = type(made)({name: [dict(row) for row in rows] for name, rows in made.rows.items()})
    one = next(row for row in copy.rows["items"] if row["photo_id"] == copy.rows["generated"][0]["photo_id"])
    one["product_id"] = next(
        row["product_id"]
        for row in copy.rows["products"]
        if row["product_id"] not in copy.rows["generated"][0]["seed_product_ids"]
    )
    _, table = run(copy)
    assert next(row["reason"] for row in table.to_pylist() if row["id"] == one["item_id"]) == "not_a_seed"


def test_settle_prefers_people_and_the_majority():
    def row(annotator: str, kind: str, value: str) -> dict[str, object]:
        return {"annotator": annotator, "kind": kind, "category": "dress", "main_attribute": value}

    rows = [row("m", "machine", "a"), row("x", "human", "b"), row("y", "human", "c"), row("z", "human", "c")]
    assert settle(rows)["main_attribute"] == "c"
    assert settle([*rows, row("q", "adjudicated", "d")])["main_attribute"] == "d"
    assert settle(rows[:3])["main_attribute"] == "b"


def test_nearest_equals_a_plain_loop():
    rng = np.random.default_rng(0)
    a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (rng.normal(size=(n, 8)) for n in (9, 5)))
    a, b = a.astype(np.float32), b.astype(np.float32)
    plain = [max(sum(float(x) * float(y) for x, y in zip(p, q, strict=True)) for q in b) for p in a]
    assert np.allclose(holdout.nearest(a, b, block=4), plain, atol=1e-6)


@pytest.mark.parametrize(
    ("cosine", "name"), [(-0.2, "0.00-0.10"), (0.6, "0.60-0.70"), (0.69, "0.60-0.70"), (1.0, "0.90-1.00")]
)
def test_band(cosine, name):
    assert holdout.band(cosine) == name


VALUES = ("plain", "striped", "dotted", None)


@st.composite
def editions(draw, maker_of):
    """Draw an odd edition: labels that disagree inside a product, looks of unknown garments, several items a photo."""
    counter = iter(range(10_000))
    maker = maker_of(lambda _: ids.sha256(str(next(counter)).encode()))
    shop = []
    for number in range(draw(st.integers(0, 7))):
        product_id = f"p-{number}"
        category = draw(st.sampled_from(["dress", "bag"]))
        item_ids = []
        for _ in range(draw(st.integers(1, 3))):
            photo_id = maker.photo(b"", product_id=product_id, setting=draw(st.sampled_from(["flat", "model", None])))
            for box in range(draw(st.integers(1, 2))):
                group = (category, draw(st.sampled_from(VALUES)))
                item_ids.append(maker.item(photo_id, group, (box, 0.0, 9.0, 9.0), product_id=product_id))
        shop.append((item_ids[0], product_id))
    for _ in range(draw(st.integers(0, 4))):
        worn = draw(st.lists(st.sampled_from([*shop, ("i-x", None)]), max_size=3))
        look = maker.photo(b"", origin="street", setting="street")
        for box, (_, product_id) in enumerate(worn):
            maker.item(
                look,
                ("dress", draw(st.sampled_from(VALUES))),
                (box, 1.0, 9.0, 9.0),
                product_id=product_id,
                look_id=look,
            )
    for _ in range(draw(st.integers(0, 4)) if shop else 0):
        recipe = draw(st.sampled_from(["studio", "street"]))
        seeds = draw(st.lists(st.sampled_from(shop), min_size=1, max_size=2))
        group = ("bag", draw(st.sampled_from(VALUES[:2])))
        maker.generated(0, recipe, [(seed, product_id, group) for seed, product_id in seeds])
    return maker.made


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), edition=st.sampled_from(["2026.06", "2026.12"]))
def test_rules_hold_for_any_edition(data, edition, maker_of):
    made = data.draw(editions(maker_of))
    hold_rules(run(made, replace(POLICY, noise_share=0.5, noise_ceiling=0.7), edition)[0])
