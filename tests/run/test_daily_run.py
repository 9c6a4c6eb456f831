"""The daily run of event sources: one a day, by priority, with one summary (E-024 … E-031, E-080 … E-082)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.extract.event.feeds import calendar
from tests.run.conftest import limit
from tests.run.feeds.test_agenda_feeds import EVENT
from tests.run.scripted_site import Site
from winnow.actions import runs as actions
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.normalise.urls import canonical_url, url_hash
from winnow.run.commit import circuit_alerts
from winnow.run.daily.daily_events import DailyEvents
from winnow.schedule import daily
from winnow.schedule.source_circuits import SourceTurned
from winnow.settings import Settings
from winnow.sources.domain import domain_of

MORNING = datetime(2026, 5, 1, 6, 0, tzinfo=UTC)
Add = Callable[..., Awaitable[int]]


@pytest.fixture
def chore(database: Database, settings: Settings) -> DailyEvents:
    return DailyEvents(database, settings)


@pytest.fixture
def source(database: Database) -> Add:
    """An enabled event source with one target that has no time of its own; columns replace its defaults."""

    async def add(url: str, *, name: str | None = None, due: str | None = None, **columns: Any) -> int:
        domain = domain_of(url)
        async with database.transaction() as conn:
            row = await (
                await conn.execute(
                    "INSERT INTO sources (name, url, domain, kind, adapter_id) VALUES (%s, %s, %s, 'event', 'event') "
                    "RETURNING id",
                    (name or domain, url, domain),
                )
            ).fetchone()
            assert row is not None
            for column, value in columns.items():
                await conn.execute(f"UPDATE sources SET {column} = %s WHERE id = %s", (value, row[0]))
            await conn.execute(
                "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, kind, source_id, adapter_id, "
                "next_crawl_at) VALUES (%s, %s, %s, %s, 'event', %s, 'event', now() + %s::interval)",
                (url, canonical_url(url), url_hash(url), domain, row[0], due),
            )
            await limit(conn, domain, url, 10_000, 64)
        return int(row[0])

    return add


def event(uid: str, day: int = 20) -> str:
    soon = datetime.now(UTC) + timedelta(days=day)
    return (
        EVENT.replace("jazz@kroon", f"{uid}@kroon")
        .replace("Jazz in de Kroon", f"Avond met {uid}")
        .replace(EVENT.partition("DTSTART")[2].partition("\n")[0], f";TZID=Europe/Amsterdam:{soon:%Y%m%d}T203000")
    )


async def summary_of(rows: Any) -> dict[str, Any]:
    [found] = await rows("SELECT summary FROM daily_runs ORDER BY id DESC LIMIT 1")
    assert isinstance(found, dict)
    return found


async def finish(chore: DailyEvents, work: Any, rows: Any) -> dict[str, Any]:
    while await rows("SELECT 1 FROM daily_runs WHERE status = 'RUNNING'"):
        await chore.advance()
        await rows("UPDATE tasks SET max_attempts = 1")  # retries wait for minutes, and are not what is tested here
        await work()
    return await summary_of(rows)


async def test_e080_e081_e118_a_day_has_one_run_and_one_summary_of_all_its_sources(
    site: Site, other_site: Site, source: Add, chore: DailyEvents, work: Any, rows: Any, database: Database,
    settings: Settings,
) -> None:  # fmt: skip
    first = await source(site.says("/agenda.ics", calendar(event("Ella"), event("Duke"))), name="De Kroon")
    await source(other_site.says("/agenda.ics", "no calendar", status=500), name="Broken")
    assert await chore.begin_when_due(MORNING - timedelta(minutes=1)) is None
    assert await chore.begin_when_due(MORNING) is not None
    told = await finish(chore, work, rows)
    assert (told["sources_processed"], told["sources_succeeded"], told["failed_sources"]) == (2, 1, ["Broken"])
    assert (told["events_inserted"], told["events_updated"], told["events_skipped"]) == (2, 0, 0)
    assert (told["errors"], told["dlq_items_added"], told["circuit_breakers_tripped"]) == (1, 1, [])
    assert {"run_id", "started_at", "completed_at"} <= told.keys()
    # one message for the day, and none of a single source among those people are told of
    assert await rows("SELECT topic FROM outbox WHERE topic IN ('events.day_completed', 'run.completed')") == [
        "events.day_completed"
    ]
    assert await rows("SELECT payload FROM outbox WHERE topic = 'events.day_completed'") == [told]
    # the next look, and the next process, find the day done
    assert await chore.begin_when_due(MORNING + timedelta(hours=9)) is None
    assert await DailyEvents(database, settings).begin_when_due(MORNING + timedelta(hours=12)) is None
    site.says("/agenda.ics", calendar(event("Ella"), event("Duke", 25), event("Nina")))
    assert await chore.begin_when_due(MORNING + timedelta(days=1)) is not None
    told = await finish(chore, work, rows)
    assert (told["events_inserted"], told["events_updated"], told["events_skipped"]) == (1, 1, 1)
    assert await rows("SELECT count(*)::int FROM scrape_runs WHERE source_id = %s", first) == [2]


async def test_e025_e026_sources_that_have_to_wait_are_left_out_and_said_so(
    site: Site, source: Add, chore: DailyEvents, rows: Any, work: Any, settings: Settings
) -> None:
    at = [f"http://127.0.0.{n}:9/agenda" for n in range(2, 9)]
    slowed, opened, paused, later = [await source(url) for url in at[:4]]
    off = await source(at[4], enabled=False)
    auto = await source(at[5], auto_disabled=True)
    ok = await source(site.says("/agenda.ics", calendar(event("Ella"))))
    await rows("UPDATE lanes SET slowed_until = now() + interval '1 hour' WHERE lane = %s", domain_of(at[0]))
    await rows(
        "INSERT INTO source_circuits (source_id, state, failure_count, cooldown_until, consecutive_opens) "
        "VALUES (%s, 'OPEN', 5, now() + interval '2 hours', 1)", opened,
    )  # fmt: skip
    await rows("UPDATE sources SET paused = true WHERE id = %s", paused)
    await rows("UPDATE scrape_targets SET next_crawl_at = now() + interval '5 days' WHERE source_id = %s", later)
    await chore.begin_when_due(MORNING)
    told = await finish(chore, work, rows)
    found = dict(await rows("SELECT source_id, coalesce(reason, state) FROM daily_run_sources"))
    assert found == {
        slowed: "rate_limited",
        opened: "circuit_open",
        paused: "paused",
        later: "not_due",
        auto: "auto_disabled",
        ok: "started",
    }, f"{off} is not enabled and no part of it"
    assert told["left_out"] == {
        "rate_limited": 1, "circuit_open": 1, "paused": 1, "not_due": 1, "auto_disabled": 1,
    }  # fmt: skip
    assert await rows("SELECT count(*)::int FROM daily_run_sources WHERE until > now() + interval '50 minutes'") == [3]


async def test_e025_e027_e030_sources_begin_by_priority_as_many_at_a_time_as_there_are_workers(
    source: Add, database: Database, rows: Any, settings: Settings, site: Site
) -> None:
    ids = [await source(f"http://127.0.0.{n + 2}:9/a", name=f"s{n}") for n in range(12)]
    await rows(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, offers_valid, started_at, completed_at) "
        "SELECT %s, 'event', 'SUCCESS', 500, now() - interval '2 days', now() - interval '2 days'", ids[7],
    )  # fmt: skip
    await rows(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, started_at, completed_at) "
        "SELECT %s, 'event', 'FAILED', now() - interval '1 day', now() - interval '1 day'", ids[0],
    )  # fmt: skip
    chore = DailyEvents(database, settings)
    await chore.begin_when_due(MORNING)
    assert await rows("SELECT workers::int FROM daily_runs") == [2]
    await chore.advance()
    started = await rows("SELECT source_id FROM daily_run_sources WHERE state = 'started' ORDER BY position")
    scores = dict(await rows("SELECT source_id, priority_score FROM daily_run_sources"))
    order = await rows("SELECT source_id FROM daily_run_sources ORDER BY position")
    assert order == sorted(ids, key=lambda i: (-scores[i], i))
    assert started == order[:2]
    assert order[-1] == ids[0]
    await chore.advance()
    assert await rows("SELECT count(*)::int FROM daily_run_sources WHERE state = 'started'") == [2]
    # one that is slow gives its place to the next (E-007)
    await rows("UPDATE scrape_runs SET started_at = now() - interval '16 minutes' WHERE source_id = %s", started[0])
    await chore.advance()
    assert await rows("SELECT source_id FROM daily_run_sources WHERE state = 'started' ORDER BY position") == order[:3]


async def test_e029_one_job_for_each_source_and_all_share_the_run_id(
    source: Add, chore: DailyEvents, rows: Any, site: Site, other_site: Site
) -> None:
    for one in (site, other_site):
        await source(one.says("/agenda.ics", calendar(event("Ella"))))
    await chore.begin_when_due(MORNING)
    await chore.advance()
    await rows("UPDATE daily_runs SET workers = 10")
    await chore.advance()
    [run_id] = await rows("SELECT run_id::text FROM daily_runs")
    assert await rows("SELECT run_id, count(DISTINCT source_id)::int FROM pipeline_jobs GROUP BY 1") == [(run_id, 2)]


async def test_e003_e024_a_scheduler_killed_in_the_middle_is_followed_by_the_next(
    source: Add, database: Database, settings: Settings, rows: Any, work: Any
) -> None:
    sites = [await Site().start() for _ in range(3)]
    try:
        for n, one in enumerate(sites):
            await source(one.says("/agenda.ics", calendar(event(f"band{n}"))))
        await asyncio.gather(*(DailyEvents(database, settings).begin_when_due(MORNING) for _ in range(4)))
        assert await rows("SELECT count(*)::int FROM daily_runs") == [1]
        await DailyEvents(database, settings).advance()  # …and is gone
        done = await finish(DailyEvents(database, settings), work, rows)
        assert (done["sources_processed"], done["events_inserted"]) == (3, 3)
        assert [one.asked("/agenda.ics") for one in sites] == [1, 1, 1]
        assert await rows("SELECT count(*)::int FROM outbox WHERE topic = 'events.day_completed'") == [1]
    finally:
        for one in sites:
            await one.stop()


async def test_e024_a_person_starts_it_too_and_hears_of_the_one_under_way(
    site: Site, source: Add, database: Database, settings: Settings, rows: Any, work: Any, chore: DailyEvents
) -> None:
    await source(site.says("/agenda.ics", calendar(event("Ella"))))
    async with database.transaction() as conn:
        begun = await actions.start_daily(conn, "test", settings, [])
    with pytest.raises(Conflict) as there:
        async with database.transaction() as conn:
            await actions.start_daily(conn, "test", settings, [])
    assert there.value.existing == str(begun)
    assert await rows("SELECT action, object_id FROM audit_log") == [("run.daily_started", str(begun))]
    assert (await finish(chore, work, rows))["trigger"] == "MANUAL"
    # the day's own run comes all the same
    assert await chore.begin_when_due(datetime.now(UTC).replace(hour=23)) is not None


async def test_a_visit_under_way_is_the_sources_visit_of_the_day(
    site: Site, source: Add, start: Any, chore: DailyEvents, rows: Any, work: Any
) -> None:
    run = await start(await source(site.says("/agenda.ics", calendar(event("Ella"))), due="1 hour"))
    await chore.begin_when_due(MORNING)
    await chore.advance()
    assert await rows("SELECT scrape_run_id FROM daily_run_sources") == [run]
    assert (await finish(chore, work, rows))["events_inserted"] == 1
    assert site.asked("/agenda.ics") == 1


async def test_e002_a_day_that_never_ends_is_closed_with_what_there_is(
    source: Add, chore: DailyEvents, rows: Any
) -> None:
    for n in range(2, 5):
        await source(f"http://127.0.0.{n}:9/a")
    await chore.begin_when_due(MORNING)
    await chore.advance()
    await rows("UPDATE daily_runs SET started_at = now() - make_interval(hours => %s)", daily.LONGEST_HOURS + 1)
    await chore.advance()
    told = await summary_of(rows)
    assert (told["sources_unfinished"], told["left_out"]) == (1, {"day_over": 2})


async def test_e081_circuits_that_opened_meanwhile_are_named(
    source: Add, chore: DailyEvents, rows: Any, database: Database
) -> None:
    named = await source("http://127.0.0.2:9/a", name="De Kroon")
    await chore.begin_when_due(MORNING)
    async with database.transaction() as conn:  # it opens, and its probe closes it again
        await circuit_alerts.notify(conn, [], [SourceTurned(named, datetime.now(UTC))])
        await circuit_alerts.notify(conn, [], [SourceTurned(named, None)])
    await rows("UPDATE daily_runs SET started_at = now() - make_interval(hours => %s)", daily.LONGEST_HOURS + 1)
    await chore.advance()
    assert (await summary_of(rows))["circuit_breakers_tripped"] == ["De Kroon"]


async def test_a_day_without_a_source_is_not_told(chore: DailyEvents, rows: Any, settings: Settings) -> None:
    await chore.begin_when_due(MORNING)
    await chore.advance()
    assert await rows("SELECT status FROM daily_runs") == ["COMPLETED"]
    assert await rows("SELECT count(*)::int FROM outbox") == [0]


async def test_e024_off_means_only_on_demand(database: Database, settings: Settings) -> None:
    off = replace(settings, schedule=settings.schedule.model_copy(update={"events_schedule": "off"}))
    assert await DailyEvents(database, off).begin_when_due(MORNING) is None


async def test_e085_a_source_whose_cooldown_is_over_is_probed_with_one_target(
    source: Add, chore: DailyEvents, rows: Any
) -> None:
    probed = await source("http://127.0.0.2:9/a")
    await rows(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, kind, source_id, adapter_id) "
        "SELECT url || 'b', canonical_url || 'b', repeat('b', 64), domain, kind, source_id, adapter_id "
        "FROM scrape_targets"
    )
    await rows(
        "INSERT INTO source_circuits (source_id, state, failure_count, cooldown_until, consecutive_opens) "
        "VALUES (%s, 'OPEN', 5, now() - interval '1 minute', 1)",
        probed,
    )
    await chore.begin_when_due(MORNING)
    await chore.advance()
    assert await rows("SELECT state FROM source_circuits") == ["HALF_OPEN"]
    assert await rows("SELECT count(*)::int FROM tasks") == [1]
