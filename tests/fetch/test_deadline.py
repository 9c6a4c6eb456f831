"""R-16: one clock ends what takes too long or falls silent, and nobody else's cancellation is mistaken for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import pytest

from winnow.fetch.deadline import TICK_S, Deadlines, IdleTimeout, Watch

LONG, SHORT = 60.0, 0.1


@dataclass
class Stream:
    """What the clock looks at of a response."""

    total_bytes: int = 0


async def wait_for_ever(watch: Watch, *steps: Callable[[], None]) -> None:
    with watch:
        for step in steps:
            step()
        await asyncio.Event().wait()


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
    stream, watch = Stream(), Deadlines(4 * SHORT).watch(LONG)

    async def grow() -> None:
        for _ in range(12):
            await asyncio.sleep(SHORT)
            stream.total_bytes += 1

    growing = asyncio.create_task(grow())
    with pytest.raises(IdleTimeout):
        await wait_for_ever(watch, watch.asked, lambda: watch.receiving(stream))  # type: ignore[arg-type]
    assert growing.done()


@pytest.mark.parametrize("asked", [False, True])
async def test_while_we_wait_for_ourselves_nobody_is_idle(asked: bool) -> None:
    watch = Deadlines(SHORT / 4).watch(SHORT * 3)
    with pytest.raises(TimeoutError):
        await wait_for_ever(watch, *([watch.asked, watch.waiting] if asked else []))


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
    deadlines = Deadlines(LONG)
    with pytest.raises(KeyError):
        with deadlines.watch(SHORT):
            raise KeyError("mine")
    await asyncio.sleep(SHORT + 2 * TICK_S)  # past the deadline: nothing may come after
    assert not deadlines._watches
    assert deadlines._next is None
