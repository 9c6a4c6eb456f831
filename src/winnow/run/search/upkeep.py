"""Chores of search: changes of offers reach the documents, and the documents the search server (C-052)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import structlog

from winnow.db.engine import Connection, Database
from winnow.errors import SearchServerFailed
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.store.search import changes, lag
from winnow.store.search.server import push
from winnow.store.search.server.client import SearchServer

CODE = "search_behind"
MAX_BATCHES = 50  # of one beat
PAUSE = timedelta(seconds=30)  # after a server that does not answer

log = structlog.get_logger(__name__)


class SearchUpkeep:
    def __init__(self, database: Database, server: SearchServer | None, alert_after_seconds: float) -> None:
        self._database, self._server = database, server
        self._alert_after = alert_after_seconds
        self._asleep_until = 0.0

    async def apply(self) -> int:
        """Prices, stock and visibility that changed reach the documents."""
        done = 0
        for _ in range(MAX_BATCHES):
            async with self._database.transaction() as conn:
                taken = await changes.run_once(conn)
            done += taken
            if not taken:
                break
        return done

    async def push(self) -> int:
        """Documents that changed reach the search server, which may be away."""
        loop = asyncio.get_running_loop()
        if self._server is None or loop.time() < self._asleep_until:
            return 0
        sent = 0
        try:
            async with self._database.connection() as conn:
                for _ in range(MAX_BATCHES):
                    more = await push.run_once(conn, self._server)
                    sent += more
                    if not more:
                        break
        except SearchServerFailed as failed:
            log.warning("search_push_failed", error=str(failed))
            self._asleep_until = loop.time() + PAUSE.total_seconds()
        return sent

    async def check_lag(self) -> float:
        """Raises an alert when search is behind for too long, and resolves it when it is not."""
        async with self._database.transaction() as conn:
            known = await lag.read(conn)
            behind = lag.seconds_behind(known)
            if behind > self._alert_after:
                await alerts.open_alert(conn, _alert(known, behind))
            else:
                await alerts.resolve(conn, "upkeep", keys=[CODE])
        return behind


def _alert(known: list[lag.Lag], behind: float) -> Alert:
    error = next((one.last_error for one in known if one.live and one.last_error), None)
    title = f"search is {behind / 60:.0f} minutes behind" + (f": {error}" if error else "")
    details = {"changes": known[0].changes, "documents": max(one.documents_waiting for one in known), "error": error}
    return Alert(severity=SLACK, code=CODE, key=CODE, title=title, details=details, lasting=True)


async def rebuild_step(conn: Connection, server: SearchServer) -> list[lag.Lag]:
    """One batch, by whoever is at it, and how far the indexes are now."""
    await push.run_once(conn, server)
    return await lag.read(conn)
