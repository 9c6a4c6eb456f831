"""A feed through the real queue and worker: due, claimed, loaded, followed up, retried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.feeds.shop import FILE, HEADER, row
from winnow.actions import feeds
from winnow.actions.feeds import Setup
from winnow.actions.parts import assemble
from winnow.db.engine import Database
from winnow.feeds import feed as stored
from winnow.feeds import jobs, upkeep
from winnow.feeds.attempt import attempt
from winnow.feeds.promote import phase2
from winnow.feeds.runs import FeedJob
from winnow.feeds.settings import FeedSettings
from winnow.queries import feeds as queries
from winnow.queries.reading import Row, reader
from winnow.run import feed_runs as feed_runs_module
from winnow.run.feed_runs import means_of
from winnow.run.worker import assembled
from winnow.settings import Settings

FEED = {"name": "shop", "url": "https://shop.example.com", "retailer": "Shop", "transport": "FILE", "path": FILE,
        "schedule_frequency_hours": 24, "display_primary": True,
        "tracking_template": "https://go.example.com/?to={url}"}  # fmt: skip


@pytest.fixture
def feed_settings(settings: Settings, tmp_path: Path) -> Settings:
    folder = tmp_path / "catalogues"
    folder.mkdir()
    return replace(settings, feeds=FeedSettings(feed_folder=folder))


@pytest.fixture
def setup(database: Database, feed_settings: Settings) -> Setup:
    return assemble(database, feed_settings).feed_setup


@pytest.fixture
def write(feed_settings: Settings) -> Callable[..., None]:
    def written(*rows: str) -> None:
        folder = feed_settings.feeds.feed_folder
        assert folder is not None
        (folder / FILE).write_text("\n".join([HEADER, *rows]) + "\n")

    return written


async def done(database: Database, change: Callable[..., Awaitable[Any]], *args: Any, **given: Any) -> Any:
    """One change in a transaction of its own, as a face makes it."""
    async with database.transaction() as conn:
        return await change(conn, *args, **given)


async def runs_of(database: Database, feed_id: int) -> list[Row]:
    async with reader(database) as conn:
        return (await queries.runs(conn, feed_id, limit=10))[0]


async def work(database: Database, settings: Settings) -> None:
    async with assembled(database, settings) as worker:
        await worker.run(until_empty=True)


async def test_f052_f062_a_due_feed_is_claimed_and_loaded_by_a_worker(
    database: Database, feed_settings: Settings, setup: Setup, write: Callable[..., None]
) -> None:
    write(row(1), row(2))
    feed = await done(database, feeds.add, "ada", setup, FEED)
    assert feed.status == "DRAFT"
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    async with database.transaction() as conn:
        await conn.execute("UPDATE affiliate_feeds SET next_run_at = now() - interval '1 minute'")
        assert await jobs.schedule_due(conn) == 1
    await work(database, feed_settings)
    [run] = await runs_of(database, feed.id)
    assert (run["status"], run["trigger"], run["products_upserted"]) == ("SUCCEEDED", "SCHEDULED", 2)
    async with database.connection() as conn:
        found = await (await conn.execute("SELECT status, payload FROM tasks")).fetchone()
        offers = await (await conn.execute("SELECT source_product_id FROM consumer_offers ORDER BY url")).fetchall()
    assert found is not None
    assert found[0] == "done"
    assert found[1].keys() == {"feed_id", "trigger", "run_id", "feed_lock_id"}  # F-062
    async with database.connection() as conn:
        told = await (await conn.execute("SELECT payload FROM outbox WHERE topic = 'feed.completed'")).fetchall()
    assert [(said["run_id"], said["status"], said["prices_written"]) for (said,) in told] == [
        (run["id"], "SUCCEEDED", 2)
    ]
    address = await done(database, feeds.click, offers[0][0], "list")
    assert address == "https://go.example.com/?to=https%3A%2F%2Fshop.test%2Fp%2F1"  # F-112, F-136


async def test_f069_f107_fn11_run_now_and_test_are_done_by_a_worker(
    database: Database, feed_settings: Settings, setup: Setup, write: Callable[..., None]
) -> None:
    write(row(1), "item-2,sku-2,,https://shop.test/p/2,10.00,USD,Y")
    feed = await done(database, feeds.add, "ada", setup, FEED)
    tested = UUID(await done(database, feeds.test, feed.id))
    await work(database, feed_settings)
    result: dict[str, Any] = (await done(database, feeds.job, tested))["result"]
    assert (result["success"], result["rows_detected"], result["format_detected"]) == (False, 2, "CSV")
    assert [r["item_id"] for r in result["rows"]] == ["item-1"]
    assert [e["row_number"] for e in result["errors"]] == [2]
    assert await runs_of(database, feed.id) == []  # FN-11
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    asked = UUID(await done(database, feeds.run_now, "ada", feed.id))
    await work(database, feed_settings)
    assert (await done(database, feeds.job, asked))["status"] == "done"
    [run] = await runs_of(database, feed.id)
    assert (run["trigger"], run["status"], run["products_rejected"]) == ("MANUAL", "SUCCEEDED", 1)


async def test_f113_f117_a_failed_run_alerts_and_is_not_retried(
    database: Database, feed_settings: Settings, setup: Setup
) -> None:
    feed = await done(database, feeds.add, "ada", setup, FEED)
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    await done(database, feeds.run_now, "ada", feed.id)
    await work(database, feed_settings)
    async with database.connection() as conn:
        task = await (await conn.execute("SELECT status, attempts FROM tasks")).fetchone()
        alerts = await (await conn.execute("SELECT code FROM alerts WHERE resolved_at IS NULL")).fetchall()
    assert task == ("failed", 1)
    assert alerts == [("RUN_FAILED",)]
    assert (await done(database, stored.get, feed.id)).manual_run_pending  # F-066: what was asked for stays asked for


async def test_f113_alerts_go_when_what_they_are_about_is_over_and_not_before(
    database: Database, feed_settings: Settings, setup: Setup, write: Callable[..., None]
) -> None:
    async def opened() -> set[str]:
        async with database.connection() as conn:
            rows = await (await conn.execute("SELECT code FROM alerts WHERE resolved_at IS NULL")).fetchall()
        return {code for (code,) in rows}

    async def load(*rows: str) -> None:
        write(*rows)
        await done(database, feeds.run_now, "ada", feed.id)
        await work(database, feed_settings)

    feed = await done(database, feeds.add, "ada", setup, FEED | {"refresh_unchanged": False})
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    await done(database, feeds.run_now, "ada", feed.id)
    await work(database, feed_settings)
    assert await opened() == {"RUN_FAILED"}
    whole = [row(n) for n in range(1, 41)]
    await load(*whole)
    assert await opened() == set()
    await load(row(1))
    assert await opened() == {"SPIKE_THRESHOLD_EXCEEDED"}
    await done(database, feeds.run_now, "ada", feed.id)
    await work(database, feed_settings)  # unchanged: it still waits for somebody
    assert await opened() == {"SPIKE_THRESHOLD_EXCEEDED"}
    await load(*whole)  # the shop has sent a whole file again
    assert await opened() == set()
    await load(*(line.replace(f"item-{n},", ",") if n < 3 else line for n, line in enumerate(whole, 1)))
    await load(*whole, row(99))
    assert "IDENTITY_FLAP_DETECTED" in await opened()  # told by the run that succeeded, and still there after it
    await done(database, feeds.change, "ada", setup, feed.id, {"max_row_count": 40})
    await load(*whole, row(41))
    assert "ROW_COUNT_LIMIT_EXCEEDED" in await opened()  # F-073
    await load(*whole)
    assert "ROW_COUNT_LIMIT_EXCEEDED" not in await opened()


async def test_f114_an_alert_while_clean_ups_are_slow(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def alerted() -> list[tuple[Any, ...]]:
        async with database.connection() as conn:
            await upkeep.clean(conn, slow=feed_runs_module._notify_slow)
            return await (await conn.execute("SELECT code, severity, resolved_at IS NULL FROM alerts")).fetchall()

    assert await alerted() == []
    monkeypatch.setattr(upkeep, "SLOW_SECONDS", -1.0)
    assert await alerted() == [("CLEANUP_SLOW", "P2", True)]
    monkeypatch.undo()
    assert await alerted() == [("CLEANUP_SLOW", "P2", False)]


async def test_f113_r02_every_end_of_a_run_is_told_in_its_own_transaction(
    database: Database,
    feed_settings: Settings,
    setup: Setup,
    write: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing comes after it that a killed worker could leave out."""

    async def last_run() -> tuple[Any, ...]:
        await attempt(means_of(database, feed_settings), FeedJob(feed_id=feed.id), 3, _nothing)
        async with database.connection() as conn:
            told = await (await conn.execute(
                "SELECT r.status, coalesce(r.skipped_reason, r.expiry_blocked_reason, r.error_code),"
                " r.expiry_step_failed, array_agg(o.xmin = r.xmin) FROM affiliate_feed_runs AS r"
                " LEFT JOIN outbox AS o ON o.topic = 'feed.completed' AND (o.payload ->> 'run_id')::bigint = r.id"
                " GROUP BY r.id ORDER BY r.id DESC LIMIT 1"
            )).fetchone()  # fmt: skip
        assert told is not None
        return told

    async def broken(*_: object) -> None:
        raise RuntimeError("no")

    feed = await done(database, feeds.add, "ada", setup, FEED)
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    assert await last_run() == ("FAILED", "FILE_NOT_FOUND", False, [True])
    write(*(row(n) for n in range(1, 41)))
    assert await last_run() == ("SUCCEEDED", None, False, [True])
    assert await last_run() == ("SUCCEEDED", "UNCHANGED_MTIME", False, [True])
    write(row(1))
    assert await last_run() == ("SUCCEEDED", "SPIKE_THRESHOLD_EXCEEDED", False, [True])
    write(*(row(n) for n in range(1, 42)))
    monkeypatch.setattr(phase2, "promote", broken)
    assert await last_run() == ("SUCCEEDED", None, True, [True])


async def _nothing(*_: object) -> None:
    return None


async def test_f068_a_request_outlives_the_worker_that_was_to_follow_it_up(
    database: Database, feed_settings: Settings, setup: Setup, write: Callable[..., None]
) -> None:
    """The run ended and its task came back: killed before the follow-up. Asking twice is one run."""
    write(row(1))
    feed = await done(database, feeds.add, "ada", setup, FEED)
    await done(database, feeds.enable, "ada", feed.id, acknowledged=False)
    await done(database, feeds.run_now, "ada", feed.id)
    await work(database, feed_settings)
    [run] = await runs_of(database, feed.id)
    async with database.transaction() as conn:  # as if it had been clicked while the run was under way
        await conn.execute("UPDATE affiliate_feeds SET manual_run_pending = true, manual_run_requested_at = now()")
        task_id = await jobs.enqueue(conn, feed.id, feed.source_id, "MANUAL")
        await conn.execute("UPDATE tasks SET payload = payload || jsonb_build_object('run_id', %s::bigint)"
                           " WHERE id = %s", (run["id"], task_id))  # fmt: skip
    await work(database, feed_settings)
    assert [one["trigger"] for one in await runs_of(database, feed.id)] == ["MANUAL_PENDING", "MANUAL"]
    async with database.transaction() as conn:
        await conn.execute("UPDATE affiliate_feeds SET manual_run_pending = true, manual_run_requested_at = now()")
        await jobs.follow_up(conn, feed.id, run["id"])
        await jobs.follow_up(conn, feed.id, run["id"])
        waiting = await (await conn.execute("SELECT count(*) FROM tasks WHERE status = 'queued'")).fetchone()
    assert waiting == (1,)
