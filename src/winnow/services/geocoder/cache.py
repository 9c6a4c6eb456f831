"""Answers of the geocoder, kept so that no place is asked for twice (E-062)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.services.geocoder.nominatim import Candidate

HIT_DAYS, MISS_DAYS = 180, 30  # a house stays; what nobody had mapped may be mapped next month
_READ = "SELECT candidates FROM geocodes WHERE query = %s AND expires_at > now()"
_WRITE = """
INSERT INTO geocodes (query, candidates, expires_at) VALUES (%s, %s, now() + make_interval(days => %s))
ON CONFLICT (query) DO UPDATE
SET candidates = excluded.candidates, answered_at = now(), expires_at = excluded.expires_at
"""
_FORGET = """
DELETE FROM geocodes WHERE ctid = ANY(ARRAY(SELECT ctid FROM geocodes WHERE expires_at < now() LIMIT %s))
"""

Connection = AsyncConnection[Any]


def key(text: str, country: str | None) -> str:
    return f"{country or ''}|{' '.join(text.lower().split())}"


async def read(conn: Connection, text: str, country: str | None) -> list[Candidate] | None:
    """None where it was never asked, or too long ago."""
    row = await (await conn.execute(_READ, (key(text, country),))).fetchone()
    return None if row is None else msgspec.convert(row[0], list[Candidate])


async def write(conn: Connection, text: str, country: str | None, candidates: Sequence[Candidate]) -> None:
    days = HIT_DAYS if candidates else MISS_DAYS
    await conn.execute(_WRITE, (key(text, country), Jsonb(msgspec.to_builtins(candidates)), days))


async def forget(conn: Connection, n: int) -> int:
    return (await conn.execute(_FORGET, (n,))).rowcount
