"""Runs are read once each, and what is unusual is an alert until it is usual again or accepted (C-069)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.store.offer_rows import offer, source, write
from winnow import settings as all_settings
from winnow.actions import monitors as actions
from winnow.db.engine import Database
from winnow.errors import NotFound
from winnow.judge import monitor_readings
from winnow.run.audits.monitors import RunMonitors

Rows = Callable[..., Awaitable[list[Any]]]
ALERTS = "SELECT title FROM alerts WHERE code = 'monitor' AND resolved_at IS NULL ORDER BY title"


@pytest.fixture
def rows(database: Database) -> Rows:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch


@pytest.fixture
def chore(database: Database) -> RunMonitors:
    return RunMonitors(database, all_settings.load().observe)


READ = """
WITH read AS (
    INSERT INTO records (task_id, source_id, kind, record_key, payload, verdict, observed_at)
    SELECT gen_random_uuid(), source_id, 'offer', id::text, jsonb_build_object('brand', %s::text), 'accept', now()
    FROM source_products WHERE identity_value::int < %s
    RETURNING id, source_id, kind, record_key, verdict
)
INSERT INTO record_heads (source_id, kind, record_key, head, verdict, ref, record_id)
SELECT source_id, kind, record_key, '', verdict, record_key::bigint, id FROM read
ON CONFLICT (source_id, kind, record_key) DO UPDATE SET record_id = excluded.record_id
"""


async def run(
    database: Database, rows: Rows, source_id: int, items: int, minor: int = 5_000, brand: str | None = "Acme"
) -> int:
    """A finished run that saw `items` offers of 40."""
    (run_id,) = await rows(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, completed_at, drift_checked_at, urls_planned, "
        "urls_attempted, offers_valid) VALUES (%s, 'generic', 'SUCCESS', now(), now(), 40, 40, %s) RETURNING id",
        source_id, items,
    )  # fmt: skip
    await write(database, source_id, *(offer(str(n), minor) for n in range(items)), run_id=run_id)
    await rows(READ, brand, items)
    return int(run_id)


async def usual(database: Database, rows: Rows, chore: RunMonitors) -> int:
    source_id = await source(database)
    for _ in range(3):
        await run(database, rows, source_id, 40)
        assert await chore.run_once() == 1
    return source_id


async def test_c069_an_unusual_run_is_an_alert_until_a_usual_one(
    database: Database, rows: Rows, chore: RunMonitors
) -> None:
    source_id = await usual(database, rows, chore)
    assert await rows(ALERTS) == []
    bad = await run(database, rows, source_id, 12, minor=500, brand=None)
    assert await chore.run_once() == 1
    assert await rows(ALERTS) == [
        f"shop: 12 items in run {bad}, usually about 40",
        f"shop: of 12 read in run {bad}: brand on 0%, usually 100%",
        f"shop: the middle price in run {bad} is 5.00 USD, usually 50.00",
    ]
    assert await chore.run_once() == 0  # once each
    await run(database, rows, source_id, 40)
    await chore.run_once()
    assert await rows(ALERTS) == []


async def test_a_person_accepts_it_or_sets_other_limits(database: Database, rows: Rows, chore: RunMonitors) -> None:
    source_id = await usual(database, rows, chore)
    await run(database, rows, source_id, 12)
    await chore.run_once()
    assert len(await rows(ALERTS)) == 1
    assert len(await actions.accept(database, source_id, "ada")) == 1
    assert await rows(ALERTS) == []
    await run(database, rows, source_id, 12)
    await chore.run_once()
    assert await rows(ALERTS) == []
    await actions.change(database, source_id, {"enabled": False}, "ada")
    await run(database, rows, source_id, 0)
    await chore.run_once()
    assert await rows(ALERTS) == []
    assert await rows("SELECT action FROM audit_log ORDER BY id") == ["monitors.accepted", "monitors.changed"]
    with pytest.raises(NotFound):
        await actions.accept(database, 77, "ada")


async def test_limits_of_a_source_stand_before_those_of_the_settings(
    database: Database, rows: Rows, chore: RunMonitors
) -> None:
    source_id = await usual(database, rows, chore)
    await actions.change(database, source_id, {"items_share": 0.1}, "ada")
    await run(database, rows, source_id, 12)
    await chore.run_once()
    assert await rows(ALERTS) == []
    await actions.change(database, source_id, {"items_share": None}, "ada")
    await run(database, rows, source_id, 12)
    await chore.run_once()
    assert len(await rows(ALERTS)) == 1


async def test_cancelled_runs_are_not_read_and_old_readings_are_forgotten(
    database: Database, rows: Rows, chore: RunMonitors
) -> None:
    source_id = await usual(database, rows, chore)
    await run(database, rows, source_id, 1)
    await rows("UPDATE scrape_runs SET stopping = true WHERE id = (SELECT max(id) FROM scrape_runs)")
    assert await chore.run_once() == 0
    await rows(
        "INSERT INTO monitor_readings SELECT n, source_id, kind, taken_at, starts, items, held, seen "
        "FROM monitor_readings, generate_series(1000, 1100) AS n "
        "WHERE run_id = (SELECT min(run_id) FROM monitor_readings)"
    )
    async with database.connection() as conn:
        await monitor_readings.forget(conn, 1_000)
    assert await rows("SELECT count(*) FROM monitor_readings") == [monitor_readings.KEPT]
