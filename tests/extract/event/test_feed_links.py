"""Feeds that a page about events leads to (E-049, E-050), and which of its details are wanted (E-097)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Failure, Link, Reason, Role, Strategy, Value
from winnow.extract.event.feed_links import feed_links
from winnow.extract.event.wanted_links import with_wanted_links
from winnow.extract.page import Page
from winnow.extract.parsed_page import open_page

NOW = datetime(2026, 4, 1, tzinfo=UTC)


def page(html: str) -> Page:
    body = (
        f"<html><head><title>Agenda</title>{html}</head><body><h1>Agenda</h1><p>Welkom in De Kroon.</p></body></html>"
    )
    return Page("https://kroon.example/agenda", body.encode(), NOW)


def found(html: str, guess: bool = False) -> list[str]:
    parsed = open_page(page(html))
    assert not isinstance(parsed, Failure)
    return [link.url for link in feed_links(parsed, guess)]


def context(**more: object) -> Context:
    return Context(
        source_id="1", retailer_id="", run_id="1", target_id="1", url="https://kroon.example/agenda", now=NOW, **more
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ('<link rel="alternate" type="text/calendar" href="/agenda.ics">', "https://kroon.example/agenda.ics"),
        (
            '<link rel="alternate" type="application/rss+xml" title="Agenda" href="/agenda/feed">',
            "https://kroon.example/agenda/feed",
        ),
        ('<a href="webcal://kroon.example/all.ics">Abonneer</a>', "https://kroon.example/all.ics"),
        ('<a href="/export/agenda.ics?x=1">Download</a>', "https://kroon.example/export/agenda.ics?x=1"),
        ('<a href="/calendar-feed">Add all to calendar</a>', "https://kroon.example/calendar-feed"),
        (
            '<script>var t = {"url": "https:\\/\\/kroon.example\\/wp-json\\/tribe\\/views\\/v2\\/html"};</script>',
            "https://kroon.example/wp-json/tribe/events/v1/events?per_page=50",
        ),
        ('<div data-events-url="/api/events?format=json"></div>', "https://kroon.example/api/events?format=json"),
    ],
)
def test_e049_feeds_that_a_page_names_are_found(html: str, url: str) -> None:
    assert found(html) == [url]


@pytest.mark.parametrize(
    "html",
    [
        '<link rel="alternate" type="application/rss+xml" title="Nieuws" href="/feed">',
        '<link rel="alternate" type="application/rss+xml" title="Agenda: reacties" href="/agenda/comments/feed">',
        '<a href="/event/jazz/?ical=1">Add to calendar</a>',
        '<a href="https://www.google.com/calendar/render?action=TEMPLATE">Add to calendar</a>',
        "".join(f'<a href="/ics/{n}.ics">Add to calendar</a>' for n in range(12)),
    ],
)
def test_e049_feeds_of_news_and_downloads_of_single_events_are_not(html: str) -> None:
    assert found(html) == []


def test_e049_calendars_come_first_and_no_more_than_five_are_visited() -> None:
    alternates = "".join(
        f'<link rel="alternate" type="application/rss+xml" title="Agenda {n}" href="/agenda/{n}">' for n in range(9)
    )
    urls = found(alternates + '<link rel="alternate" type="text/calendar" href="/agenda.ics">')
    assert urls[0] == "https://kroon.example/agenda.ics"
    assert len(urls) == 5


def test_e050_feeds_are_guessed_by_the_system_of_the_page_and_only_where_allowed() -> None:
    html = '<script src="/wp-content/plugins/the-events-calendar/x.js"></script>'
    assert found(html) == []
    assert found(html, guess=True)[0] == "https://kroon.example/agenda/?ical=1"
    assert found("<p>nothing known</p>", guess=True) == []


def test_e097_details_of_entries_with_a_day_are_wanted_only_where_the_source_goes_deep() -> None:
    day = {"start": [Value("2026-05-01", Strategy.DOM, "time")]}
    links = [Link("https://kroon.example/1", Role.DETAIL, 0), Link("https://kroon.example/2", Role.DETAIL, 1)]
    listing = Extracted([Draft("event", day), Draft("event", {})], Strategy.DOM, links=links)
    follow = (Role.DETAIL,)
    shallow = with_wanted_links(listing, page(""), context(follow=follow))
    deep = with_wanted_links(listing, page(""), context(follow=follow, deep_scrape=True))
    assert isinstance(shallow, Extracted)
    assert isinstance(deep, Extracted)
    assert [link.draft for link in shallow.links] == [1]
    assert [link.draft for link in deep.links] == [0, 1]


def test_e049_a_page_that_shows_nothing_leads_to_its_feed() -> None:
    named = page('<link rel="alternate" type="text/calendar" href="/agenda.ics">')
    nothing = Failure(Reason.SELECTOR_NOT_FOUND)
    assert with_wanted_links(nothing, named, context()) is nothing
    followed = with_wanted_links(nothing, named, context(follow=(Role.FEED,)))
    assert isinstance(followed, Extracted)
    assert [link.url for link in followed.links] == ["https://kroon.example/agenda.ics"]
