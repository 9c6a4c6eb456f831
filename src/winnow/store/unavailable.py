"""Offers that a page or server stated to be unavailable: sold out, gone, or forbidden to read (DESIGN §11.33)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.db.sql import load
from winnow.normalise.record import Money

UNAVAILABLE = load("store/unavailable.sql")


class UnavailableReason(StrEnum):
    """`forbidden` says nothing about the stock: the page may no longer be read."""

    SOLD_OUT = "sold_out"
    GONE = "gone"
    FORBIDDEN = "forbidden"


class Unavailable(msgspec.Struct, frozen=True, kw_only=True):
    """A statement about one offer: `linked`, else the one with `identity_key`, else the one last seen at `url_hash`."""

    source_id: int
    target_id: int | None
    reason: UnavailableReason
    linked: int | None = None
    identity_key: str | None = None
    url_hash: str | None = None


class ChangedOffer(msgspec.Struct, frozen=True, kw_only=True):
    """An offer whose state changed, with its last price."""

    product_id: int
    target_id: int | None
    title: str
    url: str
    amount_minor: int
    currency: str
    availability_before: str
    availability: str
    observed_at: datetime

    @property
    def price(self) -> Money:
        return Money(self.amount_minor, self.currency)


async def record(conn: AsyncConnection[Any], stated: Sequence[Unavailable]) -> list[ChangedOffer]:
    """Mark the offers as unavailable; return those whose reason changed."""
    if not stated:
        return []
    columns = {name: [getattr(s, name) for s in stated] for name in Unavailable.__struct_fields__}
    async with conn.cursor(row_factory=class_row(ChangedOffer)) as cursor:
        await cursor.execute(UNAVAILABLE, columns)
        return await cursor.fetchall()
