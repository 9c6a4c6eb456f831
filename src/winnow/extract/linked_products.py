"""Counts the products that a page links to with a price beside them."""

from __future__ import annotations

from winnow.extract.dom.area import Area
from winnow.extract.dom.money_elements import is_amount
from winnow.extract.draft import Role
from winnow.extract.links.site_links import site_links

MIN_LINKED = 6  # products that a list links to; fewer stand beside articles
MIN_PRICES = 3  # amounts of money on such a page; addresses alone look like those of products on many a site
MAX_LINES = 3_000


def linked_products(area: Area) -> int:
    """0 where they are too few for a list."""
    priced = sum(is_amount(" ".join(line.text.split())) for line in area.walk.digits[:MAX_LINES])
    if priced < MIN_PRICES:
        return 0
    linked = sum(link.role is Role.ITEM for link in site_links(area.tree, area.facts.urls[0]))
    return linked if linked >= MIN_LINKED else 0
