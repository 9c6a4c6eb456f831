"""How the phrases of the vocabulary are written, and that a tree of them finds what a plain list of them finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.vocabulary.phrases import any_of, literals, pattern


@pytest.mark.parametrize(
    ("phrase", "fits", "fails"),
    [
        ("not [yet ]available", ["not available", "not yet available"], ["not  available"]),
        ("in (the|a) cart", ["in the cart", "in a cart"], ["in cart"]),
        ("only # left", ["only 3 left", "only 12 left"], ["only three left"]),
        ("niedostępn*", ["niedostępny", "niedostępn"], ["dostępny"]),
        ("^buy$", ["buy"], ["buy it", "to buy"]),
        ("<buy>", ["to buy it"], ["buyer", "rebuy"]),
        ("wait{5}$", ["wait", "wait ..."], ["wait a moment"]),
        ("j'achète", ["j'achète", "j’achète"], ["jachète"]),
        ("st. \\(new\\)", ["st. (new)"], ["sty (new)"]),
    ],
)
def test_signs_stand_for_what_varies(phrase: str, fits: list[str], fails: list[str]) -> None:
    found = re.compile(pattern(phrase))
    assert all(map(found.search, fits))
    assert not any(map(found.search, fails))


def test_the_spellings_of_a_phrase() -> None:
    assert literals("nicht [mehr ](verfügbar|lieferbar)") == [
        "nicht verfügbar",
        "nicht lieferbar",
        "nicht mehr verfügbar",
        "nicht mehr lieferbar",
    ]
    assert literals("esaurit*") == ["esaurit"]
    with pytest.raises(ValueError, match="no finite number"):
        literals("only # left")


@given(st.lists(st.text("ab ", min_size=1, max_size=4), min_size=1, max_size=8), st.text("abc ", max_size=12))
def test_a_tree_finds_what_the_list_finds_and_as_much_of_it(phrases: list[str], text: str) -> None:
    tree = re.compile(f"(?<!c)(?:{any_of(phrases)})(?!c)")
    listed = re.compile(f"(?<!c)(?:{'|'.join(map(re.escape, phrases))})(?!c)")
    assert [found[0] for found in tree.finditer(text)] == [found[0] for found in listed.finditer(text)]
