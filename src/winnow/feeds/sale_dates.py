"""Whether a dated sale price holds: Google's and CJ's `sale_price_effective_date` (two ISO 8601 moments), or the two
columns of shop systems for its first and last day."""

from __future__ import annotations

import re
from datetime import UTC, datetime

ROLES = frozenset(["sale_dates", "sale_begins", "sale_ends"])  # with one of them a record means something else tomorrow
_NO_DATE = re.compile(r"(?:0{4}-00-00.*)?")
_OTHER_ORDERS = ("%Y/%m/%d", "%d.%m.%Y")  # 03/04/2026 can be two days


def holds(text: str, now: datetime | None) -> bool:
    """A period that cannot be read, or no clock to compare with, is no sale: the regular price is charged."""
    begins, slash, ends = text.partition("/")
    if now is None or not slash:
        return False
    first, last = _moment(begins, early=True), _moment(ends, early=False)
    return first is not None and last is not None and first <= now <= last


def holds_between(begins: str, ends: str, now: datetime | None) -> bool:
    """Either end may be open; one that cannot be read is no sale."""
    if _NO_DATE.fullmatch(begins) and _NO_DATE.fullmatch(ends):
        return True
    first = datetime.min.replace(tzinfo=UTC) if _NO_DATE.fullmatch(begins) else _moment(begins, early=True)
    last = datetime.max.replace(tzinfo=UTC) if _NO_DATE.fullmatch(ends) else _moment(ends, early=False)
    return now is not None and first is not None and last is not None and first <= now <= last


def _moment(text: str, early: bool) -> datetime | None:
    text = text.strip()
    moment = _read(text)
    if moment is None:
        return None
    if len(text) <= 10 and not early:  # a date alone: to the end of the day
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for order in _OTHER_ORDERS:
        try:
            return datetime.strptime(text, order)
        except ValueError:
            continue
    return None
