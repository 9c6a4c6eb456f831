"""How often offers are asked for, counted by the day (C-021)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import AsyncConnection

KEEP_DAYS = 30

_ADD = """
INSERT INTO offer_reads AS r (source_product_id, day, reads)
SELECT g.id, current_date, g.reads
FROM unnest(%(id)s::bigint[], %(reads)s::integer[]) AS g (id, reads)
JOIN source_products AS o ON o.id = g.id
ORDER BY g.id
ON CONFLICT (source_product_id, day) DO UPDATE SET reads = r.reads + excluded.reads
"""


async def add(conn: AsyncConnection[Any], counted: Mapping[int, int]) -> None:
    await conn.execute(_ADD, {"id": list(counted), "reads": list(counted.values())})


async def forget(conn: AsyncConnection[Any]) -> int:
    return (await conn.execute("DELETE FROM offer_reads WHERE day < current_date - %s", (KEEP_DAYS,))).rowcount
