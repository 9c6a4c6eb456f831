"""The status of an adapter, stored in `scrape_adapter_status` (P-065).

An adapter that belongs to a site has one standing. One that serves every site (`generic`) has one per source, named
`generic@<source>`: a redesign of one shop must not stop the others. docs/decisions/shared-adapter-drift.md
"""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.judge.drift import Baseline, RunCounters, Standing

Connection = AsyncConnection[Any]

_ENSURE = "INSERT INTO scrape_adapter_status (adapter_id) VALUES (%s) ON CONFLICT DO NOTHING"
_LOAD = """
SELECT enabled, consecutive_failed_batches AS failed_batches, consecutive_zero_offer_runs AS no_offer_runs,
       consecutive_zero_price_runs AS zero_price_runs
FROM scrape_adapter_status WHERE adapter_id = %s FOR UPDATE
"""
_STORE = """
UPDATE scrape_adapter_status
SET consecutive_failed_batches = %(failed_batches)s, consecutive_zero_offer_runs = %(no_offer_runs)s,
    consecutive_zero_price_runs = %(zero_price_runs)s, last_batch_failure_rate = %(failure_rate)s,
    last_run_id = %(run_id)s, close_monitoring = close_monitoring AND NOT %(watched)s, updated_at = now()
WHERE adapter_id = %(adapter_id)s
"""
_BASELINE = """
UPDATE scrape_adapter_status
SET baseline_failure_rate = %(failure_rate)s, baseline_yield_rate = %(yield_rate)s, baseline_sample_size = %(runs)s,
    baseline_updated_at = now()
WHERE adapter_id = %(adapter_id)s
"""


def standing_id(adapter_id: str, source_id: int, *, shared: bool) -> str:
    return f"{adapter_id}@{source_id}" if shared else adapter_id


def parts_of(standing: str) -> tuple[str, int | None]:
    """The adapter, and the source where the standing is that of one."""
    adapter_id, _, source = standing.partition("@")
    return adapter_id, int(source) if source.isdigit() else None


async def load(conn: Connection, standing: str) -> tuple[Standing, bool]:
    """Locked, made if need be; and whether the adapter is enabled."""
    await conn.execute(_ENSURE, (standing,))
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LOAD, (standing,))
        row = await cursor.fetchone()
    assert row is not None
    enabled = row.pop("enabled")
    return Standing(**row), enabled


async def store(conn: Connection, standing: str, now: Standing, batch: RunCounters, run_id: int) -> None:
    given = {
        "failed_batches": now.failed_batches,
        "no_offer_runs": now.no_offer_runs,
        "zero_price_runs": now.zero_price_runs,
        "failure_rate": round(min(batch.failure_rate, 1.0), 4),
        "run_id": run_id,
        "watched": batch.watched,
        "adapter_id": standing,
    }
    await conn.execute(_STORE, given)


async def keep_baseline(conn: Connection, standing: str, baseline: Baseline | None) -> None:
    """None: there is nothing to compare with any more."""
    given = {
        "failure_rate": None if baseline is None else round(baseline.failure_rate, 4),
        "yield_rate": None if baseline is None else round(baseline.yield_rate, 4),
        "runs": 0 if baseline is None else baseline.runs,
        "adapter_id": standing,
    }
    await conn.execute(_BASELINE, given)
