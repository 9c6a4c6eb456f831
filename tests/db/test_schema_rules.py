"""What the database itself refuses, whoever asks: second primaries, doubled identities, wrong words."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.db import schema_rows as rows
from tests.db.schema_rows import one

Conn = psycopg.Connection[Any]


# --- audit_log


@pytest.mark.parametrize(
    "statement", ["UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"]
)
def test_the_audit_trail_cannot_be_changed(conn: Conn, statement: str) -> None:
    rows.insert(conn, "audit_log", actor="ada", action="FEED_CREATED", object_type="feed", object_id="1")
    with pytest.raises(errors.RestrictViolation, match="audit_log is append-only"):
        conn.execute(statement)


# --- sources and offers


def test_f022_a_retailer_has_one_primary(conn: Conn) -> None:
    retailer_id = rows.retailer(conn)
    rows.source(conn, retailer_id, is_display_primary=True)
    rows.source(conn, retailer_id)
    rows.source(conn, rows.retailer(conn, "Other"), is_display_primary=True)
    with pytest.raises(errors.UniqueViolation, match="sources_one_primary_per_retailer"):
        rows.source(conn, retailer_id, is_display_primary=True)


@pytest.mark.parametrize("values", [{"kind": "offer"}, {"kind": "event", "source_kind": "AFFILIATE_FEED"}])
def test_f020_who_sells_needs_a_retailer(conn: Conn, values: dict[str, str]) -> None:
    with pytest.raises(errors.CheckViolation, match="sources_retailer_check"):
        rows.source(conn, None, **values)


def test_an_events_source_needs_no_retailer(conn: Conn) -> None:
    assert rows.source(conn, None, kind="event")


def test_p094_a_new_source_is_not_eligible_and_its_upcs_are_not_trusted(conn: Conn) -> None:
    source_id = rows.source(conn, rows.retailer(conn))
    query = "SELECT visibility_status, upc_trusted FROM source_trust_config WHERE source_id = %s"
    assert conn.execute(query, (source_id,)).fetchall() == [("INELIGIBLE", False)]


def test_p022_urls_that_differ_in_tracking_only_collide(conn: Conn) -> None:
    source_id = rows.source(conn, rows.retailer(conn))
    rows.target(conn, source_id, url="https://shop.test/1?utm_source=a")
    with pytest.raises(errors.UniqueViolation):
        rows.target(conn, source_id, url="https://shop.test/1?utm_source=b")


def test_c022_a_catalogue_url_has_one_row_and_a_watched_one_may_have_two(conn: Conn) -> None:
    retailer_id = rows.retailer(conn)
    first, second = rows.source(conn, retailer_id), rows.source(conn, retailer_id)
    rows.target(conn, first)
    rows.target(conn, second)
    rows.target(conn, first, "/2", kind="product")
    with pytest.raises(errors.UniqueViolation, match="idx_scrape_targets_url_hash"):
        rows.target(conn, second, "/2", kind="product")


def test_p023_the_identity_key_is_derived(conn: Conn, offer_id: int) -> None:
    assert one(conn, "SELECT identity_key FROM source_products") == "PID:1"
    with pytest.raises(errors.GeneratedAlways):
        conn.execute("UPDATE source_products SET identity_key = 'PID:2'")


@pytest.mark.parametrize("value", ["", "x" * 256, "a:b"])
def test_p025_identity_values_that_cannot_make_a_key_are_refused(conn: Conn, value: str) -> None:
    with pytest.raises(errors.CheckViolation):
        rows.offer(conn, rows.source(conn, rows.retailer(conn)), value)


def test_p061_a_source_has_an_identity_once(conn: Conn, offer_id: int) -> None:
    source_id = one(conn, "SELECT source_id FROM source_products")
    rows.offer(conn, source_id, identity_type="SKU")
    with pytest.raises(errors.UniqueViolation):
        rows.offer(conn, source_id)


def test_f028_what_a_run_saw_goes_with_the_run_and_with_the_offer(conn: Conn, feed_offer: tuple[int, int]) -> None:
    offer_id, run_id = feed_offer
    source_id, feed_id = conn.execute("SELECT source_id, feed_id FROM affiliate_feed_runs").fetchone() or (0, 0)
    other_run = rows.feed_run(conn, feed_id, source_id)
    gone = rows.offer(conn, source_id, "2")
    for run in (run_id, other_run):
        rows.insert(conn, "feed_run_seen", key="run_id", run_id=run, part=0, source_product_ids=[offer_id, gone])
    conn.execute("DELETE FROM affiliate_feed_runs WHERE id = %s", (run_id,))
    conn.execute("DELETE FROM source_products WHERE id = %s", (gone,))
    seen = conn.execute("SELECT run_id, source_product_id FROM source_product_seen").fetchall()
    assert seen == [(other_run, offer_id)]


def test_f026_what_surrounds_an_offer_goes_with_it(conn: Conn, offer_id: int) -> None:
    conn.execute(
        "INSERT INTO source_product_presence (source_product_id, last_seen_at) VALUES (%s, now())", (offer_id,)
    )
    conn.execute("INSERT INTO source_product_codes VALUES (%s, 'UPC', '020892215513')", (offer_id,))
    conn.execute("DELETE FROM source_products")
    assert one(conn, "SELECT count(*) FROM source_product_presence") == 0
    assert one(conn, "SELECT count(*) FROM source_product_identifiers") == 0


# --- wrong words


@pytest.mark.parametrize("column", ["kind", "source_kind", "preferred_method", "affiliate_network"])
def test_a_source_takes_no_other_word(conn: Conn, column: str) -> None:
    with pytest.raises(errors.CheckViolation, match=f"sources_{column}_check"):
        rows.source(conn, rows.retailer(conn), **{column: "WRONG"})


@pytest.mark.parametrize(("column", "value"), [("status", "DONE"), ("kind", "Page 2"), ("last_verdict", "ok")])
def test_p058_a_target_takes_no_other_word(conn: Conn, column: str, value: str) -> None:
    with pytest.raises(errors.CheckViolation, match=f"scrape_targets_{column}_check"):
        rows.target(conn, rows.source(conn, rows.retailer(conn)), **{column: value})


@pytest.mark.parametrize("table", ["sources", "scrape_targets", "drafts", "insights", "records", "quarantine"])
def test_a_kind_is_any_word_of_small_letters(conn: Conn, table: str) -> None:
    """The schema has no list of kinds: whoever registers one need not change it."""
    query = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s"
    pattern = one(conn, query, f"{table}_kind_check").split("'")[1]
    words = {"offer": True, "toy_kind": True, "k" * 32: True}
    words |= {"": False, "Offer": False, "a b": False, "_x": False, "k2": False, "k" * 33: False}
    assert {word: one(conn, "SELECT %s ~ %s", word, pattern) for word in words} == words


def test_a_source_and_its_targets_may_be_of_a_kind_nobody_has_heard_of(conn: Conn) -> None:
    rows.target(conn, rows.source(conn, None, kind="toy_kind"), kind="toy_kind")


@pytest.mark.parametrize(
    ("column", "value", "check"),
    [
        ("expiry_hours", 0, "expiry_hours_range"),  # F-010
        ("expiry_hours", 169, "expiry_hours_range"),
        ("schedule_frequency_hours", 3, "affiliate_feeds_schedule_frequency_hours_check"),  # F-037
        ("status", "RUNNING", "affiliate_feeds_status_check"),
        ("transport", "HTTP", "affiliate_feeds_transport_check"),
        ("compression", "RAR", "affiliate_feeds_compression_check"),
        ("network", "NONE", "affiliate_feeds_network_check"),
    ],
)
def test_f004_a_feed_takes_no_other_word(conn: Conn, column: str, value: Any, check: str) -> None:
    source_id = rows.source(conn, rows.retailer(conn), source_kind="AFFILIATE_FEED")
    with pytest.raises(errors.CheckViolation) as refused:
        rows.feed(conn, source_id, **{column: value})
    assert refused.value.diag.constraint_name == check


@pytest.mark.parametrize(
    ("column", "value"),
    [("status", "QUEUED"), ("status", "CANCELED"), ("trigger", "CRON"), ("skipped_reason", "BORED")],
)
def test_f013_a_feed_run_takes_no_other_word(conn: Conn, feed_offer: tuple[int, int], column: str, value: str) -> None:
    with pytest.raises(errors.CheckViolation):
        conn.execute(f"UPDATE affiliate_feed_runs SET {column} = %s", (value,))


def test_f008_the_lock_key_counts_up_and_nobody_sets_it(conn: Conn) -> None:
    retailer_id = rows.retailer(conn)
    feeds = [rows.feed(conn, rows.source(conn, retailer_id, source_kind="AFFILIATE_FEED")) for _ in range(2)]
    keys = conn.execute("SELECT feed_lock_id FROM affiliate_feeds ORDER BY id").fetchall()
    assert len(feeds) == len(set(keys)) == 2
    with pytest.raises(errors.GeneratedAlways):
        conn.execute("UPDATE affiliate_feeds SET feed_lock_id = 1")


def test_p065_an_adapter_is_not_disabled_without_a_reason(conn: Conn) -> None:
    with pytest.raises(errors.CheckViolation, match="scrape_adapter_status_disabled_check"):
        rows.insert(conn, "scrape_adapter_status", key="adapter_id", adapter_id="shop", enabled=False)


def test_a_verdict_that_is_not_accept_says_why(conn: Conn) -> None:
    values = {"kind": "offer", "record_key": "URL:1", "payload": "{}", "observed_at": "2026-01-01T00:00:00Z"}
    values |= {"verdict": "hold"}
    with pytest.raises(errors.CheckViolation, match="records_reasons_check"):
        rows.insert(conn, "records", task_id="00000000-0000-0000-0000-000000000001", **values)


def test_an_alert_is_open_once(conn: Conn) -> None:
    values = {"severity": "P1", "code": "ADAPTER_DISABLED", "dedupe_key": "adapter:shop", "title": "shop"}
    rows.insert(conn, "alerts", **values)
    conn.execute("UPDATE alerts SET resolved_at = now(), resolved_by = 'ada'")
    rows.insert(conn, "alerts", **values)
    with pytest.raises(errors.UniqueViolation, match="alerts_one_open"):
        rows.insert(conn, "alerts", **values)


def test_a_record_of_a_task_is_written_once(conn: Conn) -> None:
    values = {"kind": "event", "source_id": 1, "record_key": "KEY:1", "payload": "{}", "verdict": "accept"}
    values |= {"observed_at": "2026-01-01T00:00:00Z", "task_id": "00000000-0000-0000-0000-000000000001"}
    rows.insert(conn, "records", n=0, **values)
    rows.insert(conn, "records", n=1, **values)
    with pytest.raises(errors.UniqueViolation, match="idx_records_task_id"):
        rows.insert(conn, "records", n=1, **values)
