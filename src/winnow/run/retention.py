"""How long history is remembered: one chore, each table by the folder that writes it. Pages have their own keeper
(run/page_retention.py); prices, verdicts and the audit trail are never forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from winnow.db.engine import Connection, Database
from winnow.extract import drafts
from winnow.judge import monitor_readings, replays
from winnow.publish import alerts, deliveries
from winnow.schedule import crawl_shapes, daily, failed_attempts, follow_ups, history
from winnow.services import calls
from winnow.services.geocoder import cache
from winnow.settings import Settings

log = structlog.get_logger(__name__)

AT_ONCE, MAX_BATCHES = 5_000, 20  # 100 000 rows of each table a turn, and no long transaction

Forget = Callable[[Connection, int], Awaitable[int]]


class Retention:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        schedule, publish, fetch = settings.schedule, settings.publish, settings.fetch
        # What a stored page was asked for, and how its visit ended, is known as long as the page (DESIGN §11.26).
        tasks = max(schedule.keep_tasks_days, fetch.keep_pages_days)
        self._rules: dict[str, Forget] = {
            "follow_ups": lambda conn, n: follow_ups.forget(conn, schedule.keep_runs_days, n),
            "crawl_shapes": lambda conn, n: crawl_shapes.forget(conn, n),
            "runs": lambda conn, n: history.forget_runs(conn, schedule.keep_runs_days, n),
            "daily_runs": lambda conn, n: daily.forget(conn, schedule.keep_runs_days, n),
            "tasks": lambda conn, n: history.forget_tasks(conn, tasks, n),
            "jobs": lambda conn, n: history.forget_jobs(conn, tasks, n),
            "dead_letters": lambda conn, n: history.forget_letters(conn, tasks, n),
            "failed_attempts": lambda conn, n: failed_attempts.forget(conn, tasks, n),
            "drafts": lambda conn, n: drafts.forget_drafts(conn, fetch.keep_fetches_days, n),
            "insights": lambda conn, n: drafts.forget_insights(conn, fetch.keep_fetches_days, n),
            "replays": lambda conn, n: replays.forget(conn, schedule.keep_runs_days, n),
            "monitor_readings": monitor_readings.forget,
            "service_calls": calls.forget,
            "geocodes": cache.forget,
            "alerts": lambda conn, n: alerts.forget(conn, publish.keep_alerts_days, n),
            "delivered": lambda conn, n: deliveries.forget(conn, "delivered", publish.keep_delivered_days, n),
            "dead_deliveries": lambda conn, n: deliveries.forget(conn, "dead", publish.keep_dead_deliveries_days, n),
        }

    async def forget(self) -> dict[str, int]:
        """How many rows of what."""
        gone = {name: await self._batches(rule) for name, rule in self._rules.items()}
        gone = {name: count for name, count in gone.items() if count}
        if gone:
            log.info("history_forgotten", rows=gone)
        return gone

    async def _batches(self, rule: Forget) -> int:
        total = 0
        for _ in range(MAX_BATCHES):
            async with self._database.connection() as conn:
                gone = await rule(conn, AT_ONCE)
            total += gone
            if gone < AT_ONCE:
                break
        return total
