"""Days that the page itself contradicts (E-060): their events are held, because one of two statements is wrong.

- The address of an event names another year with the same day and month: an old text was copied.
- Only a weekday says the year, and it says one far ahead although the day comes by just now, or one that breaks the
  order of a list whose neighbours agree on another: the weekday is as likely a typing error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction, Failure, Strategy, Value
from winnow.extract.event.agree import CONTRADICTION
from winnow.extract.event.event_words import DAY_IN_URL
from winnow.kinds.event_years import MAX_STARTS, near_of
from winnow.normalise.dates.read import When
from winnow.normalise.events.times import read_start

FAR_AHEAD = timedelta(days=300)
JUST_NOW = timedelta(days=60)
NEIGHBOUR = timedelta(days=120)  # a list that goes on for a year has an entry at least this often
_STATED_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|['’]\d\d\b|\d[-/.]\s?\d{1,2}[-/.]\s?\d\d")


class _Dated(msgspec.Struct, frozen=True):
    draft: int
    day: date
    by_weekday: bool
    text: str


def with_contradictions(extraction: Extraction, ctx: Context) -> Extraction:
    if isinstance(extraction, Failure) or not extraction.drafts:
        return extraction
    dated = [found for n, draft in enumerate(extraction.drafts) if (found := _dated(n, draft, ctx)) is not None]
    drafts = list(extraction.drafts)
    for at, one in enumerate(dated):
        why = _of_url(one, drafts[one.draft]) or _of_weekday(dated, at, ctx.now.date())
        if why:
            drafts[one.draft] = _with(drafts[one.draft], why)
    return msgspec.structs.replace(extraction, drafts=drafts)


def _with(draft: Draft, why: str) -> Draft:
    stated = [Value(why, Strategy.DOM, "whole list")]
    return msgspec.structs.replace(draft, values={**draft.values, CONTRADICTION: stated})


def _dated(n: int, draft: Draft, ctx: Context) -> _Dated | None:
    """The day of a draft whose year is not left open."""
    near = near_of(draft, ctx)
    for value in draft.values.get("start", [])[:MAX_STARTS]:
        found = read_start(value.raw, near)
        if isinstance(found, When):
            if found.inferred:
                return None
            by_weekday = "year" not in draft.values and not _STATED_YEAR.search(value.raw)
            return _Dated(n, found.start, by_weekday, value.raw)
    return None


def _of_url(one: _Dated, draft: Draft) -> str:
    url = draft.first("url")
    for match in DAY_IN_URL.finditer(url.raw if url is not None else ""):
        named = (int(match["m"] or match["m2"]), int(match["d"] or match["d2"]))
        year = int(match["y"] or match["y2"])
        if named == (one.day.month, one.day.day) and year != one.day.year:
            return f"the event's address says {year}, its text {one.day.year}"
    return ""


def _of_weekday(dated: Sequence[_Dated], at: int, today: date) -> str:
    one = dated[at]
    if not one.by_weekday:
        return ""
    around = [other.day for other in (*dated[max(0, at - 1) : at], *dated[at + 1 : at + 2])]
    near = any(abs(day - one.day) <= NEIGHBOUR for day in around)
    other = _breaks_order(dated, at)
    if other is not None:
        return f"its weekday is that of {one.day}, the entries around it are of {other}"
    if near or one.day - today <= FAR_AHEAD:
        return ""
    passing = [day for year in (today.year - 1, today.year, today.year + 1) if (day := _in_year(one.day, year))]
    if any(day != one.day and abs(day - today) <= JUST_NOW for day in passing):
        return f"its weekday is that of {one.day}, and the day itself comes by around today"
    return ""


def _breaks_order(dated: Sequence[_Dated], at: int) -> int | None:
    """The year in which the day would lie between both of its neighbours, where its own does not."""
    if not 0 < at < len(dated) - 1:
        return None
    low, high = sorted((dated[at - 1].day, dated[at + 1].day))
    if low <= dated[at].day <= high:
        return None
    between = [day for year in {low.year, high.year} if (day := _in_year(dated[at].day, year)) and low <= day <= high]
    return between[0].year if between else None


def _in_year(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:
        return None
