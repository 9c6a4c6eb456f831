from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from winnow.errors import InvalidInput
from winnow.schedule.cadence import backoff_after, check_cron, expected_every, next_due, next_fires
from winnow.schedule.queue import retry

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_a_cron_is_due_at_its_next_time():
    assert next_due("0 */4 * * *", None, NOON) == NOON + timedelta(hours=4)


def test_c018_an_interval_counts_from_the_visit():
    assert next_due(None, timedelta(days=1), NOON) == NOON + timedelta(days=1)


def test_with_neither_a_target_is_visited_by_hand_only():
    assert next_due(None, None, NOON) is None


def test_the_next_times_can_be_shown():
    assert [t.hour for t in next_fires("30 6,18 * * *", NOON, 3)] == [18, 6, 18]


@pytest.mark.parametrize("schedule", ["0 0 31 2 *", "61 * * * *", "every day", "", "* * * *", "0 0 * * * *", "@daily"])
def test_a_cron_that_is_wrong_or_never_fires_is_refused(schedule):
    with pytest.raises(InvalidInput):
        check_cron(schedule)


@pytest.mark.parametrize("schedule", ["0 */4 * * *", "0 6 * * *", "0 0 29 2 *", "  0   3 * * 0 "])
def test_a_cron_that_fires_is_accepted(schedule):
    assert len(check_cron(schedule).split(" ")) == 5


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("rejected", "offered", "cycles", "expected"),
    [
        (0, 10, 3, (0, None)),
        (5, 10, 0, (0, None)),  # exactly half is not more than half
        (6, 10, 0, (1, MINUTE)),
        (6, 10, 1, (2, 2 * MINUTE)),
        (10, 10, 4, (5, 16 * MINUTE)),
        (10, 10, 9, (10, 60 * MINUTE)),  # capped at an hour
        (0, 0, 2, (0, None)),
    ],
)
def test_p073_p074_rejected_cycles_double_the_pause(rejected, offered, cycles, expected):
    assert backoff_after(rejected, offered, cycles, MINUTE) == expected


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 1), (2, 2), (3, 4), (6, 30), (50, 30)])
def test_p039_retries_wait_one_two_four_seconds_up_to_thirty(attempt, seconds):
    assert retry.wait_before(attempt) == seconds


def test_retry_after_only_lengthens_the_wait():
    assert retry.wait_before(1, 90) == 90
    assert retry.wait_before(6, 3) == 30


@pytest.mark.parametrize(
    ("schedule", "hours"),
    [
        ("* * * * *", 1 / 60),
        ("0 */4 * * *", 4),
        ("30 6,18 * * *", 12),
        ("0 6 * * *", 24),
        ("*/5 9-17 * * 1-5", 63 + 5 / 60),  # Friday 17:55 to Monday 09:00
        ("* 9-17 * * *", 15 + 1 / 60),
        ("0 3 * * 0", 7 * 24),
        ("0 0 1 * *", 31 * 24),
    ],
)
def test_the_expected_interval_of_a_cron_is_its_longest_planned_gap(schedule: str, hours: float):
    assert expected_every(schedule, None) == timedelta(hours=hours)


def test_the_expected_interval_without_a_cron():
    assert expected_every(None, timedelta(hours=3)) == timedelta(hours=3)
    assert expected_every(None, None) is None
