"""Machine labels from text and pixels."""

import pytest

import taxonomy
from annotation.prelabel import PrelabelPolicy, prelabel, read_text
from catalog import ids, tables
from catalog.ledger import balance

from .conftest import BOX, EDITION, NOW, Edition, picture

TAX = taxonomy.load()


def run(edition: Edition, **changes):
    given = {
        "items": edition.items, "products": edition.products, "photos": edition.photos, "catalog": edition.catalog,
        "taxonomy": TAX, "edition": EDITION, **changes,
    }  # fmt: skip
    result = prelabel(**given)
    balance(result.ledger, "item", given["items"]["item_id"].to_pylist(), "prelabel")
    return {row["item_id"]: row for row in result.tables["labels"].to_pylist()}, result


def pairs(row) -> list[tuple[str, str]]:
    return [(a["facet"], a["value"]) for a in row["attributes"]]


def test_text_gives_category_and_attributes_and_pixels_the_colour(edition: Edition) -> None:
    labels, result = run(edition)
    top, coat, skirt, jacket = (labels[item] for item in edition.ids)
    assert (top["category"], top["main_attribute"]) == ("top", "striped")
    assert {("neckline", "v-neck"), ("colour", "red"), ("type", "t-shirt")} <= set(pairs(top))
    assert {("colour", "navy"), ("material", "wool"), ("waistline", "belted waist")} <= set(pairs(coat))
    assert ("colour", "green") in pairs(skirt)
    # The detector said top; the shop's text knows better.
    assert (jacket["category"], jacket["main_attribute"]) == ("jacket", "denim jacket")
    assert {row["kind"] for row in labels.values()} == {"machine"}
    assert {row["taxonomy_version"] for row in labels.values()} == {TAX.version}
    assert result.figures["category_from/text"] == 4
    assert result.figures["without_main_attribute"] == 0


def test_every_label_is_one_the_taxonomy_allows(edition: Edition) -> None:
    labels, _ = run(edition)
    for row in labels.values():
        assert all(TAX.allows(row["category"], value) and TAX.facet_of[value] == facet for facet, value in pairs(row))
        assert row["main_attribute"] == TAX.main_attribute(row["category"], pairs(row))


def test_without_text_the_detector_names_the_category(edition: Edition) -> None:
    nameless = tables.from_rows("products", [{**row, "name": "Item 7"} for row in edition.products.to_pylist()])
    labels, result = run(edition, products=nameless)
    assert [labels[item]["category"] for item in edition.ids] == edition.items["category"].to_pylist()
    assert result.figures == {**result.figures, "category_from/detector": 4}
    assert labels[edition.ids[0]]["main_attribute"] == "red"


def test_items_of_looks_inherit_the_text_and_colour_of_their_product(edition: Edition) -> None:
    photo_id = edition.catalog.put_image(picture((20, 20, 20), 9))
    product_id = edition.products["product_id"][0].as_py()
    look = {"item_id": ids.item_id(photo_id, BOX), "photo_id": photo_id, "look_id": photo_id, "product_id": product_id,
            "box": BOX, "category": "top"}  # fmt: skip
    items = tables.from_rows("items", [*edition.items.to_pylist(), look])
    photos = tables.from_rows(
        "photos", [*edition.photos.to_pylist(), {"photo_id": photo_id, "origin": "street", "first_seen": NOW}]
    )
    labels, _ = run(edition, items=items, photos=photos)
    assert pairs(labels[look["item_id"]]) == pairs(labels[edition.ids[0]])


def test_an_item_of_a_look_without_product_has_its_own_colour_and_the_detectors_category(edition: Edition) -> None:
    photo_id = edition.catalog.put_image(picture((20, 20, 20), 9))
    look = {
        "item_id": ids.item_id(photo_id, BOX),
        "photo_id": photo_id,
        "look_id": photo_id,
        "box": BOX,
        "category": "hat",
    }
    photos = tables.from_rows("photos", [{"photo_id": photo_id, "origin": "street", "first_seen": NOW}])
    labels, _ = run(edition, items=tables.from_rows("items", [look]), photos=photos)
    assert (labels[look["item_id"]]["category"], pairs(labels[look["item_id"]])) == ("hat", [("colour", "black")])


def test_what_cannot_be_labelled_is_dropped_with_its_reason(edition: Edition) -> None:
    broken = edition.catalog.put_image(b"no image at all")
    strange = [
        {"item_id": "i-broken", "photo_id": broken, "box": BOX, "category": "top"},
        {"item_id": "i-lost", "photo_id": "f" * 64, "box": BOX, "category": "top"},
        {**edition.items.to_pylist()[0], "item_id": "i-odd", "product_id": None, "category": "spaceship"},
    ]
    photos = tables.from_rows("photos", [{**row, "product_id": None} for row in edition.photos.to_pylist()])
    labels, result = run(edition, items=tables.from_rows("items", strange), photos=photos)
    assert labels == {}
    reasons = {row["id"]: row["reason"] for row in result.ledger.to_pylist()}
    assert reasons == {"i-broken": "not_an_image", "i-lost": "missing_photo", "i-odd": "no_category"}


def test_the_same_inputs_give_the_same_tables(edition: Edition) -> None:
    first, second = run(edition)[1], run(edition)[1]
    assert tables.digest(first.tables["labels"]) == tables.digest(second.tables["labels"])
    assert tables.digest(first.ledger) == tables.digest(second.ledger)


PRODUCT = dict.fromkeys(("name", "category_path", "colour", "material", "description"))


@pytest.mark.parametrize(
    ("product", "category"),
    [
        ({"name": "Silk blouse", "category_path": ["Women", "Dresses"]}, "shirt"),
        ({"name": "Milano", "category_path": ["Women", "Dresses", "Shirt dresses"]}, "dress"),
        ({"name": "Milano", "category_path": ["Clothing", "Women"], "description": "A warm scarf of wool."}, "scarf"),
        ({"name": "Gift card"}, None),
        ({}, None),
    ],
)
def test_the_most_telling_text_names_the_category(product, category) -> None:
    assert read_text({**PRODUCT, **product}, TAX).get("category") == category


def test_the_name_stands_against_the_description(edition: Edition) -> None:
    rows = edition.products.to_pylist()
    rows[0].update(
        name="Red striped t-shirt", description="Also a floral blue favourite. Long sleeves.", material="100% cotton"
    )
    labels, _ = run(edition, products=tables.from_rows("products", rows))
    found = pairs(labels[edition.ids[0]])
    assert [value for facet, value in found if facet == "colour"] == ["red"]
    assert ("pattern", "striped") in found
    assert ("sleeve length", "long sleeve") in found
    assert ("material", "cotton") in found


def test_policy_names_the_model(edition: Edition) -> None:
    labels, _ = run(edition, policy=PrelabelPolicy(name="other 2"))
    assert {row["model_version"] for row in labels.values()} == {"other 2"}
