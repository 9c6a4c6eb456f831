"""Keeps the indexes of a search server in step with `search_documents`, through the version as a durable cursor.

Nothing here is in the way of a commit: documents are written first, by PostgreSQL alone, and sent when the server takes
them. An index has every document up to its `version`. Each is sent with its own version as an external one, so sending
twice changes nothing and an old one that arrives late is refused. One process at a time sends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.errors import SearchServerFailed
from winnow.store.search import documents
from winnow.store.search.server import indexes
from winnow.store.search.server.client import SearchServer
from winnow.store.search.server.indexes import IndexState
from winnow.store.search.server.mapping import document

BATCH = 500
LOCK = 0x57494E59  # "WINY" (DESIGN §11.21)
TAKE = load("store/search/server/push_take.sql")
_DELETED = """
SELECT product_id, version FROM search_deletions WHERE version > %(after)s AND version <= %(through)s ORDER BY version
"""
_THROUGH = "SELECT last_value FROM search_version"
_ADVANCE = """
UPDATE search_indexes
SET version = %(version)s, documents = documents + %(sent)s, last_error = NULL, failed_at = NULL,
    caught_up_at = CASE WHEN %(caught_up)s THEN now() ELSE caught_up_at END
WHERE name = %(name)s
"""
_FAILED = """
UPDATE search_indexes SET last_error = %s, failed_at = coalesce(failed_at, now()) WHERE name = %s
"""
# The item of a bulk answer may say this without anything being wrong: a newer version is there, or it was never there.
_SETTLED = (200, 201, 404, 409)

Connection = AsyncConnection[Any]
log = structlog.get_logger(__name__)


async def run_once(conn: Connection, server: SearchServer) -> int:
    """One batch for each index, on a connection of its own in autocommit; how many documents were sent. 0 also when
    another process is at it. SearchServerFailed is noted beside the index before it is raised."""
    row = await (await conn.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,))).fetchone()
    if row is None or not row[0]:
        return 0
    try:
        await indexes.request_first(conn, server.settings.search_index)
        return sum([await _advance(conn, server, index) for index in await indexes.listed(conn)])
    finally:
        await conn.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


async def _advance(conn: Connection, server: SearchServer, index: IndexState) -> int:
    try:
        if index.version == 0:
            await indexes.create(server, index.name)
        sent, caught_up = await _send_next(conn, server, index)
        if caught_up and not index.live:
            await indexes.make_live(conn, server, index.name, server.settings.search_index)
        return sent
    except SearchServerFailed as failed:
        if failed.status == 404:
            await _forget_lost(conn, index)
        else:
            await conn.execute(_FAILED, (str(failed), index.name))
        raise


async def _forget_lost(conn: Connection, index: IndexState) -> None:
    """Somebody deleted the index, or the server lost its data: the next round builds one anew."""
    log.error("search_index_lost", index=index.name)
    await conn.execute("DELETE FROM search_indexes WHERE name = %s", (index.name,))


async def _send_next(conn: Connection, server: SearchServer, index: IndexState) -> tuple[int, bool]:
    through = await _committed_through(conn)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(TAKE, {"after": index.version, "through": through, "n": BATCH})
        rows = await cursor.fetchall()
        end = rows[-1]["version"] if len(rows) == BATCH else through
        await cursor.execute(_DELETED, {"after": index.version, "through": end})
        deleted = await cursor.fetchall()
    lines = _lines(index.name, rows, deleted)
    if lines:
        _check_items(await server.bulk(lines), index.name)
        await server.ask("POST", f"/{index.name}/_refresh", seconds=indexes.CREATE_SECONDS)
    caught_up = end == through
    given = {"version": end, "sent": len(rows), "caught_up": caught_up, "name": index.name}
    await conn.execute(_ADVANCE, given)
    return len(rows) + len(deleted), caught_up


async def _committed_through(conn: Connection) -> int:
    """The last version that was given out. Under the lock of those that take versions, so that none is still to
    commit."""
    async with conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", (documents.LOCK,))
        row = await (await conn.execute(_THROUGH)).fetchone()
    assert row is not None
    return int(row[0])


def _lines(name: str, rows: Sequence[dict[str, Any]], deleted: Sequence[dict[str, Any]]) -> list[object]:
    alias = indexes.write_alias(name)

    def action(row: dict[str, Any]) -> dict[str, Any]:
        return {"_index": alias, "_id": str(row["product_id"]), "version": row["version"],
                "version_type": "external_gte"}  # fmt: skip

    lines: list[object] = []
    for row in rows:
        lines += [{"index": action(row)}, document(row)]
    return lines + [{"delete": action(row)} for row in deleted]


def _check_items(answer: Any, name: str) -> None:
    """What the server has no room for now is sent again; a document that it refuses for what it says is left out, and
    logged."""
    for item in answer.get("items", []) if isinstance(answer, dict) else []:
        ((what, said),) = item.items()
        status = said.get("status", 500)
        missing = status == 404 and what == "index"
        if status in _SETTLED and not missing:
            continue
        reason = str((said.get("error") or {}).get("reason"))[:300]
        if status == 400:
            log.error("search_document_refused", index=name, product_id=said.get("_id"), reason=reason)
        else:
            raise SearchServerFailed(f"the search server answers HTTP {status} to a document: {reason}", status)
