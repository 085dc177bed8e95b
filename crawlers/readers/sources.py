"""All sources of one page, each asked once."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crawlers.readers import crumbs, gallery, jsonld, microdata, opengraph, pictures, schema
from crawlers.readers.outline import Outline
from crawlers.readers.outline import read as read_outline
from crawlers.readers.records import Claim
from crawlers.readers.texts import squeeze
from crawlers.readers.urls import absolute, canonical, places

_TITLE_PARTS = re.compile(r"\s+[|–—•·:]\s+|\s+-\s+|\.\s+(?=[A-Z])|\s*\|\s*")
# Elements that carry JSON in an attribute: data-product, data-gtm, data-mage-init.
_CARRIERS = "//body//*[@*[starts-with(name(), 'data-') and (starts-with(., '{') or starts-with(., '['))]]"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass
class Sources:
    """A parsed page and what its JSON-LD, microdata, head and outline hold."""

    root: Any
    url: str
    base: str
    item_source: str = "microdata"
    crumbs_source: str = "jsonld"
    head: opengraph.Head = field(init=False)
    graph: jsonld.Graph = field(init=False)
    items: microdata.Items = field(init=False)
    outline: Outline = field(init=False)
    scripts: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        scripts = [(script.get("type") or "", script.text or "") for script in self.root.iter("script")]
        self.head = opengraph.read(self.root)
        self.graph = jsonld.read([text for kind, text in scripts if jsonld.is_script(kind)], self.base)
        self.scripts = [(kind.casefold(), text) for kind, text in scripts if text and not jsonld.is_script(kind)]
        self.items = microdata.read(self.root)
        if not self.items.top and self.root.find(".//body//*[@typeof]") is not None:
            self.items, self.item_source = microdata.read_rdfa(self.root), "rdfa"
        self.outline = read_outline(self.root, self.base)

    @cached_property
    def states(self) -> list[tuple[str, str]]:
        """The scripts, and the JSON that elements about the page's own product carry in their ``data-`` attributes."""
        found = []
        for element in self.root.xpath(_CARRIERS)[:300]:
            if not self.outline.is_other(self._at(element)):
                values = (value.strip() for name, value in element.items() if name.startswith("data-"))
                found += [("application/json", value) for value in values if len(value) > 40 and value[0] in "{["]
        return [*self.scripts, *found]

    @cached_property
    def language(self) -> str | None:
        """The language tag that the page declares."""
        return squeeze(self.root.get("lang") or self.root.get(_LANG), 35)

    @cached_property
    def region(self) -> str | None:
        """The tags that settle which dollar or crown is meant, the surest last: locale, language, domain, path."""
        tags = [self.head.get("og:locale", "content-language"), self.language, *places(self.url)]
        return "-".join(tag for tag in tags if tag) or None

    @cached_property
    def og(self) -> Claim:
        """What OpenGraph says of the page."""
        return opengraph.claim(self.head, self.base, self.region)

    @cached_property
    def canonical(self) -> str | None:
        """The address that the page names as its own."""
        found = self.root.find(".//link[@rel='canonical']")
        named = absolute(found.get("href"), self.base) if found is not None else None
        return canonical(named) if named else None

    @cached_property
    def micro(self) -> tuple[list[Claim], list[Claim]]:
        """Products of microdata: the page's candidates, and those in regions about other products."""
        own: list[Claim] = []
        others: list[Claim] = []
        for node, element in self.items.top:
            if schema.types(node) & schema.PRODUCT_TYPES:
                at = self._at(element)
                inside = any(low <= at <= high for low, high, _ in self.outline.zones)
                (others if inside else own).append(schema.claim(node, self.base, self.item_source))
            elif "breadcrumblist" in schema.types(node) and not self.graph.crumbs:
                jsonld.add(self.graph, [microdata.unlisted(node)], self.base, self.item_source)
                self.crumbs_source = self.item_source
        return own, others

    @cached_property
    def own_images(self) -> list[gallery.Shown]:
        """The pictures outside navigation and regions about other products."""
        return gallery.own_images(self.outline)

    @cached_property
    def title(self) -> str | None:
        """The text of the title element."""
        found = self.root.find(".//title")
        return squeeze("".join(found.itertext()), 400) if found is not None else None

    @cached_property
    def names(self) -> list[str]:
        """Names that the page gives itself, best first: share title, first part of the title, whole title."""
        parts = [part for part in _TITLE_PARTS.split(self.title) if part] if self.title else []
        return list(dict.fromkeys(name for name in (self.og.name, *parts[:1], self.title) if name))

    @cached_property
    def hints(self) -> list[str]:
        """Names of the page and the first product of markup, which stands before the whole title."""
        first = next((claim.name for claim in [*self.graph.products, *self.micro[0]] if claim.name), None)
        names = [name for name in self.names if name != self.title]
        return list(dict.fromkeys(name for name in (*names, first, self.title) if name))

    @cached_property
    def shop_names(self) -> set[str]:
        """What the shop may be called, case folded: its name for sharing, and what ends the title."""
        parts = [part for part in _TITLE_PARTS.split(self.title) if part] if self.title else []
        return {name.casefold() for name in (self.head.get("og:site_name"), *parts[1:][-1:]) if name}

    @cached_property
    def trail(self) -> list[tuple[str, str | None, str]]:
        """Breadcrumbs as (name, address, source), outermost first."""
        if self.graph.crumbs:
            return [(name, url, self.crumbs_source) for name, url in self.graph.crumbs]
        return [(name, url, "visible") for name, url in crumbs.read(self.outline)]

    @cached_property
    def robots(self) -> tuple[str, ...]:
        """Rules of the robots meta elements, lower case."""
        values = [value for name in ("robots", "googlebot") for value in self.head.values.get(name, ())]
        rules = [rule.strip().casefold() for value in values for rule in value.split(",")]
        return tuple(dict.fromkeys(rule for rule in rules if rule))

    def loose_offer(self) -> Claim | None:
        """Return an offer that microdata marks outside any product, other products' left out."""
        for node, element in self.items.top:
            if schema.types(node) & {"offer", "aggregateoffer"} and not self.outline.is_other(self._at(element)):
                return schema.claim({"@type": "Product", "offers": node}, self.base, self.item_source)
        return None

    def loose_images(self) -> list[str]:
        """Return the pictures marked ``itemprop=image`` outside any item, other products' left out."""
        found = [
            absolute(value, self.base)
            for name, value, element in self.items.loose
            if name == "image" and not self.outline.is_other(self._at(element))
        ]
        return list(dict.fromkeys(url for url in found if url and not pictures.is_junk(url)))

    def share_images(self) -> list[str]:
        """Return OpenGraph's pictures unless they are all icons."""
        return self.og.images if any(not pictures.is_junk(url) for url in self.og.images) else []

    def _at(self, element: Any) -> int:
        return self.outline.spans.get(element, (0, 0))[0]
