"""The words each family of users knows offers, tasks and sources by."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import psycopg
import pytest

from tests.db import schema_rows as rows
from tests.db.schema_rows import one

Conn = psycopg.Connection[Any]


# --- the catalogue's words


def test_c031_a_catalogue_product_is_an_offer_with_its_newest_observation(conn: Conn) -> None:
    rows.insert(conn, "domains", domain_name="shop.test", base_url="https://shop.test")
    source_id = rows.source(conn, None, kind="product")
    offer_id = rows.offer(conn, source_id, url_hash=rows.URL_HASH, brand="Acme", attributes='{"a": "b"}')
    rows.price(conn, offer_id, 2500, created_at="2026-01-01T00:00:00Z")
    rows.price(conn, offer_id, 1999, availability="OUT_OF_STOCK", created_at="2026-01-02T00:00:00Z")
    query = """SELECT product_name, price, currency, availability, brand, metadata, domain_id IS NOT NULL
               FROM catalog_products"""
    assert conn.execute(query).fetchall() == [
        ("Thing", Decimal("19.99"), "USD", "out_of_stock", "Acme", {"a": "b"}, True)
    ]


def test_c032_a_product_without_a_price_is_there(conn: Conn) -> None:
    rows.offer(conn, rows.source(conn, None, kind="product"))
    assert conn.execute("SELECT price, currency FROM catalog_products").fetchall() == [(None, "USD")]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"status": "queued"}, "queued"),
        ({"status": "queued", "due_at": "infinity"}, "pending"),
        ({"status": "running"}, "crawling"),
        ({"status": "queued", "stage": "extract"}, "downloaded"),
        ({"status": "running", "stage": "extract"}, "parsing"),
        ({"status": "running", "stage": "persist"}, "parsing"),
        ({"status": "done", "stage": "done"}, "completed"),
        ({"status": "done", "stage": "done", "outcome": "robots_blocked"}, "failed"),
        ({"status": "failed"}, "failed"),
    ],
)
def test_c010_c011_a_crawl_task_has_the_catalogues_status(conn: Conn, given: dict[str, Any], word: str) -> None:
    target_id = rows.target(conn, rows.source(conn, None, kind="product"), kind="product")
    task_id = rows.task(conn, target_id=target_id, **given)
    conn.execute("UPDATE scrape_targets SET last_task_id = %s", (task_id,))
    found = conn.execute("SELECT status, scheduled_at <= now() FROM crawl_tasks").fetchall()
    assert found == [(word, True)]


@pytest.mark.parametrize(("status", "word"), [("done", "completed"), ("failed", "failed"), ("stale", "failed")])
def test_c010_a_task_that_was_archived_keeps_its_word(conn: Conn, status: str, word: str) -> None:
    target_id = rows.target(conn, rows.source(conn, None, kind="product"), kind="product")
    task_id = rows.task(conn, "task_archive", target_id=target_id, status=status)
    conn.execute("UPDATE scrape_targets SET last_task_id = %s", (task_id,))
    assert one(conn, "SELECT status FROM crawl_tasks") == word


def test_a_new_visit_counts_more_than_the_last_one(conn: Conn) -> None:
    target_id = rows.target(conn, rows.source(conn, None, kind="product"), kind="product")
    task_id = rows.task(conn, target_id=target_id, status="done", stage="done")
    conn.execute("UPDATE scrape_targets SET last_task_id = %s", (task_id,))
    rows.task(conn, target_id=target_id)
    assert conn.execute("SELECT status FROM crawl_tasks").fetchall() == [("queued",)]


def test_c019_a_finished_task_that_is_due_again_is_pending(conn: Conn) -> None:
    target_id = rows.target(conn, rows.source(conn, None, kind="product"), kind="product")
    assert one(conn, "SELECT status FROM crawl_tasks") == "pending"
    task_id = rows.task(conn, target_id=target_id, status="done", stage="done")
    conn.execute("UPDATE scrape_targets SET last_task_id = %s, next_crawl_at = now() + interval '1 h'", (task_id,))
    assert one(conn, "SELECT status FROM crawl_tasks") == "completed"
    conn.execute("UPDATE scrape_targets SET next_crawl_at = now()")
    assert one(conn, "SELECT status FROM crawl_tasks") == "pending"


@pytest.mark.parametrize(("internal", "theirs"), [(4, 1), (0, 5), (-5, 10), (99, 1)])
def test_c017_priority_is_one_to_ten_with_one_most_urgent(conn: Conn, internal: int, theirs: int) -> None:
    rows.target(conn, rows.source(conn, None, kind="product"), kind="product", priority=internal)
    assert one(conn, "SELECT priority FROM crawl_tasks") == theirs


# --- the events pipeline's words


@pytest.mark.parametrize(
    ("given", "stage", "stages"),
    [
        ({"status": "queued"}, "fetch", "pending pending pending pending"),
        ({"status": "running", "stage": "extract"}, "parse", "completed running pending pending"),
        ({"status": "queued", "stage": "normalise"}, "normalize", "completed completed pending pending"),
        ({"status": "done", "stage": "done"}, "completed", "completed completed completed completed"),
        ({"status": "failed", "stage": "extract"}, "dead_letter", "completed failed pending pending"),
        (
            {"status": "done", "stage": "done", "outcome": "robots_blocked"},
            "dead_letter",
            "failed pending pending pending",
        ),
    ],
)
def test_e098_a_pipeline_job_keeps_the_status_of_every_stage(
    conn: Conn, given: dict[str, Any], stage: str, stages: str
) -> None:
    rows.task(conn, producer="events", kind="event", rank=90, **given)
    rows.task(conn)  # another producer's task is no pipeline job
    found = conn.execute("SELECT current_stage, stage_status, priority FROM pipeline_jobs").fetchall()
    names = ("fetch", "parse", "normalize", "persist")
    assert found == [(stage, dict(zip(names, stages.split(), strict=True)), 10)]


def test_e029_jobs_of_one_run_share_its_id(conn: Conn) -> None:
    job_id = one(conn, "SELECT gen_random_uuid()")
    rows.task(conn, producer="events", job_id=job_id)
    rows.task(conn, "task_archive", producer="events", job_id=job_id, status="done", stage="done")
    found = conn.execute("SELECT run_id, count(*) FROM pipeline_jobs GROUP BY 1").fetchall()
    assert found == [(str(job_id), 2)]


# --- the health of sources


@pytest.mark.parametrize(
    ("source", "circuit", "available"),
    [
        ({}, None, True),
        ({"enabled": False}, None, False),
        ({"auto_disabled": True}, None, False),
        ({}, ("OPEN", "1 hour"), False),
        ({}, ("OPEN", "-1 hour"), True),
        ({}, ("HALF_OPEN", "1 hour"), True),
        ({"enabled": False}, ("CLOSED", "-1 hour"), False),
    ],
)
def test_e111_a_source_is_available_unless_open_or_disabled(
    conn: Conn, source: dict[str, Any], circuit: tuple[str, str] | None, available: bool
) -> None:
    source_id = rows.source(conn, None, kind="event", **source)
    if circuit:
        conn.execute(
            "INSERT INTO source_circuits (source_id, state, failure_count, cooldown_until) "
            "VALUES (%s, %s, 5, now() + %s::interval)",
            (source_id, *circuit),
        )
    query = "SELECT is_available, circuit_state, failure_count FROM source_health_status"
    expected = (available, circuit[0] if circuit else "CLOSED", 5 if circuit else 0)
    assert conn.execute(query).fetchall() == [expected]


def test_e027_priority_adds_age_yield_and_reliability_and_takes_failures_away(conn: Conn) -> None:
    source_id = rows.source(conn, rows.retailer(conn))
    ended = [("FAILED", 9, 0), ("SUCCESS", 8, 30), ("SUCCESS", 7, 25), ("FAILED", 4, 0), ("QUARANTINED", 3, 0)]
    for status, days, valid in ended:
        run(conn, source_id, status, days, valid)
    score = one(conn, "SELECT priority_score FROM source_health_status")
    assert score == pytest.approx(3 * 10 + 55 / 10 + 0.4 * 5 - 2 * 20)


def run(conn: Conn, source_id: int, status: str, days: int, valid: int) -> None:
    conn.execute(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, offers_valid, started_at, completed_at) "
        "VALUES (%s, 'generic', %s, %s, now() - %s * interval '1 day', now() - %s * interval '1 day')",
        (source_id, status, valid, days, days),
    )


def test_e027_a_run_that_is_under_way_counts_as_a_visit_and_as_nothing_else(conn: Conn) -> None:
    source_id = rows.source(conn, None, kind="event")
    query = "SELECT days_since_last_scrape, reliability_score, consecutive_failures FROM source_health_status"
    assert conn.execute(query).fetchall() == [(30, 0.5, 0)]
    conn.execute("INSERT INTO scrape_runs (source_id, adapter_id) VALUES (%s, 'generic')", (source_id,))
    assert conn.execute(query).fetchall() == [(0, 0.5, 0)]


def test_e110_a_source_that_is_slowed_down_says_so_and_stays_available(conn: Conn) -> None:
    rows.source(conn, None, kind="event")
    query = "SELECT rate_limited, is_available FROM source_health_status"
    assert conn.execute(query).fetchall() == [(False, True)]
    rows.insert(conn, "lanes", key="lane", lane="shop.test")
    conn.execute("UPDATE lanes SET slowed_until = now() + interval '5 min'")
    assert conn.execute(query).fetchall() == [(True, True)]


def test_a_lane_that_is_held_for_good_can_still_be_read(conn: Conn) -> None:
    """Python has no infinite time: a view that shows one cannot be read."""
    rows.source(conn, None, kind="event")
    rows.insert(conn, "lanes", key="lane", lane="shop.test")
    conn.execute("UPDATE lanes SET held_until = 'infinity'")
    query = "SELECT rate_limited, rate_limited_until FROM source_health_status"
    assert conn.execute(query).fetchall() == [(True, None)]


def test_e110_the_view_has_every_column_of_a_source(conn: Conn) -> None:
    def columns(table: str) -> set[str]:
        return {c.name for c in conn.execute(f"SELECT * FROM {table} LIMIT 0").description or ()}

    assert columns("sources") <= columns("source_health_status")


# --- search


def test_c053_search_documents_are_never_null_and_the_name_weighs_more(conn: Conn) -> None:
    query = """SELECT ts_rank(search_document('english', %s, %s), websearch_to_tsquery('english', 'rifle'))"""
    name, description = one(conn, query, "Rifles", None), one(conn, query, None, "for rifles")
    assert name > description > 0
    assert one(conn, query, None, None) == 0
