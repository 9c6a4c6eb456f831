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
import time
from pathlib import Path
from typing import Any

import psycopg

from tests.feeds.shop import Shop
from winnow.db import migrate
from winnow.db.embedded import start_or_join
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds.read.child import read
from winnow.feeds.runs import Job

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


async def one_attempt(url: str, folder: str, feed_id: int) -> None:
    """What a worker does: take the run that is under way, or begin one."""
    settings = DatabaseSettings(database_url=url, data_dir=Path(folder) / "data")
    async with await Database.open(settings) as database:
        shop = Shop(database, Path(folder), read)
        shop.feed_id = feed_id
        run_id = await shop.value("SELECT id FROM affiliate_feed_runs WHERE status = 'RUNNING'")
        outcome = await shop.run(job=Job(feed_id=feed_id, run_id=run_id))
        print(outcome.word, outcome.error or "", flush=True)


async def loaded(url: str, folder: Path, count: int, kills: int) -> dict[str, Any]:
    settings = DatabaseSettings(database_url=url, data_dir=folder / "data")
    async with await Database.open(settings) as database:
        shop = Shop(database, folder)
        await shop.open()
        for changed in (False, True):
            shop.write(catalogue(count, changed))
            for kill in range(kills):
                await killed(shop, url, folder, (kill + 1) / (kills + 1) * count)
            await finished(shop, url, folder)
        found = {name: sorted(map(str, await shop.rows(query))) for name, query in SAME.items()}
        found["doubled"] = await shop.rows(
            "SELECT source_product_id, affiliate_feed_run_id, price_signature_hash FROM prices GROUP BY 1, 2, 3"
            " HAVING count(*) > 1"
        )
        return found


async def attempt_process(url: str, folder: Path, feed_id: int, heard: int) -> asyncio.subprocess.Process:
    """`heard`: where its output goes. In a pipe that nobody reads it would get stuck."""
    arguments = ("-m", "tests.chaos.feed_kills", "--attempt", url, str(folder), str(feed_id))
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=heard)


async def killed(shop: Shop, url: str, folder: Path, point: float) -> None:
    """kill -9 once this attempt has taken in `point` rows, or at once when it is nearly over."""
    process = await attempt_process(url, folder, shop.feed_id, asyncio.subprocess.DEVNULL)
    query = "SELECT coalesce(sum(cardinality(source_product_ids)), 0) FROM feed_run_seen s JOIN affiliate_feed_runs r" \
            " ON r.id = s.run_id WHERE r.status = 'RUNNING'"  # fmt: skip
    until = time.monotonic() + 600
    begun = False
    while process.returncode is None and time.monotonic() < until:
        seen = await shop.value(query)
        begun = begun or seen < point
        if begun and seen >= point:
            break
        await asyncio.sleep(0.01)
    if process.returncode is None:
        os.kill(process.pid, signal.SIGKILL)
    await process.wait()


async def finished(shop: Shop, url: str, folder: Path) -> None:
    until = time.monotonic() + 900
    while time.monotonic() < until:
        process = await attempt_process(url, folder, shop.feed_id, asyncio.subprocess.PIPE)
        said, _ = await process.communicate()
        word = said.splitlines()[-1].split()[0] if said.strip() else b"nothing"
        if word == b"succeeded":
            return
        if word != b"lock_busy":  # the server has not noticed yet that the last one died
            raise RuntimeError(f"the retry ended with {said[-1000:]!r}")
        await asyncio.sleep(0.2)
    raise TimeoutError("the load was never finished")


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
    parser.add_argument("--attempt", nargs=3)
    given = parser.parse_args()
    if given.attempt:
        asyncio.run(one_attempt(given.attempt[0], given.attempt[1], int(given.attempt[2])))
    else:
        asyncio.run(main(given.rows, given.kills))
