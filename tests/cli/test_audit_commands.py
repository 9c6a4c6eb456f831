"""`winnow monitors` and `winnow doctor --invariants`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Winnow, fetch, one_line

READING = (
    "INSERT INTO monitor_readings (run_id, source_id, kind, starts, items, held, seen, results) "
    "SELECT 7, id, 'offer', 40, "
    '12, 0, 12, \'[{"monitor": "items", "state": "broken", "sentence": "Shop: 12 items"}]\' FROM sources'
)


@pytest.fixture
def shop(database_url: str) -> None:
    fetch(database_url, "INSERT INTO retailers (name) VALUES ('Shop')")
    fetch(
        database_url,
        "INSERT INTO sources (name, url, domain, retailer_id) "
        "SELECT 'Shop', 'https://s.test/', 's.test', id FROM retailers",
    )
    fetch(database_url, READING)


@pytest.mark.usefixtures("shop")
def test_monitors_are_listed_set_and_accepted(winnow: Winnow, database_url: str) -> None:
    assert "Shop: 12 items" in winnow("monitors", "list", "--broken").out
    (row,) = winnow("monitors", "list", "--json").data
    assert row["results"][0]["state"] == "broken"
    assert winnow("monitors", "set", "Shop", "--items", "0.2", "--off").code == 0
    assert fetch(database_url, "SELECT enabled, items_share FROM monitor_limits") == [(False, 0.2)]
    assert winnow("monitors", "set", "Shop", "--default").code == 0
    assert fetch(database_url, "SELECT enabled, items_share FROM monitor_limits") == [(False, None)]
    assert winnow("monitors", "accept", "Shop").code == 0
    assert "every monitor is content" in winnow("monitors", "list", "--broken").out
    one_line(winnow("monitors", "set", "Shop"), "say what to set")
    one_line(winnow("monitors", "accept", "nobody"), "nobody")


@pytest.mark.usefixtures("shop")
def test_c070_doctor_audits_what_is_stored(winnow: Winnow, database_url: str) -> None:
    assert winnow("doctor", "--invariants").code == 0
    fetch(database_url, "INSERT INTO outbox (topic, key, payload, created_at) VALUES ('x', 'x', '{}', '2026-01-01')")
    failed = winnow("doctor", "--invariants", "--json")
    assert failed.code == 1
    (broken,) = [check for check in failed.data if check["state"] == "fail"]
    assert broken["name"] == "messages_leave"
    assert fetch(database_url, "SELECT count(*) FROM alerts WHERE resolved_at IS NULL") == [(1,)]
