"""Sorts the prices of a schema.org Offer by their meaning.

`price` is what a customer pays for one, now. List, member, per-unit, instalment and quantity prices are not,
and the lowest of several offers is only where prices start.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from html import unescape
from typing import Any

import msgspec

from winnow.extract.draft import Strategy, Value
from winnow.extract.structured.schema_graph import Node, as_list, types_of

Values = dict[str, list[Value]]

# schema.org PriceTypeEnumeration. A plain price specification and SalePrice are selling prices.
_LIST_PRICES = frozenset(["listprice", "srp", "msrp", "strikethroughprice", "regularprice"])
_NOT_FOR_CUSTOMERS = frozenset(["invoiceprice", "minimumadvertisedprice"])
_CHARGES = frozenset(["deliverychargespecification", "paymentchargespecification"])
# UN/CEFACT codes and words for "one piece"; a price per one of these is the selling price.
_PIECE_WORDS = """
    c62 ea h87 st pce pcs nmp xbx xpk one piece each unit stück stk stuk item pc
"""
_PIECE = frozenset(_PIECE_WORDS.split())


class Scalar(msgspec.Struct, frozen=True, gc=False):
    raw: str
    numeric: bool


def scalar(value: Any) -> Scalar | None:
    """The text of a leaf; lists and wrapped values give their first one."""
    if value is None:
        return None
    if type(value) is str:
        text = (unescape(value) if "&" in value else value).strip()
        return Scalar(text, False) if text else None
    if isinstance(value, list | dict):
        return _unwrapped(value)
    return None if isinstance(value, bool) else Scalar(str(value), True)


def _unwrapped(value: Any) -> Scalar | None:
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("@value")
    return None if isinstance(value, list | dict) else scalar(value)


def text_of(value: Any) -> str:
    found = scalar(value)
    return found.raw if found else ""


def word_of(value: Any) -> str:
    """The last part of an enumeration member, in lower case: https://schema.org/ListPrice -> listprice."""
    if isinstance(value, dict):
        value = value.get("@id") or value.get("name")
    return text_of(value).rstrip("/").rpartition("/")[2].rpartition(":")[2].lower()


def offer_prices(offer: Node, path: str, strategy: Strategy) -> Values:
    """Candidates of one Offer (or AggregateOffer without its parts) by field."""
    currency = text_of(offer.get("priceCurrency")) or text_of(offer.get("currency"))
    found = _specified(offer, path, strategy, currency)
    own = _value(offer.get("price"), f"{path}.price", strategy, currency)
    if "aggregateoffer" in types_of(offer) or ("lowPrice" in offer and not _is_one_offer(offer, own)):
        _add_aggregate(found, offer, path, strategy, currency, own)
    elif own is not None and not _is_listed_twice(own, found):
        found.setdefault("price", []).insert(0, own)
    return found


def _specified(offer: Node, path: str, strategy: Strategy, currency: str) -> Values:
    found: Values = {}
    if "priceSpecification" not in offer:
        return found
    for i, spec in enumerate(as_list(offer["priceSpecification"])):
        if not isinstance(spec, dict):
            continue
        field = _meaning(spec)
        money = text_of(spec.get("priceCurrency")) or currency
        place = f"{path}.priceSpecification[{i}].price"
        value = _value(spec.get("price", spec.get("minPrice")), place, strategy, money)
        if field and value:
            found.setdefault(field, []).append(value)
    return found


def _meaning(spec: Node) -> str | None:
    """The field that a price specification belongs to; None when it is not a price of one piece."""
    kind = word_of(spec.get("priceType"))
    if kind in _NOT_FOR_CUSTOMERS or "validForMemberTier" in spec or _CHARGES.intersection(types_of(spec)):
        return None
    if kind in _LIST_PRICES:
        return "list_price"
    if _is_per_unit(spec) or "billingDuration" in spec or "billingIncrement" in spec:
        return "price_unit"
    if needs_several(spec):
        return None
    return "price_from" if "price" not in spec else "price"


def _is_per_unit(spec: Node) -> bool:
    reference = spec.get("referenceQuantity")
    holder = reference if isinstance(reference, dict) else spec
    unit = (text_of(holder.get("unitCode")) or text_of(holder.get("unitText"))).lower()
    amount = text_of(holder.get("value"))
    if unit:
        return unit not in _PIECE or amount not in ("", "1", "1.0")
    return isinstance(reference, dict) and amount not in ("", "1", "1.0")


def needs_several(node: Node) -> bool:
    """A quantity tier above one piece (P-028)."""
    if "eligibleQuantity" not in node:
        return False
    quantity = node["eligibleQuantity"]
    least = quantity.get("minValue", quantity.get("value")) if isinstance(quantity, dict) else quantity
    amount = as_decimal(text_of(least))
    return amount is not None and amount > 1


def _add_aggregate(found: Values, offer: Node, path: str, strategy: Strategy, currency: str, own: Value | None) -> None:
    low = _value(offer.get("lowPrice"), f"{path}.lowPrice", strategy, currency)
    high = _value(offer.get("highPrice"), f"{path}.highPrice", strategy, currency)
    if low is None and high is None:
        field, value = "price", own
    elif low is not None and _is_one_price(low, high, offer):
        field, value = "price", low
    else:
        field, value = "price_from", low or high
    if value is not None:
        found.setdefault(field, []).append(value)


def _is_one_offer(offer: Node, own: Value | None) -> bool:
    """One variant's offer that states its price, and besides it the bounds it had or others have."""
    return own is not None and "offer" in types_of(offer)


def _is_one_price(low: Value, high: Value | None, offer: Node) -> bool:
    if high is not None:
        return same_amount(low.raw, high.raw)
    return text_of(offer.get("offerCount")) in ("1", "1.0")


def _is_listed_twice(own: Value, found: Values) -> bool:
    """`price` repeats the list price while a specification gives the selling one."""
    lists = found.get("list_price", [])
    return bool(found.get("price")) and any(same_amount(own.raw, listed.raw) for listed in lists)


def same_amount(one: str, other: str) -> bool:
    left, right = as_decimal(one), as_decimal(other)
    return one == other if left is None or right is None else left == right


def as_decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text) if len(text) <= 40 and text.isascii() else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def _value(value: Any, path: str, strategy: Strategy, currency: str) -> Value | None:
    found = scalar(value)
    if found is None or len(found.raw) > 1_000:
        return None
    return Value(found.raw, strategy, path, found.numeric, currency)
