"""Claiming, and taking over what another process claimed: one of two takers gets a task, whatever is delivered."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from uuid import UUID

import msgspec
import pytest

from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.run.claimer import DirectClaimer
from winnow.run.visit import Visit
from winnow.run.worker import assembled
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import FEED_LANE, Handover, NewTask, Producer, Settlement, Status, new_id

LANE = "shop.test"
LEASE = 60.0
SPACING = 2.0  # P-042


def claimer(database: Database, name: str = "w") -> DirectClaimer:
    return DirectClaimer(database, PostgresLedger(database), name, LEASE, monotonic=lambda: 1_000.0)


@pytest.fixture
async def tasks(database: Database) -> None:
    """Forty of one lane that may all begin at once, and a feed."""
    new = [NewTask(id=new_id(), producer=Producer.PRICES, lane=LANE, url=f"https://{LANE}/{n}") for n in range(40)]
    feed = NewTask(id=new_id(), producer=Producer.FEEDS, lane=FEED_LANE, url="feed:1")
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent) "
            "VALUES (%s, 1000, 60, 0, 1000)",
            (LANE,),
        )
        await queue.enqueue(conn, [*new, feed])


def messages(visits: Sequence[Visit]) -> list[Handover]:
    """As they arrive in another process."""
    return msgspec.json.decode(msgspec.json.encode([visit.handover() for visit in visits]), type=list[Handover])


async def settle(database: Database, visit: Visit) -> set[UUID]:
    async with database.transaction() as conn:
        return await queue.settle(conn, [Settlement(task=visit.task, status=Status.DONE, outcome="x")])


@pytest.mark.usefixtures("tasks")
async def test_a_claim_gives_visits_with_their_grants(database: Database):
    visits = await claimer(database).claim(64)
    grants = {visit.task.lane: visit.grant for visit in visits}
    assert len(visits) == 41
    assert grants[FEED_LANE] is None, "no request to a site, no grant"
    granted_at = next(visit.task.granted_at for visit in visits if visit.task.lane == LANE)
    assert grants[LANE] == Grant(LANE, granted_at, 0, 1_000.0 + GRANT_SECONDS)
    assert all(visit.brief.id == visit.task.id for visit in visits)


@pytest.mark.usefixtures("tasks")
async def test_what_was_handed_over_is_held_by_the_taker_under_a_new_fence(database: Database, rows):
    claimed = await claimer(database, f"{queue.DISPATCHER}d").claim(64)
    taken = await claimer(database, "taker").take_over(messages(claimed))
    assert {visit.task.id for visit in taken} == {visit.task.id for visit in claimed}
    assert await rows("SELECT DISTINCT leased_by, attempts::int FROM tasks") == [("taker", 1)]
    before = {visit.task.id: visit for visit in claimed}
    for visit in taken:
        first = before[visit.task.id]
        assert visit.task.fence > first.task.fence
        assert visit.brief == first.brief
        assert (visit.task.url, visit.task.attempts) == (first.task.url, first.task.attempts)
    assert await settle(database, before[taken[0].task.id]) == set(), "the dispatcher no longer has it"
    assert await settle(database, taken[0]) == {taken[0].task.id}


@pytest.mark.usefixtures("tasks")
async def test_the_grant_of_the_claim_is_only_a_reservation_for_the_taker(database: Database):
    claimed = await claimer(database).claim(64)
    taken = await claimer(database, "taker").take_over(messages(claimed))
    for visit in taken:
        if visit.task.lane == FEED_LANE:
            assert visit.grant is None
        else:
            assert visit.grant is not None
            assert visit.grant.good_until < 0, "never good here, whatever the clock says"
            assert visit.grant.granted_at is not None


@pytest.mark.usefixtures("tasks")
async def test_a_second_delivery_finds_nothing(database: Database):
    handed = messages(await claimer(database).claim(64))
    assert len(await claimer(database, "one").take_over(handed)) == 41
    assert await claimer(database, "one").take_over(handed) == []
    assert await claimer(database, "other").take_over(handed) == []


@pytest.mark.usefixtures("tasks")
async def test_what_was_settled_or_rescued_is_not_taken_over(database: Database, rows):
    claimed = await claimer(database).claim(64)
    settled, lost, *_ = claimed
    await settle(database, settled)
    await rows("UPDATE tasks SET lease_until = now() - interval '1 s' WHERE id = %s", lost.task.id)
    async with database.transaction() as conn:
        assert [task.id for task in await queue.rescue(conn)] == [lost.task.id]
    assert await claimer(database, "taker").take_over(messages([settled, lost])) == []


@pytest.mark.usefixtures("tasks")
async def test_what_a_dispatcher_lost_counts_no_loss(database: Database, rows):
    """Twelve broker hiccups bury no healthy task (R-05)."""
    for n in range(queue.MAX_LOSSES + 1):
        name = f"{queue.DISPATCHER}d" if n else "worker"
        assert len(await claimer(database, name).claim(64)) == 41
        await rows("UPDATE tasks SET lease_until = now() - interval '1 s'")
        async with database.transaction() as conn:
            rescued = await queue.rescue(conn)
            await queue.free_lost(conn, rescued)
            assert {lost.status for lost in rescued} == {"queued"}
    assert await rows("SELECT DISTINCT losses::int, attempts::int FROM tasks") == [(1, 0)], "the worker's"
    assert await rows("SELECT DISTINCT last_error FROM tasks") == ["no worker took this task over from dispatcher:d"]


async def _race(database: Database, message: bytes, name: str, ready: Barrier) -> list[UUID]:
    """One message after the other, as soon as both are ready."""
    handed = msgspec.json.decode(message, type=list[Handover])
    await asyncio.to_thread(ready.wait, 60)
    return [visit.task.id for one in handed for visit in await claimer(database, name).take_over([one])]


def _in_a_process(settings: DatabaseSettings, message: bytes, ready: Barrier, taken: Queue[list[UUID]]) -> None:
    async def race() -> list[UUID]:
        async with await Database.open(settings) as database:
            return await _race(database, message, "child", ready)

    taken.put(asyncio.run(race()))


@pytest.mark.usefixtures("tasks")
async def test_of_two_processes_that_race_for_a_task_one_gets_it(
    database: Database, database_settings: DatabaseSettings
):
    claimed = await claimer(database).claim(64)
    message = msgspec.json.encode([visit.handover() for visit in claimed])
    spawn = multiprocessing.get_context("spawn")
    ready, taken = spawn.Barrier(2), spawn.Queue()
    child = spawn.Process(target=_in_a_process, args=(database_settings, message, ready, taken))
    child.start()
    here = await _race(database, message, "parent", ready)
    there = await asyncio.to_thread(taken.get, timeout=LIMIT)
    await asyncio.to_thread(child.join)
    assert sorted([*here, *there]) == sorted(visit.task.id for visit in claimed), "each of them once"


class ThroughMessages:
    """What a dispatcher and a worker behind a broker do, in one process: claim, hand over, take over."""

    def __init__(self, dispatcher: DirectClaimer, executor: DirectClaimer) -> None:
        self.dispatcher, self.executor = dispatcher, executor

    async def claim(self, room: int) -> list[Visit]:
        return await self.take_over(messages(await self.dispatcher.claim(room)))

    async def take_over(self, handed: Sequence[Handover]) -> list[Visit]:
        return await self.executor.take_over(handed)

    def returned(self, grant: Grant) -> None:
        self.executor.returned(grant)


async def test_p042_a_visit_that_was_handed_over_is_run_at_the_default_pace(
    site: Site, watch, start, database, settings, rows
):
    """Its grant is exchanged where it is executed: taken beside the claim's it would be refused for ever."""
    await start(await watch([site.says(f"/p/{n}", product(sku=f"{n}")) for n in range(2)], rate=None))
    async with assembled(database, settings) as worker, asyncio.timeout(LIMIT):
        worker._claimer = ThroughMessages(claimer(database, f"{queue.DISPATCHER}d"), claimer(database, "executor"))
        await worker.run(until_empty=True)
    assert await rows("SELECT outcome, attempts::int FROM tasks") == [("accepted", 1)] * 2
    gaps = [later - earlier for earlier, later in pairwise(site.times())]
    assert len(gaps) == 2, "robots.txt and two pages"
    assert min(gaps) >= SPACING
