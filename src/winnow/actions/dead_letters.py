"""Changes to dead letters: retry, discard. Every change is audited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from winnow.observe import audit
from winnow.schedule.queue import dead_letters

Connection = AsyncConnection[Any]


async def retry(conn: Connection, actor: str, ids: Sequence[int]) -> int:
    changed = await dead_letters.retry(conn, ids, n=len(ids))
    await audit.record(conn, actor, "dead_letters.retried", "dead_letter", _which(ids), after={"changed": changed})
    return changed


async def discard(conn: Connection, actor: str, ids: Sequence[int], note: str) -> int:
    changed = await dead_letters.discard(conn, ids, note)
    after = {"changed": changed, "note": note}
    await audit.record(conn, actor, "dead_letters.discarded", "dead_letter", _which(ids), after=after)
    return changed


def _which(ids: Sequence[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{len(ids)} letters"
