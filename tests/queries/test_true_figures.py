"""What lists and figures say is what the tables hold."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from winnow.console import watch_rules
from winnow.console.pages.activity.overview import _fresh
from winnow.console.pages.watching.domains import rate, state_of
from winnow.console.pages.watching.targets import result_cell
from winnow.console.widgets.cells import task_state
from winnow.db.engine import Connection, Database
from winnow.queries import crawls, domains, feeds, overview, prices, runs, tasks, watches
from winnow.queries.reading import reader

_SOURCE = "INSERT INTO sources (name, url, domain, kind) VALUES ('s', 'https://s.test', 's.test', 'event') RETURNING id"
_TARGET = """
INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, next_crawl_at, last_scraped_at)
VALUES (%(url)s::text, %(url)s::text, encode(sha256(convert_to(%(url)s::text, 'utf8')), 'hex'), 's.test', %(source)s,
    'generic', %(due)s::timestamptz, %(seen)s::timestamptz)
RETURNING id
"""
_TASK = """
INSERT INTO {table} (id, producer, lane, url, status, stage, target_id, source_id, outcome, finished_at)
VALUES (%(id)s, 'prices', 's.test', 'https://s.test/1', 'done', 'done', %(target)s, %(source)s, %(outcome)s, now())
"""
_RECEIVER = """
INSERT INTO webhook_endpoints (name, channel, url, topics, source_ids, enabled)
VALUES (%s, 'webhook', %s, %s, %s, %s)
"""


async def _id(conn: Connection, statement: str, given: Any = None) -> int:
    row = await (await conn.execute(statement, given)).fetchone()
    assert row is not None
    return int(row[0])


async def _target(conn: Connection, source: int, n: int, due: str = "now", seen: str | None = None) -> int:
    return await _id(conn, _TARGET, {"url": f"https://s.test/{n}", "source": source, "due": due, "seen": seen})


async def test_a_visit_is_listed_with_its_target_before_and_after_it_is_archived(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        target = await _target(conn, source, 1)
        for table, outcome in (("task_archive", "ok"), ("tasks", "robots_blocked")):
            given = {"id": uuid4(), "target": target, "source": source, "outcome": outcome}
            await conn.execute(_TASK.format(table=table), given)
    async with reader(database) as conn:
        found, _ = await tasks.of_target(conn, target)
        first, following = await tasks.of_target(conn, target, limit=1)
    assert {task["outcome"] for task in found} == {"ok", "robots_blocked"}
    assert (len(first), following is not None) == (1, True)


async def test_a_page_that_robots_txt_forbids_is_not_done(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        target = await _target(conn, source, 1)
        for outcome in ("ok", "robots_blocked"):
            given = {"id": uuid4(), "target": target, "source": source, "outcome": outcome}
            await conn.execute(_TASK.format(table="tasks"), given)
    async with reader(database) as conn:
        minutes = await overview.throughput(conn)
        found, _ = await tasks.of_target(conn, target)
    assert sum(row["done"] for row in minutes) == 1
    said = {task["outcome"]: task_state(task)["text"] for task in found}
    assert said == {"ok": "Done", "robots_blocked": "Forbidden by robots.txt"}


async def test_a_source_that_was_never_visited_is_not_on_time(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        for n in range(8):
            await _target(conn, source, n)
    async with reader(database) as conn:
        (row,) = await overview.freshness(conn)
    assert (row["targets"], row["never"], row["on_time"]) == (8, 8, 0)
    assert _fresh(row)["state"]["text"] == "not visited yet"


async def test_on_time_are_targets_that_were_visited_and_are_not_overdue(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        await _target(conn, source, 1, due="tomorrow", seen="now")
        await _target(conn, source, 2, due="yesterday", seen="2026-01-01")
        await _target(conn, source, 3, due="tomorrow")
        await _target(conn, source, 4, due="tomorrow", seen="now")
    async with reader(database) as conn:
        (row,) = await overview.freshness(conn)
    assert (row["targets"], row["late"], row["never"], row["on_time"]) == (4, 1, 1, 2)
    assert _fresh(row)["state"]["text"] == "50 % of 4"


async def test_a_rule_names_how_many_receivers_it_reaches(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        target = await _target(conn, source, 1)
        await conn.execute(
            "INSERT INTO watches (target_id, condition, fired_count, last_fired_at) "
            "VALUES (%s, 'any_change', 1, now())",
            (target,),
        )
    async with reader(database) as conn:
        ((rule,), _) = await watches.listed(conn)
    assert rule["receivers"] == 0
    text = watch_rules.describe_notifications(rule)
    assert text.startswith("met 1 time, last ")
    assert text.endswith("; no receiver, so nobody is notified")
    async with database.connection() as conn:
        for name, topics, sources, enabled in (
            ("all", ["*"], [], True), ("watches", ["watch.*"], [source], True), ("off", ["watch.fired"], [], False),
            ("alerts", ["alert.*"], [], True), ("other source", ["watch.fired"], [source + 1], True),
        ):  # fmt: skip
            await conn.execute(_RECEIVER, (name, f"https://{name.replace(' ', '')}.test", topics, sources, enabled))
    async with reader(database) as conn:
        ((rule,), _) = await watches.listed(conn)
    assert rule["receivers"] == 2
    assert watch_rules.describe_notifications(rule).endswith("; notifies 2 receivers")


_RUN = """
INSERT INTO scrape_runs (adapter_id, source_id, trigger, status, urls_planned, urls_attempted, urls_succeeded,
    urls_failed, offers_valid, offers_dropped, offers_quarantined, oos_no_price_count)
VALUES ('generic', %s, 'SCHEDULED', 'SUCCESS', 10, 10, 9, 1, 4, 1, 1, 3) RETURNING id
"""
_HELD = """
INSERT INTO quarantine (run_id, source_id, reason, payload, resolution, resolved_at, resolved_by)
VALUES (%(run)s, %(source)s, 'AMBIGUOUS_PRICE', '{}', CASE WHEN %(decided)s THEN 'reject' END,
    CASE WHEN %(decided)s THEN now() END, CASE WHEN %(decided)s THEN 'ada' END)
"""
_FEED = """
INSERT INTO affiliate_feeds (source_id, host, path, secret_ciphertext, secret_key_id)
VALUES (%s, 'sftp.s.test', '/a.csv', '\\x00', 'k') RETURNING id
"""
_FEED_RUN = """
INSERT INTO affiliate_feed_runs (feed_id, source_id, status, products_upserted, skipped_reason, finished_at)
VALUES (%s, %s, %s, %s, %s, now()) RETURNING id
"""


async def test_p089_the_pages_of_a_run_add_up(database: Database) -> None:
    """Sold out without a price counts towards no rate, and is still one of the pages that were visited."""
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        run = await _id(conn, _RUN, (source,))
    async with reader(database) as conn:
        ((listed,), _) = await runs.listed(conn)
        one = await runs.one(conn, run)
        (day,) = await overview.outcomes(conn)
    assert one is not None
    assert one["rejected"] == listed["rejected"] == 1 + 3
    shown = (listed["offers_valid"], listed["offers_quarantined"], listed["rejected"], listed["urls_failed"])
    assert sum(shown) == listed["urls_attempted"]
    assert (day["accepted"], day["held"], day["rejected"], day["failed"]) == shown


async def test_held_records_of_a_run_wait_for_review_until_somebody_decides(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        run = await _id(conn, _RUN, (source,))
        for decided in (True, False, False):
            await conn.execute(_HELD, {"run": run, "source": source, "decided": decided})
    async with reader(database) as conn:
        one = await runs.one(conn, run)
    assert one is not None
    assert one["held_waiting"] == 2


async def test_a_feed_shows_the_offers_of_the_file_that_was_read_last(database: Database) -> None:
    """An unchanged file is not read again, and a failed run has read nothing that counts."""
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        feed = await _id(conn, _FEED, (source,))
        for status, offers, skipped in (
            ("SUCCEEDED", 70, None), ("SUCCEEDED", 72, None), ("FAILED", 9, None), ("SUCCEEDED", 0, "UNCHANGED_HASH"),
        ):  # fmt: skip
            await conn.execute(_FEED_RUN, (feed, source, status, offers, skipped))
    async with reader(database) as conn:
        ((listed,), _) = await feeds.listed(conn)
    assert (listed["last_offers"], listed["last_result"]) == (72, "UNCHANGED")


def test_the_last_result_of_a_target_is_that_of_its_last_visit() -> None:
    assert result_cell("rejected:OOS_NO_PRICE") == {"text": "Rejected", "sub": "OOS_NO_PRICE", "tone": "bad"}
    assert result_cell("accepted")["text"] == "Accepted"
    assert result_cell("error:http_404")["text"] == "Error"
    assert result_cell(None)["text"] == "–"


_CRAWL = """
INSERT INTO crawls (source_id, adapter_id, url, url_hash, scope, budget, state, run_id, started_at, ended_at)
VALUES (%s, 'generic', 'https://s.test', 'x', '{}', '{}', 'done', %s, now(), now()) RETURNING id
"""
_FOLLOWED = """
INSERT INTO follow_ups (run_id, url_hash, url, role, state, task_id, in_sitemap)
VALUES (%s, encode(sha256(%s::bytea), 'hex'), 'https://s.test/1', 'page', 'queued', %s, true)
"""


async def test_a_page_that_robots_txt_forbids_is_not_read_by_a_crawl(database: Database) -> None:
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        run = await _id(conn, _RUN, (source,))
        crawl = await _id(conn, _CRAWL, (source, run))
        for table, outcome in (("tasks", "ok"), ("task_archive", "ok"), ("tasks", "robots_blocked")):
            task = {"id": uuid4(), "target": None, "source": source, "outcome": outcome}
            await conn.execute(_TASK.format(table=table), task)
            await conn.execute(_FOLLOWED, (run, task["id"].hex, task["id"]))
    async with reader(database) as conn:
        found = await crawls.report(conn, crawl)
    assert found is not None
    assert (found["sitemap"]["listed"], found["sitemap"]["read"]) == (3, 2)


_LANE = """
INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, slowed_until, held_until)
VALUES (%s, 6, 10, 2, now() + %s::interval, now() + %s::interval)
"""


async def test_s059_a_domain_is_slowed_down_only_until_that_is_over(database: Database) -> None:
    async with database.connection() as conn:
        for lane, slowed, held in (("over.test", "-1 hour", "-1 hour"), ("slow.test", "1 hour", "-1 hour")):
            await conn.execute(_LANE, (lane, slowed, held))
    async with reader(database) as conn:
        (over, slow), _ = await domains.listed(conn)
    assert (over["slowed_until"], over["held_until"], slow["held_until"]) == (None, None, None)
    assert [state_of(domain)["text"] for domain in (over, slow)] == ["Ready", "Slowed down"]
    assert [rate(domain) for domain in (over, slow)] == ["6 in 10 s", "6 in 20 s"]
    assert (over["spacing_now"], slow["spacing_now"]) == (2.0, 4.0)


async def test_an_offer_was_seen_when_its_page_was_last_read(database: Database) -> None:
    """A page that has not changed confirms the price and writes no new one."""
    async with database.connection() as conn:
        source = await _id(conn, _SOURCE)
        offer = await _id(
            conn,
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url) "
            "VALUES (%s, 'SKU', 'A', 'Lamp', 'https://s.test/1') RETURNING id",
            (source,),
        )
        await conn.execute(
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
            "ingestion_run_type) VALUES (%s, 1250, 'EUR', 'IN_STOCK', true, now() - interval '3 days', 'SCRAPE')",
            (offer,),
        )
        await conn.execute(
            "INSERT INTO source_product_presence (source_product_id, last_seen_at) "
            "VALUES (%s, now() - interval '1 hour')",
            (offer,),
        )
    async with reader(database) as conn:
        ((shown,), _) = await prices.latest(conn, everything=True)
    assert (shown["last_seen_at"] - shown["observed_at"]).days == 2
