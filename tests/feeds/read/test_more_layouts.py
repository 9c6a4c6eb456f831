"""F-134: layouts of shop systems, price comparisons and smaller networks, and headers in many languages."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile

SHOP = "https://shop.example.com"
URL, IMAGE = f"{SHOP}/1", f"{SHOP}/1.jpg"
XML = '<?xml version="1.0" encoding="UTF-8"?>'

LAYOUTS: dict[str, tuple[str, dict[str, object]]] = {
    "names of columns in a line of settings": (
        "&CID=1234567\n&SUBID=5678\n&DATEFMT=MM/DD/YYYY\n&PROCESSTYPE=OVERWRITE\n&AID=1\n"
        "&PARAMETERS=NAME|KEYWORDS|SKU|BUYURL|AVAILABLE|IMAGEURL|PRICE|RETAILPRICE|CURRENCY\n"
        f'"Tent, green","camp","T1","{URL}","no","{IMAGE}","99.00","129.00","EUR"\n',
        dict(sku="T1", name="Tent, green", url=URL, price=9900, list_price=12900, currency="EUR", in_stock=False),
    ),
    "a product in parts": (
        f'{XML}<feed><datafeed id="22" merchantName="Shop"><prod id="901" in_stock="no"><brand><brandName>Trek</brandName>'
        '</brand><cat><awCat>Footwear</awCat><mCat>Shoes</mCat></cat><price curr="GBP"><buynow>79.00</buynow><rrp>99.00</rrp>'
        f"<store>0.00</store></price><text><name>Boot</name><desc>Warm</desc></text><uri><awTrack>{SHOP}/t</awTrack><mImage>"
        f"{IMAGE}</mImage><mLink>{URL}</mLink></uri><pId>B-1</pId><ean>5012345678900</ean></prod></datafeed></feed>",
        dict(name="Boot", url=URL, tracking_url=f"{SHOP}/t", price=7900, list_price=9900, currency="GBP",
             brand="Trek", category="Shoes", image_url=IMAGE, in_stock=False),
    ),
    "several pictures in one cell": (
        "sku;brand;title;categoryPath;url;eans;hans;imageUrls;price;formerPrice;deliveryCosts_dhl\n"
        f'I1;Bosch;Drill;Tools > Drills;{URL};4006381333931;HN-1;"{IMAGE};{SHOP}/2.jpg";49,90;59,90;4,90\n',
        dict(sku="I1", price=4990, list_price=5990, gtin="4006381333931", mpn="HN-1", image_url=IMAGE),
    ),
    "short names": (
        "aid;brand;mpnr;ean;name;desc;shop_cat;price;ppu;link;image;dlv_time;dlv_cost\n"
        f"B1;Bosch;MP1;4006381333931;Saw;Good;Tools;49.90;;{URL};{IMAGE};now;4.90\n",
        dict(sku="B1", mpn="MP1", name="Saw", description="Good", category="Tools", price=4990, url=URL),
    ),
    "long names": (
        "ZupID;ProductName;ProductPrice;CurrencySymbolOfPrice;DeepLink;ImageLargeURL;ProductEAN;ProductManufacturerBrand;"
        "MerchantProductNumber;MerchantProductCategory;ProductPriceOld\n"
        f"z1;Jeans;29,99;EUR;{URL};{IMAGE};4006381333931;Acme;M1;Jeans;39,99\n",
        dict(sku="M1", name="Jeans", price=2999, list_price=3999, currency="EUR", url=URL, brand="Acme", image_url=IMAGE),
    ),
    "an old and a new price": (
        f"sku,name,url,price_old,price_new,currency\n1,Cup,{URL},12.00,9.00,EUR\n",
        dict(price=900, list_price=1200, currency="EUR"),
    ),
    "a price and a regular price": (
        f"sku,name,url,price,regular_price\n1,Cup,{URL},9.00,12.00\n",
        dict(price=900, list_price=1200),
    ),
    "only a regular price": (
        f"sku,name,url,regular_price,sale_price\n1,Cup,{URL},12.00,\n",
        dict(price=1200, list_price=None),
    ),
    "prices without and with tax in brackets": (
        f"Product ID;Image;Name;Reference;Price (tax excl.);Price (tax incl.);Quantity;Product URL\n1;;Mug;M;10;12;5;{URL}\n",
        dict(name="Mug", price=1200, url=URL, in_stock=True),
    ),
    "labels above the names": (
        "TemplateType=custom\tVersion=2018\nSeller SKU\tProduct Name\tStandard Price\tQuantity\tProduct URL\n"
        f"item_sku\titem_name\tstandard_price\tquantity\tproduct_url\nA1\tMug\t9.99\t0\t{URL}\n",
        dict(row_number=1, sku="A1", name="Mug", price=999, url=URL, in_stock=False),
    ),
    "instructions above the names": (
        '"# Required | A unique ID, e.g. FB_1","# Required | A title","# Required","# Required | e.g. 9.99 USD","# The URL"\n'
        f"id,title,availability,price,link\nF1,Shirt,in stock,9.99 USD,{URL}\n",
        dict(row_number=1, sku="F1", price=999),
    ),
    "a price in parts": (
        f'{XML}<products><product><sku>1</sku><name>Cup</name><price><amount>9.00</amount><currency>EUR</currency></price>'
        f"<url>{URL}</url></product></products>",
        dict(price=900, currency="EUR"),
    ),
    "a price as an attribute": (
        f'{XML}<products><product><sku>1</sku><name>Cup</name><price value="9.00" currency="EUR"/><url>{URL}</url>'
        "</product></products>",
        dict(price=900, currency="EUR"),
    ),
    "a form's remarks and a code of zeros": (
        f"SKU (required),Name (required),Price [required],Url (Required),GTIN (optional),EAN\n1,Cup,9.00,{URL},0,4006381333931\n",
        dict(sku="1", price=900, gtin="4006381333931"),
    ),
    "a title for readers and one for catalogues": (
        f'{XML}<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><title>Short</title><g:title>Long</g:title>'
        f"<link>{SHOP}/x</link><g:link>{URL}</g:link><g:id>1</g:id><g:price>9.00 EUR</g:price></item></channel></rss>",
        dict(name="Long", url=URL, sku="1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_f134_more_layouts(name: str) -> None:
    text, expected = LAYOUTS[name]
    batch = read(text.encode())
    assert (batch.errors, batch.warnings) == ([], [])
    [row] = batch.rows
    assert {field: getattr(row, field) for field in expected} == expected


def test_f134_without_its_last_line_a_rakuten_file_was_cut() -> None:
    row = "|".join(["1", "Book", "A1", "Books", "", URL, IMAGE, URL, "", "", "", "", "9.00", "10.00"] + [""] * 14)
    with pytest.raises(BadFile) as caught:
        read(f"HDR|1|Shop|2026-03-15\n{row}\n".encode(), network="RAKUTEN")
    assert caught.value.code == "TRUNCATED"
    assert len(read(f"{row}\n".encode(), network="RAKUTEN").rows) == 1


CELLS = ["S1", "Thing", "10,00", URL, IMAGE, "Acme", "Words", "Things"]
HEADERS = """
Artikelnummer;Artikelbezeichnung;Preis;Link;Bild-Link;Marke;Beschreibung;Kategorie
Artikel-Nr.;Titel;VK-Preis;Deeplink;Produktbild;Herstellername;Langbeschreibung;Kategoriepfad
Référence;Nom du produit;Prix TTC;URL du produit;URL de l'image;Marque;Description;Catégorie
reference;titre;prix;lien;lien image;marque;descriptif;categorie
Referencia;Nombre;Precio;Enlace;Imagen;Marca;Descripción;Categoría
Codice;Nome prodotto;Prezzo;Link;Immagine;Marchio;Descrizione;Categoria
Artikelcode;Titel;Verkoopprijs;Product URL;Afbeelding URL;Merk;Beschrijving;Categorie
Kod produktu;Nazwa;Cena;Adres URL;Zdjęcie;Producent;Opis;Kategoria
Kód;Název;Cena;URL;Obrázek;Výrobce;Popis;Kategorie
Kód;Názov;Cena;URL;Obrázok;Výrobca;Popis;Kategória
Artikelnummer;Produktnamn;Pris;Produktlänk;Bildlänk;Varumärke;Beskrivning;Kategori
Varenummer;Produktnavn;Pris;Lenke;Bilde;Merke;Beskrivelse;Kategori
Tuotenumero;Tuotenimi;Hinta;Linkki;Kuva;Merkki;Kuvaus;Kategoria
Código;Nome do produto;Preço;URL do produto;URL da imagem;Marca;Descrição;Categoria
Артикул;Название;Цена;Ссылка;Изображение;Производитель;Описание;Категория
Артикул;Назва;Ціна;Посилання;Зображення;Виробник;Опис;Категорія
Cikkszám;Terméknév;Ár;Link;Kép;Gyártó;Leírás;Kategória
Cod produs;Nume;Preț;Link;Imagine;Producător;Descriere;Categorie
Ürün Kodu;Ürün Adı;Fiyat;Link;Resim;Marka;Açıklama;Kategori
Κωδικός;Όνομα;Τιμή;Σύνδεσμος;Εικόνα;Κατασκευαστής;Περιγραφή;Κατηγορία
Код;Име;Цена;Линк;Снимка;Марка;Описание;Категория
Šifra;Naziv;Cijena;Link;Slika;Proizvođač;Opis;Kategorija
商品番号;商品名;価格;商品URL;画像URL;ブランド;説明;カテゴリ
商品编号;商品名称;价格;商品链接;图片链接;品牌;描述;分类
상품코드;상품명;가격;상품URL;이미지URL;브랜드;설명;카테고리
""".strip().splitlines()


@pytest.mark.parametrize("header", HEADERS)
def test_f076_headers_in_many_languages(header: str) -> None:
    [row] = read((header + "\n" + ";".join(CELLS) + "\n").encode(), default_currency="EUR").rows
    got = (row.sku, row.name, row.price, row.url, row.image_url, row.brand, row.description, row.category)
    assert got == ("S1", "Thing", 1000, URL, IMAGE, "Acme", "Words", "Things")


@pytest.mark.parametrize(
    "name",
    [
        "Price (€)",
        "Price EUR",
        "price_eur",
        "Price in EUR",
        "EUR Price",
        "priceEUR",
        "priceREUR",
        "Price incl. VAT (EUR)",
        "Preis [EUR]",
    ],
)
@pytest.mark.parametrize("beside", ["", ",Sale price"])
def test_f080_the_currency_in_a_column_s_name(name: str, beside: str) -> None:
    text = f"id,title,link,{name}{beside}\n3,Cup,{URL},9.00{beside and ','}\n"
    [row] = read(text.encode()).rows
    assert (row.price, row.currency) == (900, "EUR")


def test_f080_two_currencies_in_names_need_a_word_about_which() -> None:
    text = f"id,title,link,Price (€),Price (£)\n3,Cup,{URL},9.00,8.00\n".encode()
    with pytest.raises(BadFile):
        read(text)
    [row] = read(text, columns={"price": "Price (£)"}).rows
    assert (row.price, row.currency) == (800, "GBP")
