"""PgQueuer: no-op jobs enqueued in batches, then its own queue managers until all are done and logged.

    pgqueuer_queue.py DSN JOBS ENQUEUE_BATCH CLAIM_BATCH MANAGERS

As its performance guide says: asyncpg, a connection for each manager, its autovacuum settings, uvloop
as in its own benchmark, durable tables (the others would lose jobs in a crash).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import asyncpg
import uvloop
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.qm import QueueManager
from pgqueuer.queries import Queries


async def main(dsn: str, jobs: int, enqueue_batch: int, claim_batch: int, managers: int) -> None:
    producer = Queries(AsyncpgDriver(await asyncpg.connect(dsn)))
    await producer.install()
    await producer.optimize_autovacuum()
    workers = [QueueManager(Queries(AsyncpgDriver(await asyncpg.connect(dsn)))) for _ in range(managers)]
    done = 0

    async def noop(job: Job) -> None:
        nonlocal done
        done += 1
        if done == jobs:
            for worker in workers:
                worker.shutdown.set()

    for worker in workers:
        worker.entrypoint("noop")(noop)
    begun = time.perf_counter()
    for first in range(0, jobs, enqueue_batch):
        n = min(enqueue_batch, jobs - first)
        await producer.enqueue(["noop"] * n, [b"%d" % number for number in range(n)], [0] * n)
    await asyncio.gather(*(worker.run(batch_size=claim_batch) for worker in workers))
    seconds = time.perf_counter() - begun
    left = sum(entry.count for entry in await producer.queue_size())
    print(json.dumps({"seconds": seconds, "jobs": done - left}))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], *map(int, sys.argv[2:])))
