"""Whether consumers may see what a source brought (P-092, P-094). A person decides; nothing is eligible by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.errors import InvalidInput, NotFound

CHANGEABLE = frozenset({"visibility_status", "upc_trusted", "expiry_hours", "note"})

_CHANGE = """
UPDATE source_trust_config
SET visibility_status = %(visibility_status)s, upc_trusted = %(upc_trusted)s, expiry_hours = %(expiry_hours)s,
    note = %(note)s, reviewed_at = now(), reviewed_by = %(actor)s, updated_at = now()
WHERE source_id = %(source_id)s
"""


async def change(
    conn: AsyncConnection[Any], source_id: int, changes: Mapping[str, Any], actor: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The named values as they were and as they are."""
    unknown = set(changes) - CHANGEABLE
    if unknown:
        raise InvalidInput(f"trust has no field {sorted(unknown)[0]!r}")
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM source_trust_config WHERE source_id = %s FOR UPDATE", (source_id,))
        before = await cursor.fetchone()
    if before is None:
        raise NotFound(f"there is no source {source_id}")
    await conn.execute(_CHANGE, {**before, **changes, "actor": actor, "source_id": source_id})
    return {name: before[name] for name in changes}, dict(changes)
