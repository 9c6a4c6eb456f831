"""When a cron of the installation's own clock fired last. Pure.

The cron is followed on the clock on the wall, without its offset: an hour that a change of the clock repeats fires
once, one that it skips fires at the next moment there is, and each firing has one name.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from croniter import croniter


def last_firing(cron: str, zone: str, now: datetime) -> datetime:
    """The newest firing not after `now`, as the wall clock of `zone` shows it."""
    wall = now.astimezone(_zone(zone)).replace(tzinfo=None)
    if croniter.match(cron, wall):
        return wall.replace(second=0, microsecond=0)
    found: datetime = croniter(cron, wall).get_prev(datetime)
    return found


def wall_clock(zone: str, now: datetime) -> datetime:
    """`now` as the wall clock of `zone` shows it."""
    return now.astimezone(_zone(zone)).replace(tzinfo=None)


@lru_cache(maxsize=16)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
