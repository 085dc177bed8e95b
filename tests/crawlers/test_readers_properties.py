"""Readers never raise, whatever bytes come in, and never give an address that is not absolute http(s)."""

import json
from urllib.parse import urlsplit

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawlers import readers

URL = "https://shop.example/p/1?x=1"
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIECES = st.sampled_from(
    [
        "<h1>Wool Coat</h1>",
        "<div class='price'>€",
        "1.299,00",
        "</div>",
        "<script type='application/ld+json'>",
        "</script>",
        '{"@type":"Product","name":"Wool Coat","offers":{"price":"12","priceCurrency":"EUR"},"image":',
        '["//x/a.jpg"]}',
        "{",
        "}]",
        "[[[[",
        "null",
        "<img src='javascript:alert(1)' srcset='data:a 1w, b.jpg 2w, ftp://x/c.jpg 3x'>",
        "<a href='/p/2'><img src=b.jpg></a>",
        "<base href='//[bad'>",
        "<div itemscope itemtype='http://schema.org/Product' itemref='a b'>",
        "<span itemprop=name id=a>",
        "<meta property=og:image content='file:///etc/passwd'>",
        "<meta property='og:price' content='₩32,900~'>",
        'self.__next_f.push([1,"2a:Tff,{"])',
        "<script>",
        "<svg><title>",
        "<select><option>",
        "\x00",
        "<link rel=canonical href='http://user:pw@host/'>",
        "&#xD800;",
        "<p style='display:none'>",
        "<del>€9</del>",
        "é".encode().decode("latin-1"),
        '{"products":[{"title":"a","handle":"b","variants":[{"price":"x"}],"images":[{"src":"data:1"}],"options":[1,{"name":2}]}]}',
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["Product", "http://x/y", "//a/b.jpg", "12,50"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@id",
                    "@graph",
                    "name",
                    "offers",
                    "price",
                    "image",
                    "url",
                    "brand",
                    "hasVariant",
                    "itemListElement",
                    "item",
                    "priceCurrency",
                    "availability",
                    "sku",
                    "gtin13",
                    "color",
                    "size",
                    "products",
                    "title",
                    "handle",
                    "variants",
                    "images",
                    "src",
                    "options",
                    "prices",
                    "permalink",
                    "priceSpecification",
                    "additionalProperty",
                    "isVariantOf",
                    "itemOffered",
                    "category",
                    "position",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


def addresses(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"url", "canonicalUrl", "next_url"} and isinstance(inner, str):
                yield inner
            else:
                yield from addresses(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from addresses(inner)


def check(document):
    json.dumps(document)
    for url in addresses(document):
        parts = urlsplit(url)
        assert parts.scheme in {"http", "https"}
        assert parts.hostname
        assert parts.username is None
    product = document.get("product")
    if product is not None:
        assert product["name"]
        assert set(document["evidence"]) == set(product) - {"url"}
    elif "products" not in document:
        assert document["reason"]


@FEW
@given(st.binary(max_size=600))
def test_any_bytes(data):
    check(readers.document(data, URL))


@FEW
@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_markup(text):
    check(readers.document(text.encode("utf-8", "replace"), URL))


@FEW
@given(JSON, st.booleans())
def test_any_json(value, bare):
    body = json.dumps(value)
    page = (
        body
        if bare
        else f"<html><h1>Product</h1><script type='application/ld+json'>{body}</script><script>window.x = {body};</script></html>"
    )
    check(readers.document(page.encode("utf-8", "replace"), URL))


@FEW
@given(st.binary(max_size=300), st.booleans())
def test_any_sitemap(data, packed):
    import gzip

    body = b"<urlset><url><loc>" + data + b"</loc></url></urlset>"
    check(readers.read_sitemap(gzip.compress(body) if packed else body, URL).document())


def test_deep_and_wide_pages_end():
    assert readers.read("<div>" * 30_000 + "<h1>Coat</h1>", URL).product is None
    assert readers.read('<script type="application/ld+json">' + "[" * 100_000 + "</script>", URL).product is None
    links = "".join(f'<a href="/q/{n}"><img src="/i/{n}.jpg"></a>' for n in range(4_000))
    assert len(readers.read(f"<h1>all</h1><div>{links}</div>", URL).product_links) == 4_000


def test_sitemap_entities_are_not_expanded():
    bomb = '<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>https://x.example/&b;</loc></url></urlset>'
    found = readers.read_sitemap(bomb, URL)
    assert all("aaaaaaaaaa" not in entry.url for entry in found.entries)
    local = '<!DOCTYPE u [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://x.example/&f;</loc></url></urlset>'
    assert all("root" not in entry.url for entry in readers.read_sitemap(local, URL).entries)


def test_gzip_bomb_is_refused(monkeypatch):
    import gzip

    from crawlers.readers import sitemaps

    monkeypatch.setattr(sitemaps, "MAX_BYTES", 100_000)
    assert "refused" in readers.read_sitemap(gzip.compress(b" " * 1_000_000), URL).reason


def test_reading_is_an_item_of_zyte_common_items():
    page = (
        '<h1>Coat</h1><script type="application/ld+json">{"@type":"Product","name":"Coat","image":"/a.jpg","offers":'
        '[{"price":"9.50","priceCurrency":"EUR","sku":"1"},{"price":"12.00","priceCurrency":"EUR","sku":"2"}]}</script>'
    )
    item = readers.read(page, URL).item()
    assert (item.name, item.price, item.currency, item.mainImage.url) == (
        "Coat",
        "9.50",
        "EUR",
        "https://shop.example/a.jpg",
    )
    assert [variant.price for variant in item.variants] == ["9.50", "12.00"]
