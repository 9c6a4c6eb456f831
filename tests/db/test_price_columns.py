"""The tables of the price job have the columns, defaults and indexes the list names (P-057 … P-064)."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.db import schema_rows as rows

Conn = psycopg.Connection[Any]


def columns(conn: Conn, table: str) -> dict[str, tuple[str, str | None]]:
    found = conn.execute(
        "SELECT column_name, is_nullable, column_default FROM information_schema.columns WHERE table_name = %s",
        (table,),
    )
    return {name: (nullable, default) for name, nullable, default in found.fetchall()}


def indexes(conn: Conn, table: str) -> dict[str, str]:
    return dict(conn.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", (table,)).fetchall())


def test_p057_scrape_targets_has_its_columns_and_defaults(conn: Conn) -> None:
    found = columns(conn, "scrape_targets")
    listed = """id url canonical_url source_id adapter_id source_product_id schedule priority status enabled
    robots_path_blocked last_scraped_at last_status consecutive_failures created_at updated_at created_by notes"""
    assert set(listed.split()) <= set(found)
    for name in ("source_id", "adapter_id", "url", "canonical_url"):
        assert found[name][0] == "NO"
    assert found["source_product_id"][0] == "YES"
    target = rows.target(conn, rows.source(conn, rows.retailer(conn)))
    defaults = "SELECT priority, status, enabled, robots_path_blocked, consecutive_failures FROM scrape_targets"
    assert conn.execute(f"{defaults} WHERE id = %s", (target,)).fetchone() == (0, "ACTIVE", True, False, 0)


def test_p059_scrape_targets_has_its_indexes(conn: Conn) -> None:
    found = indexes(conn, "scrape_targets")
    for name in ("source", "adapter", "status", "schedule"):
        assert f"idx_scrape_targets_{name}" in found
    assert "WHERE enabled" in found["idx_scrape_targets_schedule"]
    assert any("UNIQUE" in text and "(source_id, canonical_url)" in text for text in found.values())


def test_p062_scrape_runs_has_its_counters_and_rates(conn: Conn) -> None:
    found = columns(conn, "scrape_runs")
    counters = ["urls_attempted", "urls_succeeded", "urls_failed", "offers_extracted", "offers_valid", "offers_dropped"]
    counters += ["offers_quarantined", "oos_no_price_count", "zero_price_count"]
    assert all(found[name] == ("NO", "0") for name in counters)
    others = """adapter_id adapter_version source_id retailer_id trigger status started_at completed_at duration_ms
    failure_rate yield_rate drop_rate error_code error_message created_at"""
    assert set(others.split()) <= set(found)


def test_p064_scrape_runs_has_its_indexes(conn: Conn) -> None:
    found = indexes(conn, "scrape_runs")
    for name in ("adapter", "source", "retailer", "status", "started"):
        assert f"idx_scrape_runs_{name}" in found
