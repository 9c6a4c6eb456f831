"""Which country a page is for, as far as that decides what `$` or `kr` means."""

from __future__ import annotations

import pytest

from winnow.normalise.locales import locale_of
from winnow.normalise.money.currencies import local_currency


@pytest.mark.parametrize(
    ("lang", "url", "currency"),
    [
        ("en", "https://shop.com/p", "USD"),
        ("", "https://shop.com/p", "USD"),
        ("en-US", "https://shop.com/p", "USD"),
        ("en-CA", "https://shop.com/p", "CAD"),
        ("en-US", "https://shop.com.au/p", "AUD"),
        ("en-US", "https://shop.ca/p", "CAD"),
        ("en", "https://shop.com/ca/p", "CAD"),
        ("en", "https://shop.com/en-ca/p", "CAD"),
        ("en", "https://shop.com/en_AU/p", "AUD"),
        ("en-US", "https://ca.shop.com/p", "CAD"),
        ("en", "https://shop.com/us/en/p", "USD"),
        ("sv", "https://shop.com/p", "SEK"),
        ("da-DK", "https://shop.eu/p", "DKK"),
        ("es", "https://shop.com/p", None),
        ("en-GB", "https://shop.com/p", "GBP"),
        ("en", "http://[", None),
    ],
)
def test_a_country_is_told_by_domain_then_address_then_language(lang: str, url: str, currency: str | None) -> None:
    assert local_currency(locale_of(lang, url)) == currency
