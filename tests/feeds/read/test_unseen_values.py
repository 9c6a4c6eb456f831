"""Values of cells as shops write them: codes, pictures, names, sales, currencies."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.feeds.read.reading import read

# --- values


def test_f078_a_code_as_java_writes_a_number() -> None:
    head = "sku,name,price,url,ean\n"
    rows = "".join(f"{n},x,1.00,https://a.example/{n},{code}\n" for n, code in enumerate(CODES))
    assert [row.gtin for row in read((head + rows).encode()).rows] == ["4006381333931", "4006381333931", None, None]


CODES = ["4.006381333931E12", "4006381333931.0", "4.00638E12", "4.006381333932E12"]


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("https://i.example/a (1).png", "https://i.example/a%20(1).png"),
        ("https://i.example/a.png https://i.example/b.png", "https://i.example/a.png"),
        ("https://i.exa mple/a.png", None),
        ("https://i.example/a.png, none", None),
    ],
)
def test_a_space_in_the_name_of_a_picture(cell: str, kept: str | None) -> None:
    got = read(f'sku,name,price,url,image\n1,x,1.00,https://a.example/1,"{cell}"\n'.encode())
    assert got.rows[0].image_url == kept


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("<b>Lamp</b> with &lt;i&gt;shade&lt;/i&gt;", "Lamp with shade"),
        ("Lamp<br />for two<br>", "Lamp for two"),
        ("H<sub>2</sub>O", "H2O"),
        ("Lamp,\nwhite\t(small)", "Lamp,\nwhite\t(small)"),
        ("Cable <1 m> & more", "Cable <1 m> & more"),
        ("Lamp  of  spaces", "Lamp  of  spaces"),
        ("<b></b>", None),
    ],
)
def test_a_name_is_what_is_written_without_markup(cell: str, name: str | None) -> None:
    got = read(f'sku,name,price,url\n1,"{cell}",1.00,https://a.example/1\n'.encode())
    assert [row.name for row in got.rows] == ([name] if name else [])
    assert [error.code for error in got.errors] == ([] if name else ["MISSING_FIELD"])


@pytest.mark.parametrize("word", ["out stock", "inactive", "nicht lagernd", "hors stock", "brak"])
def test_f082_more_words_for_none_left(word: str) -> None:
    got = read(f"sku,name,price,url,availability\n1,x,1.00,https://a.example/1,{word}\n".encode())
    assert (got.rows[0].in_stock, got.rows[0].stock_known) == (False, True)


@pytest.mark.parametrize(("word", "code"), [("Euros", "EUR"), ("US Dollar", "USD"), ("Pound Sterling", "GBP")])
def test_f080_currencies_in_words(word: str, code: str) -> None:
    got = read(f"sku,name,price,url,currency\n1,x,1.00,https://a.example/1,{word}\n".encode())
    assert got.rows[0].currency == code


SALE = "sku,name,price,sale_price,url,sale_start_date,sale_end_date\n1,x,10.00,5.00,https://a.example/1,{},{}\n"


@pytest.mark.parametrize(
    ("begins", "ends", "price"),
    [
        ("10/31/2026", "12/31/2026", 500),  # no 31st month
        ("11/01/2026", "12/31/2026", 500),  # told by its other end
        ("11/01/2026", "12/01/2026", 1000),  # November, or eleven days of January
        ("01/11/2026 00:00", "31/12/2026 23:59", 500),
        ("01/01/2026", "12/12/2026", 500),  # the same either way
        ("1 Nov 2026", "December 31, 2026", 500),
        ("20261101", "20261231", 500),
        ("2026-11-01 00:00:00", "2026-11-17", 500),  # to the end of the day
        ("2025-11-01", "2025-12-31", 1000),
        ("soon", "2026-12-31", 1000),
    ],
)
def test_f076_a_sale_with_dates_in_any_order(begins: str, ends: str, price: int) -> None:
    got = read(
        SALE.format(*(f'"{day}"' for day in (begins, ends))).encode(), now=datetime(2026, 11, 17, 12, tzinfo=UTC)
    )
    assert got.rows[0].price == price


@pytest.mark.parametrize(("name", "code"), [("Price (AU$)", "AUD"), ("Price HK$", "HKD"), ("US$ Price", "USD")])
def test_f080_a_dollar_in_a_column_s_name(name: str, code: str) -> None:
    got = read(f"sku,name,{name},url\n1,x,9.99,https://a.example/1\n".encode())
    assert (got.rows[0].price, got.rows[0].currency) == (999, code)
