"""Which of the products that markup names is the page's own, and which colour of it the page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from crawlers.readers import pictures
from crawlers.readers.records import Claim
from crawlers.readers.texts import alike, words
from crawlers.readers.urls import page_key


@dataclass(frozen=True)
class Context:
    """What the page says of itself outside product markup: its addresses, names (best first) and pictures."""

    urls: tuple[str, ...]
    names: tuple[str, ...]
    images: tuple[str, ...]
    colors: tuple[str, ...] = ()


def own(claims: Sequence[Claim], context: Context) -> Claim | None:
    """Return the page's product as one claim, or None when no claim, or a list of unlike products, is there.

    Claims of one name, group or address are one product in several sizes and colours; among unlike products the one
    whose name, address, number or picture the page repeats wins.
    """
    clusters: list[list[Claim]] = []
    for claim in claims:
        if not (claim.name or claim.offers or claim.images or claim.variants):
            continue
        home = next((cluster for cluster in clusters if _together(cluster[0], claim)), None)
        if home is None:
            clusters.append([claim])
        else:
            home.append(claim)
    if not clusters:
        return None
    scored = [
        (max(_score(claim, context) for claim in cluster), -order, cluster) for order, cluster in enumerate(clusters)
    ]
    best = max(scored, key=lambda entry: entry[:2])
    if len(clusters) > 1 and best[0] < 2:
        return None
    if len(clusters) == 1 and best[0] < 1 and not any(claim.offers or claim.variants for claim in best[2]):
        return None
    return _one(best[2], context)


def _together(one: Claim, two: Claim) -> bool:
    if one.group_id and two.group_id:
        return one.group_id == two.group_id
    if one.name and two.name:
        if one.name.casefold() == two.name.casefold():
            return True
        same_page = one.url and two.url and page_key(one.url) == page_key(two.url)
        return bool((same_page or (one.mpn and one.mpn == two.mpn)) and alike(one.name, two.name) > 0.6)
    return bool(one.sku and one.sku == two.sku) or bool(one.url and one.url == two.url)


def _score(claim: Claim, context: Context) -> float:
    score = 0.0
    if claim.name:
        score += max(
            (3 * alike(claim.name, name) * (1 - 0.1 * order) for order, name in enumerate(context.names[:4])),
            default=0.0,
        )
        score += any(claim.name.casefold() == name.casefold() for name in context.names)
    addresses = [unquote(url) for url in context.urls]
    if claim.url and any(page_key(claim.url) == page_key(url) for url in context.urls):
        score += 3
    for code in (claim.sku, claim.product_id, claim.group_id):
        if code and len(code) > 3 and any(code.casefold() in address.casefold() for address in addresses):
            score += 1.5
            break
    ours = {pictures.key(url) for url in context.images}
    score += 1.5 * any(pictures.key(url) in ours for url in claim.images)
    return score + 0.5 * bool(claim.offers or claim.variants)


def _one(cluster: list[Claim], context: Context) -> Claim:
    """Return one claim for a cluster: a group with its variants, or one Product per size and colour, made one."""
    group = next((claim for claim in cluster if claim.variants), None)
    if group is None and len(cluster) == 1:
        return _by_offer_color(cluster[0])
    members = list(group.variants) if group else []
    members += [claim for claim in cluster if claim is not group and not claim.variants]
    if group is None and all(_same(claim, cluster[0]) for claim in cluster):
        return _by_offer_color(_fullest(cluster))
    chosen = _of_color(members, context) or members
    lead = chosen[0]
    first = group or lead
    made = Claim(
        first.source,
        name=first.name if group else _common_name([claim.name for claim in chosen if claim.name]),
        brand=first.brand or lead.brand,
        description=first.description or lead.description,
        sku=first.sku if group else _only([claim.sku for claim in chosen]),
        mpn=first.mpn or _only([claim.mpn for claim in chosen]),
        product_id=first.product_id if group else _only([claim.product_id for claim in chosen]),
        gtins=first.gtins if group else [],
        color=_only([claim.color for claim in chosen]) or (first.color if group else None),
        material=first.material or lead.material,
        gender=first.gender or lead.gender,
        category=first.category or lead.category,
        url=first.url or lead.url,
        group_id=first.group_id or lead.group_id,
        published_at=first.published_at or lead.published_at,
        offers=list(first.offers) if group else [],
        variants=chosen,
        stubs=[url for claim in cluster for url in claim.stubs],
        is_group=True,
    )
    partial = len(chosen) < len(members)
    holders = chosen if partial else [*([group] if group else []), *chosen]
    seen: dict[str, str] = {}
    for holder in holders:
        for url in holder.images + [image for offer in holder.offers for image in offer.images]:
            seen.setdefault(pictures.key(url), url)
    made.images = list(seen.values()) or list(first.images)
    asked = [claim for claim in members if claim.url in context.urls and claim.images]
    if 0 < len(asked) < len(members):  # the address names one variant: what the page shows of it comes first
        made.images.sort(key=lambda url: url != asked[0].images[0])
    return made


def _by_offer_color(claim: Claim) -> Claim:
    if not claim.images:
        claim.images = list(dict.fromkeys(url for offer in claim.offers for url in offer.images))
    if claim.color is None:
        claim.color = _only([offer.color for offer in claim.offers])
    return claim


def _same(one: Claim, two: Claim) -> bool:
    """Return whether two claims repeat each other, as some pages print their product twice."""
    return (one.sku, one.size, one.color, one.prices(), one.url) == (
        two.sku,
        two.size,
        two.color,
        two.prices(),
        two.url,
    )


def _fullest(cluster: list[Claim]) -> Claim:
    best = max(cluster, key=lambda claim: (bool(claim.offers), len(claim.images), len(claim.description or "")))
    for claim in cluster:
        best.images = best.images or claim.images
        best.offers = best.offers or claim.offers
    return best


def _of_color(members: list[Claim], context: Context) -> list[Claim]:
    """Return the members of the colour that the page's address, picture or choice names; empty when nothing tells."""
    colors = list(dict.fromkeys(claim.color for claim in members if claim.color))
    if len(colors) < 2:
        return []
    votes = dict.fromkeys(colors, 0.0)
    address = words(" ".join(unquote(url).replace("_", " ") for url in context.urls))
    ours = {pictures.key(url) for url in context.images[:1]}
    for color in colors:
        of_color = [claim for claim in members if claim.color == color]
        votes[color] += 2 * (words(color) <= address)
        votes[color] += 2 * any(pictures.key(url) in ours for claim in of_color for url in claim.images)
        votes[color] += 2 * any(color.casefold() == chosen.casefold() for chosen in context.colors)
        votes[color] += 3 * any(claim.url and claim.url in context.urls for claim in of_color)
    best = max(votes.values())
    winners = [color for color, vote in votes.items() if vote == best]
    return [claim for claim in members if claim.color == winners[0]] if best > 0 and len(winners) == 1 else []


def _only(values: Sequence[str | None]) -> str | None:
    known = {value for value in values if value}
    return next(iter(known)) if len(known) == 1 else None


def _common_name(names: list[str]) -> str | None:
    if len(set(names)) < 2:
        return names[0] if names else None
    length = next(
        (at for at, chars in enumerate(zip(*names, strict=False)) if len(set(chars)) > 1), min(map(len, names))
    )
    common = names[0][:length].rstrip(" -–—/|,(")
    return common if len(common) >= 0.5 * len(names[0]) else names[0]
