"""Pause, resume and stop of batches, domains and everything (C-003). Crawls have theirs in crawls.py.

Paused work goes on where it was; stopped work is over, and whoever wants it again submits it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from winnow.actions import domains, targets
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.fetch.failure import FailureCode
from winnow.observe import audit
from winnow.run import closing
from winnow.schedule import crawling
from winnow.schedule.ledger.ledger import Ledger
from winnow.sources import batches
from winnow.sources import targets as stored

Connection = AsyncConnection[Any]

CRAWLED = (
    "product",
    "offer",
    "event",
    "image",
)  # what recurs; requests of the scraping service are answered all the same
AT_ONCE = 1_000  # audited targets of one statement


async def pause_batch(conn: Connection, actor: str, batch_id: int) -> int:
    """How many of its URLs are paused by it."""
    await _in_state(conn, batch_id, "running")
    changed = await _each(conn, actor, batch_id, targets.pause)
    await batches.set_state(conn, batch_id, "paused")
    await audit.record(conn, actor, "batch.paused", "batch", batch_id, after={"targets": changed})
    return changed


async def resume_batch(conn: Connection, actor: str, batch_id: int) -> int:
    await _in_state(conn, batch_id, "paused")
    changed = await _each(conn, actor, batch_id, targets.resume)
    await batches.set_state(conn, batch_id, "running")
    await audit.record(conn, actor, "batch.resumed", "batch", batch_id, after={"targets": changed})
    return changed


async def stop_batch(conn: Connection, actor: str, batch_id: int) -> int:
    """Its URLs are not visited again, unless they are submitted again."""
    await _in_state(conn, batch_id, "running", "paused")
    ids = await batches.targets_of(conn, batch_id)
    await _each(conn, actor, batch_id, targets.pause)
    await stored.end_cadence(conn, ids)
    await batches.set_state(conn, batch_id, "stopped")
    await audit.record(conn, actor, "batch.stopped", "batch", batch_id, after={"targets": len(ids)})
    return len(ids)


async def _each(conn: Connection, actor: str, batch_id: int, change: Any) -> int:
    ids = await batches.targets_of(conn, batch_id)
    changed = 0
    for start in range(0, len(ids), AT_ONCE):
        changed += len(await change(conn, actor, ids[start : start + AT_ONCE]))
    return changed


async def _in_state(conn: Connection, batch_id: int, *states: str) -> None:
    batch = await batches.get(conn, batch_id, lock=True)
    if batch["state"] not in states:
        raise Conflict(f"batch {batch_id} is {batch['state']}", existing=batch["state"])


async def stop_domain(database: Database, actor: str, ledger: Ledger, domain: str) -> int:
    """Pauses it and cancels what is queued; how many tasks that were. Running ones finish."""
    await domains.pause(database, actor, ledger, domain)
    async with database.transaction() as conn:
        cancelled = len((await closing.withdraw(conn, FailureCode.CANCELLED, lane=domain)).tasks)
        await audit.record(conn, actor, "domain.stopped", "domain", domain, after={"cancelled": cancelled})
    return cancelled


async def pause_all(conn: Connection, actor: str) -> bool:
    """No page is scheduled or fetched from now on; running visits finish. Whether that changed anything."""
    changed = await crawling.pause(conn, actor)
    if changed:
        await audit.record(conn, actor, "crawling.paused", "crawling", "all")
    return changed


async def resume_all(conn: Connection, actor: str) -> bool:
    changed = await crawling.resume(conn)
    if changed:
        await audit.record(conn, actor, "crawling.resumed", "crawling", "all")
    return changed


async def stop_all(conn: Connection, actor: str, kinds: Sequence[str] = CRAWLED) -> int:
    """Pauses everything and cancels all queued visits; how many. URLs are due again at their next time."""
    await pause_all(conn, actor)
    cancelled = len((await closing.withdraw(conn, FailureCode.CANCELLED, kinds=list(kinds))).tasks)
    await audit.record(conn, actor, "crawling.stopped", "crawling", "all", after={"cancelled": cancelled})
    return cancelled
