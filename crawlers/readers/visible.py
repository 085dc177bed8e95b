"""The visible page: name, price, struck-through price, availability, colour and brand as a person reads them."""

import re
from dataclasses import dataclass
from decimal import Decimal

from crawlers.readers import prices
from crawlers.readers.outline import Outline, Text
from crawlers.readers.texts import squeeze, tokens

_PRICE_NAMES = frozenset("price prices preis prix precio preco prezzo pris cena hinta prijs cost amount money sale sales now value current "
                         "bid total final our ours special".split())  # fmt: skip
_SOFT_OLD = frozenset({"regular", "original", "list", "full", "standard", "normal"})
_PROMO = re.compile(
    r"\bfree\b|shipping|delivery|\bsave\b|saving|\boff\b|discount|payments?\b|instal|month|per week|/ ?mo\b|afterpay|klarna|clearpay|affirm|"
    r"laybuy|sezzle|zip\b|spend|voucher|coupon|code\b|gift|reward|points|minimum|first order|orders? over|with the .{0,20}card|today with|"
    r"estimate|starting price|shipping|deposit|cart|basket|bag \(|versand|lieferung|ab einem|rate|raten|monat|sparen|gutschein|livraison|"
    r"offert|économis|mois|fois|envío|ahorr|cuota|mes\b|spedizione|risparm|rate|mese|frakt|fri |spar|leverans|nomaksa|mēnes|ietaup|"
    r"parcela|vezes|poupe|frete|portes|dostaw|rata|wysyłk|verzend|bespaar|termijn|p\.?/?m\b|per unit|/ ?(?:kg|100|l\b|m\b)|"
    r"lowest (?:price )?in|30 days|najniższa",
    re.IGNORECASE,
)
_OLD_WORD = re.compile(
    r"\b(?:was|before|rrp|msrp|uvp|statt|avant|antes|prima|old price|reg(?:ular|\.)?(?: price)?|list price|retail|originally|"
    r"compare at|ord\.?|tidigare|før|normalpris|prix conseillé|van)\b\s*:?\s*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:from|ab|à partir de|desde|da|från|od|vanaf|starting at)\s*$|^\s*[~+]", re.IGNORECASE)
_STOCK_NAMES = frozenset(
    {"stock", "availability", "available", "inventory", "instock", "outofstock", "verfugbarkeit", "disponibilite"}
)
_OUT = re.compile(
    r"\b(?:out of stock|sold out|ausverkauft|nicht (?:verfügbar|auf lager)|épuisé|rupture|agotado|esaurito|esgotado|slutsåld|udsolgt|"
    r"utsolgt|uitverkocht|niedostępn\w+|brak w magazynie|currently unavailable|no longer available|notify me|not available|unavailable|"
    r"loppuunmyyty|izpārdots|wyprzedan\w+)\b",
    re.IGNORECASE,
)
_PRE = re.compile(
    r"\b(?:pre-?order(?: now)?|vorbestell\w*|précommand\w*|preventa|reserva ahora|förbeställ)\b", re.IGNORECASE
)
_FEW = re.compile(
    r"\b(?:only (?:a )?few left|only \d+ left|low stock|last (?:one|items)|nur noch \d+)\b", re.IGNORECASE
)
_IN = re.compile(
    r"\b(?:in stock|auf lager|sofort lieferbar|en stock|disponible|disponibile|disponível|em stock|i lager|på lager|op voorraad|"
    r"na stanie|dostępn\w+|available(?: now)?|varastossa|noliktavā|pieejams|skladem)\b",
    re.IGNORECASE,
)
_BRAND_NAMES = frozenset({"brand", "vendor", "manufacturer", "designer", "maker", "marke", "marque", "marca"})
_BY = re.compile(r"^(?:by|von|par|de|da|brand|marke|marque|marca)\s*:?\s+", re.IGNORECASE)
_BUY = re.compile(
    r"^(?:add to (?:bag|cart|basket|trolley)|buy(?: it)? now|in den warenkorb|ajouter au panier|añadir a la (?:cesta|bolsa)|"
    r"aggiungi al carrello|adicionar ao (?:carrinho|saco)|lägg i (?:varukorg|väska)\w*|in winkelmand|dodaj do koszyka|læg i kurv)$",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"^(?P<label>colou?r|farbe|couleur|colore?|cor|färg|kolor|kleur|väri|shade|brand|marke|marque|marca|märke|merk|marka|by|"
    r"material|fabric|composition|stoff|matière|materiale|sku|item(?: no\.?| number)?|style(?: no\.?| number)?|art(?:icle)?\.?(?: no\.?| nr\.?)?|"
    r"ref(?:erence)?\.?)\s*(?:[:：]\s*(?P<value>.{1,80})?)?$",
    re.IGNORECASE,
)
_LABELS = {
    "color": "colo colou color colour farbe couleur colore cor färg kolor kleur väri shade".split(),
    "brand": "brand marke marque marca märke merk marka".split(),
    "material": "material fabric composition stoff matière materiale".split(),
    "sku": "sku item style art article ref reference".split(),
}


@dataclass
class Seen:
    """What the page shows of its own product."""

    name: str | None = None
    price: Decimal | None = None
    high: Decimal | None = None
    regular: Decimal | None = None
    currency: str | None = None
    sure: bool = False
    availability: str | None = None
    color: str | None = None
    brand: str | None = None
    material: str | None = None
    sku: str | None = None
    can_buy: bool = False
    amounts: tuple[Decimal, ...] = ()


@dataclass(slots=True)
class _Mark:
    index: int
    text: Text
    amount: prices.Amount
    score: float
    old: bool


def read(out: Outline, region: str | None) -> Seen:
    """Read the focused outline; ``region`` is the language tag that settles $, kr and ¥."""
    seen = Seen(name=out.title)
    own = [text for text in out.texts if not out.is_other(text.at)]
    _price(seen, own, out.title_at, region)
    _facts(seen, own, out.title_at)
    return seen


def _marks(own: list[Text], title_at: int, region: str | None) -> list[_Mark]:
    marks = []
    for index, text in enumerate(own):
        if len(text.text) > 400:
            continue
        amounts = [amount for amount in prices.find(text.text, region) if amount.value > 0]
        if not amounts:
            continue
        before = own[index - 1].text if index and text.at - own[index - 1].at < 6 else ""
        after = own[index + 1].text if index + 1 < len(own) and own[index + 1].at - text.at < 4 else ""
        alone = re.sub(r"[\W\d]+", "", text.text[: amounts[0].start] + text.text[amounts[-1].end :])
        for amount in amounts:
            currency = (
                amount.currency
                or prices.currency_of(before.strip(" :"), region)
                or prices.currency_of(after.strip(), region)
            )
            if not currency:
                continue
            around = f"{before[-60:]} {text.text} {after[:30]}" if len(alone) < 12 else text.text
            distance = index - next((i for i, other in enumerate(own) if other.at >= title_at), 0)
            score = -0.6 * distance if distance >= 0 else -6 + 0.9 * distance
            score += 8 if text.names & _PRICE_NAMES else 0
            score += 6 if not alone else (2 if len(alone) < 8 else 0)
            score -= 14 if _PROMO.search(text.text) else (7 if _PROMO.search(around) else 0)
            struck = text.struck or bool(_OLD_WORD.search(f"{before} {text.text[: amount.start]}"[-40:]))
            marks.append(
                _Mark(index, text, prices.Amount(amount.value, currency, amount.start, amount.end), score, struck)
            )
    return marks


def _price(seen: Seen, own: list[Text], title_at: int, region: str | None) -> None:
    marks = _marks(own, title_at, region)
    current = [mark for mark in marks if not mark.old]
    if not current:
        return
    best = max(current, key=lambda mark: (mark.score, -mark.index))
    near = [mark for mark in marks if abs(mark.index - best.index) <= 5 and mark.score > best.score - 12
            and mark.amount.currency == best.amount.currency]  # fmt: skip
    soft = best.text.names & _SOFT_OLD
    if soft and (
        lower := [m for m in near if not m.old and m.amount.value < best.amount.value and not m.text.names & _SOFT_OLD]
    ):
        seen.regular, best = best.amount.value, lower[0]
    seen.price, seen.currency = best.amount.value, best.amount.currency
    seen.amounts = tuple(mark.amount.value for mark in near if not mark.old)
    same = [mark for mark in near if mark.text is best.text and mark.amount.value > best.amount.value and not mark.old]
    dashed = re.compile(r"\s*(?:[-–—~]|to|bis|à|a|till|do|до)\s*$")
    for mark in [*same, *[m for m in near if m.index in (best.index + 1, best.index + 2) and not m.old]]:
        between = (
            best.text.text[best.amount.end : mark.amount.start] if mark.text is best.text else own[best.index + 1].text
        )
        joined = mark.text is not best.text and mark.text.text[: mark.amount.start].strip() in {"-", "–", "—"}
        if mark.amount.value > best.amount.value and (
            joined or dashed.fullmatch(between or "-" if mark.text is best.text else between)
        ):
            seen.high = mark.amount.value
            break
    old = [mark for mark in marks if mark.old and abs(mark.index - best.index) <= 5 and mark.amount.value > best.amount.value
           and mark.amount.currency == best.amount.currency]  # fmt: skip
    if old:
        seen.regular = min(old, key=lambda mark: abs(mark.index - best.index)).amount.value
    seen.sure = best.score > 4


def _facts(seen: Seen, own: list[Text], title_at: int) -> None:
    stock: dict[str, str] = {}
    for index, text in enumerate(own):
        short = text.text if len(text.text) <= 80 else ""
        if not short:
            continue
        button = (
            text.element.tag == "button"
            or text.element.getparent() is not None
            and text.element.getparent().tag == "button"
        )
        if _BUY.match(short) or (
            button and text.names & {"addtocart", "addtobag", "cart", "basket"} and text.names & {"add", "addtocart"}
        ):
            if text.element.get("disabled") is None:
                seen.can_buy = True
                stock.setdefault("button", "InStock")
        elif text.at > title_at and not _PROMO.search(short):
            kind = "label" if text.names & _STOCK_NAMES else ("text" if len(short) <= 40 else "")
            status = next((known for known, pattern in (("OutOfStock", _OUT), ("PreOrder", _PRE), ("LimitedAvailability", _FEW),
                                                        ("InStock", _IN)) if pattern.search(short)), None)  # fmt: skip
            if kind and status and not (kind == "text" and text.element.tag in {"li", "label", "td", "th"}):
                stock.setdefault(kind, status)
        _label(seen, own, index, short)
        marks = tokens(text.element.get("class"), text.element.get("itemprop"), text.element.get("data-testid"))
        if seen.brand is None and marks & _BRAND_NAMES and abs(text.at - title_at) < 40 and len(short) <= 40:
            seen.brand = _BY.sub("", short)
    seen.availability = stock.get("label") or stock.get("text") or stock.get("button")


def _label(seen: Seen, own: list[Text], index: int, short: str) -> None:
    match = _LABELLED.match(short)
    if not match:
        return
    label = match["label"].casefold().split()[0].rstrip(".")
    value = match["value"]
    if value is None and index + 1 < len(own) and own[index + 1].at - own[index].at <= 6:
        value = own[index + 1].text.lstrip(": ")
        if not short.endswith((":", "：")) and own[index].element.tag not in {
            "dt",
            "th",
            "b",
            "strong",
            "span",
            "label",
            "td",
            "div",
        }:
            return
    value = squeeze(value, 80)
    if not value or len(value) > 60 or prices.find(value) and any(amount.currency for amount in prices.find(value)):
        return
    field = next((field for field, labels in _LABELS.items() if label in labels), None)
    if label == "by":
        field = "brand"
    if field and getattr(seen, field) is None:
        setattr(seen, field, value)
