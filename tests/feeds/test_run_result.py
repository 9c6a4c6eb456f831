"""A run that was loaded and waits for approval is not called a success, wherever it is listed."""

from __future__ import annotations

import gzip
from itertools import product

import msgspec
import pytest
from psycopg.rows import dict_row

from tests.feeds.shop import FILE, HEADER, Shop, row
from winnow.actions import feeds as actions
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.feeds import feed as stored
from winnow.feeds.run_result import RunResult, result_of, result_sql
from winnow.queries import alerts, overview
from winnow.queries import feeds as queries
from winnow.queries.reading import reader
from winnow.run import feed_runs

FEED = """
WITH r AS (INSERT INTO retailers (name) VALUES ('R') RETURNING id), s AS (
    INSERT INTO sources (name, url, domain, retailer_id, source_kind)
    SELECT 'Feed', 'https://feed.example.com', 'feed.example.com', id, 'AFFILIATE_FEED' FROM r RETURNING id)
INSERT INTO affiliate_feeds (source_id, network, path) SELECT id, 'IMPACT', '/a.csv' FROM s RETURNING id
"""
RUN = """
INSERT INTO affiliate_feed_runs (feed_id, source_id, status, expiry_blocked, expiry_blocked_reason, expiry_approved_at, expiry_approved_by,
    expiry_step_failed, skipped_reason, invalidated_at, invalidated_by, replaced_by_run_id, finished_at)
SELECT id, source_id, %(status)s, %(blocked)s, CASE WHEN %(blocked)s THEN 'SPIKE_THRESHOLD_EXCEEDED' END,
    CASE WHEN %(approved)s THEN now() END, CASE WHEN %(approved)s THEN 'ada' END, %(step_failed)s, CASE WHEN %(skipped)s THEN 'UNCHANGED_HASH' END,
    CASE WHEN %(invalidated)s THEN now() END, CASE WHEN %(invalidated)s THEN 'ada' END, CASE WHEN %(replaced)s THEN 9 END, CASE WHEN %(status)s <> 'RUNNING' THEN now() END
FROM affiliate_feeds
"""


async def test_f089_every_list_names_the_same_result_of_a_run(database: Database) -> None:
    async with database.connection() as conn:
        await conn.execute(FEED)
        for status, blocked, approved, step_failed, skipped, invalidated, replaced in product(
            ("RUNNING", "SUCCEEDED", "FAILED"), *[(False, True)] * 6
        ):
            if approved and not (blocked and status == "SUCCEEDED"):
                continue  # only a blocked run can be approved
            given = {"status": status, "blocked": blocked, "approved": approved, "step_failed": step_failed,
                     "skipped": skipped, "invalidated": invalidated, "replaced": replaced}  # fmt: skip
            await conn.execute(RUN, given)
        cursor = conn.cursor(row_factory=dict_row)
        await cursor.execute(f"SELECT r.*, {result_sql('r')} AS result FROM affiliate_feed_runs AS r")
        runs = await cursor.fetchall()
    assert len(runs) > 50
    assert [run["result"] for run in runs] == [result_of(run) for run in runs]
    assert {run["result"] for run in runs} == set(RunResult)


@pytest.mark.parametrize(
    ("columns", "result"),
    [
        ({}, "SUCCEEDED"),
        ({"blocked": True}, "AWAITING_APPROVAL"),
        ({"step_failed": True}, "NOT_ACTIVATED"),
        ({"blocked": True, "replaced": True}, "REPLACED"),
    ],
)
async def test_f089_a_feed_is_listed_with_the_result_of_its_last_run(
    database: Database, columns: dict[str, bool], result: str
) -> None:
    given = {"status": "SUCCEEDED"} | dict.fromkeys(
        ("blocked", "approved", "step_failed", "skipped", "invalidated", "replaced"), False
    )
    async with database.connection() as conn:
        await conn.execute(FEED)
        await conn.execute(RUN, given | columns)
        (listed,) = await stored.listed(conn, 0, 10)
    async with reader(database) as conn:
        (row,), _ = await queries.listed(conn)
    assert (listed.last_run_status, row["last_result"]) == (result, result)


@pytest.fixture
def notified(shop: Shop) -> Shop:
    """A shop whose runs open and resolve alerts."""
    shop.means = msgspec.structs.replace(shop.means, notify=feed_runs.notify, on_finished=feed_runs.ended)
    return shop


async def test_f089_a_run_waits_for_approval_until_another_is_loaded_and_every_figure_says_so(notified: Shop) -> None:
    """A file found unchanged replaces nothing."""
    shop = notified
    await shop.load(row(n) for n in range(1, 41))
    held = (await shop.load([row(1)]))["id"]
    assert await _figures(shop) == ("AWAITING_APPROVAL", held, 1, {"SPIKE_THRESHOLD_EXCEEDED"})
    await shop.run()
    assert await _figures(shop) == ("UNCHANGED", held, 1, {"SPIKE_THRESHOLD_EXCEEDED"})

    following = (await shop.load(row(n, "1000.00") for n in range(1, 41)))["id"]
    async with reader(shop.database) as conn:
        first, second = await queries.run(conn, held), await queries.run(conn, following)
    assert (result_of(first), first["replaced_by_run_id"]) == (RunResult.REPLACED, following)
    assert (result_of(second), second["replaced_run_id"]) == (RunResult.AWAITING_APPROVAL, held)
    assert await _figures(shop) == ("AWAITING_APPROVAL", following, 1, {"PRICE_JUMP"})

    await actions.roll_back(shop.database, "ada", following, "wrong file")
    assert await _figures(shop) == ("ROLLED_BACK", None, 0, set())


async def test_f089_a_run_that_fails_after_its_rows_were_loaded_replaces_the_held_one(notified: Shop) -> None:
    shop = notified
    await shop.load(row(n) for n in range(1, 41))
    held = (await shop.load([row(1)]))["id"]
    whole = gzip.compress("\n".join([HEADER, *(row(n) for n in range(1, 30_000))]).encode())
    (shop.folder / FILE).write_bytes(whole[: len(whole) // 2])
    failed = await shop.run()
    assert await _figures(shop) == ("FAILED", None, 0, {"RUN_FAILED"})
    with pytest.raises(Conflict, match="newer run"):
        await actions.approve(shop.database, "ada", held)
    assert (await shop.run_row(held))["replaced_by_run_id"] == failed.run_id


async def _figures(shop: Shop) -> tuple[str, int | None, int, set[str]]:
    """The last result, the run to approve, the figure of the overview and the open alerts; lists agree on them."""
    async with shop.database.connection() as conn:
        (feed,) = await stored.listed(conn, 0, 10)
    async with reader(shop.database) as conn:
        (row,), _ = await queries.listed(conn)
        approvals = (await overview.figures(conn))["approvals"]
        opened, _ = await alerts.listed(conn)
    assert (feed.last_run_status, feed.waiting_run_id) == (row["last_result"], row["waiting_run_id"])
    return row["last_result"], row["waiting_run_id"], approvals, {one["code"] for one in opened}
