"""What the pages of any company's site are called (`data/page_names.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load


class PageNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In lower case. `pages` are whole titles of pages, `product_pages` whole headings of the page (or of a part of the
    page) of any product, `made_by` what stands in a line about the maker of a site or of its software."""

    pages: tuple[str, ...]
    product_pages: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()


@cache
def page_names() -> frozenset[str]:
    return frozenset(gather(_words(), "pages"))


@cache
def product_page_names() -> frozenset[str]:
    return frozenset(gather(_words(), "product_pages"))


@cache
def maker_phrases() -> tuple[str, ...]:
    return tuple(gather(_words(), "made_by"))


@cache
def _words() -> dict[str, PageNames]:
    return load("page_names", dict[str, PageNames])
