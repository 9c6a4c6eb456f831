"""Log events of feeds: their levels and fields, and the limits that only a deliberate change may move."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from tests.feeds.shop import Shop, row
from tests.feeds.transport.servers import SftpBox, reach
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds import admin, jobs, upkeep
from winnow.feeds import feed as feeds
from winnow.feeds.credentials import FeedSecrets
from winnow.feeds.promote import approval
from winnow.feeds.runs import FeedJob
from winnow.feeds.transport.remote import DEFAULT_PORTS, Remote
from winnow.feeds.transport.transport import download
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

Said = list[Mapping[str, Any]]


@pytest.fixture(autouse=True)
def _everything_is_said() -> Iterator[None]:
    logs.configure(ObserveSettings(log_level="DEBUG"), io.StringIO())
    yield
    logs.configure(ObserveSettings())


def line(said: Said, event: str) -> dict[str, Any]:
    """The one line of an event."""
    [found] = [dict(one) for one in said if one["event"] == event]
    return found


def has(found: Mapping[str, Any], level: str, **fields: Any) -> None:
    assert found["log_level"] == level
    assert {name: found.get(name) for name in fields} == fields


async def test_f058_f059_f064_a_busy_lock_is_told_quietly_but_for_a_retry(shop: Shop) -> None:
    async with shop.database.dedicated() as conn:
        feed = await feeds.get(conn, shop.feed_id)
        assert await feeds.try_lock(conn, feed)
        with capture_logs() as said:
            for trigger in ("SCHEDULED", "MANUAL"):
                await shop.run(trigger=trigger)
            await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=7))
    has(line(said, "SKIPPED_LOCK_BUSY"), "debug", feed_id=shop.feed_id)
    has(line(said, "MANUAL_RUN_DEFERRED"), "debug", feed_id=shop.feed_id)
    has(line(said, "RETRY_LOCK_CONFLICT"), "warning", feed_id=shop.feed_id, run_id=7, feed_lock_id=feed.feed_lock_id)


async def test_f059_a_busy_lock_leaves_the_request_pending(shop: Shop) -> None:
    async with shop.database.dedicated() as conn:
        assert await feeds.try_lock(conn, await feeds.get(conn, shop.feed_id))
        async with shop.database.transaction() as other:
            await jobs.run_now(other, await feeds.get(other, shop.feed_id), "ada")
        assert (await shop.run(trigger="MANUAL")).word == "lock_busy"
    assert (await shop.feed_row())["manual_run_pending"] is True


async def test_f064_two_running_runs_are_an_error(shop: Shop) -> None:
    add = "INSERT INTO affiliate_feed_runs (feed_id, source_id) VALUES (%s, %s) RETURNING id"
    ours, other = [(await shop.rows(add, shop.feed_id, shop.source_id))[0][0] for _ in range(2)]
    with capture_logs() as said:
        await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=ours))
    has(line(said, "RUN_ID_MISMATCH"), "error", expected_run_id=ours, found_run_id=other, feed_id=shop.feed_id)


async def test_f127_everything_people_do_is_said_with_feed_and_actor(shop: Shop, tmp_path: Path) -> None:
    credentials = FeedSecrets(shop.database, DatabaseSettings(data_dir=tmp_path / "data"))
    with capture_logs() as said:
        async with shop.database.transaction() as conn:
            await admin.change(conn, "ada", shop.feed_id, {"expiry_hours": 24})
            await admin.pause(conn, "bob", shop.feed_id)
            await admin.enable(conn, "eve", shop.feed_id)
            await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "dan")
            await credentials.change(conn, "kim", await feeds.get(conn, shop.feed_id), "geheim")
            await credentials.change(conn, "kim", await feeds.get(conn, shop.feed_id), "")  # nothing new: nothing said
            await admin.change(conn, "ada", shop.feed_id, {"transport": "FTP", "host": "f.example.com"})
    has(line(said, "EXPIRY_HOURS_CHANGED"), "warning", feed_id=shop.feed_id, actor="ada", old=48, new=24)
    paused, enabled = [one for one in said if one["event"] == "FEED_STATUS_CHANGED"]
    has(paused, "info", feed_id=shop.feed_id, actor="bob", old="ENABLED", new="PAUSED", reason=None)
    has(enabled, "info", feed_id=shop.feed_id, actor="eve", old="PAUSED", new="ENABLED")
    has(line(said, "MANUAL_RUN_REQUESTED"), "info", feed_id=shop.feed_id, actor="dan")
    has(line(said, "CREDENTIAL_CHANGED"), "info", feed_id=shop.feed_id, actor="kim", field_name="password")
    has(line(said, "INSECURE_TRANSPORT_SELECTED"), "warning", feed_id=shop.feed_id, actor="ada", transport="FTP")
    updated = [one["changed_fields"] for one in said if one["event"] == "FEED_UPDATED"]
    assert updated == [["expiry_hours"], ["host", "transport"]]
    assert "geheim" not in str(said)


async def test_f127_a_new_feed_and_an_approval_are_said(database: Database, tmp_path: Path) -> None:
    shop = Shop(database, tmp_path / "feeds")
    with capture_logs() as said:
        await shop.open()
    has(line(said, "FEED_CREATED"), "info", feed_id=shop.feed_id, source_id=shop.source_id, network="IMPACT",
        actor="ada")  # fmt: skip
    await shop.load(row(n) for n in range(1, 41))
    run = (await shop.load([row(1)]))["id"]
    with capture_logs() as said:
        await approval.approve(shop.database, run, "bob")
    has(line(said, "ACTIVATION_APPROVED"), "info", feed_id=shop.feed_id, actor="bob", run_id=run, products_promoted=1)


async def test_f114_runs_go_after_thirty_days_a_thousand_at_a_time(shop: Shop) -> None:
    add = """
    INSERT INTO affiliate_feed_runs (feed_id, source_id, status, started_at, finished_at)
    SELECT %s, %s, 'SUCCEEDED', now() - make_interval(days => 30, mins => %s), now() FROM generate_series(1, %s)
    RETURNING 1
    """
    await shop.rows(add, shop.feed_id, shop.source_id, -5, 3)  # not yet thirty days
    await shop.rows(add, shop.feed_id, shop.source_id, 5, 1_002)
    with capture_logs() as said:
        async with shop.database.connection() as conn:
            assert await upkeep.clean(conn) == 1_002
    batches = [one for one in said if one["event"] == "CLEANUP_BATCH_COMPLETE"]
    assert [(one["log_level"], one["deleted"]) for one in batches] == [("info", 1_000), ("info", 2)]
    has(line(said, "CLEANUP_COMPLETE"), "info", deleted=1_002, stage="cleanup")
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs") == 3


async def test_f122_what_a_download_says(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "catalog.csv").write_bytes(os.urandom(20 << 20))
    async with SftpBox(folder).running() as box:
        with capture_logs() as said:
            await download(box.remote(), reach(), tmp_path / "got")
    has(line(said, "DOWNLOAD_START"), "info", host="127.0.0.1", port=box.port, path="/catalog.csv", transport="SFTP")
    assert line(said, "FTP_CONNECTED")["log_level"] == "debug"
    assert line(said, "FTP_CONNECTED")["connection_time_ms"] >= 0
    progress = [one for one in said if one["event"] == "DOWNLOAD_PROGRESS"]
    assert [one["percent_complete"] // 10 for one in progress] == list(range(1, 11))  # every ten percent, once
    assert {one["log_level"] for one in progress} == {"debug"}
    has(line(said, "DOWNLOAD_COMPLETE"), "info", bytes=20 << 20, compression_type="NONE", stage="download")


def test_f053_f092_numbers_of_the_list() -> None:
    assert jobs.AT_ONCE == 50
    assert DEFAULT_PORTS == {"SFTP": 22, "FTP": 21, "FTPS": 21, "HTTPS": 443}
    assert [Remote(transport=t, path="/a").dial_port for t in ("SFTP", "FTP")] == [22, 21]


async def test_f053_a_tick_takes_what_it_may_and_the_next_one_the_rest(shop: Shop) -> None:
    await shop.rows(
        "WITH s AS (INSERT INTO sources (name, url, domain, retailer_id, source_kind)"
        " SELECT 'other', url, domain, retailer_id, source_kind FROM sources RETURNING id)"
        " INSERT INTO affiliate_feeds (source_id, path, status, schedule_frequency_hours)"
        " SELECT id, 'other.csv', 'ENABLED', 1 FROM s RETURNING 1"
    )
    await shop.rows("UPDATE affiliate_feeds SET next_run_at = now() - interval '1 minute' RETURNING 1")

    async def tick() -> int:
        async with shop.database.transaction() as conn:
            return await jobs.schedule_due(conn, 1)

    assert [await tick() for _ in range(3)] == [1, 1, 0]


async def test_fn07_an_unchanged_file_does_not_activate_a_run_that_waits_for_somebody(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, {"refresh_unchanged": True})
    await shop.load(row(n) for n in range(1, 41))
    before = (await shop.feed_row())["promoted_at"]
    blocked = await shop.load([row(1), row(99)])
    assert blocked["expiry_blocked"]
    again = await shop.run()
    assert again.run_id is not None
    assert (await shop.run_row(again.run_id))["skipped_reason"] == "UNCHANGED_MTIME"
    assert (await shop.feed_row())["promoted_at"] == before
    assert "Thing 99" not in await shop.active()


async def test_f091_an_approval_that_comes_second_changes_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the look before it saw nothing: the row itself decides."""
    await shop.load(row(n) for n in range(1, 41))
    blocked = await shop.load([row(1)])
    await approval.approve(shop.database, blocked["id"], "ada")
    promoted = (await shop.feed_row())["promoted_at"]

    async def looks_fine(*_: Any) -> None:
        return None

    monkeypatch.setattr(approval, "_may_approve", looks_fine)
    with pytest.raises(approval.ApprovalRefused, match="approved already"):
        await approval.approve(shop.database, blocked["id"], "bob")
    assert (await shop.feed_row())["promoted_at"] == promoted
    assert (await shop.run_row(blocked["id"]))["expiry_approved_by"] == "ada"


async def test_fn16_a_feed_that_is_stopped_while_a_job_waits_makes_no_run(shop: Shop) -> None:
    shop.write([row(1)])
    async with shop.database.transaction() as conn:
        await admin.pause(conn, "ada", shop.feed_id)
    with capture_logs() as said:
        assert (await shop.run()).word == "status"
    has(line(said, "FEED_SKIPPED_STATUS"), "debug", feed_id=shop.feed_id, status="PAUSED")
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs") == 0
    assert msgspec.structs.asdict(FeedJob(feed_id=1)).keys() == {
        "feed_id",
        "trigger",
        "run_id",
        "feed_lock_id",
    }  # F-062
