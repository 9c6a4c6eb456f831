"""The runbook of agendas: its queries run, and answer what they say (E-119 … E-123)."""

from __future__ import annotations

import re
from typing import Any

import psycopg

from docs.generate import ROOT
from tests.db import schema_rows as rows

Conn = psycopg.Connection[Any]
RUNBOOK = (ROOT / "docs/runbooks/events.md").read_text(encoding="utf-8")
JOBS, CIRCUITS, LETTERS = re.findall(r"```sql\n(.*?)```", RUNBOOK, re.DOTALL)


def test_e120_jobs_of_the_last_day_are_counted_by_stage(conn: Conn) -> None:
    for status, stage in (("queued", "fetch"), ("running", "extract"), ("queued", "fetch")):
        rows.task(conn, producer="events", kind="event", status=status, stage=stage)
    rows.task(conn, producer="events", kind="event", status="queued", stage="persist", attempts=3, max_attempts=3)
    assert conn.execute(JOBS).fetchall() == [("fetch", 2, 0, 0), ("parse", 1, 0, 0), ("persist", 1, 0, 1)]
    conn.execute("UPDATE tasks SET created_at = now() - interval '25 hours'")
    assert conn.execute(JOBS).fetchall() == []


def test_e121_sources_with_an_open_circuit_are_listed(conn: Conn) -> None:
    source = rows.source(conn, rows.retailer(conn))
    assert conn.execute(CIRCUITS).fetchall() == []
    conn.execute(
        "INSERT INTO source_circuits (source_id, state, failure_count, cooldown_until) "
        "VALUES (%s, 'OPEN', 5, now() + interval '1 hour')",
        (source,),
    )
    ((_, state, failures, until),) = conn.execute(CIRCUITS).fetchall()
    assert (state, failures, until is not None) == ("OPEN", 5, True)


def test_e122_dead_letters_that_wait_are_counted_by_stage_and_error(conn: Conn) -> None:
    for stage, error, status in (
        ("fetch", "timeout", "pending"),
        ("fetch", "timeout", "pending"),
        ("extract", "parse_error", "pending"),
        ("fetch", "timeout", "resolved"),
    ):
        conn.execute(
            "INSERT INTO dead_letters (task_id, stage, error_type, payload, status) "
            "VALUES (gen_random_uuid(), %s, %s, '{}', %s)",
            (stage, error, status),
        )
    assert conn.execute(LETTERS).fetchall() == [("fetch", "timeout", 2), ("extract", "parse_error", 1)]


def test_e119_e123_the_runbook_names_where_alerts_go_and_what_a_quota_asks_for() -> None:
    for named in ("WINNOW_SLACK_WEBHOOK_URL", "WINNOW_ALERT_DEAD_LETTERS", "WINNOW_LLM_BATCH", "winnow sources pause"):
        assert named in RUNBOOK, named
