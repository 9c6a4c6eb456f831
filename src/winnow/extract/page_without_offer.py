"""Decides the type of a page with neither price nor stock of its own: a list of products, an article, or another."""

from __future__ import annotations

from winnow.extract.dom.area import Area
from winnow.extract.linked_products import linked_products
from winnow.extract.page_type import (
    ARTICLE_TYPES,
    LIST_CONTROLS,
    LISTING_TYPES,
    MIN_LISTED,
    OTHER_TYPES,
    Decided,
    PageType,
    TypeSigns,
    is_prose,
    listing_body,
    page_of_the_shop,
)


def type_without_offer(area: Area, signs: TypeSigns) -> Decided:
    if named := signs.types & ARTICLE_TYPES:
        return Decided(PageType.ARTICLE, f"the data describe a {min(named)}")
    if named := signs.types & OTHER_TYPES:
        return Decided(PageType.OTHER, f"the data describe a {min(named)}")
    if signs.og_type == "article" or is_prose(area):
        return Decided(PageType.ARTICLE, "a text with author or date")
    if sign := _of_listing(area, signs):
        return Decided(PageType.LISTING, sign)
    if sign := page_of_the_shop(area):
        return Decided(PageType.OTHER, sign)
    if linked := linked_products(area):
        return Decided(PageType.LISTING, f"links to {linked} products")
    return Decided(PageType.OTHER, "neither price nor stock of its own")


def _of_listing(area: Area, signs: TypeSigns) -> str:
    if signs.types & LISTING_TYPES:
        return "the data describe a collection"
    if signs.listed >= MIN_LISTED:
        return f"{signs.listed} products in a list"
    if name := listing_body(area):
        return f"the shop system calls the page {name}"
    return "a list that can be sorted" if area.tree.css_first(LIST_CONTROLS) is not None else ""
