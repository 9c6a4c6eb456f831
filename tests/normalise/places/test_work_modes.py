"""How is worked is no place (S-126): "Full Time Remote" has no city, "Munich or remote" is Munich."""

from __future__ import annotations

import json

import pytest

from tests.product_pages import NOW
from winnow.normalise.doubts import Unread
from winnow.normalise.fields import Around
from winnow.normalise.places.located import NormalizedLocation, location

NEAR = Around("https://jobs.example/1", NOW)


def read(raw: str | dict[str, str]) -> NormalizedLocation:
    found = location(raw if isinstance(raw, str) else json.dumps(raw), NEAR)
    assert not isinstance(found, Unread)
    return found


@pytest.mark.parametrize(
    "raw",
    [
        "Full Time Remote",
        "Remote, full-time",
        "100% remote",
        "Hybrid or on-site",
        "Vollzeit",
        "Télétravail",
        "Remote position",
        {"addressLocality": "Full Time Remote"},
        {"addressLocality": "Remote", "addressRegion": "Remote only"},
    ],
)
def test_s126_ways_to_work_are_no_city(raw: str | dict[str, str]):
    found = read(raw)
    assert (found.city, found.state_region, found.country) == (None, None, None)
    assert found.raw


@pytest.mark.parametrize(
    ("raw", "city", "code"),
    [
        ("Munich or remote", "Munich", "DE"),
        ("Remote/Berlin", "Berlin", "DE"),
        ("San Francisco HQ", "San Francisco", "US"),
        ("Amsterdam Office", "Amsterdam", "NL"),
        ("United States Remote", None, "US"),
        ({"addressLocality": "Full Time Remote", "addressCountry": "US"}, None, "US"),
    ],
)
def test_s126_the_place_beside_them_is_kept(raw: str | dict[str, str], city: str | None, code: str):
    found = read(raw)
    assert (found.city, found.country_code) == (city, code)


@pytest.mark.parametrize(("raw", "city"), [("Mobile, AL", "Mobile"), ("Bath", "Bath"), ("Home, Kansas", "Home")])
def test_s126_towns_called_like_other_words_stay_towns(raw: str, city: str):
    assert read(raw).city == city


def test_s126_raw_is_what_stood_there_and_no_country_code_behind_it():
    found = read({"addressLocality": "Uppsala, Uppsala County, Sweden", "addressCountry": "SE"})
    assert (found.raw, found.city, found.country_code) == ("Uppsala, Uppsala County, Sweden", "Uppsala", "SE")
    assert read({"addressLocality": "Uppsala", "addressCountry": "SE"}).raw == "Uppsala, SE"
