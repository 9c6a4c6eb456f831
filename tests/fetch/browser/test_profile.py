"""Browser profiles: plausible, of their proxy's region, and never twice the same (S-048, properties 14 … 17)."""

from __future__ import annotations

import random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.fetch.browser.pages import action_delay_ms
from winnow.fetch.browser.profile import NEUTRAL, REGIONS, find_region, make_profile, user_agents

seeds = st.integers(0, 2**32).map(random.Random)
edges = st.randoms(use_true_random=False)  # likes the ends of every range


# Feature: scraping-microservices, Property 14: Fingerprint attributes within valid ranges
@given(seeds | edges, st.integers(100, 400))
def test_s048_s106_property_14_agent_and_screen_are_from_the_curated_ranges(rng: random.Random, major: int) -> None:
    profile = make_profile(major, rng)
    assert profile.user_agent in user_agents(major)
    assert f"Chrome/{major}." in profile.user_agent
    assert 1280 <= profile.width <= 1920
    assert 720 <= profile.height <= 1080


# Feature: scraping-microservices, Property 15: Fingerprint geo-consistency with proxy region
@given(seeds, st.sampled_from(sorted(REGIONS)))
def test_s107_property_15_everything_matches_the_proxys_region(rng: random.Random, country: str) -> None:
    profile, region = make_profile(156, rng, region=country), REGIONS[country]
    assert profile.timezone in region.timezones
    assert profile.locale in region.locales
    assert profile.locale.endswith(country)
    assert profile.geolocation == (region.latitude, region.longitude)


# Feature: scraping-microservices, Property 16: Fingerprint rotation across sessions
@given(seeds, st.sampled_from([None, "US", "de-fra", "nowhere"]))
def test_s108_property_16_two_consecutive_profiles_differ(rng: random.Random, region: str | None) -> None:
    first = make_profile(156, rng, region=region)
    second = make_profile(156, rng, region=region, previous=first)
    assert (first.user_agent, first.width, first.height, first.timezone, first.locale) != (
        second.user_agent,
        second.width,
        second.height,
        second.timezone,
        second.locale,
    )


# Feature: scraping-microservices, Property 17: Action delays within configured range
@given(seeds | edges, st.integers(0, 5_000), st.integers(0, 5_000))
def test_property_17_every_delay_is_within_its_bounds(rng: random.Random, least: int, more: int) -> None:
    assert least <= action_delay_ms(rng, least, least + more) <= least + more
    assert 500 <= action_delay_ms(rng) <= 2_000


@pytest.mark.parametrize(
    ("name", "country"),
    [("US", "US"), ("us-east-1", "US"), ("de", "DE"), ("UK", "GB"), ("US_CA", "US"), ("gb.london", "GB")],
)
def test_regions_are_found_in_the_ways_providers_write_them(name: str, country: str) -> None:
    assert find_region(name) is REGIONS[country]


@pytest.mark.parametrize("name", [None, "", "nowhere", "??", "eu"])
def test_an_unknown_region_claims_nothing(name: str | None) -> None:
    profile = make_profile(156, random.Random(1), region=name)
    assert (profile.timezone, profile.geolocation) == (NEUTRAL.timezones[0], None)


@pytest.mark.parametrize("country", sorted(REGIONS))
def test_every_time_zone_exists(country: str) -> None:
    assert all(ZoneInfo(name) for name in REGIONS[country].timezones)
