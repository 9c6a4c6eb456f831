"""Whether a page without data about a product shows one all the same. Pure.

A catalogue keeps products without a price or without stock, so a single amount, or a button that says "order", would
make one of every page of a site. Two signs that do not depend on each other are wanted.
"""

from __future__ import annotations

from winnow.extract.dom.area import Area
from winnow.extract.dom.buttons import buying_buttons
from winnow.extract.dom.money_elements import PRICE_WORDS, is_amount
from winnow.extract.dom.stock_words import STOCKISH
from winnow.extract.draft import Role, Strategy, Value
from winnow.extract.links.page_role import role_of_url
from winnow.extract.structured.schema_price import Values
from winnow.vocabulary.stock import PRESSABLE

MIN_SIGNS = 2
_DATA = frozenset([Strategy.JSON_LD, Strategy.MICRODATA, Strategy.HYDRATION, Strategy.ADAPTER])
_CLEAR = (
    "price",
    "price_main",
    "price_from",
    "price_rival",
    "price_pushed",
    "price_net",
    "price_gross",
    "price_member",
)
_ANY = (*_CLEAR, "price_firm", "price_shown", "price_range")


def shows_product(area: Area, values: Values, url: str) -> bool:
    if _is_stated_by_data(values) or _is_priced_like_in_a_shop(values):
        return True
    signs = (
        any(values.get(name) for name in _CLEAR) or any(map(_is_price, _all(values, _ANY))),
        any(map(_is_stock, values.get("availability", []))),
        bool(buying_buttons(area)),
        role_of_url(url) is Role.ITEM,
    )
    return sum(signs) >= MIN_SIGNS


def _is_stated_by_data(values: Values) -> bool:
    return any(found and found[0].strategy in _DATA for name in (*_CLEAR, "title") if (found := values.get(name)))


def _is_priced_like_in_a_shop(values: Values) -> bool:
    """The one amount that stands out, in an element that is called a price; or a former price that is struck out."""
    named = any(PRICE_WORDS.search(value.path) for value in values.get("price_main", [])[:1])
    return named or any(is_amount(value.raw) for value in values.get("price_struck", []))


def _all(values: Values, names: tuple[str, ...]) -> list[Value]:
    return [value for name in names for value in values.get(name, [])]


def _is_price(value: Value) -> bool:
    return is_amount(value.raw) or PRICE_WORDS.search(value.path) is not None


def _is_stock(value: Value) -> bool:
    return value.raw != PRESSABLE and STOCKISH.search(f"{value.raw} {value.path}") is not None
