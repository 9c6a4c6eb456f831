"""Events as iCalendar, RSS and schema.org, read back by the libraries people read them with."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from winnow.publish.calendars.entry import Entry, format_amount
from winnow.publish.calendars.ics import render_ics
from winnow.publish.calendars.json_ld import as_json_ld
from winnow.publish.calendars.rss import EVENT_MODULE, render_rss

AMSTERDAM = ZoneInfo("Europe/Amsterdam")


def entry(**more: Any) -> Entry:
    known: dict[str, Any] = {
        "id": 7,
        "title": "Jazz, met Sam & Co; live",
        "event_date": date(2026, 12, 5),
        "event_time": "20:30",
        "starts_at": datetime(2026, 12, 5, 19, 30, tzinfo=UTC),
        "time_zone": "Europe/Amsterdam",
        "created_at": datetime(2026, 11, 1, tzinfo=UTC),
        "updated_at": datetime(2026, 11, 2, tzinfo=UTC),
        "category": "music",
        "venue_name": "De Kade",
        "structured_location": {
            "street": "Kade 1",
            "postal_code": "1017 PT",
            "city": "Amsterdam",
            "country_code": "NL",
        },
        "latitude": 52.36,
        "longitude": 4.89,
        "url": "https://kade.example/jazz",
    }
    return Entry(**(known | more))


def assert_rfc_5545(calendar: bytes) -> None:
    """Lines end with CR LF and have 75 octets at most (§3.1), and every event has the three it must have (§3.6.1)."""
    assert calendar.endswith(b"\r\n")
    for line in calendar.removesuffix(b"\r\n").split(b"\r\n"):
        assert len(line) <= 75
        assert not any(byte < 32 and byte != 9 for byte in line)
        line.decode()  # never folded in the middle of a character
    unfolded = calendar.replace(b"\r\n ", b"").split(b"\r\n")
    begins = unfolded.count(b"BEGIN:VEVENT")
    for name in (b"UID:", b"DTSTAMP:", b"DTSTART"):
        assert sum(line.startswith(name) for line in unfolded[unfolded.index(b"BEGIN:VEVENT") :]) >= begins > 0


def read_back(*entries: Entry) -> list[Any]:
    return list(Calendar.from_ical(render_ics(entries, "Town")).walk("VEVENT"))


def test_e113_a_calendar_says_day_hour_zone_and_place() -> None:
    (event,) = read_back(entry())
    assert event["summary"] == "Jazz, met Sam & Co; live"
    assert event.decoded("dtstart") == datetime(2026, 12, 5, 20, 30, tzinfo=AMSTERDAM)
    assert event["dtstart"].params["TZID"] == "Europe/Amsterdam"
    assert event["location"] == "De Kade, Kade 1, 1017 PT Amsterdam"
    assert event["status"] == "CONFIRMED"


def test_e113_the_zone_of_an_event_is_defined_in_its_calendar() -> None:
    assert b"BEGIN:VTIMEZONE" in render_ics([entry()], "Town")


def test_e060_an_event_without_an_hour_is_a_whole_day() -> None:
    (event,) = read_back(entry(event_time="TBD", end_date=date(2026, 12, 6)))
    assert event.decoded("dtstart") == date(2026, 12, 5)
    assert event.decoded("dtend") == date(2026, 12, 7)


def test_e070_a_change_keeps_the_uid_and_raises_the_sequence() -> None:
    before, after = entry(), entry(title="Jazz", sequence=1, updated_at=datetime(2026, 11, 9, tzinfo=UTC))
    (first,), (second,) = read_back(before), read_back(after)
    assert first["uid"] == second["uid"]
    assert (int(first["sequence"]), int(second["sequence"])) == (0, 1)


def test_two_events_never_share_a_uid() -> None:
    later = entry(created_at=datetime(2026, 11, 1, 0, 0, 1, tzinfo=UTC))
    assert len({entry().uid, entry(id=8).uid, later.uid}) == 3


@pytest.mark.parametrize(
    ("status", "stated", "summary"),
    [
        ("cancelled", "CANCELLED", "CANCELLED: Fado"),
        ("postponed", "TENTATIVE", "Fado"),
        ("scheduled", "CONFIRMED", "Fado"),
    ],
)
def test_a_cancelled_event_stays_in_the_calendar_and_says_so(status: str, stated: str, summary: str) -> None:
    (event,) = read_back(entry(title="Fado", event_status=status))
    assert (event["status"], event["summary"]) == (stated, summary)


def test_an_unknown_zone_is_written_in_utc() -> None:
    (event,) = read_back(entry(time_zone="Mars/Olympus"))
    assert event.decoded("dtstart") == datetime(2026, 12, 5, 19, 30, tzinfo=UTC)
    assert as_json_ld(entry(time_zone="Mars/Olympus"))["startDate"] == "2026-12-05T19:30:00+00:00"


def test_an_end_before_the_start_is_no_end() -> None:
    (event,) = read_back(entry(ends_at=datetime(2026, 12, 5, 19, 0, tzinfo=UTC)))
    assert "dtend" not in event


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_makes_a_calendar_and_a_feed_that_can_be_read(title: str, description: str) -> None:
    one = entry(title=f"T{title}", description=description)
    assert len(read_back(one)) == 1
    assert_rfc_5545(render_ics([one], title, description))
    root = ElementTree.fromstring(render_rss([one], "Town", "https://town.example/"))
    assert len(root.findall("channel/item")) == 1


def test_rss_says_when_and_where_and_never_takes_the_day_for_the_date_of_publication() -> None:
    root = ElementTree.fromstring(render_rss([entry()], "Town", "https://town.example/"))
    item = root.find("channel/item")
    assert item is not None
    assert item.findtext("title") == "2026-12-05 20:30: Jazz, met Sam & Co; live"
    assert item.findtext("pubDate") == "Mon, 02 Nov 2026 00:00:00 +0000"
    assert item.findtext(f"{{{EVENT_MODULE}}}startdate") == "2026-12-05T19:30:00+00:00"
    assert item.findtext("guid") == entry().uid


def test_json_ld_is_what_schema_org_calls_an_event() -> None:
    found = as_json_ld(
        entry(
            price_low_minor=1250,
            price_high_minor=2000,
            currency="EUR",
            sold_out=True,
            performers=["Sam"],
            ends_at=datetime(2026, 12, 5, 22, 0, tzinfo=UTC),
        )
    )
    assert found["@type"] == "MusicEvent"
    assert found["startDate"] == "2026-12-05T20:30:00+01:00"
    assert found["endDate"] == "2026-12-05T23:00:00+01:00"
    assert found["eventStatus"] == "https://schema.org/EventScheduled"
    assert found["location"]["address"]["addressLocality"] == "Amsterdam"
    assert found["offers"] == {
        "@type": "AggregateOffer",
        "lowPrice": "12.50",
        "highPrice": "20.00",
        "priceCurrency": "EUR",
        "availability": "https://schema.org/SoldOut",
    }


def test_json_ld_gives_a_day_where_no_hour_is_known_and_no_price_where_none_is() -> None:
    found = as_json_ld(entry(event_time="TBD"))
    assert found["startDate"] == "2026-12-05"
    assert "offers" not in found
    assert "endDate" not in found


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [(5, "EUR", "0.05"), (1250, None, "12.50"), (900, "JPY", "900"), (0, "EUR", "0.00")],
)
def test_amounts_have_the_places_of_their_currency(minor: int, currency: str | None, text: str) -> None:
    assert format_amount(minor, currency) == text


def test_a_row_gives_an_entry_whatever_else_it_has() -> None:
    row = msgspec.structs.asdict(entry()) | {"search_text": "jazz", "sold_out": None, "area": 4}
    assert Entry.of(row) == entry()
    assert Entry.of(row).created_at + timedelta(0) == entry().created_at
