from __future__ import annotations

from collections import Counter

import numpy as np

from demo import drawn
from demo.plan import outfits, shape_of, spread
from demo.records import SHAPES
from demo.shots import KINDS, Copy


def test_full_season_has_every_category_shape_and_looks() -> None:
    plan = drawn.plan(1, seed=0, products=120, looks=30)
    assert len(plan.entries) == 120
    assert len(plan.looks) == 30
    assert len({e.truth["category"] for e in plan.entries}) >= 20
    assert {e.product.shape for e in plan.entries} == set(SHAPES)
    assert all(2 <= len(e.pictures) <= 4 for e in plan.entries)
    assert all(3 <= len(item.products) <= 5 for item in plan.looks)
    assert len({e.product.handle for e in plan.entries}) == 120
    assert len({p.name for e in plan.entries for p in e.pictures}) == sum(len(e.pictures) for e in plan.entries)


def test_second_season_keeps_half_and_lists_old_pictures_again() -> None:
    one, two = (drawn.plan(season, seed=0, products=120, looks=30) for season in (1, 2))
    first, second = ({e.product.path: e for e in p.entries} for p in (one, two))
    kept = set(first) & set(second)
    assert len(second) == 120
    assert len(kept) == 60
    assert all(first[path] == second[path] for path in kept)
    gone = {e.product.handle for path, e in first.items() if path not in second}
    copies = [e for e in two.entries if "relists" in e.truth]
    assert len(copies) >= 12
    kinds = Counter(c["kind"] for e in copies for c in e.truth["copies"])
    assert set(kinds) == set(KINDS)
    assert all(e.truth["relists"] in gone for e in copies)
    assert all(isinstance(p, Copy) for e in copies for p in e.pictures)
    assert all(e.product.published >= "2026-09-01" for e in copies)
    assert len({item.handle for item in one.looks} & {item.handle for item in two.looks}) == 15


def test_looks_show_products_of_their_season() -> None:
    plan = drawn.plan(2, seed=1, products=120, looks=30)
    handles = {e.product.handle for e in plan.entries}
    assert all(set(item.products) <= handles for item in plan.looks)
    assert len({frozenset(item.products) for item in plan.looks}) == len(plan.looks)


def test_spread_follows_the_weights() -> None:
    names = spread({"a": 3, "b": 1}, 40)
    assert Counter(names) == {"a": 30, "b": 10}
    assert "b" in names[:4]


def test_outfits_leave_unusable_entries_out() -> None:
    entries = drawn.plan(1, seed=0, products=60, looks=0).entries
    pools = {"top": entries[:4], "bottom": entries[4:8], "shoe": entries[8:12], "bag": entries[12:16]}
    banned = entries[0]
    made = outfits(pools, 6, np.random.default_rng(0), lambda e: e is not banned)
    assert made
    assert all(banned not in outfit for outfit in made)
    assert not outfits({"top": entries[:4]}, 3, np.random.default_rng(0))


def test_shapes_all_come_up_early() -> None:
    assert {shape_of(k) for k in range(24)} == set(SHAPES)
