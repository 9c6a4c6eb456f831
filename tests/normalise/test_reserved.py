"""Examples are nobody's on the public web, and somebody's on a site that is made up itself."""

from __future__ import annotations

import pytest

from winnow.normalise.doubts import Unread
from winnow.normalise.emails import read_email
from winnow.normalise.phones import read_phone
from winnow.normalise.reserved import is_made_up

MADE_UP = ["http://127.0.0.1:8080/", "http://[::1]/about", "http://10.1.2.3/", "https://www.acme.example/",
           "https://shop.test/", "http://localhost:9000/", "https://example.com/"]  # fmt: skip
REAL = ["https://acme.com/", "https://example.de/", "https://93.184.216.34/", "https://contest/", ""]


@pytest.mark.parametrize("url", MADE_UP)
def test_a_made_up_site_has_made_up_people(url: str) -> None:
    assert is_made_up(url)
    assert read_email("office@hollow-oak.example", url) == "office@hollow-oak.example"
    assert read_phone("+1 512-555-0142", None, url) == "+15125550142"
    assert read_phone("020 7946 0123", "GB", url) == "+442079460123"


@pytest.mark.parametrize("url", REAL)
def test_elsewhere_they_are_what_a_template_left_behind(url: str) -> None:
    assert not is_made_up(url)
    for raw in ("office@hollow-oak.example", "you@example.com", "a@shop.test"):
        assert isinstance(read_email(raw, url), Unread)
    for raw in ("+1 512-555-0142", "+44 20 7946 0123"):
        assert isinstance(read_phone(raw, None, url), Unread)


@pytest.mark.parametrize("raw", ["info@example.com", "your.name@acme.example", "a@example", "info@domain.com"])
def test_fillers_stay_fillers_everywhere(raw: str) -> None:
    assert isinstance(read_email(raw, "http://127.0.0.1:8080/"), Unread)


def test_the_sites_own_name_is_its_own() -> None:
    assert read_email("info@shop.example.com", "https://www.shop.example.com/about") == "info@shop.example.com"
