"""Price text -> integer minor units, or the reason why not (P-027 … P-034, R-20)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.normalise.money.currencies import CODES, exponent
from winnow.normalise.money.read import parse_money, parse_number
from winnow.normalise.record import Money, Problem, Trouble


def minor(text: str, hint: str | None = None, locale: str | None = None) -> tuple[int, str]:
    money = parse_money(text, hint, locale)
    assert isinstance(money, Money), money
    return money.minor, money.currency


def trouble(text: str, hint: str | None = None, locale: str | None = None) -> Trouble:
    problem = parse_money(text, hint, locale)
    assert isinstance(problem, Problem), problem
    return problem.code


@pytest.mark.parametrize(
    ("text", "hint", "expected"),
    [
        ("1,299.00", "USD", (129900, "USD")),
        ("1.299,00", "EUR", (129900, "EUR")),
        ("12 345,60 kr", "SEK", (1234560, "SEK")),
        ("12\u00a0345,60\u202fkr", "NOK", (1234560, "NOK")),
        ("$19 99", "USD", (1999, "USD")),
        ("$19⁹⁹", "USD", (1999, "USD")),
        ("19€99", None, (1999, "EUR")),
        ("19,-", "EUR", (1900, "EUR")),
        ("1.226 €", None, (122600, "EUR")),
        ("CHF 1'299.–", None, (129900, "CHF")),
        ("₹1,29,999", None, (12999900, "INR")),
        ("１９．９９ €", None, (1999, "EUR")),
        ("R$ 1.299,90", None, (129990, "BRL")),
        ("¥1,299", "JPY", (1299, "JPY")),
        ("¥1,299", "CNY", (129900, "CNY")),
        ("KWD 1,250.500", None, (1250500, "KWD")),
        ("1.250", "KWD", (1250, "KWD")),
        ("499:-", "SEK", (49900, "SEK")),
        ("99p", None, (99, "GBP")),
        ("$.99", "USD", (99, "USD")),
        ("$0.00", "USD", (0, "USD")),
    ],
)
def test_written_prices_become_minor_units(text: str, hint: str | None, expected: tuple[int, str]) -> None:
    assert minor(text, hint) == expected


@pytest.mark.parametrize("text", ["1.226 €", "1.226", "€1.226", "1,226 €"])
def test_three_digits_after_a_dot_are_never_read_as_decimals(text: str) -> None:
    money = parse_money(text, "EUR")
    assert isinstance(money, Problem) or money == Money(122600, "EUR")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("$19.99 - $24.99", Trouble.RANGE),
        ("19 € – 24 €", Trouble.RANGE),
        ("von 19,99 € bis 24,99 €", Trouble.RANGE),
        ("from $19.99", Trouble.FROM_PRICE),
        ("ab 19,99 €", Trouble.FROM_PRICE),
        ("vanaf € 19,99", Trouble.FROM_PRICE),
        ("à partir de 19,99 €", Trouble.FROM_PRICE),
        ("desde 19,99 €", Trouble.FROM_PRICE),
        ("$12.99 $19.99", Trouble.SEVERAL),
        ("2 for $5", Trouble.SEVERAL),
    ],
)
def test_p029_text_with_more_than_one_price_is_not_read(text: str, code: Trouble) -> None:
    assert trouble(text, "EUR" if "€" in text else "USD") is code


@pytest.mark.parametrize(
    "text", ["$0.25/rd", "$0.25 per round", "2,50 € / 100 g", "1 kg = 12,99 €", "$29/mo", "10x de R$ 12,90"]
)
def test_p031_a_price_per_unit_is_not_the_selling_price(text: str) -> None:
    assert trouble(text, "BRL" if "R$" in text else "EUR" if "€" in text else "USD") is Trouble.PER_UNIT


def test_p031_the_box_price_beside_a_unit_price_is_read() -> None:
    assert minor("$19.99 ($0.40 per round)", "USD") == (1999, "USD")
    assert minor("€ 24,99 (€ 2,50 / 100 ml)") == (2499, "EUR")


@pytest.mark.parametrize(
    "text",
    [
        "was $29.99 now $19.99",
        "$19.99 was $29.99",
        "Regular price $29.99 Sale price $19.99",
        "-33% $19.99",
        "$19.99 + $5 shipping",
    ],
)
def test_p027_the_price_paid_now_is_read_not_the_old_one(text: str) -> None:
    assert minor(text, "USD") == (1999, "USD")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NaN", Trouble.NO_NUMBER),
        ("", Trouble.NO_NUMBER),
        ("Infinity", Trouble.NO_NUMBER),
        ("1e999", Trouble.NOTATION),
        ("1.5k", Trouble.NOTATION),
        ("-19.99", Trouble.NEGATIVE),
        ("$-5", Trouble.NEGATIVE),
        ("٣٤٫٥٠", Trouble.DIGITS),
        ("१९९", Trouble.DIGITS),
        ("19\x0099", Trouble.NOTATION),
        ("9" * 40, Trouble.TOO_LARGE),
        ("19.99 " * 200, Trouble.TOO_LONG),
        ("½", Trouble.NOTATION),
    ],
)
def test_r20_what_is_no_bounded_ascii_amount_is_refused(text: str, code: Trouble) -> None:
    assert trouble(text, "USD") is code


@pytest.mark.parametrize("sign", ["$", "kr", "¥", "Rs"])
def test_a_sign_of_several_currencies_needs_a_hint(sign: str) -> None:
    assert trouble(f"{sign} 100") is Trouble.CURRENCY_UNKNOWN


@pytest.mark.parametrize(
    ("text", "hint", "locale", "currency"),
    [
        ("$19.99", "CAD", None, "CAD"),
        ("$19.99", None, "en-AU", "AUD"),
        ("100 kr", None, "da", "DKK"),
        ("¥100", None, "ja-JP", "JPY"),
        ("$19.99 USD", None, None, "USD"),
        ("CA$19.99", None, None, "CAD"),
        ("US $19.99", None, None, "USD"),
    ],
)
def test_the_hint_decides_what_a_shared_sign_means(
    text: str, hint: str | None, locale: str | None, currency: str
) -> None:
    assert minor(text, hint, locale)[1] == currency


def test_a_hint_never_overrules_the_text() -> None:
    assert trouble("€19.99", "USD") is Trouble.CURRENCY_CONFLICT
    assert trouble("$19.99", "EUR") is Trouble.CURRENCY_CONFLICT


def test_a_json_number_has_a_decimal_point_and_nothing_else() -> None:
    assert parse_number("19.9", "EUR") == Money(1990, "EUR")
    assert parse_number("1299", "EUR") == Money(129900, "EUR")
    assert parse_number("24.990000000000002", "EUR") == Money(2499, "EUR")
    assert parse_number("24.989999999999998", "EUR") == Money(2499, "EUR")
    assert parse_number("19.990", "EUR") == Money(1999, "EUR")


@pytest.mark.parametrize("text", ["1.226", "1e999", "-1", "NaN", "1E5", "", "1_000"])
def test_a_json_number_that_is_no_price_is_refused(text: str) -> None:
    assert isinstance(parse_number(text, "EUR"), Problem)


amounts = st.integers(min_value=0, max_value=99_999_999)


@given(amounts, st.sampled_from(sorted(CODES)))
def test_p032_every_amount_of_every_currency_survives_plain_notation(amount: int, currency: str) -> None:
    places = exponent(currency)
    whole, part = divmod(amount, 10**places)
    text = f"{whole}.{part:0{places}d}" if places else str(whole)
    assert parse_number(text, currency) == Money(amount, currency)


@given(amounts)
def test_p032_every_amount_survives_american_and_continental_spelling(amount: int) -> None:
    american = f"{amount // 100:,}.{amount % 100:02d}"
    continental = american.translate(str.maketrans(",.", ".,"))
    spaced = american.replace(",", "\u202f").replace(".", ",")
    assert minor("$" + american, "USD") == (amount, "USD")
    assert minor(continental + " €") == (amount, "EUR")
    assert minor(spaced + " zł") == (amount, "PLN")


@given(st.text(max_size=60), st.sampled_from([None, "USD", "EUR", "JPY"]), st.sampled_from([None, "de", "en-US"]))
def test_no_text_breaks_the_parser(text: str, hint: str | None, locale: str | None) -> None:
    money = parse_money(text, hint, locale)
    assert isinstance(money, Problem) or (type(money.minor) is int and money.minor >= 0)


@given(st.text(alphabet="0123456789.,' €$-–/ abfrom", max_size=30))
def test_price_like_noise_never_becomes_a_negative_or_unbounded_amount(text: str) -> None:
    money = parse_money(text, None)
    assert isinstance(money, Problem) or 0 <= money.minor < 10**18


@given(
    amounts,
    st.sampled_from(["tys.", "Mio.", "million", "万", "rb", "mil", "bin", "m", "bn", "mille", "grand", "crore"]),
)
def test_a_multiplier_behind_a_price_is_read_or_refused_and_never_dropped(amount: int, word: str) -> None:
    money = parse_money(f"{amount // 100}.{amount % 100:02d} {word} €")
    assert isinstance(money, Problem) or money.minor >= amount * 1_000


VOCABULARY = """
    price our now only sale ft kg g l ml m oz round rounds each ea stuk Stück pack pcs was statt van voor reg MSRP save
    off shipping Versand incl VAT MwSt from ab to bis per pro / - – + = ( ) : * x for mo month R kr TL lei % & up
"""
words = st.lists(st.sampled_from(VOCABULARY.split()), max_size=4).map(" ".join)


@given(words, amounts, st.sampled_from(["{} €", "€{}", "EUR {}", "{} zł", "CHF {}", "{} Ft"]), words, st.booleans())
def test_words_around_a_price_never_change_it(before: str, amount: int, shape: str, after: str, spaced: bool) -> None:
    american = f"{amount // 100:,}.{amount % 100:02d}"
    written = american.replace(",", " ").replace(".", ",") if spaced else american
    money = parse_money(f"{before} {shape.format(written)} {after}")
    assert isinstance(money, Problem) or money.minor == amount


@given(words, st.integers(1, 99_999), words, st.integers(1, 99_999), words)
def test_of_two_prices_one_of_them_or_none_is_read(a: str, one: int, b: str, other: int, c: str) -> None:
    money = parse_money(f"{a} €{one}.00 {b} €{other}.00 {c}")
    assert isinstance(money, Problem) or money.minor in (one * 100, other * 100)
