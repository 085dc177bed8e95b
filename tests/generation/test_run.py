import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("cv2")
pytest.importorskip("diffusers")

from catalog import decode, ids, ledger, tables
from catalog.store import Catalog
from generation import pipelines, run
from generation.backdrops import PEOPLE_FREE
from generation.pipelines import Painting

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
SMALL = run.GenerationPolicy(studio=3, street=1, steps=2, width=128, height=160, reserve=1.0)
COLOURS = [(30, 50, 120), (180, 40, 40), (40, 110, 70), (90, 60, 130)]


class Studio:
    """A pipeline that answers a plain grey backdrop and the verdict it is told to."""

    name, revision, licence, scheduler, paints_around = "diffusers:grey", "0" * 64, "apache-2.0", "None", False

    def __init__(self, safe: bool | None = True) -> None:
        self.safe = safe

    def paint(self, requests, *, steps):
        return [
            Painting(np.full((*r.garments.shape[:2], 3), 0.7, np.float32), f"verdict {self.safe}", self.safe)
            for r in requests
        ]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "catalog")


@pytest.fixture
def seeds(catalog: Catalog, drawn: Callable[..., tuple[np.ndarray, np.ndarray]]) -> pa.Table:
    """Four shirts and trousers that can be cut out, and one shirt that cannot."""
    rows = []
    for k, colour in enumerate([*COLOURS, (205, 190, 170)]):
        shape = "pants" if k % 2 else "shirt"
        photo_id = catalog.put_image(decode.encode_png(drawn(shape, colour, seed=k)[0]))
        box = [10.0, 15.0, 230.0, 305.0]
        rows.append({"item_id": ids.item_id(photo_id, box), "photo_id": photo_id, "product_id": f"p-{k}", "box": box,
                     "category": shape, "touches_border": False})  # fmt: skip
    return tables.from_rows("items", rows)


def _generate(seeds: pa.Table, catalog: Catalog, pipeline=None, policy=SMALL, **more):
    return run.generate(seeds, catalog, pipeline or Studio(), policy, edition="2026.06", seed=1, now=NOW, **more)


def test_pictures_carry_their_provenance(seeds: pa.Table, catalog: Catalog) -> None:
    result = _generate(seeds, catalog)
    items = {row["item_id"]: row for row in seeds.to_pylist()}
    photos = {row["photo_id"]: row for row in result.tables["photos"].to_pylist()}
    generated = result.tables["generated"].to_pylist()
    assert [row["recipe"] for row in generated] == ["studio"] * 3 + ["street"]
    for row in generated:
        picture = decode.decode(catalog.get_image(row["photo_id"]))
        assert (picture.width, picture.height) == (128, 160)
        photo = photos[row["photo_id"]]
        assert (photo["origin"], photo["first_seen"], photo["product_id"]) == ("generated", NOW, None)
        assert photo["setting"] == ("street" if row["recipe"] == "street" else "flat")
        assert [items[i]["product_id"] for i in row["seed_item_ids"]] == row["seed_product_ids"] == photo["shows"]
        assert len(row["seed_boxes"]) == len(row["seed_item_ids"]) == (2 if row["recipe"] == "street" else 1)
        assert (row["pipeline"], row["revision"], row["licence"]) == ("diffusers:grey", "0" * 64, "apache-2.0")
        assert (row["steps"], row["scheduler"], row["created_at"]) == (2, "None", NOW)
        assert row["prompt"]
        assert row["negative_prompt"]
        assert row["safety_verdict"] == "verdict True"
        assert row["identity_score"] is None


def test_each_seed_is_where_its_box_says(seeds: pa.Table, catalog: Catalog) -> None:
    colour = {row["item_id"]: COLOURS[k] for k, row in enumerate(seeds.to_pylist()[:4])}
    for row in _generate(seeds, catalog).tables["generated"].to_pylist():
        pixels = decode.decode(catalog.get_image(row["photo_id"])).pixels
        for item, box in zip(row["seed_item_ids"], row["seed_boxes"], strict=True):
            x0, y0, x1, y1 = (round(value) for value in box)
            near = np.abs(pixels[y0:y1, x0:x1].astype(int) - colour[item]).max(axis=2) < 40
            assert near.mean() > 0.3
            assert not (np.abs(pixels[:, : max(x0 - 3, 0)].astype(int) - colour[item]).max(axis=2) < 25).any()


def test_every_plan_is_in_the_ledger_once(seeds: pa.Table, catalog: Catalog) -> None:
    plans = run.planned(seeds, SMALL, edition="2026.06", seed=1)
    result = _generate(seeds, catalog)
    ledger.balance(result.ledger, "seed", [plan.id for plan in plans], "generate")
    rows = result.ledger.to_pylist()
    faint = seeds["item_id"].to_pylist()[4]
    (failed,) = [row for row in rows if row["reason"] == "cutout_failed" and row["id"].startswith("studio")]
    assert failed["id"].endswith(faint)
    assert json.loads(failed["evidence"])[faint]["reason"]
    assert {row["reason"] for row in rows} <= {"ok", "cutout_failed", "not_needed"}
    assert result.figures["made"] == {"studio": 3, "street": 1}


def test_reserves_stand_in_for_what_fails(seeds: pa.Table, catalog: Catalog) -> None:
    policy = run.GenerationPolicy(studio=4, street=0, steps=2, width=128, height=160, reserve=0.25)
    result = _generate(seeds, catalog, policy=policy)
    assert result.tables["photos"].num_rows == 4
    assert sorted(result.ledger["reason"].to_pylist()) == ["cutout_failed", *["ok"] * 4]


def test_the_same_inputs_give_the_same_bytes(
    seeds: pa.Table, catalog: Catalog, tmp_path: Path, backdrop_folder: Path
) -> None:
    pipeline = pipelines.open(f"diffusers:{backdrop_folder}")
    first = _generate(seeds, catalog, pipeline)
    again = _generate(seeds.slice(0), catalog, pipelines.open(f"diffusers:{backdrop_folder}"))
    assert first.tables["generated"].equals(again.tables["generated"])
    assert first.tables["photos"].equals(again.tables["photos"])
    assert first.ledger.equals(again.ledger)
    assert first.tables["generated"]["safety_verdict"][0].as_py() == PEOPLE_FREE
    other = run.generate(seeds, catalog, pipeline, SMALL, edition="2026.06", seed=2, now=NOW)
    assert not set(other.tables["photos"]["photo_id"].to_pylist()) & set(first.tables["photos"]["photo_id"].to_pylist())


def test_refused_pictures_are_dropped_with_the_verdict(seeds: pa.Table, catalog: Catalog) -> None:
    for safe, reason in ((False, "safety"), (None, "safety_unchecked")):
        result = _generate(seeds, catalog, Studio(safe))
        assert result.tables["photos"].num_rows == 0
        dropped = [row for row in result.ledger.to_pylist() if row["reason"] == reason]
        assert dropped
        assert json.loads(dropped[0]["evidence"])["verdict"] == f"verdict {safe}"


def test_unchecked_pictures_stay_when_asked_for(seeds: pa.Table, catalog: Catalog) -> None:
    policy = run.GenerationPolicy(studio=2, street=0, steps=2, width=128, height=160, keep_unchecked=True)
    assert _generate(seeds, catalog, Studio(None), policy).tables["photos"].num_rows == 2


def test_a_gate_of_ones_own_has_the_last_word(seeds: pa.Table, catalog: Catalog) -> None:
    result = _generate(seeds, catalog, gate=lambda pixels: (False, "gate says no"))
    assert set(result.ledger["reason"].to_pylist()) <= {"safety", "cutout_failed"}
    result = _generate(seeds, catalog, Studio(None), gate=lambda pixels: (True, "gate says yes"))
    assert result.tables["generated"]["safety_verdict"][0].as_py() == "verdict None; gate says yes"


def test_photos_that_show_a_person_seed_nothing(seeds: pa.Table, catalog: Catalog) -> None:
    rows = [
        {"photo_id": photo, "setting": "model" if k < 3 else "flat", "licence": "CC0-1.0"}
        for k, photo in enumerate(seeds["photo_id"].to_pylist())
    ]
    photos = tables.from_rows("photos", rows)
    plans = run.planned(seeds, SMALL, edition="2026.06", seed=1, photos=photos)
    worn = set(seeds["photo_id"].to_pylist()[:3])
    assert plans
    assert not worn & {one.photo_id for plan in plans for one in plan.seeds}
    made = _generate(seeds, catalog, photos=photos).tables["photos"].to_pylist()
    assert {row["licence"] for row in made} == {"CC0-1.0"}


def test_prompts_take_their_words_from_the_product(seeds: pa.Table, catalog: Catalog) -> None:
    products = tables.from_rows("products", [{"product_id": "p-0", "name": "Striped linen shirt", "colour": "navy"}])
    plans = run.planned(seeds, SMALL, edition="2026.06", seed=1, products=products)
    (prompt,) = [p.prompt for p in plans if p.recipe == "studio" and p.seeds[0].product_id == "p-0"]
    assert prompt.startswith("product photo of a navy")
    assert "striped" in prompt
    assert "linen" in prompt


def test_small_and_ownerless_items_seed_nothing(seeds: pa.Table) -> None:
    rows = seeds.to_pylist()
    rows[0]["product_id"] = None
    rows[1]["box"] = [0.0, 0.0, 90.0, 300.0]
    plans = run.planned(tables.from_rows("items", rows), SMALL, edition="2026.06", seed=1)
    assert not {rows[0]["item_id"], rows[1]["item_id"]} & {one.item_id for plan in plans for one in plan.seeds}


def test_progress_is_told(seeds: pa.Table, catalog: Catalog) -> None:
    told = []
    _generate(seeds, catalog, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("recipe", ["studio", "street"])
def test_one_photo_gives_as_many_pictures_as_asked(drawn, recipe: str) -> None:
    data = decode.encode_png(drawn("shirt", (30, 50, 120))[0])
    made = run.from_image(data, Studio(), recipe=recipe, count=3, seed=5, now=NOW, policy=SMALL)
    files = run.files(made)
    provenance = json.loads(files.pop("provenance.json"))
    assert list(files) == [f"{recipe}-000{k}.jpg" for k in (1, 2, 3)]
    for name, picture in files.items():
        row = provenance[name]
        assert row["photo_id"] == ids.sha256(picture)
        assert row["recipe"] == recipe
        assert row["created_at"] == NOW.isoformat()
    assert len(set(files.values())) == 3
    assert all(b"compositeWithTrainedAlgorithmicMedia" in picture for picture in files.values())


def test_a_photo_without_a_garment_is_one_clear_sentence() -> None:
    data = decode.encode_png(np.full((300, 240, 3), 180, np.uint8))
    with pytest.raises(run.GenerationError, match="no picture could be made: cutout_failed"):
        run.from_image(data, Studio(), recipe="studio", count=2, seed=5, now=NOW, policy=SMALL)
