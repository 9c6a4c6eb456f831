"""Availability only from an explicit signal (P-009, P-090)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.normalise.record import Availability
from winnow.normalise.stock import read_availability


@pytest.mark.parametrize(
    "text",
    [
        "https://schema.org/InStock",
        "http://schema.org/LimitedAvailability",
        "schema:InStock",
        "in_stock",
        "In Stock",
        "Only 3 left",
        "12 in stock",
        "10 in stock",
        "Auf Lager",
        "Sofort lieferbar, Lieferzeit 1-3 Tage",
        "Op voorraad, morgen in huis",
        "En stock, expédié sous 24h",
        "Disponible",
        "Quedan 4 unidades",
        "Stock: 5",
    ],
)
def test_in_stock(text: str) -> None:
    assert read_availability(text) is Availability.IN_STOCK


@pytest.mark.parametrize(
    "text",
    [
        "https://schema.org/OutOfStock/",
        "SoldOut",
        "http://schema.org/Discontinued",
        "out of stock",
        "Not in stock",
        "0 in stock",
        "In stock: 0",
        "Notify me when back in stock",
        "Currently unavailable",
        "Nicht auf Lager",
        "Derzeit nicht lieferbar",
        "Ausverkauft",
        "Niet op voorraad",
        "Uitverkocht",
        "Rupture de stock",
        "Actuellement indisponible",
        "Agotado",
        "No disponible",
    ],
)
def test_out_of_stock(text: str) -> None:
    assert read_availability(text) is Availability.OUT_OF_STOCK


@pytest.mark.parametrize(
    "text",
    [
        "https://schema.org/PreOrder",
        "BackOrder",
        "Available on backorder",
        "Out of stock, available on back-order",
        "Pre-order now",
        "Vorbestellbar",
        "Op bestelling",
        "Sur commande",
        "Bajo pedido",
    ],
)
def test_backorder(text: str) -> None:
    assert read_availability(text) is Availability.BACKORDER


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "Add to cart",
        "Lieferzeit 2-3 Tage",
        "Free shipping",
        "https://schema.org/",
        "true",
        "in",
        "x" * 400 + " in stock",
    ],
)
def test_p009_no_signal_stays_unknown(text: str | None) -> None:
    assert read_availability(text) is Availability.UNKNOWN


def test_p009_a_text_that_contradicts_itself_stays_unknown() -> None:
    assert read_availability("Out of stock online. In stock in our Utrecht shop.") is Availability.UNKNOWN


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert read_availability(text) in Availability
