"""`winnow events`, as a person uses it: list, show, merge and take apart, hide and restore."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Winnow, fetch, one_line
from winnow.store.events.place import area

LATITUDE, LONGITUDE = 52.37, 4.89
_INSERT = """
INSERT INTO events (source_id, source_key, occurrence, record_key, event_fingerprint, digest, title, event_date,
                    event_time, starts_at, venue_name, category, latitude, longitude, precision, area, search_text)
VALUES (%s, %s, 'once', %s, repeat('0', 64), 'x', %s, current_date + 1, '20:30', now() + interval '1 day', 'De Kade',
        'music', %s, %s, 'exact', %s, lower(%s)) RETURNING id
"""


@pytest.fixture
def events(winnow: Winnow, database_url: str) -> list[int]:
    """The same evening, listed by two sources."""
    ids = []
    for site, title in (("kade", "Jazz at the quay"), ("town", "Jazz @ the quay")):
        source = winnow("watch", f"https://{site}.example.com/agenda", "--json").data["source_id"]
        place = LATITUDE, LONGITUDE, area(LATITUDE, LONGITUDE)
        ((event_id,),) = fetch(database_url, _INSERT, source, title, title, title, *place, title)
        ids.append(event_id)
    return ids


def test_events_are_listed_as_consumers_see_them(winnow: Winnow, events: list[int]) -> None:
    assert [event["id"] for event in winnow("events", "list", "--json").data] == events
    assert "Jazz at the quay" in winnow("events", "list").out
    assert [event["id"] for event in winnow("events", "list", "--text", "quay", "--json").data] == events
    assert winnow("events", "list", "--category", "film").out.strip() == "no events"


def test_e074_a_merge_is_shown_once_and_can_be_taken_back(winnow: Winnow, events: list[int]) -> None:
    kept, other = events
    merged = winnow("events", "merge", str(kept), str(other), "--json").data
    assert (merged["kept_id"], merged["merged_id"]) == (kept, other)
    assert [event["id"] for event in winnow("events", "list", "--json").data] == [kept]
    assert [event["id"] for event in winnow("events", "list", "--state", "merged", "--json").data] == [other]
    assert {member["id"] for member in winnow("events", "show", str(kept), "--json").data["members"]} == set(events)
    winnow("events", "unmerge", str(other))
    assert [event["id"] for event in winnow("events", "list", "--json").data] == events


def test_a_hidden_event_is_not_shown_until_it_is_restored(winnow: Winnow, events: list[int]) -> None:
    winnow("events", "hide", str(events[0]), "--reason", "a test entry")
    assert [event["id"] for event in winnow("events", "list", "--json").data] == [events[1]]
    winnow("events", "restore", str(events[0]))
    assert [event["id"] for event in winnow("events", "list", "--json").data] == events


@pytest.mark.parametrize("command", [["show", "99"], ["hide", "99"], ["merge", "99", "98"], ["decide", "99", "--same"]])
def test_what_is_not_there_is_said_in_one_line(winnow: Winnow, command: list[str]) -> None:
    one_line(winnow("events", *command), "there is no")


def test_no_doubt_waits_at_first(winnow: Winnow) -> None:
    assert winnow("events", "doubts").out.strip() == "no pair waits for a decision"
