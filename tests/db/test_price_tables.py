"""The tables of the prices job have the columns, defaults and words of its list (P-057 … P-067)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.db.schema_rows import insert, one, retailer, source, target


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url) as connection:
        yield connection


def columns(conn: psycopg.Connection[Any], table: str) -> dict[str, tuple[bool, str | None]]:
    """Name -> (may be NULL, default)."""
    found = conn.execute(
        "SELECT column_name, is_nullable = 'YES', column_default FROM information_schema.columns WHERE table_name = %s",
        (table,),
    )
    return {name: (nullable, default) for name, nullable, default in found.fetchall()}


def words(conn: psycopg.Connection[Any], constraint: str) -> set[str]:
    text = one(conn, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", constraint)
    return set(text.split("'")[1::2])


def test_p057_columns_and_defaults_of_targets(conn: psycopg.Connection[Any]) -> None:
    found = columns(conn, "scrape_targets")
    wanted = """id url canonical_url source_id adapter_id source_product_id schedule priority status enabled
    robots_path_blocked last_scraped_at last_status consecutive_failures created_at updated_at created_by notes"""
    assert set(wanted.split()) <= set(found)
    assert not found["source_id"][0]
    assert not found["adapter_id"][0]
    assert found["source_product_id"][0]
    source_id = source(conn, retailer(conn))
    row = target(conn, source_id)
    said = conn.execute(
        "SELECT priority, status, enabled, robots_path_blocked, consecutive_failures FROM scrape_targets WHERE id = %s",
        (row,),
    ).fetchone()
    assert said == (0, "ACTIVE", True, False, 0)


def test_p058_p063_pn02_words_of_status_and_trigger(conn: psycopg.Connection[Any]) -> None:
    assert words(conn, "scrape_targets_status_check") == {"ACTIVE", "PAUSED", "BROKEN", "STALE"}
    assert words(conn, "scrape_runs_status_check") == {"RUNNING", "SUCCESS", "FAILED", "QUARANTINED"}
    assert words(conn, "scrape_runs_trigger_check") >= {"SCHEDULED", "MANUAL", "RETRY", "RECHECK"}


def test_p059_a_source_has_a_page_once(conn: psycopg.Connection[Any]) -> None:
    shop = retailer(conn)
    first, second = source(conn, shop), source(conn, shop, name="other")
    target(conn, first)
    target(conn, second)
    with pytest.raises(psycopg.errors.UniqueViolation):
        target(conn, first, url="https://shop.test/1?utm_source=x")


def test_p060_the_retailer_of_a_target_is_its_sources(conn: psycopg.Connection[Any]) -> None:
    assert "retailer_id" not in columns(conn, "scrape_targets")
    shop = retailer(conn)
    row = target(conn, source(conn, shop))
    joined = "SELECT s.retailer_id FROM scrape_targets t JOIN sources s ON s.id = t.source_id WHERE t.id = %s"
    assert one(conn, joined, row) == shop


def test_p062_columns_and_defaults_of_runs(conn: psycopg.Connection[Any]) -> None:
    found = columns(conn, "scrape_runs")
    wanted = """id adapter_id adapter_version source_id retailer_id trigger status started_at completed_at duration_ms
    urls_attempted urls_succeeded urls_failed offers_extracted offers_valid offers_dropped offers_quarantined
    oos_no_price_count zero_price_count failure_rate yield_rate drop_rate error_code error_message created_at"""
    assert set(wanted.split()) <= set(found)
    run = insert(conn, "scrape_runs", source_id=source(conn, retailer(conn)), adapter_id="a")
    counters = ", ".join(name for name in found if name.startswith(("urls_", "offers_")) or name.endswith("_count"))
    row = conn.execute(f"SELECT status, {counters} FROM scrape_runs WHERE id = %s", (run,)).fetchone()  # type: ignore[arg-type]
    assert row is not None
    assert row[0] == "RUNNING"
    assert set(row[1:]) == {0}


def test_p064_runs_are_found_by_what_people_look_for(conn: psycopg.Connection[Any]) -> None:
    query = "SELECT indexname, substring(indexdef FROM '\\((\\w+)') FROM pg_indexes WHERE tablename = 'scrape_runs'"
    found: dict[str, str] = dict(conn.execute(query).fetchall())
    wanted = {
        "adapter": "adapter_id",
        "source": "source_id",
        "retailer": "retailer_id",
        "status": "status",
        "started": "started_at",
    }
    assert {name: found[f"idx_scrape_runs_{name}"] for name in wanted} == wanted


def test_p065_pn04_columns_of_the_standing_of_adapters(conn: psycopg.Connection[Any]) -> None:
    wanted = """adapter_id enabled disabled_at disabled_reason disabled_by baseline_failure_rate baseline_yield_rate
    baseline_sample_size baseline_updated_at consecutive_failed_batches last_batch_failure_rate created_at updated_at
    consecutive_zero_offer_runs consecutive_zero_price_runs"""
    assert set(wanted.split()) <= set(columns(conn, "scrape_adapter_status"))
    assert columns(conn, "scrape_runs")["zero_price_count"] == (False, "0")


def test_p066_what_sources_know_about_scraping(conn: psycopg.Connection[Any]) -> None:
    found = columns(conn, "sources")
    assert {"adapter_id", "scrape_config", "tos_reviewed_at", "tos_approved_by", "robots_compliant"} <= set(found)
    row = source(conn, retailer(conn))
    said = conn.execute("SELECT scrape_config, robots_compliant FROM sources WHERE id = %s", (row,)).fetchone()
    assert said == ({}, True)


def test_p067_pn05_quarantine_keeps_all_that_a_review_needs(conn: psycopg.Connection[Any]) -> None:
    wanted = (
        """id run_id target_id source_id adapter_id adapter_version reason payload created_at resolved_at resolved_by"""
    )
    assert set(wanted.split()) <= set(columns(conn, "quarantine"))
