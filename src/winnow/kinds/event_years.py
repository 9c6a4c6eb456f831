"""The years of days that a list writes without one (E-060).

A weekday decides on its own (`normalise.dates`). Else the heading a day stands under, the address of its page, and last
the order of the whole list do: months that rise, or fall, and wrap around the turn of the year. A list says its years
by its days that are complete, or by lying around the day on which it was fetched. Anything less leaves a day open, and
its event is held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction, Failure, Strategy, Value
from winnow.extract.event.event_words import DAY_IN_URL
from winnow.normalise.dates.read import When, read_days
from winnow.normalise.events.times import read_start
from winnow.normalise.fields import Around, around

MAX_STARTS = 3  # candidates of one event that are tried
MAX_STEP = 180  # days from one entry to the next at the turn of a year; farther, another list of the page begins
MIN_DAYS = 3  # two days are in some order by chance
# An agenda begins near today or holds it; farther away, it is as well that of another year.
AROUND_TODAY = timedelta(days=45)
# A page whose newest year is older than this was left behind: its days are those of a year nobody knows.
MAX_AGE = timedelta(days=120)
_YEARS = re.compile(rb"(?<![\d./-])20[0-4]\d(?![\d])")


class Entry(msgspec.Struct, frozen=True):
    """The day of a draft. `is_open`: its year is a guess of the clock."""

    draft: int
    day: date
    is_open: bool


def with_years(extraction: Extraction, body: bytes, ctx: Context) -> Extraction:
    """The drafts with a `year` where the page as a whole gives one."""
    if isinstance(extraction, Failure) or not extraction.drafts:
        return extraction
    drafts = [_from_heading_or_url(draft, ctx) for draft in extraction.drafts]
    entries = [entry for n, draft in enumerate(drafts) if (entry := _entry(n, draft, ctx)) is not None]
    if any(entry.is_open for entry in entries):
        for n, year in years_of_list(entries, ctx.now.date(), _newest_year(body, ctx.now.date())).items():
            drafts[n] = _with_year(drafts[n], year, "list order")
    return msgspec.structs.replace(extraction, drafts=drafts)


def _newest_year(body: bytes, today: date) -> int | None:
    years = {int(match[0]) for match in _YEARS.finditer(body)}
    return max((year for year in years if year <= today.year + 2), default=None)


def _with_year(draft: Draft, year: int, where: str) -> Draft:
    stated = [Value(str(year), Strategy.DOM, where)]
    return msgspec.structs.replace(draft, values={**draft.values, "year": stated})


def near_of(draft: Draft, ctx: Context) -> Around:
    near = around(draft, ctx)
    stated = draft.first("year")
    return msgspec.structs.replace(near, year=int(stated.raw)) if stated and stated.raw.isdigit() else near


def _entry(n: int, draft: Draft, ctx: Context) -> Entry | None:
    near = near_of(draft, ctx)
    for value in draft.values.get("start", [])[:MAX_STARTS]:
        found = read_start(value.raw, near)
        if isinstance(found, When):
            is_vague = bool({"day", "month"} & set(found.inferred))
            return None if is_vague else Entry(n, found.start, "year" in found.inferred)
    return None


def _from_heading_or_url(draft: Draft, ctx: Context) -> Draft:
    """A heading with the same month and a year, or an address with the same day and month."""
    if "year" in draft.values:
        return draft
    entry = _entry(0, draft, ctx)
    if entry is None or not entry.is_open:
        return draft
    heading, url = draft.first("heading_day"), draft.first("url")
    year = _year_of_heading(heading.raw, entry.day, draft, ctx) if heading else None
    if year is not None:
        return _with_year(draft, year, "heading")
    year = _year_of_url(url.raw if url else "", entry.day)
    return draft if year is None else _with_year(draft, year, "url")


def _year_of_heading(heading: str, day: date, draft: Draft, ctx: Context) -> int | None:
    near = around(draft, ctx)
    for text in (heading, f"1 {heading}"):
        found = read_days(text, now=near.now, locale=near.locale)
        if isinstance(found, When) and "year" not in found.inferred and found.start.month == day.month:
            return found.start.year
    return None


def _year_of_url(url: str, day: date) -> int | None:
    for match in DAY_IN_URL.finditer(url):
        month, in_month = int(match["m"] or match["m2"]), int(match["d"] or match["d2"])
        if (month, in_month) == (day.month, day.day):
            return int(match["y"] or match["y2"])
    return None


def years_of_list(entries: Sequence[Entry], today: date, newest: int | None) -> dict[int, int]:
    """draft -> year of every open entry; {} where the list does not say. What is shown large above a list may be any of
    its evenings: where it alone breaks the order, it stays open."""
    return _years_in_order(entries, today, newest) or _years_in_order(entries[1:], today, newest)


def _years_in_order(entries: Sequence[Entry], today: date, newest: int | None) -> dict[int, int]:
    days = list(dict.fromkeys((entry.day.month, entry.day.day) for entry in entries))
    if len(days) < MIN_DAYS:
        return {}
    found = [turns for falls in (False, True) if (turns := _turns(entries, falls=falls)) is not None]
    if len(found) != 1:
        return {}
    bases = [
        base
        for year in range(today.year - 2, today.year + 3)
        if (base := _fits(entries, found[0], year, today, newest))
    ]
    return bases[0] if len(bases) == 1 else {}


def _turns(entries: Sequence[Entry], *, falls: bool) -> list[int] | None:
    """How many turns of the year lie before each entry of a list that rises (or falls); None where it does not: more
    than one turn, or no more steps in its direction than turns."""
    turns, steps, at = 0, 0, []
    before: tuple[int, int] | None = None
    for entry in entries:
        here = (entry.day.month, entry.day.day)
        if before is not None and here != before:
            is_turn = (here < before) != falls
            if is_turn and _step(before, here, falls=falls) > MAX_STEP:
                return None
            turns, steps = turns + is_turn, steps + (not is_turn)
        at.append(-turns if falls else turns)
        before = here
    return at if turns <= 1 and steps >= 2 and steps > turns else None


def _step(before: tuple[int, int], here: tuple[int, int], *, falls: bool) -> int:
    """Days from one day of the year to the next time the other comes by, in the direction of the list."""
    first, last = (date(2024, *day).timetuple().tm_yday for day in ((here, before) if falls else (before, here)))
    return (last - first) % 366


def _fits(entries: Sequence[Entry], turns: Sequence[int], year: int, today: date, newest: int | None) -> dict[int, int]:
    """The years of the open entries when the first one is in `year`; {} when that contradicts a complete day or, in a
    list without one, when the list is not around today."""
    years = [year + turn for turn in turns]
    stated = [(entry, given) for entry, given in zip(entries, years, strict=True) if not entry.is_open]
    if any(entry.day.year != given for entry, given in stated):
        return {}
    try:
        days = [entry.day.replace(year=given) for entry, given in zip(entries, years, strict=True)]
    except ValueError:
        return {}
    if not stated and not _is_current(days, today, newest):
        return {}
    return {entry.draft: given for entry, given in zip(entries, years, strict=True) if entry.is_open}


def _is_current(days: Sequence[date], today: date, newest: int | None) -> bool:
    if newest is not None and newest < (today - MAX_AGE).year:
        return False
    return min(days) - AROUND_TODAY <= today <= max(days) + AROUND_TODAY
