"""JSON of calendars as a body and as the state of a page (E-047, E-049)."""

from __future__ import annotations

import json

import pytest

from tests.extract.event.feeds import found, one, plain, read
from winnow.extract.draft import Extracted, Failure, Role, Strategy

TRIBE = {
    "events": [
        {
            "id": 1, "title": "Jazz &amp; wijn", "url": "https://kroon.example/jazz", "start_date": "2026-05-01 20:30:00", "end_date": "2026-05-01 23:00:00",
            "utc_start_date": "2026-05-01 18:30:00", "timezone": "Europe/Amsterdam", "date": "2026-01-01 10:00:00", "modified": "2026-01-02 10:00:00",
            "author": "1", "status": "publish", "cost": "€ 12,50", "description": "<p>Trio</p>", "image": {"url": "https://kroon.example/jazz.jpg"},
            "venue": {"venue": "De Kroon", "address": "Markt 1", "city": "Delft", "zip": "2611 GP", "country": "Netherlands", "geo_lat": 52.01, "geo_lng": 4.36},
            "organizer": [{"organizer": "Stichting Kroon"}], "categories": [{"name": "Concert"}],
        }
    ],
    "next_rest_url": "https://kroon.example/wp-json/tribe/events/v1/events?page=2",
}  # fmt: skip
GOOGLE = {
    "kind": "calendar#events", "timeZone": "Europe/Amsterdam",
    "items": [
        {"kind": "calendar#event", "summary": "Kermis", "start": {"date": "2026-05-01"}, "end": {"date": "2026-05-04"}, "iCalUID": "a@g"},
        {"kind": "calendar#event", "summary": "Lezing", "start": {"dateTime": "2026-05-05T18:00:00Z"}, "end": {"dateTime": "2026-05-05T19:00:00Z"}},
    ],
}  # fmt: skip
SQUARESPACE = {
    "website": {"timeZone": "America/New_York"},
    "upcoming": [{"title": "Gala", "startDate": 1777768200000, "endDate": 1777775400000, "publishOn": 1770000000000, "fullUrl": "/events/gala",
                  "location": {"addressTitle": "Hall", "addressLine1": "1 Main St", "addressLine2": "Albany, NY", "mapLat": 42.6, "mapLng": -73.7}}],
}  # fmt: skip
TICKETS = {
    "_embedded": {"events": [{
        "name": "Band", "url": "https://tickets.example/1", "priceRanges": [{"min": 20.0, "max": 30.0, "currency": "EUR"}],
        "dates": {"start": {"localDate": "2026-05-01", "localTime": "20:00:00", "dateTime": "2026-05-01T18:00:00Z"}, "timezone": "Europe/Amsterdam", "status": {"code": "cancelled"}},
        "_embedded": {"venues": [{"name": "Hal", "city": {"name": "Delft"}, "postalCode": "2611", "country": {"countryCode": "NL"}, "address": {"line1": "Plein 1"}}]},
    }]},
    "page": {"totalElements": 1},
}  # fmt: skip
DRUPAL = {
    "data": [
        {
            "type": "node--event",
            "attributes": {
                "title": "Quiz",
                "field_date": {"value": "2026-05-01T20:00:00+02:00", "end_value": "2026-05-01T22:00:00+02:00"},
                "path": {"alias": "/quiz"},
            },
        }
    ]
}
MEC = [
    {
        "ID": 4,
        "title": "Blues",
        "permalink": "https://kroon.example/blues",
        "date": {
            "start": {"date": "2026-05-01", "hour": "8", "minutes": "30", "ampm": "PM"},
            "end": {"date": "2026-05-01", "hour": "11", "minutes": "0", "ampm": "PM"},
        },
    }
]


def test_e049_the_rest_answer_of_the_events_calendar() -> None:
    extraction = found(TRIBE, url="https://kroon.example/wp-json/tribe/events/v1/events", media="application/json")
    assert [(link.role, link.url) for link in extraction.links] == [(Role.NEXT_PAGE, TRIBE["next_rest_url"])]
    [draft] = [plain(draft) for draft in extraction.drafts]
    assert draft == {
        "title": "Jazz & wijn",
        "start": "2026-05-01 20:30:00",
        "end": "2026-05-01 23:00:00",
        "tzid": "Europe/Amsterdam",
        "url": "https://kroon.example/jazz",
        "image_url": "https://kroon.example/jazz.jpg",
        "description": "<p>Trio</p>",
        "organiser": "Stichting Kroon",
        "category": "Concert",
        "venue_name": "De Kroon",
        "location": json.dumps(
            {
                "streetAddress": "Markt 1",
                "postalCode": "2611 GP",
                "addressLocality": "Delft",
                "addressCountry": "Netherlands",
            }
        ),
        "latitude": "52.01",
        "longitude": "4.36",
        "price": json.dumps([{"low": "12.50", "high": "12.50", "currency": "€"}], ensure_ascii=False),
    }


def test_e049_google_states_the_day_after_the_last_and_one_zone_for_all() -> None:
    fair, talk = [plain(draft) for draft in found(GOOGLE).drafts]
    assert (fair["start"], fair["end"], fair["uid"]) == ("2026-05-01", "2026-05-03", "a@g")
    assert (talk["start"], talk["end"]) == ("2026-05-05T20:00+02:00", "2026-05-05T21:00+02:00")


def test_e049_squarespace_counts_milliseconds_in_the_zone_of_its_site() -> None:
    gala = one(SQUARESPACE)
    assert (gala["start"], gala["end"], gala["venue_name"]) == (
        "2026-05-02T20:30-04:00",
        "2026-05-02T22:30-04:00",
        "Hall",
    )


def test_e049_a_ticket_seller_states_venue_price_and_state() -> None:
    band = one(TICKETS)
    assert (band["start"], band["tzid"], band["status"], band["venue_name"]) == (
        "2026-05-01 20:00:00",
        "Europe/Amsterdam",
        "cancelled",
        "Hal",
    )
    assert json.loads(band["price"]) == [{"low": "20.0", "high": "30.0", "currency": "EUR"}]


def test_e049_fields_of_drupal_and_parts_of_a_day() -> None:
    quiz, blues = one(DRUPAL), one(MEC)
    assert (quiz["start"], quiz["end"], quiz["url"]) == (
        "2026-05-01T20:00:00+02:00",
        "2026-05-01T22:00:00+02:00",
        "/quiz",
    )
    assert blues["start"] == "2026-05-01 8:30 PM"


def test_e049_each_evening_of_one_event_is_an_event() -> None:
    body = {
        "events": [
            {
                "event": {
                    "title": "Lezing",
                    "location_name": "Aula",
                    "event_instances": [
                        {"event_instance": {"start": "2026-05-01T10:00:00+02:00"}},
                        {"event_instance": {"start": "2026-05-08T10:00:00+02:00"}},
                    ],
                }
            }
        ]
    }
    assert [plain(draft)["start"] for draft in found(body).drafts] == [
        "2026-05-01T10:00:00+02:00",
        "2026-05-08T10:00:00+02:00",
    ]


def test_e049_a_calendar_with_a_name_and_a_range_is_not_an_event() -> None:
    body = {
        "title": "Mei",
        "start": "2026-05-01",
        "end": "2026-05-31",
        "entries": [{"title": "Jazz", "start": "2026-05-02T20:00"}],
    }
    assert [plain(draft)["title"] for draft in found(body).drafts] == ["Jazz"]


@pytest.mark.parametrize(
    "body",
    [
        {"products": [{"title": "Shoe", "price": 3, "start": "2026-05-01", "sku": "1"}]},
        [
            {
                "date": "2026-05-01T10:00:00",
                "date_gmt": "2026-05-01T08:00:00",
                "title": {"rendered": "News"},
                "author": 3,
                "modified": "2026-05-01",
            }
        ],
        {"name": "page", "start": 0, "limit": 20, "total": 3},
        '{"title": "broken", "start": ',
    ],
)
def test_e047_what_only_looks_like_an_event_is_none(body: object) -> None:
    assert isinstance(read(body), Failure)  # type: ignore[arg-type]


@pytest.mark.parametrize("body", [{"events": []}, [], {"items": [], "total": 0}])
def test_e057_an_answer_that_lists_nothing_is_empty(body: object) -> None:
    extraction = read(body)  # type: ignore[arg-type]
    assert isinstance(extraction, Extracted)
    assert extraction.empty


def test_r17_json_nested_without_end_is_refused() -> None:
    assert isinstance(read("[" * 200_000), Failure)


def test_e049_json_feed_says_the_day_in_an_extension_or_in_its_titles() -> None:
    version = "https://jsonfeed.org/version/1.1"
    own = one(
        {
            "version": version,
            "title": "Agenda",
            "items": [
                {"id": "1", "title": "Jazz", "_event": {"start": "2026-05-01T20:00"}, "date_published": "2026-01-01"}
            ],
        }
    )
    words = one(
        {
            "version": version,
            "title": "Agenda",
            "items": [{"id": "1", "title": "1 mei 2026: Jazz", "date_published": "2026-01-01"}],
        }
    )
    assert own["start"] == "2026-05-01T20:00"
    assert (words["title"], words["start"]) == ("Jazz", "1 mei 2026")


def page(script: str) -> str:
    return f"<html><head><title>Agenda</title></head><body><h1>Agenda</h1><p>Welkom bij De Kroon, het podium van Delft.</p>{script}</body></html>"


@pytest.mark.parametrize(
    "script",
    [
        '<script id="__NEXT_DATA__" type="application/json">{"props": {"pageProps": {"shows": %s}}}</script>',
        "<script>window.__NUXT__ = {data: [{shows: %s}]};</script>",
        "<script>window.__INITIAL_STATE__ = {agenda: {shows: %s}};</script>",
        "<script>window.__KROON_AGENDA__ = {shows: %s};</script>",
    ],
)
def test_e047_events_in_the_state_of_a_page_are_found_wherever_they_stand(script: str) -> None:
    shows = [
        {"titel": "Jazz", "startDatum": "2026-05-01T20:30", "zaal": "Grote Zaal"},
        {"titel": "Blues", "startDatum": "2026-05-02T20:30", "zaal": "Kelder"},
    ]
    extraction = found(page(script % json.dumps(shows)))
    assert [(plain(d)["title"], plain(d)["start"], plain(d)["venue_name"]) for d in extraction.drafts] == [
        ("Jazz", "2026-05-01T20:30", "Grote Zaal"),
        ("Blues", "2026-05-02T20:30", "Kelder"),
    ]
    assert extraction.strategy is Strategy.HYDRATION


def test_e047_what_an_apollo_cache_refers_to_stands_with_the_event() -> None:
    cache = {
        "Event:1": {
            "__typename": "Event",
            "name": "Jazz",
            "startsAt": "2026-05-01T20:30",
            "venue": {"__ref": "Venue:7"},
        },
        "Venue:7": {"__typename": "Venue", "name": "De Kroon"},
    }
    draft = one(page(f"<script>window.__APOLLO_STATE__ = {json.dumps(cache)};</script>"))
    assert (draft["title"], draft["venue_name"]) == ("Jazz", "De Kroon")
