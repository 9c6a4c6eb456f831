"""What people and upkeep do while a run is under way or between its attempts: one effect, never two and never none."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from tests.feeds.shop import HEADER, Shop, row
from tests.waiting import LIMIT
from winnow.db.settings import DatabaseSettings
from winnow.errors import InvalidInput, NotFound
from winnow.feeds import admin, jobs, testing, upkeep
from winnow.feeds import feed as feeds
from winnow.feeds.credentials import FeedSecrets
from winnow.feeds.failures import Transient
from winnow.feeds.promote import approval
from winnow.feeds.promote.approval import ApprovalRefused
from winnow.feeds.runs import FeedJob
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

TWO_PRICES = f"{HEADER},Net"


@pytest.fixture(autouse=True)
def _everything_is_said() -> Iterator[None]:
    logs.configure(ObserveSettings(log_level="DEBUG"), io.StringIO())
    yield
    logs.configure(ObserveSettings())


async def changed(shop: Shop, **values: Any) -> None:
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, values)


def meanwhile(shop: Shop, do: Callable[[], Awaitable[None]]) -> None:
    """`do` happens when the next run downloads, and only then."""
    original = shop.means.download

    async def download(*given: Any) -> Any:
        shop.means = msgspec.structs.replace(shop.means, download=original)
        await do()
        return await original(*given)

    shop.means = msgspec.structs.replace(shop.means, download=download)


async def test_f002_how_a_file_is_read_may_be_changed_during_a_run_and_holds_for_the_next(shop: Shop) -> None:
    shop.write([f"{row(1)},7.00"], header=TWO_PRICES)
    meanwhile(shop, lambda: changed(shop, column_overrides={"price": "Net"}))
    assert (await shop.run()).word == "succeeded"
    assert (await shop.feed_row())["last_content_hash"] is None  # FN-06: nothing is known of the file as it is read now
    again = await shop.run()
    assert again.run_id is not None
    assert (await shop.run_row(again.run_id))["skipped_reason"] is None
    assert await shop.value("SELECT amount_minor FROM consumer_offers") == 700


async def test_f094_a_skip_of_the_old_path_says_nothing_about_the_new_one(shop: Shop) -> None:
    await shop.load([row(1)])
    stat = shop.means.stat

    async def stat_slowly(*given: Any) -> Any:
        found = await stat(*given)
        await changed(shop, path="other.csv")
        return found

    shop.means = msgspec.structs.replace(shop.means, stat=stat_slowly)
    skipped = await shop.run()
    assert skipped.run_id is not None
    assert (await shop.run_row(skipped.run_id))["skipped_reason"] == "UNCHANGED_MTIME"
    feed = await shop.feed_row()
    assert (feed["last_remote_mtime"], feed["last_remote_size"], feed["last_content_hash"]) == (None, None, None)


async def test_f118_a_host_key_that_is_said_during_a_run_is_not_overwritten_by_it(shop: Shop) -> None:
    key = "SHA256:" + "A" * 43
    original = shop.means.download

    async def seen(*given: Any) -> Any:
        await changed(shop, host_key_fingerprint=key)
        got = await original(*given)
        return msgspec.structs.replace(got, stat=msgspec.structs.replace(got.stat, host_key_fingerprint="SHA256:old"))

    shop.write([row(1)])
    shop.means = msgspec.structs.replace(shop.means, download=seen)
    assert (await shop.run()).word == "succeeded"
    assert (await shop.feed_row())["host_key_fingerprint"] == key


async def test_f063_a_retry_looks_at_its_feed_again_once_it_has_the_lock(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody takes a run back between two attempts: the file is read, though it is the one of that run."""
    loaded = await shop.load([row(1)])

    async def busy() -> None:
        raise Transient("busy")

    (shop.folder / "catalogue.csv").touch()
    meanwhile(shop, busy)
    first = await shop.run()
    assert first.word == "retry"
    try_lock = feeds.try_lock

    async def taken_back_before(conn: Any, feed: Any) -> bool:
        monkeypatch.setattr(feeds, "try_lock", try_lock)
        await approval.roll_back(shop.database, loaded["id"], "ada", "a wrong file")
        return await try_lock(conn, feed)

    monkeypatch.setattr(feeds, "try_lock", taken_back_before)
    again = await shop.run(number=2, job=FeedJob(feed_id=shop.feed_id, run_id=first.run_id))
    assert (again.word, again.run_id) == ("succeeded", first.run_id)
    assert first.run_id is not None
    assert (await shop.run_row(first.run_id))["skipped_reason"] is None
    assert await shop.active() == ["Thing 1"]


async def test_f090_a_run_of_which_a_later_one_read_the_whole_file_is_stale(shop: Shop) -> None:
    """The later one failed after that; what is in step with the feed is no longer what this one saw."""
    await shop.load(row(n) for n in range(1, 41))
    blocked = await shop.load([row(1)])
    await shop.rows("UPDATE affiliate_feeds SET current_seen_run_id = %s RETURNING 1", blocked["id"] + 1)
    with capture_logs() as said, pytest.raises(ApprovalRefused) as refused:
        await approval.approve(shop.database, blocked["id"], "ada")
    assert refused.value.code == "STALE_RUN"
    [told] = [line for line in said if line["event"] == "ACTIVATION_APPROVAL_REJECTED"]
    assert (told["log_level"], told["feed_id"], told["run_id"], told["reason"], told["actor"]) == (
        "warning", shop.feed_id, blocked["id"], "STALE_RUN", "ada",
    )  # fmt: skip
    assert (await shop.run_row(blocked["id"]))["expiry_approved_at"] is None


async def test_f090_what_was_never_there_or_is_gone_is_not_found(shop: Shop) -> None:
    for run_id in (1, (1 << 63) - 1):
        with pytest.raises(NotFound) as refused:
            await approval.approve(shop.database, run_id, "ada")
        assert refused.value.code == "RUN_NOT_FOUND"


async def test_f140_a_run_is_taken_back_for_a_reason(shop: Shop) -> None:
    run = await shop.load([row(1)])
    with pytest.raises(InvalidInput, match="why"):
        await approval.roll_back(shop.database, run["id"], "ada", "  ")
    assert await shop.active() == ["Thing 1"]


async def test_f114_clean_up_leaves_a_run_that_somebody_decides_about(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its prices are hidden by naming the run: without it they would come back."""
    await shop.load([row(1)])
    wrong = await shop.load([row(1, price="0.01")])
    await shop.rows("UPDATE affiliate_feed_runs SET started_at = now() - interval '31 days' RETURNING 1")
    forget = approval.memory_store.forget
    deleted: list[int] = []

    async def clean_meanwhile(*given: Any) -> None:
        async with shop.database.connection() as conn:
            deleted.append(await asyncio.wait_for(upkeep.clean(conn), LIMIT))
        await forget(*given)

    monkeypatch.setattr(approval.memory_store, "forget", clean_meanwhile)
    await approval.roll_back(shop.database, wrong["id"], "ada", "a broken file")
    assert deleted == [1]  # the other one
    async with shop.database.connection() as conn:
        assert await upkeep.clean(conn) == 0
    assert await shop.value("SELECT amount_minor FROM consumer_offers") == 1000


async def test_f127_a_feed_the_system_disabled_has_that_in_its_audit_trail(shop: Shop) -> None:
    for _ in range(3):
        await shop.run()
    found = await shop.rows(
        "SELECT actor, object_id, after ->> 'status', reason FROM audit_log WHERE action = 'FEED_AUTO_DISABLED'"
    )
    assert [(a, o, s) for a, o, s, _ in found] == [("feeds", str(shop.feed_id), "DISABLED")]
    assert "the file is not there" in found[0][3]


async def test_fn02_one_click_is_one_run_whoever_honours_it(shop: Shop) -> None:
    """The click's own job waited in a worker while the run it met asked for a follow-up: both come, one runs."""
    shop.write([row(1)])
    async with shop.database.transaction() as conn:
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
    with capture_logs() as said:
        words = [(await shop.run(trigger=trigger)).word for trigger in ("MANUAL", "MANUAL_PENDING")]
    assert words == ["succeeded", "honoured"]
    assert {
        "event": "MANUAL_RUN_PENDING_CHECK",
        "log_level": "debug",
        "feed_id": shop.feed_id,
        "pending": False,
    } in said
    assert await shop.rows("SELECT trigger FROM affiliate_feed_runs") == [("MANUAL",)]
    async with shop.database.dedicated() as conn:
        assert await feeds.try_lock(conn, await feeds.get(conn, shop.feed_id))  # nobody holds it


async def test_f118_a_password_that_cannot_be_opened_is_told_with_what_helps_and_not_tried_again(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write([row(1)])
    credentials = FeedSecrets(shop.database, DatabaseSettings(data_dir=tmp_path / "data"))
    async with shop.database.transaction() as conn:
        await credentials.change(conn, "ada", await feeds.get(conn, shop.feed_id), "geheim")
        await conn.execute("UPDATE affiliate_feeds SET secret_version = secret_version + 1")  # F-099: another one's
    shop.means = msgspec.structs.replace(shop.means, secret=credentials.secret)
    told = await testing.test(shop.means, shop.feed_id)
    assert (told.success, told.error_code) == (False, "SECRET_UNREADABLE")
    outcome = await shop.run()
    assert outcome.run_id is not None
    run = await shop.run_row(outcome.run_id)
    assert (run["status"], run["error_code"]) == ("FAILED", "SECRET_UNREADABLE")
    assert run["error_message"].startswith("[CONFIG]")
    assert f"winnow feed change {shop.feed_id} --password" in run["error_message"]
    assert "geheim" not in str(run)
