"""Crawls as every face shows them: how far they are, what they found, and what was not visited and why."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, TextClause, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.crawls import Crawl
from winnow.db.tables.runs import ScrapeRun
from winnow.db.tables.sources import Source
from winnow.queries.reading import Row, cut, first, page, rows

C, R, S = Crawl.__table__, ScrapeRun.__table__, Source.__table__
RATE_SECONDS = 60  # the time over which the pace is measured

# Pages that were looked at and gave nothing, each with its reason. Finished tasks move to the archive within hours.
_REASONS = text(
    """
    SELECT outcome, coalesce(reason, '') AS reason, min(last_error) AS example, count(*)::integer AS n
    FROM (SELECT outcome, reason, last_error FROM tasks WHERE run_id = :run_id AND finished_at IS NOT NULL
          UNION ALL SELECT outcome, reason, last_error FROM task_archive WHERE run_id = :run_id) AS t
    WHERE outcome IS NOT NULL AND outcome NOT IN ('accepted', 'unchanged', 'followed', 'cached')
    GROUP BY 1, 2 ORDER BY n DESC LIMIT 50
    """
)
# What sitemaps name, and how much of it was fetched.
_COVERAGE = text(
    """
    SELECT count(*)::integer AS listed,
           count(*) FILTER (WHERE f.state = 'cut')::integer AS cut,
           count(*) FILTER (WHERE coalesce(t.status, a.status) = 'done'
                            AND coalesce(t.outcome, a.outcome) IS DISTINCT FROM 'robots_blocked')::integer AS read,
           count(*) FILTER (WHERE t.accepted > 0 OR a.accepted > 0)::integer AS products
    FROM follow_ups AS f
    LEFT JOIN tasks AS t ON t.id = f.task_id
    LEFT JOIN task_archive AS a ON a.id = f.task_id
    WHERE f.run_id = :run_id AND f.in_sitemap
    """
)
_RATE = text(
    """
    SELECT count(t.id) / greatest(1, least(:seconds, extract(epoch FROM now() - r.started_at)))::float8 AS rate
    FROM scrape_runs AS r
    LEFT JOIN tasks AS t ON t.run_id = r.id AND t.finished_at > now() - make_interval(secs => :seconds)
    WHERE r.id = :run_id GROUP BY r.id
    """
).bindparams(seconds=RATE_SECONDS)


def _crawls() -> Select[Any]:
    queue = R.c.links_waiting + R.c.urls_planned - R.c.urls_attempted - R.c.urls_cancelled
    counts = (
        S.c.name.label("source_name"),
        func.coalesce(R.c.urls_attempted, 0).label("pages"),
        func.coalesce(R.c.urls_failed, 0).label("failed"),
        func.coalesce(R.c.urls_robots_blocked, 0).label("robots_blocked"),
        func.coalesce(R.c.offers_valid, 0).label("products"),
        func.coalesce(R.c.offers_quarantined, 0).label("held"),
        func.coalesce(R.c.offers_dropped - R.c.urls_robots_blocked + R.c.oos_no_price_count, 0).label("rejected"),
        func.coalesce(queue, 0).label("queue"),
        func.coalesce(R.c.bytes, 0).label("bytes"),
        func.coalesce(R.c.links_found, 0).label("links_found"),
        func.coalesce(R.c.links_by_role, text("'{}'::jsonb")).label("links_by_role"),
        func.coalesce(R.c.links_cut_by, text("'{}'::jsonb")).label("links_cut_by"),
        R.c.deadline_at,
    )
    return select(*C.c, *counts).select_from(C.join(S, S.c.id == C.c.source_id).outerjoin(R, R.c.id == C.c.run_id))


async def listed(
    conn: AsyncConnection,
    *,
    state: str | None = None,
    source_id: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first."""
    statement = _crawls()
    for column, wanted in ((C.c.state, state), (C.c.source_id, source_id)):
        if wanted is not None:
            statement = statement.where(column == wanted)
    return cut(await rows(conn, page(statement, C.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, crawl_id: int) -> Row | None:
    """With its pace, in the last minute or over all, and how long what is queued will take at it."""
    found = await first(conn, _crawls().where(C.c.id == crawl_id))
    if found is None:
        return None
    rate = 0.0
    if found["state"] == "running":
        rate = sum([row["rate"] for row in await _read(conn, _RATE, found["run_id"])])
    elif found["ended_at"] is not None and found["started_at"] is not None:
        rate = found["pages"] / max(1.0, (found["ended_at"] - found["started_at"]).total_seconds())
    eta = found["queue"] / rate if rate and found["state"] == "running" else None
    return {**found, "pages_per_second": round(rate, 2), "eta_seconds": None if eta is None else int(eta)}


async def report(conn: AsyncConnection, crawl_id: int) -> Row | None:
    """The same with what gave no product and why, and what of the sitemaps was read."""
    found = await one(conn, crawl_id)
    if found is None:
        return None
    reasons: list[Row] = []
    coverage: Row | None = None
    if found["run_id"] is not None:
        reasons = await _read(conn, _REASONS, found["run_id"])
        (coverage,) = await _read(conn, _COVERAGE, found["run_id"])
    return {**found, "without_product": reasons, "sitemap": coverage}


async def _read(conn: AsyncConnection, query: TextClause, run_id: int) -> list[Row]:
    return [dict(row) for row in (await conn.execute(query, {"run_id": run_id})).mappings()]
