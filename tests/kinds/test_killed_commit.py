"""A worker that is killed inside the commit of a long list leaves nothing half done (R-27)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.chaos.crowd import Process, running
from tests.chaos.crowd import start as start_process
from tests.kinds.test_one_path import RUN, TASK, agenda, board, listing
from tests.run.conftest import *  # noqa: F403 - a site and a database to run against
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("notice_kind", "notices_table")

GATE = 4_242  # the advisory lock on which the commit waits
# After the records were inserted and before the commit: the transaction has written and holds its locks.
TRIGGER = f"""
CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock({GATE}); RETURN NULL; END $$;
CREATE TRIGGER wait_at_the_gate AFTER INSERT ON notices FOR EACH STATEMENT EXECUTE FUNCTION wait_at_the_gate();
"""
WAITING = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {GATE} AND NOT granted"
STATE = {
    "task": TASK,
    "run": RUN,
    "stored": "SELECT key, text FROM notices ORDER BY key",
    "records": "SELECT record_key, verdict, reasons FROM records ORDER BY record_key",
    "drafts": "SELECT count(*)::int FROM drafts",
    "quarantine": "SELECT record_key, reason FROM quarantine ORDER BY record_key",
    "lanes": "SELECT queued, in_flight FROM lanes ORDER BY lane",
    "letters": "SELECT count(*)::int FROM dead_letters",
}

__all__ = ["agenda"]


async def state(rows: Any) -> dict[str, Any]:
    return {name: await rows(query) for name, query in STATE.items()}


async def test_r27_a_worker_killed_inside_the_commit_of_a_list_changes_nothing(
    agenda: Any, start: Any, rows: Any, database_url: str, tmp_path: Path
):
    """It is stopped after its records were written, killed there, and another one does the page again."""
    source = await agenda(board(listing()))
    run = await start(source)
    await rows(TRIGGER)
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as gate:
        await gate.execute("SELECT pg_advisory_lock(%s)", (GATE,))
        worker = await start_process("worker", database_url, tmp_path)
        try:
            (backend,) = await until(lambda: _blocked(rows, worker))
        finally:
            await worker.kill()
        assert await rows("SELECT count(*)::int FROM notices") == [0], "nothing is visible before the commit"
        await gate.execute("SELECT pg_advisory_unlock(%s)", (GATE,))
        await until(lambda: _gone(rows, backend))
    assert await rows("SELECT count(*)::int FROM notices") == [0], "the killed commit was taken back whole"
    await rows("DROP TRIGGER wait_at_the_gate ON notices")
    async with running("upkeep", database_url, tmp_path), living_worker(database_url, tmp_path):
        await until(lambda: _ended(rows, run))
    found = await state(rows)
    assert found["task"] == [("accepted", None, 294, 3, 3)]
    assert found["run"] == [("SUCCESS", 1, 0, 300, 294, 3, 3, 0, 0, 0.0, 1.0)]
    assert await rows("SELECT attempts, losses FROM tasks") == [(1, 1)], "the attempt was refunded"
    await _undisturbed(rows, source, start, database_url, tmp_path)
    undisturbed = await state(rows)
    different = {name for name in STATE if found[name] != undisturbed[name]}
    assert not different, {name: (found[name], undisturbed[name]) for name in different}


async def _undisturbed(rows: Any, source: int, start: Any, database_url: str, folder: Path) -> None:
    """The same page by a worker that lives, from an empty state."""
    await rows("TRUNCATE tasks, scrape_runs, records, record_heads, drafts, quarantine, notices, pages CASCADE")
    await rows(
        "UPDATE scrape_targets SET etag = NULL, content_hash = NULL, last_verdict = NULL, last_accepted = 0, "
        "last_held = 0, last_rejected = 0, last_status = NULL, full_fetch_at = NULL"
    )
    run = await start(source)
    async with living_worker(database_url, folder):
        await until(lambda: _ended(rows, run))


def living_worker(database_url: str, folder: Path) -> AbstractAsyncContextManager[Process]:
    """With the usual lease: the short one of the killed worker could be lost on a busy machine."""
    return running("worker", database_url, folder, WINNOW_LEASE_SECONDS="60")


async def _blocked(rows: Any, worker: Any) -> list[int]:
    assert worker.process.returncode is None, "the worker died before it came to its commit"
    found: list[int] = await rows(WAITING)
    return found


async def _gone(rows: Any, backend: int) -> bool:
    return not await rows("SELECT pid FROM pg_stat_activity WHERE pid = %s", backend)


async def _ended(rows: Any, run: int) -> bool:
    return await rows("SELECT status FROM scrape_runs WHERE id = %s", run) != ["RUNNING"]
