"""The redesign of the demo shop and the adapter that reads it: what the tour builds on."""

from __future__ import annotations

from pathlib import Path

from winnow.demo.catalogue import make_catalogue
from winnow.demo.pages import Shelf, Template, product_page
from winnow.demo.stage import NEXT, SELECTORS
from winnow.extract.adapters.selectors import parse_adapter


def test_both_versions_of_the_demo_adapter_are_adapters():
    live, candidate = (parse_adapter(text, Path("fernweh/live.toml")) for text in (SELECTORS, NEXT))
    assert (live.id, live.version, candidate.version) == ("fernweh", "1.0.0", "1.1.0")


def test_half_a_redesign_shows_zero_on_some_pages_and_nothing_on_the_others():
    catalogue = make_catalogue(48, 7)
    pages = [
        product_page(Shelf(p, p.base_cents), (), "http://shop", Template.HALF).split("<footer")[0] for p in catalogue
    ]
    zero = [page for page in pages if "$0.00" in page]
    assert len(zero) >= 5
    assert all("$" not in page for page in pages if page not in zero)
