"""What the server allows: the smallest durable queue there is. No lanes, no fences, no retries.

bare_queue.py DSN JOBS ENQUEUE_BATCH CLAIM_BATCH
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import psycopg

SCHEMA = """
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text, status text DEFAULT 'queued'
);
CREATE INDEX ON jobs (id) WHERE status = 'queued';
"""
ENQUEUE = "INSERT INTO jobs (payload) SELECT unnest(%s::text[])"
CLAIM = """
UPDATE jobs SET status = 'running'
WHERE id IN (SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
RETURNING id, payload
"""
SETTLE = "UPDATE jobs SET status = 'done' WHERE id = ANY(%s)"


async def main(dsn: str, jobs: int, enqueue_batch: int, claim_batch: int) -> None:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        await conn.execute(SCHEMA)
        begun = time.perf_counter()
        for first in range(0, jobs, enqueue_batch):
            await conn.execute(ENQUEUE, ([str(n) for n in range(first, min(first + enqueue_batch, jobs))],))
        while claimed := await (await conn.execute(CLAIM, (claim_batch,))).fetchall():
            await conn.execute(SETTLE, ([job for job, _ in claimed],))
        seconds = time.perf_counter() - begun
        done = await (await conn.execute("SELECT count(*) FROM jobs WHERE status = 'done'")).fetchone()
    print(json.dumps({"seconds": seconds, "jobs": done[0] if done else 0}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
