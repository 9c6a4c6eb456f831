"""The catalogue's crawl jobs, their batches, and the history of each URL (C-004, C-008)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.crawls import Crawl
from winnow.db.tables.fetch import Page
from winnow.db.tables.schedule import ErrorLog, Task
from winnow.db.tables.sources import CrawlBatch, CrawlBatchTarget, ScrapeTarget
from winnow.queries import tasks
from winnow.queries.reading import Row, cut, first, page, rows

_COLUMNS = (
    "id domain_id domain_name source_id url url_hash status outcome reason paused priority scheduled_at started_at "
    "completed_at last_crawled_at error_message retry_count max_retries crawl_frequency next_crawl_at due_because "
    "popularity found_by_run_id task_id page_id html_path created_at updated_at"
)
JOBS = table("crawl_tasks", *(column(name) for name in _COLUMNS.split()))
B, M, T, C, P, E, K = (m.__table__ for m in (CrawlBatch, CrawlBatchTarget, ScrapeTarget, Crawl, Page, ErrorLog, Task))
_IN_QUEUE = frozenset(["queued", "crawling", "downloaded", "parsing"])  # of few among millions: found by their tasks


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    batch_id: int | None = None,
    crawl_id: int | None = None,
    domain: str | None = None,
    paused: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """By id. `since` and `until`: when it was visited last, or made where it never was."""
    statement = select(JOBS)
    for name, value in (("status", status), ("domain_name", domain), ("paused", paused)):
        if value is not None:
            statement = statement.where(JOBS.c[name] == value)
    if status in _IN_QUEUE:
        queued = select(K.c.target_id).where(K.c.status.in_(("queued", "running")), K.c.target_id.is_not(None))
        statement = statement.where(JOBS.c.id.in_(queued))
    statement = _of(statement, batch_id, crawl_id)
    moment = func.coalesce(JOBS.c.last_crawled_at, JOBS.c.created_at)
    if since is not None:
        statement = statement.where(moment >= since)
    if until is not None:
        statement = statement.where(moment < until)
    return cut(await rows(conn, page(statement, JOBS.c.id, after, limit)), limit)


def _of(statement: Select[Any], batch_id: int | None, crawl_id: int | None) -> Select[Any]:
    """Those of a batch, and those that a crawl found."""
    if batch_id is not None:
        statement = statement.where(JOBS.c.id.in_(select(M.c.target_id).where(M.c.batch_id == batch_id)))
    if crawl_id is not None:
        run = select(C.c.run_id).where(C.c.id == crawl_id).scalar_subquery()
        statement = statement.where(JOBS.c.found_by_run_id == run)
    return statement


async def one(conn: AsyncConnection, target_id: int) -> Row | None:
    """With what its revisit follows."""
    found = await first(conn, select(JOBS).where(JOBS.c.id == target_id))
    if found is not None:
        names = ("schedule", "revisit_least", "revisit_most", "data_changed_at", "visits_changed", "visits_same")
        target = await first(conn, select(*(T.c[name] for name in names)).where(T.c.id == target_id))
        found |= target or {}
    return found


async def attempts(
    conn: AsyncConnection, target_id: int, *, after: UUID | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Its visits, newest first, each with its requests and what failed."""
    found, following = await tasks.of_target(conn, target_id, after=after, limit=limit)
    ids = [row["id"] for row in found]
    fetches = await _by_task(conn, select(*_page_columns()).where(P.c.task_id.in_(ids)).order_by(P.c.created_at), ids)
    errors = await _by_task(conn, select(E).where(E.c.task_id.in_(ids)).order_by(E.c.id), ids)
    for row in found:
        row["fetches"], row["errors"] = fetches[row["id"]], errors[row["id"]]
    return found, following


def _page_columns() -> list[Any]:
    names = (
        "id", "task_id", "created_at", "outcome", "status_code", "error_class", "fetcher_used", "fetch_duration_ms",
        "body_bytes",
    )  # fmt: skip
    kept = (P.c.content_hash.is_not(None) & P.c.body_deleted_at.is_(None)).label("kept")
    return [*(P.c[name] for name in names), kept]


async def _by_task(conn: AsyncConnection, statement: Select[Any], ids: Sequence[UUID]) -> dict[UUID, list[Row]]:
    grouped: dict[UUID, list[Row]] = {task_id: [] for task_id in ids}
    for row in await rows(conn, statement) if ids else []:
        grouped[row["task_id"]].append(row)
    return grouped


async def batches(
    conn: AsyncConnection, *, state: str | None = None, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first, each with its URLs by status."""
    statement = select(B) if state is None else select(B).where(B.c.state == state)
    found, following = cut(await rows(conn, page(statement, B.c.id, after, limit, newest=True)), limit)
    return await _counted(conn, found), following


async def batch(conn: AsyncConnection, batch_id: int) -> Row | None:
    found = await first(conn, select(B).where(B.c.id == batch_id))
    return None if found is None else (await _counted(conn, [found]))[0]


async def _counted(conn: AsyncConnection, found: list[Row]) -> list[Row]:
    ids = [row["id"] for row in found]
    counted = {n: {"urls": 0, "created": 0, "counts": {}} for n in ids}
    joined = M.join(JOBS, JOBS.c.id == M.c.target_id)
    new = func.count().filter(M.c.created).label("created")
    statement = select(M.c.batch_id, JOBS.c.status, func.count().label("n"), new).select_from(joined)
    statement = statement.where(M.c.batch_id.in_(ids)).group_by(M.c.batch_id, JOBS.c.status)
    for row in await rows(conn, statement):
        own: Row = counted[row["batch_id"]]
        own["counts"][row["status"]] = row["n"]
        own["urls"] += row["n"]
        own["created"] += row["created"]
    return [{**row, **counted[row["id"]]} for row in found]
