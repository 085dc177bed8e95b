"""Page objects of web-poet that know one shop better than the reader: the fields they give go before the reader's.

The site file names their module (``pages: shop_pages.py``, beside it); no other module is ever imported.
"""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from crawlers.errors import SiteError
from crawlers.readers.reading import Reading
from crawlers.sites import Site

_TEXT = """name price regularPrice priceLow priceHigh currency availability description color size material gender sku
mpn category groupId productId language publishedAt canonicalUrl"""
_NAMED = {"brand": "name", "mainImage": "url"}
_LISTS = {"images": "url", "breadcrumbs": "name"}


class Overrides:
    """The page objects of one site; none when its file names no module.

    Raises SiteError when the module cannot be imported or holds no page object under ``@handle_urls``.
    """

    def __init__(self, site: Site) -> None:
        self.pages: list[Any] = []
        if site.pages is None:
            return
        from tldextract import tldextract
        from url_matcher import URLMatcher
        from web_poet import default_registry

        # The list of suffixes that it carries: a crawl asks nobody for a newer one.
        tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())
        name = f"lookbench_pages_{site.name}"
        spec = importlib.util.spec_from_file_location(name, site.pages)
        if spec is None or spec.loader is None:
            raise SiteError(f"site {site.name!r}: pages: {site.pages} is no Python file")
        before = len(default_registry.get_rules())
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise SiteError(f"site {site.name!r}: pages: {site.pages} cannot be imported ({said})") from error
        rules = [rule for rule in default_registry.get_rules()[before:] if rule.use.__module__ == name]
        if not rules:
            raise SiteError(f"site {site.name!r}: pages: {site.pages} has no page object under @handle_urls")
        self.pages = [rule.use for rule in rules]
        self.matcher = URLMatcher({number: rule.for_patterns for number, rule in enumerate(rules)})

    def read(self, reading: Reading, body: bytes) -> tuple[Reading, str | None]:
        """Return a reading with the fields that the page object for its address gives, and why it gave none.

        Whatever a page object raises, the reading stays as it was: the page is not lost.
        """
        number = self.matcher.match(reading.url) if self.pages else None
        if number is None:
            return reading, None
        page = self.pages[number]
        try:
            return _merged(reading, _fields(page, reading.url, body), f"page object {page.__name__}"), None
        except Exception as error:  # noqa: BLE001 - code of a maintainer, which may fail in any way
            return reading, f"{page.__name__}: {type(error).__name__}: {error}"


def _fields(page: Any, url: str, body: bytes) -> dict[str, Any]:
    """Run a page object and return the fields it gives, as plain data."""
    from itemadapter import ItemAdapter
    from web_poet import HttpResponse

    running = page(response=HttpResponse(url, body=body)).to_item()
    try:
        running.send(None)
    except StopIteration as done:
        given = ItemAdapter(done.value).asdict()
    else:
        raise RuntimeError("it waits for something; a page object reads the page that it is given")
    finally:
        running.close()
    fields = {name: value for name, value in given.items() if value not in (None, "", [])}
    fields = {name: _plain(value) for name, value in fields.items() if name not in {"url", "metadata"}}
    for name, value in fields.items():
        _check(name, value)
    return fields


def _plain(value: Any) -> Any:
    """Return a value without the keys that say nothing."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items() if inner is not None}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _check(name: str, value: Any) -> None:
    if name in _TEXT.split():
        right, wanted = isinstance(value, str), "text"
    elif name in _NAMED:
        right, wanted = _has(value, _NAMED[name]), f"{{{_NAMED[name]!r}: text}}"
    elif name in _LISTS:
        right = isinstance(value, list) and all(_has(inner, _LISTS[name]) for inner in value)
        wanted = f"a list of {{{_LISTS[name]!r}: text}}"
    else:
        right, wanted = False, "a field that can be overridden"
    if not right:
        raise ValueError(f"field {name} is {value!r}, not {wanted}")


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(key), str)


def _merged(reading: Reading, fields: dict[str, Any], source: str) -> Reading:
    """Lay fields over a reading; a page that the reader found no product on becomes one when it is given a name."""
    if not fields or (reading.product is None and "name" not in fields):
        return reading
    if "images" in fields:
        fields.setdefault("mainImage", fields["images"][0])
    elif "mainImage" in fields:
        others = [image for image in (reading.product or {}).get("images", []) if image != fields["mainImage"]]
        fields["images"] = [fields["mainImage"], *others]
    product = {"url": reading.url, **(reading.product or {}), **fields}
    return replace(
        reading,
        product=product,
        evidence={**reading.evidence, **dict.fromkeys(fields, source)},
        reason=None,
        page_type="product",
        images=tuple(image["url"] for image in product.get("images", ())),
    )
