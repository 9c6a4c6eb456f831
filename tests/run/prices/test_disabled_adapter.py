"""A disabled adapter does not run, whatever was queued before (P-087); every version that ran is known (C-069)."""

from __future__ import annotations

import asyncio

from tests.kinds.reading import GENERIC
from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT
from winnow.actions import adapters as adapter_actions
from winnow.extract.adapter import Registry
from winnow.judge import adapter_status, adapter_versions
from winnow.judge.adapter_versions import Version, remember
from winnow.run.worker import assembled

TASKS = "SELECT status, reason FROM tasks UNION ALL SELECT status, reason FROM task_archive"
VERSIONS = "SELECT version, state, retired_at IS NOT NULL, promoted_by FROM adapter_versions WHERE adapter_id = %s"


def pages_asked(site: Site) -> list[str]:
    return [seen.path for seen in site.log if seen.path.startswith("/p/")]


async def queued(site: Site, watch, start, n: int = 3) -> int:
    source = await watch([site.says(f"/p/{i}", product(name=f"Shoe {i}", sku=str(i))) for i in range(n)])
    await start(source)
    return source


async def test_p087_what_is_queued_for_an_adapter_leaves_the_queue_when_it_is_disabled(
    site, watch, start, work, rows, database
):
    source = await queued(site, watch, start)
    async with database.transaction() as conn:
        assert await adapter_actions.disable(conn, "anna", f"generic@{source}", "MANUAL")
    assert await rows(TASKS) == [("cancelled", "adapter_disabled")] * 3
    await work()
    assert not pages_asked(site)
    assert await rows("SELECT urls_cancelled, completed_at IS NOT NULL FROM scrape_runs") == [(3, True)]
    audited = "SELECT (after ->> 'withdrawn')::int FROM audit_log WHERE action = 'adapter.disabled'"
    assert await rows(audited) == [3]


async def test_p087_the_tasks_of_other_adapters_and_sources_go_on(site, other_site, watch, start, work, rows, database):
    stopped = await queued(site, watch, start)
    await queued(other_site, watch, start)
    async with database.transaction() as conn:
        await adapter_actions.disable(conn, "anna", f"generic@{stopped}", "MANUAL")
    await work()
    assert not pages_asked(site)
    assert len(pages_asked(other_site)) == 3


async def test_p087_a_task_that_came_back_to_the_queue_waits_and_nothing_is_sent(
    site, watch, start, work, rows, database, settings
):
    await queued(site, watch, start)
    async with database.transaction() as conn:
        await adapter_status.disable(conn, "generic", "MANUAL", "anna")
    handed_back = "SELECT status, attempts FROM tasks WHERE outcome = 'adapter_disabled' AND due_at IS NOT NULL"
    async with assembled(database, settings) as worker:
        running = asyncio.create_task(worker.run())
        async with asyncio.timeout(LIMIT):
            while await rows(handed_back) != [("queued", 0)] * 3:
                await asyncio.sleep(0.05)
        worker.stop()
        await running
    assert not pages_asked(site)
    async with database.transaction() as conn:
        await adapter_status.enable(conn, "generic", "anna")
    await rows("UPDATE tasks SET due_at = now()")
    await work()
    assert await rows("SELECT count(*)::int FROM prices") == [3]


async def test_c069_the_versions_a_worker_runs_are_known_and_its_records_name_them(site, watch, start, work, rows):
    await queued(site, watch, start, 1)
    await work()
    (found,) = await rows(VERSIONS, "generic")
    assert found[:3] == (GENERIC.version, "live", False)
    unknown = (
        "SELECT count(*)::int FROM records AS r WHERE NOT EXISTS (SELECT 1 FROM adapter_versions AS v "
        "WHERE v.adapter_id = r.adapter_id AND v.version = r.adapter_version)"
    )
    assert await rows(unknown) == [0]


async def test_c069_a_newer_version_retires_the_one_before_and_an_older_one_can_come_back(rows, database):
    async def starts(*versions: Version) -> None:
        async with database.transaction() as conn:
            await adapter_versions.register(conn, versions, "worker-1")

    one, two = Version("shop", "1.0.0", "live", "x.example"), Version("shop", "1.1.0", "live", "x.example")
    await starts(one, Version("shop", "1.1.0", "candidate", "x.example"))
    states = "SELECT version, state FROM adapter_versions ORDER BY version"
    assert await rows(states) == [("1.0.0", "live"), ("1.1.0", "candidate")]
    await starts(two)
    assert await rows(states) == [("1.0.0", "retired"), ("1.1.0", "live")]
    await starts(one)
    await starts(one)
    assert await rows(states) == [("1.0.0", "live"), ("1.1.0", "retired")]
    assert await rows("SELECT retired_at IS NULL FROM adapter_versions WHERE version = '1.0.0'") == [True]


async def test_c069_every_registered_adapter_is_remembered(rows, database):
    adapters = Registry()
    adapters.register(GENERIC)
    async with database.transaction() as conn:
        await remember(conn, adapters, "worker-1")
    assert await rows("SELECT adapter_id, version, state FROM adapter_versions") == [
        ("generic", GENERIC.version, "live")
    ]
