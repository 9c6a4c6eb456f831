"""Retailers. One is created when its first source is added."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import scalar_row

_ENSURE = """
INSERT INTO retailers AS r (name, domain, website) VALUES (%(name)s, %(domain)s, %(website)s)
ON CONFLICT (name) DO UPDATE SET domain = coalesce(r.domain, excluded.domain)
RETURNING id
"""


async def ensure(conn: AsyncConnection[Any], name: str, domain: str | None, website: str | None) -> int:
    """The retailer of that name, made if need be. Its row stays locked until the transaction ends, so two
    people adding a source of the same retailer come one after the other."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_ENSURE, {"name": name, "domain": domain, "website": website})
        found = await cursor.fetchone()
    return int(found)  # type: ignore[arg-type]  # RETURNING always gives a row here
