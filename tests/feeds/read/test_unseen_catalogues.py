"""Catalogues as strangers write them: layouts nobody listed, pages of other systems, packing with something behind it."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
from contextlib import suppress

import pytest

from tests.feeds.read.catalogues import HEADER, products, written
from tests.feeds.read.reading import assert_truth, read
from winnow.feeds.failures import BadFile
from winnow.feeds.read.row import Row

# What each kind of column holds, for row n.
FILLED = {
    "sku": "A-{n}", "id": "70{n}", "name": "Lamp {n}", "price": "10.0{n}", "list": "50.00", "url": "https://a.example/{n}",
    "track": "https://click.example/{n}", "img": "https://i.example/{n}.jpg", "thumb": "https://i.example/s{n}.jpg",
    "gtin": "02000000000{n}", "brand": "Acme", "stock": "5", "no": "No", "net": "4.00", "none": "",
}  # fmt: skip


def layout(columns: str, delimiter: str = ",") -> list[Row]:
    """Rows of a file with these columns, each `header=kind`."""
    pairs = [column.rsplit("=", 1) for column in columns.split("|")]
    rows = [[FILLED.get(kind, kind).replace("{n}", str(n)) for _, kind in pairs] for n in range(1, 4)]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([[name for name, _ in pairs], *rows])
    got = read(out.getvalue().encode())
    assert (len(got.rows), got.errors) == (3, [])
    return list(got.rows)


LAYOUTS = {
    "Woo": "ID=id|SKU=sku|Name=name|In stock?=1|Sale price=price|Regular price=list|Images=img|External URL=url"
           "|GTIN, UPC, EAN, or ISBN=gtin|Brands=brand",
    "BigCommerce": "Product ID=id|Product Name=name|Product Code/SKU=sku|Brand Name=brand|Price=list|Cost Price=1.00"
                   "|Sale Price=price|Current Stock Level=stock|Product UPC/EAN=gtin|Product Image File - 1=img"
                   "|Product URL=url",
    "Commission Factory": "SKU=sku|Name=name|Brand=brand|PriceRetail=list|PriceCurrent=price|TargetUrl=url"
                          "|ImageThumb=thumb|ImageLarge=img|Stock=in stock|GTIN=gtin",
    "CJ with FROMPRICE": "NAME=name|SKU=sku|MANUFACTURER=brand|UPC=gtin|SALEPRICE=price|PRICE=list|RETAILPRICE=none"
                         "|FROMPRICE=no|BUYURL=url|IMAGEURL=img|INSTOCK=yes",
    "MSRP of 0": "sku=sku|name=name|msrp=0.00|price=list|sale_price=price|url=url|image=img|ean=gtin|brand=brand",
    "Adcell": "Deeplink=url|Produkt-Titel=name|Preis (Brutto)=price|Streichpreis=list|europäische Artikelnummer EAN=gtin"
              "|Anbieter Artikelnummer AAN=sku|Hersteller=brand|Produktbild-URL=img",
    "was and now": "sku=sku|name=name|was_price=list|now_price=price|url=url|img=img|EAN-Code=gtin|brand=brand",
    "a word before each": "item_sku=sku|item_title=name|item_price=price|item_url=url|item_image=img|item_brand=brand"
                          "|item_ean=gtin|item_msrp=list",
    "a prefix with a dot": "product.sku=sku|product.name=name|product.price=price|product.msrp=list|product.url=url"
                           "|product.image_url=img|product.gtin=gtin|product.brand=brand",
    "remarks": "SKU (unique)=sku|Product title (max 150)=name|Price (incl. VAT)=price|MSRP=list|Link (URL)=url"
               "|Image (URL)=img|Brand name=brand|GTIN (EAN/UPC)=gtin",
    "Romanian": "Cod produs=sku|Nume produs=name|Link produs=url|Imagine=img|Pret cu TVA=price|Pret fara TVA=net"
                "|Preț vechi=list|Producator=brand|Cod EAN=gtin",
}  # fmt: skip


@pytest.mark.parametrize("columns", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=repr)
def test_f134_layouts_nobody_listed(columns: str, delimiter: str) -> None:
    row = layout(columns, delimiter)[0]
    assert (row.sku, row.name, row.price, row.list_price) == ("A-1", "Lamp 1", 1001, 5000)
    assert (row.url, row.gtin, row.brand) == ("https://a.example/1", "020000000001", "Acme")
    assert row.image_url == "https://i.example/1.jpg"


@pytest.mark.parametrize(
    "trap",
    ["Price (net)=net", "Unit Price=0.10", "Shipping Price=4.99", "Wholesale Price=net", "Price (per kg)=0.50"],
)
def test_f076_a_price_of_something_else_is_never_the_price(trap: str) -> None:
    assert layout(f"sku=sku|name=name|{trap}|price=price|url=url")[0].price == 1001
    text = f"sku,name,{trap.split('=')[0]},url\n1,Lamp,4.00,https://a.example/1\n"
    with pytest.raises(BadFile, match="no column for price"):
        read(text.encode())


# A typical header in each language: number, name, price, address, picture, brand, code, stock, currency.
ABROAD = {
    "German": "Artikel-ID;Artikelbezeichnung;Bruttoverkaufspreis;Link zum Produkt;Link zum Bild;Markenname;EAN-Nummer;Verfügbar;Währung",
    "French": "Référence produit;Libellé produit;Prix TTC (€);Lien vers le produit;Lien vers l'image;Marque;Code EAN;En stock;Devise",
    "Spanish": "Código artículo;Nombre del artículo;Precio con IVA;URL producto;URL imagen;Marca;Código EAN;Existencias;Divisa",
    "Italian": "Codice;Nome del prodotto;Prezzo IVA incl.;Link prodotto;Link immagine;Produttore;Codice EAN;Giacenza;Valuta",
    "Dutch": "Artikelnummer;Naam;Prijs incl. btw;Productlink;Afbeeldingslink;Merknaam;EAN-code;Op voorraad;Munteenheid",
    "Polish": "Kod produktu;Nazwa towaru;Cena sprzedaży brutto;Link do produktu;Link do zdjęcia;Marka;Kod EAN;Stan magazynowy;Waluta",
    "Portuguese": "Referência;Título;Preço com IVA;Link do produto;Link da imagem;Marca;Código de barras;Stock;Moeda",
    "Danish": "Varenr;Produktnavn;Pris inkl. moms;Produkt URL;Billede URL;Producent;EAN;På lager;Valuta",
    "Finnish": "Tuotekoodi;Tuotteen nimi;Hinta;Tuotelinkki;Kuvan URL;Merkki;EAN-koodi;Saatavuus;Valuutta",
    "Hungarian": "Cikkszám;Termék neve;Bruttó ár;Termék URL;Kép URL;Gyártó;EAN;Készlet;Pénznem",
    "Romanian": "Cod produs;Denumire produs;Preț;URL produs;URL imagine;Brand;Cod EAN;Stoc;Monedă",
    "Turkish": "Stok Kodu;Ürün Adı;Satış Fiyatı;Ürün Linki;Resim Linki;Marka;Barkod;Stok;Para Birimi",
    "Ukrainian": "Артикул;Назва товару;Ціна;Посилання;Зображення;Виробник;Штрихкод;Наявність;Валюта",
    "Greek": "Κωδικός;Τίτλος;Τιμή;Σύνδεσμος;Εικόνα;Κατασκευαστής;EAN;Διαθεσιμότητα;Νόμισμα",
}  # fmt: skip


@pytest.mark.parametrize("header", ABROAD.values(), ids=ABROAD)
def test_f076_names_that_say_whose_they_are(header: str) -> None:
    text = "A-1;Lamp;12,50;https://a.example/1;https://i.example/1.jpg;Acme;0020000000017;0;EUR\n"
    row = read(f"{header}\n{text}".encode()).rows[0]
    assert (row.sku, row.name, row.price, row.currency, row.in_stock) == ("A-1", "Lamp", 1250, "EUR", False)
    assert (row.url, row.image_url) == ("https://a.example/1", "https://i.example/1.jpg")
    assert (row.brand, row.gtin) == ("Acme", "0020000000017")


def test_f076_a_price_with_tax_is_the_price_however_it_says_so() -> None:
    for name in ("Sell price inc. VAT", "Price, gross", "Prijs (incl. btw)", "Verkaufspreis inkl. MwSt."):
        assert layout(f"sku=sku|name=name|Price=net|{name}=price|url=url")[0].price == 1001
    row = layout("sku=sku|name=name|Price inc VAT=list|Sale price inc VAT=price|Price=net|url=url")[0]
    assert (row.price, row.list_price) == (1001, 5000)
    for name in ("Price excl. VAT", "Net price", "Prix HT", "Price ex tax", "Preis ohne MwSt."):
        with pytest.raises(BadFile, match="no column for price"):
            layout(f"sku=sku|name=name|{name}=net|url=url")


def test_f038_the_merchant_s_id_is_no_product_s() -> None:
    rows = layout("merchant_id=17|program id=4|name=name|price=price|url=url")
    assert [(row.item_id, row.sku) for row in rows] == [(None, None)] * 3


def test_an_item_id_does_not_serve_as_the_sku_too() -> None:
    row = layout("itemid=id|title=name|price=price|product_link=url")[0]
    assert (row.item_id, row.sku) == ("701", None)


@pytest.mark.parametrize("word", ["false", "No", "–", "n.a.", "#DIV/0!", "<null>"])
def test_f076_words_for_no_sale(word: str) -> None:
    row = layout(f"sku=sku|name=name|price=price|sale price={word}|url=url")[0]
    assert (row.price, row.list_price) == (1001, None)


# --- text


@pytest.mark.parametrize("page", ["cp850", "mac_roman"])
def test_what_spreadsheets_save_for_dos_and_macintosh_is_read(page: str) -> None:
    rows = [p._replace(name=f"Größe café {p.sku} Müller", brand="Zoë") for p in products(8)]
    assert_truth(read(written(rows).encode(page)), rows)


@pytest.mark.parametrize("name", ["Größe, naïve „Café“ – d’été", "Šárka’s œuvre", "ŽIŽKOV Größe", "MÜLLER Straße 5°"])
def test_windows_text_with_signs_is_not_taken_for_theirs(name: str) -> None:
    rows = [p._replace(name=f"{name} {p.sku}", brand="Müller") for p in products(8)]
    assert_truth(read(written(rows).encode("cp1252")), rows)


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf32_without_a_mark(encoding: str) -> None:
    rows = products(5, letters=" é")
    assert_truth(read(written(rows).encode(encoding)), rows)


@pytest.mark.parametrize("sign", ["\u200b", "\u200e", "\u200f", "\u2060", "\ufeff"], ids=ascii)
def test_f038_signs_without_width_are_part_of_no_id_and_no_address(sign: str) -> None:
    rows = products(3)
    hidden = [[f"{sign}{cell}{sign}" if cell else "" for cell in row] for row in rows]
    text = written(hidden, header=[f"{sign}{name}" for name in HEADER])
    assert_truth(read(text.encode()), rows)
    assert_truth(read(text.encode("utf-16")), rows)


def test_joiners_stay_where_languages_need_them() -> None:
    rows = [p._replace(name="می\u200cخواهم 👩\u200d🔧") for p in products(2)]
    assert_truth(read(written(rows).encode()), rows)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("cp852", "Žluťoučký kůň úpěl"),
        ("iso8859-15", "Prix 5 € cœur de Noël"),
        ("cp1256", "مصباح طاولة أبيض"),
        ("cp1255", "מנורת שולחן לבנה"),
    ],
)
def test_pages_that_look_like_others(page: str, name: str) -> None:
    rows = [p._replace(name=f"{name} {p.sku}") for p in products(8)]
    assert_truth(read(written(rows).encode(page)), rows)


@pytest.mark.parametrize("tail", [b"\n", b"\x1a", b"\r"])
def test_half_a_line_s_end_behind_wide_text_is_nothing(tail: bytes) -> None:
    rows = products(3)
    assert_truth(read(written(rows, end="\n").encode("utf-16") + tail), rows)
    assert_truth(read(written(rows, end="\n").encode("utf-16")[:-1]), rows)


# --- files that break off

PAGE = "<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"
FATAL = "<br />\n<b>Fatal error</b>:  Allowed memory size exhausted in <b>/feed.php</b> on line <b>12</b><br />\n"


@pytest.mark.parametrize("last_words", [PAGE, FATAL], ids=["page", "php"])
def test_f002_a_file_that_ends_in_a_server_s_error_was_cut(last_words: str) -> None:
    rows = [p._replace(description="words") for p in products(600)]
    with pytest.raises(BadFile, match="breaks off") as told:
        read((written(rows) + last_words).encode())
    assert told.value.code == "TRUNCATED"


def test_an_error_with_rows_behind_it_costs_no_more_than_its_lines() -> None:
    rows = [p._replace(description="words") for p in products(6)]
    text = written(rows[:3]) + FATAL + written(rows[3:], header=None)
    got = read(text.encode())
    assert [row.sku for row in got.rows] == [p.sku for p in rows]
    assert [error.code for error in got.errors] == ["PARSE_ERROR"] * 2


# --- packing


@pytest.mark.parametrize("junk", [b"\n", b"\x00\x00\n", b"trailing words" * 50, b"\x1f"], ids=repr)
def test_f070_what_follows_a_whole_gzip_file_is_left_out_as_gzip_does(junk: bytes) -> None:
    rows = products(40)
    data = gzip.compress(written(rows).encode()) + junk
    assert_truth(read(data), rows)


def test_f117_a_second_member_that_is_damaged_still_fails_the_file() -> None:
    whole = gzip.compress(written(products(40)).encode())
    for broken in (whole + b"\x1f\x8b" + b"x" * 40, whole + whole[:-9]):
        with pytest.raises(BadFile, match=r"damaged|cut off"):
            read(broken)


def zipped(data: bytes) -> bytearray:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("catalogue.csv", data)
    return bytearray(out.getvalue())


@pytest.mark.parametrize("cut", [1, 2, 30, 100])
def test_f117_a_zip_archive_whose_places_lead_nowhere_is_no_failure_to_try_again(cut: int) -> None:
    whole = zipped(written(products(200)).encode())
    for at in range(4, len(whole), 37):
        broken = bytes(whole[:at] + whole[at + cut :])
        with suppress(BadFile):  # permanent; whatever else comes out would be tried again
            read(broken)


def test_f019_a_header_of_bytes_that_no_table_takes_is_told_in_those_it_takes() -> None:
    head, row = (
        b"S\x00KU,Na\x00me,Price,URL\n",
        b"A,x,call,https://a.example/1\nB,\x00y\x00z,9.00,https://a.example/2\n",
    )
    got = read(head + row)
    assert len(got.errors) == 2
    told = [error.message + "".join(error.sample) for error in got.errors]
    assert not any("\x00" in text for text in told)


def archive_of(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (archive_of("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"), "spreadsheet"),
        (archive_of("mimetype", "content.xml"), "spreadsheet"),
        (b"BZh91AY&SY" + b"\x00" * 40, "bzip2"),
        (b"catalogue.csv".ljust(257, b"\x00") + b"ustar\x0000" + b"\x00" * 300, "tar archive"),
        (b"Error: access denied for feed 17", "begins with 'Error: access denied"),
        (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "AccessDenied"),
    ],
)
def test_f117_what_is_no_catalogue_is_called_by_its_name(data: bytes, told: str) -> None:
    with pytest.raises(BadFile, match=re.escape(told)):
        read(data)
