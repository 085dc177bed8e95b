"""Reading a page: parse once, ask each source, decide what kind of page it is, merge."""

from typing import Any

from crawlers.readers import choose, currencies, gallery, kinds, links, markup, merge, prices, state, visible, zones
from crawlers.readers.reading import PageType, Reading
from crawlers.readers.records import Claim, Offer
from crawlers.readers.sources import Sources
from crawlers.readers.texts import alike
from crawlers.readers.urls import absolute, canonical, distinct, page_key


def read(html: bytes | str, url: str, base_url: str | None = None) -> Reading:
    """Read one page; ``base_url`` is what relative addresses are joined to (default: ``url``, its address).

    Never raises for bad markup: a page without a product comes back with ``product`` None and a reason.
    """
    root = markup.parse(html)
    if root is None:
        return Reading(None, reason="empty: the answer holds no markup", url=url)
    if not url.startswith(("http://", "https://")):
        url = _stated_address(root) or url
    base = base_url or url
    if (declared := root.find(".//base[@href]")) is not None:
        base = absolute(declared.get("href"), base) or base
    page = Sources(root, url, base)
    zones.focus(page.outline, page.hints)
    seen = visible.read(page.outline, page.region)
    claims = _own(page, seen)
    kind = kinds.decide(page, claims, seen)
    if kind != "product":
        candidates = [] if claims else [*page.graph.products, *page.micro[0]]
        return _without_product(page, kind, candidates)
    currencies.settle(claims, seen.currency, page.region)
    merged = _merged(page, claims, seen)
    if "name" not in merged.product:
        return _without_product(page, "other", [])
    stubs = [stub for claim in claims for stub in claim.stubs]
    return _reading(page, kind, [*stubs, *links.products(page.outline, [])], merged)


def _stated_address(root: Any) -> str | None:
    """Return the address that a page names as its own, for pages read from a file."""
    found = root.xpath("//link[@rel='canonical']/@href | //meta[@property='og:url']/@content")
    return next((address for value in found if (address := absolute(str(value), ""))), None)


def _own(page: Sources, seen: visible.Seen) -> list[Claim]:
    """Return the claims about the page's own product, in order of trust."""
    names = dict.fromkeys(([page.outline.title] if page.outline.title else []) + page.names)
    urls = dict.fromkeys(url for url in (page.url, page.base, page.canonical, page.og.url) if url)
    colors = (seen.color,) if seen.color else ()
    context = choose.Context(tuple(urls), tuple(names), tuple(page.og.images), colors)
    products = [claim for claim in page.graph.products if not _is_shop(page, claim)]
    claims = [claim for claim in (choose.own(products, context), _own_item(page, context)) if claim]
    if not any(claim.name and claim.prices() and claim.currency() and claim.images for claim in claims):
        graph, stated = state.read(page.states, page.base, list(names), page.region, page.url)
        claims += [claim for claim in (choose.own(graph.products, context), stated) if claim]
        page.graph.crumbs = page.graph.crumbs or graph.crumbs
    return claims


def _is_shop(page: Sources, claim: Claim) -> bool:
    """Return whether a "product" for which nothing is asked bears the shop's name and not the page's."""
    if claim.offers or claim.variants or not claim.name or alike(claim.name, page.outline.title) >= 0.6:
        return False
    return claim.name.casefold() in page.shop_names


def _own_item(page: Sources, context: choose.Context) -> Claim | None:
    """Return the page's product in microdata; one of several items must bear the page's name."""
    micro = page.micro[0]
    claim = choose.own(micro, context)
    names = [page.outline.title, page.og.name, *(product.name for product in page.graph.products[:1])]
    if claim and len(micro) > 1 and claim.name and any(names) and max(alike(claim.name, name) for name in names) < 0.6:
        return None
    return claim


def _merged(page: Sources, claims: list[Claim], seen: visible.Seen) -> merge.Merged:
    offer = page.loose_offer()
    stated = [*claims, page.og, *([offer] if offer else [])]
    if not any(claim.currency() for claim in stated):
        code = state.currency(page.states, page.region) or (
            None if seen.currency else visible.currency(page.outline, page.region)
        )
        if code and (seen.currency is None or prices.share_sign(code, seen.currency)):
            stated.append(Claim("state", offers=[Offer(currency=code)]))
    known = next((claim.images for claim in claims if claim.images), [])
    if not known and (shots := state.gallery(page.states, page.base)):
        stated.insert(len(claims), Claim("state", images=shots))
        known = shots
    loose = page.loose_images() if not known else []
    if loose:
        stated.insert(0, Claim(page.item_source, images=loose))
    shown = gallery.read(page.outline, page.own_images, known or loose or page.share_images())
    if not shown and not known:
        shown = gallery.read(page.outline, page.own_images, [])
    merged = merge.product(stated, seen, shown, page.trail, page.url)
    merged.put("canonicalUrl", page.canonical or page.og.url, "link" if page.canonical else "opengraph")
    merged.put("language", page.language, "html")
    merged.put("publishedAt", page.graph.published_at, "jsonld")
    merged.put("publishedAt", page.head.get("article:published_time"), "opengraph")
    return merged


def _without_product(page: Sources, kind: PageType, candidates: list[Claim]) -> Reading:
    others = [*page.graph.others, *page.micro[1], *candidates]
    named = [claim.url for claim in others if claim.url]
    stated = [*page.graph.listed_urls, *named] if kind in {"listing", "look"} else named
    return _reading(page, kind, links.products(page.outline, stated), None)


def _reading(page: Sources, kind: PageType, linked: list[str], merged: merge.Merged | None) -> Reading:
    own = {page_key(page.url), page_key(page.canonical or page.url)}
    product: dict[str, Any] | None = merged.product if merged else None
    images = [image["url"] for image in product.get("images", ())] if product else kinds.look_images(page)
    return Reading(
        product=product,
        evidence=merged.evidence if merged else {},
        reason=None if product else kinds.REASONS[kind],
        page_type=kind,
        url=page.url,
        canonical_url=page.canonical or (canonical(page.og.url) if page.og.url else None),
        product_links=tuple(url for url in distinct([canonical(url) for url in linked]) if page_key(url) not in own),
        page_links=tuple(links.pages(page.outline)),
        next_url=None if product else links.next_page(page.outline, page.root),
        images=tuple(images),
        breadcrumbs=tuple(name for name, _, _ in page.trail),
        title=page.outline.title,
        language=page.language,
        robots=page.robots,
        published_at=(product or {}).get("publishedAt") or page.graph.published_at,
        warnings=tuple(page.graph.warnings),
    )
