"""What an event costs: the offers of structured data, or amounts that stand beside "tickets" (E-067)."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around, Result
from winnow.normalise.money.currencies import exponent, read_currency
from winnow.normalise.money.signs import SIGN, decide_currency


class EventPrice(Result):
    """Integer minor units. Free events cost 0, in no currency when the page names none."""

    low_minor: int
    high_minor: int
    currency: str | None = None


def read_event_price(raw: str, near: Around) -> EventPrice | Unread:
    try:
        offers = [offer for offer in json.loads(raw) if offer]
        lows = [_decimal(offer["low"]) for offer in offers]
        highs = [_decimal(offer["high"]) for offer in offers]
    except (ValueError, KeyError, InvalidOperation, TypeError):
        return unread(Doubt.UNREADABLE, raw)
    currencies = {_currency(offer["currency"], near) for offer in offers}
    if not offers or min(lows) < 0 or len(currencies) > 1:
        return unread(Doubt.AMBIGUOUS if offers else Doubt.EMPTY, raw)
    currency = currencies.pop()
    if currency is None and max(highs) > 0:
        return unread(Doubt.INCOMPLETE, raw)
    scale = 10 ** exponent(currency or "EUR")
    return EventPrice(low_minor=int(min(lows) * scale), high_minor=int(max(highs) * scale), currency=currency)


def _currency(stated: str, near: Around) -> str | None:
    """A code, or a sign as the page's country means it."""
    if not stated or (code := read_currency(stated)):
        return code if stated else None
    found = decide_currency([stated], None, near.locale)
    return read_currency(found) if isinstance(found, str) else None


def _decimal(text: str) -> Decimal:
    return Decimal(SIGN.sub("", text).strip())
