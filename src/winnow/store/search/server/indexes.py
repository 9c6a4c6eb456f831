"""The indexes of a search server: `search_indexes` says which there are, which one is searched, and how far each has
got.

A new index is a row and an index under its own name, filled by push.py. When it has caught up it becomes the live one,
and the name everybody may use (WINNOW_SEARCH_INDEX, an alias) is moved to it in one step: nobody ever searches half of
it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.errors import SearchServerFailed
from winnow.store.search.server.client import SearchServer
from winnow.store.search.server.mapping import index_body

CREATE_SECONDS = 30.0

_LIST = "SELECT name, live, version, documents, caught_up_at IS NOT NULL AS caught_up FROM search_indexes ORDER BY name"
# In the order of their names, also where two are made in one second.
_ADD = """
INSERT INTO search_indexes (name)
SELECT %(alias)s || '-' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD-HH24MISS-US')
WHERE NOT EXISTS (SELECT FROM search_indexes WHERE NOT live)
RETURNING name
"""
_ANY = "SELECT EXISTS (SELECT FROM search_indexes)"
_NOT_LIVE = "UPDATE search_indexes SET live = false WHERE live AND name <> %s"
_LIVE = "UPDATE search_indexes SET live = true WHERE name = %s"
_DROP = "DELETE FROM search_indexes WHERE name = %s"

Connection = AsyncConnection[Any]


class IndexState(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    live: bool
    version: int
    documents: int
    caught_up: bool


async def listed(conn: Connection) -> list[IndexState]:
    async with conn.cursor(row_factory=class_row(IndexState)) as cursor:
        await cursor.execute(_LIST)
        return await cursor.fetchall()


async def request_new(conn: Connection, alias: str) -> str | None:
    """Asks for an index that is built from nothing; None when one is being built already."""
    row = await (await conn.execute(_ADD, {"alias": alias})).fetchone()
    return None if row is None else str(row[0])


async def request_first(conn: Connection, alias: str) -> str | None:
    """Asks for an index where there is none (C-052)."""
    row = await (await conn.execute(_ANY)).fetchone()
    return None if row is None or row[0] else await request_new(conn, alias)


async def create(server: SearchServer, name: str) -> None:
    """Makes the index and the alias it is written through: a bulk request to an index that is gone would otherwise make
    one whose fields are guessed."""
    body = index_body() | {"aliases": {write_alias(name): {}}}
    try:
        await server.ask("PUT", f"/{name}", body, seconds=CREATE_SECONDS)
    except SearchServerFailed as failed:
        if failed.status != 400 or "already_exists" not in str(failed):
            raise


def write_alias(name: str) -> str:
    return f"{name}-write"


async def make_live(conn: Connection, server: SearchServer, name: str, alias: str) -> list[str]:
    """The index takes the place of the live one; those it replaces are gone."""
    replaced = [index.name for index in await listed(conn) if index.name != name and index.live]
    actions: list[dict[str, Any]] = [{"add": {"index": name, "alias": alias}}]
    actions += [{"remove": {"index": old, "alias": alias, "must_exist": False}} for old in replaced]
    await server.ask("POST", f"/{name}/_refresh", seconds=CREATE_SECONDS)
    await server.ask("POST", "/_aliases", {"actions": actions}, seconds=CREATE_SECONDS)
    await conn.execute(_NOT_LIVE, (name,))
    await conn.execute(_LIVE, (name,))
    for old in replaced:
        await drop(conn, server, old)
    return replaced


async def drop(conn: Connection, server: SearchServer, name: str) -> None:
    await conn.execute(_DROP, (name,))
    try:
        await server.ask("DELETE", f"/{name}", seconds=CREATE_SECONDS)
    except SearchServerFailed as failed:
        if failed.status != 404:
            raise
