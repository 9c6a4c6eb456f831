"""Deletes old records of finished work, oldest first and a batch at a time. Prices and verdicts are never deleted."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

Connection = AsyncConnection[Any]

# A run that a correction names stays: the correction would lose what it is about. One whose links are not forgotten
# yet waits for them (follow_ups.forget).
_RUNS = """
DELETE FROM scrape_runs WHERE id IN (
    SELECT r.id FROM scrape_runs AS r
    WHERE r.started_at < now() - make_interval(secs => %s) AND r.status <> 'RUNNING'
        AND NOT EXISTS (SELECT FROM price_corrections AS c WHERE c.scrape_run_id = r.id)
        AND NOT EXISTS (SELECT FROM follow_ups AS f WHERE f.run_id = r.id)
    ORDER BY r.started_at LIMIT %s
)
"""
_TASKS = """
DELETE FROM task_archive WHERE id IN (
    SELECT id FROM task_archive WHERE finished_at < now() - make_interval(secs => %s) ORDER BY finished_at LIMIT %s
)
"""
_JOBS = """
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs
    WHERE created_at < now() - make_interval(secs => %(seconds)s)
        AND finished_at < now() - make_interval(secs => %(seconds)s)
    ORDER BY created_at LIMIT %(n)s
)
"""
# Undecided dead letters are kept, however old they are.
_LETTERS = """
DELETE FROM dead_letters WHERE id IN (
    SELECT id FROM dead_letters
    WHERE status IN ('resolved', 'discarded') AND resolved_at < now() - make_interval(secs => %s)
    ORDER BY id LIMIT %s
)
"""
DAY = 86_400


async def forget_runs(conn: Connection, days: float, n: int) -> int:
    """Their prices keep the number of the run."""
    return (await conn.execute(_RUNS, (days * DAY, n))).rowcount


async def forget_tasks(conn: Connection, days: float, n: int) -> int:
    return (await conn.execute(_TASKS, (days * DAY, n))).rowcount


async def forget_jobs(conn: Connection, days: float, n: int) -> int:
    return (await conn.execute(_JOBS, {"seconds": days * DAY, "n": n})).rowcount


async def forget_letters(conn: Connection, days: float, n: int) -> int:
    """Those that were retried with success, or discarded."""
    return (await conn.execute(_LETTERS, (days * DAY, n))).rowcount
