from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog.ledger import Ledger
from releases import harder
from releases.policy import ReleasePolicy
from releases.records import join
from releases.subsets import assemble

POLICY = ReleasePolicy(noise_near=0.999, noise_far=0.0)


def write_results(release, name, rows):
    """Write per-query results as the harness does: (query_id, subset, category, whether the first answer was right)."""
    folder = release / "baselines"
    folder.mkdir(parents=True, exist_ok=True)
    columns = dict(zip(("query_id", "subset", "category", "Item@1"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table({**columns, "tied": [False] * len(rows)}), folder / f"{name}.per_query.parquet")


def test_difficulty_is_the_share_of_reference_models_that_were_wrong(tmp_path):
    write_results(tmp_path, "a", [("q1", "s", "top", 1.0), ("q2", "s", "top", 0.0)])
    write_results(tmp_path, "b", [("q2", "s", "top", 0.0), ("q1", "s", "top", 0.0)])
    found = harder.difficulty(tmp_path)
    assert found.to_pydict() == {
        "sample_id": ["q1", "q2"], "subset": ["s", "s"], "category": ["top", "top"], "wrong": [0.5, 1.0],
    }  # fmt: skip


def test_a_release_without_results_has_no_difficulty_and_nothing_solved(tmp_path):
    assert harder.difficulty(tmp_path).num_rows == 0
    assert harder.solved(tmp_path, POLICY) == frozenset()
    assert harder.solved(None, POLICY) == frozenset()


def test_a_kind_is_solved_when_some_model_is_right_often_enough_on_enough_queries(tmp_path):
    rows = [(f"t{n}", "flat", "top", float(n < 9)) for n in range(10)]
    rows += [(f"s{n}", "flat", "shirt", float(n < 8)) for n in range(10)]
    rows += [(f"h{n}", "flat", "hat", 1.0) for n in range(4)]
    write_results(tmp_path, "good", rows)
    write_results(tmp_path, "bad", [(query, subset, category, 0.0) for query, subset, category, _ in rows])
    assert harder.solved(tmp_path, POLICY) == {("flat", "top")}
    assert harder.solved(tmp_path, replace(POLICY, harder_least=4)) == {("flat", "top"), ("flat", "hat")}
    assert harder.solved(tmp_path, replace(POLICY, harder_share=0.0)) == frozenset()


def assembled(made, solved):
    names = ("items", "photos", "products", "labels", "decisions", "generated")
    ledger = Ledger("assemble", "item", "2026.12")
    records = join(*(made.table(name) for name in names), ledger)
    prints = made.table("fingerprints")
    return assemble(records, prints, POLICY, edition="2026.12", ledger=ledger, solved=solved), ledger.table()


def test_a_share_of_the_queries_of_solved_kinds_is_made_harder_and_no_other(made):
    plain, _ = assembled(made, frozenset())
    assert not any(sample.variant for sample in plain.queries())
    cells = frozenset((sample.subset, sample.record.category) for sample in plain.queries() if "flat" in sample.subset)
    assembly, table = assembled(made, cells)
    changed = [sample for sample in assembly.queries() if sample.variant]
    flat = assembly.subsets["real_studio_flat"].query
    assert {sample.subset for sample in changed} == {"real_studio_flat"}
    assert abs(len(changed) - POLICY.harder_share * len(flat)) <= len(cells) / 2
    assert {sample.variant for sample in changed} <= set(harder.KINDS)
    assert [sample.sample_id for sample in assembly.queries()] == [sample.sample_id for sample in plain.queries()]
    told = dict(zip(table["id"].to_pylist(), table["evidence"].to_pylist(), strict=True))
    assert all(sample.variant in told[sample.record.item_id] for sample in changed)
    shown = [sample for split in assembly.subsets.values() for sample in split.gallery]
    assert not any(sample.variant for sample in shown)


def test_the_gallery_of_what_was_made_harder_holds_its_nearest_misses(made):
    plain, _ = assembled(made, frozenset())
    subset = "aigen_studio"
    cells = frozenset((subset, sample.record.category) for sample in plain.subsets[subset].query)
    assembly, _ = assembled(made, cells)
    prints = made.table("fingerprints")
    vectors = dict(zip(prints["id"].to_pylist(), np.asarray(prints["embedding"].to_pylist(), np.float32), strict=True))
    asked = np.stack([vectors[s.record.item_id] for s in assembly.subsets[subset].query if s.variant])
    near = {
        s.record.item_id: float((asked @ vectors[s.record.item_id]).max())
        for s in assembly.subsets["real_studio_flat"].gallery
    }
    queries = assembly.subsets[subset].query
    products = {s.record.product_id for s in queries}
    groups = {s.record.group for s in queries}
    before, after = (
        [s.record for s in made_.subsets[subset].gallery if s.record.product_id not in products]
        for made_ in (plain, assembly)
    )
    assert len(after) == len(before)
    free = sorted((r for r in near if r in {x.item_id for x in after}), key=lambda item_id: -near[item_id])
    others = [s.record for s in assembly.subsets["real_studio_flat"].gallery if s.record.product_id not in products]
    best = max((r for r in others if r.group not in groups), key=lambda r: near[r.item_id], default=None)
    assert best is None or best.item_id in free


def test_an_occluded_one_is_partly_grey_the_same_each_time_and_elsewhere_for_another():
    pixels = np.random.default_rng(0).integers(0, 100, (200, 120, 3), np.uint8)
    part = harder.hidden((120, 200), harder.OCCLUDED, "i-1")
    made = harder.alter(pixels, harder.OCCLUDED, part)
    grey = (made == harder.GREY).all(axis=2)
    assert abs(grey.mean() - harder.HIDDEN_AREA) < 0.01
    assert np.array_equal(made[~grey], pixels[~grey])
    assert part == harder.hidden((120, 200), harder.OCCLUDED, "i-1")
    assert part != harder.hidden((120, 200), harder.OCCLUDED, "i-2")


def test_a_small_one_is_small_and_keeps_its_shape():
    pixels = np.random.default_rng(0).integers(0, 100, (200, 120, 3), np.uint8)
    made = harder.alter(pixels, harder.SMALL, None)
    assert max(made.shape[:2]) == harder.SMALL_SIDE
    assert abs(made.shape[0] / made.shape[1] - 200 / 120) < 0.05
    tiny = pixels[:30, :20]
    assert np.array_equal(harder.alter(tiny, harder.SMALL, None), tiny)


def test_a_tight_one_is_the_middle():
    assert harder.box((10, 20, 110, 220), harder.TIGHT) == pytest.approx((30, 60, 90, 180))


def test_no_variant_changes_nothing():
    pixels = np.zeros((5, 4, 3), np.uint8)
    assert harder.alter(pixels, None, None) is pixels
    assert harder.hidden((4, 5), None, "i-1") is None
    assert harder.box((1, 2, 3, 4), None) == (1, 2, 3, 4)
