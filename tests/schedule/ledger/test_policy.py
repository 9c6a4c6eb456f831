"""The merge of DESIGN §4: the most specific rule is the base, everything else only tightens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import ConfigError
from winnow.schedule.ledger import policies
from winnow.schedule.ledger.policies import AllowedHours, Policies, Policy
from winnow.schedule.ledger.policy import PLATFORM, DomainRule, effective, rate_of, strictest


def test_p042_nothing_said_means_half_a_request_per_second_one_at_a_time():
    limits = effective()
    assert (limits.tokens, limits.interval_seconds, limits.spacing_seconds, limits.max_concurrent) == (1, 2.0, 2.0, 1)
    assert limits.respect_robots_txt


def test_the_domain_row_wins_over_source_policy_and_default():
    rules = {
        name: DomainRule(tokens_per_interval=n, interval_seconds=1.0) for n, name in enumerate(("a", "b", "c", "d"), 1)
    }
    assert effective(domain=rules["a"], source=rules["b"], policy=rules["c"], default=rules["d"]).tokens == 1
    assert effective(source=rules["b"], policy=rules["c"], default=rules["d"]).tokens == 2
    assert effective(policy=rules["c"], default=rules["d"]).tokens == 3
    assert effective(default=rules["d"]).tokens == 4


def test_a_domain_row_without_a_rate_loosens_nothing():
    limits = effective(domain=DomainRule(), policy=DomainRule(tokens_per_interval=1, interval_seconds=15.0))
    assert (limits.tokens, limits.interval_seconds, limits.origin["rate"]) == (1, 15.0, "policy")
    assert effective(domain=DomainRule(max_concurrent=3)).interval_seconds == PLATFORM.interval_seconds


@pytest.mark.parametrize(("asked", "spacing"), [(0.1, 2.0), (5.0, 5.0), (600.0, 60.0)])
def test_p047_a_crawl_delay_is_clamped_and_only_tightens(asked, spacing):
    assert effective(crawl_delay=asked).spacing_seconds == spacing


def test_a_crawl_delay_slows_an_explicit_rate_as_well():
    limits = effective(domain=DomainRule(tokens_per_interval=50, interval_seconds=1.0), crawl_delay=0.2)
    assert limits.spacing_seconds == 1.0
    assert limits.origin["spacing_seconds"] == "robots"


def test_only_a_domain_row_can_set_robots_aside():
    assert effective(policy=DomainRule(respect_robots_txt=False)).respect_robots_txt
    assert not effective(domain=DomainRule(respect_robots_txt=False)).respect_robots_txt


@pytest.mark.parametrize(("rps", "tokens", "interval"), [(0.5, 1, 2.0), (1, 1, 1.0), (2.5, 2, 0.8), (100, 100, 1.0)])
def test_p044_requests_per_second_become_whole_tokens(rps, tokens, interval):
    rule = rate_of(rps)
    assert (rule.tokens_per_interval, rule.interval_seconds) == (tokens, pytest.approx(interval))


@pytest.mark.parametrize("rps", [0, -1, float("nan")])
def test_a_rate_of_nothing_is_refused(rps):
    with pytest.raises(ConfigError):
        rate_of(rps)


def test_several_sources_of_one_domain_share_the_slowest_rate():
    assert strictest([rate_of(5), rate_of(0.2), rate_of(1)]) == rate_of(0.2)
    assert strictest([]) is None


@pytest.mark.parametrize(
    ("domain", "policy", "delays"),
    [
        (None, None, (500, 2_000)),
        (None, DomainRule(min_delay_ms=2_000, max_delay_ms=5_000), (2_000, 5_000)),
        (
            DomainRule(min_delay_ms=100, max_delay_ms=200),
            DomainRule(min_delay_ms=2_000, max_delay_ms=5_000),
            (100, 200),
        ),
        (DomainRule(min_delay_ms=9_000), None, (9_000, 9_000)),
        (DomainRule(max_delay_ms=100), None, (500, 500)),
    ],
)
def test_s109_delays_are_the_most_specific_and_the_shortest_is_never_above_the_longest(domain, policy, delays):
    found = effective(domain=domain, policy=policy)
    assert (found.min_delay_ms, found.max_delay_ms) == delays


hours = st.builds(AllowedHours, start=st.integers(0, 23), end=st.integers(0, 24))
rates = st.none() | st.tuples(st.integers(1, 1000), st.floats(0.01, 3600))
delays = st.none() | st.tuples(st.integers(0, 5000), st.integers(5000, 9000))


@st.composite
def policy(draw: st.DrawFn) -> Policy:
    tokens, interval = draw(rates) or (None, None)
    low, high = draw(delays) or (None, None)
    return Policy(
        tokens_per_interval=tokens,
        interval_seconds=interval,
        min_delay_ms=low,
        max_delay_ms=high,
        max_concurrent=draw(st.none() | st.integers(1, 50)),
        allowed_hours=draw(st.none() | hours),
        respect_robots_txt=draw(st.none() | st.booleans()),
    )


domains = st.dictionaries(st.from_regex(r"[a-z]{1,12}\.(com|nl|org)", fullmatch=True), policy(), max_size=5)


# Feature: scraping-microservices, Property 23: Domain policy YAML parsing round trip
@given(st.builds(Policies, default=st.none() | policy(), domains=domains))
def test_s115_property_23_policies_survive_yaml(written: Policies):
    assert policies.parse(policies.dump(written)) == written


@pytest.mark.parametrize(
    "text",
    [
        "domains: {a.com: {tokens: 5}}",
        "domains: {a.com: {tokens_per_interval: 0, interval_seconds: 1}}",
        "domains: {a.com: {tokens_per_interval: 5}}",
        "domains: {a.com: {allowed_hours: {start: 25, end: 3}}}",
        "domains: {a.com: {min_delay_ms: 9, max_delay_ms: 3}}",
        "domains: [",
        "- a",
    ],
)
def test_a_policy_file_with_a_mistake_is_refused_whole(text):
    with pytest.raises(ConfigError, match="domain policies"):
        policies.parse(text)
