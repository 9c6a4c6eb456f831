"""Days of a page that are not the days of events (E-051, E-060)."""

from __future__ import annotations

import json

import pytest

from tests.product_pages import page
from winnow.extract.draft import Extracted
from winnow.extract.event.event import extract_events

URL = "https://hall.example.org/events"


def titles(html: str, url: str = URL) -> list[tuple[str, str]]:
    found = extract_events(page(html, url))
    if not isinstance(found, Extracted):
        return []
    return [(draft.values["title"][0].raw, draft.values["start"][0].raw) for draft in found.drafts]


def cards(*rows: str) -> str:
    return "<h1>Events</h1><ul>" + "".join(f'<li class="event">{row}</li>' for row in rows) + "</ul>"


def test_e047_the_date_of_a_wordpress_post_is_when_it_was_published():
    posts = [
        {
            "id": n,
            "date": f"2026-02-1{n}T15:10:08",
            "date_gmt": f"2026-02-1{n}T23:10:08",
            "modified_gmt": "2026-02-13T00:00:00",
            "type": "event",
            "link": f"https://hall.example.org/events/{n}",
            "title": {"rendered": f"Open day {n}"},
        }
        for n in range(3)
    ]
    assert titles(json.dumps(posts)) == []
    for n, post in enumerate(posts):
        post["acf"] = {"date": f"2026-05-0{n + 1}", "location": "Main hall"}
    assert [start for _, start in titles(json.dumps(posts))] == ["2026-05-01", "2026-05-02", "2026-05-03"]


def test_e051_days_on_which_nothing_happens_are_no_events():
    empty = "".join(
        f'<div class="day-card no-events"><div class="header">0 events on Friday, May {n}st, 2026</div><div class="day-number">{n}</div><div class="day-name">Fri</div></div>'
        for n in (1, 21, 31)
    )
    events = cards(
        "<h3>Quiz</h3><p>Thursday May 14th 2026</p><p>7:00 PM</p>", "<h3>Open mic</h3><p>Friday May 15th 2026</p>"
    )
    assert [title for title, _ in titles(events + empty)] == ["Quiz", "Open mic"]


def test_e051_the_minutes_that_a_meeting_approves_are_of_another_day():
    rows = "".join(
        f"<tr><td>{number}</td><td>{text}</td></tr>"
        for number, text in (
            ("I.", "Call to order"),
            ("III.", "Approval of Minutes"),
            ("1.", "December 5, 2018 Draft Meeting Minutes"),
            ("2.", "Minutes of November 7, 2018"),
        )
    )
    html = f'<table><tr><td class="MeetingHeading">Audit Committee</td></tr><tr><td class="MeetingHeading">August 8, 2019 9:30 AM</td></tr></table><table>{rows}</table>'
    assert [start[:14] for _, start in titles(html, "https://town.example.org/meeting/5179")] == ["August 8, 2019"]


def test_e051_a_moment_to_the_odd_minute_is_when_an_entry_was_written():
    rows = "".join(
        f'<div class="row"><span>Page <time datetime="2017-11-0{n}T15:5{n}:00">November {n}, 2017</time></span><h2>Resources {n}</h2></div>'
        for n in (1, 2, 3)
    )
    assert titles(f"<h1>Board meetings</h1>{rows}") == []


@pytest.mark.parametrize("figure", ["4.5", "€10.00", "(19)", "4.5/5"])
def test_e051_ratings_prices_and_hours_are_no_days(figure: str):
    html = cards(
        *(
            f"<h3>{name}</h3><p>{day} May 2026</p><div class='num'>{figure}</div>"
            for name, day in (("Quiz", 14), ("Open mic", 15), ("Choir", 16))
        )
    )
    assert [start for _, start in titles(html)] == ["14 May 2026", "15 May 2026", "16 May 2026"]


def test_e051_weekdays_and_numbers_below_a_month_may_be_a_range():
    rows = "".join(
        f"<h2>{month} 2026</h2><table><tr><td>{days}</td><td>{name}</td></tr></table>"
        for month, days, name in (
            ("April", "Fri 3 - Sun 5", "Sakura fair"),
            ("May", "Sun 24 - Thu 28", "Chemistry meeting"),
            ("September", "Fri 4 - Mon 7", "Games week"),
        )
    )
    assert [title for title, _ in titles(f"<h1>Event calendar</h1>{rows}")] == [
        "Sakura fair",
        "Chemistry meeting",
        "Games week",
    ]


def test_e051_a_button_and_the_name_of_a_weekday_are_no_titles():
    html = cards(
        *(
            f"<span class='day-name'>Sat</span><p>Saturday, February {day}, 2026</p><p>10:30 pm</p><a href='/buy/{day}'>Buy tickets to see Laser Show at 10:30 pm</a><p class='line'>Laser Show</p>"
            for day in (14, 21, 28)
        )
    )
    assert {title for title, _ in titles(html)} == {"Laser Show"}


def test_e051_a_name_may_begin_with_a_day():
    html = cards(
        "<h3>17th of May in Ballard</h3><p>May 17, 2026</p>",
        "<h3>Yoga</h3><p>May 18, 2026</p>",
        "<h3>Choir</h3><p>May 19, 2026</p>",
    )
    assert [title for title, _ in titles(html)] == ["17th of May in Ballard", "Yoga", "Choir"]
