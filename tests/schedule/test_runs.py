"""A run counts what its tasks found, closes once, and its rates say what the requirements mean (P-077 … P-081)."""

from __future__ import annotations

import asyncio
from collections import Counter
from decimal import Decimal

import pytest

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from winnow.db.engine import Connection, Database
from winnow.errors import NotFound
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.run.closing import ClosedTasks
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.runs import Tally
from winnow.schedule.settings import ScheduleSettings

SETTINGS = ScheduleSettings(_env_file=None)
RATES = "SELECT failure_rate, yield_rate, drop_rate FROM scrape_runs WHERE id = %s"
STATUS = "SELECT status, completed_at IS NOT NULL, duration_ms >= 0 FROM scrape_runs WHERE id = %s"


async def started(database: Database, n: int, domain: str = "shop.test") -> int:
    async with database.transaction() as conn:
        source = await add_source(conn, domain)
        await add_targets(conn, source, n, domain)
        run = await runs.start(conn, source, Trigger.MANUAL, SETTINGS)
    assert run.run_id is not None
    return run.run_id


async def planned(conn: Connection, urls: int) -> int:
    """A run that plans so many URLs, without the tasks: only its arithmetic is looked at."""
    source = await add_source(conn, f"s{await scalar(conn, 'SELECT count(*) FROM sources')}.test")
    return int(
        await scalar(
            conn,
            "INSERT INTO scrape_runs (adapter_id, source_id, urls_planned) VALUES ('generic', %s, %s) RETURNING id",
            source,
            urls,
        )
    )


# what settled → failure_rate, yield_rate, drop_rate, status
ARITHMETIC = {
    "all valid": (Tally(attempted=4, succeeded=4, extracted=4, valid=4, yielding=4), ("0", "1", "0"), "SUCCESS"),
    "P-081: failed / attempted, valid / attempted, dropped / extracted": (
        Tally(attempted=10, failed=2, succeeded=8, extracted=8, valid=5, yielding=5, dropped=2, quarantined=1),
        ("0.2", "0.5", "0.25"),
        "SUCCESS",
    ),
    "PN-03: out of stock without a price is in no denominator": (
        Tally(attempted=10, oos=6, failed=1, succeeded=9, extracted=3, valid=3, yielding=3),
        ("0.25", "0.75", "0"),
        "SUCCESS",
    ),
    "PN-06: robots blocks are in no rate, though each is a drop": (
        Tally(attempted=10, robots_blocked=6, dropped=7, failed=1, succeeded=3, extracted=3, valid=2, yielding=2),
        ("0.25", "0.5", "0.3333"),
        "SUCCESS",
    ),
    "P-090: UNKNOWN availability is a drop that counts as a failure": (
        Tally(attempted=4, succeeded=4, extracted=4, valid=3, yielding=3, dropped=1, unknown_availability=1),
        ("0.25", "0.75", "0.25"),
        "SUCCESS",
    ),
    "all out of stock: zero denominators": (Tally(attempted=3, succeeded=3, oos=3), ("0", "0", "0"), "SUCCESS"),
    "PN-10: no URL succeeded": (Tally(attempted=2, failed=2), ("1", "0", "0"), "FAILED"),
    "PN-10: everything was forbidden": (Tally(attempted=2, robots_blocked=2, dropped=2), ("0", "0", "0"), "FAILED"),
    "P-078: held is neither valid nor dropped": (
        Tally(attempted=2, succeeded=2, extracted=2, quarantined=2, gauges=Counter(zero_price=2)),
        ("0", "0", "0"),
        "SUCCESS",
    ),
    "many forbidden, one read: the share stays a share": (
        Tally(attempted=301, robots_blocked=300, dropped=300, succeeded=1, extracted=1, valid=1, yielding=1),
        ("0", "1", "0"),
        "SUCCESS",
    ),
}


async def test_p081_rates_and_status_at_completion(database: Database):
    for case, (tally, rates, status) in ARITHMETIC.items():
        async with database.connection() as conn:
            run = await planned(conn, tally.attempted)
            (counted,) = await runs.count(conn, {run: tally})
            assert (counted.complete, counted.status) == (True, status), case
            found = await row(conn, RATES, run)
            assert found == tuple(pytest.approx(Decimal(r), abs=Decimal("0.0001")) for r in rates), case
            assert await row(conn, STATUS, run) == (status, True, True), case


@pytest.mark.parametrize(
    ("tally", "reason"),
    [
        (Tally(attempted=3, failed=3), "no page could be read: 3 failed"),
        (
            Tally(attempted=3, failed=1, robots_blocked=1, dropped=1, cancelled=1),
            "no page could be read: 1 failed, 1 forbidden by robots.txt, 1 cancelled",
        ),
        (Tally(attempted=3, failed=2, succeeded=1, extracted=1, valid=1, yielding=1), None),
    ],
)
async def test_pn10_a_failed_run_says_why(database: Database, tally: Tally, reason: str | None) -> None:
    async with database.connection() as conn:
        run = await planned(conn, 3)
        await runs.count(conn, {run: tally})
        found = await row(conn, "SELECT error_code, error_message FROM scrape_runs WHERE id = %s", run)
        assert found == (reason and "NO_PAGE_READ", reason)


async def test_p081_counters_are_kept_up_to_date_and_rates_come_at_the_end(database: Database):
    async with database.connection() as conn:
        run = await planned(conn, 3)
        (counted,) = await runs.count(
            conn, {run: Tally(attempted=2, succeeded=1, failed=1, extracted=1, valid=1, yielding=1)}
        )
        assert not counted.complete
        now = await row(conn, "SELECT status, urls_attempted, urls_failed, offers_valid FROM scrape_runs")
        assert now == ("RUNNING", 2, 1, 1)
        assert await row(conn, RATES, run) == (None, None, None)
        await runs.count(conn, {run: Tally(attempted=1, succeeded=1, extracted=1, valid=1, yielding=1)})
        assert await scalar(conn, "SELECT status FROM scrape_runs") == "SUCCESS"


async def test_a_run_completes_exactly_once_whoever_counts_last(database: Database):
    async with database.connection() as conn:
        run = await planned(conn, 40)

    async def count() -> int:
        done = 0
        for _ in range(5):
            async with database.transaction() as conn:
                counted = await runs.count(
                    conn, {run: Tally(attempted=1, succeeded=1, extracted=1, valid=1, yielding=1)}
                )
            done += sum(c.complete for c in counted)
        return done

    assert sum(await asyncio.gather(*(count() for _ in range(8)))) == 1
    async with database.connection() as conn:
        assert await row(conn, "SELECT urls_attempted, status, yield_rate FROM scrape_runs") == (40, "SUCCESS", 1)


async def test_a_completed_run_keeps_its_rates_whatever_is_asked_of_it_later(database: Database):
    async with database.connection() as conn:
        run = await planned(conn, 2)
        await runs.count(conn, {run: Tally(attempted=2, succeeded=1, failed=1, extracted=1, valid=1, yielding=1)})
        before = await row(conn, RATES, run)
        assert await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run) == ClosedTasks([], [])
        assert await row(conn, RATES, run) == before


async def test_s103_cancelling_closes_the_run_when_nothing_runs_any_more(database: Database):
    run = await started(database, 3)
    async with database.transaction() as conn:
        closed = await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run)
    assert (len(closed.tasks), [(c.id, c.complete) for c in closed.completed]) == (3, [(run, True)])
    async with database.connection() as conn:
        found = await row(conn, "SELECT status, urls_cancelled, urls_attempted, completed_at IS NULL FROM scrape_runs")
        assert found == ("FAILED", 3, 0, False), "PN-10: no URL succeeded"
        assert await rows(conn, "SELECT DISTINCT status, reason FROM tasks") == [("cancelled", "cancelled")]


async def test_a_cancelled_run_waits_for_what_is_running(database: Database, lane):
    from winnow.schedule.queue import queue

    await lane("shop.test")
    run = await started(database, 3)
    async with database.connection() as conn:
        await queue.claim(conn, "w", 1, 60)
        closed = await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run)
        assert (len(closed.tasks), closed.completed) == (2, [])
        assert await scalar(conn, "SELECT status FROM scrape_runs") == "RUNNING"
        await runs.count(conn, {run: Tally(attempted=1, succeeded=1, extracted=1, valid=1, yielding=1)})
        assert await row(conn, "SELECT status, failure_rate, yield_rate FROM scrape_runs") == ("SUCCESS", 0, 1)


async def test_starting_a_run_by_hand_takes_the_named_targets_whatever_their_cadence(database: Database):
    async with database.transaction() as conn:
        source = await add_source(conn)
        active, broken, paused, off = [
            (await add_targets(conn, source, next_crawl_at=None, **more))[0]
            for more in ({}, {"status": "BROKEN"}, {"status": "PAUSED"}, {"enabled": False})
        ]
        done = await runs.start(conn, source, Trigger.MANUAL, SETTINGS, target_ids=[active, broken, paused, off])
        assert set(done.accepted) == {active, broken}
        assert await row(conn, "SELECT trigger, urls_planned FROM scrape_runs") == ("MANUAL", 2)


async def test_a_source_without_targets_cannot_run(database: Database):
    async with database.transaction() as conn:
        source = await add_source(conn)
        with pytest.raises(NotFound, match="no target"):
            await runs.start(conn, source, Trigger.MANUAL, SETTINGS)
        with pytest.raises(NotFound, match="no run"):
            await runs.get(conn, 4711)
