"""Daily and weekly work by the clock on the wall, also on the days that have 23 or 25 hours (E-012, E-024)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from winnow.schedule.daily import workers_for
from winnow.schedule.local_time import last_firing

AMSTERDAM = "Europe/Amsterdam"


def firings(cron: str, zone: str, start: datetime, hours: int) -> list[datetime]:
    """What a look every 5 minutes finds, each once."""
    looks = (last_firing(cron, zone, start + timedelta(minutes=m)) for m in range(0, hours * 60, 5))
    return list(dict.fromkeys(looks))


@pytest.mark.parametrize(
    ("cron", "zone", "now", "fired"),
    [
        ("0 6 * * *", "UTC", "2026-05-01T06:00:00", "2026-05-01T06:00"),
        ("0 6 * * *", "UTC", "2026-05-01T05:59:59", "2026-04-30T06:00"),
        ("0 6 * * *", AMSTERDAM, "2026-07-01T04:00:30", "2026-07-01T06:00"),
        ("0 6 * * *", AMSTERDAM, "2026-01-01T04:59:00", "2025-12-31T06:00"),
        ("0 6 * * *", AMSTERDAM, "2026-01-01T05:00:00", "2026-01-01T06:00"),
        ("0 3 * * 0", "UTC", "2026-05-06T12:00:00", "2026-05-03T03:00"),
        ("0 6 * * *", "Pacific/Kiritimati", "2026-05-01T16:00:00", "2026-05-02T06:00"),
    ],
)
def test_e024_the_hour_is_that_of_the_installations_zone(cron: str, zone: str, now: str, fired: str) -> None:
    assert last_firing(cron, zone, datetime.fromisoformat(now).replace(tzinfo=UTC)) == datetime.fromisoformat(fired)


@pytest.mark.parametrize("cron", ["0 6 * * *", "30 2 * * *", "0 2 * * *", "0 3 * * *", "59 2 * * *"])
@pytest.mark.parametrize("change", ["2026-03-28T12:00:00", "2026-10-24T12:00:00"], ids=["forward", "back"])
def test_e024_a_change_of_the_clock_gives_every_day_one_firing(cron: str, change: str) -> None:
    start = datetime.fromisoformat(change).replace(tzinfo=UTC)
    found = firings(cron, AMSTERDAM, start, 60)
    days = [fired.date() for fired in found]
    assert len(days) == len(set(days))
    assert [(b - a).days for a, b in pairwise(days)] == [1] * (len(days) - 1)


@pytest.mark.parametrize(
    ("jobs", "machine", "workers"),
    [(0, 128, 0), (1, 128, 1), (10, 128, 1), (11, 128, 2), (100, 128, 10), (5_000, 128, 10), (95, 3, 3)],
)
def test_e030_one_worker_for_ten_jobs_at_most_ten_and_what_the_machine_allows(
    jobs: int, machine: int, workers: int
) -> None:
    assert workers_for(jobs, machine) == workers
