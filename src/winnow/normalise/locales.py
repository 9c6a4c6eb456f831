"""Which locale a page is written for: its language, and the country its address names."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from winnow.extract.page_facts import unarchived
from winnow.normalise.money.currencies import REGION_CURRENCY
from winnow.vocabulary.currencies import currency_of_country

# Country domains whose language has another code.
_LANGUAGES = {
    "se": "sv", "dk": "da", "no": "nb", "cz": "cs", "jp": "ja", "cn": "zh", "gr": "el", "ua": "uk", "br": "pt",
    "at": "de",
    "si": "sl", "ee": "et", "rs": "sr", "uk": "en", "ie": "en", "us": "en", "ca": "en", "au": "en", "nz": "en",
    "sg": "en",
    "in": "en", "mx": "es", "ar": "es", "cl": "es", "co": "es", "pe": "es", "za": "en",
}  # fmt: skip
_COUNTRIES = {"uk": "GB"}
# Used as ordinary names by shops of any country.
_GENERIC = frozenset(["co", "io", "ai", "me", "tv", "eu", "cc", "ws", "to"])
_AMERICAN = frozenset(["com", "net", "org", "us", "store", "shop", "biz"])


# `/en-ca/`, `/ca/en/`, `/fr_CA/` and the like at the start of a path, or a host such as ca.shop.com.
_PATH_LOCALE = re.compile(r"/(?:([a-z]{2})[-_])?([a-z]{2})(?=/|$)", re.IGNORECASE)
_HOST_COUNTRY = re.compile(r"(?:www\.)?([a-z]{2})\.[a-z0-9-]+\.")


@lru_cache(4_096)
def locale_of(lang: str, url: str, usual: str | None = None) -> str | None:
    """The page's own language with a region where one can be told; None when nothing says anything.

    A country domain, and then a country in the address, count more than the region of the language: themes say en-US
    wherever they are sold. What neither says is taken from `usual`, the source's own locale. An English page (or one
    that does not say) under .com and the like is then taken to be American, which decides what `$` means there and
    nothing else: a page that states its currency is never overruled by it.
    """
    language, _, region = lang.strip().replace("_", "-").partition("-")
    usual_language, _, usual_region = (usual or "").strip().replace("_", "-").partition("-")
    language = language or usual_language
    country = _last_label(url)
    if len(country) == 2 and country not in _GENERIC:
        return _in_country(language, region or usual_region, country)
    named = _country_in(url)
    if named and named != region.upper():
        return f"{language or 'en'}-{named}"
    if region or usual_region:
        return f"{language}-{region or usual_region}"
    if country in _AMERICAN and language.lower() in ("", "en"):
        return "en-US"
    return language or None


def in_zone(locale: str | None, url: str, country: str | None) -> str | None:
    """English is that of the country whose zone its source is in, where the address names none: themes say en-GB in
    America, and en-US everywhere."""
    label = _last_label(url)
    if country is None or (locale or "").partition("-")[0] != "en" or (len(label) == 2 and label not in _GENERIC):
        return locale
    return locale if _country_in(url) else f"en-{country}"


def _in_country(language: str, region: str, country: str) -> str:
    named = _COUNTRIES.get(country, country.upper())
    language = language or _LANGUAGES.get(country, country)
    if named in REGION_CURRENCY:
        return f"{language}-{named}"
    return f"{language}-{region}" if region else language


def _country_in(url: str) -> str:
    """The country a host or path names, if people there pay in a currency whose sign others use too."""
    try:
        parts = urlsplit(unarchived(url))
    except ValueError:
        return ""
    found = [match[2] for match in _PATH_LOCALE.finditer(parts.path[:12])]
    host = _HOST_COUNTRY.match(parts.hostname or "")
    codes = [_COUNTRIES.get(code.lower(), code.upper()) for code in [*found, *([host[1]] if host else [])]]
    return next((code for code in codes if code in REGION_CURRENCY and code.lower() not in _LANGUAGE_CODES), "")


# Country codes that are read as languages in an address: /ar/ is Arabic, /is/ Icelandic, /no/ Norwegian.
_LANGUAGE_CODES = frozenset(["ar", "is", "no", "co", "in", "se"])


# Domains of countries in which the currency is known. Countries that changed it of late are left out: a kept page may
# be older than the change.
_DOMAINS = """
    de at nl be fr es it pt ie fi gr sk si lu mt cy uk se no dk is pl cz hu ro ch ru ua tr jp kr cn tw in au nz ca mx br
    ar cl za sg hk th id my ph vn il ae sa rs kz by pk lk bd np ng ke eg ma pe uy
"""
_DOMAIN_CURRENCY = {end: currency_of_country()[_COUNTRIES.get(end, end.upper())] for end in _DOMAINS.split()}


def country_currency(url: str) -> str | None:
    return _DOMAIN_CURRENCY.get(_last_label(url))


def _last_label(url: str) -> str:
    try:
        host = urlsplit(unarchived(url)).hostname or ""
    except ValueError:
        return ""
    last = host.rpartition(".")[2]
    return last if last.isalpha() else ""
