"""The tables of the events job have the columns, defaults and words of its list, under this platform's names (E-099 …
E-112, DESIGN §2). A table the list defines twice is held to the longer definition."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.db import schema_rows as rows
from tests.db.schema_rows import one

Conn = psycopg.Connection[Any]


def columns(conn: Conn, table: str) -> dict[str, tuple[str, bool, str | None]]:
    """Name -> (type, whether it is required, default)."""
    query = """SELECT column_name, data_type, is_nullable = 'NO', column_default FROM information_schema.columns
               WHERE table_name = %s"""
    return {name: tuple(rest) for name, *rest in conn.execute(query, (table,)).fetchall()}  # type: ignore[misc]


def words(conn: Conn, constraint: str) -> set[str]:
    text = one(conn, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", constraint)
    return set(text.split("'")[1::2])


def index(conn: Conn, name: str) -> str:
    return str(one(conn, "SELECT indexdef FROM pg_indexes WHERE indexname = %s", name))


def test_e099_a_job_has_six_stages_and_the_last_two_are_out_of_the_queue(conn: Conn) -> None:
    given: list[tuple[str, str, str]] = [
        ("queued", "fetch", "fetch"),
        ("running", "extract", "parse"),
        ("queued", "normalise", "normalize"),
        ("running", "persist", "persist"),
        ("done", "done", "completed"),
        ("failed", "extract", "dead_letter"),
    ]
    for status, stage, _ in given:
        rows.task(conn, producer="events", kind="event", status=status, stage=stage)
    found = conn.execute("SELECT current_stage FROM pipeline_jobs").fetchall()
    assert sorted(word for (word,) in found) == sorted(word for _, _, word in given)
    in_queue = "current_stage IN ('completed', 'dead_letter') AND t.status IN ('queued', 'running')"
    assert one(conn, f"SELECT count(*) FROM pipeline_jobs JOIN tasks t USING (id) WHERE {in_queue}") == 0


def test_e101_the_index_of_the_claim_holds_only_what_can_be_claimed(conn: Conn) -> None:
    """A lower rank is a higher priority, and ids grow with the time of creation (DESIGN §11.10)."""
    shape = index(conn, "idx_tasks_ready")
    assert "(lane, rank, id) WHERE ((status = 'queued'::text) AND (due_at IS NULL))" in shape
    rows.task(conn, producer="events", rank=40)
    rows.task(conn, producer="events", rank=90)
    ordered = conn.execute("SELECT priority FROM pipeline_jobs ORDER BY priority DESC").fetchall()
    assert ordered == [(60,), (10,)], "the job of the lower rank is the one of the higher priority"


def test_e102_a_page_has_its_address_answer_way_and_hash(conn: Conn) -> None:
    """Its body lies in the archive under its hash; its job is its task."""
    found = columns(conn, "pages")
    listed = """id task_id source_id url final_url status_code fetcher_used fetch_duration_ms content_hash created_at
    is_failover"""
    assert set(listed.split()) <= set(found)
    assert found["url"][1]
    assert words(conn, "pages_fetcher_used_check") == {"static", "dynamic", "scrapingbee"}
    assert index(conn, "idx_pages_content_hash").endswith("(source_id, content_hash)")


def test_e104_what_is_staged_is_a_record_and_the_fields_of_an_event_are_those_of_its_row(conn: Conn) -> None:
    found = columns(conn, "records")
    own = "id task_id source_id record_key payload fingerprint confidence normalization_method status created_at"
    assert set(own.split()) <= set(found)
    assert found["payload"][:2] == ("jsonb", True)
    assert words(conn, "records_status_check") == {"pending", "persisted", "duplicate", "failed"}
    assert found["status"][2] == "'pending'::text"
    event = columns(conn, "events")
    listed = """id task_id source_id title description event_date event_time starts_at venue_name latitude longitude
    category image_url structured_date structured_location event_fingerprint confidence normalization_method status
    created_at"""
    assert set(listed.split()) <= set(event)
    assert all(event[name][1] for name in ("title", "event_date", "starts_at", "event_fingerprint"))
    assert event["starts_at"][0] == "timestamp with time zone"
    assert event["structured_location"][0] == event["structured_date"][0] == "jsonb"
    assert words(conn, "events_normalization_method_check") == {"rules", "ai", "hybrid"}


def test_e106_an_event_is_one_row_of_its_source_key_and_occurrence(conn: Conn) -> None:
    """Its fingerprint is kept and found beside it (DESIGN §11.30)."""
    event = columns(conn, "events")
    assert {"event_type", "status", "source_id", "event_fingerprint", "updated_at"} <= set(event)
    assert (event["event_type"][2], event["status"][2]) == ("'anchor'::text", "'published'::text")
    assert index(conn, "idx_events_fingerprint").endswith("(source_id, event_fingerprint)")
    source_id = rows.source(conn, None, kind="event")
    given = {
        "source_id": source_id, "source_key": "URL:1", "record_key": "k", "event_fingerprint": "0" * 64, "digest": "d",
        "title": "Jazz", "event_date": "2026-05-01", "starts_at": "2026-05-01T18:30Z", "venue_name": "De Kroon",
    }  # fmt: skip
    rows.insert(conn, "events", occurrence="2026-05-01", **given)
    rows.insert(conn, "events", occurrence="2026-05-01T20:00", **given)
    with pytest.raises(psycopg.errors.UniqueViolation):
        rows.insert(conn, "events", occurrence="2026-05-01", **given)


def test_e107_a_circuit_of_a_source_has_its_state_and_starts_closed(conn: Conn) -> None:
    source_id = rows.source(conn, None, kind="event")
    rows.insert(conn, "source_circuits", key="source_id", source_id=source_id)
    found = "state, failure_count, last_failure_at, cooldown_until, consecutive_opens"
    assert conn.execute(f"SELECT {found} FROM source_circuits").fetchall() == [("CLOSED", 0, None, None, 0)]
    with pytest.raises(psycopg.errors.UniqueViolation), conn.transaction():
        rows.insert(conn, "source_circuits", key="source_id", source_id=source_id)
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        rows.insert(conn, "source_circuits", key="source_id", source_id=source_id + 1)


def test_e108_a_dead_letter_has_its_stage_error_payload_and_retries(conn: Conn) -> None:
    task_id = one(conn, "SELECT gen_random_uuid()")
    given = {"task_id": task_id, "stage": "fetch", "error_type": "timeout", "payload": "{}"}
    rows.insert(conn, "dead_letters", **given)
    found = """retry_count, max_retries, status, source_id, error_message, error_stack, next_retry_at, resolved_at,
    resolution_notes, created_at IS NOT NULL"""
    assert conn.execute(f"SELECT {found} FROM dead_letters").fetchall() == [
        (0, 3, "pending", None, None, None, None, None, None, True)
    ]
    assert columns(conn, "dead_letters")["payload"][0] == "jsonb"
    assert words(conn, "dead_letters_status_check") == {"pending", "retrying", "resolved", "discarded"}
    with pytest.raises(psycopg.errors.NotNullViolation):
        rows.insert(conn, "dead_letters", **given | {"stage": None})


def test_e109_an_insight_names_its_strategies_their_yield_and_both_job_and_run(conn: Conn) -> None:
    found = columns(conn, "insights")
    listed = """id source_id run_id task_id job_id winning_strategy strategy_trace events_found execution_time_ms
    created_at"""
    assert set(listed.split()) <= set(found)
    assert found["strategy_trace"][0] == "jsonb"
    rows.insert(conn, "insights", kind="event", source_id=rows.source(conn, None, kind="event"))
    shown = "SELECT winning_strategy, strategy_trace, events_found, execution_time_ms FROM insights"
    assert conn.execute(shown).fetchall() == [(None, [], 0, 0)]
