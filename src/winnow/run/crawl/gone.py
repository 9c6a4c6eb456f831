"""Marks products that a shop has taken out: its sitemap does not name them any more, and their pages are not there.

A page that is missing twice is marked wherever it is visited (run/commit/unavailability.py). At the end of a crawl one
time is enough where the sitemap agrees. Nothing is marked when less than half of the sitemap is left: then it is the
sitemap that broke, not the products. Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from psycopg.rows import class_row, dict_row

from winnow.db.engine import Connection
from winnow.kinds.registry import all_kinds
from winnow.kinds.writers.writer import Statement, VisitRef, writer_of
from winnow.store.unavailable import UnavailableReason

log = structlog.get_logger(__name__)

LEFT_OF_SITEMAP = 0.5

# The crawl of the same source and scope before this one, and how much the sitemaps of both named.
_SITEMAPS = """
SELECT b.run_id AS before,
       (SELECT count(*) FROM follow_ups WHERE run_id = c.run_id AND in_sitemap)::integer AS listed,
       (SELECT count(*) FROM follow_ups WHERE run_id = b.run_id AND in_sitemap)::integer AS listed_before
FROM crawls AS c
CROSS JOIN LATERAL (
    SELECT run_id FROM crawls
    WHERE source_id = c.source_id AND scope = c.scope AND state = 'done' AND id < c.id AND run_id IS NOT NULL
    ORDER BY id DESC LIMIT 1
) AS b
WHERE c.run_id = %s AND c.state = 'done'
"""
_TAKEN_OUT = """
SELECT t.id AS task_id, t.kind, t.url, t.source_id, t.run_id, t.target_id
FROM follow_ups AS f
JOIN follow_ups AS b ON b.run_id = %(before)s AND b.url_hash = f.url_hash AND b.in_sitemap
JOIN (SELECT id, kind, url, source_id, run_id, target_id, status, reason FROM tasks WHERE run_id = %(run_id)s
      UNION ALL
      SELECT id, kind, url, source_id, run_id, target_id, status, reason FROM task_archive WHERE run_id = %(run_id)s
     ) AS t ON t.id = f.task_id
WHERE f.run_id = %(run_id)s AND NOT f.in_sitemap AND t.status = 'failed' AND t.reason IN ('http_404', 'http_410')
ORDER BY t.id
"""


async def mark(conn: Connection, run_ids: Sequence[int]) -> None:
    """After these runs have ended; those that were no crawls say nothing."""
    for run_id in run_ids:
        async with conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(_SITEMAPS, (run_id,))
            found = await cursor.fetchone()
        if found is None or not found["listed"]:
            continue
        if found["listed"] < LEFT_OF_SITEMAP * found["listed_before"]:
            log.warning("sitemap_shrank", run_id=run_id, listed=found["listed"], before=found["listed_before"])
            continue
        await _mark(conn, run_id, found["before"])


async def _mark(conn: Connection, run_id: int, before: int) -> None:
    async with conn.cursor(row_factory=class_row(VisitRef)) as cursor:
        await cursor.execute(_TAKEN_OUT, {"run_id": run_id, "before": before})
        gone = await cursor.fetchall()
    for name in sorted({visit.kind for visit in gone}):
        stated = [Statement(visit=visit, reason=UnavailableReason.GONE) for visit in gone if visit.kind == name]
        await writer_of(all_kinds().get(name)).unavailable(conn, stated)
