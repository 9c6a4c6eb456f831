"""A feed's load is killed again and again, and its retries leave what an undisturbed load leaves.

    python -m tests.chaos.feed_kills [--rows 200000] [--kills 10]

Real processes, kill -9, a private durable server. The tables are compared in everything but ids and moments.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import psycopg

from tests.feeds.shop import Shop
from winnow.db import migrate
from winnow.db.embedded import start_or_join
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds.read.child import Frame, Prepare, Read, read
from winnow.feeds.read.reading import Chunk, EndOfFile
from winnow.feeds.runs import FeedJob

REACHED = "reached the point to be killed at"
MAX_SECONDS = 3600
SAME = {
    "offers": "SELECT identity_type, identity_value, title, url, sku, feed_run_id IS NOT NULL FROM source_products",
    "prices": "SELECT o.identity_value, p.amount_minor, p.currency, p.in_stock, p.price_signature_hash FROM prices p"
    " JOIN source_products o ON o.id = p.source_product_id",
    "latest": "SELECT o.identity_value, l.amount_minor, l.in_stock FROM latest_prices l"
    " JOIN source_products o ON o.id = l.source_product_id",
    "presence": "SELECT o.identity_value, v.in_step, v.last_seen_success_at IS NOT NULL FROM offer_presence v"
    " JOIN source_products o ON o.id = v.source_product_id",
    "seen": "SELECT o.identity_value FROM source_product_seen s JOIN source_products o ON o.id = s.source_product_id",
    "runs": "SELECT status, rows_read, rows_parsed, products_upserted, error_count, expiry_blocked"
    " FROM affiliate_feed_runs",
}


def catalogue(count: int, changed: bool) -> list[str]:
    """The second load changes every tenth price, drops every fiftieth row and repeats some."""
    rows = []
    for n in range(1, count + 1):
        if changed and n % 50 == 0:
            continue
        price = 500 + n % 1000 + (1 if changed and n % 10 == 0 else 0)
        rows.append(f"item-{n},sku-{n},Thing {n},https://shop.test/p/{n},{price}.00,USD,Y")
    return rows + rows[: 20 if changed else 0]


def read_without_end(point: int) -> Read:
    """The reader of an attempt that is to be killed: says when `point` rows are loaded, and never ends the file, so
    that the load cannot be over before it is killed."""

    async def frames(prepare: Prepare) -> AsyncGenerator[Frame, None]:
        loaded = 0
        async for frame in read(prepare):
            if loaded >= point:
                print(REACHED, flush=True)
            if isinstance(frame, EndOfFile):
                await asyncio.Event().wait()
            yield frame
            loaded = frame.read if isinstance(frame, Chunk) else loaded

    return frames


async def one_attempt(url: str, folder: str, feed_id: int, point: int | None) -> None:
    """What a worker does: take the run that is under way, or begin one."""
    settings = DatabaseSettings(database_url=url, data_dir=Path(folder) / "data")
    async with await Database.open(settings) as database:
        shop = Shop(database, Path(folder), read if point is None else read_without_end(point))
        shop.feed_id = feed_id
        run_id = await shop.value("SELECT id FROM affiliate_feed_runs WHERE status = 'RUNNING'")
        outcome = await shop.run(job=FeedJob(feed_id=feed_id, run_id=run_id))
        print(outcome.word, outcome.error or "", flush=True)


async def loaded(url: str, folder: Path, count: int, kills: int) -> dict[str, Any]:
    settings = DatabaseSettings(database_url=url, data_dir=folder / "data")
    async with await Database.open(settings) as database:
        shop = Shop(database, folder)
        await shop.open()
        for changed in (False, True):
            shop.write(catalogue(count, changed))
            for kill in range(kills):
                await killed(shop, url, folder, (kill + 1) * count // (kills + 1))
            await finished(shop, url, folder)
        found = {name: sorted(map(str, await shop.rows(query))) for name, query in SAME.items()}
        found["doubled"] = await shop.rows(
            "SELECT source_product_id, affiliate_feed_run_id, price_signature_hash FROM prices GROUP BY 1, 2, 3"
            " HAVING count(*) > 1"
        )
        return found


async def attempt_process(url: str, folder: Path, feed_id: int, *point: int) -> asyncio.subprocess.Process:
    arguments = ("-m", "tests.chaos.feed_kills", "--attempt", url, str(folder), str(feed_id), *map(str, point))
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)


async def last_line(process: asyncio.subprocess.Process) -> str:
    """The last line of its output so far, once it has reached its point or ended."""
    assert process.stdout is not None
    last = ""
    async for line in process.stdout:
        last = line.decode().strip() or last
        if last == REACHED:
            break
    return last


async def killed(shop: Shop, url: str, folder: Path, point: int) -> None:
    """kill -9 once an attempt has loaded `point` rows."""
    async with asyncio.timeout(MAX_SECONDS):
        while True:
            process = await attempt_process(url, folder, shop.feed_id, point)
            last = await last_line(process)
            if last == REACHED:
                os.kill(process.pid, signal.SIGKILL)
                await process.wait()
                return
            await check_busy(process, last)


async def finished(shop: Shop, url: str, folder: Path) -> None:
    async with asyncio.timeout(MAX_SECONDS):
        while True:
            process = await attempt_process(url, folder, shop.feed_id)
            last = await last_line(process)
            if last.startswith("succeeded"):
                return
            await check_busy(process, last)


async def check_busy(process: asyncio.subprocess.Process, last: str) -> None:
    """An attempt may fail only because the server has not noticed yet that the last one died."""
    await process.wait()
    if not last.startswith("lock_busy"):
        raise RuntimeError(f"the attempt ended with {last!r}")
    await asyncio.sleep(0.2)


async def compare(base_url: str, folder: Path, count: int, kills: int) -> dict[str, int]:
    """Two databases on one server: an undisturbed load in one, a killed one in the other. Returns what was compared."""
    found = []
    for name, times in (("calm", 0), ("killed", kills)):
        with psycopg.connect(base_url, autocommit=True) as conn:
            conn.execute(f"CREATE DATABASE feed_{name}")
        url = psycopg.conninfo.make_conninfo(base_url, dbname=f"feed_{name}")
        await migrate.upgrade(url)
        found.append(await loaded(url, folder / name, count, times))
        with psycopg.connect(base_url, autocommit=True) as conn:
            conn.execute(f"DROP DATABASE feed_{name} WITH (FORCE)")
    calm, after = found
    assert after["doubled"] == [], f"doubled prices: {after['doubled'][:5]}"
    for name in SAME:
        assert calm[name] == after[name], f"{name} differ: {set(calm[name]) ^ set(after[name])}"
    return {name: len(calm[name]) for name in SAME}


async def main(count: int, kills: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="winnow-feed-kills-"))
    folder.chmod(0o711)
    server = await start_or_join(folder / "server")
    try:
        print(await compare(server.url, folder, count, kills))
        print(f"{2 * kills} kills, {count} rows: equal to an undisturbed load, no price doubled")
    finally:
        await server.release()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--attempt", nargs="+")
    given = parser.parse_args()
    if given.attempt:
        address, place, feed, *point = given.attempt
        asyncio.run(one_attempt(address, place, int(feed), int(point[0]) if point else None))
    else:
        asyncio.run(main(given.rows, given.kills))
