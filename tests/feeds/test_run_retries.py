"""What a run says and does after a failure: attempts, follow-ups, breaker and events (F-104 … F-128, FN-03 … FN-20)."""

from __future__ import annotations

import io
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.feeds.run_log import events, forget, is_lock_free, replaced
from tests.feeds.shop import Shop, row
from winnow.actions.feeds import to_dict
from winnow.db.engine import Connection
from winnow.feeds import admin, attempt, failures, jobs, runs
from winnow.feeds import feed as feeds
from winnow.feeds.failures import (
    NonRetryableError,
    Permanent,
    Retry,
    Transient,
)
from winnow.feeds.promote import phase2
from winnow.feeds.runs import FeedJob


async def test_f104_who_stopped_a_feed_and_what_starts_it_again(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        paused = await admin.pause(conn, "ada", shop.feed_id)
        assert to_dict(paused)["status_text"] == "Paused by admin"
        assert (await admin.enable(conn, "ada", shop.feed_id)).status == "ENABLED"  # resumed, no question asked
    for _ in range(3):
        await shop.run()
    async with shop.database.transaction() as conn:
        disabled = await feeds.get(conn, shop.feed_id)
        assert to_dict(disabled)["status_text"] == "Disabled due to repeated failures"
        assert (await admin.enable(conn, "ada", shop.feed_id, acknowledged=True)).status == "ENABLED"


def test_f115_fn10_three_attempts_after_five_and_fifteen_seconds() -> None:
    assert failures.MAX_ATTEMPTS == 3
    assert attempt.BACKOFF[: failures.MAX_ATTEMPTS - 1] == (5.0, 15.0)
    assert failures.MAX_ATTEMPTS * runs.AUTO_DISABLE == 9


async def test_f115_a_transient_error_is_tried_thrice_then_counts_once(shop: Shop) -> None:
    async def busy(*_: Any) -> Any:
        raise Transient("421 too many connections")

    replaced(shop, download=busy)
    first = await shop.run()
    assert (first.word, first.retry_in) == ("retry", 5.0)
    job = FeedJob(feed_id=shop.feed_id, run_id=first.run_id)
    assert (await shop.run(number=2, job=job)).retry_in == 15.0
    last = await shop.run(number=3, job=job)
    assert (last.word, last.retry_in) == ("failed", None)
    assert (await shop.feed_row())["consecutive_failures"] == 1


async def test_f119_what_is_not_tried_again_says_so(shop: Shop) -> None:
    async def gone(*_: Any) -> Any:
        raise Permanent("530 not logged in", code="AUTH_FAILED", hint="check the password")

    replaced(shop, download=gone)
    with capture_logs() as said:
        outcome = await shop.run()
    assert outcome.error == "[PERMANENT] 530 not logged in; check the password"
    [skipped] = [e for e in said if e["event"] == "RETRY_SKIPPED"]
    assert (skipped["log_level"], skipped["classification"], skipped["code"]) == ("info", "permanent", "AUTH_FAILED")
    assert skipped["hint"] == "check the password"
    wrapped = NonRetryableError(Retry.CONFIG, Permanent("bad certificate"))
    assert str(wrapped) == "[CONFIG] bad certificate"


async def test_f120_f128_every_line_of_a_run_says_whose_it_is(shop: Shop, told: io.StringIO) -> None:
    run = await shop.load([row(1)])
    said = events(told)
    start, complete = said["RUN_START"], said["RUN_COMPLETE"]
    assert (start["run_id"], start["trigger"], start["worker_pid"] > 0) == (run["id"], "SCHEDULED", True)
    assert (complete["status"], complete["summary"]["products"]) == ("SUCCEEDED", 1)
    assert {"ADVISORY_LOCK_ACQUIRED", "ADVISORY_LOCK_RELEASED", "MANUAL_RUN_PENDING_CHECK"} <= said.keys()
    stages = {line.get("stage") for line in said.values()}
    assert {"download", "parse", "transform", "upsert", "circuit_breaker", "promote"} <= stages
    inside = [line for line in said.values() if line.get("stage") not in (None, "scheduler")]
    for line in inside:
        assert (line["feed_id"], line["run_id"], line["source_id"], line["network"]) == (
            shop.feed_id, run["id"], shop.source_id, "IMPACT",
        )  # fmt: skip
        assert line["timestamp"]
    forget(told)
    (shop.folder / "catalogue.csv").unlink()
    await shop.run()
    failed = events(told)["RUN_FAILED"]
    assert (failed["stage"], failed["is_partial"], "duration_ms" in failed) == ("download", False, True)


async def test_f121_what_the_scheduler_says(shop: Shop, told: io.StringIO) -> None:
    async with shop.database.transaction() as conn:
        await jobs.schedule_due(conn)
        await conn.execute("UPDATE affiliate_feeds SET next_run_at = now() - interval '1 hour'")
        await jobs.schedule_due(conn)
        await conn.execute(
            "INSERT INTO affiliate_feed_runs (feed_id, source_id) VALUES (%s, %s)", (shop.feed_id, shop.source_id)
        )
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
        await admin.pause(conn, "ada", shop.feed_id)
    await shop.run()
    said = events(told)
    assert said["SCHEDULER_TICK"].keys() >= {"eligible_feeds", "tick_duration_ms"}
    assert (said["FEED_ENQUEUED"]["network"], said["FEED_ENQUEUED"]["trigger"]) == ("IMPACT", "SCHEDULED")
    assert said["FEED_SKIPPED_NOT_DUE"].keys() >= {"next_run_at", "now"}
    assert said["FEED_SKIPPED_STATUS"]["status"] == "PAUSED"
    assert (said["MANUAL_RUN_PENDING_SET"]["level"], said["MANUAL_RUN_PENDING_SET"]["active_run_id"] > 0) == (
        "warning", True,
    )  # fmt: skip


async def test_f126_what_the_breaker_says(shop: Shop, told: io.StringIO) -> None:
    await shop.load(row(n) for n in range(1, 41))
    said = events(told)
    assert said["CIRCUIT_BREAKER_START"].keys() >= {"t0", "expiry_hours"}
    passed = said["CIRCUIT_BREAKER_PASSED"]
    assert (passed["percent_threshold"], passed["count_threshold"]) == (30.0, 500)
    assert said["PROMOTE_START"]["products_to_promote"] == 40
    assert said["PROMOTE_COMPLETE"].keys() >= {"promote_rows_updated", "products_expired", "duration_ms"}
    forget(told)
    await shop.load([row(1)])
    said = events(told)
    counts, tripped = said["CIRCUIT_BREAKER_COUNTS"], said["CIRCUIT_BREAKER_TRIPPED"]
    assert (counts["active_count_before"], counts["seen_success_count"], counts["expire_percent"]) == (40, 1, 97.5)
    assert (tripped["level"], tripped["reason"]) == ("warning", "SPIKE_THRESHOLD_EXCEEDED")
    assert "PROMOTE_START" not in said
    from winnow.feeds.promote.breaker import PromotionCounts

    with capture_logs() as odd:
        phase2._log_decision(PromotionCounts(active=1, seen=3, upserted=3, url_hash=0), None)
    [negative] = [e for e in odd if e["event"] == "CIRCUIT_BREAKER_NEGATIVE_EXPIRE_COUNT"]
    assert (negative["log_level"], negative["raw_expire_count"]) == ("warning", -2)


async def test_fn03_after_a_failure_only_a_click_during_the_run_is_followed_up(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
    failed = await shop.run(trigger="MANUAL")  # there is no file
    assert failed.ended is not None
    assert not failed.ended.follow_up
    assert (await shop.feed_row())["manual_run_pending"]  # the badge stays

    async def clicked(*_: Any) -> Any:
        async with shop.database.transaction() as conn:
            await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
        raise Permanent("550 no such file")

    replaced(shop, download=clicked)
    failed = await shop.run(trigger="MANUAL")
    assert failed.ended is not None
    assert failed.ended.follow_up


async def test_fn04_the_follow_up_is_decided_under_the_lock(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[bool] = []
    succeed = runs.succeed

    async def watched(conn: Connection, *given: Any) -> Any:
        ended = await succeed(conn, *given)
        decided.append(await is_lock_free(shop))
        return ended

    monkeypatch.setattr(runs, "succeed", watched)
    await shop.load([row(1)])
    assert decided == [False]


async def test_fn16_a_disabled_feed_is_off_the_schedule_and_a_queued_job_makes_no_run(shop: Shop) -> None:
    for _ in range(3):
        await shop.run()
    feed = await shop.feed_row()
    assert (feed["status"], feed["next_run_at"]) == ("DISABLED", None)
    before = await shop.value("SELECT count(*) FROM affiliate_feed_runs")
    assert (await shop.run()).word == "status"
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs") == before
    async with shop.database.transaction() as conn:
        assert (await admin.enable(conn, "ada", shop.feed_id, acknowledged=True)).consecutive_failures == 0
