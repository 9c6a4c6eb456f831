"""The outbox: messages written in the transaction of their change and delivered afterwards (R-02)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.db.sql import load

FAN_OUT = load("publish/fan_out.sql")
_PUT = """
INSERT INTO outbox (topic, key, payload, endpoint_id)
SELECT * FROM unnest(%b::text[], %b::text[], %b::jsonb[], %b::bigint[])
"""
# Deliveries hold their own copy of what they say, so a message is not needed once it is published.
_FORGET = """
DELETE FROM outbox WHERE id IN (
    SELECT id FROM outbox WHERE published_at < now() - make_interval(days => 7) ORDER BY published_at LIMIT %s
)
"""

Connection = AsyncConnection[Any]


class Message(msgspec.Struct, frozen=True):
    """`key` keeps the changes of one thing in order. `endpoint_id`: for this receiver only, not for all that
    want the topic."""

    topic: str
    key: str
    payload: dict[str, Any]
    endpoint_id: int | None = None


async def put(conn: Connection, messages: Sequence[Message]) -> None:
    if not messages:
        return
    await conn.execute(
        _PUT,
        (
            [m.topic for m in messages],
            [m.key for m in messages],
            [Jsonb(m.payload) for m in messages],
            [m.endpoint_id for m in messages],
        ),
    )


async def fan_out(conn: Connection, n: int = 1_000) -> tuple[int, int]:
    """(messages published, deliveries made for them). Several processes at once share the work."""
    found = await (await conn.execute(FAN_OUT, {"n": n})).fetchone()
    assert found is not None
    return int(found[0]), int(found[1])


async def forget(conn: Connection, n: int = 10_000) -> int:
    return (await conn.execute(_FORGET, (n,))).rowcount
