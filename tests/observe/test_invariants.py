"""Each invariant holds of real content, and finds the row that breaks it (C-070)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.db import schema_rows as rows
from tests.store.offer_rows import days, offer, source, write
from winnow.db.engine import Database
from winnow.observe import invariant_checks
from winnow.observe.invariant_checks import Invariant, invariants
from winnow.run.audits.invariants import InvariantAudit

Conn = psycopg.Connection[Any]
RULES = {rule.name: rule for rule in invariants()}
OFFER = "INSERT INTO source_products (id, source_id, identity_type, identity_value, title, url{more}) VALUES ({values})"
PRICE = (
    "INSERT INTO prices (id, source_product_id, amount_minor, currency, availability, in_stock, ingestion_run_type, "
    "observed_at) VALUES (900, {offer}, 5, 'USD', 'IN_STOCK', true, 'SCRAPE', {seen})"
)
EVENT = (
    "INSERT INTO events (id, source_id, source_key, occurrence, record_key, event_fingerprint, digest, title, "
    "event_date, starts_at, venue_name, merged_into) "
    "SELECT {id}, min(id), '{id}', '', '', repeat('0', 64), '', 'Title', now(), now(), 'Hall', {into} FROM sources"
)
# What breaks each rule; triggers and foreign keys are off, and a check that would refuse it is dropped first.
BROKEN = {
    "offers_have_a_source": [OFFER.format(more="", values="900, 77, 'PID', 'x', 't', 'u'")],
    "prices_have_an_offer": [PRICE.format(offer=77, seen="now()")],
    "parts_of_offers_have_an_offer": [
        "INSERT INTO source_product_presence (source_product_id, last_seen_at) VALUES (77, now())"
    ],
    "one_product_per_url": [
        OFFER.format(
            more=", url_hash", values=f"{n}, (SELECT min(id) FROM sources), 'PID', '{n}', 't', 'u', repeat('0', 64)"
        )
        for n in (901, 902)
    ],
    "targets_follow_their_own_source": [
        OFFER.format(more="", values="900, 77, 'PID', 'x', 't', 'u'"),
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, source_product_id) "
        "SELECT 'u', 'u', repeat('0', 64), 'd', min(id), 'generic', 900 FROM sources",
    ],
    "newest_price_is_the_newest": [PRICE.format(offer="(SELECT min(id) FROM source_products)", seen="now()")],
    "every_price_has_a_newest": ["DELETE FROM latest_prices"],
    "hidden_prices_stay_hidden": [
        "UPDATE source_trust_config SET visibility_status = 'INELIGIBLE'",
        "CREATE OR REPLACE VIEW consumer_prices AS SELECT p.id, p.source_product_id, p.source_id, p.amount_minor, "
        "p.list_price_minor, p.shipping_minor, p.currency, p.exponent, "
        "money_decimal(p.amount_minor, p.exponent) AS price, p.availability, "
        "p.in_stock, p.observed_at, p.created_at, p.ingestion_run_type, p.ingestion_run_id, "
        "p.affiliate_feed_run_id, NULL::timestamptz AS promoted_at FROM corrected_prices p",
    ],
    "prices_are_possible": [
        PRICE.format(offer="(SELECT min(id) FROM source_products)", seen="now() + interval '3 days'")
    ],
    "feeds_point_at_their_promoted_run": [
        "INSERT INTO affiliate_feed_runs (id, feed_id, source_id) SELECT 900, 900, min(id) FROM sources",
        "INSERT INTO affiliate_feeds (id, source_id, promoted_run_id) SELECT 901, min(id), 900 FROM sources",
    ],
    "running_tasks_are_leased": [
        "ALTER TABLE tasks DROP CONSTRAINT {check}",
        "INSERT INTO tasks (id, producer, lane, url, status) VALUES (gen_random_uuid(), 'prices', 'l', 'u', 'running')",
    ],
    "tasks_are_kept_once": [
        "INSERT INTO tasks (id, producer, lane, url) VALUES (gen_random_uuid(), 'prices', 'l', 'u')",
        "INSERT INTO task_archive SELECT * FROM tasks",
    ],
    "runs_count_what_they_did": [
        "INSERT INTO scrape_runs (source_id, adapter_id, status, completed_at, urls_attempted, urls_succeeded) "
        "SELECT min(id), 'generic', 'SUCCESS', now(), 3, 4 FROM sources"
    ],
    "held_records_wait_for_a_person": [
        "ALTER TABLE quarantine DROP CONSTRAINT {check}",
        "INSERT INTO quarantine (task_id, adapter_id, adapter_version, reason, payload, resolution) "
        "VALUES (gen_random_uuid(), 'generic', '1', 'x', '{{}}', 'accept')",
    ],
    "events_are_shown_once": [EVENT.format(id=901, into=902), EVENT.format(id=902, into=903)],
    "shown_events_are_complete": [
        EVENT.format(id=901, into="NULL"),
        "DO $$ DECLARE old text := pg_get_viewdef('shown_events'); BEGIN "
        "EXECUTE 'CREATE OR REPLACE VIEW shown_events AS ' || replace(old, 'e.latitude IS NOT NULL', 'true'); END $$",
    ],
    "messages_leave": [
        "INSERT INTO outbox (topic, key, payload, created_at) VALUES ('x', 'x', '{}', now() - interval '2 hours')"
    ],
    "accepted_pages_are_kept": [
        "INSERT INTO pages (id, url, final_url, outcome, fetch_duration_ms, stored_bytes) "
        "VALUES (gen_random_uuid(), 'u', 'u', 'ok', 1, 100)"
    ],
}


@pytest.fixture
async def content(database: Database) -> None:
    one = await source(database, visibility_status="ELIGIBLE")
    await write(database, one, *(offer(str(n), 100 + n) for n in range(5)))
    await write(database, one, *(offer(str(n), 200 + n, observed_at=days(1)) for n in range(5)))


@pytest.fixture
def unguarded(database_url: str) -> Iterator[Conn]:
    """Writes what no trigger and no foreign key would let in."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("SET session_replication_role = replica")
        yield conn


async def check(database: Database, *chosen: Invariant) -> list[invariant_checks.Finding]:
    async with database.connection() as conn:
        return await invariant_checks.check(conn, chosen or invariants())


@pytest.mark.usefixtures("content")
async def test_c070_every_invariant_holds_of_real_content(database: Database) -> None:
    assert [finding for finding in await check(database) if not finding.holds] == []


@pytest.mark.usefixtures("content")
@pytest.mark.parametrize("name", list(RULES))
async def test_c070_each_invariant_finds_what_breaks_it(database: Database, unguarded: Conn, name: str) -> None:
    assert set(BROKEN) == set(RULES)
    for statement in BROKEN[name]:
        if "{check}" in statement:
            _drop_checks(unguarded, statement.split()[2])
        else:
            unguarded.execute(statement.replace("{{}}", "{}").encode())
    (finding,) = await check(database, RULES[name])
    assert finding.error is None
    assert finding.violations >= 1
    assert finding.examples[0]["problem"]


def _drop_checks(conn: Conn, table: str) -> None:
    named = conn.execute("SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'", (table,))
    for (check,) in named.fetchall():
        conn.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{check}"'.encode())


def test_each_rule_names_its_requirement_and_what_holds() -> None:
    for rule in invariants():
        requirement, _, sentence = rule.rule.partition(": ")
        assert requirement[0] in "PFCSER"
        assert sentence.endswith((".", ")."))


async def test_a_rule_that_cannot_be_checked_is_not_taken_for_one_that_holds(database: Database) -> None:
    (finding,) = await check(
        database, Invariant(name="x", rule="x", query="SELECT 1 AS id, 'p' AS problem FROM nowhere")
    )
    assert not finding.holds
    assert "nowhere" in str(finding.error)


@pytest.mark.usefixtures("content")
async def test_c070_the_audit_raises_an_alert_and_resolves_it(
    database: Database, database_url: str, unguarded: Conn
) -> None:
    audit = InvariantAudit(database, hours=24)
    assert await audit.run_once() == 0
    for statement in BROKEN["offers_have_a_source"]:
        unguarded.execute(statement.encode())
    assert await audit.run_once() == 0  # not due again
    unguarded.execute("UPDATE invariant_checks SET checked_at = now() - %s", (timedelta(hours=25),))
    assert await audit.run_once() == 1
    with psycopg.connect(database_url, autocommit=True) as conn:
        title = rows.one(conn, "SELECT title FROM alerts WHERE resolved_at IS NULL")
        assert title.startswith("1 row breaks C-070: Every offer belongs to a source")
        assert title.endswith("For example 900: source 77 does not exist")
        unguarded.execute("DELETE FROM source_products WHERE id = 900")
        unguarded.execute("UPDATE invariant_checks SET checked_at = now() - %s", (timedelta(hours=25),))
        await audit.run_once()
        assert rows.one(conn, "SELECT count(*) FROM alerts WHERE resolved_at IS NULL") == 0
