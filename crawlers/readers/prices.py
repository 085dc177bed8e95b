"""Prices: amounts and currencies out of text in any of the usual notations."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

# ISO 4217 currencies whose minor unit is not 1/100.
_WHOLE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"
MINOR_UNITS = {**dict.fromkeys(_WHOLE.split(), 0), **dict.fromkeys(_THOUSANDTHS.split(), 3)}
_CODES = (
    "AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CRC CZK DKK DZD EGP EUR GBP GEL GHS HKD HRK HUF "
    "IDR ILS INR ISK JOD JPY KES KRW KWD KZT LBP LKR MAD MUR MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR "
    "PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU UZS VND XAF XOF ZAR"
)
CODES = frozenset(_CODES.split())
# Longest first; a sign that several currencies share is settled by region.
_SIGNS = {
    "US$": "USD",
    "US $": "USD",
    "C$": "CAD",
    "C $": "CAD",
    "CA$": "CAD",
    "CAD$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "AU $": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "NT$": "TWD",
    "MX$": "MXN",
    "R$": "BRL",
    "BR$": "BRL",
    "JP¥": "JPY",
    "CN¥": "CNY",
    "￦": "KRW",
    "Skr": "SEK",
    "Dkr": "DKK",
    "Nkr": "NOK",
    "NIS": "ILS",
    # French writes the country behind the sign, Canada's French with a blank between.
    "$US": "USD",
    "$CA": "CAD",
    "$AU": "AUD",
    "$NZ": "NZD",
    "$HK": "HKD",
    "$SG": "SGD",
    "$MX": "MXN",
    "$AR": "ARS",
    "$CL": "CLP",
    "$CO": "COP",
    "£GB": "GBP",
    "¥JP": "JPY",
    "¥CN": "CNY",
    **{f"$ {place}": f"{place}D" for place in ("US", "AU", "NZ", "HK", "SG")},
    "€": "EUR",
    "Euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₩": "KRW",
    "원": "KRW",
    "円": "JPY",
    "元": "CNY",
    "RMB": "CNY",
    "zł": "PLN",
    "zl": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "lei": "RON",
    "Lei": "RON",
    "LEI": "RON",
    "лв": "BGN",
    "₽": "RUB",
    "руб": "RUB",
    "р.": "RUB",
    "₺": "TRY",
    "TL": "TRY",
    "₴": "UAH",
    "грн": "UAH",
    "₪": "ILS",
    "฿": "THB",
    "₫": "VND",
    "đ": "VND",
    "VNĐ": "VND",
    "บาท": "THB",
    "₱": "PHP",
    "Php": "PHP",
    "₦": "NGN",
    "₸": "KZT",
    "₡": "CRC",
    "GH₵": "GHS",
    "KSh": "KES",
    "৳": "BDT",
    "Tk": "BDT",
    "S/.": "PEN",
    "S/": "PEN",
    "RM": "MYR",
    "Rp": "IDR",
    "CHF": "CHF",
    "Fr.": "CHF",
    "SFr.": "CHF",
    "Dhs.": "AED",
    "Dhs": "AED",
    "QR": "QAR",
    "SR": "SAR",
    "LE": "EGP",
    "ج.م": "EGP",
    "KD": "KWD",
    "د.ك": "KWD",
    "د.إ": "AED",
    "ر.س": "SAR",
}
_DOLLARS = {
    "US": "USD",
    "CA": "CAD",
    "AU": "AUD",
    "NZ": "NZD",
    "SG": "SGD",
    "HK": "HKD",
    "MX": "MXN",
    "AR": "ARS",
    "CL": "CLP",
    "CO": "COP",
    "TW": "TWD",
    "UY": "UYU",
}
_CROWNS = {"SE": "SEK", "SV": "SEK", "DK": "DKK", "DA": "DKK", "NO": "NOK", "NB": "NOK", "NN": "NOK", "IS": "ISK"}
_RUPEES = {"PK": "PKR", "LK": "LKR", "NP": "NPR", "MU": "MUR"}
_YEN = {"CN": "CNY", "ZH": "CNY"}

# Signs that several currencies share: the signs, the currency by place, the one of any other place.
_FAMILIES: tuple[tuple[tuple[str, ...], dict[str, str], str | None], ...] = (
    (("$",), _DOLLARS, "USD"),
    (("kr", "kr.", "Kr", "Kr."), _CROWNS, None),
    (("¥", "￥"), _YEN, "JPY"),
    (("Rs.", "Rs"), _RUPEES, "INR"),
    (("R",), {"ZA": "ZAR"}, None),
    (("din.", "din"), {"RS": "RSD", "SR": "RSD"}, None),
)

_CODE = "|".join(sorted(CODES))
_ALL = sorted((*_SIGNS, *(sign for family in _FAMILIES for sign in family[0])), key=len, reverse=True)
_GAP = "[ \u00a0\u2009\u202f\u200e\u200f]"
SIGN = "|".join(re.escape(sign).replace(r"\ ", _GAP) for sign in _ALL)
_TAIL = r"(?:[.,]\d{1,3}|[.,][-–—]{1,2}|:-)?"
_NUMBER = rf"(?:\d{{1,3}}(?:[.,'’]\d{{2,3}})*(?:{_GAP}\d{{3}})+|\d+(?:[.,'’]\d{{2,3}})*){_TAIL}"
# "59€90": the sign stands for the decimal comma.
_SPLIT = r"\d{1,4}[€£]\d{2}"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?:(?P<before>{SIGN}|(?<![A-Za-z])(?:{_CODE})){_GAP}*)?(?P<number>{_SPLIT}(?!\d)|{_NUMBER})(?![\d%])"
    rf"(?:{_GAP}*(?P<after>{SIGN}|(?:{_CODE}))(?![A-Za-z]))?"
)
_DASHES = (",-", ",–", ",—", ".-", ".–", ".—", ":-")
_LITERAL = re.compile(r"^[+]?\d+(?:\.\d+)?$")


@dataclass(frozen=True)
class Amount:
    """An amount found in text: its value, its currency where the text names one, and where it stands."""

    value: Decimal
    currency: str | None
    start: int
    end: int


def currency_of(sign: str | None, region: str | None = None) -> str | None:
    """Return the ISO 4217 code of a sign or code; ``region`` is a language tag such as ``en-CA`` and settles $, kr
    and ¥."""
    if not sign:
        return None
    text = re.sub(_GAP, " ", sign).strip()
    if text.upper() in CODES:
        return text.upper()
    places = [part.upper() for part in re.split(r"[-_]", region or "")][::-1]
    for signs, known, default in _FAMILIES:
        if text in signs:
            return next((known[place] for place in places if place in known), default)
    return _SIGNS.get(text)


def share_sign(one: str | None, two: str | None) -> bool:
    """Return whether two currencies are written with the same sign, so that the page's sign cannot tell them apart."""
    families = [{*known.values(), default} for _, known, default in _FAMILIES]
    return one == two or any(one in family and two in family for family in families)


def number(text: str, currency: str | None = None) -> Decimal | None:
    """Return the value of one number with unknown separators, or None.

    The last of two kinds of separator is the decimal one; a single one followed by exactly three digits groups
    thousands unless the currency has a minor unit of 1/1000.
    """
    digits = re.sub(rf"[{_GAP[1:-1]}'’]", "", text.strip()).rstrip("-–—:").rstrip(".,")
    dots, commas = digits.count("."), digits.count(",")
    if dots and commas:
        decimal = max(digits.rfind("."), digits.rfind(","))
    elif dots + commas == 1:
        decimal = digits.find("." if dots else ",")
        whole, fraction = digits[:decimal], digits[decimal + 1 :]
        three = MINOR_UNITS.get(currency or "", 2) == 3
        if len(fraction) == 3 and not three and 1 <= len(whole) <= 3 and whole.strip("0"):
            decimal = len(digits)
    else:
        decimal = len(digits)
    whole = re.sub(r"\D", "", digits[:decimal])
    fraction = re.sub(r"\D", "", digits[decimal + 1 :])
    try:
        return Decimal(f"{whole or '0'}.{fraction or '0'}") if fraction else Decimal(whole)
    except InvalidOperation:
        return None


def find(text: str, region: str | None = None) -> list[Amount]:
    """Return all amounts of a text, with currency where a sign or code stands beside them."""
    found = []
    for match in _AMOUNT.finditer(text[:2000]):
        after = match["after"]
        sign = (
            after
            if after in CODES
            else match["before"] or after or next((sign for sign in "€£" if sign in match["number"]), None)
        )
        if sign is None and match["number"].endswith(_DASHES):
            sign = "kr"  # "2 199,-" and "299:-": crowns where the region has them
        currency = currency_of(sign, region)
        value = number(match["number"].replace("€", ",").replace("£", "."), currency)
        if value is not None:
            found.append(Amount(value, currency, match.start(), match.end()))
    return found


def structured(
    value: object, currency: str | None = None, region: str | None = None
) -> tuple[Decimal, str | None] | None:
    """Return (value, currency) of a price property of markup, or None.

    A plain JSON number or dotted decimal is taken as it is, except that exactly three decimals group thousands
    where the currency has no such minor unit.
    """
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    if isinstance(value, int | float) or _LITERAL.match(text):
        try:
            plain = Decimal(text.lstrip("+"))
        except InvalidOperation:
            return None
        if not plain.is_finite() or plain < 0 or plain > Decimal("1e12"):
            return None
        if isinstance(value, str) and len(text.partition(".")[2]) == 3 and text[0] != "0":
            return number(text, currency) or plain, currency
        return plain, currency
    amounts = find(text, region)
    signed = next((amount for amount in amounts if amount.currency), None)
    amount = signed or (amounts[0] if amounts else None)
    return (amount.value, amount.currency or currency) if amount else None


def text_of(value: Decimal, currency: str | None = None) -> str:
    """Return decimal text: whole amounts as they are, others with the digits of the currency's minor unit."""
    if value == value.to_integral_value() and value.as_tuple().exponent in (0, 1, 2, 3):
        return f"{value:f}"
    places = MINOR_UNITS.get(currency or "", 2)
    rounded = round(value, places)
    return f"{rounded:f}" if rounded == value else f"{value.normalize():f}"
