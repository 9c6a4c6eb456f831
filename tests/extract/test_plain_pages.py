"""Pages that no shop system marks up: which of them show a product (C-031), and what the others are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.product_pages import page
from winnow.extract.draft import Extracted, Failure
from winnow.extract.waterfall import waterfall

URL = "https://shop.example.com/product/7"


def read(body: str, kind: str = "product", url: str = URL, title: str = "Blue Kettle") -> Any:
    html = f"<html lang=en><head><title>{title}</title></head><body><main class=container>{body}</main></body></html>"
    return waterfall(page(html, url), kind)


def summary(price: str, stock: str, wrap: str = "{}") -> str:
    return wrap.format("<h1>Blue Kettle</h1>") + (
        f"<div class=rating>★★★☆☆</div><p class=mb-0>{price}</p><p class=mb-0>{stock}</p>"
        "<h2>Product Description</h2><p>A kettle for the whole family, in blue, for every stove.</p>"
    )


@pytest.mark.parametrize(
    ("price", "stock"),
    [
        ("Price: £34.65", "In stock"),
        ("Price: £34.65", "Out of stock"),
        ("£34.65", "In stock (12 available)"),
        ("Preis: 34,65 €", "Ausverkauft"),
        ("34,65 €", "Sofort verfügbar"),
        ("Prix : 34,65 €", "En stock"),
        ("Prijs: € 34,65", "Op voorraad"),
    ],
)
@pytest.mark.parametrize("wrap", ["{}", "<header>{}</header>", "<div><div>{}</div></div>"])
@pytest.mark.parametrize("kind", ["product", "offer"])
def test_price_and_stock_in_lines_below_the_heading_show_a_product(price: str, stock: str, wrap: str, kind: str):
    found = read(summary(price, stock, wrap), kind)
    assert isinstance(found, Extracted), found
    assert found.drafts[0].values["price_main"][0].raw == price


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Blue Kettle</h1><p>We paid £34.65 for it, and it was in stock at once.</p>",
        "<h1>Blue Kettle</h1><p>Price: £34.65</p><p>It is in stock in most shops, we were told.</p>",
        "<h1>Blue Kettle</h1><h2>Where to buy</h2><p>Price: £34.65</p><p>In stock</p>",
        "<h1>Blue Kettle</h1><nav><p>Price: £34.65</p><p>In stock</p></nav>",
    ],
)
def test_amounts_in_texts_and_below_other_headings_show_none(body: str):
    assert isinstance(read(body, url="https://shop.example.com/kettles"), Failure)


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Blue Kettle</h1><div class=entry><h2>3. Brush 4R6</h2></div>",  # reads like rand
        "<h1>Blue Kettle</h1><p>Our text.</p><a class='button orderBtn' href=/form>Order</a>",
        "<h1>Blue Kettle</h1><span id=lblAvailableMaps>Game Maps</span>",
    ],
)
def test_one_sign_alone_makes_no_product_of_a_page(body: str):
    found = read(body, url="https://shop.example.com/kettles")
    assert isinstance(found, Failure)
    assert found.details.startswith("page type: other")


@pytest.mark.parametrize(
    ("body", "url"),
    [
        ("<h1>Blue Kettle</h1><p class=price>£34.65</p>", "https://shop.example.com/kettles"),
        ("<h1>Blue Kettle</h1><button class=add-to-cart>Add to cart</button>", URL),
        ("<h1>Blue Kettle</h1><div>£34.65</div><button>Add to cart</button>", "https://shop.example.com/kettles"),
    ],
)
def test_a_named_price_or_two_signs_make_one(body: str, url: str):
    assert isinstance(read(body, url=url), Extracted)


CARDS = "".join(f"<li><a href=/product/{n}>Kettle {n}</a> <span>£{n}.50</span></li>" for n in range(10, 20))
NEWS = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
TOPICS = "".join(f"<li><a href=/topic-{n}-10{n}>Topic {n}</a> <span>{n} answers</span></li>" for n in range(10, 20))


@pytest.mark.parametrize(
    ("body", "type_"),
    [
        (f"<h1>Kettles</h1><ol>{CARDS}</ol>", "listing"),
        (f"<h1>Forum</h1><ol>{TOPICS}</ol>", "other"),
        ("<h1>About us</h1><p>We sell kettles.</p>", "other"),
        (f"{NEWS}<h1>News</h1><p>Kettles are back in the kitchen.</p>", "article"),
    ],
)
def test_the_reason_names_the_type_of_a_page_without_a_product(body: str, type_: str):
    found = read(body, url="https://shop.example.com/kettles", title="Kettles")
    assert isinstance(found, Failure)
    assert found.details.startswith(f"page type: {type_} (")
