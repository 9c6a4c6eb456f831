"""Failed attempts are logged with what they were about, and failures that sources share raise an alert (E-006)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.run.scripted_site import Site, product
from winnow.db.engine import Database
from winnow.publish.settings import PublishSettings
from winnow.run import closing
from winnow.run.upkeep import Upkeep
from winnow.schedule import failed_attempts, upkeep
from winnow.schedule.failed_attempts import FailedAttempt
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import new_id
from winnow.settings import Settings

LOGGED = """
SELECT replace(t.url, %s, ''), e.stage, e.error_class, e.error_type, count(*)::int
FROM error_logs AS e JOIN tasks AS t ON t.id = e.task_id AND t.source_id = e.source_id AND t.run_id = %s
GROUP BY 1, 2, 3, 4 ORDER BY 1
"""
NO_PRODUCT = (
    f"<html><head><title>Shoes</title></head><body><h1>Shoes</h1><p>{'All about shoes. ' * 60}</p></body></html>"
)
ALERTS = "SELECT severity, code, details ->> 'error_type', resolved_by FROM alerts ORDER BY id"


async def test_e006_c008_c066_every_failed_attempt_is_logged_with_its_task_source_stage_and_error(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, logged: list[Any]
) -> None:
    urls = [
        site.says("/broken", status=503),  # may pass: three attempts
        site.says("/gone", status=404),
        site.says("/nothing", NO_PRODUCT),
        site.says("/ok", product(sku="1")),
        site.says("/unknown", product(sku="2", stock=None)),
    ]
    run = await start(await watch(urls))
    await rows("UPDATE tasks SET max_attempts = 2")
    await work()
    found = await rows(LOGGED, site.url, run)
    assert found[:2] == [
        ("/broken", "fetch", "network", "http_503", 2),
        ("/gone", "fetch", "network", "http_404", 1),
    ]
    nothing, unknown = found[2:]
    assert (nothing[0], nothing[1:3], nothing[4]) == ("/nothing", ("extract", "parse"), 1)
    assert unknown == ("/unknown", "persist", "validation", "UNKNOWN_AVAILABILITY", 1)
    lines = {line["url"].removeprefix(site.url): line for line in logged if line["event"] == "visit_not_stored"}
    assert lines.keys() == {"/broken", "/gone", "/nothing", "/unknown"}
    for line in lines.values():
        assert {"run_id", "job_id", "source_id", "stage", "reason"} <= line.keys()
        assert "error" not in line, "it may quote the page (R-26)"
    assert (lines["/gone"]["run_id"], lines["/gone"]["stage"], lines["/gone"]["reason"]) == (run, "fetch", "http_404")


async def test_e006_a_task_that_lost_its_workers_is_logged_too(
    site: Site, watch: Any, start: Any, rows: Any, database: Database
) -> None:
    await start(await watch([site.url + "/deadly"]))
    for _ in range(queue.MAX_LOSSES):
        async with database.transaction() as conn:
            await queue.claim(conn, "doomed", 1, -1.0)
            await closing.fail_lost(conn, await upkeep.rescue(conn))
    assert await rows("SELECT stage, error_class, error_type FROM error_logs") == [("fetch", "internal", "worker_lost")]


@pytest.fixture
def chores(database: Database, settings: Settings) -> Upkeep:
    return Upkeep(database, replace(settings, publish=PublishSettings(alert_recurring_failures=6)))


async def fail(database: Database, sources: int, each: int, error_type: str = "http_403") -> None:
    attempts = [
        FailedAttempt(task_id=new_id(), source_id=n, stage="fetch", error_class="network", error_type=error_type)
        for n in range(sources)
        for _ in range(each)
    ]
    async with database.transaction() as conn:
        await failed_attempts.record(conn, attempts)


async def test_e006_failures_that_several_sources_share_raise_one_chat_alert_until_they_are_over(
    chores: Upkeep, database: Database, rows: Any
) -> None:
    await fail(database, sources=3, each=2)
    await fail(database, sources=2, each=50, error_type="dns")  # two sites: their circuits tell of it
    await fail(database, sources=5, each=1, error_type="http_500")  # too few
    for _ in range(3):
        await chores.remind()
    assert await rows(ALERTS) == [("P2", "recurring_failures", "http_403", None)]
    assert await rows("SELECT occurrences FROM alerts") == [1]
    assert await rows("SELECT count(*)::int FROM outbox WHERE topic = 'alert.opened'") == [1]
    await rows("UPDATE error_logs SET occurred_at = now() - interval '61 minutes'")
    await chores.remind()
    assert await rows(ALERTS) == [("P2", "recurring_failures", "http_403", "upkeep")]


async def test_e006_what_fails_now_and_then_among_many_is_no_pattern(
    chores: Upkeep, database: Database, rows: Any
) -> None:
    await fail(database, sources=3, each=2, error_type="http_404")
    await rows(
        "INSERT INTO task_archive (id, producer, lane, url, status, finished_at) "
        "SELECT gen_random_uuid(), 'prices', 'a.test', 'https://a.test/', 'done', now() FROM generate_series(1, 61)"
    )
    await chores.remind()
    assert await rows(ALERTS) == []
