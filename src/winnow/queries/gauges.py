"""The gauges of P-097, read from the tables."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.fetch import Proxy
from winnow.db.tables.judge import AdapterStatus
from winnow.db.tables.schedule import DeadLetter, DomainCircuit, Lane, Task
from winnow.db.tables.sources import ScrapeTarget
from winnow.observe.metrics import GaugeValue
from winnow.queries.reading import rows
from winnow.schedule.queue.task import Producer
from winnow.store.search import lag

LATEST = 2_000  # tasks that ended last, whoever queued them: what is read for an average

K, T, A, D, X, C, L = (m.__table__ for m in (Task, ScrapeTarget, AdapterStatus, DeadLetter, Proxy, DomainCircuit, Lane))


async def readings(conn: AsyncConnection, adapters: list[str]) -> list[GaugeValue]:
    """`adapters` are those that are registered: one without a row of its own is enabled."""
    return [
        *await _pending(conn),
        *await _adapters(conn, adapters),
        *await _targets(conn),
        *await _work(conn),
        *_scraping(await queue_stats(conn)),
        *await _proxies(conn),
        *await _politeness(conn),
        *await _search(conn),
    ]


async def _pending(conn: AsyncConnection) -> list[GaugeValue]:
    adapter = func.coalesce(K.c.adapter_id, "").label("adapter_id")
    counted = select(adapter, func.count().label("n")).where(K.c.status == "queued").group_by(adapter)
    return [GaugeValue("scrape_queue_pending", [r["adapter_id"]], r["n"]) for r in await rows(conn, counted)]


async def _adapters(conn: AsyncConnection, known: list[str]) -> list[GaugeValue]:
    stored = {r["adapter_id"]: r["enabled"] for r in await rows(conn, select(A.c.adapter_id, A.c.enabled))}
    enabled = {**dict.fromkeys(known, True), **stored}
    return [GaugeValue("scrape_adapter_enabled", [name], float(on)) for name, on in sorted(enabled.items())]


async def _targets(conn: AsyncConnection) -> list[GaugeValue]:
    watched = ("ACTIVE", "BROKEN", "STALE")
    counted = (
        select(T.c.adapter_id, T.c.source_id, T.c.status, func.count().label("n"))
        .where(T.c.status.in_(watched))
        .group_by(T.c.adapter_id, T.c.source_id, T.c.status)
    )
    return [
        GaugeValue(f"scrape_targets_{r['status'].lower()}", [r["adapter_id"], r["source_id"]], r["n"])
        for r in await rows(conn, counted)
    ]


async def _proxies(conn: AsyncConnection) -> list[GaugeValue]:
    """How many proxies are healthy, unhealthy or off, and what each was used for (S-020)."""
    columns = (X.c.id, X.c.is_active, X.c.is_healthy, X.c.success_count, X.c.total_failure_count)
    found = await rows(conn, select(*columns))
    states = ["off" if not r["is_active"] else "healthy" if r["is_healthy"] else "unhealthy" for r in found]
    counted = [GaugeValue("winnow_proxies", [s], states.count(s)) for s in ("healthy", "unhealthy", "off")]
    requests = [
        GaugeValue("winnow_proxy_requests", [r["id"], outcome], r[column])
        for r in found
        for outcome, column in (("success", "success_count"), ("failure", "total_failure_count"))
    ]
    return counted + requests


async def _politeness(conn: AsyncConnection) -> list[GaugeValue]:
    """S-020: the breaker and the limiter, as far as they hold something back."""
    states = {
        r["state"]: r["n"] for r in await rows(conn, select(C.c.state, func.count().label("n")).group_by(C.c.state))
    }
    held = select(
        func.count().filter(L.c.held_until > func.now()).label("held"),
        func.count().filter(L.c.slowed_until > func.now()).label("slowed"),
    )
    lanes = (await rows(conn, held))[0]
    return [
        *(GaugeValue("winnow_circuits", [state], states.get(state, 0)) for state in ("open", "half_open")),
        *(GaugeValue("winnow_lanes_held", [why], lanes[why]) for why in ("held", "slowed")),
    ]


async def _search(conn: AsyncConnection) -> list[GaugeValue]:
    known = [lag.Lag(**row) for row in (await conn.execute(text(lag.LAG))).mappings()]
    return [
        GaugeValue("winnow_search_changes_waiting", [], known[0].changes),
        GaugeValue("winnow_search_lag_seconds", [], round(lag.seconds_behind(known), 1)),
        *(GaugeValue("winnow_search_documents_waiting", [o.index], o.documents_waiting) for o in known if o.index),
    ]


class QueueStats(NamedTuple):
    """S-020, S-041: of the scraping service. `avg_duration` in milliseconds, null while nothing has ended lately."""

    queue_depth: int
    active_workers: int
    avg_duration: float | None


async def queue_stats(conn: AsyncConnection) -> QueueStats:
    """Cheap however much is queued, done or queued by others: an index has each of the three."""
    ours = K.c.producer == Producer.ENRICHMENT
    waiting = select(func.count()).where(K.c.status == "queued", ours)
    running = select(func.count()).where(K.c.status == "running", ours)
    ended = K.c.finished_at.is_not(None)
    latest = select(K).where(ended).order_by(K.c.finished_at.desc()).limit(LATEST).subquery()
    took = func.avg(func.extract("epoch", latest.c.finished_at - latest.c.started_at) * 1_000)
    mean = select(took).where(latest.c.producer == Producer.ENRICHMENT)
    asked = select(waiting.scalar_subquery(), running.scalar_subquery(), mean.scalar_subquery())
    depth, workers, average = (await conn.execute(asked)).one()
    return QueueStats(depth, workers, None if average is None else round(float(average), 1))


def _scraping(stats: QueueStats) -> list[GaugeValue]:
    known = [GaugeValue("scrape_queue_depth", [], stats.queue_depth),
             GaugeValue("scrape_active_workers", [], stats.active_workers)]  # fmt: skip
    if stats.avg_duration is not None:
        known.append(GaugeValue("scrape_avg_duration_ms", [], stats.avg_duration))
    return known


async def _work(conn: AsyncConnection) -> list[GaugeValue]:
    running = select(func.count().label("n"), func.count(K.c.leased_by.distinct()).label("workers"))
    tasks = (await rows(conn, running.where(K.c.status == "running")))[0]
    letters = (await rows(conn, select(func.count().label("n")).where(D.c.status == "pending")))[0]
    return [
        GaugeValue("winnow_tasks_running", [], tasks["n"]),
        GaugeValue("winnow_workers_active", [], tasks["workers"]),
        GaugeValue("winnow_dead_letters_pending", [], letters["n"]),
    ]
