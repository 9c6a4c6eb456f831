"""Which way a page is fetched, and which way next when one does not get it (E-033 … E-043). Pure, table-tested.

    static ──▶ dynamic ──▶ scrapingbee      plain HTTP, a browser, a scraping API: the ladder, as far as it is there
                                            and as far as the source may go
    /  ──▶ /agenda ──▶ /evenementen …       events only: the same again at another path of the site

A step up is a request more, so it goes back through the queue: the task takes the next grant of its domain and asks
robots.txt again (DESIGN §11.12). How far a task has come is its `Route`, stored with it; which way works for a source
is remembered with the source, and checked again now and then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from winnow.fetch.meaning import OtherWay
from winnow.fetch.outcome import FetchResult, Outcome


class Way(StrEnum):
    """E-038: the words of `pages.fetcher_used` and `sources.preferred_fetcher`."""

    STATIC = "static"
    DYNAMIC = "dynamic"
    SCRAPINGBEE = "scrapingbee"


Ladder = tuple[Way, ...]
LADDER: Ladder = (Way.STATIC, Way.DYNAMIC, Way.SCRAPINGBEE)
FAILURES = 3  # E-034: so many 403, 429 or timeouts, then the next way
# P-066's words, and further ones that a person may set.
_CONFIGURED = {"http": (Way.STATIC,), "playwright": (Way.DYNAMIC, Way.SCRAPINGBEE), "scrapingbee": (Way.SCRAPINGBEE,)}
ALTERNATIVES = ("/agenda", "/evenementen", "/programma", "/events")  # E-037


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a task has come. `way` None: from the beginning; `path`: instead of the one in its URL."""

    way: Way | None = None
    path: str | None = None


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What decides about the first way: the task's route, what a person set for the source, what its adapter needs and
    what was learnt."""

    route: Route = Route()
    configured: str | None = None
    tiers: Sequence[str] | None = None
    needs_browser: bool = False
    preferred: str | None = None
    learnt_at: datetime | None = None


def route_of(stored: Mapping[str, Any] | None) -> Route:
    return msgspec.convert(stored, Route) if stored else Route()


def ladder_of(known: Known, available: Ladder) -> Ladder:
    """The ways of this source, lowest first. What a person or an adapter asked for is included even when
    it is not `available`: its fetch reports what is missing. Never empty."""
    if known.configured in _CONFIGURED:
        first, *more = _CONFIGURED[known.configured]
        return (first, *(way for way in more if way in available))
    allowed = tuple(way for way in LADDER if known.tiers is None or way.value in known.tiers) or (Way.STATIC,)
    found = tuple(way for way in allowed if way in available)
    if known.needs_browser:
        return (Way.DYNAMIC, *(way for way in found if way is Way.SCRAPINGBEE))
    return found or allowed[:1]


def first_way(known: Known, ladder: Ladder, now: datetime, recheck: timedelta) -> Way:
    """The way of this visit: where the task stands; else what works for the source (E-036), unless that is so long ago
    that the plain way is worth another try."""
    if known.route.way in ladder:
        return known.route.way
    fresh = known.learnt_at is not None and now - known.learnt_at < recheck
    if fresh and known.preferred in ladder:
        return Way(known.preferred)
    return ladder[0]


def next_way(result: FetchResult, way: Way, ladder: Ladder, attempts: int, max_attempts: int) -> Way | None:
    """The way to try after this answer; None: this one again, or none at all. `attempts` counts this way's."""
    higher = ladder[ladder.index(way) + 1 :] if way in ladder else ()
    if not higher or not _may_help(result, attempts, max_attempts):
        return None
    return higher[0]


def _may_help(result: FetchResult, attempts: int, max_attempts: int) -> bool:
    other_way = _other_way(result)
    counted = attempts >= min(FAILURES, max_attempts)
    return other_way is OtherWay.AT_ONCE or (other_way is OtherWay.AFTER_RETRIES and counted)


def _other_way(result: FetchResult) -> OtherWay:
    return OtherWay.NO if result.error_class is None else result.error_class.meaning.other_way


def comes_again(result: FetchResult, way: Way, ladder: Ladder) -> bool:
    """E-034: a 403 is tried again the same way only where three of them lead to another."""
    return _other_way(result) is OtherWay.AFTER_RETRIES and way in ladder and way is not ladder[-1]


def timeout_ms(usual_ms: int, last_outcome: str | None) -> int:
    """E-040: after a timeout, twice the time."""
    return usual_ms * 2 if last_outcome == Outcome.TIMEOUT else usual_ms


def way_to_remember(known: Known, way: Way, ladder: Ladder) -> Way | None:
    """What to remember for the source when this way brought a page that could be read; None: nothing new. A way that
    was asked for, or is the only one, teaches nothing."""
    if len(ladder) < 2 or known.configured is not None or known.needs_browser:
        return None
    if known.route.way is not None:
        return way  # others were tried before it
    if known.preferred is not None and known.preferred != way:
        return way
    return None


def alternative(url: str, kind: str, route: Route) -> str | None:
    """E-037: the next path to look for events at; None: there is none, or nothing else is looked for there."""
    own = urlsplit(url).path.rstrip("/")
    if kind != "event" or (route.path is None and own not in ("", "/index.html", "/home")):
        return None
    left = ALTERNATIVES if route.path is None else ALTERNATIVES[ALTERNATIVES.index(route.path) + 1 :]
    return left[0] if left else None


def url_of(url: str, route: Route) -> str:
    if route.path is None:
        return url
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, route.path, "", ""))
