"""Whether a dated sale price holds: Google's and CJ's `sale_price_effective_date` (two ISO 8601 moments), or the two
columns of shop systems for its first and last day.

11/01/2026 can be two days. Where both readings of a period, all of it American or all of it not, give the same answer,
or only one of them is possible, that is the answer; otherwise there is no sale.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from functools import lru_cache

ROLES = frozenset(["sale_dates", "sale_begins", "sale_ends"])  # with one of them a record means something else tomorrow
_NO_DATE = re.compile(r"(?:0{4}-00-00.*)?")
_CLOCK = re.compile(r"[T\s]+(\d\d?:\d\d(?::\d\d)?)(?:\.\d+)?(?:\s*([AP])\.?M\.?)?(?:\s*(?:Z|UTC|GMT))?$", re.IGNORECASE)
_PLAIN = (
    "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%Y%m%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y",
)  # fmt: skip
_ORDERS = (
    ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", *_PLAIN),
    ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", *_PLAIN),
)
_BETWEEN = re.compile(r"\s+(?:-|–|to|until|bis)\s+|\s*[,;|]\s*(?=\d{4}-)")
_EVER = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


def holds(text: str, now: datetime | None) -> bool:
    """A period that cannot be read, or no clock to compare with, is no sale: the regular price is charged."""
    ends = text.split("/") if text.count("/") == 1 else _BETWEEN.split(text)
    return len(ends) == 2 and all(map(str.strip, ends)) and holds_between(ends[0], ends[1], now)


def holds_between(begins: str, ends: str, now: datetime | None) -> bool:
    """Either end may be open; one that cannot be read is no sale."""
    if _NO_DATE.fullmatch(begins) and _NO_DATE.fullmatch(ends):
        return True
    periods = {(_moment(begins, 0, order), _moment(ends, 1, order)) for order in _ORDERS}
    answers = {first <= now <= last for first, last in periods if now and first and last}
    return answers == {True}


@lru_cache(4_096)  # a file has few of them
def _moment(text: str, end: int, order: tuple[str, ...]) -> datetime | None:
    text = text.strip()
    if _NO_DATE.fullmatch(text):
        return _EVER[end]
    moment = _read(text, order)
    if moment is None:
        return None
    if end and ":" not in text and moment.time() == time():  # a date alone: to the end of the day
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(text: str, orders: tuple[str, ...]) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    clock = _CLOCK.search(text)
    day = text[: clock.start()] if clock else text
    for order in orders:
        try:
            return datetime.combine(datetime.strptime(day, order), _time(clock) if clock else time())
        except ValueError:
            continue
    return None


def _time(clock: re.Match[str]) -> time:
    read = time.fromisoformat(clock[1].zfill(8 if clock[1].count(":") > 1 else 5))
    if not clock[2]:
        return read
    return read.replace(hour=read.hour % 12 + (12 if clock[2].upper() == "P" else 0))
