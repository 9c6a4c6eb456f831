"""Whether a dated sale price holds (Google's and CJ's `sale_price_effective_date`: two ISO 8601 moments)."""

from __future__ import annotations

from datetime import UTC, datetime


def holds(text: str, now: datetime | None) -> bool:
    """A period that cannot be read, or no clock to compare with, is no sale: the regular price is charged."""
    begins, slash, ends = text.partition("/")
    if now is None or not slash:
        return False
    first, last = _moment(begins, early=True), _moment(ends, early=False)
    return first is not None and last is not None and first <= now <= last


def _moment(text: str, early: bool) -> datetime | None:
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) <= 10 and not early:  # a date alone: to the end of the day
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
