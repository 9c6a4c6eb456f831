"""The record of an event: local day and hour, kind of time, key, and what holds it (E-060, E-067, E-113)."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from tests.normalise.events.reading import AGENDA, DUTCH, key, record, verdict
from winnow.extract.draft import Draft, Strategy, Value
from winnow.judge.verdict import Decision
from winnow.normalise.results.event import normalise_event
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
    ("title", "name", "status", "sold_out"),
    [
        ("CANCELLED: Jazz Night", "Jazz Night", "cancelled", None),
        ("Jazz Night (abgesagt)", "Jazz Night", "cancelled", None),
        ("Annulé - Soirée Jazz", "Soirée Jazz", "cancelled", None),
        ("Jazz Night - uitverkocht", "Jazz Night", None, True),
        ("UITVERKOCHT! Jazz Night", "Jazz Night", None, True),
        ("[Postponed]  Jazz  Night", "Jazz Night", "postponed", None),
        ("VERPLAATST | Jazz Night | UITVERKOCHT", "Jazz Night", "rescheduled", True),
        ("The Cancelled Club", "The Cancelled Club", None, None),
        ("Complet chaos night", "Complet chaos night", None, None),
        ("Uitverkocht", "Uitverkocht", None, None),
    ],
)
def test_e066_a_status_at_the_edge_of_a_title_is_data_and_no_part_of_its_name(
    title: str, name: str, status: str | None, sold_out: bool | None
) -> None:
    found = record(start="2026-05-12", title=title)
    assert (found.title, found.status, found.sold_out) == (name, status, sold_out)


@pytest.mark.parametrize(
    "title", ["  Jazz   Night ", "Jazz\n\t Night", "Jazz\u00a0Night", "Jazz\u2003\u200bNight\ufeff"]
)
def test_e066_white_space_of_a_title_is_one_space(title: str) -> None:
    assert record(start="2026-05-12", title=title).title == "Jazz Night"


def test_e068_a_cancelled_event_keeps_its_key() -> None:
    assert key(start="2026-05-12", title="AFGELAST: Jazz Night") == key(start="2026-05-12", title="Jazz Night")


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ("ma 12 mei 2026", "the weekday is not that of the day"),
        ("31 april 2026", "no such day"),
        ("mei 2026", "names no day"),
        ("volgende vrijdag", "two readings"),
    ],
)
def test_e060_a_day_that_cannot_be_read_is_held_with_its_reason(start: str, why: str) -> None:
    now = msgspec.structs.replace(DUTCH, now=DUTCH.now + timedelta(days=2))
    held = verdict(now, start=start)
    assert held.decision is Decision.HOLD
    assert why in held.findings[0].details
    assert start in held.findings[0].details


def test_e060_a_year_far_away_is_held() -> None:
    assert verdict(start="2036-05-12").decision is Decision.HOLD
    assert verdict(start="2029-05-12").decision is Decision.ACCEPT


@pytest.mark.parametrize(
    ("start", "clock", "hour", "inferred"),
    [
        ("2026-07-04T20:00:00+02:00", None, "20:00", None),
        ("2026-07-04T18:00:00Z", None, "20:00", None),
        ("2026-07-04T20:00:00+00:00", None, "TBD", None),  # local, or UTC
        ("2026-07-04T20:00:00+00:00", "20:00 uur", "20:00", None),
        ("2026-07-04T18:00:00+00:00", "20:00 uur", "20:00", None),
        ("2026-07-04T20:00:00+01:00", None, "TBD", None),  # that of the winter
        ("2026-07-04T23:00:00+00:00", None, "23:00", ["zone"]),  # it is not even sure which day
        ("2026-01-10T20:00:00+01:00", None, "20:00", None),
        ("2026-03-29T02:30", None, "02:30", ["zone"]),  # skipped by the change to summer time
        ("2026-10-25T02:30", None, "02:30", ["zone"]),  # comes twice
        ("2026-10-25T02:30:00+01:00", None, "02:30", None),
    ],
)
def test_e060_an_offset_that_contradicts_the_zone_costs_the_hour_or_holds(
    start: str, clock: str | None, hour: str, inferred: list[str] | None
) -> None:
    found = record(start=start, **({"clock": clock} if clock else {}))
    assert (found.event_time, found.inferred) == (hour, inferred)


def test_e060_utc_of_a_calendar_file_is_utc() -> None:
    stated = Value("2026-07-04T18:00+00:00", Strategy.FEED, "VEVENT.DTSTART")
    made = Draft("event", {"title": [stated], "start": [stated]})
    assert normalise_event(made, DUTCH).result.model_dump()["event_time"] == "20:00"


def test_e060_an_hour_in_words_counts_only_where_the_page_confirms_it() -> None:
    assert record(start="di 12 mei half acht").event_time == "TBD"
    assert record(start="di 12 mei half acht", clock="19:30").event_time == "19:30"
    assert record(start="di 12 mei half acht 's avonds").event_time == "19:30"


def test_e060_a_rule_is_kept_and_expanded_between_stated_days_only() -> None:
    season = record(start="elke vrijdag van 3 april t/m 24 april 2026, 20:30 uur")
    assert season.recurrence == "FREQ=WEEKLY;BYDAY=FR;UNTIL=20260424"
    assert season.dates == [f"2026-04-{day:02}T20:30+02:00" for day in (3, 10, 17, 24)]
    assert verdict(start="elke vrijdag van 3 april t/m 24 april 2026, 20:30 uur").decision is Decision.ACCEPT
    endless = record(start="iedere eerste zondag van de maand 14.00 uur")
    assert (endless.timing, endless.recurrence, endless.dates) == ("periodic", "FREQ=MONTHLY;BYDAY=1SU", None)
    assert verdict(start="elke vrijdag").decision is Decision.HOLD


def test_e060_a_list_of_days_in_one_text() -> None:
    found = record(start="12, 13 en 19 april 2026 20:15 uur")
    assert (found.timing, found.event_date) == ("multiple", "2026-04-12")
    assert found.dates == [f"2026-04-{day}T20:15+02:00" for day in (12, 13, 19)]


def test_e067_the_language_is_that_of_the_event_or_of_its_page() -> None:
    assert record(start="2026-05-12", lang="nl-BE").language == "nl"
    assert record(start="2026-05-12", lang="nl", language="en").language == "en"


def test_e067_the_ticket_state_of_structured_data() -> None:
    assert record(start="2026-05-12", sold_out="https://schema.org/SoldOut").sold_out is True
    assert record(start="2026-05-12", sold_out="https://schema.org/InStock").sold_out is False
    assert record(start="2026-05-12").sold_out is None


def test_e060_a_text_that_only_says_until_when_is_no_start() -> None:
    assert record(start="t/m 15 maart 2026").event_date is None
    assert record(start=["t/m 15 maart 2026", "2026-03-12"]).event_date == "2026-03-12"
    assert record(start="2026-03-12", end="tot 15 maart 2026").end_date == "2026-03-15"
