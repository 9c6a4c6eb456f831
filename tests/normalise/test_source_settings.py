"""What a source says of its pages (locale, time zone) is used where the page itself says nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Strategy, Value
from winnow.normalise.fields import around
from winnow.normalise.locales import locale_of
from winnow.normalise.record import Money
from winnow.normalise.results.event import EventResult, normalise_event
from winnow.normalise.results.job_posting import day
from winnow.normalise.results.offer import normalise_offer

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
CONTEXT = Context(
    source_id="1", retailer_id="2", run_id="3", target_id="4", url="https://venue.example/agenda", now=NOW
)


def told(url: str = CONTEXT.url, **settings: str | None) -> Context:
    return msgspec.structs.replace(CONTEXT, url=url, **settings)


def draft(kind: str, **fields: str) -> Draft:
    return Draft(kind, {name: [Value(raw, Strategy.JSON_LD, "here")] for name, raw in fields.items()})


def event(ctx: Context, **fields: str) -> EventResult:
    found = normalise_event(draft("event", title="Jazz Night", **fields), ctx).result
    assert isinstance(found, EventResult)
    return found


@pytest.mark.parametrize(
    ("lang", "url", "usual", "expected"),
    [
        ("", "https://shop.io/p", "en-GB", "en-GB"),
        ("", "https://shop.com/p", "en-CA", "en-CA"),
        ("en", "https://shop.com/p", "en_AU", "en-AU"),
        ("fr", "https://shop.com/p", "en-CA", "fr-CA"),
        ("", "https://shop.com/p", "en", "en-US"),
        ("", "https://shop.com/p", "de", "de"),
        ("en-US", "https://shop.com/p", "en-GB", "en-US"),
        ("", "https://shop.com/ca/p", "fr-FR", "fr-CA"),
        ("", "https://shop.ch/p", "fr-CH", "fr-CH"),
        ("", "https://shop.io/p", None, None),
    ],
)
def test_the_source_s_locale_fills_in_what_page_and_address_leave_open(
    lang: str, url: str, usual: str | None, expected: str | None
) -> None:
    assert locale_of(lang, url, usual) == expected


def test_an_ambiguous_date_is_read_as_the_source_s_country_writes_it() -> None:
    assert event(CONTEXT, start="03/04/2026").start is None
    assert event(told(locale="en-GB"), start="03/04/2026").start == "2026-04-03"
    assert event(told(locale="en-US"), start="03/04/2026").start == "2026-03-04"
    assert event(told(locale="en-US"), start="03/04/2026", lang="en-GB").start == "2026-04-03"


def test_a_time_without_a_zone_is_one_of_the_source_s_zone() -> None:
    assert event(CONTEXT, start="2026-07-04 20:00").start == "2026-07-04T20:00"
    found = event(told(timezone="America/Chicago"), start="2026-07-04 20:00")
    assert (found.start, found.time_zone) == ("2026-07-04T20:00-05:00", "America/Chicago")


def test_the_zone_a_page_states_is_not_overruled_by_the_source_s() -> None:
    found = event(told(timezone="America/Chicago"), start="2026-07-04T20:00:00+02:00")
    assert found.start == "2026-07-04T20:00+02:00"


def test_the_source_s_zone_is_not_that_of_an_event_abroad() -> None:
    here = told(timezone="America/Chicago", locale="en-US")
    abroad = event(here, start="2026-07-04 20:00", location='{"addressLocality": "Berlin", "addressCountry": "DE"}')
    canada = event(here, start="2026-07-04 20:00", location='{"addressLocality": "Toronto", "addressCountry": "CA"}')
    assert abroad.start == "2026-07-04T20:00+02:00"
    assert canada.start == "2026-07-04T20:00"  # several zones, and nobody said which


def test_tomorrow_is_a_day_of_the_source_s_zone() -> None:
    assert event(CONTEXT, start="tomorrow").start == "2026-03-02"
    assert event(told(timezone="Asia/Tokyo"), start="tomorrow").start == "2026-03-03"


def test_a_time_of_a_posting_is_one_of_the_source_s_zone() -> None:
    near = around(draft("job_posting"), told(timezone="Europe/Paris"))
    assert day("2026-02-27 10:00", near) == "2026-02-27T10:00+01:00"
    assert day("2026-02-27", near) == "2026-02-27"


def test_a_zone_nobody_knows_is_as_good_as_none() -> None:
    for name in ("Mars/Olympus", "../etc/passwd", "Europe", ""):
        assert event(told(timezone=name), start="2026-07-04 20:00").start == "2026-07-04T20:00"


def test_the_source_s_locale_settles_a_sign_and_a_separator() -> None:
    def price(raw: str, **settings: str | None) -> Money | None:
        offer = draft("offer", title="Shoe", price=raw, availability="InStock")
        return normalise_offer(offer, told("https://shop.io/p", **settings), "generic", "1.0.0").price

    assert price("$12.00") is None
    assert price("$12.00", locale="en-CA") == Money(1200, "CAD")
    assert price("1,299 €") is None
    assert price("1,299 €", locale="en-IE") == Money(129900, "EUR")
    assert price("1,299 €", locale="en-IE", currency="EUR") == Money(129900, "EUR")
