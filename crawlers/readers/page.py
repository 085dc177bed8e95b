"""Reading a page: parse once, ask each source, decide what kind of page it is, merge."""

import re
from functools import cached_property
from typing import Any

from crawlers.readers import (
    choose,
    crumbs,
    gallery,
    jsonld,
    links,
    merge,
    microdata,
    opengraph,
    outline,
    pictures,
    schema,
    state,
    visible,
)
from crawlers.readers.reading import PageType, Reading
from crawlers.readers.records import Claim
from crawlers.readers.texts import alike, squeeze, words
from crawlers.readers.urls import absolute, canonical, distinct, page_key

MAX_BYTES = 16_000_000
_TITLE_PARTS = re.compile(r"\s+[|–—•·:]\s+|\s+-\s+|\.\s+(?=[A-Z])|\s*\|\s*")
_LOOK = frozenset("look looks outfit outfits lookbook ensemble inspiration stylebook styled streetstyle kombi".split())
LOOK = "look: a picture that shows several products"
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.IGNORECASE)


def parse(html: bytes | str) -> Any:
    """Return the lxml root of a page, or None when there is no markup in it; never raises for bad markup."""
    from lxml import etree

    text = html if isinstance(html, str) else _decoded(html[:MAX_BYTES])
    data = text[:MAX_BYTES].replace("\x00", "").encode("utf-8", "replace")
    if not data.strip():
        return None
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, recover=True, no_network=True
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _decoded(data: bytes) -> str:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    declared = _CHARSET.search(data[:4096])
    for name in (declared[1].decode("ascii", "replace") if declared else "", "utf-8", "cp1252"):
        try:
            return data.decode("utf-8" if name.casefold() in {"utf8", "x-user-defined"} else name or "utf-8")
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return data.decode("utf-8", "replace")


def read(html: bytes | str, url: str, base_url: str | None = None) -> Reading:
    """Read one page; ``url`` is its address and ``base_url`` the one that relative addresses are joined to (default: the same).

    Never raises for bad markup: a page without a product comes back with ``product`` None and a reason.
    """
    root = parse(html)
    if root is None:
        return Reading(None, reason="empty: the answer holds no markup", url=url)
    base = base_url or url
    if (declared := root.find(".//base[@href]")) is not None:
        base = absolute(declared.get("href"), base) or base
    return _Page(root, url, base).reading()


class _Page:
    def __init__(self, root: Any, url: str, base: str) -> None:
        self.root, self.url, self.base = root, url, base
        self.language = squeeze(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang"), 35)
        self.head = opengraph.read(root)
        self.og = opengraph.claim(self.head, base, self.region)
        found = root.find(".//link[@rel='canonical']")
        named = absolute(found.get("href"), base) if found is not None else None
        self.canonical = canonical(named) if named else None
        scripts = [(script.get("type") or "", script.text or "") for script in root.iter("script")]
        self.scripts = [(kind.casefold(), text) for kind, text in scripts if text and not jsonld.is_script(kind)]
        self.graph = jsonld.read([text for kind, text in scripts if jsonld.is_script(kind)], base)
        self.items = microdata.read(root)
        self.outline = outline.read(root, base)

    @property
    def region(self) -> str | None:
        return self.language or self.head.get("og:locale", "content-language")

    def hints(self, claims: list[Claim]) -> list[str]:
        page_title = self.root.find(".//title")
        text = squeeze("".join(page_title.itertext()), 400) if page_title is not None else None
        parts = [part for part in _TITLE_PARTS.split(text) if part] if text else []
        names = [self.og.name, *parts[:1], *[claim.name for claim in claims[:1]], text]
        return list(dict.fromkeys(name for name in names if name))

    def reading(self) -> Reading:
        micro, micro_others = self.micro_claims()
        hints = self.hints([*self.graph.products, *micro])
        outline.focus(self.outline, hints)
        names = tuple(dict.fromkeys([*([self.outline.title] if self.outline.title else []), *hints]))
        seen = visible.read(self.outline, self.region)
        urls = tuple(dict.fromkeys(found for found in (self.url, self.base, self.canonical, self.og.url) if found))
        context = choose.Context(urls, names, tuple(self.og.images), (seen.color,) if seen.color else ())
        claims = [claim for claim in (choose.own(self.graph.products, context), self.own_item(micro, context)) if claim]
        if not _complete(claims):
            graph, stated = state.read(self.scripts, self.base, list(names), self.region)
            inner = choose.own(graph.products, context)
            claims += [claim for claim in (inner, stated) if claim]
            self.graph.crumbs = self.graph.crumbs or graph.crumbs
        others = [*self.graph.others, *micro_others]
        kind, why = self.kind(claims, seen, others, micro)
        if kind != "product":
            return self.without_product(kind, why, others + ([] if claims else [*self.graph.products, *micro]))
        claims.append(self.og)
        offer = self.loose_offer()
        claims += [offer] if offer else []
        known = next((found for claim in claims if claim.source != "opengraph" and (found := claim.images)), [])
        loose = self.loose_images() if not known else []
        shown = gallery.read(self.outline, known or loose or ([] if pictures_junk(self.og.images) else self.og.images))
        if loose:
            claims.insert(0, Claim("microdata", images=loose))
        if not shown and not known:
            shown = gallery.read(self.outline, [])
        merged = merge.product(claims, seen, shown, self.trail, self.url)
        merged.put("canonicalUrl", self.canonical or self.og.url, "link" if self.canonical else "opengraph")
        merged.put("language", self.language, "html")
        merged.put("publishedAt", self.graph.published_at or self.head.get("article:published_time"), "jsonld")
        if "name" not in merged.product:
            return self.without_product("other", "no product: the page names nothing that is sold", others)
        stubs = [url for claim in claims for url in claim.stubs]
        linked = [*stubs, *links.products(self.outline, [])]
        return self.make(merged.product, merged.evidence, None, "product", linked)

    def micro_claims(self) -> tuple[list[Claim], list[Claim]]:
        own, others = [], []
        for node, element in self.items.top:
            if microdata.is_a(node, schema.PRODUCT_TYPES):
                claim = schema.claim(node, self.base, "microdata")
                at = self.outline.spans.get(element, (0, 0))[0]
                inside = any(low <= at <= high for low, high, _ in self.outline.zones)
                (others if inside else own).append(claim)
            elif microdata.is_a(node, {"breadcrumblist"}) and not self.graph.crumbs:
                jsonld.add(self.graph, [_unlisted(node)], self.base, "microdata")
                self.crumbs_source = "microdata"
        return own, others

    crumbs_source = "jsonld"

    def own_item(self, micro: list[Claim], context: choose.Context) -> Claim | None:
        claim = choose.own(micro, context)
        strong = [name for name in (self.outline.title, *(product.name for product in self.graph.products[:1])) if name]
        if claim and len(micro) > 1 and claim.name and strong and max(alike(claim.name, name) for name in strong) < 0.6:
            return None
        return claim

    def loose_offer(self) -> Claim | None:
        for node, element in self.items.top:
            if microdata.is_a(node, {"offer", "aggregateoffer"}) and not self.outline.is_other(
                self.outline.spans.get(element, (0, 0))[0]
            ):
                return schema.claim({"@type": "Product", "offers": node}, self.base, "microdata")
        return None

    def loose_images(self) -> list[str]:
        """Return the pictures marked ``itemprop=image`` outside any item, other products' left out."""
        found = []
        for name, value, element in self.items.loose:
            at = self.outline.spans.get(element, (0, 0))[0]
            if (
                name == "image"
                and not self.outline.is_other(at)
                and (url := absolute(value, self.base))
                and not pictures.is_junk(url)
            ):
                found.append(url)
        return list(dict.fromkeys(found))

    @cached_property
    def trail(self) -> list[tuple[str, str | None, str]]:
        if self.graph.crumbs:
            return [(name, url, self.crumbs_source) for name, url in self.graph.crumbs]
        return [(name, url, "visible") for name, url in crumbs.read(self.outline)]

    def kind(
        self, claims: list[Claim], seen: visible.Seen, others: list[Claim], micro: list[Claim]
    ) -> tuple[PageType, str]:
        """Return what kind of page this is and, for pages without a product, why."""
        kinds, og_type = self.graph.kinds, (self.head.get("og:type") or "").casefold()
        if any(claim.offers or claim.variants for claim in claims):
            named = max((alike(claim.name, self.outline.title or self.og.name) for claim in claims), default=0.0)
            if not (kinds & jsonld.ARTICLES and named < 0.6) and not (
                kinds & jsonld.LISTS and named < 0.6 and self.graph.listed_urls
            ):
                return "product", ""
        if kinds & jsonld.ARTICLES or (og_type == "article" and not seen.can_buy):
            look = self.is_look(links.products(self.outline, []), named_only=True)
            return ("look", LOOK) if look else ("article", "article: the page sells nothing itself")
        tiles = links.products(self.outline, [claim.url for claim in others if claim.url])
        if (
            self.graph.listed_urls
            or og_type in {"product.group", "og:product.group"}
            or kinds & jsonld.LISTS
            or len(micro) > 2
        ):
            return (
                ("look", LOOK)
                if self.is_look(tiles)
                else ("listing", "listing: a list of products")
            )
        if self.is_look(tiles):
            return "look", LOOK
        og_product = og_type in {"product", "og:product", "product.item"} or bool(self.og.prices())
        shows = seen.price is not None and seen.sure and self.outline.title_at >= 0
        if (og_product and (seen.price is not None or self.og.prices())) or (claims and shows):
            return "product", ""
        if shows and (
            seen.can_buy or seen.availability or (len(tiles) < 8 and gallery.read(self.outline, self.og.images))
        ):
            return "product", ""
        if len(tiles) >= 3:
            return "listing", "listing: a list of products"
        return "other", "no product: neither markup nor the visible page offers anything for sale"

    def is_look(self, tiles: list[str], *, named_only: bool = False) -> bool:
        if not 2 <= len(tiles) <= 20 or self.outline.title_at < 0:
            return False
        photos = self.look_images()
        if not photos or links.next_page(self.outline, self.root):
            return False
        named = words(page_key(self.url).partition("/")[2]) | words(self.outline.title)
        bare = sum(1 for link in outline.tile_links(self.outline) if link.pictured)
        return bool(named & _LOOK) or bool(not named_only and self.og.images and bare == 0 and len(photos) <= 2)

    def look_images(self) -> list[str]:
        shown = [entry for _, _, addresses in gallery.own_images(self.outline) for entry in addresses]
        ours = {pictures.key(url) for url in self.og.images}
        matching = [entry for entry in shown if entry.key in ours]
        return pictures.merge(matching or shown) or ([] if pictures_junk(self.og.images) else self.og.images[:1])

    def without_product(self, kind: PageType, why: str, others: list[Claim]) -> Reading:
        named = [claim.url for claim in others if claim.url]
        stated = [*self.graph.listed_urls, *named] if kind in {"listing", "look"} else named
        return self.make(None, {}, why, kind, links.products(self.outline, stated))

    def make(
        self,
        product: dict[str, Any] | None,
        evidence: dict[str, str],
        why: str | None,
        kind: PageType,
        linked: list[str],
    ) -> Reading:
        own = {page_key(self.url), page_key(self.canonical or self.url)}
        found = distinct([canonical(url) for url in linked])
        robots = [
            word.strip().casefold()
            for name in ("robots", "googlebot")
            for value in self.head.values.get(name, ())
            for word in value.split(",")
        ]
        return Reading(
            product=product,
            evidence=evidence,
            reason=why,
            page_type=kind,
            url=self.url,
            canonical_url=self.canonical or (canonical(self.og.url) if self.og.url else None),
            product_links=tuple(url for url in found if page_key(url) not in own),
            page_links=tuple(links.pages(self.outline)),
            next_url=links.next_page(self.outline, self.root) if kind != "product" else None,
            images=tuple(self.look_images())
            if kind == "look"
            else tuple(image["url"] for image in (product or {}).get("images", ())),
            breadcrumbs=tuple(name for name, _, _ in self.trail),
            title=self.outline.title,
            language=self.language,
            robots=tuple(dict.fromkeys(word for word in robots if word)),
            published_at=(product or {}).get("publishedAt") or self.graph.published_at,
            warnings=tuple(self.graph.warnings),
        )


def pictures_junk(urls: list[str]) -> bool:
    """Return whether all of the addresses are icons, or there is none."""
    return all(pictures.is_junk(url) for url in urls)


def _complete(claims: list[Claim]) -> bool:
    return any(claim.name and claim.prices() and claim.currency() and claim.images for claim in claims)


def _unlisted(node: dict[str, Any]) -> dict[str, Any]:
    """Return a microdata item with single values taken out of their lists."""

    def look(value: Any) -> Any:
        if isinstance(value, list):
            return look(value[0]) if len(value) == 1 else [look(entry) for entry in value]
        return {key: look(entry) for key, entry in value.items()} if isinstance(value, dict) else value

    return {
        key: ([look(entry) for entry in value] if key == "itemListElement" else look(value))
        for key, value in node.items()
    }
