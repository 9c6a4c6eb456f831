"""A run that was loaded and waits for approval is not called a success, wherever it is listed."""

from __future__ import annotations

from itertools import product

import pytest
from psycopg.rows import dict_row

from winnow.db.engine import Database
from winnow.feeds import feed as stored
from winnow.feeds.run_result import RunResult, result_of, result_sql
from winnow.queries import feeds as queries
from winnow.queries.reading import reader

FEED = """
WITH r AS (INSERT INTO retailers (name) VALUES ('R') RETURNING id), s AS (
    INSERT INTO sources (name, url, domain, retailer_id, source_kind)
    SELECT 'Feed', 'https://feed.example.com', 'feed.example.com', id, 'AFFILIATE_FEED' FROM r RETURNING id)
INSERT INTO affiliate_feeds (source_id, network, path) SELECT id, 'IMPACT', '/a.csv' FROM s RETURNING id
"""
RUN = """
INSERT INTO affiliate_feed_runs (feed_id, source_id, status, expiry_blocked, expiry_blocked_reason, expiry_approved_at, expiry_approved_by,
    expiry_step_failed, skipped_reason, invalidated_at, invalidated_by, finished_at)
SELECT id, source_id, %(status)s, %(blocked)s, CASE WHEN %(blocked)s THEN 'SPIKE_THRESHOLD_EXCEEDED' END,
    CASE WHEN %(approved)s THEN now() END, CASE WHEN %(approved)s THEN 'ada' END, %(step_failed)s, CASE WHEN %(skipped)s THEN 'UNCHANGED_HASH' END,
    CASE WHEN %(invalidated)s THEN now() END, CASE WHEN %(invalidated)s THEN 'ada' END, CASE WHEN %(status)s <> 'RUNNING' THEN now() END
FROM affiliate_feeds
"""


async def test_f089_every_list_names_the_same_result_of_a_run(database: Database) -> None:
    async with database.connection() as conn:
        await conn.execute(FEED)
        for status, blocked, approved, step_failed, skipped, invalidated in product(
            ("RUNNING", "SUCCEEDED", "FAILED"), *[(False, True)] * 5
        ):
            if approved and not (blocked and status == "SUCCEEDED"):
                continue  # only a blocked run can be approved
            given = {"status": status, "blocked": blocked, "approved": approved, "step_failed": step_failed,
                     "skipped": skipped, "invalidated": invalidated}  # fmt: skip
            await conn.execute(RUN, given)
        cursor = conn.cursor(row_factory=dict_row)
        await cursor.execute(f"SELECT r.*, {result_sql('r')} AS result FROM affiliate_feed_runs AS r")
        runs = await cursor.fetchall()
    assert len(runs) > 50
    assert [run["result"] for run in runs] == [result_of(run) for run in runs]
    assert {run["result"] for run in runs} == set(RunResult)


@pytest.mark.parametrize(
    ("columns", "result"),
    [({}, "SUCCEEDED"), ({"blocked": True}, "AWAITING_APPROVAL"), ({"step_failed": True}, "NOT_ACTIVATED")],
)
async def test_f089_a_feed_is_listed_with_the_result_of_its_last_run(
    database: Database, columns: dict[str, bool], result: str
) -> None:
    given = {"status": "SUCCEEDED"} | dict.fromkeys(
        ("blocked", "approved", "step_failed", "skipped", "invalidated"), False
    )
    async with database.connection() as conn:
        await conn.execute(FEED)
        await conn.execute(RUN, given | columns)
        (listed,) = await stored.listed(conn, 0, 10)
    async with reader(database) as conn:
        (row,), _ = await queries.listed(conn)
    assert (listed.last_run_status, row["last_result"]) == (result, result)
