"""Publishes the message that a run is over, in the transaction that ends it (R-02).

One message per run, with its counters, so that it can be read as the run's summary (E-082). A run that is part of a
daily run has a topic of its own: people hear of the day once, not of each source (E-080).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.rows import dict_row

from winnow.db.engine import Connection
from winnow.feeds.run_result import result_sql
from winnow.publish import outbox
from winnow.run.crawl import gone
from winnow.schedule import crawls
from winnow.schedule.runs import CountedRun

RUN_COMPLETED = "run.completed"
PART_COMPLETED = "run.part_completed"
FEED_COMPLETED = "feed.completed"
_SUMMARY = """
SELECT r.id AS run_id, r.status, r.source_id, s.name AS source, r.adapter_id, r.trigger, r.duration_ms,
       r.urls_attempted, r.urls_succeeded, r.urls_failed, r.urls_unchanged, r.urls_robots_blocked, r.offers_extracted,
       r.offers_valid, r.offers_dropped, r.offers_quarantined, r.oos_no_price_count,
       r.failure_rate::float8, r.yield_rate::float8, r.bytes, r.error_code, r.error_message,
       r.links_found, r.links_queued, r.links_waiting, r.links_cut, r.links_by_role, r.links_cut_by,
       (SELECT count(*) FROM domain_circuits AS c WHERE c.domain = s.domain AND c.state = 'open') AS open_circuits,
       (SELECT max(d.daily_run_id) FROM daily_run_sources AS d WHERE d.scrape_run_id = r.id) AS daily_run_id
FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.id = ANY(%s) ORDER BY r.id
"""
_FEED_SUMMARY = f"""
SELECT r.id AS run_id, r.feed_id, r.status, {result_sql("r")} AS result, r.source_id, s.name AS source, r.trigger,
       r.duration_ms, r.download_bytes, r.rows_read, r.products_upserted, r.products_rejected, r.prices_written,
       r.products_promoted, r.products_expired, r.error_count, r.error_code, r.error_message, r.skipped_reason,
       r.expiry_blocked_reason, r.would_expire_count
FROM affiliate_feed_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.id = %s
"""


async def completed(conn: Connection, counted: Sequence[CountedRun]) -> list[CountedRun]:
    """Those of `counted` that are complete now."""
    over = [run for run in counted if run.complete]
    if over:
        await gone.mark(conn, await crawls.end(conn, [run.id for run in over]))
        await outbox.put(conn, [_message(row) for row in await _summaries(conn, [run.id for run in over])])
    return over


async def feed_completed(conn: Connection, run_id: int) -> None:
    """F-067: after the run was ended, by whoever ended it."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_FEED_SUMMARY, (run_id,))
        rows = await cursor.fetchall()
    await outbox.put(conn, [outbox.Message(FEED_COMPLETED, f"feed:{row['feed_id']}", row) for row in rows])


async def _summaries(conn: Connection, ids: list[int]) -> list[dict[str, Any]]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SUMMARY, (ids,))
        return await cursor.fetchall()


def _message(summary: dict[str, Any]) -> outbox.Message:
    key = f"run:{summary['run_id']}"
    if summary["daily_run_id"] is not None:
        return outbox.Message(PART_COMPLETED, key, summary)
    return outbox.Message(RUN_COMPLETED, key, summary)
