"""Which of the currencies that a page's markup offers is the page's own."""

import re
from collections.abc import Sequence

from crawlers.readers.records import Claim

# Currencies by the country or language that an address or lang attribute names (ISO 3166, ISO 639, ISO 4217).
_BY_CURRENCY = {
    "EUR": "AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK ET EL",
    "GBP": "GB UK",
    "CHF": "CH",
    "SEK": "SE SV",
    "DKK": "DK DA",
    "NOK": "NO NB",
    "PLN": "PL",
    "CZK": "CZ CS",
    "HUF": "HU",
    "RON": "RO",
    "TRY": "TR",
    "RUB": "RU",
    "JPY": "JP JA",
    "KRW": "KR KO",
    "INR": "IN",
    "SGD": "SG",
    "HKD": "HK",
    "USD": "US",
    "CAD": "CA",
    "AUD": "AU",
    "NZD": "NZ",
    "MXN": "MX",
    "BRL": "BR",
}
_PLACES = {place: code for code, named in _BY_CURRENCY.items() for place in named.split()}


def settle(claims: Sequence[Claim], shown: str | None, region: str | None) -> None:
    """Keep, in claims that offer one product in several currencies, the offers in the page's own.

    It is the currency ``shown`` beside the visible price, else that of the page's place (``region``, tags as in
    ``prices.currency_of``, the surest last). Where neither is offered a claim stays as it is.
    """
    places = [part.upper() for part in re.split(r"[-_]", region or "")][::-1]
    local = next((_PLACES[place] for place in places if place in _PLACES), None)
    for claim in claims:
        codes = {offer.currency for offer in claim.every_offer() if offer.currency}
        own = next((code for code in (shown, local) if code in codes), None)
        if len(codes) < 2 or own is None:
            continue
        for holder in (claim, *claim.variants):
            holder.offers = [offer for offer in holder.offers if offer.currency in (own, None)]
        claim.variants = [variant for variant in claim.variants if variant.offers]
