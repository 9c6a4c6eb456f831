"""Winnow loads a catalogue three times, each a whole run as a worker makes it.

winnow_feed.py DSN FIRST SAME CHANGED
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from winnow.db.engine import Connection, Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds import admin
from winnow.feeds.attempt import Means, Notice, attempt
from winnow.feeds.runs import FeedJob
from winnow.feeds.transport.transport import Reach
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard

NAME = "catalogue.csv.gz"


class Peak(threading.Thread):
    """Resident memory of this process and its children together, ten times a second. What looks for it is measured with
    the rest: the kernel's own list of children costs a fraction of psutil's look at every process of the machine."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.mb = 0.0

    def run(self) -> None:
        me = psutil.Process()
        while True:
            total = 0
            for process in (me, *children(me.pid)):
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.mb = max(self.mb, total / 1e6)
            time.sleep(0.1)


def children(pid: int) -> Iterator[psutil.Process]:
    """All that it started, and what those started."""
    if not Path(f"/proc/{pid}/task/{pid}/children").exists():  # not every kernel keeps the list
        yield from psutil.Process(pid).children(recursive=True)
        return
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError, psutil.Error):  # ended meanwhile
            for child in map(int, told.read_text().split()):
                yield psutil.Process(child)
                yield from children(child)


async def _source(conn: Connection) -> int:
    await conn.execute("INSERT INTO retailers (name) VALUES ('Shop')")
    row = await (await conn.execute(
        "INSERT INTO sources (name, url, domain, retailer_id, source_kind, is_display_primary)"
        " SELECT 'shop', 'https://shop.example', 'shop.example', id, 'AFFILIATE_FEED', true FROM retailers RETURNING id"
    )).fetchone()  # fmt: skip
    assert row is not None
    return int(row[0])


async def _silent(_: Connection, __: Notice) -> None:
    return None


async def _nothing(*_: object) -> None:
    return None


async def main(dsn: str, *files: str) -> None:
    peak = Peak()
    peak.start()
    folder = Path(tempfile.mkdtemp(prefix="winnow-bench-work-"))
    settings = DatabaseSettings(database_url=dsn, data_dir=folder)
    told: dict[str, object] = {}
    async with await Database.open(settings) as database:
        async with database.transaction() as conn:
            values = {"transport": "FILE", "path": NAME, "compression": "GZIP"}
            feed = await admin.add(conn, "bench", await _source(conn), values)
            await admin.enable(conn, "bench", feed.id)
        reach = Reach(guard=EgressGuard(AllowList([])), folder=folder)
        means = Means(database=database, reach=reach, secret=_nothing, folder=folder / "work", notify=_silent,
                      on_finished=_nothing)  # fmt: skip
        for name, file in zip(("first", "same", "changed"), files, strict=True):
            shutil.copyfile(file, folder / NAME)
            begun = time.perf_counter()
            outcome = await attempt(means, FeedJob(feed_id=feed.id), 3, _nothing)
            told[name] = [time.perf_counter() - begun, await _shown(database, outcome.word)]
    shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({**told, "peak_mb": peak.mb}))


async def _shown(database: Database, word: str) -> int:
    """Offers that are active after the run: nothing counts that a consumer would not see."""
    if word != "succeeded":
        raise RuntimeError(f"the run ended with {word}")
    async with database.connection() as conn:
        row = await (await conn.execute(
            "SELECT count(*) FROM offer_presence v JOIN latest_prices l ON l.source_product_id = v.source_product_id"
            " WHERE last_seen_success_at IS NOT NULL"
        )).fetchone()  # fmt: skip
    return int(row[0]) if row else 0


if __name__ == "__main__":
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    asyncio.run(main(*sys.argv[1:]))
