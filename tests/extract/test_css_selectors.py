"""Selectors that people write find what CSS says they find, at any depth."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.css_selectors import select, select_first

NESTED = '<div id="box" class="buy"><div><div><p class="price now">€ 5</p></div></div></div><p class="price">€ 9</p>'


@pytest.mark.parametrize(
    "css",
    [
        ":is(#box, #other) .price",
        ":is(#other, #box) .now",
        ":where(.buy) .price",
        "body :is(.buy) .price",
        "body > :is(#box) .price",
        "div:is(#box) .price",
        ":is(.none, :is(#box)) .price",
    ],
)
def test_p056_alternatives_before_a_descendant_are_found_at_any_depth(css: str) -> None:
    tree = LexborHTMLParser(NESTED)
    assert [node.text() for node in select(tree, css)] == ["€ 5"]
    found = select_first(tree, css)
    assert found is not None
    assert found.text() == "€ 5"


def test_p056_other_selectors_are_asked_as_they_stand() -> None:
    tree = LexborHTMLParser(NESTED)
    assert len(select(tree, ".price:is(.now, .then)")) == 1
    assert len(select(tree, "p:not(.now)")) == 1
    assert select_first(tree, "#none") is None
