"""When a target is due next, and how far the scheduler backs off. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from croniter import CroniterBadCronError, CroniterBadDateError, croniter

from winnow.errors import InvalidInput

REJECTED_SHARE = 0.5  # P-073: more than half of a cycle rejected pauses scheduling
BACKOFF_CAP = timedelta(hours=1)  # P-074
BACKOFF_ALERT = timedelta(minutes=30)  # P-074
GAPS_FROM = datetime(2024, 1, 1, tzinfo=UTC)  # a Monday
MIN_FIRES = 13  # a monthly cron has gaps of 28 to 31 days
MAX_FIRES = 8 * 24 * 60 + 1
YEARS_AHEAD = 5  # a cron that does not fire within five years never does (29 February fires within four)


@lru_cache(maxsize=4_096)
def check_cron(schedule: str) -> str:
    """The schedule in one spelling, or InvalidInput saying what is wrong with it."""
    spelled = " ".join(schedule.split())
    if len(spelled.split(" ")) != 5:
        raise InvalidInput(f"cron schedule {schedule!r} must have five fields", field="schedule")
    try:
        next_fire(spelled, datetime(2024, 1, 1).astimezone())
    except CroniterBadDateError:
        raise InvalidInput(f"cron schedule {schedule!r} never fires", field="schedule") from None
    except (CroniterBadCronError, ValueError, KeyError, AttributeError) as wrong:
        raise InvalidInput(f"cron schedule {schedule!r} is not valid: {wrong}", field="schedule") from None
    return spelled


def next_fire(schedule: str, after: datetime) -> datetime:
    return croniter(schedule, after, max_years_between_matches=YEARS_AHEAD).get_next(datetime)  # type: ignore[no-any-return]


def next_fires(schedule: str, after: datetime, n: int) -> Iterator[datetime]:
    for _ in range(n):
        after = next_fire(schedule, after)
        yield after


def next_due(schedule: str | None, frequency: timedelta | None, after: datetime) -> datetime | None:
    """Cron wins over an interval; with neither, a target is visited only when asked for."""
    if schedule:
        return next_fire(schedule, after)
    return after + frequency if frequency else None


def expected_every(schedule: str | None, frequency: timedelta | None) -> timedelta | None:
    """The longest time between two visits that the cadence plans; None for targets visited only by hand."""
    return _longest_gap(schedule) if schedule else frequency


@lru_cache(maxsize=4_096)
def _longest_gap(schedule: str) -> timedelta:
    """Over a week of fires, at least a year's worth for rare ones: nights and weekends are gaps that were planned."""
    start = fire = next_fire(schedule, GAPS_FROM)
    longest, fires = timedelta(0), croniter(schedule, start, max_years_between_matches=YEARS_AHEAD)
    for n in range(MAX_FIRES):
        following = fires.get_next(datetime)
        longest, fire = max(longest, following - fire), following
        if fire - start > timedelta(days=8) and n >= MIN_FIRES:
            break
    return longest


def backoff_after(rejected: int, offered: int, cycles: int, retry_after: timedelta) -> tuple[int, timedelta | None]:
    """P-073, P-074: (rejected cycles in a row, how long to pause or None). Doubles each time, ≤ 1 h."""
    if offered == 0 or rejected / offered <= REJECTED_SHARE:
        return 0, None
    pause = retry_after * 2 ** min(cycles, 16)
    return cycles + 1, min(BACKOFF_CAP, pause)
