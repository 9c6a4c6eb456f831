"""F-134: catalogues whose header, quotes or elements nobody here has seen before."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile
from winnow.feeds.read.row import Row

SHOP = "https://shop.example.com"
XML = '<?xml version="1.0" encoding="UTF-8"?>'


def rows(text: str, **settings: object) -> list[Row]:
    batch = read(text.encode(), **settings)
    assert batch.errors == []
    return list(batch.rows)


HEADERS = {
    "Lithuanian": "Prekės kodas;Pavadinimas;Kaina su PVM;Kaina be PVM;Sena kaina;Nuoroda;Nuotrauka;Gamintojas;Likutis",
    "Latvian": "Kods;Nosaukums;Cena ar PVN;Cena bez PVN;Vecā cena;Saite;Attēls;Ražotājs;Atlikums",
    "Estonian": "Tootekood;Toote nimi;Hind;Hind ilma KM;Vana hind;Link;Pilt;Tootja;Laoseis",
    "Slovenian": "Šifra izdelka;Naziv izdelka;Cena z DDV;Cena brez DDV;Redna cena;Povezava;Slika;Proizvajalec;Zaloga",
    "Slovak": "Kód produktu;Názov produktu;Cena s DPH;Cena bez DPH;Pôvodná cena;Odkaz;Obrázok;Výrobca;Skladom",
    "Bulgarian": "Код;Име;Цена с ДДС;Цена без ДДС;Стара цена;Линк;Снимка;Марка;Наличност",
    "Ukrainian": "Код товару;Назва товару;Ціна;Ціна без ПДВ;Стара ціна;Посилання;Зображення;Виробник;Наявність",
    "Turkish": "Ürün Kodu;Ürün Adı;Fiyat (KDV Dahil);Fiyat (KDV Hariç);Eski Fiyat;Ürün Linki;Resim;Marka;Stok Durumu",
    "Hungarian": "Cikkszám;Terméknév;Bruttó ár;Nettó ár;Eredeti ár;Termék URL;Kép URL;Gyártó;Raktárkészlet",
    "Italian": "Codice Interno;Nome;Prezzo Vendita;Prezzo netto;Prezzo precedente;Link all'offerta;Immagine;Marca;Giacenza",
    "two languages": "SKU / Artikelnummer;Name / Bezeichnung;Price / Preis;Net price / Nettopreis;MSRP / UVP;URL / Link;"
    "Image / Bild;Brand / Marke;Stock / Bestand",
}


@pytest.mark.parametrize("language", HEADERS)
def test_f134_headers_in_more_languages(language: str) -> None:
    cells = f"A-1;Lamp;10,50;8,00;12,50;{SHOP}/1;{SHOP}/1.jpg;Acme;0"
    [row] = rows(f"{HEADERS[language]}\n{cells}\n")
    assert (row.sku, row.name, row.price, row.list_price) == ("A-1", "Lamp", 1050, 1250)
    assert (row.url, row.image_url, row.brand, row.in_stock) == (f"{SHOP}/1", f"{SHOP}/1.jpg", "Acme", False)


def test_f077_awins_price_of_a_litre_is_no_list_price() -> None:
    head = "aw_product_id,product_name,search_price,currency,merchant_deep_link,base_price,base_price_amount"
    [row] = rows(f"{head}\n7,Oil,9.99,EUR,{SHOP}/1,39.96,1\n")
    assert (row.item_id, row.price, row.list_price) == ("7", 999, None)


def test_f080_categories_are_the_category_and_not_the_type() -> None:
    [row] = rows(f"sku,product_type,categories,name,price,url\n1,simple,Home/Light,Lamp,9.99,{SHOP}/1\n")
    assert row.category == "Home/Light"


@pytest.mark.parametrize("network", ["IMPACT", "AWIN", "GOOGLE"])
def test_f134_awins_xml_shows_itself(network: str) -> None:
    product = (
        f'<prod id="701" in_stock="no"><price curr="GBP"><buynow>79.00</buynow></price><text><name>Boot</name></text>'
        f"<uri><awTrack>{SHOP}/t</awTrack><mLink>{SHOP}/1</mLink></uri><pId>B-1</pId></prod>"
    )
    [row] = rows(f'{XML}<cafProductFeed><datafeed id="2">{product}</datafeed></cafProductFeed>', network=network)
    assert (row.item_id, row.sku, row.tracking_url, row.in_stock) == ("701", "B-1", f"{SHOP}/t", False)


@pytest.mark.parametrize(("around", "item"), [("Artikelliste", "Artikel"), ("feed", "artikel"), ("oferty", "produkt")])
def test_f134_what_is_around_all_products_is_no_product(around: str, item: str) -> None:
    one = "<{item}><sku>A-{n}</sku><titel>Lamp {n}</titel><preis>9,0{n}</preis><link>{shop}/{n}</link></{item}>"
    items = "".join(one.format(item=item, n=n, shop=SHOP) for n in (1, 2, 3))
    assert [row.sku for row in rows(f"{XML}<{around}>{items}</{around}>")] == ["A-1", "A-2", "A-3"]


@pytest.mark.parametrize(
    ("quote", "delimiter"), [('"', ", "), ('"', "; "), ("~", ","), ("'", ", "), ("|", ","), ("^", "\t"), ("`", ";")]
)
def test_quotes_are_those_around_the_header_s_own_cells(quote: str, delimiter: str) -> None:
    lines = [["sku", "name", "price", "url"], ["A-1", "Lamp, oak; big", "9.99", f"{SHOP}/1"]]
    text = "\n".join(delimiter.join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
    [row] = rows(text)
    assert (row.sku, row.name, row.price, row.url) == ("A-1", "Lamp, oak; big", 999, f"{SHOP}/1")


@pytest.mark.parametrize(
    ("name", "code"),
    [("Prix (€ TTC)", "EUR"), ("Price€", "EUR"), ("Price (€, incl. VAT)", "EUR"), ("Preis (EUR) inkl. MwSt.", "EUR"),
     ("Price/EUR", "EUR"), ("PriceInEuro", "EUR"), ("EURPrice", "EUR"), ("price.eur", "EUR"), ("Prix en euros", "EUR"),
     ("Cena (zł)", "PLN"), ("Cena s DPH (Kč)", "CZK"), ("Fiyat (TL)", "TRY"), ("Цена, руб.", "RUB"), ("Ár (Ft)", "HUF")],
)  # fmt: skip
def test_f080_a_currency_anywhere_in_the_name_of_the_price(name: str, code: str) -> None:
    [row] = rows(f"sku;name;{name};url\n1;Cup;10,50;{SHOP}/1\n")
    assert (row.price, row.currency) == (1050, code)


@pytest.mark.parametrize("name", ["price_de", "Price (DE)", "Price UK", "Price/ft", "Top price"])
def test_f076_a_price_of_somewhere_or_something_is_no_price(name: str) -> None:
    with pytest.raises(BadFile, match="no column for price"):
        read(f"sku;name;{name};url\n1;Cup;10,50;{SHOP}/1\n".encode())


@pytest.mark.parametrize(
    ("cell", "code"),
    [("EUR (€)", "EUR"), ("Euro (EUR)", "EUR"), ("USD $", "USD"), ("GBP - Pound Sterling", "GBP"), ("EUR.", "EUR")],
)
def test_f080_a_currency_that_is_said_twice(cell: str, code: str) -> None:
    [row] = rows(f"sku\tname\tprice\turl\tcurrency\n1\tCup\t10.50\t{SHOP}/1\t{cell}\n")
    assert row.currency == code


@pytest.mark.parametrize("cell", ["EUR/USD", "GBP (€)", "ALL currencies", "EUR $"])
def test_f080_two_currencies_are_none(cell: str) -> None:
    [error] = read(f"sku\tname\tprice\turl\tcurrency\n1\tCup\t10.50\t{SHOP}/1\t{cell}\n".encode()).errors
    assert error.code == "INVALID_CURRENCY"


@pytest.mark.parametrize("listed", ["list_price", "regular_price", "standard_price", "price", "market_price", "msrp"])
@pytest.mark.parametrize("paid", ["our_price", "selling_price", "final_price", "sales_price", "web_price", "new_price"])
def test_f076_of_two_prices_the_one_that_is_paid_is_the_price(paid: str, listed: str) -> None:
    for names, cells in ((f"{paid},{listed}", "8.00,10.00"), (f"{listed},{paid}", "10.00,8.00")):
        [row] = rows(f"sku,name,url,{names}\n1,Mug,{SHOP}/1,{cells}\n")
        assert (row.price, row.list_price) == (800, 1000)


def test_f076_a_price_paid_of_0_is_none_and_one_with_tax_stays_before_it() -> None:
    [row] = rows(f"sku,name,url,price,sales_price\n1,Mug,{SHOP}/1,10.00,0.00\n")
    assert (row.price, row.list_price) == (1000, None)
    [row] = rows(f"sku,name,url,price_incl_vat,selling_price\n1,Mug,{SHOP}/1,12.00,10.00\n")
    assert row.price == 1200


TAXED = [
    "Preço c/ IVA|Preço s/ IVA", "Preis inkl. 19% MwSt|Preis ohne MwSt", "Prijs inclusief BTW|Prijs exclusief BTW",
    "Cena včetně DPH|Cena bez DPH", "Cijena s PDV-om|Cijena bez PDV-a", "Kaina su PVM|Kaina be PVM",
    "Τιμή με ΦΠΑ|Τιμή χωρίς ΦΠΑ", "価格(税込)|価格(税抜)", "Fiyat (KDV Dahil)|Fiyat (KDV Hariç)", "Цена с НДС|Цена без НДС",
]  # fmt: skip


@pytest.mark.parametrize("names", TAXED)
def test_f076_with_tax_and_without_in_more_languages(names: str) -> None:
    with_tax, without = names.split("|")
    for header, cells in ((f"{with_tax};{without}", "12,00;10,00"), (f"{without};{with_tax}", "10,00;12,00")):
        [row] = rows(f"sku;name;url;{header}\n1;Mug;{SHOP}/1;{cells}\n")
        assert row.price == 1200
    with pytest.raises(BadFile, match="no column for price"):
        read(f"sku;name;url;{without}\n1;Mug;{SHOP}/1;10,00\n".encode())


@pytest.mark.parametrize(
    "header",
    ["sku;title_de;link_de;price;description_de", "sku;Name (en);URL [en];Price;Description (en)"]
    + [
        "sku;name_fr;url_fr;price;description_fr",
        "sku;name_ua;url;price;description_ua",
        '"sku";"name\n(en)";"url";"price";"description"',
    ],
)
def test_f134_texts_may_say_their_language(header: str) -> None:
    [row] = rows(f"{header}\n1;Cup;{SHOP}/1;9,50;Words\n")
    assert (row.name, row.url, row.price, row.description) == ("Cup", f"{SHOP}/1", 950, "Words")


def test_f082_a_status_says_less_of_the_stock_than_a_quantity_but_in_shareasale() -> None:
    text = f"sku,name,status,quantity,price,url\n1,Mug,1,0,9.99,{SHOP}/1\n"
    assert rows(text)[0].in_stock is False
    assert rows(text.replace("1,Mug,1", "1,Mug,instock"), network="SHAREASALE")[0].in_stock is True


@pytest.mark.parametrize(
    "name",
    ["is_available", "isInStock", "inventory_quantity", "stock_count", "units_in_stock", "Stock on hand", "Lagermenge"]
    + ["Quantité en stock", "Cantidad en stock", "Stan magazynu", "Počet kusů", "Antal på lager", "Остаток"],
)
def test_f082_more_names_for_stock(name: str) -> None:
    [row] = rows(f"sku;name;url;price;{name}\n1;Mug;{SHOP}/1;9,50;0\n")
    assert (row.in_stock, row.stock_known) == (False, True)


@pytest.mark.parametrize(
    "name", ["Merchant URL", "Shop URL", "Category URL", "Basket link", "Brand page link", "Homepage"]
)
def test_f079_an_address_of_something_else_is_not_the_product_s(name: str) -> None:
    with pytest.raises(BadFile, match="no column for url"):
        read(f"sku,name,price,{name}\n1,Mug,9.50,{SHOP}/1\n".encode())
