"""XML catalogues in shapes that nobody has listed."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile

# --- XML


def document(*items: str) -> bytes:
    return f'<?xml version="1.0"?>\n<list>{"".join(items)}</list>'.encode()


def attributes(n: int, amp: str = "&amp;") -> str:
    address = f"https://a.example/{n}?a=1{amp}b=2"
    return f'<item sku="A-{n}" title="Lamp {n}" price="10.0{n}" url="{address}" ean="02000000000{n}"/>\n'


def test_a_mistake_in_an_item_of_attributes_costs_no_other() -> None:
    got = read(document(attributes(1), attributes(2, amp="&"), attributes(3).replace(" title", "title"), attributes(4)))
    assert [(row.sku, row.url) for row in got.rows] == [(f"A-{n}", f"https://a.example/{n}?a=1&b=2") for n in (1, 2, 4)]
    assert [(error.row_number, error.line) for error in got.errors] == [(3, 4)]


def test_items_of_attributes_over_many_chunks() -> None:
    text = document(*(attributes(n % 10, amp="&" if n % 7 == 0 else "&amp;") for n in range(5_000)))
    got = read(text)
    assert (len(got.rows), got.errors) == (5_000, [])


NESTED = (
    "<product><name>Lamp 1</name><identifiers><sku>A-1</sku><ean>020000000001</ean></identifiers>"
    '<offers><offer><productUrl>https://a.example/1</productUrl><price currency="GBP">10.01</price></offer></offers>'
    "<images><image>https://i.example/1.jpg</image></images></product>",
    "<offer><identifier>A-1</identifier><details><title>Lamp 1</title><ean>020000000001</ean></details>"
    '<pricing><price ccy="GBP">10.01</price></pricing><links><link>https://a.example/1</link></links>'
    "<imageUrls><image>https://i.example/1.jpg</image></imageUrls></offer>",
    '<o id="A-1" url="https://a.example/1" price="10.01" currency="GBP"><name>Lamp 1</name>'
    '<imgs><main url="https://i.example/1.jpg"/></imgs><attrs><a name="EAN">020000000001</a></attrs></o>',
    '<product ID="A-1"><name>Lamp 1</name><price currency="GBP">10.01</price><URL>https://a.example/1</URL>'
    '<images><image>https://i.example/1.jpg</image></images><properties><property name="EAN"><value>020000000001'
    "</value></property></properties></product>",
)


@pytest.mark.parametrize("item", NESTED)
def test_f134_values_inside_other_elements(item: str) -> None:
    row = read(document(item, item)).rows[0]
    assert (row.sku, row.name, row.price, row.currency) == ("A-1", "Lamp 1", 1001, "GBP")
    assert (row.url, row.gtin, row.image_url) == ("https://a.example/1", "020000000001", "https://i.example/1.jpg")


@pytest.mark.parametrize("categories", [10, 20_000])
def test_f134_the_first_product_may_stand_behind_many_categories(categories: int) -> None:
    told = "".join(f'<category id="{n}">Things of the kind {n}</category>\n' for n in range(categories))
    offer = '<offer id="{}" available="true"><url>https://a.example/1</url><price>9.00</price><name>x</name></offer>\n'
    text = (
        "Notice: slow\n<?xml version='1.0'?><yml><shop><name>S</name><categories>\n" + told + "</categories><offers>\n"
    )
    text += offer.format(1) + offer.format(2).replace("9.00", "call") + "</offers></shop></yml>"
    got = read(text.encode())
    assert ([row.sku for row in got.rows], got.read) == (["1"], 2)
    assert got.errors[0].line == text[: text.index('<offer id="2"')].count("\n") + 1


def test_an_item_that_is_opened_twice_is_one_row() -> None:
    item = "<item><id>{}</id><title>x</title><link>https://a.example/1</link><price>9.00</price></item>"
    got = read(document(item.format(1), "<item>" + item.format(2), item.format(3)))
    assert ([row.sku for row in got.rows], got.read, got.errors) == (["1", "2", "3"], 3, [])


@pytest.mark.parametrize("holder", ["shipping", "installment", "delivery", "related", "bundle"])
def test_f076_a_price_inside_something_else_is_not_the_product_s(holder: str) -> None:
    priced = "<item><id>1</id><title>x</title><link>https://a.example/1</link><price>9.00</price></item>"
    other = priced.replace("<price>9.00</price>", f"<{holder}><price>5.00</price></{holder}>")
    got = read(document(priced, other))
    assert [row.price for row in got.rows] == [900]
    assert [(error.row_number, error.code) for error in got.errors] == [(2, "MISSING_FIELD")]
    with pytest.raises(BadFile, match="price"):
        read(document(other, other))


@pytest.mark.parametrize("inside", ["<p>Warm<br>and dry<hr></p>", "<!-- no -- comment -->", "<img src='a.png'>"])
def test_html_and_comments_that_xml_does_not_allow_are_mended(inside: str) -> None:
    item = "<item><id>{n}</id><title>x</title><link>https://a.example/1</link><price>9.00</price>{more}</item>"
    good = item.format(n=1, more="")
    got = read(document(good, item.format(n=2, more=f"<description>{inside}</description>"), good))
    assert [row.sku for row in got.rows] == ["1", "2", "1"]
    assert [(note.row_number, note.code) for note in got.warnings] == [(2, "XML_REPAIRED")]
