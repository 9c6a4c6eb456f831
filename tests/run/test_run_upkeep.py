"""The upkeep and scheduler processes around their chores: what they tell targets, runs and others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT
from winnow.actions import runs as run_actions
from winnow.actions import targets as target_actions
from winnow.errors import Conflict
from winnow.publish.settings import PublishSettings
from winnow.run.periodic import run_periodically
from winnow.run.scheduler import Scheduler
from winnow.run.upkeep import STALE_ALERT, Upkeep
from winnow.schedule.queue import queue

LETTER = "SELECT status, retry_count, error_type, resolution_notes FROM dead_letters"


async def test_p071_hourly_what_waited_for_a_day_makes_its_target_stale(
    site: Site, watch, start, rows, database, settings, logged
):
    n = STALE_ALERT + 1
    run = await start(await watch([f"{site.url}/p/{k}" for k in range(n)]))
    await rows("UPDATE tasks SET created_at = now() - interval '25 hours'")
    upkeep = Upkeep(database, settings)
    assert await upkeep.make_stale() == n
    assert await rows("SELECT status, count(*)::int FROM scrape_targets GROUP BY 1") == [("STALE", n)]
    assert [e["count"] for e in logged if e["event"] == "stale_targets"] == [n]
    assert await rows("SELECT topic FROM outbox WHERE key = %s", f"run:{run}") == ["run.completed"]
    tick = await Scheduler(database, settings).tick()
    assert tick.accepted == 0, "only a person puts them back"
    assert await upkeep.make_stale() == 0, "once an hour"
    await rows("UPDATE scheduler_state SET last_stale_sweep_at = now() - interval '61 minutes'")
    assert await upkeep.make_stale() == 0
    assert len([e for e in logged if e["event"] == "stale_targets"]) == 2, "they are still there"
    (one, *_) = await rows("SELECT id FROM scrape_targets")
    async with database.transaction() as conn:
        await target_actions.requeue(conn, "test", [one])
    assert (await Scheduler(database, settings).tick()).accepted == 1


async def test_r05_a_task_that_kills_its_workers_is_told_to_its_target_and_its_run(
    site: Site, watch, start, rows, database, settings
):
    run = await start(await watch([site.url + "/deadly"]))
    upkeep = Upkeep(database, settings)
    for _ in range(queue.MAX_LOSSES):
        async with database.connection() as conn:
            await queue.claim(conn, "doomed", 1, -1.0)
        assert await upkeep.rescue() == 1
    assert await rows(LETTER) == [("pending", 0, "worker_lost", None)]
    found = "SELECT last_status, consecutive_failures, last_scraped_at IS NOT NULL FROM scrape_targets"
    assert await rows(found) == [("internal:worker_lost", 0, True)]
    assert await rows("SELECT status, urls_failed FROM scrape_runs") == [("FAILED", 1)]
    assert await rows("SELECT topic FROM outbox WHERE key = %s", f"run:{run}") == ["run.completed"]


async def test_e088_e090_a_letter_is_retried_by_itself_and_closed_by_success(
    site: Site, watch, start, work, rows, database, settings
):
    """First it fails with what may pass, then for good, then it is there again."""
    source = await watch([site.says("/p", status=503)])
    await start(source)
    await rows("UPDATE tasks SET max_attempts = 1")
    await work()
    assert await rows(LETTER) == [("pending", 0, "http_503", None)]
    upkeep = Upkeep(database, settings)
    assert await upkeep.retry_letters() == 0, "an hour has not passed"
    for answer, expected in (
        ({"status": 404}, ("pending", 1, "http_404", None)),
        ({"body": product()}, ("resolved", 1, "http_404", "retried with success")),
    ):
        site.says("/p", **answer)
        await rows("UPDATE dead_letters SET next_retry_at = now()")
        assert await upkeep.retry_letters() == 1
        await work()
        assert await rows(LETTER) == [expected]
    assert await rows("SELECT trigger, status FROM scrape_runs ORDER BY id") == [
        ("MANUAL", "FAILED"),
        ("RETRY", "FAILED"),
        ("RETRY", "SUCCESS"),
    ]
    assert await rows("SELECT ingestion_run_id FROM prices") == await rows("SELECT max(id) FROM scrape_runs"), "P-082"


async def test_a_run_that_a_person_ends_is_told_too(site: Site, watch, start, rows, database):
    source = await watch([f"{site.url}/p/{n}" for n in range(3)])
    told = "SELECT payload ->> 'status' FROM outbox WHERE topic = 'run.completed' AND key = %s"
    run = await start(source)
    async with database.transaction() as conn:
        assert await run_actions.cancel(conn, "test", run) == 3
    with pytest.raises(Conflict, match=r"has already ended \(FAILED\)"):  # and no entry says it was cancelled twice
        async with database.transaction() as conn:
            await run_actions.cancel(conn, "test", run)
    assert await rows("SELECT count(*) FROM audit_log WHERE action = 'run.cancelled'") == [1]
    assert await rows(told, f"run:{run}") == ["FAILED"]
    run = await start(source)
    targets = await rows("SELECT id FROM scrape_targets ORDER BY id")
    async with database.transaction() as conn:
        await target_actions.pause(conn, "test", targets[:2])
    assert await rows(told, f"run:{run}") == []
    (last,) = await rows("SELECT id FROM tasks WHERE status = 'queued'")
    async with database.transaction() as conn:
        await run_actions.cancel_task(conn, "test", last)
    assert await rows(told, f"run:{run}") == ["FAILED"]


async def test_tidying_archives_all_that_is_old_and_closes_what_was_forgotten(
    site: Site, watch, start, rows, database, settings
):
    await start(await watch([site.url + "/p"]))
    await rows("UPDATE scrape_runs SET started_at = now() - interval '2 minutes'")
    await rows("UPDATE tasks SET status = 'done', finished_at = now() - interval '2 days'")
    await rows("UPDATE lanes SET queued = 0")
    await rows(
        "INSERT INTO tasks (id, producer, lane, url, status, finished_at) "
        "SELECT gen_random_uuid(), 'prices', 'x', 'x', 'done', now() - interval '2 days' FROM generate_series(1, 5500)"
    )
    upkeep = Upkeep(database, settings)
    await upkeep.tidy()
    assert await rows("SELECT count(*)::int FROM tasks") == [0]
    assert await rows("SELECT count(*)::int FROM task_archive") == [5501]
    assert await rows("SELECT status FROM scrape_runs") == ["FAILED"]
    assert await rows("SELECT count(*)::int FROM outbox WHERE topic = 'run.completed'") == [1]


async def test_p075_the_scheduler_rechecks_what_is_broken_before_it_starts_what_is_due(
    site: Site, watch, work, rows, database, settings
):
    """A source whose targets are always due would have no room for a recheck otherwise; what is due joins its run."""
    await watch([site.says("/back", product(sku="b")), site.says("/due", product(sku="d"))])
    await rows(
        "UPDATE scrape_targets SET status = 'BROKEN', consecutive_failures = 5, "
        "last_scraped_at = now() - interval '8 days' WHERE url LIKE '%%/back'"
    )
    scheduler = Scheduler(database, settings)
    for _ in range(2):
        await scheduler.recheck()
        await scheduler.tick()
        await work()
    assert await rows("SELECT trigger, status, urls_planned FROM scrape_runs") == [("RECHECK", "SUCCESS", 2)]
    assert await rows("SELECT trigger FROM tasks ORDER BY created_at, id") == ["RECHECK", "SCHEDULED"]
    assert await rows("SELECT status, consecutive_failures FROM scrape_targets") == [("ACTIVE", 0)] * 2


async def test_a_chore_that_fails_is_said_and_keeps_no_other_from_its_turn(logged):
    stopping, done = asyncio.Event(), []

    async def fails() -> None:
        raise KeyError("a letter of another release")

    async def works() -> None:
        done.append(1)
        if len(done) == 3:
            stopping.set()

    await asyncio.wait_for(run_periodically(stopping, 0.01, fails, works), LIMIT)
    assert len(done) == 3
    assert [(e["event"], e["chore"]) for e in logged] == [("chore_failed", "fails")] * 3


async def test_e083_more_dead_letters_than_usual_are_an_alert_until_they_are_dealt_with(rows, database, settings):
    settings = replace(settings, publish=PublishSettings(alert_dead_letters=2))
    upkeep = Upkeep(database, settings)
    letter = (
        "INSERT INTO dead_letters (task_id, stage, error_type, payload) VALUES (gen_random_uuid(), 'fetch', 'x', '{}')"
    )
    for _ in range(3):
        await rows(letter)
    for _ in range(3):
        await upkeep.remind()
    assert await rows("SELECT severity, code, occurrences FROM alerts") == [("P2", "dead_letters", 1)]
    await rows("UPDATE dead_letters SET status = 'discarded', resolved_at = now()")
    await upkeep.remind()
    assert await rows("SELECT resolved_by FROM alerts") == ["upkeep"]


async def test_e082_the_end_of_a_run_is_told_once_with_its_counters(site: Site, watch, start, work, rows):
    site.says("/p", product())
    run = await start(await watch([site.url + "/p"]))
    await work()
    ((key, said),) = await rows("SELECT key, payload FROM outbox WHERE topic = 'run.completed'")
    assert key == f"run:{run}"
    assert (said["status"], said["urls_attempted"], said["offers_valid"], said["open_circuits"]) == ("SUCCESS", 1, 1, 0)
