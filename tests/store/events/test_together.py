"""Two workers that meet the same event at the same moment."""

from __future__ import annotations

import asyncio
from functools import partial

from tests.store.conftest import Rows
from tests.store.events.event_rows import event, list_events, page, read_in, source
from tests.waiting import until
from winnow.db.engine import Database

WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


async def test_e075_an_event_that_another_worker_writes_first_is_no_error(database: Database, rows: Rows) -> None:
    """The second one looks, finds nothing, and meets the unique key when it inserts."""
    source_id = await source(database)
    async with database.transaction() as conn:
        await read_in(conn, [page(source_id, [event("Nachtvlinders", key="URL:1"), event("Tweede", key="URL:2")])])
        second = asyncio.create_task(
            list_events(database, source_id, event("Nachtvlinders", key="URL:1"), event("Derde", key="URL:3"))
        )
        await until(partial(rows, WAITING))
    found = await second
    assert len(found.stored) == 2
    assert await rows("SELECT title FROM events ORDER BY 1") == ["Derde", "Nachtvlinders", "Tweede"]
    assert await rows("SELECT topic, count(*)::int FROM outbox GROUP BY 1") == [("event.created", 3)]
