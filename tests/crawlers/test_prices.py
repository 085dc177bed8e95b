"""Prices in the notations of many shops, held against price-parser where both have an answer."""

from decimal import Decimal

import price_parser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.readers import prices

TEXTS = [
    ("€119.95", "119.95", "EUR"),
    ("119,95 €", "119.95", "EUR"),
    ("1.299,00 €", "1299.00", "EUR"),
    ("£1,299.00", "1299.00", "GBP"),
    ("₹11,990", "11990", "INR"),
    ("₹1,29,999.00", "129999.00", "INR"),
    ("₩32,900~", "32900", "KRW"),
    ("1 099 kr", "1099", "SEK"),
    ("899:- kr", "899", "SEK"),
    ("264,00\u00a0zł", "264.00", "PLN"),
    ("US$ 76.50", "76.50", "USD"),
    ("17.95 EUR", "17.95", "EUR"),
    ("CHF 1’250.50", "1250.50", "CHF"),
    ("R$ 1.234,56", "1234.56", "BRL"),
    ("KD 24.750", "24.750", "KWD"),
    ("¥12,800", "12800", "JPY"),
    ("12 990 Ft", "12990", "HUF"),
    ("Rs. 2,499", "2499", "INR"),
    ("AED 350", "350", "AED"),
    ("1\u202f234,50\u00a0€", "1234.50", "EUR"),
]


@pytest.mark.parametrize(("text", "value", "currency"), TEXTS)
def test_notations(text, value, currency):
    (amount,) = prices.find(text, "sv-SE")
    assert (amount.value, amount.currency) == (Decimal(value), currency)


LOCAL = [
    ("459.000đ", "vi", "459000", "VND"),
    ("459.000 VNĐ", "vi", "459000", "VND"),
    ("1,290 บาท", "th", "1290", "THB"),
    ("129,99 Lei", "ro", "129.99", "RON"),
    ("1 299 р.", "ru", "1299", "RUB"),
    ("R 499.00", "en-ZA", "499.00", "ZAR"),
    ("R499", "en-ZA", "499", "ZAR"),
    ("R1 299.00", "en-ZA", "1299.00", "ZAR"),
    ("Rs.2,990.00", "en-PK", "2990.00", "PKR"),
    ("S/ 129.90", "es-PE", "129.90", "PEN"),
    ("S/.129.90", "es-PE", "129.90", "PEN"),
    ("$ 129.990", "es-CO", "129990", "COP"),
    ("QR 199", "en-QA", "199", "QAR"),
    ("SR 199.00", "en-SA", "199.00", "SAR"),
    ("Dhs. 199.00", "en-AE", "199.00", "AED"),
    ("199 ج.م", "ar-EG", "199", "EGP"),
    ("LE 499.00", "en-EG", "499.00", "EGP"),
    ("Php 1,299.00", "en-PH", "1299.00", "PHP"),
    ("29,95 Euro", "de", "29.95", "EUR"),
    ("29,95 euros", "fr", "29.95", "EUR"),
    ("1'299.– CHF", "de-CH", "1299", "CHF"),
    ("Kr. 1.299,00", "da", "1299.00", "DKK"),
    ("RMB 299", "zh", "299", "CNY"),
    ("KSh 1,200", "en-KE", "1200", "KES"),
    ("Tk 1,200", "en-BD", "1200", "BDT"),
    ("৳ 1,200", "bn", "1200", "BDT"),
    ("GH₵ 120", "en", "120", "GHS"),
    ("₡12.500", "es-CR", "12500", "CRC"),
    ("12.990,00 din", "sr", "12990.00", "RSD"),
    ("AU $89.00", "en", "89.00", "AUD"),
    ("C $89.00", "en", "89.00", "CAD"),
]


@pytest.mark.parametrize(("text", "region", "value", "currency"), LOCAL)
def test_signs_of_places(text, region, value, currency):
    (amount,) = prices.find(text, region)
    assert (amount.value, amount.currency) == (Decimal(value), currency)


def test_signs_that_currencies_share():
    assert prices.currency_of("$", "en-CA") == "CAD"
    assert prices.currency_of("$", "en-AU") == "AUD"
    assert prices.currency_of("$", "en") == "USD"
    assert prices.currency_of("kr", "da") == "DKK"
    assert prices.currency_of("kr", "en") is None


@pytest.mark.parametrize(
    ("text", "region", "value", "currency"),
    [
        ("2 199,-", "nb-NO", "2199", "NOK"),
        ("299:-", "sv-SE", "299", "SEK"),
        ("1.299,-", "da", "1299", "DKK"),
        ("49,-", "nl-NL", "49", None),
    ],
)
def test_a_dash_for_the_ore_is_crowns_where_they_are_paid_with(text, region, value, currency):
    (amount,) = prices.find(text, region)
    assert (amount.value, amount.currency) == (Decimal(value), currency)
    assert prices.currency_of("¥", "zh-CN") == "CNY"


def test_structured_values():
    assert prices.structured(135.5, "AUD") == (Decimal("135.5"), "AUD")
    assert prices.structured("1.299", "EUR") == (Decimal(1299), "EUR")
    assert prices.structured("24.750", "KWD") == (Decimal("24.750"), "KWD")
    assert prices.structured("108,50 €") == (Decimal("108.50"), "EUR")
    for bad in (None, True, "", "call us", float("nan"), float("inf"), -3):
        assert prices.structured(bad) is None


def test_text_of_amounts():
    assert prices.text_of(Decimal("135.5"), "AUD") == "135.50"
    assert prices.text_of(Decimal(899), "SEK") == "899"
    assert prices.text_of(Decimal("24.75"), "KWD") == "24.750"
    assert prices.text_of(Decimal("6480.0"), "INR") in {"6480", "6480.00"}


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 9_999_999),
    st.sampled_from(["{:,.2f}", "{:.2f}", "{:,}"]),
    st.booleans(),
    st.sampled_from(["€", "£", "$"]),
)
def test_agrees_with_price_parser(cents, form, european, sign):
    number = form.format(cents / 100 if "f" in form else cents)
    text = number.translate(str.maketrans(",.", ".,")) if european else number
    (ours,) = prices.find(f"{sign}{text}")
    theirs = price_parser.Price.fromstring(f"{sign}{text}")
    assert ours.value == theirs.amount == Decimal(number.replace(",", ""))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_never_raises(text):
    for amount in prices.find(text):
        assert amount.value >= 0
    prices.structured(text)


LOCALES = (
    "en en_GB en_CA en_AU de de_CH de_AT fr fr_CA fr_CH es es_MX it nl nl_BE pl sv da nb fi pt pt_BR cs sk hu ro el tr ru uk "
    "ja ko zh_Hans et lv lt sl hr sr_Latn he id vi th ca is"
)
CURRENCIES = (
    "USD EUR GBP CAD AUD CHF SEK DKK NOK PLN CZK HUF JPY CNY KRW INR BRL MXN NZD HKD SGD TRY RUB UAH ILS THB RON"
)


@pytest.mark.parametrize("locale", LOCALES.split())
def test_every_currency_as_the_locale_writes_it(locale):
    numbers = pytest.importorskip("babel.numbers", reason="babel is not installed (extra dev)")
    for code in CURRENCIES.split():
        text = numbers.format_currency(Decimal("1234.50"), code, locale=locale)
        (amount,) = prices.find(text, locale.replace("_", "-"))
        assert amount.currency == code, text
        assert amount.value in {Decimal("1234.5"), 1234, 1235}, text
