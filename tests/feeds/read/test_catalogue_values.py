"""Values that catalogues of shops state in their own ways: withdrawn products, old currencies, composed names (F-134)."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.read.row import Row

YML = """<?xml version="1.0"?><yml_catalog><shop><name>Shop</name><url>https://shop.test</url><offers>{}</offers></shop>
</yml_catalog>"""
DAISYCON = """<?xml version="1.0"?><datafeed><programs><program><program_info><name>Fietsplaza NL</name></program_info>
<products>{}</products></program></programs></datafeed>"""


def only(text: str, **settings: object) -> Row:
    batch = read(text, **settings)
    assert not batch.errors, batch.errors
    assert len(batch.rows) == 1
    return batch.rows[0]


@pytest.mark.parametrize("word", ["Removed", "archived", "withdrawn", "DRAFT", "gelöscht", "supprimé", "rimosso"])
@pytest.mark.parametrize("quantity", ["", "5"])
def test_a_product_that_was_taken_off_sale_is_not_in_stock(word: str, quantity: str) -> None:
    row = only(f"id,title,link,price,Quantity,Status\n1,Tent,https://shop.test/1,9.99,{quantity},{word}\n")
    assert (row.in_stock, row.stock_known) == (False, True)


@pytest.mark.parametrize(("word", "in_stock"), [("active", True), ("1", True), ("new", True), ("", True), ("0", False)])
def test_a_status_decides_only_when_it_takes_off_sale(word: str, in_stock: bool) -> None:
    row = only(f"id,title,link,price,Quantity,Status\n1,Tent,https://shop.test/1,9.99,5,{word}\n")
    assert row.in_stock is in_stock


@pytest.mark.parametrize(("published", "in_stock"), [("TRUE", True), ("FALSE", False), ("0", False), ("-1", False)])
def test_an_unpublished_product_is_not_in_stock(published: str, in_stock: bool) -> None:
    row = only(f"id,title,link,price,Published\n1,Tent,https://shop.test/1,9.99,{published}\n")
    assert row.in_stock is in_stock


def test_the_name_of_a_daisycon_programme_is_no_product_name() -> None:
    product = "<product><update_info><daisycon_unique_id>{}</daisycon_unique_id></update_info><product_info>{}"
    product += "<price>9.99</price><link>https://shop.test/1</link></product_info></product>"
    batch = read(DAISYCON.format(product.format("u1", "<title>Bell</title>") + product.format("u2", "")))
    assert [(row.item_id, row.name) for row in batch.rows] == [("u1", "Bell")]
    assert [(error.row_number, error.message) for error in batch.errors] == [(2, "name is empty")]
    flat = "daisycon_unique_id;name;title;link;price\nu1;Fietsplaza;Bell;https://shop.test/1;9.99\n"
    flat += "u2;Fietsplaza;;https://shop.test/2;9.99\n"
    batch = read(flat)
    assert ([row.name for row in batch.rows], [error.message for error in batch.errors]) == (
        ["Bell"],
        ["name is empty"],
    )


def test_an_offer_of_yandex_is_called_by_type_vendor_and_model_or_is_an_error() -> None:
    offer = '<offer id="{}"><url>https://shop.test/{}</url><price>20</price><currencyId>RUR</currencyId>{}</offer>'
    offers = [
        offer.format(1, 1, "<name>Tent</name><vendor>Acme</vendor><model>T1</model>"),
        offer.format(2, 2, "<typePrefix>Printer</typePrefix><vendor>Acme</vendor><model>L100</model>"),
        offer.format(3, 3, "<vendor>Acme</vendor><model>Acme L200</model>"),
        offer.format(4, 4, "<vendor>Acme</vendor><vendorCode>77</vendorCode>"),
    ]
    batch = read(YML.format("".join(offers)))
    assert [(row.sku, row.name) for row in batch.rows] == [
        ("1", "Tent"),
        ("2", "Printer Acme L100"),
        ("3", "Acme L200"),
    ]
    assert {row.currency for row in batch.rows} == {"RUB"}
    assert [(error.row_number, error.message) for error in batch.errors] == [(4, "name is empty")]


@pytest.mark.parametrize(
    ("amount", "code", "expected"),
    [
        ("1500", "RUR", (150_000, "RUB")), ("1500.50", "RUR", (150_050, "RUB")), ("450000", "BYR", (450_000, "BYR")),
        ("45.50", "BYN", (4_550, "BYN")),
    ],
)  # fmt: skip
def test_prices_in_currencies_of_before(amount: str, code: str, expected: tuple[int, str]) -> None:
    """RUR is how Yandex calls the rouble of today. BYR was replaced at 10,000 to 1 in 2016 and had no decimals."""
    row = only(f"id,title,link,price,currency\n1,Tent,https://shop.test/1,{amount},{code}\n")
    assert (row.price, row.currency) == expected


@pytest.mark.parametrize("amount", ["45.50", "45", "999", "1136", "9999"])
def test_an_amount_of_new_roubles_under_the_code_of_old_ones_is_refused(amount: str) -> None:
    batch = read(f"id,title,link,price,currency\n1,Tent,https://shop.test/1,{amount},BYR\n")
    assert [error.code for error in batch.errors] == ["INVALID_PRICE"]


@pytest.mark.parametrize(
    ("sku", "url", "price", "before"),
    [
        ("(field)SKU", "linkUrl", "(field)Sale Price", "(field)Price"),
        ("internal reference", "linkUrl", "PrezzoVendita", "PrezzoListino"),
        ("Référence interne", "Lien du produit", "prix actuel", "prix barre"),
        ("N° artículo en tienda", "URL del producto", "Precio actual", "PrecioAnterior"),
        ("CodiceArticolo", "UrlProdotto", "Prezzo Finale", "Prezzo barrato"),
        ("Réf. produit", "URL article", "Montant (TTC)", "Prix conseillé"),
        ("Item Code", "Product URL", "price_pc", "Old Price"),
    ],
)
def test_headers_in_other_words_are_understood(sku: str, url: str, price: str, before: str) -> None:
    row = only(f"{sku};title;{url};{price};{before}\nS-1;Tent;https://shop.test/1;9.99;12.50\n")
    assert (row.sku, row.url, row.price, row.list_price) == ("S-1", "https://shop.test/1", 999, 1250)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("https://shop.test/road bikes/kellys 9", "https://shop.test/road%20bikes/kellys%209"),
        ("https://shop.test/search?q=road bike", "https://shop.test/search?q=road%20bike"),
        ("https://shop.test/1 https://shop.test/2", None),
        ("https://shop test/1", None),
        ("see https://shop.test/1", None),
    ],
)
def test_blanks_in_an_address_are_encoded(cell: str, expected: str | None) -> None:
    batch = read(f"id,title,link,price\n1,Tent,{cell},9.99\n")
    assert [row.url for row in batch.rows] == ([expected] if expected else [])
    assert [error.code for error in batch.errors] == ([] if expected else ["INVALID_URL"])


@pytest.mark.parametrize("cell", ["159.00 RUR", "159,00 rur", "RUR 159"])
def test_f080_the_old_code_of_the_rouble_is_read_in_the_price_itself(cell: str) -> None:
    row = only(f'id,title,link,price\n1,Tent,https://shop.test/1,"{cell}"\n')
    assert (row.price, row.currency) == (15_900, "RUB")


@pytest.mark.parametrize("sale", ["USD", " EUR ", ""])
def test_f076_a_sale_price_of_a_currency_alone_is_no_sale(sale: str) -> None:
    row = only(f"id,title,link,price,sale_price\n1,Tent,https://shop.test/1,9.99 USD,{sale}\n")
    assert (row.price, row.list_price, row.currency) == (999, None, "USD")


@pytest.mark.parametrize(
    ("now", "before"),
    [("Prix actuel", "Montant (TTC)"), ("Prezzo attuale", "Prezzo"), ("Precio actual", "Precio"), ("Aktueller Preis", "Preis"), ("Huidige prijs", "Prijs")],
)  # fmt: skip
def test_f076_the_current_price_goes_before_the_other(now: str, before: str) -> None:
    row = read(f"id;Titre;url;{before};{now};Devise\nA1;Lampe;https://x.example/a;12,50;11,00;EUR\n").rows[0]
    assert (row.price, row.list_price) == (1100, 1250)


def test_f076_the_retail_price_of_ukrainian_price_lists_says_its_currency() -> None:
    items = "<item><id>7</id><name>Tent</name><url>https://shop.test/7</url><priceRUAH>1250.00</priceRUAH></item>"
    batch = read(f"<price><firmName>Shop</firmName><items>{items}{items.replace('7', '8')}</items></price>")
    assert [(row.sku, row.price, row.currency) for row in batch.rows] == [("7", 125_000, "UAH"), ("8", 125_000, "UAH")]


def test_f038_a_car_of_a_facebook_list_has_its_vehicle_id() -> None:
    row = only("vehicle_id,title,url,price\nVIN17,Cherokee,https://cars.test/1,41605.00 USD\n")
    assert (row.sku, row.price) == ("VIN17", 4_160_500)


def test_f078_codes_of_idealo_are_read() -> None:
    head = "Artikelnummer im Shop;EAN / GTIN / Barcodenummer / UPC;Herstellerartikelnummer (HAN/MPN);Produktname;Preis (Brutto);ProduktURL"
    row = read(f"{head}\nA-1;4006381333931;H1;Messinglampe;12,50;https://x.example/a\n", default_currency="EUR").rows[0]
    assert (row.gtin, row.mpn, row.price) == ("4006381333931", "H1", 1250)


WOO = "ID,Type,SKU,Name,Published,In stock?,Regular price,Sale price,Parent\n"


def test_a_product_with_variations_of_woocommerce_is_its_variations() -> None:
    rows = "11,variable,W2,Vase,1,1,,,\n12,variation,W2-S,Vase - S,1,0,9.00,,id:11\n13,simple,W3,Jug,1,1,,,\n"
    batch = read(WOO + rows, url_template="https://shop.test/?p={ID}", default_currency="EUR")
    assert [(row.sku, row.price, row.in_stock) for row in batch.rows] == [("W2-S", 900, False)]
    assert [(error.row_number, error.message) for error in batch.errors] == [(2, "there is no price")]
