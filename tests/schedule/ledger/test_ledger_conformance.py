"""What every ledger must do. Each backend passes this suite; a backend is one entry in `BACKENDS`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest

from winnow.db.engine import Database
from winnow.schedule.ledger.ledger import GRANT_SECONDS, WAY_SECONDS, Ledger, PostgresLedger
from winnow.schedule.ledger.policy import PLATFORM, Limits
from winnow.schedule.ledger.redis_ledger import RedisLedger
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import NewTask

LANE = "shop.test"


@pytest.fixture
def postgres(database: Database) -> Ledger:
    return PostgresLedger(database)


@pytest.fixture
async def redis(database: Database, redis_url: str) -> AsyncIterator[Ledger]:
    ledger = RedisLedger(database, redis_url)
    yield ledger
    await ledger.close()


BACKENDS = ("postgres", "redis")  # fixtures of these names


@pytest.fixture(params=BACKENDS)
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return request.getfixturevalue(request.param)


def rate(tokens: int, interval: float, spacing: float = 0.0, concurrent: int = 1_000) -> Limits:
    return Limits(tokens=tokens, interval_seconds=interval, spacing_seconds=spacing, max_concurrent=concurrent)


class Granted(float):
    """A grant lies between asking and the answer. Two of them are at least `later - earlier` apart."""

    def __new__(cls, asked: float, answered: float) -> Granted:
        self = super().__new__(cls, answered)
        self.asked = asked
        return self

    def __sub__(self, earlier: Granted) -> float:
        return float(self) - earlier.asked


async def granted_at(ledger: Ledger, n: int, lane: str = LANE) -> list[Granted]:
    """The moments of n grants, asked for again as soon as the ledger says so."""
    times = []
    while len(times) < n:
        asked = time.monotonic()
        wait = (await ledger.take(lane)).wait
        if wait == 0:
            times.append(Granted(asked, time.monotonic()))
        else:
            await asyncio.sleep(min(wait, 0.2))
    return times


async def test_p042_an_unknown_domain_gets_the_platform_default(ledger: Ledger):
    assert (await ledger.take(LANE)).wait == 0
    wait = (await ledger.take(LANE)).wait
    assert PLATFORM.spacing_seconds - 0.5 < wait <= PLATFORM.spacing_seconds + GRANT_SECONDS + WAY_SECONDS


async def test_p043_s114_property_22_no_window_holds_more_grants_than_tokens(ledger: Ledger):
    await ledger.set_limits(LANE, rate(5, 0.5))
    times = sorted(t for many in await asyncio.gather(*(granted_at(ledger, 6) for _ in range(4))) for t in many)
    assert len(times) == 24
    for first, sixth in zip(times, times[5:], strict=False):
        assert sixth - first >= 0.5, "six grants within one interval"


async def test_domains_are_independent(ledger: Ledger):
    assert (await ledger.take("a.test")).wait == 0
    assert (await ledger.take("b.test")).wait == 0
    assert (await ledger.take("a.test")).wait > 0


async def test_spacing_holds_between_any_two(ledger: Ledger):
    await ledger.set_limits(LANE, rate(100, 1, spacing=0.2))
    times = await granted_at(ledger, 4)
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(times))


async def test_s118_property_26_a_429_halves_the_rate_and_then_restores_it(ledger: Ledger):
    await ledger.set_limits(LANE, rate(2, 0.4))
    await ledger.slow(LANE, 1.2)
    slow = await granted_at(ledger, 4)
    assert slow[2] - slow[0] >= 0.8
    await asyncio.sleep(1.0)
    normal = await granted_at(ledger, 4)
    assert normal[2] - normal[0] >= 0.4
    assert float(normal[3]) - float(normal[0]) < 0.8, "still slow after the time was over"


async def test_retry_after_stops_everything_and_is_never_shortened(ledger: Ledger):
    await ledger.set_limits(LANE, rate(100, 1))
    await ledger.hold(LANE, 30)
    await ledger.hold(LANE, 1)
    assert 25 < (await ledger.take(LANE)).wait <= 30


async def test_a_paused_domain_grants_nothing(ledger: Ledger):
    await ledger.set_limits(LANE, rate(100, 1))
    await ledger.pause(LANE, True)
    assert (await ledger.take(LANE)).wait > 0
    await ledger.pause(LANE, False)
    assert (await ledger.take(LANE)).wait == 0


async def test_s116_property_24_outside_its_hours_nothing_is_granted(ledger: Ledger):
    hour = time.gmtime().tm_hour
    closed = Limits(100, 1, 0, 10, allowed_hours=((hour + 2) % 24, (hour + 3) % 24))
    await ledger.set_limits(LANE, closed)
    assert (await ledger.take(LANE)).wait > 1800
    await ledger.set_limits(LANE, Limits(100, 1, 0, 10, allowed_hours=(hour, (hour + 1) % 24 or 24)))
    assert (await ledger.take(LANE)).wait == 0


async def test_tightening_a_rate_counts_what_was_granted_before(ledger: Ledger):
    await ledger.set_limits(LANE, rate(50, 10))
    for _ in range(10):
        assert (await ledger.take(LANE)).wait == 0
    await ledger.set_limits(LANE, rate(5, 10))
    assert (await ledger.take(LANE)).wait > 5


async def test_high_rates_are_held_too(ledger: Ledger):
    """Above 32 tokens the log is kept in steps, each rounded to the strict side."""
    await ledger.set_limits(LANE, rate(60, 0.5))
    times = await granted_at(ledger, 150)
    for first, over in zip(times, times[60:], strict=False):
        assert over - first >= 0.5


async def test_s060_s061_the_state_says_where_each_limit_comes_from(ledger: Ledger):
    await ledger.set_limits(LANE, Limits(5, 2, 0, 3, origin={"rate": "domain"}))
    state = await ledger.state(LANE)
    assert state is not None
    assert (state.tokens, state.interval_seconds, state.max_concurrent) == (5, 2, 3)
    assert state.limits_from == {"rate": "domain"}
    assert await ledger.state("nobody.test") is None


async def test_many_are_granted_together_as_far_as_there_is_room(ledger: Ledger):
    await ledger.set_limits(LANE, rate(5, 10))
    first = await ledger.take(LANE, 3)
    second = await ledger.take(LANE, 3)
    assert (first.granted, first.wait) == (3, 0)
    assert second.granted == 2
    assert second.wait > 5


async def test_a_grant_that_was_not_used_in_time_is_taken_back_for_one_now(
    ledger: Ledger, database: Database, make_task: Callable[..., NewTask]
):
    """A browser was not ready within 100 ms: it sends with a new grant, and the site sees no more than it may."""
    await ledger.set_limits(LANE, rate(1, 30.0))
    async with database.transaction() as conn:
        await queue.enqueue(conn, [make_task(lane=LANE)])
        claimed = await queue.claim(conn, "w", 1, 60)
    (held,) = (await ledger.confirm(claimed)).granted
    assert (await ledger.take(LANE)).granted == 0
    assert (await ledger.renew(held)).granted == 1
    assert (await ledger.take(LANE)).granted == 0
