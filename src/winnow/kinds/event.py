"""Events of agendas and of their own pages."""

from __future__ import annotations

from urllib.parse import urlsplit

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction, Failure
from winnow.extract.event.agree import CONTRADICTION
from winnow.extract.event.event import extract_events
from winnow.extract.event.wanted_links import with_wanted_links
from winnow.extract.page import Page
from winnow.judge.verdict import Decision, Finding, Hold, Verdict
from winnow.kinds.event_contradictions import with_contradictions
from winnow.kinds.event_occurrences import with_occurrences
from winnow.kinds.event_orders import with_orders
from winnow.kinds.event_years import with_years
from winnow.kinds.kind import digest
from winnow.kinds.results import judge_required, model_kind
from winnow.normalise.doubts import Doubt, Unread
from winnow.normalise.fields import Normalised, around
from winnow.normalise.results.event import EventResult, normalise_event
from winnow.normalise.text import fold
from winnow.normalise.urls import short_url_hash

MAX_YEARS_AHEAD = 5  # nobody announces an evening farther ahead; it is a typing error or a placeholder such as 2099
REQUIRED = ("title", "start")
# What makes an event another one when it was inferred: nothing on the page confirms it, so a person must.
_OPEN = {
    "year": "the page states no year, and neither a weekday nor the order of a list gives one",
    "month": "the page states a day of the month and no month",
    "day": "the page states a weekday or a rule, and no date",
}


def read(page: Page, ctx: Context) -> Extraction:
    """The drafts of the page, with what only the whole list tells: years, and which of several shows of a day it is;
    and the links that its source wants followed (E-049, E-097)."""
    found = extract_events(page, ctx.preferred, ctx.usual, ctx.selectors)
    dated = with_years(with_orders(with_wanted_links(found, page, ctx)), page.body, ctx)
    if isinstance(dated, Failure) or not dated.drafts:
        return dated
    return with_occurrences(with_contradictions(dated, ctx), around(dated.drafts[0], ctx))


def judge(found: Normalised, draft: Draft, ctx: Context) -> Verdict:
    """Held where the day was inferred and nothing confirms it, or where the page contradicts it; in a calendar also
    where its zone is not known."""
    verdict = judge_required(found, REQUIRED)
    if verdict.decision is not Decision.ACCEPT:
        problem = found.problems.get("start") if verdict.decision is Decision.HOLD else None
        return verdict if problem is None else Verdict(Decision.HOLD, [_unread_start(problem)])
    inferred = getattr(found.result, "inferred", None) or []
    holds = [_hold(_OPEN[name]) for name in inferred if name in _OPEN]
    holds += [_hold(value.raw) for value in draft.values.get(CONTRADICTION, [])]
    day = str(getattr(found.result, "event_date", "") or "")
    if day and int(day[:4]) > ctx.now.year + MAX_YEARS_AHEAD:
        holds.append(_hold(f"{day} is more than {MAX_YEARS_AHEAD} years away"))
    if "zone" in inferred and ctx.source_id:
        holds.append(_hold(_NO_ZONE))
    return Verdict(Decision.HOLD if holds else Decision.ACCEPT, holds)


_NO_ZONE = (
    "the hour has no time zone: page, source and country name none, or two contradict; give its source one "
    "(`winnow sources set SOURCE --timezone ZONE`)"
)
# Why a stated day is not read (E-060), as a person at the quarantine reads it.
_DOUBTS = {
    Doubt.CONTRADICTION: "the weekday is not that of the day in any year near this one",
    Doubt.AMBIGUOUS: "it has two readings, and neither the page's language nor its country decides",
    Doubt.INVALID: "there is no such day",
    Doubt.INCOMPLETE: "it names no day",
}


def _unread_start(problem: Unread) -> Finding:
    why = _DOUBTS.get(problem.why, str(problem.why))
    return Finding("event_date", Hold.NORMALIZATION_FAILED, f"start: {why}: {problem.details!r}")


def _hold(why: str) -> Finding:
    return Finding("event_date", Hold.VALIDATION_FAILED, why)


def key(found: Normalised, ctx: Context) -> str:
    """`source_key@occurrence`: the UID, the address of the event's own page, else its names; and which of its days,
    or by which rule."""
    source_key = _source_key(found, ctx)
    beside, day = found.identity, getattr(found.result, "event_date", None)
    rule = getattr(found.result, "recurrence", None)
    occurrence = beside.get("recurrence_id") or beside.get("occurrence") or rule or day or ""
    return f"{source_key}@{occurrence}" if source_key and occurrence else source_key


def _source_key(found: Normalised, ctx: Context) -> str:
    uid, url, title, venue = (getattr(found.result, name, None) for name in ("uid", "url", "title", "venue_name"))
    if uid:
        return f"UID:{uid}"
    if url is not None and _is_own(str(url), found, ctx):
        return f"URL:{short_url_hash(str(url))}"
    if not ctx.listing:
        return f"URL:{short_url_hash(ctx.url)}"
    return "KEY:" + digest(f"{fold(title)}|{fold(venue or '')}".encode()) if title else ""


def _is_own(url: str, found: Normalised, ctx: Context) -> bool:
    """Not the front page of a site, nor the listing itself, nor an address that several events share."""
    parts = urlsplit(url)
    is_front = parts.path in ("", "/") and not parts.query
    is_listing = ctx.listing and short_url_hash(url) == short_url_hash(ctx.url)
    return not (is_front or is_listing or "shared_url" in found.identity)


EVENT = model_kind(
    name="event",
    version="2.0.0",
    target_type="event",
    model=EventResult,
    read=read,
    normalise=normalise_event,
    judge=judge,
    key=key,
    writer="winnow.kinds.writers.events:EventsWriter",
    holds_pages=True,
)
