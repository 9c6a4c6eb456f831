"""Recomputes a lane's limits from everything that says something about its domain."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row, scalar_row

from winnow.db.engine import Database
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.ledger.policy import DomainRule, Limits, effective, rate_of, strictest
from winnow.schedule.settings import ScheduleSettings

_DOMAIN = "SELECT * FROM domains WHERE domain_name = %s"
_SOURCES = """
SELECT DISTINCT (s.scrape_config -> 'rateLimit' ->> 'requestsPerSecond')
FROM sources AS s
WHERE s.scrape_config -> 'rateLimit' ->> 'requestsPerSecond' IS NOT NULL
  AND (s.domain = %(domain)s
       OR EXISTS (SELECT 1 FROM scrape_targets AS t WHERE t.source_id = s.id AND t.domain = %(domain)s))
"""
_DELAY = "SELECT max(crawl_delay_seconds) FROM robots WHERE domain = %s"
_UNKNOWN = """
SELECT lane FROM lanes WHERE limits_from = '{}' AND left(lane, 1) <> '@' ORDER BY queued = 0, turn_at LIMIT %s
"""
MAX_AT_ONCE = 500


async def limits_of(conn: AsyncConnection[Any], domain: str, settings: ScheduleSettings, policies: Policies) -> Limits:
    """What holds for a domain now (DESIGN §4), from the tables and the policy file."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_DOMAIN, (domain,))
        row = await cursor.fetchone()
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_SOURCES, {"domain": domain})
        overrides = [rate_of(float(rate)) for rate in await cursor.fetchall()]
        await cursor.execute(_DELAY, (domain,))
        delay = await cursor.fetchone()
    return effective(
        domain=None if row is None else rule_of_domain(row),
        source=strictest(overrides),
        policy=policies.for_domain(domain),
        default=default_rule(settings),
        crawl_delay=delay,
    )


async def refresh(
    database: Database, ledger: Ledger, domain: str, settings: ScheduleSettings, policies: Policies
) -> Limits:
    async with database.connection() as conn:
        limits = await limits_of(conn, domain, settings, policies)
    await ledger.set_limits(domain, limits)
    return limits


async def forget(database: Database) -> int:
    """Mark the limits of every lane as unknown: at a start, the policy file or the settings may have changed."""
    async with database.connection() as conn:
        done = await conn.execute(
            "UPDATE lanes SET limits_from = '{}' WHERE limits_from <> '{}' AND left(lane, 1) <> '@'"
        )
    return done.rowcount


async def refresh_unknown(database: Database, ledger: Ledger, settings: ScheduleSettings, policies: Policies) -> int:
    """Lanes that came up with their first task have the strictest limits until this has looked. A few
    hundred at a time, those with work first: the scheduler calls it on every tick."""
    async with database.connection() as conn, conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_UNKNOWN, (MAX_AT_ONCE,))
        unknown = await cursor.fetchall()
    for domain in unknown:
        await refresh(database, ledger, domain, settings, policies)
    return len(unknown)


def default_rule(settings: ScheduleSettings) -> DomainRule | None:
    """SCRAPER_RATE_LIMIT_*: replaces the platform's rate when set (S-006)."""
    if settings.rate_limit_tokens is None and settings.rate_limit_interval_seconds is None:
        return None
    return DomainRule(
        tokens_per_interval=settings.rate_limit_tokens or 2,
        interval_seconds=settings.rate_limit_interval_seconds or 10.0,
    )


def rule_of_domain(row: dict[str, Any]) -> DomainRule:
    hours = None if row["hours_start"] is None else (row["hours_start"], row["hours_end"])
    return DomainRule(
        tokens_per_interval=row["tokens_per_interval"],
        interval_seconds=row["interval_seconds"],
        spacing_seconds=row["crawl_delay_seconds"],
        max_concurrent=row["max_concurrent_requests"],
        allowed_hours=hours,
        min_delay_ms=row["min_delay_ms"],
        max_delay_ms=row["max_delay_ms"],
        respect_robots_txt=row["respect_robots_txt"],
    )
