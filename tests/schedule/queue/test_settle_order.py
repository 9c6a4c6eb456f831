"""Workers settle at the same time in the same lanes: nobody waits for anybody in a circle."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec

from tests.schedule.watching import rows, scalar
from winnow.db.engine import Connection, Database
from winnow.schedule.ledger.grant import Grant
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, Settlement, Stage, Status, new_id

ROUNDS = 25


def ends(tasks: list[Claimed], unused: str) -> list[Settlement]:
    """Handed back; the grants of one lane were not used."""
    back = {"status": Status.QUEUED, "stage": Stage.FETCH, "outcome": "later", "refund": True}
    return [Settlement(task=t, unused=Grant(t.lane, t.granted_at) if t.lane == unused else None, **back) for t in tasks]


async def settle(conn: Connection, given: list[Settlement]) -> None:
    async with conn.transaction():
        await queue.free(conn, given, await queue.settle(conn, given))


async def test_grants_come_back_without_a_deadlock(database: Database, make_task, lane):
    """One returns a grant of `a`, the other of `b`, and both free both."""
    for name in ("a.test", "b.test"):
        await lane(name)
    async with database.connection() as one, database.connection() as other:
        await queue.enqueue(one, [make_task(name, n) for name in ("a.test", "b.test") for n in range(20)])
        for _ in range(ROUNDS):
            mine, yours = [], []
            for claimed in await queue.claim(one, "w", 40, 60):
                (mine if claimed.url.endswith(("0", "2", "4", "6", "8")) else yours).append(claimed)
            assert len(mine) == len(yours) == 20
            await asyncio.gather(settle(one, ends(mine, "a.test")), settle(other, ends(yours, "b.test")))
        assert await rows(one, "SELECT queued, in_flight FROM lanes") == [(20, 0)] * 2


async def test_a_grant_given_back_late_takes_nobody_elses(database: Database, make_task, lane):
    """By the time the database is back, the log has forgotten the old grant and holds a newer one."""
    await lane("shop.test", tokens=1, interval_seconds=1_000, max_concurrent=9)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(3)])
        (first,) = await queue.claim(conn, "w", 9, 60)
        past = first.granted_at - timedelta(hours=1)  # more than twice the window
        await conn.execute("UPDATE lanes SET grant_at = %s, slot_at = '-infinity', turn_at = '-infinity'", ([past],))
        first = msgspec.structs.replace(first, granted_at=past)
        (second,) = await queue.claim(conn, "w", 9, 60)
        await settle(conn, ends([first], "shop.test"))
        assert await scalar(conn, "SELECT sum(n)::int FROM lanes, unnest(grant_n) AS n") == 1
        assert await queue.claim(conn, "w", 9, 60) == [], f"{second.url} was granted a moment ago"


async def test_an_unused_grant_can_be_used_at_once(database: Database, make_task, lane):
    await lane("shop.test", tokens=1, interval_seconds=30, max_concurrent=9)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(2)])
        (task,) = await queue.claim(conn, "w", 9, 60)
        assert await queue.claim(conn, "w", 9, 60) == []
        await settle(conn, ends([task], "shop.test"))
        assert len(await queue.claim(conn, "w", 9, 60)) == 1


async def test_unused_grants_of_several_claims_come_back_together(database: Database, make_task, lane):
    await lane("shop.test", tokens=4, interval_seconds=30, max_concurrent=9)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(4)])
        tasks = [task for n in (1, 3) for task in await queue.claim(conn, "w", n, 60)]
        assert len({task.granted_at for task in tasks}) == 2
        await settle(conn, ends(tasks[:3], "shop.test"))
        assert await scalar(conn, "SELECT sum(n)::int FROM lanes, unnest(grant_n) AS n") == 1


async def test_a_task_that_lost_its_page_goes_back_to_its_domain(database: Database, make_task, lane):
    async with database.connection() as conn:
        await lane("shop.com")
        await queue.enqueue(conn, [make_task("shop.com")])
        (task,) = await queue.claim(conn, "w", 1, 60)
        archived = Settlement(task=task, status=Status.QUEUED, stage=Stage.EXTRACT, outcome="later", page_id=new_id())
        await settle(conn, [archived])
        (resumed,) = await queue.claim(conn, "w", 1, 60)
        assert resumed.lane == "@resume"
        await settle(conn, ends([resumed], ""))
        assert await rows(conn, "SELECT lane, queued, in_flight FROM lanes ORDER BY queued") == [
            ("@resume", 0, 0),
            ("shop.com", 1, 0),
        ]
