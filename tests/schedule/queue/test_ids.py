"""Ids of tasks: UUIDv7, in the order they were made."""

from __future__ import annotations

import time

from winnow.schedule.queue.task import new_id


def test_ids_of_one_process_keep_their_order_within_a_millisecond() -> None:
    made = [new_id() for _ in range(10_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_id_is_a_uuid_of_version_7_and_says_when_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    made = [new_id() for _ in range(1_000)]
    assert {(one.version, one.variant) for one in made} == {(7, "specified in RFC 4122")}
    assert before <= made[0].int >> 80 <= time.time_ns() // 1_000_000


def test_a_clock_that_is_set_back_does_not_turn_the_order(monkeypatch) -> None:
    first = new_id()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert new_id() > first
