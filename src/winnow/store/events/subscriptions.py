"""Calendar addresses for a choice of events. Whoever knows the address may read it; it is kept as its hash."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

import msgspec
from psycopg.types.json import Jsonb

from winnow.db.engine import Connection
from winnow.errors import NotFound

TOKEN_BYTES = 24  # 192 bits: not to be guessed

_ADD = """
INSERT INTO event_subscriptions (token_hash, name, filters, workspace, created_by) VALUES (%s, %s, %s, %s, %s)
RETURNING id
"""
_USED = """
UPDATE event_subscriptions SET last_used_at = now()
WHERE token_hash = %s AND revoked_at IS NULL AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')
"""
_FIND = "SELECT name, filters FROM event_subscriptions WHERE token_hash = %s AND revoked_at IS NULL"
_REVOKE = "UPDATE event_subscriptions SET revoked_at = now() WHERE id = %s AND revoked_at IS NULL"


class Subscription(msgspec.Struct, frozen=True):
    name: str
    filters: dict[str, Any]


async def add(
    conn: Connection, actor: str, name: str, filters: Mapping[str, Any], workspace: str | None
) -> tuple[int, str]:
    """The id, and the token that is shown once."""
    token = token_urlsafe(TOKEN_BYTES)
    given = (_hash(token), name, Jsonb(dict(filters)), workspace, actor)
    row = await (await conn.execute(_ADD, given)).fetchone()
    assert row is not None
    return int(row[0]), token


async def find(conn: Connection, token: str) -> Subscription | None:
    hashed = _hash(token)
    row = await (await conn.execute(_FIND, (hashed,))).fetchone()
    if row is None:
        return None
    await conn.execute(_USED, (hashed,))
    return Subscription(row[0], row[1])


async def revoke(conn: Connection, subscription_id: int) -> None:
    if not (await conn.execute(_REVOKE, (subscription_id,))).rowcount:
        raise NotFound(f"there is no subscription {subscription_id}")


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
