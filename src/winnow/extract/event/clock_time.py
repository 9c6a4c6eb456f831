"""A time written for machines, set right by the one a reader sees beside it.

Calendars write local times as if they were UTC, UTC without saying so, and a day as its noon. What is shown is what people
come by.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

MAX_CLOCK_TEXT = 120
_STATED = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?\s?(Z|[+-]00:?00)?")
_CLOCK_TEXT = re.compile(
    r"(?<![\d.:/-])(\d{1,2})(?:\s?[:.h]\s?([0-5]\d))?\s?([ap])\.?m\b|(?<![\d.:/-])(\d{1,2})[:h]([0-5]\d)(?![\d/])",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d\s?[./-]\s?\d|\d{1,2}\w{0,2},?\s+[^\W\d_]{3}|[^\W\d_]{3,}\.?\s+\d{1,2}")


def correct_clock(stated: str, shown: str) -> str:
    """The stated moment at the shown hour; as stated when nothing is shown, or when it names a zone of its own."""
    match = _STATED.fullmatch(stated.strip())
    if match is None or not 0 < len(shown) <= MAX_CLOCK_TEXT:
        return stated
    clock = _clock(shown)
    moment = datetime.fromisoformat(f"{match[1]}T{match[2]}:{match[3]}")
    if clock is None:
        is_day = (moment.hour, moment.minute) in ((0, 0), (12, 0)) and match[4] and _DAY.search(shown)
        return match[1] if is_day and not _CLOCK_TEXT.search(shown) else stated
    local = _nearest(moment, *clock)
    if match[4] is None or local == moment:
        return local.isoformat(timespec="minutes")
    return local.isoformat(timespec="minutes") + _offset(local - moment)


def _clock(shown: str) -> tuple[int, int] | None:
    """The first time shown; none when the half of its day is said of the second one only ("6:00 – 8:00 pm")."""
    found = list(_CLOCK_TEXT.finditer(shown))
    if not found:
        return None
    first = found[0]
    if first[3] is None and any(other[3] for other in found):
        return None
    hour, minute = int(first[1] or first[4]), int(first[2] or first[5] or 0)
    if first[3] is None:
        return (hour, minute) if hour < 24 else None
    return (hour % 12 + (12 if first[3].lower() == "p" else 0), minute) if 1 <= hour <= 12 else None


def _nearest(moment: datetime, hour: int, minute: int) -> datetime:
    """That hour on the day that makes the difference smallest: 01:00 UTC is six in the evening of the day before."""
    same = moment.replace(hour=hour, minute=minute)
    return min((same + timedelta(days=days) for days in (-1, 0, 1)), key=lambda local: abs(local - moment))


def _offset(difference: timedelta) -> str:
    minutes = int(difference.total_seconds() // 60)
    if minutes % 15:
        return ""  # no zone is off by that: the page contradicts itself, and what is shown counts
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
