"""Pages that hang the parser, results that cannot be written, an archive that is full: the worker lives (R-17)."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import replace

import msgspec
import psycopg
import pytest
from aiohttp import web

from tests.run.scripted_site import Site, microdata, product
from tests.waiting import LIMIT
from winnow.child_process.frames import HEADER
from winnow.clock import now
from winnow.errors import ArchiveFull
from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.fetch.archive.archive import Archive
from winnow.run.commit import storing
from winnow.run.parser_child import ParseJob
from winnow.run.worker import assembled
from winnow.schedule.queue import queue

ENDED = "SELECT replace(url, %s, ''), status, outcome, reason FROM tasks ORDER BY 1"


async def test_r17_a_parser_process_that_dies_is_replaced(site: Site, watch, start, work, rows, settings):
    """Too little memory to even start kills each one; pages that need none are read all the same."""
    urls = [site.says("/swells", microdata(padding=50_000)), site.says("/p", product())]
    source = await watch(urls)
    await start(source)
    await work(run=settings.run.model_copy(update={"parse_memory_mb": 1}))
    assert await rows("SELECT outcome FROM tasks ORDER BY url") == ["accepted", "extract_failed"]
    await start(source)
    await work()
    assert await rows("SELECT outcome FROM tasks WHERE url LIKE '%%/swells' ORDER BY created_at") == [
        "extract_failed",
        "accepted",
    ]


HANGING = """
import time, winnow.run.parser_child as child
child.assess = lambda *_: {hang}
with child.serving(memory_mb=1024) as parent:
    child.main(parent, 0.2, None)
"""


@pytest.mark.parametrize(
    ("hang", "ended_by"), [("all(iter(lambda: 1, 0))", signal.SIGPROF), ("time.sleep(600)", signal.SIGALRM)]
)
async def test_r17_a_parser_that_hangs_does_not_outlive_its_worker(hang: str, ended_by: signal.Signals):
    """kill -9 of the worker closes the parser's stdin, which one that hangs never reads."""
    context = Context(source_id="", retailer_id="", run_id="", target_id="", url="http://x.test/", now=now())
    frame = msgspec.msgpack.encode(
        ParseJob(Page(url="http://x.test/", body=b"x", fetched_at=now()), "generic", context)
    )
    pipe = asyncio.subprocess.PIPE
    parser = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HANGING.format(hang=hang), stdin=pipe, stdout=pipe
    )
    parser.stdin.write(HEADER.pack(len(frame)) + frame)
    parser.stdin.close()
    assert await asyncio.wait_for(parser.wait(), LIMIT) == -ended_by


POISON = {
    "a NUL in a text": product(brand="Ac\x00me"),
    "half a surrogate pair": product(brand="Ac \ud83d me"),
}


async def test_r20_a_result_that_cannot_be_written_fails_alone(
    site: Site, watch, start, work, rows, logged, monkeypatch
):
    """Whatever the page holds, the database gets to see: one that it refuses must not take the batch along."""
    write = storing.records.write

    async def picky(conn, judged):
        if any("poison" in record.url for record in judged):
            await conn.execute("SELECT 1 / 0")
        return await write(conn, judged)

    monkeypatch.setattr(storing.records, "write", picky)
    urls = [site.says(f"/p/{n}", product(sku=str(n))) for n in range(9)]
    urls.insert(4, site.says("/poison", product(sku="x")))
    run = await start(await watch(urls))
    await rows("UPDATE tasks SET max_attempts = 2")
    await work()
    assert await rows("SELECT outcome, reason, count(*)::int FROM tasks GROUP BY 1, 2 ORDER BY 1") == [
        ("accepted", None, 9),
        ("internal", "DivisionByZero", 1),
    ]
    assert await rows("SELECT count(*)::int FROM prices") == [9]
    assert await rows("SELECT stage, error_type, error_stack LIKE '%%SELECT 1 / 0%%' FROM dead_letters") == [
        ("extract", "DivisionByZero", True)
    ]
    assert {event["url"] for event in logged if event["event"] == "result_unwritable"} == {site.url + "/poison"}
    assert site.asked("/poison") == 1, "the page was archived; only reading it again was tried"
    assert await rows("SELECT urls_attempted, urls_failed, offers_valid FROM scrape_runs WHERE id = %s", run) == [
        (10, 1, 9)
    ]
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


@pytest.mark.parametrize("page", POISON.values(), ids=POISON)
async def test_r20_characters_a_database_cannot_hold_stop_nobody(site: Site, watch, start, work, rows, page: str):
    await start(await watch([site.says("/odd", page), site.says("/p", product(sku="1"))]))
    await rows("UPDATE tasks SET max_attempts = 1")
    await work()
    assert await rows("SELECT outcome FROM tasks WHERE url LIKE '%%/p'") == ["accepted"]
    assert await rows("SELECT count(*)::int FROM tasks WHERE status IN ('queued', 'running')") == [0]


async def test_an_archive_that_is_full_is_said_leaves_nothing_and_is_tried_again(
    site: Site, watch, start, work, rows, settings, monkeypatch
):
    put = Archive.put_many
    refused = []

    async def full(self, bodies, hashes=None):
        if len(refused) < 2:
            refused.append(len(bodies))
            raise ArchiveFull("the page archive is full")
        return await put(self, bodies, hashes)

    monkeypatch.setattr(Archive, "put_many", full)
    urls = [
        site.says("/p", product(sku="1")),
        site.says("/dom", microdata()),
    ]  # the second is archived before it is read
    await start(await watch(urls))
    working = asyncio.create_task(work())
    while len(await rows("SELECT 1 FROM tasks WHERE status = 'queued' AND reason = 'archive_full'")) < 2:
        await asyncio.sleep(0.05)
    for empty in ("pages", "prices", "records", "drafts", "source_products"):
        assert await rows(f"SELECT count(*)::int FROM {empty}") == [0], empty
    await rows("UPDATE tasks SET due_at = now() WHERE due_at IS NOT NULL")
    await working
    assert await rows("SELECT outcome, attempts FROM tasks") == [("accepted", 2)] * 2
    assert await rows("SELECT count(*)::int FROM prices") == [2]


async def test_a_claim_or_heartbeat_that_loses_a_deadlock_is_repeated(
    site: Site, watch, start, rows, settings, database, logged, monkeypatch
):
    """PostgreSQL picks its victim; nothing was written, and the worker must not end over it."""
    for name in ("claim", "heartbeat"):
        monkeypatch.setattr(queue, name, once_deadlocked(getattr(queue, name)))
    answered = asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        await answered.wait()
        return web.Response(text=product(), content_type="text/html")

    await start(await watch([site.does("/p", slow)]))
    quick = replace(settings, schedule=settings.schedule.model_copy(update={"lease_seconds": 1.0}))
    async with assembled(database, quick) as worker, asyncio.timeout(LIMIT):
        working = asyncio.create_task(worker.run(until_empty=True))
        while not site.asked("/p"):
            await asyncio.sleep(0.02)
        (lease,) = await rows("SELECT lease_until FROM tasks")
        while await rows("SELECT 1 FROM tasks WHERE lease_until < %s + interval '1 second'", lease):
            await asyncio.sleep(0.02)  # until the lease was prolonged, past the heartbeat that failed
        answered.set()
        await working
    assert await rows("SELECT outcome FROM tasks") == ["accepted"]
    said = [event["event"] for event in logged]
    assert (said.count("claim_waits"), said.count("heartbeat_missed")) == (1, 1)


def once_deadlocked(function):
    done = []

    async def call(*given):
        if not done:
            done.append(1)
            raise psycopg.errors.DeadlockDetected("deadlock detected")
        return await function(*given)

    return call
