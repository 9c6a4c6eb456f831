"""Validates input of a person: URLs, names, intervals, a source's configuration. Pure.

Each function returns the one spelling that is stored, or raises InvalidInput saying what is wrong and in
which field. Nothing is stored that was not through here (R-12).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec

from winnow.errors import InvalidInput
from winnow.fetch.egress.allow import NOTHING, AllowList
from winnow.fetch.http.headers import own_headers
from winnow.fetch.tiers import LADDER
from winnow.fetch.url import parse_url
from winnow.normalise.dates.timezones import known_zone
from winnow.normalise.money.currencies import read_currency
from winnow.normalise.urls import canonical_url, url_hash
from winnow.schedule.budget import EVENT_ROLES, MAX_BUDGET, ROLES
from winnow.sources.domain import domain_of

MAX_PRIORITY = 1_000  # of either sign; rank.py uses a fraction of it
SHORTEST_EVERY = timedelta(minutes=1)  # below that, cadence is not what limits a target
LONGEST_EVERY = timedelta(days=366)
MAX_HEADERS, MAX_HEADER = 32, 4_096
MAX_FOLLOW_DOMAINS = 50
_EVERY = re.compile(r"(\d{1,9})\s*(s|sec|m|min|h|d|w)?", re.ASCII)
_SECONDS = {"s": 1, "sec": 1, None: 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)  # RFC 9110 §5.6.2, token
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*", re.ASCII)
_LOCALE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}))?", re.ASCII | re.IGNORECASE)
_CONFIG_KEYS = frozenset(  # P-066, and how requests leave
    {"rateLimit", "fetcherType", "customHeaders", "assumeInStock", "currency", "proxy", "proxyRegion", "images"}
    | {"follow", "followBudget", "followDomains"}
)


class CheckedTarget(msgspec.Struct, frozen=True):
    """`url` is fetched, `canonical_url` names the page, `domain` is whose turn it needs."""

    url: str
    canonical_url: str
    url_hash: str
    domain: str


def url(given: str, allow: AllowList = NOTHING) -> CheckedTarget:
    """UrlRefused for what may not be stored (R-12); the address behind the name is checked when fetched."""
    checked = parse_url(given.strip() if isinstance(given, str) else given, allow)
    canonical = canonical_url(checked.url)
    return CheckedTarget(checked.url, canonical, url_hash(canonical), domain_of(checked.url))


def text(given: str, field: str, most: int = 200, *, required: bool = True) -> str:
    """One line, trimmed. Zero and control characters are refused: the database or a terminal would choke."""
    value = given.strip()
    if required and not value:
        raise InvalidInput(f"{field} must not be empty", field=field)
    if len(value) > most:
        raise InvalidInput(f"{field} is longer than {most} characters", field=field)
    if any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in value):
        raise InvalidInput(f"{field} contains a control character", field=field)
    return value


def notes(given: str | None) -> str | None:
    """Free text over several lines; the same characters are refused, except line breaks and tabs."""
    if given is None or not given.strip():
        return None
    for line in re.split(r"[\r\n\t]", given):
        text(line, "notes", 10_000, required=False)
    return given.strip()


def priority(given: str | int) -> int:
    """P-057: higher first."""
    written = str(given).strip()
    if not re.fullmatch(r"[+-]?\d{1,6}", written, re.ASCII) or abs(int(written)) > MAX_PRIORITY:
        raise InvalidInput(f"priority must be a whole number up to ±{MAX_PRIORITY}", field="priority")
    return int(written)


def every(given: str | timedelta) -> timedelta:
    """`4h`, `30m`, `1d`; a bare number is seconds."""
    interval = given if isinstance(given, timedelta) else _interval(given)
    if not SHORTEST_EVERY <= interval <= LONGEST_EVERY:
        raise InvalidInput("the interval must be between one minute and a year", field="every")
    return interval


def adaptive(first: timedelta, least: timedelta | None, most: timedelta | None) -> timedelta:
    """The first interval of a target whose interval follows its changes between two limits; both or none are given."""
    if least is None and most is None:
        return first
    if least is None or most is None:
        raise InvalidInput("the least and the most interval go together", field="revisit")
    if every(least) > every(most):
        raise InvalidInput("the least interval is longer than the most", field="revisit")
    return min(max(first, least), most)


def _interval(given: str) -> timedelta:
    match = _EVERY.fullmatch(given.strip().lower())
    if not match:
        raise InvalidInput(f"{given!r} is not an interval like 30m, 4h or 1d", field="every")
    return timedelta(seconds=int(match[1]) * _SECONDS[match[2]])


def yes_or_no(given: str, field: str) -> bool:
    word = given.strip().lower()
    if word in ("1", "true", "yes", "y", "on"):
        return True
    if word in ("0", "false", "no", "n", "off"):
        return False
    raise InvalidInput(f"{field} must be yes or no", field=field)


def tier_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """Which ways a source's pages may be fetched (E-033 … E-035); without `tiers`, all that are set up.
    `feedGuessing`: whether feeds are looked for that its pages do not name (E-050)."""
    unknown = set(given) - {"tiers", "feedGuessing"}
    if unknown:
        raise InvalidInput(f"tier_config has no key {sorted(unknown)[0]!r}", field="tier_config")
    guesses, wanted = given.get("feedGuessing"), given.get("tiers")
    if guesses is not None and not isinstance(guesses, bool):
        raise InvalidInput("feedGuessing must be true or false", field="tier_config.feedGuessing")
    checked: dict[str, Any] = {} if guesses is None else {"feedGuessing": guesses}
    if wanted is None:
        return checked
    known = [way.value for way in LADDER]
    if not isinstance(wanted, list) or not wanted or any(way not in known for way in wanted):
        raise InvalidInput(f"tiers must be one or more of {', '.join(known)}", field="tier_config.tiers")
    return checked | {"tiers": [way for way in known if way in wanted]}


def tier(given: str) -> str:
    """How deep a run of a source of events goes (E-097)."""
    if given not in EVENT_ROLES:
        raise InvalidInput(f"tier must be one of {', '.join(EVENT_ROLES)}", field="tier")
    return given


def coordinate(given: Any, field: str, most: int) -> float | None:
    if given is None:
        return None
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    if not plain or not math.isfinite(given) or abs(given) > most:
        raise InvalidInput(f"{field} must be a number from -{most} to {most}", field=field)
    return float(given)


def scrape_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """P-066. An unknown key is refused: a typo in a rate must not go unnoticed."""
    unknown = set(given) - _CONFIG_KEYS
    if unknown:
        raise InvalidInput(f"scrape_config has no key {sorted(unknown)[0]!r}", field="scrape_config")
    checked = {name: _CONFIG_CHECKS[name](value) for name, value in given.items() if value is not None}
    return checked


def _rate(given: Any) -> dict[str, float]:
    rate = given.get("requestsPerSecond") if isinstance(given, Mapping) and len(given) == 1 else None
    plain = isinstance(rate, int | float) and not isinstance(rate, bool)
    if rate is None or not plain or not math.isfinite(rate) or not 0 < rate <= 10_000:
        raise InvalidInput("rateLimit must be {requestsPerSecond: a number above 0}", field="scrape_config.rateLimit")
    return {"requestsPerSecond": rate}


def _fetcher(given: Any) -> str:
    if given not in ("http", "playwright", "scrapingbee"):
        raise InvalidInput("fetcherType must be http, playwright or scrapingbee", field="scrape_config.fetcherType")
    return str(given)


def _headers(given: Any) -> dict[str, str]:
    """No line break can get in, so no second header; framing and identity are not a source's to set."""
    field = "scrape_config.customHeaders"
    if not isinstance(given, Mapping) or len(given) > MAX_HEADERS:
        raise InvalidInput(f"customHeaders must be an object of at most {MAX_HEADERS} headers", field=field)
    for name, value in given.items():
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise InvalidInput("customHeaders: a header has an invalid name", field=field)
        if not isinstance(value, str) or len(value) > MAX_HEADER or not _HEADER_VALUE.fullmatch(value):
            raise InvalidInput(f"customHeaders: the value of {name} is not printable ASCII", field=field)
    refused = set(given) - set(own_headers(given))
    if refused:
        raise InvalidInput(f"customHeaders: {sorted(refused)[0]} is not a source's to set", field=field)
    return dict(given)


def timezone(given: str | None) -> str | None:
    """An IANA name: dates without a zone are read in it."""
    if not given:
        return None
    if (zone := known_zone(given.strip())) is None:
        raise InvalidInput("timezone must be a name such as Europe/Berlin", field="timezone")
    return zone


def locale(given: str | None) -> str | None:
    """A language with or without a country (BCP 47), in the spelling `de-AT`."""
    if not given:
        return None
    match = _LOCALE.fullmatch(given.strip())
    if match is None:
        raise InvalidInput("locale must be a language or a language and a country, such as de or en-GB", field="locale")
    return f"{match[1].lower()}-{match[2].upper()}" if match[2] else match[1].lower()


def currency(given: Any, field: str = "currency") -> str:
    """Validate a currency code. With an unknown one no `$` could be decided, and every price would be held."""
    if not isinstance(given, str) or (code := read_currency(given)) is None:
        raise InvalidInput("currency must be a code of ISO 4217 such as USD", field=field)
    return code


def _proxy(given: Any) -> str:
    if given != "direct":
        raise InvalidInput('proxy can only be "direct": requests go through proxies where there are some',
                           field="scrape_config.proxy")  # fmt: skip
    return str(given)


def _region(given: Any) -> str:
    if not isinstance(given, str) or not re.fullmatch(r"[a-z0-9-]{2,32}", given):
        raise InvalidInput("proxyRegion must be a short word such as us", field="scrape_config.proxyRegion")
    return given


def _images(given: Any) -> bool:
    if not isinstance(given, bool):
        raise InvalidInput("images must be true or false", field="scrape_config.images")
    return given


def _assume_in_stock(given: Any) -> bool:
    if not isinstance(given, bool):
        raise InvalidInput("assumeInStock must be true or false", field="scrape_config.assumeInStock")
    return given


def _follow(given: Any) -> dict[str, int]:
    """How many pages of each role a run may visit. Roles that are not named are not followed."""
    field = "scrape_config.follow"
    if not isinstance(given, Mapping) or set(given) - set(ROLES):
        raise InvalidInput(f"follow must be an object of {', '.join(ROLES)}", field=field)
    return {role: _whole(given[role], 0, MAX_BUDGET["pages"], f"{field}.{role}") for role in given}


def follow_budget(given: Any) -> dict[str, int]:
    """The limits that are given; the others are the source's, or the platform's."""
    field = "scrape_config.followBudget"
    if not isinstance(given, Mapping) or set(given) - set(MAX_BUDGET):
        raise InvalidInput(f"followBudget must be an object of {', '.join(MAX_BUDGET)}", field=field)
    return {name: _whole(given[name], 1, MAX_BUDGET[name], f"{field}.{name}") for name in given}


def _follow_domains(given: Any) -> list[str]:
    field = "scrape_config.followDomains"
    if not isinstance(given, list) or len(given) > MAX_FOLLOW_DOMAINS:
        raise InvalidInput(f"followDomains must be a list of at most {MAX_FOLLOW_DOMAINS} domains", field=field)
    for domain in given:
        if not isinstance(domain, str) or not _is_registrable(domain):
            raise InvalidInput("followDomains: each must be a registrable domain such as example.org", field=field)
    return list(dict.fromkeys(given))


def _is_registrable(domain: str) -> bool:
    try:
        return bool(domain) and domain_of(f"https://{domain}/") == domain
    except ValueError:
        return False


def _whole(given: Any, least: int, most: int, field: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise InvalidInput(f"{field} must be a whole number from {least} to {most}", field=field)
    return given


_CONFIG_CHECKS: dict[str, Callable[[Any], Any]] = {
    "proxy": _proxy,
    "proxyRegion": _region,
    "images": _images,
    "follow": _follow,
    "followBudget": follow_budget,
    "followDomains": _follow_domains,
    "rateLimit": _rate,
    "fetcherType": _fetcher,
    "customHeaders": _headers,
    "assumeInStock": _assume_in_stock,
    "currency": partial(currency, field="scrape_config.currency"),
}
