"""The shared cases and the project's own fixtures: markup in, right values out."""

import json
import os
from decimal import Decimal, InvalidOperation
from pathlib import Path

import pytest

from crawlers import readers

REPO = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LOOKBENCH_SHARED") or REPO.parent / "shared") / "cases" / "pages"
OWN = Path(__file__).parent / "pages"
NAMES = {
    "price": "price",
    "regular_price": "regularPrice",
    "price_low": "priceLow",
    "price_high": "priceHigh",
    "colour": "color",
    "group_id": "groupId",
    "colours": "colors",
    "images_by_colour": "imagesByColor",
}
NOT_READ = {"is_product", "category"}


def shared_cases():
    answers = SHARED / "answers.json"
    return sorted(json.loads(answers.read_text(encoding="utf-8")).items()) if answers.exists() else []


def value_of(product, key):
    if key == "brand":
        return (product.get("brand") or {}).get("name")
    if key == "breadcrumbs":
        return [step["name"] for step in product.get("breadcrumbs", [])]
    if key == "main_images":
        return [image["url"] for image in product.get("images", [])]
    if key == "main_image":
        return (product.get("mainImage") or {}).get("url")
    if key == "distinct_images":
        return len(product.get("images", []))
    if key == "variants_count":
        return len(product.get("variants", []))
    if key == "offer_urls":
        return [variant.get("url") for variant in product.get("variants", [])]
    return product.get(NAMES.get(key, key))


def same(key, wanted, got):
    if key in {"price", "regular_price", "price_low", "price_high"} and wanted is not None:
        try:
            return got is not None and Decimal(wanted) == Decimal(got)
        except InvalidOperation:
            return False
    return wanted == got


def wrong(expected, product):
    return {
        key: (wanted, value_of(product, key))
        for key, wanted in expected.items()
        if key not in NOT_READ and not same(key, wanted, value_of(product, key))
    }


def check(expected, document):
    if "products" in expected:
        found = [entry["product"] for entry in document["products"]]
        assert len(found) == len(expected["products"])
        assert [wrong(want, got) for want, got in zip(expected["products"], found, strict=True)] == [{}] * len(found)
    elif expected.get("is_product"):
        assert document["product"], document.get("reason")
        assert wrong(expected, document["product"]) == {}
        missing = [key for key in document["product"] if key != "url" and not document["evidence"].get(key)]
        assert missing == []
    else:
        assert document["product"] is None
        assert document["reason"]
        assert {key: document.get(key) for key in expected if key != "is_product"} == {
            key: value for key, value in expected.items() if key != "is_product"
        }


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
@pytest.mark.parametrize(("name", "case"), shared_cases(), ids=[name for name, _ in shared_cases()])
def test_shared_case(name, case):
    check(case["expected"], readers.document((SHARED / name).read_bytes(), case["url"], case["base_url"]))


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
def test_conflicts_and_broken_scripts_are_told():
    def read(name):
        case = dict(shared_cases())[name]
        return readers.read((SHARED / name).read_bytes(), case["url"], case["base_url"])

    assert "60" in read("11_auction_price_conflict.html").evidence["price"]
    assert len(read("20_broken_then_good_script.html").warnings) == 3
    assert any("broken" in warning for warning in read("17_unquoted_gtin.html").warnings)
    assert "gtin" not in read("17_unquoted_gtin.html").product


@pytest.mark.parametrize("folder", sorted(OWN.iterdir()) if OWN.exists() else [], ids=lambda path: path.name)
def test_own_case(folder):
    answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    page = next(path for path in folder.iterdir() if path.stem == "input")
    assert (folder / "reason.md").read_text(encoding="utf-8").strip()
    check(answer["expected"], readers.document(page.read_bytes(), answer["url"], answer.get("base_url")))
