"""The visible page: name, price, struck-through price, availability, colour and brand as a person reads them."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from crawlers.readers import prices
from crawlers.readers import vocabulary as words
from crawlers.readers.outline import Outline, Text
from crawlers.readers.texts import squeeze, tokens

_NEAR = 5
"""Texts between the price and what belongs to it: an old price, the other end of a range."""
_PIECE = re.compile(rf"^(?:{prices.SIGN})?[\d.,]{{0,9}}$")
# "159," and "90 zł": cents with the sign behind them.
_CENTS = re.compile(rf"^\d\d\s*(?:{prices.SIGN})$")
# "59€" and "90": the sign stands for the decimal comma.
_SIGN_FOR_COMMA = re.compile(r"^\d{1,4}[€£]\d{2}$")
# Attributes that repeat an old price as a number: data-original-price="40".
_OLD_ATTRIBUTE = re.compile(r"data-(?:\w+-)*(?:original|regular|old|was|rrp|list)-price")
_VALUE_TAGS = frozenset({"dt", "th", "b", "strong", "span", "label", "td", "div"})


@dataclass
class Seen:
    """What the page shows of its own product: ``amounts`` are asked beside the price, ``told`` anywhere."""

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
    told: frozenset[Decimal] = frozenset()


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
    own = _joined([text for text in out.texts if not out.is_other(text.at)])
    _price(seen, own, out.title_at, region)
    _facts(seen, own, out.title_at)
    return seen


def currency(out: Outline, region: str | None) -> str | None:
    """Return the one currency of all amounts that the page shows anywhere, or None."""
    texts = (text.text for text in out.texts if len(text.text) < 60)
    codes = {amount.currency for text in texts for amount in prices.find(text, region) if amount.currency}
    return next(iter(codes)) if len(codes) == 1 else None


def _joined(own: list[Text]) -> list[Text]:
    """Return the texts with prices made whole that a page prints in pieces: sign, whole, separator and cents each in
    an element of its own."""
    made: list[Text] = []
    whole = True
    for text in own:
        last = made[-1] if made else text
        ends = not whole and last.text[-1] in ".," and _CENTS.match(text.text)
        if not ends and not _PIECE.match(text.text):
            made.append(text)
            whole = True
            continue
        goes_on = (
            ends
            or _continues(last.text, text.text)
            or (_SIGN_FOR_COMMA.match(last.text + text.text) and _is_cents(text))
        )
        if whole or text.at - last.at > 12 or text.struck != last.struck or not goes_on:
            made.append(text)
        else:
            cents = last.text[-1].isdigit() and len(text.text) == 2 and _is_cents(text)
            joint = "." if cents else ""
            names = last.names | text.names
            made[-1] = Text(last.at, last.text + joint + text.text, last.element, last.struck or text.struck, names)
        whole = False
    return made


def _continues(before: str, piece: str) -> bool:
    """Return whether a piece can go on with the price that stands before it; a second sign begins a second price."""
    digits, decimals = any(map(str.isdigit, before)), re.search(r"[.,]\d\d\D*$", before)
    if not piece[0].isdigit():
        if digits and decimals and before[0].isdigit() and before[-1].isdigit():
            return piece[0] not in ".,"  # "15,99" and its sign behind it
        signed = digits and piece[0] not in ".," and (not before[0].isdigit() or len(re.sub(r"\D", "", piece)) > 2)
        return (digits and not decimals and not signed) or (not digits and len(before) + len(piece) < 4)
    return not digits or before[-1] in ".," or (len(piece) == 2 and not decimals and before[-1].isdigit())


def _is_cents(text: Text) -> bool:
    return text.element.tag in {"sup", "sub", "small"} or bool(
        tokens(text.element.get("class")) & {"cents", "cent", "fraction", "decimal", "decimals", "minor"}
    )


def _marks(own: list[Text], title_at: int, region: str | None) -> list[_Mark]:
    marks: list[_Mark] = []
    title = next((index for index, text in enumerate(own) if text.at >= title_at), 0)
    for index, text in enumerate(own):
        amounts = prices.find(text.text, region) if len(text.text) <= 400 else []
        if amounts:
            before = own[index - 1].text if index and _beside(own[index - 1], text, 6) else ""
            after = own[index + 1].text if index + 1 < len(own) and _beside(text, own[index + 1], 4) else ""
            alone = re.sub(r"[\W\d]+", "", words.PRICE_LABEL.without(_without(text.text, amounts)))
            marks += [_mark(index, text, amount, (before, after, alone), index - title, region) for amount in amounts]
    return [mark for mark in marks if mark.amount.currency and mark.amount.value > 0]


def _beside(one: Text, two: Text, steps: int) -> bool:
    """Return whether a text stands close before another one and in the same entry of a list."""
    if two.at - one.at >= steps:
        return False
    entries = [
        next((node for node in (at, *at.iterancestors()) if node.tag == "li"), None)
        for at in (one.element, two.element)
    ]
    return entries[0] is entries[1]


def _without(text: str, amounts: list[prices.Amount]) -> str:
    """Return a text without the amounts in it: a price may be told in two currencies at once."""
    for amount in reversed(amounts):
        text = f"{text[: amount.start]} {text[amount.end :]}"
    return text


def _mark(
    index: int, text: Text, amount: prices.Amount, around: tuple[str, str, str], distance: int, region: str | None
) -> _Mark:
    """Score an amount: close behind the title, alone in its text, named a price, and no promotion is best."""
    before, after, alone = around
    beside = prices.currency_of(before.strip(" :"), region) or prices.currency_of(after.strip(), region)
    taxed = words.TAX_NOTE.search(after) and not words.BEFORE_TAX.search(after[:30])
    if words.BUY.match(after) or taxed or words.SAVING.search(after[:30]):
        after = ""
    if words.SAVING.search(before) or (words.TAX_NOTE.search(before) and not before.rstrip().endswith(":")):
        before = ""
    near = f"{before[-60:]} {text.text} {after[:30]}" if len(alone) < 12 else text.text
    score = -0.6 * distance if distance >= 0 else -6 + 0.9 * distance
    score += 8 if text.names & words.PRICES else 0
    score += 6 if not alone else (2 if len(alone) < 8 else 0)
    promotion = words.PROMOTION.search(near)
    score -= 14 if words.PROMOTION.search(text.text) else (7 if promotion else 0)
    score -= 7 if not promotion and words.BEFORE_TAX.search(near) else 0
    score -= 10 if text.names & words.MEMBERS else 0
    old = text.struck or bool(words.OLD_WORD.search(f"{before} {text.text[: amount.start]}"[-40:]))
    return _Mark(index, text, replace(amount, currency=amount.currency or beside), score, old)


def _price(seen: Seen, own: list[Text], title_at: int, region: str | None) -> None:
    marks = _marks(own, title_at, region)
    current = [mark for mark in marks if not mark.old]
    if not current:
        return
    best = max(current, key=lambda mark: (mark.score, -mark.index))
    near = [
        mark for mark in marks if abs(mark.index - best.index) <= _NEAR and mark.amount.currency == best.amount.currency
    ]
    close = [mark for mark in near if mark.score > best.score - 12 and not mark.old]
    if _is_soft(best):
        lower = [mark for mark in close if mark.amount.value < best.amount.value and not _is_soft(mark)]
        if lower:
            seen.regular, best = best.amount.value, lower[0]
    seen.price, seen.currency = best.amount.value, best.amount.currency
    seen.told = frozenset(mark.amount.value for mark in current)
    seen.amounts = tuple(mark.amount.value for mark in close)
    seen.high = next((mark.amount.value for mark in close if _ends_range(best, mark, own)), None)
    soft = not _is_soft(best)
    old = [mark for mark in near if mark.amount.value > best.amount.value and (mark.old or (soft and _is_soft(mark)))]
    if old:
        seen.regular = min(old, key=lambda mark: abs(mark.index - best.index)).amount.value
    seen.sure = best.score > 4


def _is_soft(mark: _Mark) -> bool:
    """Return whether a price is named regular or original: an old one where a lower one stands beside it."""
    names = mark.text.names
    if names & words.SOFT_OLD:
        return not names & words.BESIDE_OLD
    stated = (value for name, value in mark.text.element.items() if _OLD_ATTRIBUTE.match(name))
    return any(prices.number(value) == mark.amount.value for value in stated)


def _ends_range(low: _Mark, high: _Mark, own: list[Text]) -> bool:
    """Return whether ``high`` is the upper end of a range that begins with ``low``: a dash or "to" lies between."""
    if high.amount.value <= low.amount.value:
        return False
    if high.text is low.text:
        return words.RANGE_DASH.fullmatch(low.text.text[low.amount.end : high.amount.start] or "-") is not None
    if high.index == low.index + 1:
        return high.text.text[: high.amount.start].strip() in {"-", "–", "—"}
    return high.index == low.index + 2 and words.RANGE_DASH.fullmatch(own[low.index + 1].text) is not None


def _facts(seen: Seen, own: list[Text], title_at: int) -> None:
    stock: dict[str, str] = {}
    for index, text in enumerate(own):
        if len(text.text) > 80:
            continue
        if _buys(text):
            if text.element.get("disabled") is None:
                seen.can_buy = True
                stock.setdefault("button", "InStock")
        elif text.at > title_at and (status := _status(text)):
            stock.setdefault("label" if text.names & words.STOCK else "text", status)
        _label(seen, own, index)
        _marked(seen, text, title_at)
    seen.availability = stock.get("label") or stock.get("text") or stock.get("button")


def _buys(text: Text) -> bool:
    parent = text.element.getparent()
    button = text.element.tag == "button" or (parent is not None and parent.tag == "button")
    carted = text.names & {"addtocart", "addtobag", "cart", "basket"} and text.names & {"add", "addtocart"}
    return bool(words.BUY.match(text.text) or (button and carted))


def _status(text: Text) -> str | None:
    """Return the availability that a text states; a list entry or table cell counts only where it is labelled so."""
    labelled = text.names & words.STOCK
    if not labelled and (len(text.text) > 40 or text.element.tag in _CELLS):
        return None
    found = next((status for status, pattern in _STATUS if pattern.search(text.text)), None)
    return None if found and words.PROMOTION.search(text.text) else found


_CELLS = frozenset({"li", "label", "td", "th"})
_STATUS = (
    ("OutOfStock", words.OUT_OF_STOCK),
    ("PreOrder", words.PRE_ORDER),
    ("LimitedAvailability", words.FEW_LEFT),
    ("InStock", words.IN_STOCK),
)


def _marked(seen: Seen, text: Text, title_at: int) -> None:
    """Take brand and number from elements that are named so."""
    marks = tokens(text.element.get("class"), text.element.get("itemprop"), text.element.get("data-testid"))
    if seen.brand is None and marks & words.BRANDS and abs(text.at - title_at) < 40 and len(text.text) <= 40:
        seen.brand = words.BY.sub("", text.text)
    if seen.sku is None and "sku" in marks and text.at > title_at and re.fullmatch(r"[\w./-]{2,40}", text.text):
        seen.sku = text.text


def _label(seen: Seen, own: list[Text], index: int) -> None:
    """Take a fact from a label and its value: "Colour: olive", or a label cell and the text behind it."""
    short = own[index].text
    match = words.LABELLED.match(short)
    if not match:
        return
    value = match["value"]
    if value is None and index + 1 < len(own) and own[index + 1].at - own[index].at <= 6:
        value = own[index + 1].text.lstrip(": ")
        if not short.endswith((":", "：")) and own[index].element.tag not in _VALUE_TAGS:
            return
    value = squeeze(value, 80)
    if not value or len(value) > 60 or any(amount.currency for amount in prices.find(value)):
        return
    field = next(field for field in words.LABELS if match[field])
    if getattr(seen, field) is None:
        setattr(seen, field, value)
