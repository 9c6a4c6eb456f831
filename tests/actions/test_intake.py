"""Sources and targets, added, changed and taken away by people (P-057 … P-060, P-094, P-100, C-003)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from psycopg.rows import dict_row

from winnow.actions import runs as run_actions
from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions.catalogue.crawl_jobs import CrawlJob, submit
from winnow.actions.intake import Cadence, Intake
from winnow.db.engine import Database
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.schedule.settings import ScheduleSettings
from winnow.sources import sources

URL = "https://shop.example.com/p/1"
SETTINGS = ScheduleSettings()


async def row(database: Database, query: str, *given: Any) -> dict[str, Any]:
    async with database.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, given)  # type: ignore[call-overload]
        found = await cursor.fetchone()
    assert found is not None
    return found


async def target(database: Database, target_id: int) -> dict[str, Any]:
    return await row(database, "SELECT *, now() AS now FROM scrape_targets WHERE id = %s", target_id)


async def test_watch_makes_retailer_source_and_target_and_is_due_at_once(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, f"{URL}?utm_source=x#a")
    made = await target(database, watched.target_id)
    assert (made["canonical_url"], made["domain"], made["adapter_id"]) == (URL, "example.com", "generic")
    assert made["crawl_frequency"] == made["expected_every"] == timedelta(hours=4)
    assert made["next_crawl_at"] <= made["now"]
    source = await row(database, "SELECT * FROM sources WHERE id = %s", watched.source_id)
    assert source["name"] == "example.com"
    retailer = await row(database, "SELECT * FROM retailers WHERE id = %s", source["retailer_id"])
    assert retailer["name"] == "example.com"


async def test_p094_a_new_source_is_not_eligible_and_its_upcs_not_trusted(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
    trust = await row(database, "SELECT * FROM source_trust_config WHERE source_id = %s", watched.source_id)
    assert (trust["visibility_status"], trust["upc_trusted"]) == ("INELIGIBLE", False)


async def test_watching_the_same_page_again_changes_nothing(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        first = await target_actions.watch(conn, "ann", intake, URL)
        again = await target_actions.watch(conn, "ann", intake, "http://SHOP.example.com/p/1/?utm_medium=y")
        other = await target_actions.watch(conn, "ann", intake, "https://www.example.com/p/2")
    assert (again.target_id, again.created) == (first.target_id, False)
    assert other.source_id == first.source_id


async def test_the_domain_goes_on_naming_the_source_that_had_it_first(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        offers = (await target_actions.watch(conn, "ann", intake, URL)).source_id
        products = await source_actions.find_or_add(conn, "ann", intake, URL, "product")
        again = await source_actions.find_or_add(conn, "ann", intake, URL, "product")
        assert (await sources.find(conn, "example.com")).id == offers
    assert (products.name, products.id) == ("example.com products", again.id)


async def test_twenty_people_watching_one_site_at_once_make_one_source(database: Database, intake: Intake) -> None:
    async def one(n: int) -> int:
        async with database.transaction() as conn:
            return (await target_actions.watch(conn, "ann", intake, f"{URL}/{n % 5}")).source_id

    assert len(set(await asyncio.gather(*(one(n) for n in range(20))))) == 1
    counts = await row(
        database, "SELECT (SELECT count(*) FROM sources) AS s, (SELECT count(*) FROM scrape_targets) AS t"
    )
    assert (counts["s"], counts["t"]) == (1, 5)


async def test_a_duplicate_target_is_a_conflict_naming_the_one_there(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
        source = await sources.get(conn, watched.source_id)
        with pytest.raises(Conflict) as there:
            await target_actions.add(conn, "ann", intake, source, URL + "#x")
    assert there.value.existing == str(watched.target_id)


@pytest.mark.parametrize("cron", ["0 0 31 2 *", "* * *", "61 * * * *", "nonsense", "* * * * * * *"])
async def test_a_cron_that_never_fires_or_makes_no_sense_is_refused(
    database: Database, intake: Intake, cron: str
) -> None:
    async with database.transaction() as conn:
        with pytest.raises(InvalidInput) as wrong:
            await target_actions.watch(conn, "ann", intake, URL, Cadence(schedule=cron))
    assert wrong.value.field == "schedule"


async def test_cadence_is_the_targets_then_the_sources_then_daily(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        plain = await source_actions.add(conn, "ann", intake, name="plain", url="https://a.example.com")
        timed = await source_actions.add(
            conn, "ann", intake, name="timed", url="https://b.example.com", schedule="0 3 * * *"
        )
        daily = await target_actions.add(conn, "ann", intake, plain, f"{URL}/1")
        inherits = await target_actions.add(conn, "ann", intake, timed, f"{URL}/2")
        own = await target_actions.add(conn, "ann", intake, timed, f"{URL}/3", when=Cadence(every=timedelta(hours=2)))
        by_hand = await target_actions.add(conn, "ann", intake, timed, f"{URL}/4", when=Cadence(by_hand=True))
    found = [await target(database, i) for i in (daily, inherits, own, by_hand)]
    assert [f["schedule"] for f in found] == [None, "0 3 * * *", None, None]
    assert [f["crawl_frequency"] for f in found] == [timedelta(days=1), None, timedelta(hours=2), None]
    day = timedelta(days=1)
    assert [f["expected_every"] for f in found] == [day, day, timedelta(hours=2), None]
    assert found[1]["next_crawl_at"] > found[1]["now"]
    assert found[3]["next_crawl_at"] is None


async def test_an_unknown_adapter_or_source_is_refused(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        with pytest.raises(InvalidInput, match="adapter"):
            await source_actions.add(conn, "ann", intake, name="x", url=URL, adapter_id="nope")
        with pytest.raises(NotFound):
            await sources.find(conn, "nope")
        with pytest.raises(NotFound):
            await sources.find(conn, "9" * 19)


async def test_a_source_name_is_used_once(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        first = await source_actions.add(conn, "ann", intake, name="shop", url=URL)
        other = await source_actions.add(conn, "ann", intake, name="other", url=URL)
        with pytest.raises(Conflict) as there:
            await source_actions.add(conn, "ann", intake, name="shop", url=URL)
        with pytest.raises(Conflict):
            await source_actions.update(conn, "ann", intake, other.id, {"name": "shop"})
        await source_actions.update(conn, "ann", intake, first.id, {"name": "shop", "priority": 5})
    assert there.value.existing == str(first.id)


async def test_pausing_a_source_holds_its_queue_and_refuses_runs(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
        await run_actions.start(conn, "ann", watched.source_id, SETTINGS)
    async with database.transaction() as conn:
        assert await source_actions.pause(conn, "ann", watched.source_id, True)
        assert not await source_actions.pause(conn, "ann", watched.source_id, True)
        with pytest.raises(Conflict, match="paused"):
            await run_actions.start(conn, "ann", watched.source_id, SETTINGS)
    lane = await row(database, "SELECT queued FROM lanes WHERE lane = 'example.com'")
    assert lane["queued"] == 0
    async with database.transaction() as conn:
        await source_actions.pause(conn, "ann", watched.source_id, False)
    lane = await row(database, "SELECT queued FROM lanes WHERE lane = 'example.com'")
    assert lane["queued"] == 1


async def test_pausing_a_target_takes_its_task_out_and_closes_the_run(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
        started = await run_actions.start(conn, "ann", watched.source_id, SETTINGS)
        assert await target_actions.pause(conn, "ann", [watched.target_id]) == [watched.target_id]
        assert await target_actions.pause(conn, "ann", [watched.target_id]) == []
    run = await row(database, "SELECT * FROM scrape_runs WHERE id = %s", started.run_id)
    assert (run["urls_cancelled"], run["status"] == "RUNNING") == (1, False)
    async with database.transaction() as conn:
        assert await target_actions.resume(conn, "ann", [watched.target_id]) == [watched.target_id]
    assert (await target(database, watched.target_id))["status"] == "ACTIVE"


async def test_p100_stale_and_broken_targets_are_requeued_and_others_left(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        ids = [(await target_actions.watch(conn, "ann", intake, f"{URL}/{n}")).target_id for n in range(3)]
        for target_id, status in zip(ids, ("STALE", "BROKEN", "ACTIVE"), strict=True):
            await conn.execute(
                "UPDATE scrape_targets SET status = %s, consecutive_failures = 5, next_crawl_at = NULL WHERE id = %s",
                (status, target_id),
            )
        assert await target_actions.requeue(conn, "ann", ids) == ids[:2]
    found = await target(database, ids[0])
    assert (found["status"], found["consecutive_failures"]) == ("ACTIVE", 0)
    assert found["next_crawl_at"] <= found["now"]
    assert (await target(database, ids[2]))["consecutive_failures"] == 5


async def test_removing_a_target_is_all_or_nothing_and_audited(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
    with pytest.raises(NotFound):
        async with database.transaction() as conn:
            await target_actions.remove(conn, "ann", [watched.target_id, 999])
    assert await target(database, watched.target_id)
    async with database.transaction() as conn:
        assert await target_actions.remove(conn, "ann", [watched.target_id]) == [watched.target_id]
    entry = await row(database, "SELECT * FROM audit_log WHERE action = 'target.removed'")
    assert (entry["actor"], entry["before"]["url"]) == ("ann", URL)


async def test_every_change_leaves_an_entry_with_the_actor(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        watched = await target_actions.watch(conn, "ann", intake, URL)
        await source_actions.update(
            conn, "bob", intake, watched.source_id, {"scrape_config": {"customHeaders": {"K": "canary"}}}
        )
        await target_actions.update(
            conn, "bob", intake, watched.target_id, {"priority": 7}, Cadence(schedule="5 4 * * *")
        )
        await target_actions.update(conn, "bob", intake, watched.target_id, {"priority": 7}, None)
    async with database.connection() as conn:
        entries = await (
            await conn.execute("SELECT actor, action, before, after FROM audit_log ORDER BY id")
        ).fetchall()
    assert [e[:2] for e in entries] == [
        ("ann", "source.added"),
        ("ann", "target.added"),
        ("bob", "source.updated"),
        ("bob", "target.updated"),
    ]
    assert "canary" not in repr(entries)
    assert (entries[3][2]["priority"], entries[3][3]["schedule"]) == (0, "5 4 * * *")


async def test_c022_a_resubmitted_crawl_job_makes_no_second_row_and_is_due_again(
    database: Database, intake: Intake
) -> None:
    jobs = [CrawlJob(url=f"{URL}?a=1", priority=1), CrawlJob(url="https://www.shop.example.com/q")]
    async with database.transaction() as conn:
        first = await submit(conn, "ann", intake, jobs)
        await conn.execute("UPDATE scrape_targets SET next_crawl_at = now() + interval '1 day'")
    async with database.transaction() as conn:
        again = await submit(conn, "ann", intake, [CrawlJob(url=f"{URL}/?a=1#x")])
    assert [(a.id, a.created) for a in again] == [(first[0].id, False)]
    found = await row(database, "SELECT *, now() AS now FROM crawl_tasks WHERE id = %s", first[0].id)
    assert (found["status"], found["priority"]) == ("pending", 1)
    assert found["next_crawl_at"] <= found["now"]
