"""Claim, settle, rescue: leases and fences on the database clock (R-01 … R-05)."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from winnow.db.engine import Database
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.schedule import upkeep
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import RESUME_LANE, Producer, Settlement, Stage, Status, new_id


async def settle(conn, ends):
    async with conn.transaction():
        settled = await queue.settle(conn, ends)
        await queue.free(conn, ends, settled)
        return settled


async def row(conn, query, *given):
    return await (await conn.execute(query, given)).fetchone()


async def test_a_task_goes_from_queued_to_done_and_its_slot_comes_free(database: Database, make_task, lane):
    await lane("shop.test", max_concurrent=1)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=1), make_task(n=2)])
        first = await queue.claim(conn, "w1", 10, 60)
        assert len(first) == 1, "one at a time"
        assert await queue.claim(conn, "w2", 10, 60) == []
        await settle(conn, [Settlement(task=first[0], status=Status.DONE, outcome="accepted")])
        assert len(await queue.claim(conn, "w2", 10, 60)) == 1
        assert await row(conn, "SELECT queued, in_flight FROM lanes WHERE lane = 'shop.test'") == (0, 1)


async def test_c024_at_most_so_many_requests_of_a_domain_run_at_once(database: Database, make_task, lane):
    await lane("shop.test", max_concurrent=5)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(12)])
        running = [task for worker in "abc" for task in await queue.claim(conn, worker, 10, 60)]
        assert len(running) == 5
        await settle(conn, [Settlement(task=task, status=Status.DONE, outcome="accepted") for task in running[:2]])
        assert len(await queue.claim(conn, "d", 10, 60)) == 2


async def test_r01_a_stale_fence_changes_nothing(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (old,) = await queue.claim(conn, "w1", 1, -1.0)
        lost = await queue.rescue(conn)
        await queue.free_lost(conn, lost)
        assert len(lost) == 1
        (new,) = await queue.claim(conn, "w2", 1, 60)
        assert new.fence > old.fence
        end = Settlement(task=old, status=Status.DONE, outcome="accepted")
        assert await settle(conn, [end]) == set()
        assert await queue.heartbeat(conn, [old], 60) == set()
        assert await queue.checkpoint(conn, [(old, new_id())]) == set()
        assert await row(conn, "SELECT status, fence FROM tasks") == ("running", new.fence)
        assert await row(conn, "SELECT in_flight FROM lanes WHERE lane = 'shop.test'") == (1,)


async def test_r02_settling_twice_changes_nothing_the_second_time(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (task,) = await queue.claim(conn, "w", 1, 60)
        end = Settlement(task=task, status=Status.DONE, outcome="accepted")
        assert await settle(conn, [end]) == {task.id}
        assert await settle(conn, [end]) == set()
        assert await row(conn, "SELECT in_flight FROM lanes WHERE lane = 'shop.test'") == (0,)


async def test_r05_a_dead_workers_task_comes_back_and_ends_as_a_letter_after_too_many(database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        for loss in range(queue.MAX_LOSSES):
            (task,) = await queue.claim(conn, f"w{loss}", 1, -1.0)
            assert task.attempts == 1, "losing its worker is not the task's failure"
            async with conn.transaction():
                (lost,) = await upkeep.rescue(conn)
                await closing.fail_lost(conn, [lost])
        assert lost.status == "failed"
        assert await row(conn, "SELECT error_type, status, stage FROM dead_letters") == (
            "worker_lost",
            "pending",
            "fetch",
        )
        assert await row(conn, "SELECT queued, in_flight FROM lanes WHERE lane = 'shop.test'") == (0, 0)


async def test_r04_leases_follow_the_database_clock(database: Database, make_task, lane, monkeypatch):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (task,) = await queue.claim(conn, "w", 1, 60)
        monkeypatch.setattr("time.time", lambda: 4102444800.0)  # the worker's clock is decades ahead
        assert await queue.rescue(conn) == []
        assert await queue.heartbeat(conn, [task], 60) == {task.id}


async def test_an_archived_page_goes_on_without_a_domain_slot(database: Database, make_task, lane):
    await lane("shop.test", max_concurrent=1)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (task,) = await queue.claim(conn, "w", 1, -1.0)
        page = new_id()
        assert await queue.checkpoint(conn, [(task, page)]) == {task.id}
        await queue.free_lost(conn, await queue.rescue(conn))
        await conn.execute("UPDATE lanes SET paused = true WHERE lane = 'shop.test'")
        (again,) = await queue.claim(conn, "w", 1, 60)
        assert (again.lane, again.page_id, again.stage) == (RESUME_LANE, page, "extract")


async def test_a_retry_waits_and_then_ripens(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (task,) = await queue.claim(conn, "w", 1, 60)
        wait = Settlement(task=task, status=Status.QUEUED, stage=Stage.FETCH, outcome="timeout", wait_seconds=3600)
        await settle(conn, [wait])
        assert await queue.claim(conn, "w", 1, 60) == []
        assert await queue.ripen(conn) == 0
        await conn.execute("UPDATE tasks SET due_at = now() - interval '1 second'")
        assert await queue.ripen(conn) == 1
        (again,) = await queue.claim(conn, "w", 1, 60)
        assert again.attempts == 2


async def test_a_task_handed_back_is_ready_at_once_and_keeps_its_attempt(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        (task,) = await queue.claim(conn, "w", 1, 60)
        back = Settlement(task=task, status=Status.QUEUED, stage=Stage.FETCH, outcome="robots_fetched", refund=True)
        await settle(conn, [back])
        (again,) = await queue.claim(conn, "w", 1, 60)
        assert again.attempts == 1


async def test_priority_is_strict_within_a_domain(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n, rank=rank) for n, rank in enumerate((100, 10, 50))])
        first = await queue.claim(conn, "w", 1, 60)
        second = await queue.claim(conn, "w", 2, 60)
        assert [t.url[-1] for t in [*first, *sorted(second, key=lambda t: t.url[-1], reverse=True)]] == ["1", "2", "0"]


async def test_across_domains_priority_is_bounded_and_ages(database: Database, make_task, lane):
    await lane("low.test")
    await lane("high.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task("low.test", rank=110)])
        await queue.enqueue(conn, [make_task("high.test", rank=0)])
        assert (await queue.claim(conn, "w", 1, 60))[0].lane == "high.test"
        await queue.enqueue(conn, [make_task("high.test", rank=0)])
        await conn.execute("UPDATE lanes SET turn_at = turn_at - interval '5 seconds' WHERE lane = 'low.test'")
        assert (await queue.claim(conn, "w", 1, 60))[0].lane == "low.test"


async def test_a_slow_domain_never_delays_a_fast_one(database: Database, make_task, lane):
    await lane("slow.test", tokens=1, interval_seconds=2, spacing_seconds=2, max_concurrent=1)
    await lane("fast.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task("slow.test", n=n) for n in range(50)])
        await queue.enqueue(conn, [make_task("fast.test", n=n) for n in range(50)])
        claimed = await queue.claim(conn, "w", 60, 60)
        lanes = [t.lane for t in claimed]
        assert (lanes.count("slow.test"), lanes.count("fast.test")) == (1, 50)


async def test_two_workers_never_claim_the_same_task(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(200)])

    done = asyncio.Event()

    async def work(name: str) -> list:
        mine = []
        while not done.is_set():
            async with database.connection() as conn:
                mine += (got := [t.id for t in await queue.claim(conn, name, 5, 60)])
                left = await row(conn, "SELECT count(*) FROM tasks WHERE status = 'queued'")
            if not got and left == (0,):
                done.set()
        return mine

    claimed = [i for ids in await asyncio.gather(*(work(f"w{n}") for n in range(4))) for i in ids]
    assert len(claimed) == len(set(claimed)) == 200


async def test_a_target_is_queued_once(database: Database, make_task, lane):
    async with database.connection() as conn:
        assert len(await queue.enqueue(conn, [make_task(n=1, target_id=7)])) == 1
        assert await queue.enqueue(conn, [make_task(n=2, target_id=7)]) == set()
        assert await row(conn, "SELECT queued FROM lanes WHERE lane = 'shop.test'") == (1,)


async def test_s103_cancelling_takes_what_is_queued_and_leaves_what_runs(database: Database, make_task, lane):
    await lane("shop.test")
    job = new_id()
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n, job_id=job, producer=Producer.ENRICHMENT) for n in range(3)])
        await queue.claim(conn, "w", 1, 60)
        closed = await closing.withdraw(conn, FailureCode.CANCELLED, job_id=job)
        assert len(closed.tasks) == 2
        found = await (await conn.execute("SELECT status, count(*) FROM tasks GROUP BY 1 ORDER BY 1")).fetchall()
        assert found == [("cancelled", 2), ("running", 1)]
        assert await queue.claim(conn, "w", 9, 60) == []


async def test_withdraw_must_be_told_what(database: Database):
    async with database.connection() as conn:
        with pytest.raises(ValueError, match="a selection of tasks"):
            await queue.withdraw(conn, reason="oops")


async def test_c003_a_paused_source_is_not_dispatched_and_goes_on_where_it_was(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n, source_id=1) for n in range(3)])
        await queue.enqueue(conn, [make_task(n=9, source_id=1, wait_seconds=3600)])
        assert await queue.pause_source(conn, 1, True) == 4
        assert await queue.claim(conn, "w", 9, 60) == []
        assert await row(conn, "SELECT queued FROM lanes WHERE lane = 'shop.test'") == (0,)
        assert await queue.pause_source(conn, 1, False) == 4
        assert len(await queue.claim(conn, "w", 9, 60)) == 4


async def test_counts_that_disagree_are_put_right_and_said(database: Database, make_task, lane):
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(n=n) for n in range(3)])
        await conn.execute("UPDATE lanes SET queued = 9, in_flight = 4")
        assert await upkeep.recount_lanes(conn) == ["shop.test"]
        assert await row(conn, "SELECT queued, in_flight FROM lanes") == (3, 0)
        assert await upkeep.recount_lanes(conn) == []


async def test_a_task_cannot_run_without_a_lease(database: Database, make_task):
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        with pytest.raises(psycopg.errors.CheckViolation):
            await conn.execute("UPDATE tasks SET status = 'running'")
