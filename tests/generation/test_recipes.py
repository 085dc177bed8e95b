from collections import Counter

import pytest

from generation import recipes
from taxonomy import load

TAXONOMY = load()
KINDS = ("shirt", "top", "pants", "skirt", "dress", "jacket", "shoe", "bag", "hat")


def _seeds(count: int, kinds: tuple[str, ...] = KINDS) -> list[recipes.Seed]:
    rows = [
        {"item_id": f"i-{k:03d}", "photo_id": f"{k:064d}", "product_id": f"p-{k:03d}", "box": [0, 0, 300, 400],
         "category": kinds[k % len(kinds)]}
        for k in range(count)
    ]  # fmt: skip
    return [recipes.seed_of(row, TAXONOMY) for row in rows]


def test_plans_follow_from_their_arguments() -> None:
    seeds = _seeds(40)
    first = recipes.plan(seeds, studio=12, street=6, edition="2026.06", seed=1)
    assert first == recipes.plan(seeds[::-1], studio=12, street=6, edition="2026.06", seed=1)
    assert first != recipes.plan(seeds, studio=12, street=6, edition="2026.12", seed=1)
    assert first != recipes.plan(seeds, studio=12, street=6, edition="2026.06", seed=2)
    assert len({plan.id for plan in first}) == len({plan.seed for plan in first}) == 18


def test_a_product_has_one_studio_picture_and_kinds_take_turns() -> None:
    seeds = _seeds(40)
    seeds += [recipes.seed_of({**vars(one), "item_id": one.item_id + "x", "box": one.box}, TAXONOMY) for one in seeds]
    plans = recipes.plan(seeds, studio=100, street=0, edition="2026.06", seed=1)
    assert len(plans) == 40
    assert len({plan.seeds[0].product_id for plan in plans}) == 40
    assert {plan.seeds[0].category for plan in plans[: len(KINDS)]} == set(KINDS)


def test_looks_are_outfits_of_different_groups() -> None:
    plans = recipes.plan(_seeds(60), studio=0, street=15, edition="2026.06", seed=3)
    assert len(plans) == 15
    for plan in plans:
        groups = tuple(one.group for one in plan.seeds)
        assert groups in recipes.OUTFITS
        assert plan.scene in recipes.STREET
        assert len({one.product_id for one in plan.seeds}) == len(plan.seeds)
    uses = Counter(one.item_id for plan in plans for one in plan.seeds)
    assert max(uses.values()) <= 2


def test_looks_end_where_the_garments_do() -> None:
    assert recipes.plan(_seeds(6, ("shirt",)), studio=0, street=5, edition="e", seed=0) == []
    few = recipes.plan(_seeds(2, ("shirt", "pants")), studio=0, street=5, edition="e", seed=0)
    assert 1 <= len(few) <= 2


def test_another_garment_moves_few_studio_plans() -> None:
    before = recipes.plan(_seeds(30), studio=30, street=0, edition="e", seed=0)
    after = recipes.plan(_seeds(31), studio=31, street=0, edition="e", seed=0)
    assert {plan.seeds[0].item_id for plan in before} < {plan.seeds[0].item_id for plan in after}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Striped cotton shirt in navy. For work and weekends", "navy striped"),
        (None, ""),
        ("no garment words at all", ""),
    ],
)
def test_prompts_name_what_the_page_says_and_a_picture_shows(text: str | None, words: str) -> None:
    said = recipes.describe("shirt", text, TAXONOMY)
    assert said.endswith("shirt")
    assert said.startswith(words)
    assert "work" not in said
    scene = recipes.STUDIO[2]
    assert recipes.prompt("studio", scene, [said]) == f"product photo of a {said}, {scene.words}"


def test_an_unknown_category_is_an_accessory_and_keeps_its_word() -> None:
    row = {"item_id": "i", "photo_id": "p", "box": [0, 0, 9, 9], "category": "garment"}
    one = recipes.seed_of(row, TAXONOMY, "red cotton")
    assert (one.group, one.words, one.product_id) == ("accessory", "garment", None)


def test_pictures_of_one_photo_take_turns_through_the_scenes() -> None:
    one = _seeds(1)[0]
    plans = [recipes.single("studio", number, one, 7) for number in range(1, 9)]
    assert [plan.scene for plan in plans[:6]] == list(recipes.STUDIO)
    assert plans[6].scene == recipes.STUDIO[0]
    assert plans[6].seed != plans[0].seed
