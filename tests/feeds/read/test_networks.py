"""F-134: catalogues in the layouts of other networks, also when the feed says it is Impact's."""

from __future__ import annotations

import io

import pytest

from winnow.feeds.failures import BadFile
from winnow.feeds.read.parse import ParseSettings, parse
from winnow.feeds.read.row import Batch

SHOP = "https://shop.example.com"


def read(text: str, **settings: object) -> Batch:
    [batch] = list(parse(io.BytesIO(text.encode()), ParseSettings(**settings)))  # type: ignore[arg-type]
    return batch


@pytest.mark.parametrize("network", ["IMPACT", "AVANTLINK"])
def test_f134_avantlink(network: str) -> None:
    head = "SKU,Manufacturer Id,Brand Name,Product Name,Long Description,Short Description,Category,SubCategory,"
    head += "Product Group,Thumb URL,Image URL,Buy Link,Keywords,Reviews,Retail Price,Sale Price,UPC\n"
    row = f"T-1,MF9,Acme,Tent,Long text,Short,Camping,Tents,,{SHOP}/t.jpg,{SHOP}/i.jpg,{SHOP}/buy/1,,,199.00,149.00,012345678905\n"
    plain = f"T-2,MF8,Acme,Stove,Long text,Short,Camping,Stoves,,,,{SHOP}/buy/2,,,59.00,,\n"
    first, second = read(head + row + plain, network=network).rows
    assert (first.sku, first.name, first.price, first.list_price) == ("T-1", "Tent", 14900, 19900)
    assert (first.brand, first.mpn, first.gtin) == ("Acme", "MF9", "012345678905")
    assert (first.url, first.image_url, first.description) == (f"{SHOP}/buy/1", f"{SHOP}/i.jpg", "Long text")
    assert second.price == 5900


@pytest.mark.parametrize("network", ["IMPACT", "CJ"])
def test_f134_cj_of_today(network: str) -> None:
    head = "PROGRAM_NAME,LAST_UPDATED,ID,TITLE,DESCRIPTION,LINK,IMAGE_LINK,AVAILABILITY,PRICE,SALE_PRICE,BRAND,GTIN,MPN,CONDITION,PRODUCT_TYPE\n"
    body = f"Shop,2026-01-01,C-9,Lamp,Bright,{SHOP}/l,{SHOP}/l.jpg,out of stock,49.99 USD,39.99 USD,Lumen,00012345678905,LM-1,new,Home > Lamps\n"
    row = read(head + body, network=network).rows[0]
    assert (row.sku, row.name, row.url, row.price, row.list_price) == ("C-9", "Lamp", f"{SHOP}/l", 3999, 4999)
    assert (row.in_stock, row.brand, row.gtin, row.mpn, row.condition) == (
        False,
        "Lumen",
        "00012345678905",
        "LM-1",
        "new",
    )


def test_f134_cj_of_old() -> None:
    head = "PROGRAMNAME|NAME|KEYWORDS|DESCRIPTION|SKU|MANUFACTURER|UPC|CURRENCY|SALEPRICE|PRICE|RETAILPRICE|BUYURL|IMAGEURL|ADVERTISERCATEGORY|TITLE|INSTOCK\n"
    body = f"Shop|Lamp|k|Bright|S1|Lumen|012345678905|GBP|10.00|12.00|15.00|{SHOP}/l|{SHOP}/l.jpg|Lamps||yes\n"
    row = read(head + body, network="CJ").rows[0]
    assert (row.name, row.sku, row.price, row.list_price, row.currency) == ("Lamp", "S1", 1000, 1500, "GBP")


RAKUTEN = [
    "2022", "Great Book", "A0124", "books", "Classics", f"{SHOP}/click", f"{SHOP}/i.gif", f"{SHOP}/buy", "Short", "Long",
    "0", "amount", "24.95", "29.95", "01/01/2026", "01/02/2026", "Penguin", "4.00", "a~~b", "CU12", "Maker", "UPS", "IN",
    "9780306406157", "10", "USD", "", f"{SHOP}/px", "hardcover", "attribute",
]  # fmt: skip


def test_f134_rakuten_without_header_with_its_own_first_and_last_line() -> None:
    text = "HDR|1237|Shop|09/03/2026 00:02:32\n" + "|".join(RAKUTEN) + "\n" + "|".join(RAKUTEN[:28]) + "\nTRL|2\n"
    batch = read(text, network="RAKUTEN")
    assert (len(batch.rows), batch.errors, batch.read) == (2, [], 2)
    row = batch.rows[0]
    assert (row.item_id, row.sku, row.name, row.price, row.list_price) == ("2022", "A0124", "Great Book", 2495, 2995)
    assert (row.url, row.in_stock, row.gtin, row.brand, row.mpn) == (
        f"{SHOP}/click",
        True,
        "9780306406157",
        "Penguin",
        "CU12",
    )


def test_f134_rakuten_trailer_that_counts_more_rows_means_a_cut_file() -> None:
    text = "HDR|1237|Shop|09/03/2026 00:02:32\n" + "|".join(RAKUTEN) + "\nTRL|2\n"
    with pytest.raises(BadFile) as caught:
        list(parse(io.BytesIO(text.encode()), ParseSettings(network="RAKUTEN")))
    assert caught.value.code == "TRUNCATED"


def test_f134_shareasale_without_header() -> None:
    cells = [
        "77",
        "Mug",
        "1",
        "Shop",
        f"{SHOP}/r.cfm?u=YOURUSERID&m=1",
        f"{SHOP}/t.jpg",
        f"{SHOP}/b.jpg",
        "9.50",
        "12.00",
    ]
    cells += [
        "5",
        "33",
        "A mug",
        "",
        "",
        "",
        "",
        "",
        "2026-01-01",
        "instock",
        "Potter",
        "PN-1",
        "Kitchen",
        "Mugs",
        "Short",
    ]
    cells += ["", "012345678905", "MUG-1"]
    batch = read("|".join(cells) + "\r\n" + "|".join(cells[:19]) + "\r\n", network="SHAREASALE")
    row = batch.rows[0]
    assert (row.item_id, row.sku, row.name, row.price, row.list_price) == ("77", "MUG-1", "Mug", 950, 1200)
    assert (row.image_url, row.brand, row.mpn, row.gtin, row.category) == (
        f"{SHOP}/b.jpg",
        "Potter",
        "PN-1",
        "012345678905",
        "Kitchen",
    )


@pytest.mark.parametrize("network", ["IMPACT", "AWIN"])
def test_f134_awin(network: str) -> None:
    head = '"aw_deep_link","product_name","aw_product_id","merchant_product_id","merchant_image_url","description",'
    head += '"merchant_category","search_price","merchant_deep_link","currency","rrp_price","brand_name","in_stock","ean","mpn"\n'
    body = f'"https://www.awin1.com/p.php?p=1","Boot","901","B-1","{SHOP}/b.jpg","Warm","Shoes","79.00","{SHOP}/boot","GBP","99.00","Trek","0","5012345678900","TB"\n'
    row = read(head + body, network=network).rows[0]
    assert (row.item_id, row.sku, row.name, row.url) == ("901", "B-1", "Boot", f"{SHOP}/boot")
    assert (row.price, row.list_price, row.currency, row.in_stock) == (7900, 9900, "GBP", False)
    assert row.tracking_url == "https://www.awin1.com/p.php?p=1"


def test_f134_google_tab_separated() -> None:
    head = "id\ttitle\tdescription\tlink\timage link\tavailability\tprice\tsale price\tbrand\tgtin\tgoogle product category\n"
    body = f"G1\tChair\tSoft\t{SHOP}/c\t{SHOP}/c.jpg\tin_stock\t120.00 EUR\t99.00 EUR\tSit\t4006381333931\tFurniture\n"
    row = read(head + body, network="GOOGLE").rows[0]
    assert (row.sku, row.price, row.list_price, row.currency, row.gtin) == ("G1", 9900, 12000, "EUR", "4006381333931")


def test_f134_impact() -> None:
    head = "CatalogItemId,Name,Description,Manufacturer,Url,ImageUrl,CurrentPrice,OriginalPrice,Currency,StockAvailability,Gtin,Mpn,Unique Merchant SKU\n"
    body = f"I-1,Saw,Sharp,Cut,{SHOP}/s,{SHOP}/s.jpg,19.00,29.00,USD,InStock,012345678905,SW,SKU-9\n"
    row = read(head + body).rows[0]
    assert (row.item_id, row.sku, row.price, row.list_price, row.in_stock) == ("I-1", "SKU-9", 1900, 2900, True)


XML = '<?xml version="1.0" encoding="UTF-8"?>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"{XML}<SHOP><SHOPITEM><ITEM_ID>H1</ITEM_ID><PRODUCTNAME>Kettle</PRODUCTNAME><URL>{SHOP}/k</URL><PRICE>100"
            f"</PRICE><PRICE_VAT>121</PRICE_VAT><IMGURL>{SHOP}/k.jpg</IMGURL><MANUFACTURER>Acme</MANUFACTURER>"
            "<CATEGORYTEXT>Home | Kitchen</CATEGORYTEXT><EAN>4006381333931</EAN></SHOPITEM></SHOP>",
            ("H1", None, "Kettle", 12100, None, "CZK", True, "Acme", f"{SHOP}/k.jpg", "Home | Kitchen"),
            id="price with and without tax",
        ),
        pytest.param(
            f'{XML}<yml_catalog><shop><name>Shop</name><url>{SHOP}</url><offers><offer id="7" available="false">'
            f"<url>{SHOP}/7</url><price>600</price><oldprice>800</oldprice><currencyId>RUR</currencyId><picture>"
            f"{SHOP}/7.jpg</picture><vendor>Acme</vendor><model>Clock 7</model></offer></offers></shop></yml_catalog>",
            (None, "7", "Acme Clock 7", 60000, 80000, "RUB", False, "Acme", f"{SHOP}/7.jpg", None),
            id="offers with a model and the id of a currency",
        ),
        pytest.param(
            f'{XML}<offers><o id="5" url="{SHOP}/5" price="9.50" avail="1"><cat>Sofas</cat><name>Cover</name>'
            f'<imgs><main url="{SHOP}/5.jpg"/><i url="{SHOP}/6.jpg"/></imgs><desc>Soft</desc></o></offers>',
            (None, "5", "Cover", 950, None, "CZK", True, None, f"{SHOP}/5.jpg", "Sofas"),
            id="what matters in attributes",
        ),
        pytest.param(
            f"{XML}<mywebstore><products><product><UniqueID>9</UniqueID><name>Lamp</name><link>{SHOP}/9</link>"
            f"<price_with_vat>32.99</price_with_vat><image>{SHOP}/9.jpg</image><instock>N</instock></product>"
            "</products></mywebstore>",
            (None, "9", "Lamp", 3299, None, "CZK", False, None, f"{SHOP}/9.jpg", None),
            id="price_with_vat",
        ),
        pytest.param(
            "Artikelnummer;Produktname;Preis;Streichpreis;Währung;Produkt-URL;Bild-URL;Hersteller;Kategorie\n"
            f"D1;Stuhl;49,90;59,90;EUR;{SHOP}/d;{SHOP}/d.jpg;Sitz;Möbel\n",
            (None, "D1", "Stuhl", 4990, 5990, "EUR", True, "Sitz", f"{SHOP}/d.jpg", "Möbel"),
            id="another language",
        ),
        pytest.param(
            "ID,SKU,Name,External URL,Regular price,Sale price,In stock?,Images,Categories\n"
            f'4,W4,Cup,{SHOP}/4,12.00,9.00,0,"{SHOP}/4.jpg, {SHOP}/5.jpg",Cups\n',
            (None, "W4", "Cup", 900, 1200, "CZK", False, None, f"{SHOP}/4.jpg", "Cups"),
            id="a shop's export with several pictures",
        ),
        pytest.param(
            "name;productUrl;TrackingUrl;imageUrl;price;previousPrice;currency;TDProductId;sku;ean\n"
            f"Hat;{SHOP}/h;https://clk.example/h;{SHOP}/h.jpg;20.00;30.00;SEK;88;HAT;4006381333931\n",
            ("88", "HAT", "Hat", 2000, 3000, "SEK", True, None, f"{SHOP}/h.jpg", None),
            id="a smaller network",
        ),
        pytest.param(
            f"id,title,link,Sale price (EUR),Price (EUR)\n3,Cup,{SHOP}/3,9.00,12.00\n",
            (None, "3", "Cup", 900, 1200, "EUR", True, None, None, None),
            id="the currency in the column's name",
        ),
    ],
)  # fmt: skip
def test_f134_layouts_that_no_network_of_ours_has(text: str, expected: tuple[object, ...]) -> None:
    batch = read(text, default_currency="CZK")
    assert (batch.errors, batch.warnings) == ([], [])
    [row] = batch.rows
    assert (
        row.item_id, row.sku, row.name, row.price, row.list_price, row.currency, row.in_stock, row.brand, row.image_url,
        row.category,
    ) == expected  # fmt: skip


@pytest.mark.parametrize(("default", "rows"), [("CAD", ["CAD"]), ("EUR", [])])
def test_f080_a_bare_dollar_is_the_feed_s_own_dollar_or_none(default: str, rows: list[str]) -> None:
    batch = read(f"id,title,link,price,currency\n1,Cup,{SHOP}/1,9.00,$\n", default_currency=default)
    assert [row.currency for row in batch.rows] == rows
    assert len(batch.errors) == 1 - len(rows)


def test_f134_prices_in_two_currencies_are_no_price() -> None:
    with pytest.raises(BadFile) as caught:
        read(f"id,title,link,Price USD,Price EUR\n1,Cup,{SHOP}/1,9.00,8.00\n")
    assert caught.value.code == "MISSING_COLUMNS"
