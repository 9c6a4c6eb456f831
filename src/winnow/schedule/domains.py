"""Settings of a domain that a person decides: its limits, and whether it is visited at all (C-026, DESIGN §11.4)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from psycopg import AsyncConnection, sql
from psycopg.rows import dict_row, scalar_row

from winnow.errors import InvalidInput

Connection = AsyncConnection[Any]

CHANGEABLE = (
    "crawl_delay_seconds",
    "max_concurrent_requests",
    "tokens_per_interval",
    "interval_seconds",
    "min_delay_ms",
    "max_delay_ms",
    "crawl_frequency",
    "hours_start",
    "hours_end",
    "respect_robots_txt",
    "is_active",
    "notes",
)
_PAIRS = (("tokens_per_interval", "interval_seconds"), ("hours_start", "hours_end"))


async def change(conn: Connection, domain: str, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Set the named columns and return them as they were and as they are. A new row sets nothing but what is named:
    every other limit stays NULL (DESIGN §11.4)."""
    unknown = set(changes) - set(CHANGEABLE)
    if unknown:
        raise InvalidInput(f"a domain has no field {sorted(unknown)[0]!r} that can be changed")
    await conn.execute(
        "INSERT INTO domains (domain_name, base_url) VALUES (%s, %s) ON CONFLICT (domain_name) DO NOTHING",
        (domain, base_url(domain)),
    )
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM domains WHERE domain_name = %s FOR UPDATE", (domain,))
        before = await cursor.fetchone()
    assert before is not None
    after = {**before, **changes}
    _check(after)
    if changes:
        assignments = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in changes
        )
        query = sql.SQL("UPDATE domains SET {}, updated_at = now() WHERE domain_name = {}").format(
            assignments, sql.Placeholder("domain")
        )
        await conn.execute(query, {**changes, "domain": domain})
    return {name: before[name] for name in changes}, dict(changes)


async def usual_interval(conn: Connection, domain: str) -> timedelta | None:
    """How often URLs of the domain are visited where nothing else says it (C-007)."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("SELECT crawl_frequency FROM domains WHERE domain_name = %s", (domain,))
        found: timedelta | None = await cursor.fetchone()
    return found


async def usual_intervals(conn: Connection) -> dict[str, timedelta]:
    """Of every domain that has one."""
    query = "SELECT domain_name, crawl_frequency FROM domains WHERE crawl_frequency IS NOT NULL"
    return {name: every for name, every in await (await conn.execute(query)).fetchall()}


def base_url(domain: str) -> str:
    """host:port is how addresses and names without a public suffix are kept (DESIGN §11.5)."""
    return f"http://{domain}/" if ":" in domain else f"https://{domain}/"


def _check(row: Mapping[str, Any]) -> None:
    for one, other in _PAIRS:
        if (row[one] is None) != (row[other] is None):
            raise InvalidInput(f"{one} and {other} go together", field=one)
    least, most = row["min_delay_ms"], row["max_delay_ms"]
    if least is not None and most is not None and least > most:
        raise InvalidInput("min_delay_ms is above max_delay_ms", field="min_delay_ms")
