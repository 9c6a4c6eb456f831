"""When a price is written (F-044, F-045) and how two prices are told apart (F-031)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

import msgspec

_WORDS = {True: "true", False: "false"}


class Reason(StrEnum):
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
    told = f'{{"amount":{amount},"currency":"{currency}","in_stock":{_WORDS[in_stock]},"promo":{promo}}}'
    return sha256(told.encode()).hexdigest()[:32]


def signatures(
    amounts: Sequence[int], currencies: Sequence[str], list_prices: Sequence[int | None], in_stock: Sequence[bool]
) -> list[str]:
    """Of whole columns; the same as one by one."""
    pairs = set(zip(currencies, in_stock, strict=True))
    middle = {pair: f',"currency":"{pair[0]}","in_stock":{_WORDS[pair[1]]},"promo":' for pair in pairs}
    each = zip(amounts, map(middle.__getitem__, zip(currencies, in_stock, strict=True)), list_prices, strict=True)
    told = [
        f'{{"amount":{amount}{stated}null}}' if had is None else f'{{"amount":{amount}{stated}{{"list_price":{had}}}}}'
        for amount, stated, had in each
    ]
    return [sha256(text).hexdigest()[:32] for text in "\n".join(told).encode().split(b"\n")] if told else []


def should_write(last: LastPrice | None, told: str, now: datetime, heartbeat: timedelta) -> Reason | None:
    """The rule of load_chunk.sql in one place to read and to test; a test holds the two together."""
    if last is None:
        return Reason.NEW
    if last.signature != told:
        return Reason.CHANGED
    return Reason.HEARTBEAT if now - last.created_at >= heartbeat else None
