"""Exports and price lists whose columns mean something only together: prices in two currencies, descriptions that are
names, a status beside the stock (F-076, F-077, F-134)."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile
from winnow.feeds.read import row as codes


@pytest.mark.parametrize(
    ("columns", "values", "expected"),
    [
        ("Price,Price EUR", "19.56,10.00", (1_000, None, "EUR")),
        ("Price,Price (EUR),Compare-at price", "19.56,10.00,30.00", (1_000, None, "EUR")),
        ("price,old_price,price_eur,old_price_eur", "19.56,30.00,10.00,15.00", (1_000, 1_500, "EUR")),
        ("Price,Price EUR,Currency", "19.56,10.00,BGN", (1_956, None, "BGN")),
        ("Price EUR,Old price", "10.00,15.00", (1_000, 1_500, "EUR")),
        ("Price,Price EUR,Price USD", "19.56,10.00,11.00", (1_956, None, "BGN")),
    ],
    ids=["two", "list price of neither", "two of each", "a column of currencies", "one", "three"],
)
def test_f077_a_price_that_says_its_currency_stands_before_one_that_does_not(
    columns: str, values: str, expected: tuple[int, int | None, str]
) -> None:
    got = read(f"sku,name,url,{columns}\nA,Lamp,https://a.example/1,{values}\n", default_currency="BGN")
    (row,) = got.rows
    assert (row.price, row.list_price, row.currency) == expected


def test_f077_a_sale_in_no_currency_beside_a_price_in_two_is_refused() -> None:
    """What is paid is the sale price, and nothing says what it is in."""
    text = "sku,name,url,Price,Price EUR,Sale price\nA,Lamp,https://a.example/1,19.56,10.00,15.00\n"
    got = read(text, default_currency="BGN")
    assert ([error.code for error in got.errors], len(got.rows)) == ([codes.AMBIGUOUS_COLUMNS], 0)


@pytest.mark.parametrize(
    "header",
    [
        "Codice;Descrizione articolo;Prezzo;URL", "Referencia;Descripción;Precio;Enlace", "Artikelnr;Omschrijving;Prijs;URL",
        "Item Number;Item Description;Price;URL",
    ],
)  # fmt: skip
def test_f076_the_description_of_a_price_list_is_the_name(header: str) -> None:
    (row,) = read(f"{header}\nA;Lamp;12,50;https://a.example/1\n").rows
    assert (row.name, row.description, row.price) == ("Lamp", None, 1_250)


def test_f076_a_description_is_no_name_where_there_is_one_or_where_it_is_a_text() -> None:
    (row,) = read("Codice;Nome;Descrizione;Prezzo;URL\nA;Lampada;Fa luce;12,50;https://a.example/1\n").rows
    assert (row.name, row.description) == ("Lampada", "Fa luce")
    with pytest.raises(BadFile, match="no column for name"):
        read("sku,description,price,url\nA,Gives light,12.50,https://a.example/1\n")


@pytest.mark.parametrize("status", ["Removed", "archived", "withdrawn", "Hidden", "private", "trash", "sold"])
def test_f081_what_is_not_offered_any_more_is_not_in_stock_however_many_there_are(status: str) -> None:
    text = "sku,name,url,price,currency,Quantity,Status\nA,Lamp,https://a.example/1,10.00,EUR,5,"
    (row,) = read(text + status + "\n").rows
    assert (row.in_stock, row.stock_known) == (False, True)
    (row,) = read(text + "Active\n").rows
    assert (row.in_stock, row.stock_known) == (True, True)
