"""What is in the box, and what one of it costs (P-016, P-017, P-031)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.kinds.reading import GENERIC, assess
from tests.product_pages import context, ld, offer, product
from winnow.normalise.pack import Pack, cost_per_unit, read_pack
from winnow.normalise.record import Money


@pytest.mark.parametrize(
    ("title", "unit", "quantity"),
    [
        ("Federal 9mm 115gr FMJ 50 Rounds", "round", "50"),
        ("20 Round Box - 5.56x45mm NATO 62 Grain", "round", "20"),
        ("1000rd Case .223 Rem", "round", "1000"),
        ("1,000 Rounds 9mm Bulk", "round", "1000"),
        ("12 ga 25 Shells", "round", "25"),
        ("AA Batteries Pack of 12", "piece", "12"),
        ("Socks 3-pack", "piece", "3"),
        ("Handtücher 6er-Pack", "piece", "6"),
        ("Kaffee 500 g", "kg", "0.5"),
        ("Olive oil 0,75 l", "l", "0.75"),
        ("Mineral water 6 x 1.5 l", "l", "9"),
        ("Coffee 12 oz", "kg", "0.340194277500"),
    ],
)
def test_p016_the_quantity_is_read_from_the_title(title: str, unit: str, quantity: str) -> None:
    assert read_pack(title, {}) == Pack(unit, Decimal(quantity))


@pytest.mark.parametrize(
    "title",
    [
        "Red Shoe",
        "9mm 115gr",
        "50 Rounds or 100 Rounds",
        "Pump 5 l/min",
        'Monitor 27"',
        "1 Round",
        "500 g or 1 kg",
        "A 0 g B",
    ],
)
def test_p016_a_title_that_names_no_quantity_or_two_says_nothing(title: str) -> None:
    assert read_pack(title, {}) is None


def test_p016_a_property_of_the_page_counts_more_than_the_title() -> None:
    assert read_pack("9mm 50 Rounds", {"round_count": "1,000"}) == Pack("round", Decimal(1000))


@pytest.mark.parametrize(("minor", "count", "cost"), [(1850, 50, 37), (1999, 20, 100), (1990, 20, 100), (1, 50, 0)])
def test_p017_cost_per_round_is_whole_cents_rounded_half_up(minor: int, count: int, cost: int) -> None:
    assert cost_per_unit(Money(minor, "USD"), Pack("round", Decimal(count))) == cost


def test_p031_the_box_price_is_kept_and_the_cost_per_round_derived() -> None:
    body = '<h1>Federal 9mm 50 Rounds</h1><p class="price">$18.50</p><p>$0.40 per round</p>'
    sold = product("Federal 9mm 50 Rounds", offer("18.50"))
    found = assess(ld(sold, title="Federal 9mm 50 Rounds", body=body), GENERIC, context()).offer
    assert found is not None
    assert found.price == Money(1850, "USD")
    assert (found.attributes["round_count"], found.attributes["cost_per_round_cents"]) == ("50", "37")
