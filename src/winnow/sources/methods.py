"""Which way of reading wins on the agendas of a source, and which one is therefore tried first (E-052 … E-054)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

WINS = 3  # in a row, E-053
MAX_SETS = 5  # selector sets of a source, the newest first (E-058)
_LOCKED = """
SELECT id AS source_id, preferred_method AS preferred, winning_method AS winning, winning_count AS count,
       detected_cms AS cms, selector_sets AS selectors
FROM sources WHERE id = ANY(%s) ORDER BY id FOR UPDATE
"""
_WRITE = """
UPDATE sources SET preferred_method = %(preferred)s, winning_method = %(winning)s, winning_count = %(count)s,
    detected_cms = %(cms)s, selector_sets = %(selectors)s
WHERE id = %(source_id)s
"""


class MethodWin(msgspec.Struct, frozen=True):
    """A page of a source that was read, by which method, and the system it was made with."""

    source_id: int
    method: str
    cms: str = ""
    selectors: dict[str, Any] | None = None


class MethodStanding(msgspec.Struct, frozen=True):
    """`count` wins of `winning` in a row, up to as many as are needed."""

    source_id: int
    preferred: str | None = None
    winning: str | None = None
    count: int = 0
    cms: str | None = None
    selectors: list[dict[str, Any]] = []


def after_win(before: MethodStanding, win: MethodWin) -> MethodStanding:
    """The third win in a row makes a method preferred; one that is gives way to the first that wins in its place."""
    count = min(before.count + 1, WINS) if win.method == before.winning else 1
    moves = before.preferred is not None or count == WINS
    return MethodStanding(
        before.source_id,
        win.method if moves else None,
        win.method,
        count,
        win.cms or before.cms,
        with_newest(before.selectors, win.selectors),
    )


def with_newest(known: list[dict[str, Any]], newest: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The selector sets with the one that was used last in front (E-058)."""
    if newest is None or (known and known[0] == newest):
        return known
    return [newest, *(one for one in known if one["item"] != newest["item"])][:MAX_SETS]


async def record_wins(conn: AsyncConnection[Any], wins: Sequence[MethodWin]) -> None:
    """Written only where something changed: a source that is read as always costs no update."""
    if not wins:
        return
    async with conn.cursor(row_factory=class_row(MethodStanding)) as cursor:
        await cursor.execute(_LOCKED, (sorted({win.source_id for win in wins}),))
        known = {row.source_id: row for row in await cursor.fetchall()}
    changed = dict(known)
    for win in wins:
        if win.source_id in changed:
            changed[win.source_id] = after_win(changed[win.source_id], win)
    rows = [
        msgspec.to_builtins(row) | {"selectors": Jsonb(row.selectors)}
        for id, row in changed.items()
        if row != known[id]
    ]
    if rows:
        async with conn.cursor() as cursor:
            await cursor.executemany(_WRITE, rows)
