"""kill -9 a worker again and again in the middle of its work: nothing is lost, nothing is doubled (R-01 … R-05, R-27).

python -m tests.chaos.kill_workers [--tasks 2000] [--kills 20]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path

from tests.chaos.crowd import add_source, left, product_urls, rows, running, settled, start, start_run
from tests.waiting import LIMIT
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.demo.shop import start_shop


async def kill_workers(database: Database, url: str, folder: Path, tasks: int, kills: int) -> dict[str, object]:
    """Runs `tasks` pages while the only worker is killed `kills` times; raises when a promise is broken."""
    shop = await start_shop(products=tasks, step_seconds=3600)
    chance = random.Random(7)
    began = time.monotonic()
    done = 0
    try:
        source_id = await add_source(database, product_urls(shop), concurrent=32)
        run_id = await start_run(database, source_id)
        async with running("upkeep", url, folder):
            while done < kills and await left(database):
                worker = await start("worker", url, folder, WINNOW_WORKER_CONCURRENCY="32")
                await some_progress(database, chance.randint(5, max(6, tasks // (kills + 1))))
                await worker.kill()
                done += 1
            async with running("worker", url, folder):
                await settled(database, LIMIT)
        await check(database, run_id, tasks)
    finally:
        await shop.stop()
    (losses,) = await rows(database, "SELECT sum(losses) FROM tasks")
    return {"tasks": tasks, "kills": done, "leases_lost": losses[0], "seconds": round(time.monotonic() - began, 1)}


async def some_progress(database: Database, tasks: int) -> None:
    """Until so many more tasks have ended: the moment of the kill is anywhere in the next one."""
    query = "SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL"
    (before,) = await rows(database, query)
    async with asyncio.timeout(LIMIT):
        while (await rows(database, query))[0][0] < before[0] + tasks and await left(database):
            await asyncio.sleep(0.01)


async def check(database: Database, run_id: int, tasks: int) -> None:
    ends = dict(await rows(database, "SELECT status, count(*) FROM tasks GROUP BY status"))
    assert ends == {"done": tasks}, ends
    (run,) = await rows(
        database,
        "SELECT status, urls_attempted, urls_failed, offers_valid FROM scrape_runs WHERE id = %s",
        run_id,
    )
    assert run[0] == "SUCCESS", run
    assert run[1] == tasks, f"counted {run[1]} of {tasks}"
    assert run[2] == 0, run
    counted = "SELECT count(*), count(DISTINCT source_product_id), count(DISTINCT task_id) FROM prices"
    (prices,) = await rows(database, counted)
    assert prices[0] == prices[1] == prices[2] == run[3], f"{prices} prices for {run[3]} valid offers"
    (records,) = await rows(database, "SELECT count(*), count(DISTINCT task_id) FROM records")
    assert records[0] == records[1], records
    busy = await rows(database, "SELECT lane, queued, in_flight FROM lanes WHERE queued <> 0 OR in_flight <> 0")
    assert busy == [], f"lanes that think they are busy: {busy}"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as folder:
        Path(folder).chmod(0o711)
        async with await Database.open(DatabaseSettings(data_dir=Path(folder))) as database:
            await migrate.upgrade(database.url)
            print(json.dumps(await kill_workers(database, database.url, Path(folder), given.tasks, given.kills)))


if __name__ == "__main__":
    asyncio.run(main())
