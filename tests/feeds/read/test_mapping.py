"""F-076 … F-082: which column becomes what, and how values are read."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.feeds.failures import BadFile
from winnow.feeds.read.columns import NETWORKS
from winnow.feeds.read.money_columns import _hundredths
from winnow.feeds.read.parse import ParseSettings, detect, parse
from winnow.feeds.read.row import Batch, Row
from winnow.feeds.read.values import Prices, read_price, read_stock, read_upc
from winnow.normalise.record import Money

URL = "https://shop.example.com/p/1"


def read(text: str, **settings: object) -> Batch:
    batches = list(parse(io.BytesIO(text.encode()), ParseSettings(**settings)))  # type: ignore[arg-type]
    assert len(batches) == 1
    return batches[0]


def one(columns: dict[str, str], **settings: object) -> Row:
    """The row a file with just these columns and the needed ones gives."""
    needed = {"Name": "Thing", "Url": URL, "Price": "18.99"}
    known = {name.lower() for name in columns}
    cells = {name: value for name, value in needed.items() if name.lower() not in known} | columns
    quoted = [f'"{value}"' for value in cells.values()]
    batch = read(",".join(cells) + "\n" + ",".join(quoted) + "\n", **settings)
    assert not batch.errors, batch.errors
    return batch.rows[0]


def test_f077_the_example_of_the_list() -> None:
    batch = read(
        "SKU,Name,Price,SalePrice,Availability,Url\n"
        f"PSA-001,Federal 9mm 50rd,18.99,15.99,in stock,{URL}\n"
    )  # fmt: skip
    row = batch.rows[0]
    assert (row.sku, row.name, row.price, row.list_price, row.in_stock) == (
        "PSA-001",
        "Federal 9mm 50rd",
        1599,
        1899,
        True,
    )


@pytest.mark.parametrize(
    "name", ["SalePrice", "Sale Price", "CurrentPrice", "Current Price", "SALEPRICE", "sale price"]
)
def test_f076_a_sale_price_is_the_price_and_the_price_the_list_price(name: str) -> None:
    row = one({"Price": "18.99", name: "15.99"})
    assert (row.price, row.list_price) == (1599, 1899)


@pytest.mark.parametrize("name", ["Price", "price", "ListPrice", "List Price", "LISTPRICE"])
def test_f076_without_a_sale_the_price_is_the_price(name: str) -> None:
    batch = read(f"Name,Url,SalePrice,{name}\nThing,{URL},,18.99\n")
    assert (batch.rows[0].price, batch.rows[0].list_price) == (1899, None)


def test_f076_order_of_columns_is_the_lists_not_the_files() -> None:
    row = one(
        {"Current Price": "3.00", "CurrentPrice": "2.00", "Sale Price": "1.50", "SalePrice": "1.00", "Price": "9.00"}
    )
    assert row.price == 100


@pytest.mark.parametrize("name", ["OriginalPrice", "Original Price", "MSRP", "RetailPrice", "Retail Price", "msrp"])
def test_f077_an_explicit_original_price_wins_over_the_list_price(name: str) -> None:
    row = one({"Price": "18.99", "SalePrice": "15.99", name: "25.00"})
    assert (row.price, row.list_price) == (1599, 2500)


def test_f077_a_list_price_below_the_price_is_set_aside_and_told() -> None:
    batch = read(f"Name,Url,Price,MSRP\nThing,{URL},18.99,10.00\n")
    assert batch.rows[0].list_price is None
    assert [warning.code for warning in batch.warnings] == ["LIST_PRICE_REFUSED"]


def test_f076_a_sale_price_of_zero_is_no_sale() -> None:
    batch = read(f"Name,Url,Price,SalePrice\nThing,{URL},18.99,0.00\nThing,{URL},18.99,0\nThing,{URL},18.99,$0.00\n")
    assert [(row.price, row.list_price) for row in batch.rows] == [(1899, None)] * 3


def test_an_unreadable_sale_price_is_not_replaced_by_the_regular_one() -> None:
    batch = read(f"Name,Url,Price,SalePrice\nThing,{URL},18.99,ask\n")
    assert [error.code for error in batch.errors] == ["INVALID_PRICE"]


@pytest.mark.parametrize("name", ["Gtin", "GTIN", "UPC", "EAN", "ISBN", "upc", "ean"])
def test_f078_leading_zeros_stay(name: str) -> None:
    assert one({name: "020892215513"}).gtin == "020892215513"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("978-0-306-40615-7", "9780306406157"),
        ("0 20892 21551 3", "020892215513"),
        ('=""020892215513""', "020892215513"),
        ("'020892215513", "020892215513"),
        ("UPC: 020892215513", "020892215513"),
        ("080442957X", "9780804429573"),
        ("4006381333931.0", "4006381333931"),
        ("N/A", None),
        ("0", None),
        ("000000000000", None),
    ],
)
def test_f078_codes_as_files_write_them(text: str, code: str | None) -> None:
    batch = read(f'Name,Url,Price,UPC\nThing,{URL},1.00,"{text}"\n')
    assert (batch.rows[0].gtin, batch.warnings) == (code, [])


@pytest.mark.parametrize(
    "text", ["1.23457E+12", "2.08922E+11", "ABC123456789", "12", "020892215513,020892215514", "1" * 20]
)
def test_f078_a_damaged_code_is_refused_and_the_row_kept(text: str) -> None:
    batch = read(f'Name,Url,Price,UPC\nThing,{URL},1.00,"{text}"\n')
    assert batch.rows[0].gtin is None
    assert [warning.code for warning in batch.warnings] == ["GTIN_REFUSED"]


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("name", ["Name", "ProductName", "Product Name", "title", "Title"]),
        ("url", ["Url", "URL", "ProductURL", "Product URL", "Link", "url", "link"]),
        ("sku", ["SKU", "MerchantSKU", "sku", "merchant_sku", "ProductSKU", "Unique Merchant SKU"]),
        ("item_id", ["CatalogItemId", "ItemId", "item_id", "catalogItemId"]),
        ("brand", ["Manufacturer", "Brand", "brand"]),
        ("image_url", ["ImageUrl", "ImageURL", "Image URL", "Image", "PrimaryImage"]),
        ("description", ["Description", "ProductDescription", "Product Description"]),
        ("category", ["Category", "ProductCategory", "category", "Product Type"]),
    ],
)
def test_f079_f080_every_listed_name(field: str, names: list[str]) -> None:
    value = "https://a.example/x" if field in ("url", "image_url") else "Some value"
    for name in names:
        needed = {"Name": "Thing", "Url": URL, "Price": "1.00"}
        needed.pop({"name": "Name", "url": "Url"}.get(field, ""), None)
        cells = needed | {name: value}
        batch = read(",".join(cells) + "\n" + ",".join(cells.values()) + "\n")
        assert getattr(batch.rows[0], field) == value


def test_f079_priority_within_a_role() -> None:
    row = one(
        {
            "Unique Merchant SKU": "c",
            "MerchantSKU": "b",
            "SKU": "a",
            "item_id": "y",
            "CatalogItemId": "x",
            "Brand": "q",
            "Manufacturer": "p",
        }
    )
    assert (row.sku, row.item_id, row.brand) == ("a", "x", "p")
    row = one({"SKU": "", "MerchantSKU": "b"})
    assert row.sku == "b"


@pytest.mark.parametrize("name", ["Currency", "CurrencyCode", "currency"])
def test_f080_currency_and_its_default(name: str) -> None:
    assert one({name: "eur"}).currency == "EUR"
    assert one({name: ""}).currency == "USD"
    assert one({}, default_currency="GBP").currency == "GBP"


def test_f080_a_currency_that_does_not_exist_costs_the_row() -> None:
    batch = read(f"Name,Url,Price,Currency\nThing,{URL},1.00,XXX\nThing,{URL},1.00,USD\n")
    assert [(error.row_number, error.code) for error in batch.errors] == [(1, "INVALID_CURRENCY")]


@pytest.mark.parametrize(
    "word",
    ["y", "yes", "true", "1", "in stock", "InStock", "available", "low stock", "lowstock", "low_stock", "Limited"],
)
def test_f081_in_stock(word: str) -> None:
    assert read_stock(word) == (True, True)
    assert one({"StockAvailability": word}).in_stock


@pytest.mark.parametrize(
    "word",
    ["n", "no", "false", "0", "out of stock", "OutOfStock", "unavailable", "backordered", "preorder", "pre-order", "sold out", "discontinued"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["StockAvailability", "Stock Availability", "Availability", "InStock"])
def test_f082_out_of_stock(word: str, name: str) -> None:
    assert not one({name: word}).in_stock
    assert one({name: word}).stock_known


@pytest.mark.parametrize("word", ["", "ask in store", "???", "blue"])
def test_f081_an_unknown_word_is_in_stock_and_counted(word: str) -> None:
    row = one({"Availability": word})
    assert (row.in_stock, row.stock_known) == (True, False)


@pytest.mark.parametrize(
    ("word", "stock"),
    [("https://schema.org/InStock", True), ("http://schema.org/OutOfStock", False), ("in_stock", True), ("out_of_stock", False)]
    + [("25", True), ("0", False), ("IN", True), ("OUT", False), ("backorder", False), ("preorder", False), ("100+", True)],
)  # fmt: skip
def test_stock_words_of_other_networks(word: str, stock: bool) -> None:
    assert read_stock(word) == (stock, True)


@pytest.mark.parametrize(
    ("text", "currency", "minor", "stated"),
    [
        ("19.99 USD", "USD", 1999, None),
        ("USD 19.99", "USD", 1999, None),
        ("GBP19.99", "GBP", 1999, None),
        ("$1,299.00", "USD", 129900, None),
        ("1.299,00 €", "EUR", 129900, "EUR"),
        ("19,99", "EUR", 1999, "EUR"),
        ("£5", "GBP", 500, None),
        ("1299", "JPY", 1299, "JPY"),
        ("5.125", "KWD", 5125, "KWD"),
        ("19.9900", "USD", 1999, None),
        ("19.990", "USD", 1999, None),
        (" 7.5 ", "USD", 750, None),
    ],
)
def test_odd_prices(text: str, currency: str, minor: int, stated: str | None) -> None:
    row = one({"Price": text, "Currency": stated or ""})
    assert (row.price, row.currency) == (minor, currency)


def test_a_price_may_not_contradict_its_currency_column() -> None:
    batch = read(f"Name,Url,Price,Currency\nThing,{URL},19.99 EUR,USD\n")
    assert [error.code for error in batch.errors] == ["INVALID_PRICE"]


@given(
    st.from_regex(r"[0-9]{0,13}(\.[0-9]{0,4})?", fullmatch=True), st.sampled_from(["USD", "EUR", "JPY", "KWD", None])
)
def test_the_short_ways_for_plain_prices_give_what_the_reader_gives(text: str, stated: str | None) -> None:
    if not text:
        return
    found = read_price(text, stated, "USD")
    expected = (found.minor, found.currency) if isinstance(found, Money) else None
    quick = Prices(stated, "USD")[text]
    assert (quick if isinstance(quick, tuple) else None) == expected
    column = _hundredths([text])
    if column is not None and (stated or "USD") in ("USD", "EUR"):
        assert expected is not None
        assert column == [expected[0]]


@given(st.text(max_size=30))
def test_no_code_is_ever_invented(text: str) -> None:
    code, why = read_upc(text)
    if code is not None and code[:3] != "978":
        assert "".join(c for c in text if c.isdigit()).startswith(code)
    assert code is None or why is None


def test_a_dated_sale_holds_only_in_its_period() -> None:
    head = "id\ttitle\tlink\tprice\tsale_price\tsale_price_effective_date\n"
    body = f"1\tThing\t{URL}\t20.00 USD\t15.00 USD\t2026-03-01T00:00Z/2026-03-31T23:59Z\n"
    during, after = datetime(2026, 3, 15, tzinfo=UTC), datetime(2026, 4, 2, tzinfo=UTC)
    assert read(head + body, now=during).rows[0].price == 1500
    assert read(head + body, now=after).rows[0].price == 2000
    assert read(head + body).rows[0].price == 2000


# --- overrides


def test_a_feeds_own_columns_win() -> None:
    text = "Artikel,Bezeichnung,Preis,Adresse,Name\nA1,Ding,18.99,https://a.example/1,nicht dies\n"
    columns = {"sku": "Artikel", "name": "Bezeichnung", "price": "Preis", "url": "Adresse"}
    row = read(text, columns=columns).rows[0]
    assert (row.sku, row.name, row.price, row.url) == ("A1", "Ding", 1899, "https://a.example/1")


def test_columns_by_position_without_a_header() -> None:
    text = "".join(f"A{n};Thing {n};1{n}.99;https://a.example/{n}\n" for n in range(1, 5))
    columns = {"sku": "#1", "name": "#2", "price": "#3", "url": "#4"}
    batch = read(text, columns=columns)
    assert [(row.row_number, row.sku, row.price) for row in batch.rows] == [
        (n, f"A{n}", 1099 + 100 * n) for n in range(1, 5)
    ]


def test_an_override_that_names_no_column_is_told() -> None:
    with pytest.raises(BadFile, match="Preis"):
        read(f"Name,Url,Price\nThing,{URL},1.00\n", columns={"price": "Preis"})


# --- what a file is


def test_detect_tells_the_layout() -> None:
    layout = detect("SKU;Name;Price;Url\n1;Größe;1.00;https://a.example\n".encode("cp1252"))
    assert (layout.format, layout.delimiter, layout.encoding) == ("CSV", ";", "cp1252")
    assert layout.header == ("SKU", "Name", "Price", "Url")
    assert layout.mapped["name"] == ("Name",)
    assert detect(b"SKU\tName\tPrice\tUrl\n").format == "TSV"


def test_every_network_has_its_table() -> None:
    assert set(NETWORKS) == {"IMPACT", "AVANTLINK", "CJ", "RAKUTEN", "SHAREASALE", "AWIN", "GOOGLE"}
