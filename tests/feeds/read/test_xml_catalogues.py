"""XML behind the same mapping: Google Merchant (RSS, Atom), AvantLink, Rakuten; broken items cost themselves only."""

from __future__ import annotations

import io

import pytest

from tests.feeds.read.google_feed import END, feed, item
from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile, RowCountLimitExceeded
from winnow.feeds.read.parse import ParseSettings, parse
from winnow.feeds.read.row import Batch, Row


def skus(batch: Batch) -> list[str | None]:
    return [row.sku for row in batch.rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1", "windows-1252", "utf-16", "utf-16-le"])
def test_google_rss_in_any_encoding(encoding: str) -> None:
    said = "UTF-16" if "16" in encoding else encoding.removesuffix("-sig")
    batch = read(feed(item(1), item(2), encoding=said).encode(encoding))
    assert [(row.sku, row.name, row.price, row.url) for row in batch.rows] == [
        (str(n), "Thing é", 1999, f"https://s.example/{n}?a=1&b=2") for n in (1, 2)
    ]
    assert not batch.errors
    assert batch.rows[0].gtin == "020892215513"


def test_many_items_over_many_chunks_keep_their_numbers() -> None:
    batch = read(feed(*(item(n) for n in range(1, 3_001))))
    assert skus(batch) == [str(n) for n in range(1, 3_001)]
    assert [row.row_number for row in batch.rows] == list(range(1, 3_001))


def test_one_endless_line_is_no_problem() -> None:
    text = feed(*(item(n) for n in range(1, 2_001))).replace("\n", "")
    assert len(read(text).rows) == 2_000


def test_atom() -> None:
    text = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>T</title>'
        '<link rel="self" href="https://s.example/feed"/>'
        '<entry><g:id>1</g:id><title>Thing</title><link rel="alternate" href="https://s.example/1"/>'
        '<link rel="self" href="https://s.example/other"/><g:price>5.00 GBP</g:price></entry></feed>'
    )
    row = read(text).rows[0]
    assert (row.name, row.url, row.price, row.currency) == ("Thing", "https://s.example/1", 500, "GBP")


def test_avantlink_shape() -> None:
    text = (
        "<?xml version='1.0'?><Products><Product><SKU>T-1</SKU><Brand_Name>Acme</Brand_Name><Product_Name>Tent</Product_Name>"
        "<Long_Description><![CDATA[<b>Warm</b> & dry]]></Long_Description><Buy_Link>https://s.example/1</Buy_Link>"
        "<Retail_Price>200.00</Retail_Price><Sale_Price>150.00</Sale_Price><UPC>012345678905</UPC></Product></Products>"
    )
    row = read(text, network="AVANTLINK").rows[0]
    assert (row.sku, row.price, row.list_price, row.description) == ("T-1", 15000, 20000, "<b>Warm</b> & dry")


def test_items_of_another_name_and_values_in_attributes() -> None:
    text = '<katalog><artikel sku="1" name="Ding" price="3.50" url="https://s.example/1"/><artikel sku="2" name="Zwei" '
    text += 'price="4.50" url="https://s.example/2"></artikel></katalog>'
    assert [(row.sku, row.price) for row in read(text).rows] == [("1", 350), ("2", 450)]


# --- broken


def test_an_unescaped_ampersand_is_repaired_and_told() -> None:
    batch = read(feed(item(1), item(2, link="https://s.example/2?a=1&b=2"), item(3)))
    assert skus(batch) == ["1", "2", "3"]
    assert batch.rows[1].url == "https://s.example/2?a=1&b=2"
    assert [(warning.row_number, warning.code) for warning in batch.warnings] == [(2, "XML_REPAIRED")]


def test_html_entities_are_characters() -> None:
    batch = read(feed(item(1, title="Caf&eacute; &nbsp; 5 < 6")))
    assert batch.rows[0].name == "Café \u00a0 5 < 6"


BROKEN = {
    "mismatched_tag": "<item><g:id>X</g:id><g:title>Bad<b></g:title></item>\n",
    "unclosed_field": "<item><g:id>X</g:id><g:title>Bad</item>\n",
    "broken_attribute": '<item kind=3"><g:id>X</g:id></item>\n',
    "no_price": "<item><g:id>X</g:id><g:title>Bad</g:title><g:link>https://s.example/x</g:link></item>\n",
    "bad_price": item(9, price="soon"),
    "bad_link": item(9, link="nowhere"),
    "two_prices": item(9).replace("</item>", "<g:price>1.00 USD</g:price></item>"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("at", [0, 2, 4])
def test_a_broken_item_is_reported_and_costs_no_other(name: str, at: int) -> None:
    items = [item(n) for n in range(1, 5)]
    items.insert(at, BROKEN[name])
    batch = read(feed(*items))
    assert skus(batch) == ["1", "2", "3", "4"]
    assert [error.row_number for error in batch.errors] == [at + 1]


@pytest.mark.parametrize("at", [0, 2, 4])
def test_an_item_that_is_never_closed_costs_no_other(at: int) -> None:
    items = [item(n) for n in range(1, 5)]
    items.insert(at, "<item><g:id>X</g:id><g:title>Bad</g:title>\n")
    batch = read(feed(*items))
    assert skus(batch) == ["1", "2", "3", "4"]
    assert [error.code for error in batch.errors] == ["PARSE_ERROR"]


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9, -len(END)])
@pytest.mark.parametrize("broken", ["", "<item><g:id>X</g:id><g:title>Bad<b></g:title></item>"])
def test_f074_a_truncated_file_hands_out_what_is_whole_and_then_fails(keep: float, broken: str) -> None:
    text = feed(*(item(n) for n in range(1, 21)))
    cut = text[: int(len(text) * keep) if keep > 0 else int(keep)]
    rows: list[Row] = []
    with pytest.raises(BadFile) as caught:
        for batch in parse(io.BytesIO(cut.replace("<item>", f"{broken}<item>", 1).encode()), ParseSettings()):
            rows += batch.rows
    assert caught.value.code == "TRUNCATED"
    assert [row.sku for row in rows] == [str(n) for n in range(1, cut.count("</item>") + 1)]


def test_control_characters_and_bad_bytes_do_not_end_it() -> None:
    text = feed(item(1, title="A\x0bB"), item(2)).encode().replace("Thing é".encode(), b"Thing \xff")
    batch = read(text)
    assert skus(batch) == ["1", "2"]
    assert batch.rows[0].name == "AB"


def test_an_end_tag_inside_cdata_ends_nothing() -> None:
    batch = read(feed(item(1, title="<![CDATA[odd </item> & <item> text]]>"), item(2)))
    assert [(row.sku, row.name) for row in batch.rows] == [("1", "odd </item> & <item> text"), ("2", "Thing é")]


# --- hostile


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE rss [<!ENTITY % p SYSTEM "http://169.254.169.254/">%p;]>',
    ],
)
def test_r18_entities_are_never_expanded(declaration: str) -> None:
    text = feed(item(1)).replace("<rss", f"{declaration}<rss", 1)
    with pytest.raises(BadFile) as caught:
        read(text)
    assert caught.value.code == "ENTITIES_REFUSED"


def test_endless_nesting_is_refused() -> None:
    with pytest.raises(BadFile):
        read(feed(item(1), "<item>" + "<a>" * 10_000))


@pytest.mark.parametrize("text", ["<rss></rss>", "<html><body>Log in</body></html>", "<a><b>1</b></a>", "<"])
def test_xml_without_products_is_no_catalogue(text: str) -> None:
    with pytest.raises(BadFile):
        read(text)


def test_f072_the_row_limit_holds() -> None:
    rows: list[Row] = []
    with pytest.raises(RowCountLimitExceeded):
        for batch in parse(io.BytesIO(feed(*(item(n) for n in range(1, 31))).encode()), ParseSettings(max_rows=20)):
            rows += batch.rows
    assert len(rows) == 20
