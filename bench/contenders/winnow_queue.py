"""Winnow: no-op tasks through the real tables, fences and lanes included.

    winnow_queue.py DSN JOBS ENQUEUE_BATCH CLAIM_BATCH DOMAINS

The domains have a high explicit rate; there is no switch that turns politeness off.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.ledger.policy import Limits
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, NewTask, Producer, Settlement, Status, new_id

FAST = Limits(tokens=1_000_000, interval_seconds=1.0, spacing_seconds=0.0, max_concurrent=1_000)
LEASE_SECONDS = 60.0


async def main(dsn: str, jobs: int, enqueue_batch: int, claim_batch: int, domains: int) -> None:
    async with await Database.open(DatabaseSettings(database_url=dsn)) as database:
        ledger = PostgresLedger(database)
        for number in range(domains):
            await ledger.set_limits(lane(number), FAST)
        begun = time.perf_counter()
        for first in range(0, jobs, enqueue_batch):
            last = min(first + enqueue_batch, jobs)
            async with database.transaction() as conn:
                await queue.enqueue(conn, [task(number, domains) for number in range(first, last)])
        await drain(database, jobs, claim_batch)
        seconds = time.perf_counter() - begun
        async with database.connection() as conn:
            cursor = await conn.execute("SELECT count(*) FROM tasks WHERE status = 'done'")
            done = await cursor.fetchone()
    print(json.dumps({"seconds": seconds, "jobs": done[0] if done else 0}))


async def drain(database: Database, jobs: int, claim_batch: int) -> None:
    """As a worker does it: the next tasks are claimed while the last ones are being settled. A claim
    passes over lanes that are locked by the settling, so an empty one does not mean the end."""
    claimed: list[Claimed] = []
    while jobs:
        settled, claimed = await asyncio.gather(settle(database, claimed), claim(database, claim_batch))
        jobs -= settled


async def claim(database: Database, claim_batch: int) -> list[Claimed]:
    async with database.connection() as conn:
        return await queue.claim(conn, "bench", claim_batch, LEASE_SECONDS)


async def settle(database: Database, claimed: list[Claimed]) -> int:
    ends = [Settlement(task=taken, status=Status.DONE, outcome="ok") for taken in claimed]
    async with database.transaction() as conn:
        settled = await queue.settle(conn, ends)
        await queue.free(conn, ends, settled)
    return len(settled)


def lane(number: int) -> str:
    return f"shop-{number}.test"


def task(number: int, domains: int) -> NewTask:
    name = lane(number % domains)
    return NewTask(
        id=new_id(),
        producer=Producer.CATALOGUE,
        lane=name,
        url=f"https://{name}/{number}",
        origin=f"https://{name}",
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
