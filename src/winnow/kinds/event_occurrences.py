"""What tells the events of one list apart where their names, days or addresses do not (E-070)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import time

import msgspec

from winnow.extract.draft import Draft, Extraction, Failure, Strategy, Value
from winnow.normalise.dates.read import When
from winnow.normalise.events.times import read_hour, read_start
from winnow.normalise.fields import Around
from winnow.normalise.text import fold


def with_occurrences(extraction: Extraction, near: Around) -> Extraction:
    """An event that is listed twice on one day at other hours has its hour in its occurrence; an address that events of
    several names share is not their own."""
    if isinstance(extraction, Failure) or len(extraction.drafts) < 2:
        return extraction
    drafts = _with_hours(_with_shared_urls(extraction.drafts), near)
    return msgspec.structs.replace(extraction, drafts=drafts)


def _raw(draft: Draft, field: str) -> str:
    found = draft.first(field)
    return found.raw if found is not None else ""


def _with_shared_urls(drafts: Sequence[Draft]) -> list[Draft]:
    titles: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        titles[_raw(draft, "url")].add(fold(_raw(draft, "title")))
    shared = {url for url, names in titles.items() if url and len(names) > 1}
    return [
        _with(draft, "shared_url", _raw(draft, "url")) if _raw(draft, "url") in shared else draft for draft in drafts
    ]


def _with(draft: Draft, field: str, raw: str) -> Draft:
    return msgspec.structs.replace(draft, values={**draft.values, field: [Value(raw, Strategy.DOM, "whole list")]})


def _with_hours(drafts: Sequence[Draft], near: Around) -> list[Draft]:
    known = {n: _event_and_start(draft) for n, draft in enumerate(drafts) if "occurrence" not in draft.values}
    names = Counter(event for event, _ in known.values())
    moments = {n: _moment(drafts[n], start, near) for n, (event, start) in known.items() if names[event] > 1}
    days = {n: (known[n][0], moment[:10]) for n, moment in moments.items() if moment}
    often = Counter(days.values())
    return [
        _with(draft, "occurrence", moments[n]) if n in days and often[days[n]] > 1 and "T" in moments[n] else draft
        for n, draft in enumerate(drafts)
    ]


def _event_and_start(draft: Draft) -> tuple[tuple[str, ...], str]:
    own = _raw(draft, "uid") or ("" if "shared_url" in draft.values else _raw(draft, "url"))
    event = (own,) if own else (fold(_raw(draft, "title")), fold(_raw(draft, "venue_name")))
    return event, _raw(draft, "start")


def _moment(draft: Draft, start: str, near: Around) -> str:
    """The day, with its hour where one is stated; "" where it cannot be read."""
    year = _raw(draft, "year")
    own = msgspec.structs.replace(near, year=int(year)) if year.isdigit() else near
    found = read_start(start, own)
    if not isinstance(found, When):
        return ""
    shown = _raw(draft, "clock")
    hour = found.start_time or (read_hour(shown, near) if shown else None)
    return f"{found.start.isoformat()}T{hour:%H:%M}" if isinstance(hour, time) else found.start.isoformat()
