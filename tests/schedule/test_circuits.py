"""Circuits as all processes share them: in the database, with the lanes they guard (S-063, DESIGN §11.14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from winnow.db.engine import Database
from winnow.run import closing
from winnow.schedule import circuits, scheduler, source_circuits
from winnow.schedule.circuit import CircuitRules
from winnow.schedule.circuits import CircuitAnswer
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, Producer, Settlement, Status, Trigger
from winnow.schedule.settings import ScheduleSettings
from winnow.schedule.source_circuits import VisitEnd

LANE = "shop.test"
RULES = CircuitRules()
COOLDOWN_OVER = "UPDATE lanes SET held_until = now(); UPDATE domain_circuits SET open_until = now()"
CIRCUIT = "SELECT state FROM domain_circuits WHERE domain = 'shop.test'"
LOOK_AGAIN = "UPDATE lanes SET slot_at = '-infinity' WHERE slot_at < now() + interval '50 ms'"
LANE_STATE = "SELECT half_open, coalesce(held_until > now(), false) FROM lanes WHERE lane = 'shop.test'"


async def answered(database: Database, *ok: bool, rules: CircuitRules = RULES) -> None:
    async with database.transaction() as conn:
        turned = await circuits.record(conn, [CircuitAnswer(LANE, o) for o in ok], rules)
        await circuits.apply_to_lanes(conn, turned)


async def claim(database: Database, n: int = 10, worker: str = "w") -> list[Claimed]:
    """A lane that had nothing to grant is not looked at for 50 ms; here it is."""
    async with database.connection() as conn:
        await conn.execute(LOOK_AGAIN)
        return await queue.claim(conn, worker, n, 60)


async def settle(database: Database, task: Claimed, ok: bool) -> None:
    """As persist does it, in one transaction."""
    end = Settlement(task=task, status=Status.DONE)
    async with database.transaction() as conn:
        settled = await queue.settle(conn, [end])
        turned = await circuits.record(conn, [CircuitAnswer(task.lane, ok, task.granted_at)], RULES)
        await queue.free(conn, [end], settled)
        await circuits.apply_to_lanes(conn, turned)


@pytest.fixture
async def five_failed(database: Database, lane: Callable[..., Any], make_task: Callable[..., Any]) -> None:
    await lane(LANE)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(LANE, n) for n in range(20)])
    await answered(database, *[False] * 5)


@pytest.mark.usefixtures("five_failed")
async def test_s064_s120_an_open_circuit_holds_the_lane_for_everybody(database: Database):
    async with database.connection() as conn:
        assert await scalar(conn, CIRCUIT) == "open"
        assert await row(conn, LANE_STATE) == (True, True)
    assert await claim(database) == []
    taken = await PostgresLedger(database).take(LANE)
    assert taken.granted == 0
    assert 110 < taken.wait <= 120


@pytest.mark.usefixtures("five_failed")
async def test_s121_after_the_cooldown_one_probe_across_all_processes(database: Database):
    async with database.connection() as conn:
        await conn.execute(COOLDOWN_OVER)
    claims = await asyncio.gather(*(claim(database, worker=f"w{n}") for n in range(6)))
    ((probe,),) = [c for c in claims if c]
    assert (await PostgresLedger(database).take(LANE)).granted == 0, "a redirect must not be a second probe"
    assert (await PostgresLedger(database).take(LANE, holding=True)).granted == 1, "the probe's own late grant"
    assert await claim(database) == []
    await settle(database, probe, ok=True)
    async with database.connection() as conn:
        assert await rows(conn, CIRCUIT) == [], "closed and forgotten"
        assert await row(conn, LANE_STATE) == (False, False)
    assert len(await claim(database)) == 10


@pytest.mark.usefixtures("five_failed")
async def test_s121_a_probe_that_fails_opens_it_again(database: Database):
    async with database.connection() as conn:
        await conn.execute(COOLDOWN_OVER)
    (probe,) = await claim(database)
    await settle(database, probe, ok=False)
    async with database.connection() as conn:
        assert await scalar(conn, CIRCUIT) == "open"
        assert await row(conn, LANE_STATE) == (True, True)
    assert await claim(database) == []


@pytest.mark.usefixtures("five_failed")
async def test_a_probe_whose_worker_dies_is_followed_by_another(database: Database):
    async with database.connection() as conn:
        await conn.execute(COOLDOWN_OVER)
        (probe,) = await claim(database)
        await conn.execute("UPDATE tasks SET lease_until = now() - interval '1 second' WHERE status = 'running'")
        await queue.free_lost(conn, await queue.rescue(conn))
        (other,) = await claim(database)
        assert other.fence > probe.fence
        await circuits.mark_half_open(conn)
        assert await scalar(conn, CIRCUIT) == "half_open"
    await settle(database, other, ok=True)
    async with database.connection() as conn:
        assert await rows(conn, CIRCUIT) == []


@pytest.mark.usefixtures("five_failed")
async def test_a_redirect_into_a_half_open_domain_is_its_probe(database: Database):
    """A domain that only redirects lead to would never close otherwise."""
    ledger = PostgresLedger(database)
    async with database.connection() as conn:
        await conn.execute(COOLDOWN_OVER)
    assert (await ledger.take(LANE, 3)).granted == 1
    assert (await ledger.take(LANE)).granted == 0
    assert await claim(database) == []
    await answered(database, True)
    async with database.connection() as conn:
        assert await row(conn, LANE_STATE) == (False, False)
    assert (await ledger.take(LANE)).granted == 1


async def test_answers_of_many_processes_at_once_are_all_counted(database: Database, lane: Callable[..., Any]):
    await lane(LANE)
    for _ in range(3):
        await asyncio.gather(*(answered(database, False, rules=CircuitRules(100, 24)) for _ in range(8)))
    async with database.connection() as conn:
        assert await scalar(conn, CIRCUIT) == "open"


async def test_s062_a_healthy_domain_leaves_no_trace_and_failures_leave_the_window(database: Database):
    await answered(database, *[True] * 50)
    async with database.connection() as conn:
        assert await rows(conn, "SELECT 1 FROM domain_circuits") == []
        await answered(database, True, False, True)
        assert await scalar(conn, "SELECT recent FROM domain_circuits") == [True, False, True]
        await answered(database, *[True] * 9)
        assert await rows(conn, "SELECT 1 FROM domain_circuits") == []


async def test_s035_on_demand_tasks_of_an_open_circuit_fail_at_once_and_scheduled_ones_wait(
    database: Database, lane: Callable[..., Any], make_task: Callable[..., Any]
):
    await lane(LANE)
    await lane("fine.test")
    asked = [make_task(LANE, n, producer=Producer.ENRICHMENT, trigger=Trigger.MANUAL) for n in range(3)]
    waiting = make_task(LANE, 3, producer=Producer.ENRICHMENT, trigger=Trigger.MANUAL, wait_seconds=30.0)
    letter = make_task(LANE, 4, producer=Producer.ENRICHMENT, trigger=Trigger.RETRY)
    others = [make_task(LANE, 5), make_task("fine.test", producer=Producer.ENRICHMENT), waiting, letter]
    async with database.connection() as conn:
        await queue.enqueue(conn, [*asked, *others])
        assert await circuits.refuse_waiting(conn) == []
        await answered(database, *[False] * 5)
        gone = await circuits.refuse_waiting(conn)
        await closing.fail_refused(conn, gone)
        assert {t.id for t in gone} == {t.id for t in asked}
        failed = await rows(conn, "SELECT id, reason FROM tasks WHERE status = 'failed'")
        assert set(failed) == {(t.id, "domain circuit open") for t in asked}
        assert await scalar(conn, "SELECT count(*) FROM tasks WHERE status = 'queued'") == 4
        assert await scalar(conn, "SELECT queued FROM lanes WHERE lane = 'shop.test'") == 2
        await conn.execute(COOLDOWN_OVER)
        await queue.enqueue(conn, [make_task(LANE, 9, producer=Producer.ENRICHMENT)])
        assert await circuits.refuse_waiting(conn) == []


# sources


async def ended(database: Database, source: int, ends: str, run_id: int | None = None) -> None:
    at = datetime.now(UTC)
    async with database.transaction() as conn:
        await source_circuits.record(conn, [VisitEnd(source, e == "s", at, run_id) for e in ends])


SOURCE = "SELECT state, failure_count, consecutive_opens FROM source_circuits"


async def test_e085_a_source_that_keeps_failing_is_probed_with_one_target_after_its_cooldown(database: Database):
    settings = ScheduleSettings(_env_file=None)
    async with database.connection() as conn:
        source = await add_source(conn)
        await add_targets(conn, source, 5)
        await ended(database, source, "sffff")
        assert await row(conn, SOURCE) == ("CLOSED", 4, 0)
        await ended(database, source, "ff")
        assert await row(conn, SOURCE) == ("OPEN", 5, 1)
        assert (
            29 < (await scalar(conn, "SELECT cooldown_until - now() FROM source_circuits")).total_seconds() / 60 <= 30
        )
        async with database.transaction() as ticking:
            assert (await scheduler.tick(ticking, settings)).accepted == 0
        await conn.execute("UPDATE source_circuits SET cooldown_until = now()")
        async with database.transaction() as ticking:
            done = await scheduler.tick(ticking, settings)
        assert (done.accepted, len(done.runs)) == (1, 1)
        assert (await row(conn, SOURCE))[0] == "HALF_OPEN"
        async with database.transaction() as ticking:
            assert (await scheduler.tick(ticking, settings)).accepted == 0, "one probe at a time"
        await ended(database, source, "f")
        assert await row(conn, SOURCE) == ("OPEN", 5, 2)
        await conn.execute("UPDATE source_circuits SET cooldown_until = now()")
        await ended(database, source, "s")
        assert await rows(conn, SOURCE) == [], "closed and forgotten"
        await conn.execute("UPDATE scrape_runs SET status = 'FAILED'")
        async with database.transaction() as ticking:
            assert (await scheduler.tick(ticking, settings)).accepted == 4


async def test_a_run_that_was_fine_does_not_open_its_source_with_its_last_visits(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        run = await scalar(
            conn,
            "INSERT INTO scrape_runs (adapter_id, source_id, urls_succeeded, urls_failed) "
            "VALUES ('generic', %s, 90, 10) RETURNING id",
            source,
        )
        await ended(database, source, "f" * 10, run)
        assert await row(conn, SOURCE) == ("CLOSED", 10, 0)
        await conn.execute("UPDATE scrape_runs SET urls_failed = 90")
        await ended(database, source, "f", run)
        assert (await row(conn, SOURCE))[0] == "OPEN"


async def test_a_source_that_is_deleted_meanwhile_is_no_trouble(database: Database):
    await ended(database, 4711, "fffff")
    async with database.connection() as conn:
        assert await rows(conn, SOURCE) == []
