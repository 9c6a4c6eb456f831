"""JSON catalogues and addresses made by a template: exports of shop systems."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.feeds.read.reading import read
from winnow.errors import InvalidInput
from winnow.feeds.failures import BadFile
from winnow.feeds.read.json import items as json_items
from winnow.feeds.read.parse import ParseSettings, parse
from winnow.feeds.read.url_template import check_template

PRODUCTS: list[dict[str, Any]] = [
    {"id": n, "title": f"Tent {n}", "link": f"https://shop.test/{n}", "price": {"amount": f"{n}9.90", "currency": "EUR"},
     "in_stock": n % 2 == 1, "images": [f"https://shop.test/{n}.jpg", f"https://shop.test/{n}b.jpg"]}
    for n in range(1, 8)
]  # fmt: skip
LINES = "\n".join(map(json.dumps, PRODUCTS))
HELD = {"meta": {"pages": 1}, "categories": [{"code": 1, "label": "Camping"}], "data": {"items": PRODUCTS}, "end": True}


@pytest.mark.parametrize("text", [json.dumps(PRODUCTS), json.dumps(HELD, indent=1), LINES, "\ufeff" + LINES + "\n"])
def test_arrays_objects_and_lines_are_read(text: str) -> None:
    batch = read(text)
    assert not batch.errors
    found = [(row.sku, row.name, row.url, row.price, row.currency, row.in_stock) for row in batch.rows]
    assert found == [
        (str(n), f"Tent {n}", f"https://shop.test/{n}", n * 1000 + 990, "EUR", n % 2 == 1) for n in range(1, 8)
    ]
    assert batch.rows[0].image_url == "https://shop.test/1.jpg"


def test_a_file_comes_in_pieces_of_any_size() -> None:
    data = json.dumps(HELD).encode()
    for size in (1, 7, 64):
        pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
        rows = [row for batch in parse(pieces, ParseSettings()) for row in batch.rows]
        assert [row.sku for row in rows] == [str(n) for n in range(1, 8)]


@pytest.mark.parametrize("text", [json.dumps(PRODUCTS)[:-20], json.dumps(HELD)[:-200], LINES[:-10]])
def test_a_file_that_was_cut_off_fails(text: str) -> None:
    with pytest.raises(BadFile) as failed:
        read(text)
    assert failed.value.code == "TRUNCATED"


def test_what_was_read_before_the_cut_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [PRODUCTS[0] | {"id": n} for n in range(3_000)]
    reading = iter(parse(io.BytesIO(json.dumps(many).encode()[:-5]), ParseSettings()))
    assert len(next(reading).rows) > 0


def test_an_item_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM", 10_000)
    with pytest.raises(BadFile):
        read('[{"title": "' + "x" * 50_000)


@pytest.mark.parametrize("text", ['{"settings": {"theme": "dark"}}', "[1, 2, 3]", '{"a": [{"b": 1}]}'])
def test_json_that_is_no_catalogue_is_refused(text: str) -> None:
    with pytest.raises(BadFile):
        read(text)


def test_variants_of_a_product_are_offers_of_their_own() -> None:
    variants = [{"id": 11, "product_id": 1, "title": "Red / M", "sku": "T-R-M", "price": "19.90", "available": True},
                {"id": 12, "product_id": 1, "title": "Default Title", "sku": "T-D", "price": "9.90", "available": False}]  # fmt: skip
    product = {"id": 1, "title": "Shirt", "handle": "shirt", "vendor": "Acme", "variants": variants}
    batch = read(json.dumps({"products": [product]}), url_template="https://shop.test/products/{handle}")
    assert [(row.item_id, row.sku, row.name, row.price, row.in_stock, row.url) for row in batch.rows] == [
        (None, "T-R-M", "Shirt - Red / M", 1990, True, "https://shop.test/products/shirt"),
        (None, "T-D", "Shirt", 990, False, "https://shop.test/products/shirt"),
    ]


SHOPIFY = (
    "Handle,Title,Vendor,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Price / EURO,Status"
)


def test_an_export_of_shopify_becomes_usable_with_a_template() -> None:
    rows = [
        "rain-coat,Rain Coat,Acme,true,Size,S,RC-S,30.00,https://cdn.test/1.jpg,99.00,active",
        "rain-coat,,,,,M,RC-M,32.00,,99.00,",
        "rain-coat,,,,,,,,https://cdn.test/2.jpg,,",
        "big mug,Mug,Acme,true,Title,Default Title,MUG,8.00,,99.00,archived",
    ]
    text = "\n".join([SHOPIFY, *rows]) + "\n"
    with pytest.raises(BadFile, match="no column for url") as failed:
        read(text)
    assert "--url-template" in str(failed.value.hint)
    batch = read(text, url_template="https://shop.test/products/{Handle}")
    assert not batch.errors
    assert [(row.sku, row.name, row.brand, row.price, row.currency, row.in_stock) for row in batch.rows] == [
        ("RC-S", "Rain Coat - S", "Acme", 3000, "USD", True),
        ("RC-M", "Rain Coat - M", "Acme", 3200, "USD", True),
        ("MUG", "Mug", "Acme", 800, "USD", False),
    ]
    assert [row.url for row in batch.rows][1:] == [
        "https://shop.test/products/rain-coat",
        "https://shop.test/products/big%20mug",
    ]


def test_an_export_of_woocommerce_becomes_usable_with_a_template() -> None:
    text = "ID,Type,SKU,Name,Published,In stock?,Regular price,Sale price\n44,simple,M-1,Mug,1,1,8,\n45,simple,,Cup,1,0,9,7\n"
    batch = read(text, url_template="https://shop.test/?post_type=product&p={ID}")
    assert [(row.url, row.price, row.in_stock) for row in batch.rows] == [
        ("https://shop.test/?post_type=product&p=44", 800, True), ("https://shop.test/?post_type=product&p=45", 700, False)
    ]  # fmt: skip


def test_a_row_without_what_the_template_needs_is_an_error() -> None:
    batch = read("ID,Name,Price\n1,Mug,8.00\n,Cup,9.00\n", url_template="https://shop.test/{ID}")
    assert [(error.row_number, error.message) for error in batch.errors] == [(2, "url is empty")]
    with pytest.raises(BadFile, match="Slug"):
        read("ID,Name,Price\n1,Mug,8.00\n", url_template="https://shop.test/{Slug}")


@pytest.mark.parametrize(
    "wrong",
    [
        "https://{host}/x",
        "ftp://shop.test/{id}",
        "https://shop.test/x",
        "https://shop.test/{id",
        "https://shop.test{id}",
    ],
)
def test_a_template_keeps_its_host(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        check_template(wrong)
