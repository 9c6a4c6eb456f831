"""Failed for good: kept whole, retried after 1, 2 and 4 hours, closed by success or by hand (E-087…E-091)."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from winnow.db.engine import Connection, Database
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.run.upkeep import withdraw_stale
from winnow.schedule import runs
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.dead_letters import Letter
from winnow.schedule.queue.task import RESUME_LANE, Claimed, Producer, Settlement, Stage, Status, Trigger, new_id
from winnow.schedule.settings import ScheduleSettings

SETTINGS = ScheduleSettings(_env_file=None)
LETTER = "SELECT status, retry_count, round(extract(epoch FROM next_retry_at - now()) / 3600) FROM dead_letters"


async def failing(conn: Connection, source: int, target: int, page_id: UUID | None = None) -> Claimed:
    """A task of this target in a worker's hands."""
    await conn.execute(
        "INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent) "
        "VALUES ('shop.test', 10000, 1, 0, 1000) ON CONFLICT DO NOTHING"
    )
    await runs.start(conn, source, Trigger.MANUAL, SETTINGS, target_ids=[target])
    (task,) = await queue.claim(conn, "w", 1, 60)
    if page_id is not None:
        await queue.checkpoint(conn, [(task, page_id)])
    return task


async def end(conn: Connection, task: Claimed, status: Status = Status.FAILED) -> None:
    ends = [Settlement(task=task, status=status, stage=Stage.DONE, outcome="x")]
    await queue.free(conn, ends, await queue.settle(conn, ends))
    if task.run_id is not None:
        await runs.count(conn, {task.run_id: runs.Tally(attempted=1, failed=1)})


async def buried(conn: Connection, **more) -> tuple[int, int]:
    """A target whose task died, and its letter."""
    source = await add_source(conn, **more)
    (target,) = await add_targets(conn, source)
    task = await failing(conn, source, target)
    await end(conn, task)
    await dead_letters.write(conn, [letter_of(task)])
    return target, await scalar(conn, "SELECT max(id) FROM dead_letters")


def letter_of(task: Claimed, **more) -> Letter:
    given = {"stage": "fetch", "error_type": "http_500", "error_message": "the server answered 500", **more}
    return Letter(
        task_id=task.id,
        source_id=task.source_id,
        run_id=task.run_id,
        payload=dead_letters.payload_of(task, given.pop("page_id", None)),
        retried_from=(task.payload or {}).get(dead_letters.LETTER_KEY),
        **given,
    )


async def fail_again(conn: Connection) -> None:
    (task,) = [t for t in await queue.claim(conn, "w", 9, 60) if t.payload]
    await end(conn, task)
    await dead_letters.write(conn, [letter_of(task, error_type="timeout")])


async def test_e089_a_letter_holds_what_its_task_was_and_a_retry_is_the_same_task_again(database: Database):
    async with database.transaction() as conn:
        target, letter = await buried(conn)
        columns = "url, origin, lane, kind, producer, source_id, target_id, adapter_id"
        before = await row(conn, f"SELECT {columns}, run_id FROM tasks")
        assert await dead_letters.retry(conn, [letter]) == 1
        after = await row(conn, f"SELECT {columns}, run_id FROM tasks WHERE status = 'queued'")
        assert after[:-1] == before[:-1]
        assert after[-1] != before[-1], "P-082: a retry is part of a run too"
        assert await row(conn, "SELECT trigger, payload FROM tasks WHERE status = 'queued'") == (
            "RETRY",
            {"dead_letter_id": letter},
        )
        found = await row(conn, "SELECT trigger, status, urls_planned FROM scrape_runs WHERE id = %s", after[-1])
        assert found == ("RETRY", "RUNNING", 1)
        assert await scalar(conn, "SELECT status FROM dead_letters") == "retrying"
        assert target == after[6]


async def test_e090_retries_come_after_1_2_and_4_hours_and_then_only_by_hand(database: Database):
    async with database.transaction() as conn:
        _, letter = await buried(conn)
        assert await row(conn, LETTER) == ("pending", 0, 1)
        assert await dead_letters.retry(conn) == 0, "its hour has not come"
        for retry, hours in ((1, 2), (2, 4), (3, None)):
            await conn.execute("UPDATE dead_letters SET next_retry_at = now()")
            assert await dead_letters.retry(conn) == 1
            await fail_again(conn)
            assert await row(conn, LETTER) == ("pending", retry, hours)
        assert await scalar(conn, "SELECT count(*) FROM dead_letters") == 1, "the same letter, not a new one"
        assert await dead_letters.retry(conn) == 0
        assert await dead_letters.retry(conn, [letter]) == 1
        await dead_letters.resolve(conn, [letter])
        found = await row(conn, "SELECT status, resolved_at IS NOT NULL, resolution_notes FROM dead_letters")
        assert found == ("resolved", True, "retried with success")
        assert await dead_letters.retry(conn, [letter]) == 0


async def test_e091_letters_are_retried_and_discarded_in_bulk(database: Database, make_task):
    async with database.transaction() as conn:
        tasks = [make_task(n=n, producer=Producer.ENRICHMENT) for n in range(5)]
        await queue.enqueue(conn, tasks)
        await conn.execute(
            "UPDATE lanes SET tokens = 100, spacing_seconds = 0, max_concurrent = 9, interval_seconds = 1"
        )
        claimed = await queue.claim(conn, "w", 9, 60)
        for task in claimed:
            await end(conn, task)
        await dead_letters.write(conn, [letter_of(task) for task in claimed])
        ids = [i for (i,) in await rows(conn, "SELECT id FROM dead_letters ORDER BY id")]
        assert await dead_letters.discard(conn, ids[:2], "the shop is gone") == 2
        assert await dead_letters.retry(conn, ids) == 3
        assert await dead_letters.discard(conn, ids, "again") == 0, "only what waits can be discarded"
        found = await rows(
            conn, "SELECT status, count(*), max(resolution_notes) FROM dead_letters GROUP BY 1 ORDER BY 1"
        )
        assert found == [("discarded", 2, "the shop is gone"), ("retrying", 3, None)]
        assert await rows(conn, "SELECT DISTINCT run_id FROM tasks") == [(None,)], "no source, no run"


async def test_e089_a_letter_from_after_the_fetch_goes_on_from_the_stored_page(database: Database):
    async with database.transaction() as conn:
        source = await add_source(conn)
        (target,) = await add_targets(conn, source)
        page = new_id()
        task = await failing(conn, source, target, page)
        await end(conn, task)
        await dead_letters.write(conn, [letter_of(task, stage="extract", page_id=page)])
        assert await dead_letters.retry(conn, [await scalar(conn, "SELECT id FROM dead_letters")]) == 1
        (again,) = await queue.claim(conn, "w", 9, 60)
        assert (again.lane, again.stage, again.page_id) == (RESUME_LANE, "extract", page)


async def test_a_retry_joins_the_active_run_of_its_adapter_and_waits_for_anothers(database: Database):
    async with database.transaction() as conn:
        _, letter = await buried(conn)
        source = await scalar(conn, "SELECT source_id FROM dead_letters")
        others = await add_targets(conn, source, 2)
        run = (await runs.start(conn, source, Trigger.MANUAL, SETTINGS, target_ids=others)).run_id
        assert await dead_letters.retry(conn, [letter]) == 1
        assert await row(conn, "SELECT id, urls_planned FROM scrape_runs WHERE status = 'RUNNING'") == (run, 3)
        await fail_again(conn)
        await conn.execute("UPDATE scrape_runs SET adapter_id = 'another' WHERE id = %s", (run,))
        assert await dead_letters.retry(conn, [letter]) == 0
        assert (await row(conn, LETTER))[0] == "pending"


async def test_a_target_that_is_queued_anyway_needs_no_second_task(database: Database):
    async with database.transaction() as conn:
        target, letter = await buried(conn)
        source = await scalar(conn, "SELECT source_id FROM dead_letters")
        await runs.start(conn, source, Trigger.MANUAL, SETTINGS, target_ids=[target])
        assert await dead_letters.retry(conn, [letter]) == 0
        assert await row(conn, LETTER) == ("pending", 0, 1)
        assert await scalar(conn, "SELECT urls_planned FROM scrape_runs WHERE status = 'RUNNING'") == 1


NOT_RETRIED = {
    "source paused": "UPDATE sources SET paused = true",
    "source disabled": "UPDATE sources SET enabled = false",
    "target paused": "UPDATE scrape_targets SET status = 'PAUSED'",
    "target disabled": "UPDATE scrape_targets SET enabled = false",
    "target removed": "DELETE FROM scrape_targets",
    "adapter disabled": "INSERT INTO scrape_adapter_status (adapter_id, enabled, disabled_reason, disabled_at) "
    "VALUES ('generic', false, 'MANUAL', now())",
}


@pytest.mark.parametrize("ordered", [False, True], ids=["by itself", "by a person"])
async def test_c003_p001_p087_what_may_not_be_visited_is_not_retried(database: Database, ordered: bool):
    async with database.connection() as conn:
        async with conn.transaction():
            _, letter = await buried(conn)
            await conn.execute("UPDATE dead_letters SET next_retry_at = now() - interval '1 minute'")
        for why, change in NOT_RETRIED.items():
            async with conn.transaction(force_rollback=True):
                await conn.execute(change)
                assert await dead_letters.retry(conn, [letter] if ordered else None) == 0, why
                assert await scalar(conn, "SELECT status FROM dead_letters") == "pending", why
        assert await dead_letters.retry(conn, [letter] if ordered else None) == 1


async def test_a_retry_that_was_cancelled_leaves_its_letter_waiting(database: Database):
    async with database.transaction() as conn:
        _, letter = await buried(conn)
        await dead_letters.retry(conn, [letter])
        run = await scalar(conn, "SELECT id FROM scrape_runs WHERE status = 'RUNNING'")
        assert len((await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run)).tasks) == 1
        assert await row(conn, LETTER) == ("pending", 0, 1)
        await conn.execute("UPDATE dead_letters SET retry_count = 3, next_retry_at = NULL")
        await dead_letters.retry(conn, [letter])
        await withdraw_stale(conn, hours=-1)
        assert await row(conn, LETTER) == ("pending", 3, None), "a person's retry does not make it retry by itself"
