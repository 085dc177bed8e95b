"""The shop's HTML pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from demo import markup
from demo.records import Catalogue, Look, Photo, Product
from demo.wording import slug

PER_PAGE = 12
_NAME = "Hawthorn & Loom"
_LICENCE_DRAWN = "Photos: demo pictures drawn by this project, CC0 1.0."
_LICENCE_REAL = "Photos: CC0 1.0, and pictures made from them. Looks are composed. Prices are invented."


def departments(catalogue: Catalogue) -> dict[str, list[Product]]:
    """Products by department, in the order in which they first appear; "All" comes first."""
    found: dict[str, list[Product]] = {"All": list(catalogue.products)}
    for product in catalogue.products:
        found.setdefault(product.department, []).append(product)
    return found


def licence(catalogue: Catalogue) -> str:
    """The licence sentence in every footer."""
    return _LICENCE_REAL if catalogue.real else _LICENCE_DRAWN


def page(catalogue: Catalogue, title: str, body: str, *, head: str = "", canonical: str = "") -> str:
    """A whole page around a body."""
    links = "".join(f'<a href="/collections/{slug(name)}">{escape(name)}</a>' for name in departments(catalogue))
    link = f'<link rel="canonical" href="{escape(canonical)}">' if canonical else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} | {escape(_NAME)}</title>
{link}
<link rel="stylesheet" href="/assets/shop.css">
{head}
</head>
<body>
<div class="bar">Free delivery over &euro;60, and thirty days to change your mind</div>
<header>
<div class="top"><a class="logo" href="/">{escape(_NAME)}</a><div class="tools"><a href="/search">Search</a><a href="/cart">Basket</a></div></div>
<nav class="main">{links}<a href="/looks">Looks</a></nav>
</header>
<main>
{body}
</main>
<footer><div><p>{escape(_NAME)}, season {catalogue.season}.<br>{escape(licence(catalogue))}</p>
<p><a href="/about">About this shop</a><br><a href="/members/">Members&rsquo; preview</a><br><a href="/sitemap.xml">Sitemap</a></p></div></footer>
</body>
</html>
"""


def _money(amount: str) -> str:
    return f"&euro;{escape(amount)}"


def _price(product: Product, tag: str = "p") -> str:
    lead = "from " if product.shape == "aggregate-offer" else ""
    if product.regular_price:
        return f'<{tag} class="price sale">{lead}{_money(product.price)}<s>{_money(product.regular_price)}</s></{tag}>'
    return f'<{tag} class="price">{lead}{_money(product.price)}</{tag}>'


def _image(photo: Photo, *, lazy: bool = False, extra: str = "") -> str:
    load = ' loading="lazy"' if lazy else ""
    return f'<img src="{escape(photo.path)}" alt="{escape(photo.alt)}" width="{photo.width}" height="{photo.height}"{load}{extra}>'


def cards(products: Iterable[Product]) -> str:
    """A grid of product cards."""
    cells = [
        f'<a class="card" href="{escape(p.path)}">{_image(p.photos[0], lazy=True)}'
        f'<div class="name">{escape(p.title)}</div><div class="by">{escape(p.brand)}</div>{_price(p, "div")}</a>'
        for p in products
    ]
    return f'<div class="grid">{"".join(cells)}</div>'


def _look_cards(looks: Iterable[Look]) -> str:
    cells = [
        f'<a class="card" href="{escape(x.path)}">{_image(x.photo, lazy=True)}<div class="name">{escape(x.title)}</div></a>'
        for x in looks
    ]
    return f'<div class="grid looks">{"".join(cells)}</div>'


def home(catalogue: Catalogue, base: str) -> str:
    """Front page: a look, new arrivals, looks."""
    season = "Spring and summer" if catalogue.season == 1 else "Autumn and winter"
    newest = sorted(catalogue.products, key=lambda p: p.published, reverse=True)[:8]
    hero = ""
    if catalogue.looks:
        first = catalogue.looks[0]
        hero = (
            f'<section class="hero"><div><h1>{season}, made to be worn out</h1><p>Clothes for the street, the office and the sofa.'
            f'</p><p><a class="button" href="/collections/all">See everything</a></p></div><a href="{escape(first.path)}">{_image(first.photo)}</a></section>'
        )
    body = f"{hero}<h2>New arrivals</h2>{cards(newest)}<h2>Looks</h2>{_look_cards(catalogue.looks[:3])}"
    return page(catalogue, season, body, canonical=f"{base}/")


def collection(catalogue: Catalogue, name: str, products: Sequence[Product], number: int, base: str) -> str:
    """One page of a department, with links to the others."""
    pages = max((len(products) + PER_PAGE - 1) // PER_PAGE, 1)
    path = f"/collections/{slug(name)}"
    links = [
        f'<span class="here">{k}</span>' if k == number else f'<a href="{path}?page={k}">{k}</a>'
        for k in range(1, pages + 1)
    ]
    if number < pages:
        links.append(f'<a rel="next" href="{path}?page={number + 1}">Next</a>')
    if number > 1:
        links.insert(0, f'<a rel="prev" href="{path}?page={number - 1}">Back</a>')
    part = products[(number - 1) * PER_PAGE : number * PER_PAGE]
    body = (
        f'<nav class="crumbs"><span><a href="/">Home</a></span><span>{escape(name)}</span></nav><h1>{escape(name)}</h1>'
        f'<p class="muted">{len(products)} products. <a rel="nofollow" href="{path}?sort=price">Sort by price</a></p>'
        f'{cards(part)}<div class="pages">{"".join(links)}</div>'
    )
    canonical = f"{base}{path}" + (f"?page={number}" if number > 1 else "")
    return page(catalogue, name, body, canonical=canonical)


def looks(catalogue: Catalogue, base: str) -> str:
    """All looks."""
    return page(catalogue, "Looks", f"<h1>Looks</h1>{_look_cards(catalogue.looks)}", canonical=f"{base}/looks")


def look(catalogue: Catalogue, item: Look, base: str) -> str:
    """A look: one picture, and links to the products that it shows."""
    known = {p.handle: p for p in catalogue.products}
    shown = [known[h] for h in item.products if h in known]
    links = "".join(
        f'<li><a href="{escape(p.path)}">{_image(p.photos[0], lazy=True)}<span>{escape(p.title)}<br>{_price(p, "span")}</span></a></li>'
        for p in shown
    )
    note = '<p class="muted">This look is composed from cut-outs of separate photos.</p>' if item.composed else ""
    body = (
        f'<nav class="crumbs"><span><a href="/">Home</a></span><span><a href="/looks">Looks</a></span></nav>'
        f'<article class="look">{_image(item.photo)}<div><h1>{escape(item.title)}</h1><p>{escape(item.text)}</p>{note}'
        f'<h2>Shop the look</h2><ul class="shop-the-look">{links}</ul></div></article>'
    )
    tags = markup.og_tags([
        ("og:type", "article"), ("og:title", item.title), ("og:url", f"{base}{item.path}"), ("og:image", f"{base}{item.photo.path}"),
        ("article:published_time", f"{item.published}T08:00:00+00:00"), ("article:section", "Looks"),
    ])  # fmt: skip
    head = f"{tags}\n{markup.script(markup.look_ld(item, base))}"
    return page(catalogue, item.title, body, head=head, canonical=f"{base}{item.path}")


def about(catalogue: Catalogue, base: str) -> str:
    """What this shop is."""
    body = (
        "<h1>About this shop</h1><p>Hawthorn &amp; Loom is a demonstration: a small shop that exists to be crawled. Nothing here can be bought, "
        f"and brands and prices are invented.</p><p>{escape(licence(catalogue))} You may copy them without asking.</p>"
    )
    return page(catalogue, "About this shop", body, canonical=f"{base}/about")


def product(catalogue: Catalogue, item: Product, base: str) -> str:
    """A product page, marked up in the product's own shape."""
    head = ""
    data = markup.json_ld(item, base)
    if data:
        head = markup.script(data)
    elif item.shape == "opengraph":
        head = markup.og_tags(markup.product_og(item, base))
    micro = item.shape == "microdata"
    body = _product_body(item, base, micro=micro)
    also = [p for p in catalogue.products if p.department == item.department and p.handle != item.handle]
    at = sum(map(ord, item.handle)) % max(len(also), 1)
    related = f"<h2>You may also like</h2>{cards((also[at:] + also[:at])[:4])}" if also else ""
    return page(catalogue, item.title, body + related, head=head, canonical=f"{base}{item.path}")


def _product_body(item: Product, base: str, *, micro: bool) -> str:
    def prop(name: str) -> str:
        return f' itemprop="{name}"' if micro else ""

    scope = ' itemscope itemtype="https://schema.org/Product"' if micro else ""
    crumbs = "".join(f"<span>{escape(c)}</span>" for c in item.breadcrumbs)
    gallery = "".join(_image(p, extra=prop("image")) for p in item.photos)
    brand = f'<div class="brand"{prop("brand")}>{escape(item.brand)}</div>' if item.brand else ""
    price = _price(item)
    if micro:
        stock = "InStock" if item.available else "OutOfStock"
        was = f"<s>{_money(item.regular_price)}</s>" if item.regular_price else ""
        price = (
            f'<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="{item.currency}">'
            f'<p class="price">&euro;<span itemprop="price" content="{item.price}">{item.price}</span>{was}</p>'
            f'<link itemprop="availability" href="https://schema.org/{stock}"></div>'
        )
    codes = f'<meta itemprop="sku" content="{item.sku}"><meta itemprop="gtin13" content="{item.gtin}">' if micro else ""
    facets = {"Colour": "color", "Material": "material"}
    rows = "".join(
        f"<tr><th>{escape(k)}</th><td{prop(facets[k]) if k in facets else ''}>{escape(v)}</td></tr>"
        for k, v in item.details
    )
    sizes = "".join(f"<span>{escape(s)}</span>" for s in item.sizes)
    button = (
        '<button class="button">Add to basket</button>'
        if item.available
        else '<button class="button" disabled>Sold out</button>'
    )
    return (
        f'<nav class="crumbs" aria-label="Breadcrumb">{crumbs}</nav><div class="product"{scope}>{codes}<div class="gallery">{gallery}</div>'
        f'<div class="info">{brand}<h1{prop("name")}>{escape(item.title)}</h1>{price}<p class="description"{prop("description")}>{escape(item.description)}</p>'
        f'<div class="sizes">{sizes}</div>{button}<table class="details">{rows}<tr><th>Article</th><td>{item.sku}</td></tr></table></div></div>'
    )


def app_shell(catalogue: Catalogue, item: Product, base: str) -> str:
    """A page of the script section: empty until the browser has fetched the record."""
    body = f'<div id="root" data-handle="{escape(item.handle)}"><p class="muted">Loading&hellip;</p></div><script src="/assets/app.js" defer></script>'
    return page(catalogue, "Studio", body, canonical=f"{base}{item.path}")
