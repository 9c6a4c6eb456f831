"""Corrections: an overlay that hides or scales wrong prices; the history itself never changes (ADR-015, P-082)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from psycopg import AsyncConnection, sql
from psycopg.errors import ForeignKeyViolation
from psycopg.rows import dict_row

from winnow.errors import Conflict, InvalidInput, NotFound

SCOPES = ("price_id", "source_product_id", "source_id", "scrape_run_id", "affiliate_feed_run_id")
MAX_FACTOR = Decimal(1_000)  # cents taken for dollars are a factor of 100

Connection = AsyncConnection[Any]


async def add(conn: Connection, actor: str, values: Mapping[str, Any]) -> int:
    """IGNORE, or MULTIPLY with a factor; at least one scope says which prices it is about."""
    _check(values)
    names = ("action", "factor", *SCOPES, "observed_from", "observed_until", "reason")
    columns = {name: values[name] for name in names if values.get(name) is not None} | {"created_by": actor}
    statement = sql.SQL("INSERT INTO price_corrections ({}) VALUES ({}) RETURNING id").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.SQL(", ").join(sql.Placeholder() * len(columns))
    )
    try:
        async with conn.transaction():
            row: Any = await (await conn.execute(statement, list(columns.values()))).fetchone()
    except ForeignKeyViolation as missing:
        raise NotFound(f"there is no such {missing.diag.constraint_name or 'thing'} to correct") from None
    return int(row[0])


def _check(values: Mapping[str, Any]) -> None:
    if not any(values.get(scope) is not None for scope in SCOPES):
        raise InvalidInput("say which prices: a price, an offer, a source or a run", field="scope")
    if not str(values.get("reason") or "").strip():
        raise InvalidInput("say why", field="reason")
    factor = values.get("factor")
    if (values["action"] == "MULTIPLY") != (factor is not None):
        raise InvalidInput("MULTIPLY needs a factor, IGNORE has none", field="factor")
    if factor is not None and not (Decimal(factor).is_finite() and 0 < Decimal(factor) <= MAX_FACTOR):
        raise InvalidInput(f"a factor is above 0 and at most {MAX_FACTOR}", field="factor")
    start, end = values.get("observed_from"), values.get("observed_until")
    if start is not None and end is not None and start >= end:
        raise InvalidInput("the window ends before it begins", field="observed_until")


async def revoke(conn: Connection, actor: str, correction_id: int) -> dict[str, Any]:
    """Revoke a correction: the prices it hid are visible again, and the correction stays on record."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM price_corrections WHERE id = %s FOR UPDATE", (correction_id,))
        there = await cursor.fetchone()
        if there is None:
            raise NotFound(f"there is no correction {correction_id}")
        if there["revoked_at"] is not None:
            raise Conflict(f"correction {correction_id} is revoked already", existing=str(correction_id))
        await cursor.execute(
            "UPDATE price_corrections SET revoked_at = now(), revoked_by = %s WHERE id = %s", (actor, correction_id)
        )
    return there
