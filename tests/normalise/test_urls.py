"""One spelling per page (P-019 … P-022, P-024, C-041)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import UrlRefused
from winnow.normalise.urls import canonical_url, clickable_url, short_url_hash, url_hash


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://Shop.Example.COM/Path/", "https://shop.example.com/Path"),
        ("https://shop.example", "https://shop.example/"),
        ("https://shop.example/", "https://shop.example/"),
        ("https://shop.example/a#reviews", "https://shop.example/a"),
        ("http://shop.example:80/a", "https://shop.example/a"),
        ("https://shop.example:443/a", "https://shop.example/a"),
        ("http://shop.example:8080/a", "https://shop.example:8080/a"),
        ("https://shop.example/a//", "https://shop.example/a"),
        ("https://shop.example/a/../b/./c", "https://shop.example/b/c"),
        ("https://shop.example/%7euser/%e2%82%ac", "https://shop.example/~user/%E2%82%AC"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("https://shop.example./a", "https://shop.example/a"),
    ],
)
def test_p019_scheme_host_fragment_and_slash(url: str, expected: str) -> None:
    assert canonical_url(url) == expected


@pytest.mark.parametrize(
    "parameter",
    ["utm_source", "utm_whatever", "fbclid", "gclid", "ref", "source", "campaign", "UTM_Medium", "msclkid", "srsltid"],
)
def test_p020_pn07_tracking_parameters_go(parameter: str) -> None:
    assert canonical_url(f"https://shop.example/a?{parameter}=1&id=7") == "https://shop.example/a?id=7"


def test_p020_parameters_that_name_the_page_stay() -> None:
    url = "https://shop.example/a?colour=red&reference=5&resource=2&variant=9"
    assert canonical_url(url) == url


def test_p021_pn07_empty_parameters_go_and_the_rest_is_sorted_by_key() -> None:
    assert canonical_url("https://s.example/a?b=2&&c=&d&a=1&b=1") == "https://s.example/a?a=1&b=2&b=1"


@pytest.mark.parametrize("parameter", ["ad_id", "adid", "campaign_id"])
def test_p022_what_may_identify_a_page_stays(parameter: str) -> None:
    assert canonical_url(f"https://ads.example.com/view?{parameter}=1") != canonical_url(
        f"https://ads.example.com/view?{parameter}=2"
    )


def test_p022_tracking_alone_makes_no_second_target() -> None:
    assert url_hash("http://s.example/a/?utm_source=mail") == url_hash("https://s.example/a")


def test_p024_the_url_hash_is_sha256_over_the_canonical_url() -> None:
    full = hashlib.sha256(b"https://s.example/a").hexdigest()
    assert url_hash("http://s.example/a/") == full
    assert short_url_hash("https://s.example/a") == full[:16]


@pytest.mark.parametrize(
    ("url", "clickable"),
    [
        ("http://S.example/a/?utm_source=x&b=1#f", "http://s.example/a?b=1"),
        ("https://s.example/a/", "https://s.example/a"),
        ("http://s.example:80/", "http://s.example/"),
        ("http://s.example:443/a", "http://s.example:443/a"),
        ("http://s.example:8080/a", "http://s.example:8080/a"),
        ("HTTPS://s.example:443/a", "https://s.example/a"),
    ],
)
def test_a_shop_that_only_speaks_http_is_reached_by_http(url: str, clickable: str) -> None:
    assert clickable_url(url) == clickable
    assert url_hash(clickable) == url_hash(url), "the scheme is no part of the identity"


@pytest.mark.parametrize(
    "url",
    ["", "ftp://s.example/a", "javascript:alert(1)", "https://", "https://u:p@s.example/", "https://s.example/a b",
     "https://s.example\\@evil.example/", "https://s.example:99999/", "https://[::1", "/a", "https://s.example/\x00"],
)  # fmt: skip
def test_r12_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(UrlRefused):
        canonical_url(url)


@given(
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["shop.example", "Shop.EXAMPLE:80", "a.b.example:8443", "[::1]:443"]),
    st.text(alphabet="abC/.%2e~é+-_:;'", max_size=20),
    st.text(alphabet="abutm_=&%20+é/?;", max_size=24),
)
def test_p021_canonicalising_twice_changes_nothing(scheme: str, host: str, path: str, query: str) -> None:
    once = canonical_url(f"{scheme}://{host}/{path}?{query}#x")
    assert canonical_url(once) == once
