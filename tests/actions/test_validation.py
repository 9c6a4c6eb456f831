"""What a person gives is checked before it is stored (R-12)."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from winnow.actions import validation
from winnow.actions.domains import domain_named, raises
from winnow.errors import InvalidInput, UrlRefused
from winnow.fetch.egress.allow import AllowList
from winnow.schedule.ledger.policy import Limits

REFUSED = [
    "", " ", "shop.example.com/p", "//shop.example.com/", "ftp://shop.example.com/", "javascript:alert(1)",
    "file:///etc/passwd", "http://", "https:///p", "http://user:pw@shop.example.com/", "http://shop.example.com\\@evil/",
    "http://shop.example.com/\r\nX: y", "http://shop.example.com/a b", "http://shop.example.com:22/", "http://localhost/",
    "http://127.0.0.1/", "http://0x7f.1/", "http://[::1]/", "http://169.254.169.254/latest", "http://shop.example.com:0/",
    "http://shop.example.com:99999/", "https://" + "a" * 9_000 + ".com/", "http://\x00/", "http://‮evil.com/",
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED)
def test_r12_such_urls_are_refused_before_they_are_stored(url: str) -> None:
    with pytest.raises(UrlRefused):
        validation.url(url)


def test_c041_equivalent_spellings_have_one_hash() -> None:
    spellings = [
        "https://Shop.Example.com/p/1",
        "http://shop.example.com:80/p/1/",
        "https://shop.example.com/p/1?utm_source=x&gclid=1#top",
        " https://shop.example.com/a/../p/1 ",
    ]
    checked = [validation.url(s) for s in spellings]
    assert len({c.url_hash for c in checked}) == 1
    assert len(checked[0].url_hash) == 64
    assert {c.domain for c in checked} == {"example.com"}


def test_an_allowed_host_is_taken() -> None:
    assert validation.url("http://127.0.0.1:8123/p", AllowList(["127.0.0.1:8123"])).domain == "127.0.0.1:8123"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("30m", 1800), ("4h", 14400), ("1 d", 86400), ("2W", 1209600), ("5min", 300)]
)
def test_intervals(text: str, seconds: int) -> None:
    assert validation.every(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "0", "59s", "-1h", "1y", "h", "1.5h", "400d", "٣h", "9" * 30, "1h1m"])
def test_what_is_no_interval_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        validation.every(text)


@pytest.mark.parametrize("value", ["", "x", "1.5", "1e3", "1001", "-1001", "٣", "9" * 50])
def test_priorities_are_bounded_whole_numbers(value: str) -> None:
    with pytest.raises(InvalidInput):
        validation.priority(value)


@pytest.mark.parametrize(
    "config",
    [
        {"ratelimit": {"requestsPerSecond": 1}},
        {"rateLimit": {"requestsPerSecond": 0}},
        {"rateLimit": {"requestsPerSecond": float("nan")}},
        {"rateLimit": {"requestsPerSecond": float("inf")}},
        {"rateLimit": {"requestsPerSecond": True}},
        {"rateLimit": {"requestsPerSecond": "1"}},
        {"rateLimit": {"requestsPerSecond": 1, "burst": 5}},
        {"rateLimit": 5},
        {"fetcherType": "curl"},
        {"customHeaders": {"X-A": "b\r\nX-Evil: 1"}},
        {"customHeaders": {"X A": "b"}},
        {"customHeaders": {"Host": "evil"}},
        {"customHeaders": {"User-Agent": "Googlebot"}},
        {"customHeaders": {"Content-Length": "0"}},
        {"customHeaders": {"X-A": 5}},
        {"customHeaders": ["X-A"]},
        {"currency": "dollar"},
    ],
)
def test_a_wrong_scrape_config_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        validation.scrape_config(config)


def test_p066_a_scrape_config_is_kept_as_written() -> None:
    config = {"rateLimit": {"requestsPerSecond": 0.2}, "fetcherType": "http", "customHeaders": {"X-A": "b"}}
    assert validation.scrape_config(config) == config


@pytest.mark.parametrize(("written", "kept"), [("de", "de"), ("EN_gb", "en-GB"), (" fil-PH ", "fil-PH"), ("", None)])
def test_a_locale_is_kept_in_one_spelling(written: str, kept: str | None) -> None:
    assert validation.locale(written) == kept


@pytest.mark.parametrize("written", ["german", "d", "de-DEU", "de-", "zh-Hant-TW", "de;q=1", "дe"])
def test_what_is_no_locale_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        validation.locale(written)


def test_a_time_zone_is_one_that_exists() -> None:
    assert validation.timezone(" Europe/Berlin ") == "Europe/Berlin"
    assert validation.timezone(None) is None
    for written in ("Berlin", "Europe", "../UTC", "/etc/localtime", "+02:00", "Europe/Berlin\x00"):
        with pytest.raises(InvalidInput):
            validation.timezone(written)


@examples(st.text())
def test_any_text_is_taken_or_refused_and_never_an_accident(value: str) -> None:
    for check in (
        validation.url,
        validation.every,
        validation.priority,
        validation.notes,
        validation.locale,
        validation.timezone,
        lambda v: validation.text(v, "name"),
    ):
        with contextlib.suppress(InvalidInput):
            check(value)


@pytest.mark.parametrize(
    ("written", "domain"),
    [
        ("www.Bol.com", "bol.com"),
        ("https://a.b.co.uk/x", "b.co.uk"),
        ("127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://localhost:81/x", "localhost:81"),
    ],
)
def test_a_domain_may_be_written_as_a_person_does(written: str, domain: str) -> None:
    assert domain_named(written) == domain


@pytest.mark.parametrize("written", ["", " ", ":80", "a b", "a@b.com", "http://[", "x\x00y", "a\\b"])
def test_what_is_no_domain_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        domain_named(written)


@pytest.mark.parametrize(
    ("after", "raised"),
    [
        (Limits(), False),
        (Limits(tokens=2), True),
        (Limits(interval_seconds=1.0), True),
        (Limits(tokens=2, interval_seconds=8.0), False),
        (Limits(spacing_seconds=0.0), True),
        (Limits(max_concurrent=2), True),
        (Limits(respect_robots_txt=False), True),
        (Limits(allowed_hours=(8, 18)), False),
    ],
)
def test_letting_more_through_is_told_from_being_stricter(after: Limits, raised: bool) -> None:
    assert raises(Limits(), after) is raised


def test_longer_hours_let_more_through() -> None:
    assert raises(Limits(allowed_hours=(8, 18)), Limits())
    assert raises(Limits(allowed_hours=(8, 18)), Limits(allowed_hours=(22, 6)))
    assert not raises(Limits(allowed_hours=(8, 18)), Limits(allowed_hours=(9, 17)))


def test_what_a_source_follows() -> None:
    config = {
        "follow": {"next_page": 20, "detail": 50, "item": 0},
        "followBudget": {"pages": 60, "depth": 2, "seconds": 600, "bytes": 1_000_000},
        "followDomains": ["example.org", "example.co.uk"],
    }
    assert validation.scrape_config(config) == config


@pytest.mark.parametrize(
    "config",
    [
        {"follow": ["detail"]},
        {"follow": {"details": 5}},
        {"follow": {"detail": -1}},
        {"follow": {"detail": True}},
        {"follow": {"detail": 2.5}},
        {"followBudget": {"pages": 0}},
        {"followBudget": {"hours": 1}},
        {"followBudget": {"depth": 1_000}},
        {"followDomains": "example.org"},
        {"followDomains": ["www.example.org"]},
        {"followDomains": ["https://example.org"]},
        {"followDomains": ["co.uk"]},
        {"followDomains": ["example.org:99999"]},
        {"followDomains": [7]},
        {"followDomains": [f"d{n}.com" for n in range(51)]},
    ],
)
def test_a_wrong_word_about_links_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        validation.scrape_config(config)
