"""procrastinate: no-op jobs deferred in batches, then its own worker until the queue is empty.

    procrastinate_queue.py DSN JOBS ENQUEUE_BATCH CONCURRENCY

Its worker fetches jobs one by one; several at once and a pool as large is the fastest it does on
one process (1, 4, 10, 20 and 50 were tried).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import procrastinate


async def main(dsn: str, jobs: int, enqueue_batch: int, concurrency: int) -> None:
    connector = procrastinate.PsycopgConnector(conninfo=dsn, min_size=concurrency, max_size=concurrency + 2)
    app = procrastinate.App(connector=connector)

    @app.task(name="noop")
    async def noop(number: int) -> None:
        return None

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        begun = time.perf_counter()
        for first in range(0, jobs, enqueue_batch):
            await noop.batch_defer_async(*({"number": n} for n in range(first, min(first + enqueue_batch, jobs))))
        await app.run_worker_async(wait=False, concurrency=concurrency, install_signal_handlers=False)
        seconds = time.perf_counter() - begun
        done = await app.job_manager.list_jobs_async(task="noop", status="succeeded")
    print(json.dumps({"seconds": seconds, "jobs": len(list(done))}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
