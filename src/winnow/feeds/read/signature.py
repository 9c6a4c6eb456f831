"""When a price is written (F-044, F-045) and what distinguishes two prices (F-031)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

import msgspec

_WORDS = {True: "true", False: "false"}


class PriceReason(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    HEARTBEAT = "heartbeat"


class LastPrice(msgspec.Struct, frozen=True):
    signature: str | None
    created_at: datetime


def signature(amount: int, currency: str, list_price: int | None, in_stock: bool) -> str:
    """First 32 hex digits of SHA-256 over canonical JSON: keys in order, minor units, nothing optional left out.

    The promotion is the price it is reduced from; stock is part of what is observed (FN-14).
    """
    promo = "null" if list_price is None else f'{{"list_price":{list_price}}}'
    text = f'{{"amount":{amount},"currency":"{currency}","in_stock":{_WORDS[in_stock]},"promo":{promo}}}'
    return sha256(text.encode()).hexdigest()[:32]


def signatures(
    amounts: Sequence[int], stated: Iterable[tuple[str, bool]], list_prices: Sequence[int | None]
) -> list[str]:
    """Of whole columns; the same as one by one. `stated`: currency, and whether it is in stock."""
    each = zip(amounts, map(_Middle().__getitem__, stated), list_prices, strict=True)
    text = [
        f'{{"amount":{amount}{middle}null}}' if had is None else f'{{"amount":{amount}{middle}{{"list_price":{had}}}}}'
        for amount, middle, had in each
    ]
    return [sha256(text).hexdigest()[:32] for text in "\n".join(text).encode().split(b"\n")] if text else []


class _Middle(dict[tuple[str, bool], str]):
    def __missing__(self, stated: tuple[str, bool]) -> str:
        currency, in_stock = stated
        self[stated] = text = f',"currency":"{currency}","in_stock":{_WORDS[in_stock]},"promo":'
        return text


def should_write(last: LastPrice | None, text: str, now: datetime, heartbeat: timedelta) -> PriceReason | None:
    """The rule of load_chunk.sql in one place to read and to test; a test holds the two together."""
    if last is None:
        return PriceReason.NEW
    if last.signature != text:
        return PriceReason.CHANGED
    return PriceReason.HEARTBEAT if now - last.created_at >= heartbeat else None
