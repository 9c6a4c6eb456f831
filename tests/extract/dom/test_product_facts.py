"""Properties, codes, description and rating that a page shows in words (C-032), and what is none of them."""

from __future__ import annotations

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.dom.product_facts import add_visible_facts
from winnow.extract.draft import Strategy, Value


def facts(body: str, **known: str) -> dict[str, str]:
    values = {name: [Value(text, Strategy.JSON_LD, name)] for name, text in known.items()}
    add_visible_facts(values, LexborHTMLParser(f"<html><body><main>{body}</main></body></html>"))
    return {name: found[0].raw for name, found in values.items()}


def table(*rows: tuple[str, str], tag: str = "table", names: str = "specs") -> str:
    if tag == "dl":
        return f"<dl class='{names}'>" + "".join(f"<dt>{a}:</dt><dd>{b}</dd>" for a, b in rows) + "</dl>"
    return f"<table class='{names}'>" + "".join(f"<tr><th>{a}</th><td>{b}</td></tr>" for a, b in rows) + "</table>"


ROWS = (("EAN", "4006381333931"), ("Marke", "Kobalt"), ("Farbe", "Blau"), ("Number of reviews", "12"))


@pytest.mark.parametrize("tag", ["dl", "table"])
def test_c032_a_list_of_properties_is_read(tag: str):
    found = facts(f"<h1>Kettle</h1>{table(*ROWS, tag=tag)}")
    assert (found["gtin"], found["brand"], found["review_count"]) == ("4006381333931", "Kobalt", "12")
    assert found["attribute.Farbe"] == "Blau"


def test_what_the_data_say_stays():
    found = facts(f"<h1>Kettle</h1>{table(*ROWS)}", brand="Azur", description="From the data.")
    assert (found["brand"], found["description"]) == ("Azur", "From the data.")


@pytest.mark.parametrize(
    "body",
    [
        table(("XS", "92"), ("S", "96"), ("M", "100"), ("Chest", "cm")),
        table(("Phone", "+31 20 1234567"), ("E-mail", "shop@example.com")),
        table(("Price (incl. tax)", "£12.00"), ("Availability", "In stock")),
        table(("You save", "£6.01 (11 %)"), ("RRP", "£55.00")),
        f"<section class=related-products>{table(*ROWS)}</section>",
        f"<footer>{table(*ROWS, tag='dl')}</footer>",
        "<table><tr><td>Kettle</td><td>Blue</td><td>1 l</td></tr><tr><td>Pot</td><td>Red</td><td>2 l</td></tr></table>",
        table(("Colour", "Blue")),
    ],
)
def test_other_tables_are_no_properties(body: str):
    assert facts(f"<h1>Kettle</h1>{body}") == {}


TEXT = "A kettle for the whole family, in blue, for every stove."


@pytest.mark.parametrize(
    "body",
    [
        f"<h2>Product Description</h2><p>{TEXT}</p><h2>Reviews</h2><p>Nobody liked it.</p>",
        f"<div><h3>Beschreibung</h3></div><p>{TEXT}</p><table></table>",
        f"<div class=product-description><style>.a {{ color: red }}</style>{TEXT}</div>",
    ],
)
def test_a_description_is_what_stands_below_its_heading(body: str):
    assert facts(f"<h1>Kettle</h1>{body}")["description"] == TEXT


@pytest.mark.parametrize(
    ("body", "rating", "best", "reviews"),
    [
        ("<div class=rating><span>★</span><span>★</span><span>☆</span><span>☆</span><span>☆</span></div>", 2, 5, None),
        ("<p class='star-rating Three'><i></i></p>", 3, 5, None),
        (
            "<div><span class=stars aria-label='4.5 out of 5 stars'></span> <a>(1,203 reviews)</a></div>",
            4.5,
            5,
            "1,203",
        ),
        ("<div class=rating-box title='4,2 von 5'></div><p>17 Bewertungen</p>", 4.2, 5, "17"),
        ("<div class=product-rating>4.7 / 5</div>", 4.7, 5, None),
    ],
)
def test_c032_a_rating_is_read_beside_the_heading(body: str, rating: float, best: int, reviews: Any):
    found = facts(f"<div><h1>Kettle</h1>{body}<h2>More</h2></div>")
    assert (float(found["rating"]), int(found["rating_best"])) == (rating, best)
    assert found.get("review_count") == reviews


@pytest.mark.parametrize(
    "body",
    [
        "<h2>Reviews</h2><div class=rating>★★★★★</div>",
        "<div class=rating>☆☆☆☆☆</div>",
        "<ul><li><div class=rating>★★★★★</div></li></ul>",
        "<div class=rating>Rate this product</div>",
    ],
)
def test_stars_of_others_and_empty_ones_are_no_rating(body: str):
    assert "rating" not in facts(f"<div><h1>Kettle</h1>{body}</div>")
