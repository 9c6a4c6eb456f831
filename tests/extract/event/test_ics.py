"""ICS as a body (E-049): what stands in it, series within a year, zones, and calendars that make no sense."""

from __future__ import annotations

import pytest

from tests.extract.event.feeds import calendar, found, one, plain, read
from winnow.extract.draft import Extracted, Failure, Reason, Strategy
from winnow.extract.event.feeds.ics_zones import zone_of

JAZZ = """
UID:jazz-1@kroon
SEQUENCE:2
DTSTART;TZID=Europe/Amsterdam:20260501T203000
DTEND;TZID=Europe/Amsterdam:20260501T230000
SUMMARY:Jazz\\, wijn &
  meer
LOCATION:De Kroon\\, Markt 1\\, 2611 GP Delft
GEO:52.0116;4.3571
CATEGORIES:Muziek,Jazz
URL:https://kroon.example/jazz
ORGANIZER;CN=Stichting Kroon:mailto:post@kroon.example
STATUS:CONFIRMED
DESCRIPTION:Eerste regel\\nTweede regel
"""


def starts(body: str) -> list[str]:
    return [plain(draft)["start"] for draft in found(body).drafts]


def test_e049_an_ics_event_gives_every_field_it_states() -> None:
    assert one(calendar(JAZZ)) == {
        "title": "Jazz, wijn & meer",
        "start": "2026-05-01T20:30+02:00",
        "end": "2026-05-01T23:00+02:00",
        "tzid": "Europe/Amsterdam",
        "venue_name": "De Kroon",
        "location": "Markt 1, 2611 GP Delft",
        "latitude": "52.0116",
        "longitude": "4.3571",
        "category": "Muziek, Jazz",
        "url": "https://kroon.example/jazz",
        "organiser": "Stichting Kroon",
        "status": "scheduled",
        "description": "Eerste regel\nTweede regel",
        "uid": "jazz-1@kroon",
        "occurrence": "once",
    }


def test_e103_an_ics_event_keeps_its_own_block() -> None:
    [draft] = found(calendar(JAZZ)).drafts
    assert draft.block.startswith("BEGIN:VEVENT\r\nUID:jazz-1@kroon")
    assert draft.values["title"][0].strategy is Strategy.FEED


@pytest.mark.parametrize(
    "media", ["text/html", "text/plain; charset=utf-8", "application/octet-stream", "text/calendar"]
)
def test_e049_a_calendar_is_recognised_whatever_the_server_calls_it(media: str) -> None:
    assert len(found(calendar(JAZZ), media=media).drafts) == 1


def test_e049_a_series_is_expanded_for_twelve_months_with_its_exceptions() -> None:
    weekly = """UID:quiz@kroon
DTSTART;TZID=Europe/Amsterdam:20260402T200000
RRULE:FREQ=WEEKLY;COUNT=4
EXDATE;TZID=Europe/Amsterdam:20260409T200000
RDATE;TZID=Europe/Amsterdam:20260601T200000
SUMMARY:Pubquiz"""
    moved = """UID:quiz@kroon
RECURRENCE-ID;TZID=Europe/Amsterdam:20260416T200000
DTSTART;TZID=Europe/Amsterdam:20260417T213000
SUMMARY:Pubquiz (vrijdag)"""
    drafts = [plain(draft) for draft in found(calendar(weekly, moved)).drafts]
    assert [(d["start"], d["recurrence_id"]) for d in drafts] == [
        ("2026-04-02T20:00+02:00", "20260402"),
        ("2026-04-17T21:30+02:00", "20260416"),
        ("2026-04-23T20:00+02:00", "20260423"),
        ("2026-06-01T20:00+02:00", "20260601"),
    ]
    assert drafts[1]["title"] == "Pubquiz (vrijdag)"
    assert {d["recurrence"] for d in drafts} == {"RRULE:FREQ=WEEKLY;COUNT=4"}


def test_e049_a_rule_without_an_end_stops_after_twelve_months() -> None:
    days = starts(calendar("UID:a\nDTSTART;VALUE=DATE:20200101\nRRULE:FREQ=MONTHLY\nSUMMARY:Markt"))
    assert (days[0], days[-1], len(days)) == ("2026-03-01", "2027-04-01", 14)


def test_e060_summer_time_keeps_the_hour_of_a_series() -> None:
    weekly = "UID:a\nDTSTART;TZID=Europe/Amsterdam:20261022T200000\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:Koor"
    assert starts(calendar(weekly)) == ["2026-10-22T20:00+02:00", "2026-10-29T20:00+01:00"]


@pytest.mark.parametrize(
    ("tzid", "zone"),
    [
        ("Europe/Amsterdam", "Europe/Amsterdam"),
        ("europe/amsterdam", "Europe/Amsterdam"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("/mozilla.org/20050126_1/Europe/Berlin", "Europe/Berlin"),
        ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome", "Europe/Amsterdam"),
        ("Customized Time Zone", None),
    ],
)
def test_e060_names_of_zones_are_read_as_calendars_write_them(tzid: str, zone: str | None) -> None:
    assert zone_of(tzid) == zone


def test_e060_a_zone_that_only_the_calendar_describes_holds() -> None:
    zone = """BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:+0300
TZOFFSETTO:+0300
END:STANDARD
END:VTIMEZONE
"""
    event = "UID:a\nDTSTART;TZID=Customized Time Zone:20260501T200000\nSUMMARY:Jazz"
    assert one(calendar(event, head=zone))["start"] == "2026-05-01T20:00+03:00"


def test_e060_a_zone_nobody_knows_leaves_the_time_floating() -> None:
    draft = one(calendar("UID:a\nDTSTART;TZID=Nowhere/Land:20260501T200000\nSUMMARY:Jazz"))
    assert draft["start"] == "2026-05-01T20:00"
    assert "tzid" not in draft


def test_e060_x_wr_timezone_is_the_zone_of_utc_and_floating_times() -> None:
    utc = "UID:a\nDTSTART:20260501T183000Z\nSUMMARY:Jazz"
    floating = "UID:b\nDTSTART:20260502T203000\nSUMMARY:Blues"
    assert starts(calendar(utc, floating, head="X-WR-TIMEZONE:Europe/Amsterdam\r\n")) == [
        "2026-05-01T20:30+02:00",
        "2026-05-02T20:30+02:00",
    ]


def test_e060_whole_days_end_the_day_before_dtend_and_durations_count() -> None:
    fair = one(calendar("UID:a\nDTSTART;VALUE=DATE:20260501\nDTEND;VALUE=DATE:20260504\nSUMMARY:Kermis"))
    day = one(calendar("UID:a\nDTSTART;VALUE=DATE:20260501\nDTEND;VALUE=DATE:20260502\nSUMMARY:Markt"))
    lasting = one(calendar("UID:a\nDTSTART:20260501T180000Z\nDURATION:PT2H30M\nSUMMARY:Film"))
    assert (fair["start"], fair["end"]) == ("2026-05-01", "2026-05-03")
    assert "end" not in day
    assert lasting["end"] == "2026-05-01T20:30+00:00"


def test_e069_of_two_versions_the_higher_sequence_holds() -> None:
    old = "UID:a\nSEQUENCE:1\nDTSTART:20260501T180000Z\nSUMMARY:Jazz"
    new = "UID:a\nSEQUENCE:2\nDTSTART:20260508T180000Z\nSUMMARY:Jazz"
    assert starts(calendar(new, old)) == ["2026-05-08T18:00+00:00"]


def test_e069_an_uid_that_different_events_share_names_none_of_them() -> None:
    drafts = found(
        calendar("UID:1\nDTSTART:20260501T180000Z\nSUMMARY:Jazz", "UID:1\nDTSTART:20260502T180000Z\nSUMMARY:Blues")
    ).drafts
    assert len(drafts) == 2
    assert not any("uid" in draft.values for draft in drafts)


def test_e069_an_address_that_different_events_share_is_that_of_their_agenda() -> None:
    where = "URL:https://kroon.example/agenda"
    drafts = found(
        calendar(
            f"UID:1\nDTSTART:20260501T180000Z\nSUMMARY:Jazz\n{where}",
            f"UID:2\nDTSTART:20260502T180000Z\nSUMMARY:Blues\n{where}",
        )
    ).drafts
    assert not any("url" in draft.values for draft in drafts)


def test_e067_cancelled_is_said_by_the_event_or_by_the_whole_calendar() -> None:
    event = "UID:a\nDTSTART:20260501T180000Z\nSUMMARY:Jazz"
    assert one(calendar(f"{event}\nSTATUS:CANCELLED"))["status"] == "cancelled"
    assert one(calendar(event, head="METHOD:CANCEL\r\n"))["status"] == "cancelled"
    assert "status" not in one(calendar(f"{event}\nSTATUS:TENTATIVE"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_e011_a_calendar_is_read_in_the_encoding_it_has(encoding: str) -> None:
    body = calendar("UID:a\nDTSTART:20260501T180000Z\nSUMMARY:Café concert «Été» à l'Église").encode(encoding)
    assert one(body)["title"] == "Café concert «Été» à l'Église"


def test_e011_a_fold_in_the_middle_of_a_character_is_mended() -> None:
    body = calendar("UID:a\nDTSTART:20260501T180000Z\nSUMMARY:Café").encode()
    assert one(body.replace("é".encode(), b"\xc3\r\n \xa9"))["title"] == "Café"


def test_e011_a_broken_event_costs_itself() -> None:
    found_ = found(
        calendar(
            JAZZ,
            "UID:b\nDTSTART:soon\nSUMMARY:When",
            "UID:c\nDTSTART:20260503T100000Z",
            "UID:d\nDTSTART:20261399T100000Z\nSUMMARY:No day",
        )
    )
    assert [plain(draft)["uid"] for draft in found_.drafts] == ["jazz-1@kroon"]
    assert found_.cut == 3


def test_e011_a_calendar_that_breaks_off_gives_what_came() -> None:
    text = calendar(JAZZ, "UID:b\nDTSTART:20260503T100000Z\nSUMMARY:Blues\nDESCRIPTION:and then")
    assert len(found(text[: text.index("and then")]).drafts) == 2


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY;COUNT=1000000000",
        "FREQ=MINUTELY",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,1,2,3,4,5,6,7,8,9",
    ],
)
def test_r17_r18_a_rule_with_too_many_moments_is_cut_and_counted(rule: str) -> None:
    extraction = found(calendar(f"UID:bomb\nDTSTART:20200101T000000Z\nRRULE:{rule}\nSUMMARY:Bomb", JAZZ))
    assert [plain(draft)["uid"] for draft in extraction.drafts] == ["jazz-1@kroon"]
    assert extraction.cut == 1
    assert "too many moments" in extraction.trace[0].note


@pytest.mark.parametrize("rule", ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5"])
def test_r17_a_rule_that_never_fits_ends_with_the_window(rule: str) -> None:
    extraction = found(calendar(f"UID:never\nDTSTART:20260301T000000Z\nRRULE:{rule}\nSUMMARY:Never", JAZZ))
    assert "jazz-1@kroon" in {plain(draft)["uid"] for draft in extraction.drafts}


def test_r17_a_rule_that_is_none_leaves_the_event_itself() -> None:
    assert starts(calendar("UID:a\nDTSTART:20260501T180000Z\nRRULE:FREQ=SOMETIMES\nSUMMARY:Jazz")) == [
        "2026-05-01T18:00+00:00"
    ]


def test_r17_the_year_9999_and_zones_of_nonsense_cost_nothing_else() -> None:
    zone = "BEGIN:VTIMEZONE\nTZID:Mad\nBEGIN:STANDARD\nDTSTART:never\nTZOFFSETTO:+9999\nEND:STANDARD\nEND:VTIMEZONE\n"
    far = "UID:far\nDTSTART:99991231T235959Z\nSUMMARY:End of time"
    mad = "UID:mad\nDTSTART;TZID=Mad:20260501T200000\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:Mad"
    extraction = found(calendar(far, mad, JAZZ, head=zone))
    assert extraction.cut == 1
    assert "too far ahead" in extraction.trace[0].note
    assert [plain(draft)["start"][:16] for draft in extraction.drafts if plain(draft)["uid"] == "mad"] == [
        "2026-05-01T20:00",
        "2026-05-08T20:00",
    ]


def test_r17_more_events_than_a_page_may_have_are_counted() -> None:
    many = [f"UID:{n}\nDTSTART;VALUE=DATE:2026{5 + n % 3:02}{n % 28 + 1:02}\nSUMMARY:Event {n}" for n in range(2_050)]
    extraction = found(calendar(*many))
    assert len(extraction.drafts) == 2_000
    assert extraction.cut == 50
    assert max(plain(draft)["start"] for draft in extraction.drafts) <= "2026-07-28"


def test_r17_a_feed_of_fifty_megabytes_is_refused_with_its_size() -> None:
    extraction = read(b"BEGIN:VCALENDAR\r\n" + b"X-PAD:" + b"x" * 50_000_000)
    assert isinstance(extraction, Failure)
    assert extraction.reason is Reason.PAGE_STRUCTURE_CHANGED
    assert "too large" in extraction.details


@pytest.mark.parametrize("events", [[], ["UID:a\nDTSTART:20200501T180000Z\nSUMMARY:Over"]])
def test_e057_a_calendar_without_events_to_come_is_empty_and_no_failure(events: list[str]) -> None:
    extraction = read(calendar(*events))
    assert isinstance(extraction, Extracted)
    assert not extraction.drafts
    assert extraction.empty


def test_e049_a_change_of_all_that_follow_leaves_each_occurrence_its_own() -> None:
    """RFC 5545 §3.2.13, RANGE=THISANDFUTURE: the changed ones share a RECURRENCE-ID, and are many events."""
    series = "UID:a\nDTSTART:20260501T180000Z\nRRULE:FREQ=WEEKLY;COUNT=6\nSUMMARY:Jazz"
    moved = (
        "UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260515T180000Z\nDTSTART:20260515T190000Z\nSUMMARY:Jazz\nSEQUENCE:1"
    )
    drafts = [plain(draft) for draft in found(calendar(series, moved)).drafts]
    assert [draft["start"][:16] for draft in drafts] == [
        "2026-05-01T18:00", "2026-05-08T18:00", "2026-05-15T19:00", "2026-05-22T19:00", "2026-05-29T19:00",
        "2026-06-05T19:00",
    ]  # fmt: skip
    assert len({draft["recurrence_id"] for draft in drafts}) == 6


def test_e049_a_page_in_the_text_of_the_first_event_makes_no_page_of_the_calendar() -> None:
    body = calendar("UID:a\nDTSTART:20260501T180000Z\nSUMMARY:Jazz\nDESCRIPTION:<html><body>Trio</body></html>")
    assert starts(body) == ["2026-05-01T18:00+00:00"]


def test_e057_a_calendar_of_events_without_titles_is_not_said_to_be_over() -> None:
    extraction = read(calendar("UID:a\nDTSTART:20260501T180000Z\nRRULE:FREQ=WEEKLY;COUNT=3"))
    assert isinstance(extraction, Failure)
