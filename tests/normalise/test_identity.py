"""Which offer of a source it is (P-023 … P-025, PN-11), and product numbers."""

from __future__ import annotations

import pytest

from winnow.normalise.gtin import as_gtin14, read_gtin
from winnow.normalise.identity import fault, identify, parse_identity_key
from winnow.normalise.record import Identity
from winnow.normalise.urls import short_url_hash

URL = "https://s.example/a"


def test_p023_product_id_then_sku_then_url() -> None:
    assert identify("77", "A-1", URL)[0].key == "PID:77"
    assert identify(None, "A-1", URL)[0].key == "SKU:A-1"
    assert identify(None, None, URL)[0].key == f"URL:{short_url_hash(URL)}"
    assert len(identify(None, None, URL)[0].value) == 16


@pytest.mark.parametrize("bad", ["a:b", "x" * 256, "  ", "a\x00b"])
def test_pn11_an_unusable_value_falls_through_and_is_noted(bad: str) -> None:
    identity, notes = identify(bad, "SKU-1", URL)
    assert identity == Identity("SKU", "SKU-1")
    assert len(notes) == 1
    assert "PID" in notes[0]


def test_pn11_the_url_always_works() -> None:
    identity, notes = identify("a:b", "c:d", URL)
    assert identity.type == "URL"
    assert len(notes) == 2


@pytest.mark.parametrize(("kind", "value"), [("EAN", "1"), ("PID", ""), ("SKU", "a:b"), ("URL", "x" * 256)])
def test_p025_keys_that_break_a_rule_are_rejected(kind: str, value: str) -> None:
    assert fault(kind, value) is not None
    assert parse_identity_key(f"{kind}:{value}") is None


def test_p025_a_key_can_be_read_back() -> None:
    assert parse_identity_key("SKU:FEDERAL-9MM-115-50") == Identity("SKU", "FEDERAL-9MM-115-50")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4006381333931", "4006381333931"),
        ("0 36000 29145 2", "036000291452"),
        ("96385074", "96385074"),
        ("10614141000415", "10614141000415"),
        ("isbn:978-3-16-148410-0", "9783161484100"),
        ("0-306-40615-2", "9780306406157"),
        ("4006381333932", None),
        ("0000000000000", None),
        ("12345", None),
        ("", None),
        (None, None),
        ("٤٠٠٦٣٨١٣٣٣٩٣١", None),
    ],
)
def test_p016_a_gtin_counts_only_with_its_check_digit(text: str | None, expected: str | None) -> None:
    assert read_gtin(text) == expected


def test_upc_and_ean_of_one_product_are_equal_as_gtin14() -> None:
    assert as_gtin14("036000291452") == as_gtin14("0036000291452")
