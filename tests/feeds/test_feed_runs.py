"""Runs, locks, approval and people, on a real database."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.feeds.shop import Shop, row
from winnow.db.engine import Connection
from winnow.errors import Conflict
from winnow.feeds import admin, jobs, upkeep
from winnow.feeds import feed as feeds
from winnow.feeds.promote import approval
from winnow.feeds.promote.approval import ApprovalRefused
from winnow.feeds.runs import FeedJob


async def held(shop: Shop, conn: Connection) -> feeds.Feed:
    feed = await feeds.get(conn, shop.feed_id)
    assert await feeds.try_lock(conn, feed)
    return feed


async def test_f058_f059_a_busy_lock_makes_no_run(shop: Shop) -> None:
    shop.write([row(1)])
    async with shop.database.dedicated() as conn:
        await held(shop, conn)
        for trigger in ("SCHEDULED", "MANUAL"):
            assert (await shop.run(trigger=trigger)).word == "lock_busy"
        assert (await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=1))).word == "lock_busy"  # F-064
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs") == 0


async def test_f061_a_job_that_lost_its_task_leaves_no_run(shop: Shop) -> None:
    async def refuse(*_: Any) -> None:
        raise Conflict("taken away")

    shop.write([row(1)])
    shop.remember = refuse  # type: ignore[method-assign]
    with pytest.raises(Conflict):
        await shop.run()
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs") == 0
    async with shop.database.dedicated() as conn:
        await held(shop, conn)  # the lock was given back


async def test_fn01_a_run_stays_running_between_attempts_and_is_reused(shop: Shop) -> None:
    (shop.folder / "catalogue.csv").write_bytes(b"")  # no file yet
    (shop.folder / "catalogue.csv").unlink()
    first = await shop.run()
    assert first.word in ("failed", "retry")
    await shop.rows("UPDATE affiliate_feeds SET consecutive_failures = 0, status = 'ENABLED' RETURNING 1")
    await shop.rows(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id, trigger) VALUES (%s, %s, 'MANUAL') RETURNING id",
        shop.feed_id, shop.source_id,
    )  # fmt: skip
    run_id = await shop.value("SELECT max(id) FROM affiliate_feed_runs")
    shop.write([row(1)])
    again = await shop.run(number=2, job=FeedJob(feed_id=shop.feed_id, run_id=run_id))
    assert (again.run_id, again.word) == (run_id, "succeeded")
    assert (await shop.run_row(run_id))["trigger"] == "MANUAL"  # F-012
    assert (await shop.run(number=3, job=FeedJob(feed_id=shop.feed_id, run_id=run_id))).word == "ended"


async def test_f064_another_running_run_stops_the_retry(shop: Shop) -> None:
    add = "INSERT INTO affiliate_feed_runs (feed_id, source_id) VALUES (%s, %s) RETURNING id"
    ours = (await shop.rows(add, shop.feed_id, shop.source_id))[0][0]
    await shop.rows(add, shop.feed_id, shop.source_id)
    assert (await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=ours))).word == "run_id_mismatch"


async def test_f066_f103_three_failures_disable_and_reenabling_begins_anew(shop: Shop) -> None:
    for _ in range(3):
        assert (await shop.run()).word == "failed"
    feed = await shop.feed_row()
    assert (feed["status"], feed["next_run_at"], feed["consecutive_failures"]) == ("DISABLED", None, 3)
    assert [n.code for n in shop.notices] == ["RUN_FAILED"] * 3 + ["FEED_AUTO_DISABLED"]
    assert (await shop.run()).word == "status"
    async with shop.database.transaction() as conn:
        with pytest.raises(Conflict, match="repeated failures"):
            await admin.enable(conn, "ada", shop.feed_id)
    async with shop.database.transaction() as conn:
        enabled = await admin.enable(conn, "ada", shop.feed_id, acknowledged=True)
    assert (enabled.status, enabled.consecutive_failures) == ("ENABLED", 0)
    assert enabled.next_run_at is not None  # F-055


async def test_f103_a_success_resets_the_count(shop: Shop) -> None:
    await shop.run()
    await shop.load([row(1)])
    assert (await shop.feed_row())["consecutive_failures"] == 0


async def test_f117_a_missing_file_is_not_tried_again(shop: Shop) -> None:
    outcome = await shop.run()
    assert (outcome.word, outcome.retry_in) == ("failed", None)
    assert outcome.run_id is not None
    run = await shop.run_row(outcome.run_id)
    assert run["error_message"].startswith("[PERMANENT]")  # F-119
    assert (run["status"], run["error_count"]) == ("FAILED", 1)  # FN-20


async def test_f089_f091_an_approval_activates_once(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load(row(n, name=f"New {n}") for n in range(31, 61))
    assert run["expiry_blocked"]
    assert not any(n > 40 for n in map(number, await shop.active()))
    assert await approval.approve(shop.database, run["id"], "ada") == 30
    assert {number(title) for title in await shop.active()} >= set(range(31, 61))
    with pytest.raises(ApprovalRefused) as refused:
        await approval.approve(shop.database, run["id"], "bob")
    assert refused.value.code == "ALREADY_APPROVED"
    after = await shop.run_row(run["id"])
    assert (after["expiry_blocked"], after["expiry_approved_by"], after["products_promoted"]) == (True, "ada", 30)
    assert await shop.value("SELECT count(*) FROM audit_log WHERE action = 'ACTIVATION_APPROVED'") == 1


async def test_r08_of_two_approvals_at_once_one_is_refused_and_leaves_no_entry(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load(row(n, name=f"New {n}") for n in range(31, 61))
    both = [approval.approve(shop.database, run["id"], who) for who in ("ada", "bob")]
    answers = await asyncio.gather(*both, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, ApprovalRefused)]
    assert (sorted(answer for answer in answers if isinstance(answer, int)), len(refused)) == ([30], 1)
    winner = "ada" if answers[0] == 30 else "bob"
    entries = "SELECT array_agg(actor) FROM audit_log WHERE action = 'ACTIVATION_APPROVED'"
    assert await shop.value(entries) == [winner]
    assert (await shop.run_row(run["id"]))["expiry_approved_by"] == winner


def number(title: str) -> int:
    return int(title.rsplit(" ", 1)[1])


async def test_f090_what_cannot_be_approved(shop: Shop) -> None:
    good = await shop.load(row(n) for n in range(1, 41))
    blocked = await shop.load([row(1)])
    cases = {0: "RUN_NOT_FOUND", good["id"]: "NOT_BLOCKED"}
    for run_id, code in cases.items():
        with pytest.raises(ApprovalRefused) as refused:
            await approval.approve(shop.database, run_id, "ada")
        assert refused.value.code == code
    async with shop.database.dedicated() as conn:
        await held(shop, conn)
        with pytest.raises(ApprovalRefused, match="under way"):
            await approval.approve(shop.database, blocked["id"], "ada")
    await shop.run()  # FN-05: the same file again is skipped, and does not make the blocked run stale
    newer = await shop.load(row(n) for n in range(1, 40))
    with pytest.raises(ApprovalRefused) as refused:
        await approval.approve(shop.database, blocked["id"], "ada")
    assert refused.value.code == "STALE_RUN"
    assert not newer["expiry_blocked"]


async def test_fn05_a_skipped_run_does_not_make_a_blocked_one_stale(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    blocked = await shop.load([row(1)])
    await shop.run()
    assert await approval.approve(shop.database, blocked["id"], "ada") == 1


async def test_f140_a_run_taken_back_leaves_no_trace_for_consumers(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    before = await shop.rows("SELECT title, amount_minor FROM consumer_offers ORDER BY 1")
    wrong = await shop.load([*(row(n, price="0.01") for n in range(1, 39)), row(50)])
    await approval.roll_back(shop.database, wrong["id"], "ada", "a broken file")
    assert await shop.rows("SELECT title, amount_minor FROM consumer_offers ORDER BY 1") == before
    assert (await shop.feed_row())["last_content_hash"] is None
    with pytest.raises(ApprovalRefused):
        await approval.roll_back(shop.database, wrong["id"], "ada", "again")
    await shop.load(row(n) for n in range(1, 41))
    assert len(await shop.active()) == 40


async def test_f140_f044_what_a_run_taken_back_said_is_written_when_the_next_file_says_it_too(shop: Shop) -> None:
    await shop.load([row(1)])
    doubted = await shop.load([row(1, price="9.00")])
    await approval.roll_back(shop.database, doubted["id"], "ada", "is that right?")
    shown = "SELECT amount_minor FROM consumer_offers"
    assert await shop.value(shown) == 1000
    again = await shop.run()  # it was
    assert again.run_id is not None
    assert (await shop.run_row(again.run_id))["prices_written"] == 1
    assert await shop.value(shown) == 900


async def test_f053_f054_a_due_feed_is_queued_once_for_two_schedulers(shop: Shop) -> None:
    await shop.rows("UPDATE affiliate_feeds SET next_run_at = now() - interval '3 days' RETURNING 1")

    async def tick() -> int:
        async with shop.database.transaction() as conn:
            return await jobs.schedule_due(conn)

    assert sum(await asyncio.gather(tick(), tick(), tick())) == 1
    assert await shop.value("SELECT count(*) FROM tasks WHERE lane = '@feeds'") == 1
    assert await shop.value("SELECT next_run_at > now() + interval '23 hours' FROM affiliate_feeds")


@pytest.mark.parametrize(
    "change",
    ["status = 'PAUSED', next_run_at = NULL", "status = 'DRAFT'", "schedule_frequency_hours = NULL",
     "next_run_at = now() + interval '1 hour'"],
)  # fmt: skip
async def test_f051_feeds_that_never_run_by_themselves(shop: Shop, change: str) -> None:
    await shop.rows("UPDATE affiliate_feeds SET next_run_at = now() - interval '1 hour' RETURNING 1")
    await shop.rows(f"UPDATE affiliate_feeds SET {change} RETURNING 1")
    async with shop.database.transaction() as conn:
        assert await jobs.schedule_due(conn) == 0


async def test_f069_fn02_a_click_during_a_run_gets_its_follow_up(shop: Shop) -> None:
    shop.write([row(1)])
    async with shop.database.transaction() as conn:
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
    outcome = await shop.run(trigger="MANUAL")
    assert outcome.ended is not None
    assert not outcome.ended.follow_up  # clicked before: this was it
    assert not (await shop.feed_row())["manual_run_pending"]

    async def click_meanwhile(*given: Any) -> Any:
        async with shop.database.transaction() as conn:
            await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
        return await original(*given)

    original = shop.means.download
    shop.means = type(shop.means)(**{**as_dict(shop.means), "download": click_meanwhile})
    shop.write([row(2)])
    outcome = await shop.run()
    assert outcome.ended is not None
    assert outcome.ended.follow_up


def as_dict(means: Any) -> dict[str, Any]:
    return {name: getattr(means, name) for name in means.__struct_fields__}


async def test_f055_f068_paused_during_a_run_it_finishes_and_nothing_follows(shop: Shop) -> None:
    async def pause_meanwhile(*given: Any) -> Any:
        async with shop.database.transaction() as conn:
            await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
            await admin.pause(conn, "ada", shop.feed_id)
        return await original(*given)

    original = shop.means.download
    shop.means = type(shop.means)(**{**as_dict(shop.means), "download": pause_meanwhile})
    shop.write([row(1)])
    outcome = await shop.run()
    assert outcome.ended is not None
    assert (outcome.word, outcome.ended.follow_up) == ("succeeded", False)
    feed = await shop.feed_row()
    assert (feed["status"], feed["next_run_at"]) == ("PAUSED", None)


async def test_fn12_an_error_in_phase_2_leaves_the_offers_and_the_file_unknown(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    from winnow.feeds.promote import phase2

    async def broken(*_: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(phase2, "promote", broken)
    run = await shop.load([row(1)])
    assert (run["status"], run["expiry_step_failed"], run["promoted_at"]) == ("SUCCEEDED", True, None)
    assert (await shop.feed_row())["last_content_hash"] is None
    assert await shop.active() == []
    assert [n.code for n in shop.notices] == ["EXPIRY_STEP_FAILED"]


async def test_fn13_a_run_nobody_works_on_is_ended(shop: Shop) -> None:
    await shop.rows(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id, started_at) VALUES (%s, %s, now() - interval '1 hour')"
        " RETURNING id", shop.feed_id, shop.source_id,
    )  # fmt: skip
    async with shop.database.dedicated() as conn:
        feed = await held(shop, conn)
        assert await upkeep.reap(shop.database, shop.means.notify, shop.means.on_finished) == 0
        await feeds.unlock(conn, feed)
    await shop.rows("UPDATE affiliate_feeds SET consecutive_failures = 2 RETURNING 1")
    assert await upkeep.reap(shop.database, shop.means.notify, shop.means.on_finished) == 1
    assert [n.code for n in shop.notices] == ["RUN_FAILED", "FEED_AUTO_DISABLED"]  # F-113
    assert [status for _, status in shop.endings] == ["FAILED"]
    assert await shop.rows("SELECT status, error_code FROM affiliate_feed_runs") == [("FAILED", "WORKER_LOST")]


async def test_f114_old_runs_go_and_their_prices_stay(shop: Shop) -> None:
    await shop.load([row(1), row(2)])
    await shop.load([row(1, "9.00"), row(2)])
    await shop.rows("UPDATE affiliate_feed_runs SET started_at = now() - interval '31 days' RETURNING 1")
    async with shop.database.connection() as conn:
        assert await upkeep.clean(conn, most=1) == 2
    assert await shop.value("SELECT count(*) FROM source_product_seen") == 0
    kept = await shop.rows("SELECT affiliate_feed_run_id, price_signature_hash IS NOT NULL FROM prices")
    assert kept == [(None, True)] * 3


async def test_fn07_an_alert_comes_once_before_everything_expires(shop: Shop) -> None:
    told: list[int] = []

    async def tell(_: Connection, stale: upkeep.Stale) -> None:
        told.append(stale.feed.id)

    await shop.load([row(1)])
    for hours in (30, 10, 1):
        await shop.later(hours)
        async with shop.database.transaction() as conn:
            await upkeep.going_stale(conn, tell)
    assert told == [shop.feed_id]


async def test_f140_offers_nobody_ever_priced_and_nobody_sees_are_taken_out(shop: Shop) -> None:
    run = await shop.load([row(1), row(2)])
    add = """
    WITH o AS (
        INSERT INTO source_products (source_id, identity_type, identity_value, title, url, feed_run_id)
        VALUES (%s, 'SKU', %s, %s, 'https://shop.test/o', %s) RETURNING id)
    INSERT INTO source_product_presence (source_product_id, last_seen_at, left_by_run_id)
    SELECT id, now() - make_interval(days => %s), %s FROM o RETURNING 1
    """
    for name, days in (("Old", 91), ("Young", 89)):
        await shop.rows(add, shop.source_id, name, name, run["id"], days, run["id"])
    await shop.rows(
        "INSERT INTO source_product_presence (source_product_id, last_seen_at, left_by_run_id)"
        " SELECT id, now() - interval '1 year', feed_run_id FROM source_products WHERE title = 'Thing 1' RETURNING 1"
    )  # unseen for longer, but it has a price
    async with shop.database.connection() as conn:
        assert await upkeep.drop_orphans(conn) == 1
        assert await upkeep.drop_orphans(conn) == 0
    left = [title for (title,) in await shop.rows("SELECT title FROM source_products ORDER BY title")]
    assert left == ["Thing 1", "Thing 2", "Young"]


async def test_f036_a_changed_window_is_audited(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, {"expiry_hours": 24, "path": "other.csv"})
    actions = {a for (a,) in await shop.rows("SELECT action FROM audit_log")}
    assert {"FEED_CREATED", "FEED_STATUS_CHANGED", "FEED_UPDATED", "EXPIRY_HOURS_CHANGED"} <= actions  # F-127
