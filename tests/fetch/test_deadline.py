"""R-16: one clock ends what takes too long or falls silent, and nobody else's cancellation is mistaken for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import pytest

from winnow.fetch.deadline import Deadlines, FetchDeadline, IdleTimeout

LONG, SHORT = 60.0, 0.1


@dataclass
class Clock:
    """Stands still unless it is put forward."""

    at: float = 1_000.0

    def now(self) -> float:
        return self.at


@dataclass
class Stream:
    """What the clock looks at of a response."""

    total_bytes: int = 0


async def wait_for_ever(watch: FetchDeadline, *steps: Callable[[], None]) -> None:
    with watch:
        for step in steps:
            step()
        await asyncio.Event().wait()


async def still_waits(task: asyncio.Task[None]) -> bool:
    await asyncio.sleep(0)
    return not task.done()


async def test_the_total_deadline_ends_the_block() -> None:
    begun = monotonic()
    with pytest.raises(TimeoutError):
        await wait_for_ever(Deadlines(LONG).watch(SHORT))
    assert SHORT <= monotonic() - begun < LONG


async def test_silence_after_the_question_ends_the_block() -> None:
    watch = Deadlines(SHORT).watch(LONG)
    with pytest.raises(IdleTimeout):
        await wait_for_ever(watch, watch.asked)


async def test_a_stream_that_grows_is_not_idle_until_it_stops() -> None:
    clock, stream = Clock(), Stream()
    deadlines = Deadlines(4.0, clock.now)
    watch = deadlines.watch(100.0)
    reading = asyncio.create_task(
        wait_for_ever(watch, watch.asked, lambda: watch.receiving(stream))  # type: ignore[arg-type]
    )
    assert await still_waits(reading)
    for _ in range(12):
        clock.at += 3.0
        stream.total_bytes += 1
        deadlines.check()
        assert await still_waits(reading)
    clock.at += 4.5
    deadlines.check()
    with pytest.raises(IdleTimeout):
        await reading


@pytest.mark.parametrize("asked", [False, True])
async def test_while_we_wait_for_ourselves_nobody_is_idle(asked: bool) -> None:
    clock = Clock()
    deadlines = Deadlines(1.0, clock.now)
    watch = deadlines.watch(10.0)
    waiting = asyncio.create_task(wait_for_ever(watch, *([watch.asked, watch.waiting] if asked else [])))
    assert await still_waits(waiting)
    clock.at += 9.0
    deadlines.check()
    assert await still_waits(waiting)
    clock.at += 2.0
    deadlines.check()
    with pytest.raises(TimeoutError):
        await waiting


async def test_somebody_elses_cancellation_stays_a_cancellation() -> None:
    deadlines = Deadlines(LONG)

    async def work() -> None:
        with deadlines.watch(LONG):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_both_at_once_is_a_cancellation() -> None:
    deadlines = Deadlines(LONG)

    async def work() -> None:
        with deadlines.watch(LONG) as watch:
            watch._end(TimeoutError())
            task.cancel()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_within_an_outer_timeout_the_shorter_one_wins_and_the_task_lives_on() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wait_for_ever(Deadlines(LONG).watch(LONG)), SHORT)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wait_for_ever(Deadlines(LONG).watch(SHORT)), LONG)
    with pytest.raises(TimeoutError):
        await wait_for_ever(Deadlines(LONG).watch(SHORT))
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_other_errors_pass_through_and_nothing_is_watched_afterwards() -> None:
    clock = Clock()
    deadlines = Deadlines(LONG, clock.now)
    with pytest.raises(KeyError):
        with deadlines.watch(SHORT):
            raise KeyError("mine")
    clock.at += 2 * SHORT  # past the deadline: nothing may come after
    deadlines._tick()
    assert not deadlines._watches
    assert deadlines._next is None
