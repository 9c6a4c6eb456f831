"""The record of an event: local day and hour, kind of time, key, and what holds it (E-060, E-067, E-113)."""

from __future__ import annotations

import msgspec
import pytest

from tests.normalise.events.reading import AGENDA, DUTCH, key, record, verdict
from winnow.judge.verdict import Decision
from winnow.normalise.urls import short_url_hash

SINGLE = msgspec.structs.replace(DUTCH, listing=False, url="https://venue.example/agenda/jazz")


@pytest.mark.parametrize(
    ("fields", "day", "clock", "start"),
    [
        ({"start": "2026-05-12T20:30"}, "2026-05-12", "20:30", "2026-05-12T20:30+02:00"),
        ({"start": "2026-05-12"}, "2026-05-12", "TBD", "2026-05-12"),
        ({"start": "2026-05-12T00:00", "end": "2026-05-12T23:59"}, "2026-05-12", "TBD", "2026-05-12"),
        ({"start": "2026-05-12", "clock": "20:30 uur"}, "2026-05-12", "20:30", "2026-05-12T20:30+02:00"),
        ({"start": "2026-05-12T22:30:00Z"}, "2026-05-13", "00:30", "2026-05-13T00:30+02:00"),
        ({"start": "2026-05-12T20:30", "tzid": "Europe/London"}, "2026-05-12", "20:30", "2026-05-12T20:30+01:00"),
    ],
)
def test_e060_an_event_has_its_local_day_and_its_hour_or_tbd(
    fields: dict[str, str], day: str, clock: str, start: str
) -> None:
    found = record(**fields)
    assert (found.event_date, found.event_time, found.start) == (day, clock, start)


def test_e060_doors_are_never_the_start() -> None:
    found = record(start="2026-05-12", doors="19:30")
    assert (found.doors, found.event_time) == ("19:30", "TBD")


def test_e067_a_run_of_days_has_its_last_day_and_an_evening_has_none() -> None:
    assert record(start="2026-05-12", end="2026-05-15").end_date == "2026-05-15"
    assert record(start="2026-05-12T20:00", end="2026-05-12T22:00").end_date is None


def test_e067_the_kinds_of_time() -> None:
    assert record(start="2026-05-12").timing == "single"
    several = record(start="2026-05-12", dates=["2026-05-13", "2026-05-19"])
    assert (several.timing, several.dates) == ("multiple", ["2026-05-12", "2026-05-13", "2026-05-19"])
    weekly = record(start="2026-05-15", recurrence="RRULE:FREQ=WEEKLY;BYDAY=FR")
    assert (weekly.timing, weekly.recurrence) == ("periodic", "FREQ=WEEKLY;BYDAY=FR")


def test_e060_a_day_without_a_year_is_inferred_and_held() -> None:
    assert record(start="12 mei 20:30").inferred == ["year"]
    held = verdict(start="12 mei 20:30")
    assert held.decision is Decision.HOLD
    assert "no year" in held.findings[0].details


def test_e060_the_year_of_the_list_or_a_weekday_confirms_a_day() -> None:
    assert record(start="12 mei 20:30", year="2026").inferred is None
    assert record(start="di 12 mei 20:30").inferred is None
    assert verdict(start="12 mei 20:30", year="2026").decision is Decision.ACCEPT


def test_e060_an_hour_in_no_known_zone_is_held_and_a_day_alone_is_not() -> None:
    assert verdict(AGENDA, start="2026-05-12T20:30").decision is Decision.HOLD
    assert verdict(AGENDA, start="2026-05-12").decision is Decision.ACCEPT
    assert verdict(start="2026-05-12T20:30").decision is Decision.ACCEPT


def test_e060_an_offset_that_does_not_hold_in_the_zone_is_held() -> None:
    assert record(start="2026-07-04T20:00+05:00").inferred == ["zone"]
    assert verdict(start="2026-07-04T20:00+05:00").decision is Decision.HOLD


def test_s055_a_service_result_keeps_an_hour_whose_zone_nobody_names() -> None:
    alone = msgspec.structs.replace(AGENDA, source_id="")
    assert verdict(alone, start="2026-05-12T20:30").decision is Decision.ACCEPT


def test_e070_the_key_is_the_uid_then_the_own_address_then_the_names() -> None:
    own = "https://venue.example/agenda/jazz"
    assert key(start="2026-05-12", uid="a@b", url=own) == "UID:a@b@2026-05-12"
    assert key(start="2026-05-12", url=own) == f"URL:{short_url_hash(own)}@2026-05-12"
    named = key(start="2026-05-12", venue_name="Hall")
    assert named.startswith("KEY:")
    assert named == key(start="2026-05-12", title="JAZZ NIGHT", venue_name="hall")
    assert named != key(start="2026-05-13", venue_name="Hall")


def test_e070_an_address_that_is_not_the_event_s_own_is_no_key() -> None:
    own = "https://venue.example/agenda/jazz"
    for url in ("https://venue.example/", DUTCH.url):
        assert key(start="2026-05-12", url=url).startswith("KEY:")
    assert key(start="2026-05-12", url=own, shared_url="1").startswith("KEY:")
    assert key(SINGLE, start="2026-05-12") == f"URL:{short_url_hash(own)}@2026-05-12"


def test_e070_two_shows_of_one_day_are_told_apart_by_their_occurrence() -> None:
    first = key(start="2026-05-12T14:00", uid="a", occurrence="2026-05-12T14:00")
    assert first == "UID:a@2026-05-12T14:00"
    assert key(start="2026-05-12T16:00", uid="a", recurrence_id="2026-05-12T14:00") == first


@pytest.mark.parametrize(
    ("title", "status", "sold_out"),
    [
        ("CANCELLED: Jazz Night", "cancelled", None),
        ("Jazz Night (abgesagt)", "cancelled", None),
        ("Jazz Night - uitverkocht", None, True),
        ("[Postponed] Jazz Night", "postponed", None),
        ("The Cancelled Club", None, None),
        ("Complet chaos night", None, None),
    ],
)
def test_e067_a_status_at_the_edge_of_a_title(title: str, status: str | None, sold_out: bool | None) -> None:
    found = record(start="2026-05-12", title=title)
    assert (found.status, found.sold_out) == (status, sold_out)


def test_e067_the_ticket_state_of_structured_data() -> None:
    assert record(start="2026-05-12", sold_out="https://schema.org/SoldOut").sold_out is True
    assert record(start="2026-05-12", sold_out="https://schema.org/InStock").sold_out is False
    assert record(start="2026-05-12").sold_out is None
