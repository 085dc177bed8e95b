"""Pages that show one product in several languages under names that differ: by what the pages say, told apart by it.

In order of evidence: the page's own ``hreflang`` links, the GTIN, the SKU, the same photos. What several products of
one language share tells nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crawlers.readers.urls import absolute, canonical, is_home, same_site
from crawlers.recorder import Recorder

KIND = "version"
MOST_LINKS = 100
FEWEST_PHOTOS = 2
"""Photos that two pages must share: one alone may be a placeholder."""


def alternates(response: Any) -> tuple[str, ...]:
    """Return the addresses at which an HTML response says it is shown in other languages, those of its site only."""
    links = response.css('link[rel~="alternate"][hreflang]::attr(href)').getall()[:MOST_LINKS]
    found = [canonical(url) for link in links if (url := absolute(link, response.url))]
    own = canonical(response.url)
    return tuple(dict.fromkeys(url for url in found if url != own and same_site(url, own) and not is_home(url)))


class Versions:
    """Knows by its marks in which languages a product was read; ``known`` is what earlier nights and processes learnt.

    A mark maps languages to the product's id, or to no text once a second product of that language bears it.
    """

    def __init__(self, recorder: Recorder, known: Mapping[str, dict[str, str]]) -> None:
        self.recorder = recorder
        self._marks = dict(known)

    def find(self, row: Mapping[str, Any], links: Iterable[str], urls: Iterable[str]) -> tuple[str, str] | None:
        """Return the id under which a product is known from a page in another language, and by what; None when new.

        ``row`` is its row of ``products``, ``links`` its page's alternates, ``urls`` the addresses of the page.
        """
        for mark in [*(f"hreflang {canonical(url)}" for url in urls), *(f"page {link}" for link in links)]:
            for other in self._marks.get(mark, {}).values():
                if other and other != row["product_id"]:
                    return other, "hreflang"
        for kind, mark in _marks(row):
            known = self._marks.get(mark, {})
            others = {other for language, other in known.items() if language != row["language"]}
            mine = known.get(row["language"])
            if mine is None and len(others) == 1 and (other := others.pop()) and other != row["product_id"]:
                return other, kind
        return None

    def learn(self, row: Mapping[str, Any], links: Iterable[str], urls: Iterable[str]) -> None:
        """Remember the marks of a product that was read."""
        marks = [mark for _, mark in _marks(row)]
        for mark in [*marks, *(f"hreflang {link}" for link in links), *(f"page {canonical(url)}" for url in urls)]:
            known = self._marks.get(mark, {})
            language = row["language"] or ""
            bearer = known.get(language, row["product_id"])
            told = {**known, language: bearer if bearer == row["product_id"] else ""}
            if told != known:
                self._marks[mark] = told
                self.recorder.remember(KIND, mark, told)


def _marks(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a product can be recognised by in another language; nothing when its language is not known."""
    if not row["language"]:
        return
    if row["gtin"]:
        yield "gtin", f"gtin {row['gtin']}"
    if row["sku"]:
        yield "sku", f"sku {row['sku'].casefold()} {(row['brand'] or '').casefold()}"
    if len(set(row["photo_urls"])) >= FEWEST_PHOTOS:
        yield "photos", f"photos {' '.join(sorted(set(row['photo_urls'])))}"
