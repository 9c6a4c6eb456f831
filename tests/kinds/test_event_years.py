"""Years of days written without one, from the whole list (E-060): right or left open, never guessed."""

from __future__ import annotations

from datetime import UTC, date, datetime

import msgspec
import pytest

from tests.normalise.events.reading import DUTCH, draft
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Strategy
from winnow.extract.page import Page
from winnow.kinds import event
from winnow.kinds.event_occurrences import with_occurrences
from winnow.kinds.event_years import Entry, with_years, years_of_list
from winnow.normalise.fields import around


def at(day: str) -> Context:
    return msgspec.structs.replace(DUTCH, now=datetime.fromisoformat(day).replace(tzinfo=UTC))


def years(ctx: Context, *starts: str, body: bytes = b"", **fields: str) -> list[str | None]:
    drafts = [draft(start=start, title=f"Show {n}", **fields) for n, start in enumerate(starts)]
    return stated(with_years(Extracted(drafts, Strategy.DOM), body, ctx))


def stated(extraction: object) -> list[str | None]:
    assert isinstance(extraction, Extracted)
    return [found.raw if (found := each.first("year")) else None for each in extraction.drafts]


def test_e060_a_list_that_begins_near_today_is_that_of_this_year() -> None:
    assert years(at("2026-03-01"), "5 mrt", "12 mrt", "3 apr", "20 mei") == ["2026"] * 4


def test_e060_a_list_wraps_around_the_turn_of_the_year() -> None:
    found = years(at("2026-11-18"), "28 nov", "12 dec", "31 dec", "9 jan", "3 februari")
    assert found == ["2026", "2026", "2026", "2027", "2027"]


def test_e060_an_archive_falls_from_today_into_the_past() -> None:
    found = years(at("2026-02-10"), "7 feb", "9 jan", "20 dec", "3 nov")
    assert found == ["2026", "2026", "2025", "2025"]


def test_e060_a_season_that_holds_today_is_that_of_this_season() -> None:
    found = years(at("2026-01-20"), "12 sep", "3 okt", "14 nov", "6 feb", "8 mei")
    assert found == ["2025", "2025", "2025", "2026", "2026"]


def test_e060_days_that_are_complete_say_the_years_of_the_others() -> None:
    found = years(at("2026-03-01"), "12 sep 2027", "3 okt", "9 jan", "5 feb")
    assert found == [None, "2027", "2028", "2028"]
    found = years(at("2026-03-01"), "vr 11 sep 2026", "3 okt", "9 jan", "5 feb")
    assert found == [None, "2026", "2027", "2027"]


@pytest.mark.parametrize(
    "starts",
    [
        ("5 mrt", "12 mrt"),  # two days are in some order by chance
        ("5 sep", "12 sep", "3 okt"),  # half a year away: this year's, or last year's that nobody took down
        ("5 mrt", "2 jan", "20 mei", "3 feb"),  # in no order
        ("12 mrt 2024", "5 apr", "3 mei 2026"),  # its own years contradict its order
        ("5 mrt", "5 mrt", "5 mrt"),
    ],
)
def test_e060_a_list_that_does_not_say_its_years_leaves_them_open(starts: tuple[str, ...]) -> None:
    assert set(years(at("2026-03-01"), *starts)) == {None}


def test_e060_a_page_that_was_left_behind_years_ago_says_nothing() -> None:
    body = b"<footer>Programma 2023</footer>"
    assert set(years(at("2026-03-20"), "25 mrt", "12 apr", "3 mei", body=body)) == {None}
    assert years(at("2026-03-20"), "25 mrt", "12 apr", "3 mei", body=b"2026") == ["2026"] * 3


def test_e060_a_heading_or_an_address_gives_the_year_of_its_day() -> None:
    ctx = at("2026-03-01")
    assert years(ctx, "12 sep 20:30", heading_day="September 2027") == ["2027"]
    assert years(ctx, "12 sep 20:30", heading_day="Oktober 2027") == [None]
    assert years(ctx, "12 sep 20:30", url="https://venue.example/2027/09/12/jazz") == ["2027"]
    assert years(ctx, "12 sep 20:30", url="https://venue.example/jazz-12-09-2027") == ["2027"]
    assert years(ctx, "12 sep 20:30", url="https://venue.example/2027/09/13/jazz") == [None]


def test_e060_a_day_without_a_year_is_accepted_only_when_the_list_confirms_it() -> None:
    cards = "".join(
        f'<article class="event"><h3><a href="/e/{n}">Show {n}</a></h3><p class="date">{day}</p></article>'
        for n, day in enumerate(("5 maart", "12 maart", "3 april", "20 mei"))
    )
    page = Page(
        "https://www.zaal.nl/agenda", f"<html lang='nl'><body><main>{cards}</main></body></html>".encode(), DUTCH.now
    )
    ctx = msgspec.structs.replace(DUTCH, url=page.url)
    extraction = event.read(page, ctx)
    assert isinstance(extraction, Extracted)
    found = [event.EVENT.normalise(each, ctx).result for each in extraction.drafts]
    assert [(one.event_date, one.inferred) for one in found] == [
        ("2026-03-05", None),
        ("2026-03-12", None),
        ("2026-04-03", None),
        ("2026-05-20", None),
    ]


def occurrences(*drafts: Draft) -> list[str | None]:
    found = with_occurrences(Extracted(list(drafts), Strategy.DOM), around(drafts[0], DUTCH))
    assert isinstance(found, Extracted)
    return [value.raw if (value := each.first("occurrence")) else None for each in found.drafts]


def test_e070_two_shows_of_a_day_have_their_hour_in_their_occurrence() -> None:
    matinee, evening = draft(title="Hamlet", start="2026-05-12T14:00"), draft(title="Hamlet", start="2026-05-12 20:00")
    other = draft(title="Hamlet", start="2026-05-13 20:00")
    assert occurrences(matinee, evening, other) == ["2026-05-12T14:00", "2026-05-12T20:00", None]


def test_e070_an_address_of_several_events_is_marked_as_shared() -> None:
    url = "https://tickets.example/venue"
    drafts = [draft(title=title, start="2026-05-12", url=url) for title in ("Hamlet", "Macbeth")]
    found = with_occurrences(Extracted(drafts, Strategy.DOM), around(drafts[0], DUTCH))
    assert isinstance(found, Extracted)
    assert all("shared_url" in each.values for each in found.drafts)


def test_e060_two_lists_of_open_days_say_no_year():
    """From November to September is no turn of the year: another list of the page begins, of whatever year."""
    days = [date(2026, month, 14) for month in range(1, 12)]
    again = [date(2026, 9, 9), date(2026, 9, 23), date(2026, 10, 7)]
    today = date(2026, 11, 18)
    assert set(years_of_list([Entry(n, day, True) for n, day in enumerate(days)], today, 2026).values()) == {2026}
    assert years_of_list([Entry(n, day, True) for n, day in enumerate([*days, *again])], today, 2026) == {}
    assert years_of_list([Entry(n, day, True) for n, day in enumerate([*again[::-1], *days[::-1]])], today, 2026) == {}


def test_e060_what_is_shown_above_a_list_is_not_in_its_order():
    days = [date(2026, 2, 28), date(2026, 2, 18), date(2026, 2, 19), date(2026, 2, 21), date(2026, 3, 4)]
    found = years_of_list([Entry(n, day, True) for n, day in enumerate(days)], date(2026, 2, 15), 2026)
    assert found == {1: 2026, 2: 2026, 3: 2026, 4: 2026}
