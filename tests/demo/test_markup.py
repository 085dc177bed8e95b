"""Pages read back with extruct, which knows nothing of how they were made."""

from __future__ import annotations

import json
from typing import Any

import extruct
import pytest

from demo import markup, pages
from demo.records import SHAPES, Catalogue, Product

BASE = "http://shop.example"


def read(catalogue: Catalogue, product: Product) -> dict[str, Any]:
    html = pages.product(catalogue, product, BASE)
    found: dict[str, Any] = extruct.extract(html, BASE + product.path, syntaxes=["json-ld", "microdata", "opengraph"])
    return found


def of_shape(spring: Catalogue, autumn: Catalogue, shape: str) -> tuple[Catalogue, Product]:
    return next((c, p) for c in (spring, autumn) for p in c.products if p.shape == shape)


def urls(product: Product) -> list[str]:
    return [BASE + p.path for p in product.photos]


@pytest.mark.parametrize("shape", [s for s in SHAPES if s not in ("script", "visible")])
def test_each_shape_carries_name_price_and_pictures(spring: Catalogue, autumn: Catalogue, shape: str) -> None:
    catalogue, product = of_shape(spring, autumn, shape)
    found = read(catalogue, product)
    if shape == "microdata":
        data = found["microdata"][0]["properties"]
        offer = data["offers"]["properties"]
        images = data["image"] if isinstance(data["image"], list) else [data["image"]]
        assert [data["name"], offer["price"], offer["priceCurrency"]] == [product.title, product.price, "EUR"]
    elif shape == "opengraph":
        pairs = found["opengraph"][0]["properties"]
        tags = dict(reversed(pairs))
        images = [v for k, v in pairs if k == "og:image"]
        assert [tags["og:title"], tags["product:price:amount"]] == [product.title, product.price]
    else:
        data = found["json-ld"][0]
        item = next(n for n in data["@graph"] if n["@type"] == "Product") if "@graph" in data else data
        offers = item.get("offers") or item["hasVariant"][0]["offers"]
        offer = offers[0] if isinstance(offers, list) else offers
        images = item["image"]
        assert item["name"] == product.title
        assert offer.get("price", offer.get("lowPrice")) == markup.marked_price(product)
    assert images == urls(product)
    kinds = {k for k in ("json-ld", "microdata") if found[k]}
    assert kinds == ({"microdata"} if shape == "microdata" else set() if shape == "opengraph" else {"json-ld"})


def test_visible_page_has_no_markup_but_all_facts(spring: Catalogue, autumn: Catalogue) -> None:
    catalogue, product = of_shape(spring, autumn, "visible")
    found = read(catalogue, product)
    assert not found["json-ld"]
    assert not found["microdata"]
    html = pages.product(catalogue, product, BASE)
    assert f"€{product.price}" in html
    assert all(p.path in html for p in product.photos)


def test_script_page_is_empty_before_its_script_runs(spring: Catalogue, autumn: Catalogue) -> None:
    catalogue, product = of_shape(spring, autumn, "script")
    html = pages.app_shell(catalogue, product, BASE)
    assert product.title not in html
    assert product.price not in html
    assert product.photos[0].path not in html
    record = markup.app_record(product)
    assert record["title"] == product.title
    assert [p["src"] for p in record["photos"]] == [p.path for p in product.photos]


def test_stale_markup_shows_the_old_price_only_in_the_markup(spring: Catalogue) -> None:
    from dataclasses import replace

    sample = next(p for p in spring.products if p.shape == "offers-list")
    product = replace(sample, price="20.95", regular_price="29.95", stale_markup=True)
    data = markup.json_ld(product, BASE)
    assert data is not None
    assert {o["price"] for o in data["offers"]} == {"29.95"}
    assert "€20.95" in pages.product(spring, product, BASE)


def test_look_page_is_an_article_with_links_to_its_products(spring: Catalogue) -> None:
    look = spring.looks[0]
    html = pages.look(spring, look, BASE)
    found = extruct.extract(html, BASE + look.path, syntaxes=["json-ld", "opengraph"])
    data = found["json-ld"][0]
    assert data["@type"] == "Article"
    assert data["image"] == [BASE + look.photo.path]
    assert dict(found["opengraph"][0]["properties"])["og:type"] == "article"
    paths = [spring.by_handle[h].path for h in look.products]
    assert [m["url"] for m in data["mentions"]] == [BASE + p for p in paths]
    assert all(f'href="{p}"' in html for p in paths)


def test_script_text_cannot_end_its_element() -> None:
    text = markup.script({"name": "</script><b>"})
    assert text.count("</script>") == 1
    assert json.loads(text.split("\n", 1)[1].rsplit("\n", 1)[0]) == {"name": "</script><b>"}


def test_feed_has_shopify_s_shape_and_pages(spring: Catalogue) -> None:
    rows = [p for p in spring.products if p.department == markup.FEED_DEPARTMENT and p.shape != "script"]
    assert rows
    listed = [markup.feed(spring, BASE, 1, k)["products"][0] for k in range(1, len(rows) + 1)]
    assert [r["handle"] for r in listed] == [p.handle for p in rows]
    assert markup.feed(spring, BASE, 1, len(rows) + 1) == {"products": []}
    assert {v["price"] for v in listed[0]["variants"]} == {rows[0].price}
    assert [i["src"] for i in listed[0]["images"]] == urls(rows[0])
