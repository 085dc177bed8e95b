"""The shop's HTML pages, from the templates beside this module."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from demo import markup
from demo.records import Catalogue, Look, Product
from demo.wording import slug

PER_PAGE = 12
_LICENCE_DRAWN = "Photos: demo pictures drawn by this project, CC0 1.0."
_LICENCE_REAL = "Photos: CC0 1.0, and pictures made from them. Looks are composed. Prices are invented."


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    templates = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["slug"] = slug
    return templates


def licence(catalogue: Catalogue) -> str:
    """The licence sentence in every footer."""
    return _LICENCE_REAL if catalogue.real else _LICENCE_DRAWN


def _render(catalogue: Catalogue, template: str, title: str, **values: Any) -> str:
    """A page: the layout's own values, over which `values` may put properties, JSON-LD and a canonical URL."""
    common: dict[str, Any] = {
        "title": title,
        "season": catalogue.season,
        "licence": licence(catalogue),
        "departments": list(catalogue.departments),
        "canonical": "",
        "properties": (),
        "json_ld": "",
        "text": "",
        "links": (),
    }
    return _templates().get_template(template).render({**common, **values})


def plain(catalogue: Catalogue, title: str, text: str, links: Sequence[tuple[str, str]] = ()) -> str:
    """A page of one paragraph and some links."""
    return _render(catalogue, "layout.html", title, text=text, links=links)


def home(catalogue: Catalogue, base: str) -> str:
    """Front page: a look, new arrivals, looks."""
    season = "Spring and summer" if catalogue.season == 1 else "Autumn and winter"
    newest = sorted(catalogue.products, key=lambda p: p.published, reverse=True)[:8]
    return _render(catalogue, "home.html", season, newest=newest, looks=catalogue.looks[:3], canonical=f"{base}/")


def collection(catalogue: Catalogue, name: str, products: Sequence[Product], number: int, base: str) -> str:
    """One page of a department, with links to the others."""
    path = f"/collections/{slug(name)}"
    return _render(
        catalogue,
        "collection.html",
        name,
        path=path,
        total=len(products),
        number=number,
        pages=max((len(products) + PER_PAGE - 1) // PER_PAGE, 1),
        products=products[(number - 1) * PER_PAGE : number * PER_PAGE],
        canonical=f"{base}{path}" + (f"?page={number}" if number > 1 else ""),
    )


def looks(catalogue: Catalogue, base: str) -> str:
    """All looks."""
    return _render(catalogue, "looks.html", "Looks", looks=catalogue.looks, canonical=f"{base}/looks")


def look(catalogue: Catalogue, item: Look, base: str) -> str:
    """A look: an article of one picture, with links to the products that it shows."""
    shown = [catalogue.by_handle[h] for h in item.products if h in catalogue.by_handle]
    return _render(
        catalogue,
        "look.html",
        item.title,
        look=item,
        products=shown,
        properties=markup.look_properties(item, base),
        json_ld=markup.script(markup.look_ld(item, base, [p.path for p in shown])),
        canonical=f"{base}{item.path}",
    )


def product(catalogue: Catalogue, item: Product, base: str) -> str:
    """A product page, marked up in the product's own shape."""
    data = markup.json_ld(item, base)
    also = catalogue.departments.get(item.department, [])
    at = sum(map(ord, item.handle)) % max(len(also), 1)  # other neighbours on each page, the same ones each time
    related = [p for p in (also + also)[at : at + min(len(also), 5)] if p.handle != item.handle][:4]
    return _render(
        catalogue,
        "product.html",
        item.title,
        item=item,
        micro=item.shape == "microdata",
        related=related,
        properties=markup.product_properties(item, base) if item.shape == "opengraph" else (),
        json_ld=markup.script(data) if data else "",
        canonical=f"{base}{item.path}",
    )


def app_shell(catalogue: Catalogue, item: Product, base: str) -> str:
    """A page of the script section: empty until the browser has fetched the record."""
    return _render(catalogue, "app.html", "Studio", item=item, canonical=f"{base}{item.path}")


def about(catalogue: Catalogue) -> str:
    """What this shop is."""
    text = (
        "Hawthorn & Loom is a demonstration: a small shop that exists to be crawled. Nothing here can be bought, and "
        f"brands and prices are invented. {licence(catalogue)} You may copy them without asking."
    )
    return plain(catalogue, "About this shop", text)
