"""The queue beside its peers, and what a claim costs when a lot is waiting.

    python -m bench.queue [--quick]

(a) enqueue + claim + settle of no-op jobs, end to end, on one server with fsync on, each contender in
a fresh database and a process of its own: Winnow through its real tables, procrastinate and PgQueuer
with their own workers, and a bare SKIP LOCKED table as the ceiling.
(b) claim(100) with few and with many queued tasks over 10 000 domains, 90 % of which may not be
fetched now. `claim_growth` is the median with the most over the median with the fewest.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass

import psycopg

from bench import harness
from bench.harness import CONTENDERS, BenchFailed, Measure, Turn
from bench.peers import peers_python
from bench.server import Server, private_server
from winnow.schedule.queue import queue

ENQUEUE_BATCH = 1_000
CLAIM_BATCH = 100
THROUGHPUT_DOMAINS = 100
PROCRASTINATE_AT_ONCE = 4  # the best of 1, 4, 10, 20 and 50 on two cores
PGQUEUER_MANAGERS = 1  # the best of 1, 2, 3 and 5 on two cores
CLAIM_DOMAINS = 10_000
LEASE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Work:
    """procrastinate is twenty times slower: a quick run gives it fewer jobs, which change nothing for it."""

    rounds: int
    jobs: int
    procrastinate_jobs: int
    queued: tuple[int, ...]
    claims: int


FULL = Work(rounds=5, jobs=10_000, procrastinate_jobs=10_000, queued=(1_000, 100_000, 1_000_000), claims=60)
QUICK = Work(rounds=3, jobs=5_000, procrastinate_jobs=300, queued=(1_000, 200_000), claims=30)


def contenders(server: Server, template: str, work: Work) -> dict[str, Turn]:
    ours, theirs = Path(sys.executable), peers_python()
    batches = (ENQUEUE_BATCH, CLAIM_BATCH)

    def turn(name: str, python: Path, jobs: int, *more: int, copy_of: str = "template1") -> Turn:
        async def run() -> Measure:
            async with server.database(f"bench_{name}", copy_of) as url:
                script = CONTENDERS / f"{name}_queue.py"
                measure = (await harness.run_script(python, script, url, jobs, *more)).measure("jobs")
            if measure.work != jobs:
                raise BenchFailed(f"{name} did {measure.work} of {jobs} jobs")
            return measure

        return run

    return {
        "winnow": turn("winnow", ours, work.jobs, *batches, THROUGHPUT_DOMAINS, copy_of=template),
        "procrastinate": turn("procrastinate", theirs, work.procrastinate_jobs, ENQUEUE_BATCH, PROCRASTINATE_AT_ONCE),
        "pgqueuer": turn("pgqueuer", theirs, work.jobs, *batches, PGQUEUER_MANAGERS),
        "bare": turn("bare", ours, work.jobs, *batches),
    }


# Nine of ten domains may not be fetched now, for the three reasons there are: a hold, all slots taken, or
# closed hours. The tenth may have one request.
_LANES = """
INSERT INTO lanes (lane, queued, in_flight, held_until, hours_start, hours_end)
SELECT 'shop-' || n || '.test',
       (SELECT count(*) FROM generate_series(n, %(queued)s - 1, %(domains)s)),
       CASE WHEN mod(n, 10) IN (1, 4, 7) THEN 1 ELSE 0 END,
       CASE WHEN mod(n, 10) IN (2, 5, 8) THEN now() + interval '1 hour' END,
       CASE WHEN mod(n, 10) IN (3, 6, 9) THEN closed.until END,
       CASE WHEN mod(n, 10) IN (3, 6, 9) THEN closed.until + 1 END
FROM generate_series(0, %(domains)s - 1) AS n,
     (SELECT mod(extract(hour FROM now() AT TIME ZONE 'UTC')::integer + 6, 24) AS until) AS closed
"""
_TASKS = """
INSERT INTO tasks (id, producer, lane, origin, url, rank)
SELECT lpad(to_hex(n), 32, '0')::uuid, 'catalogue', lane, 'https://' || lane,
       'https://' || lane || '/' || n, 50 + mod(n, 100)
FROM generate_series(0, %(queued)s - 1) AS n,
     LATERAL (SELECT 'shop-' || mod(n, %(domains)s) || '.test' AS lane) AS named
"""


async def fill(conn: psycopg.AsyncConnection, queued: int) -> None:
    given = {"queued": queued, "domains": CLAIM_DOMAINS}
    await conn.execute(_LANES, given)
    await conn.execute("UPDATE lanes SET max_concurrent = max_concurrent")  # lets the ledger compute every slot
    await conn.execute(_TASKS, given)
    await conn.execute("VACUUM ANALYZE lanes, tasks")


async def claim_costs(server: Server, template: str, work: Work) -> dict[int, float]:
    """Median milliseconds of one claim for each number of queued tasks."""
    costs: dict[int, list[float]] = {queued: [] for queued in work.queued}
    async with AsyncExitStack() as stack:
        connections = {queued: await _filled(stack, server, template, queued) for queued in work.queued}
        for _ in range(work.claims):
            for queued, conn in connections.items():
                costs[queued].append(await timed_claim(conn))
    return {queued: statistics.median(times) for queued, times in costs.items()}


async def _filled(stack: AsyncExitStack, server: Server, template: str, queued: int) -> psycopg.AsyncConnection:
    """A connection to a database with that many tasks queued; the stack closes and drops it."""
    url = await stack.enter_async_context(server.database(f"bench_claim_{queued}", template))
    conn = await psycopg.AsyncConnection.connect(url, autocommit=True)
    await stack.enter_async_context(conn)
    await fill(conn, queued)
    harness.say(f"  queued {queued:,} tasks over {CLAIM_DOMAINS:,} domains")
    return conn


async def timed_claim(conn: psycopg.AsyncConnection) -> float:
    """Rolled back, so that every claim meets the same queue; the commit would cost all sizes the same."""
    async with conn.transaction(force_rollback=True):
        begun = time.perf_counter()
        claimed = await queue.claim(conn, "bench", CLAIM_BATCH, LEASE_SECONDS)
        spent = time.perf_counter() - begun
    if len(claimed) != CLAIM_BATCH:
        raise BenchFailed(f"claim({CLAIM_BATCH}) gave {len(claimed)} tasks")
    return spent * 1_000


async def main(work: Work) -> None:
    async with private_server() as server:
        settings, template = await server.settings(), await server.prepare_template()
        harness.announce("queue", asdict(work), settings)
        measured = await harness.interleave(contenders(server, template, work), work.rounds)
        costs = await claim_costs(server, template, work)
    rates = harness.median_rates(measured)
    growth = costs[max(costs)] / costs[min(costs)]
    harness.conclude(
        "queue",
        ratios={**harness.ratios_of(rates), "claim_growth": growth},
        medians={**rates, **{f"claim_ms_{queued}": cost for queued, cost in costs.items()}},
        work=asdict(work),
        better={"claim_growth": "lower is better"},
        server=settings,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The queue beside procrastinate, PgQueuer and a bare table.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
