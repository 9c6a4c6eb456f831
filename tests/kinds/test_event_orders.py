"""Days in figures whose order only the whole list, or the zone of its source, tells (E-060)."""

from __future__ import annotations

import msgspec
import pytest

from tests.product_pages import context, page
from winnow.judge.verdict import Decision
from winnow.kinds.assess import assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds
from winnow.normalise.locales import in_zone

EVENT = all_kinds().get("event")


def read(days: list[str], lang: str, zone: str | None, url: str = "https://council.example.org/agendas/"):
    rows = "".join(
        f"<tr><td>Regular council meeting</td><td>{day}</td><td><a href='/f{n}'>Agenda</a></td></tr>"
        for n, day in enumerate(days)
    )
    html = f'<html lang="{lang}"><title>Meetings</title><h1>Council meetings</h1><table>{rows}</table></html>'
    found = assess(page(html, url), GenericAdapter(EVENT), EVENT, msgspec.structs.replace(context(url), timezone=zone))
    accepted = [r.data["event_date"] for r in found.records if r.verdict.decision is Decision.ACCEPT]
    return accepted, len(found.records) - len(accepted)


def test_e060_a_list_says_whether_the_month_comes_first():
    days = ["9.6.2026", "9.20.2026", "10.4.2026", "10.18.2026"]
    assert read(days, "en-US", "America/Los_Angeles") == (["2026-09-06", "2026-09-20", "2026-10-04", "2026-10-18"], 0)


def test_e060_a_list_with_days_first_is_read_so_on_an_american_template():
    days = ["06/09/2026", "20/09/2026", "04/10/2026", "18/10/2026"]
    assert read(days, "en-US", None)[0] == ["2026-09-06", "2026-09-20", "2026-10-04", "2026-10-18"]


def test_e060_dots_on_an_american_page_are_held_where_the_list_says_nothing():
    assert read(["9.6.2026", "9.8.2026", "10.4.2026"], "en-US", "America/Chicago") == ([], 3)


def test_e060_a_list_that_contradicts_itself_says_nothing():
    accepted, held = read(["9.6.2026", "9.20.2026", "20.10.2026", "10.18.2026", "19.11.2026"], "en-US", None)
    assert not {"2026-06-09", "2026-09-06"} & set(accepted)
    assert held == 1


def test_e060_the_zone_of_the_source_counts_more_than_the_language_of_a_template():
    assert read(["10-02-2026", "09-11-2026", "09-04-2026"], "en-gb", "America/New_York")[0] == [
        "2026-10-02",
        "2026-09-11",
        "2026-09-04",
    ]
    assert read(["10-02-2026", "09-11-2026", "09-04-2026"], "en-us", "Europe/Amsterdam")[0] == [
        "2026-02-10",
        "2026-11-09",
        "2026-04-09",
    ]


@pytest.mark.parametrize(
    ("locale", "url", "country", "expected"),
    [
        ("en-GB", "https://a.example.org/", "US", "en-US"),
        ("en-GB", "https://a.example.co.uk/", "US", "en-GB"),
        ("nl-NL", "https://a.example.org/", "US", "nl-NL"),
        ("en-US", "https://a.example.com/", "NL", "en-NL"),
        ("en-US", "https://a.example.com/", None, "en-US"),
        (None, "https://a.example.com/", "US", None),
    ],
)
def test_e060_english_is_that_of_the_zone(locale: str | None, url: str, country: str | None, expected: str | None):
    assert in_zone(locale, url, country) == expected
