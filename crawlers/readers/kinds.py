"""What kind of page this is: product, listing, article, look or other."""

from crawlers.readers import gallery, jsonld, links, pictures, zones
from crawlers.readers.reading import PageType
from crawlers.readers.records import Claim
from crawlers.readers.sources import Sources
from crawlers.readers.texts import alike, words
from crawlers.readers.urls import path_of
from crawlers.readers.visible import Seen
from crawlers.readers.vocabulary import LOOKS

REASONS: dict[PageType, str] = {
    "product": "",
    "listing": "listing: a list of products",
    "article": "article: the page sells nothing itself",
    "look": "look: a picture that shows several products",
    "other": "no product: neither markup nor the visible page offers anything for sale",
}


def decide(page: Sources, claims: list[Claim], seen: Seen) -> PageType:
    """Return the kind of a page; ``claims`` are those of its own product, ``seen`` what it shows."""
    kinds, og_type = page.graph.kinds, (page.head.get("og:type") or "").casefold()
    if any(claim.offers or claim.variants for claim in claims) and not _named_otherwise(page, claims):
        return "listing" if _rates_a_list(page, claims, seen) else "product"
    if kinds & jsonld.ARTICLES or (og_type == "article" and not seen.can_buy):
        return "look" if is_look(page, links.products(page.outline, []), named_only=True) else "article"
    others = [*page.graph.others, *page.micro[1]]
    tiles = links.products(page.outline, [claim.url for claim in others if claim.url])
    if is_look(page, tiles):
        return "look"
    states_list = page.graph.listed_urls or kinds & jsonld.LISTS or len(page.micro[0]) > 2
    if states_list or og_type in {"product.group", "og:product.group"}:
        return "listing"
    shows = seen.price is not None and seen.sure and page.outline.title_at >= 0
    stated = bool(page.og.prices())
    og_product = stated or og_type in {"product", "og:product", "product.item"}
    if (og_product and (seen.price is not None or stated)) or (claims and shows):
        return "product"
    pictured = len(tiles) < 8 and bool(gallery.read(page.outline, page.own_images, page.og.images))
    buyable = seen.can_buy and seen.price is not None and page.outline.title_at >= 0 and len(tiles) < 8
    if buyable or (shows and (seen.can_buy or seen.availability or pictured)):
        return "product"
    return "listing" if len(tiles) >= 3 else "other"


def _named_otherwise(page: Sources, claims: list[Claim]) -> bool:
    """Return whether the page is an article or list by markup and its heading names none of the claimed products."""
    article = page.graph.kinds & jsonld.ARTICLES
    listed = page.graph.kinds & jsonld.LISTS and page.graph.listed_urls
    if not article and not listed:
        return False
    return max(alike(claim.name, page.outline.title or page.og.name) for claim in claims) < 0.6


def _rates_a_list(page: Sources, claims: list[Claim], seen: Seen) -> bool:
    """Return whether the only "product" is a category that search engines shall show with stars and a price range."""
    offers = [offer for claim in claims for offer in claim.every_offer()]
    bare = not any(claim.images or claim.sku or claim.gtins or claim.variants for claim in claims)
    ranged = all(offer.price is None for offer in offers)
    return bare and ranged and not seen.can_buy and len(links.products(page.outline, [])) >= 6


def is_look(page: Sources, tiles: list[str], *, named_only: bool = False) -> bool:
    """Return whether a page shows several products in one picture: it says so, or links them without pictures."""
    if not 2 <= len(tiles) <= 20 or page.outline.title_at < 0:
        return False
    photos = look_images(page)
    if not photos or links.next_page(page.outline, page.root):
        return False
    if (words(path_of(page.url)) | words(page.outline.title)) & LOOKS:
        return True
    bare = not any(link.pictured for link in zones.tile_links(page.outline))
    return not named_only and bool(page.og.images) and bare and len(photos) <= 2


def look_images(page: Sources) -> list[str]:
    """Return the pictures that stand for a page without a product: OpenGraph's where it shows them, else its own."""
    shown = [entry for _, _, addresses in page.own_images for entry in addresses]
    ours = {pictures.key(url) for url in page.og.images}
    matching = [entry for entry in shown if entry.key in ours]
    return pictures.merge(matching or shown) or page.share_images()[:1]
