"""F-076 … F-082: cells as spreadsheets, shop systems and people leave them. What is not sure is not used, and told."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.read.row import Batch
from winnow.feeds.read.values import read_stock

URL = "https://shop.example.com/1"
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def one(columns: dict[str, str], **settings: object) -> Batch:
    cells = {"Name": "Thing", "Url": URL, "Price": "18.99"} | columns
    out = io.StringIO()
    csv.writer(out).writerows([list(cells), list(cells.values())])
    return read(out.getvalue().encode(), **settings)


@pytest.mark.parametrize(
    ("text", "minor", "currency"),
    [("1.234,56 €", 123456, "EUR"), ("USD 12", 1200, "USD"), ("$1,234", 123400, "USD"), ("12.-", 1200, "USD")]
    + [("&pound;9.99", 999, "GBP"), ("9.99&euro;", 999, "EUR"), ("9,99 € inkl. MwSt.", 999, "EUR"), ("99p", 99, "GBP")]
    + [("'9.99", 999, "USD"), ('="9.99"', 999, "USD"), ("9.99 dollars", 999, "USD"), ("1´234.50 CHF", 123450, "CHF")],
)  # fmt: skip
def test_prices_that_can_only_mean_one_thing(text: str, minor: int, currency: str) -> None:
    [row] = one({"Price": text}, default_currency="GBP" if text.endswith("p") else "USD").rows
    assert (row.price, row.currency) == (minor, currency)


@pytest.mark.parametrize(
    "text",
    ["(5.00)", "5.00-", "free", "1.2E+03", "12. Mar", "Mar-12", "2026-03-12", "9.99 8.99", "9.99; 8.99", "<b>9.99</b>"]
    + ["9.99/kg", "from 9.99", "10.00 - 20.00", "1.234", "########", "TBD"],
)
def test_what_is_no_price_costs_the_row(text: str) -> None:
    batch = one({"Price": text})
    assert (list(batch.rows), [error.code for error in batch.errors]) == ([], ["INVALID_PRICE"])


def test_two_numbers_in_a_list_price_shift_no_other() -> None:
    lines = [f"{n},Thing,{URL},10.00,{listed}" for n, listed in enumerate(["30.00 25.00", "20.00", "15.00"])]
    batch = read(("SKU,Name,Url,Price,MSRP\n" + "\n".join(lines)).encode())
    assert [row.list_price for row in batch.rows] == [None, 2000, 1500]


@pytest.mark.parametrize(
    "word", ["oui", "sí", "да", "> 10", "5 Stück", "12 szt.", "1,200", "5.0", "Auf Lager: 3 Stück"]
)
def test_f081_more_ways_to_say_in_stock(word: str) -> None:
    assert read_stock(word) == (True, True)


@pytest.mark.parametrize("word", ["non", "нет", "yok", "-3", "0 Stück", "0.0000", "end of life", "nicht auf Lager"])
def test_f082_more_ways_to_say_out_of_stock(word: str) -> None:
    assert read_stock(word) == (False, True)


def test_f081_fewer_than_five_may_be_none() -> None:
    assert read_stock("<5") == (True, False)


@pytest.mark.parametrize(
    ("text", "name"),
    [("Tom &amp; Jerry", "Tom & Jerry"), ("5&quot; pipe", '5" pipe'), ("It&#39;s &#x26; Caf&eacute;", "It's & Café")]
    + [("AT&T", "AT&T"), ("R&D; more", "R&D; more"), ("a &amp;amp; b", "a &amp; b"), ("A&nbsp;B", "A\u00a0B")],
)  # fmt: skip
def test_names_are_text_not_html(text: str, name: str) -> None:
    [row] = one({"Name": text, "Brand": text, "Description": text}).rows
    assert (row.name, row.brand, row.description) == (name, name, text)


def test_addresses_are_not_html_either() -> None:
    [row] = one({"Url": f"{URL}?a=1&amp;b=2", "Image": "https://i.example/1.jpg?a=1&amp;b=2"}).rows
    assert (row.url, row.image_url) == (f"{URL}?a=1&b=2", "https://i.example/1.jpg?a=1&b=2")


@pytest.mark.parametrize(
    "url",
    ["https://https://shop.example.com/1", "//shop.example.com/1", "https://a b.example/", "/1", "https://a..example/1",
     "https://-/", "https://./", f"{URL}|{URL}2", f"{URL};{URL}2"],
)  # fmt: skip
def test_what_is_no_address_costs_the_row(url: str) -> None:
    assert [error.code for error in one({"Url": url}).errors] == ["INVALID_URL"]


@pytest.mark.parametrize(
    "path", ["a/../b", "go?to=https://other.example/1", "fetch/https://other.example/1", "1,2;3|4"]
)
def test_what_an_address_may_hold_costs_nothing(path: str) -> None:
    assert [row.url for row in one({"Url": URL + path}).rows] == [URL + path]


def test_f038_an_id_that_was_rounded_is_nobody_s() -> None:
    lines = [f"1.23E+11,Thing {n},{URL}{n},10.00" for n in range(3)] + [f"1E10,Thing,{URL},10.00"]
    batch = read(("SKU,Name,Url,Price\n" + "\n".join(lines)).encode())
    assert [row.sku for row in batch.rows] == [None, None, None, "1E10"]
    assert [(warning.row_number, warning.code) for warning in batch.warnings] == [(n, "ID_REFUSED") for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("begins", "ends", "price"),
    [("2026-03-01", "2026-03-31", 1500), ("2026-03-01", "", 1500), ("", "2026-03-15", 1500), ("", "", 1500)]
    + [("2026-01-01 00:00:00", "2026-01-31 23:59:59", 2000), ("2026-06-01", "", 2000), ("", "2026-03-14", 2000)]
    + [("0000-00-00", "0000-00-00 00:00:00", 1500), ("01.03.2026", "31.03.2026", 1500), ("2026/03/01", "", 1500)]
    + [("3/1/26", "3/31/26", 1500), ("soon", "", 2000)],
)  # fmt: skip
@pytest.mark.parametrize(
    "names", [("Sale Start Date", "Sale End Date"), ("special_price_from_date", "special_price_to_date")]
)
def test_a_sale_with_a_first_and_a_last_day(begins: str, ends: str, price: int, names: tuple[str, str]) -> None:
    columns = {"Price": "20.00", "Sale Price": "15.00", names[0]: begins, names[1]: ends}
    assert one(columns, now=NOW).rows[0].price == price


@pytest.mark.parametrize(
    "cell",
    ["12,50 netto", "net 12.50", "12.50 + VAT", "100+", "~12.50", "≈ 12,50", "12.50?", "<12.50", "–12.50", "VAT 12.50"]
    + ["149p", "1250 p", "12.50 ct", "12.50 ¢", "12.990", "5.000", "12.990 EUR", "EUR 5.000", "1,299円(税抜)"],
)
def test_f076_an_amount_that_is_not_quite_the_price_costs_the_row(cell: str) -> None:
    [error] = read(f"sku\tname\tprice\turl\n1\tCup\t{cell}\t{URL}\n".encode(), default_currency="EUR").errors
    assert (error.row_number, error.code) == (1, "INVALID_PRICE")


@pytest.mark.parametrize(
    ("cell", "currency", "minor"),
    [("12.990", "USD", 1299), ("1299.000", "EUR", 129900), ("0.990", "EUR", 99), ("5.000", "CLP", 5000),
     ("129.000", "VND", 129000), ("5.000", "HUF", 500000), ("49p", "GBP", 49), ("99 cents", "USD", 99),
     ("1,299円(税込)", "JPY", 1299), ("税込 1,299円", "JPY", 1299)],
)  # fmt: skip
def test_f076_a_dot_before_three_digits_is_read_where_the_currency_tells(cell: str, currency: str, minor: int) -> None:
    [row] = read(f"sku\tname\tprice\turl\n1\tCup\t{cell}\t{URL}\n".encode(), default_currency=currency).rows
    assert (row.price, row.currency) == (minor, currency)


@pytest.mark.parametrize("word", ["nee", "slut", "немає", "nėra", "nav noliktavā", "otsas", "razprodano", "няма", "无"])
def test_f082_none_left_in_smaller_languages(word: str) -> None:
    assert read_stock(word) == (False, True)


@pytest.mark.parametrize(
    "word", ["на заказ", "na objednávku", "bientôt disponible", "demnächst verfügbar", "på bestilling"]
)
def test_f082_what_comes_later_is_not_there(word: str) -> None:
    assert read_stock(word) == (False, True)


@pytest.mark.parametrize("word", ["yra sandėlyje", "ir noliktavā", "laos", "na zalogi", "na stanju", "есть"])
def test_f081_in_stock_in_smaller_languages(word: str) -> None:
    assert read_stock(word) == (True, True)


@pytest.mark.parametrize(
    ("dates", "price"),
    [
        ("2026-03-01 - 2026-03-31", 800),
        ("03/01/2026 - 03/31/2026", 800),
        ("2026-03-01,2026-03-31", 800),
        ("2026-03-01 to 2026-03-10", 1000),
        ("03/02/2026 - 04/02/2026", 1000),  # two readings, two answers
        ("2026-03-01", 1000),
    ],
)
def test_f076_the_days_of_a_sale_in_one_cell(dates: str, price: int) -> None:
    cells = {"Price": "10.00", "Sale price": "8.00", "Sale price effective date": dates}
    assert one(cells, now=NOW).rows[0].price == price


@pytest.mark.parametrize(
    ("begins", "ends", "price"),
    [
        ("3/1/26", "3/31/26", 800),
        ("01.03.26", "31.03.26", 800),
        ("28-02-2026", "31-03-2026", 800),
        ("3/1/2026 12:00:00 AM", "3/15/2026 11:59:59 AM", 1000),
        ("3/1/2026 12:00:00 AM", "3/15/2026 11:59:59 PM", 800),
    ],
)
def test_f076_short_years_and_clocks_of_twelve_hours(begins: str, ends: str, price: int) -> None:
    cells = {"Price": "10.00", "Sale price": "8.00", "Sale start date": begins, "Sale end date": ends}
    assert one(cells, now=NOW).rows[0].price == price


@pytest.mark.parametrize(("word", "code"), [("TL", "TRY"), ("RMB", "CNY")])
def test_f080_currencies_as_people_call_them(word: str, code: str) -> None:
    assert one({"Currency": word}).rows[0].currency == code
