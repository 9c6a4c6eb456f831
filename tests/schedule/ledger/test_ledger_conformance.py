"""What every ledger must do. Each backend passes this suite; a backend is one entry in `BACKENDS`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import hypothesis
import pytest
from hypothesis import strategies as st

from winnow.db.engine import Database
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import WAY_SECONDS, Ledger, PostgresLedger, TakenGrants
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
    begun = time.monotonic()
    assert (await ledger.take(LANE)).wait == 0
    wait = (await ledger.take(LANE)).wait
    whole = PLATFORM.spacing_seconds + GRANT_SECONDS + WAY_SECONDS
    assert whole - (time.monotonic() - begun) - 0.001 <= wait <= whole


async def test_p043_s114_property_22_no_window_holds_more_grants_than_tokens(ledger: Ledger):
    await ledger.set_limits(LANE, rate(5, 0.5))
    times = sorted(t for many in await asyncio.gather(*(granted_at(ledger, 6) for _ in range(4))) for t in many)
    assert len(times) == 24
    for first, sixth in zip(times, times[5:], strict=False):
        assert sixth - first >= 0.5, "six grants within one interval"


async def test_domains_are_independent(ledger: Ledger):
    for name in ("a.test", "b.test"):
        await ledger.set_limits(name, rate(1, 60))
    assert (await ledger.take("a.test")).wait == 0
    assert (await ledger.take("b.test")).wait == 0
    assert (await ledger.take("a.test")).wait > 0


async def test_spacing_holds_between_any_two(ledger: Ledger):
    await ledger.set_limits(LANE, rate(100, 1, spacing=0.2))
    times = await granted_at(ledger, 4)
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(times))


async def test_s118_property_26_a_429_halves_the_rate_and_then_restores_it(ledger: Ledger):
    """The third of two per 1 000 s waits for that long, or for twice as long."""
    for lane, slowed in ((LANE, 300.0), ("restored.test", 0.01)):
        await ledger.set_limits(lane, rate(2, 1_000))
        await ledger.slow_down(lane, slowed)
    await asyncio.sleep(0.02)
    for lane, wait in ((LANE, 2_000), ("restored.test", 1_000)):
        assert (await ledger.take(lane, 2)).granted == 2
        assert wait - 500 < (await ledger.take(lane)).wait <= wait + 1


async def test_retry_after_stops_everything_and_is_never_shortened(ledger: Ledger):
    await ledger.set_limits(LANE, rate(100, 1))
    await ledger.hold(LANE, 3_000)
    await ledger.hold(LANE, 1)
    assert 2_500 < (await ledger.take(LANE)).wait <= 3_000


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
    await ledger.set_limits(
        LANE, Limits(100, 1, 0, 10, allowed_hours=(hour, (hour + 2) % 24))
    )  # the next one may begin meanwhile
    assert (await ledger.take(LANE)).wait == 0


async def test_tightening_a_rate_counts_what_was_granted_before(ledger: Ledger):
    await ledger.set_limits(LANE, rate(50, 1_000))
    for _ in range(10):
        assert (await ledger.take(LANE)).wait == 0
    await ledger.set_limits(LANE, rate(5, 1_000))
    assert (await ledger.take(LANE)).wait > 500


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
    await ledger.set_limits(LANE, rate(5, 1_000))
    first = await ledger.take(LANE, 3)
    second = await ledger.take(LANE, 3)
    assert (first.granted, first.wait) == (3, 0)
    assert second.granted == 2
    assert second.wait > 500


Claim = Callable[..., Awaitable[list[Grant]]]


@pytest.fixture
def claim(
    ledger: Ledger, database: Database, make_task: Callable[..., NewTask]
) -> Callable[..., Awaitable[list[Grant]]]:
    """The grants of `n` tasks claimed together."""

    async def take(n: int = 1) -> list[Grant]:
        async with database.transaction() as conn:
            await queue.enqueue(conn, [make_task(lane=LANE, n=k) for k in range(n)])
            claimed = await queue.claim(conn, "w", n, 60)
        grants = [grant for _, grant in (await ledger.confirm(claimed, good_until=0.0)).granted if grant is not None]
        assert len(grants) == n
        return grants

    return take


def exchanged(grant: Grant, taken: TakenGrants) -> Grant:
    return Grant(LANE, taken.granted_at or grant.granted_at, taken.stamp)


async def test_an_exchange_at_a_slow_pace_succeeds_again_and_again(ledger: Ledger, claim: Claim):
    """A second grant beside the first would be refused because of it, for ever."""
    await ledger.set_limits(LANE, rate(1, 1_000, spacing=1_000))
    (grant,) = await claim()
    for _ in range(5):
        taken = await ledger.exchange(LANE, [grant], 1)
        assert (taken.granted, taken.wait) == (1, 0)
        grant = exchanged(grant, taken)
        assert (await ledger.take(LANE, holding=True)).granted == 0, "one request, one grant in the log"


async def test_an_exchange_counts_from_its_own_moment(ledger: Ledger, claim: Claim):
    await ledger.set_limits(LANE, rate(1, 0.4))
    (grant,) = await claim()
    await asyncio.sleep(0.3)
    asked = time.monotonic()
    assert (await ledger.exchange(LANE, [grant], 1)).granted == 1
    (later,) = await granted_at(ledger, 1)
    assert float(later) - asked >= 0.4, "the request that was sent is the later one"


async def test_those_who_wait_exchange_together_and_the_others_count_on(ledger: Ledger, claim: Claim):
    await ledger.set_limits(LANE, rate(5, 1_000))
    grants = await claim(5)
    taken = await ledger.exchange(LANE, grants[:3], 3)
    assert taken.granted == 3
    assert (await ledger.take(LANE)).granted == 0
    await ledger.set_limits(LANE, rate(4, 1_000))
    again = await ledger.exchange(LANE, [exchanged(grant, taken) for grant in grants[:3]], 3)
    assert again.granted == 2, "two of the claim's are still in use"
    assert again.wait > 500


async def test_what_is_exchanged_is_gone_even_if_there_is_no_room(ledger: Ledger, claim: Claim):
    await ledger.set_limits(LANE, rate(1, 1_000))
    (grant,) = await claim()
    await ledger.pause(LANE, True)
    assert (await ledger.exchange(LANE, [grant], 1)).granted == 0
    await ledger.pause(LANE, False)
    assert (await ledger.take(LANE, holding=True)).granted == 1
    assert (await ledger.exchange(LANE, [], 1)).granted == 0, "that one is held by somebody else"


async def test_one_that_left_the_log_takes_nobody_elses(ledger: Ledger, claim: Claim):
    await ledger.set_limits(LANE, rate(1, 1_000))
    await claim()
    old = Grant(LANE, datetime.now(UTC) - timedelta(hours=1), stamp=1)
    assert (await ledger.exchange(LANE, [old], 1)).granted == 0


class Holder:
    """Somebody who takes grants, uses some, exchanges others, and notes when requests were sent."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.held: list[Grant] = []
        self.sent: list[Granted] = []

    async def exchange(self, n: int) -> None:
        """Gives up to n unused grants back for as many new ones, or asks for n with nothing in hand."""
        unused, self.held = self.held[:n], self.held[n:]
        taken = await self.ledger.exchange(LANE, unused, n)
        names = [grant.granted_at for grant in unused] + [None] * n
        self.held += [Grant(LANE, taken.granted_at or names[k], taken.stamp) for k in range(taken.granted)]

    async def send(self, n: int) -> None:
        """With new grants for those in hand: what was taken just now is sent at once."""
        asked = time.monotonic()
        unused, self.held = self.held[:n], self.held[n:]
        taken = await self.ledger.exchange(LANE, unused, n)
        self.sent += [Granted(asked, time.monotonic())] * taken.granted


steps = st.lists(
    st.tuples(st.sampled_from(["exchange", "send"]), st.integers(1, 4), st.floats(0, 0.1)), min_size=10, max_size=20
)


@hypothesis.settings(
    max_examples=12,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)
@hypothesis.given(tokens=st.integers(1, 4), steps=steps)
async def test_p043_property_22_no_window_holds_more_requests_than_tokens_however_grants_are_exchanged(
    ledger: Ledger, tokens: int, steps: list[tuple[str, int, float]]
):
    await ledger.set_limits(LANE, rate(tokens, 0.25))
    holder = Holder(ledger)
    for what, n, wait in steps:
        await getattr(holder, what)(n)
        await asyncio.sleep(wait)
    for first, over in zip(holder.sent, holder.sent[tokens:], strict=False):
        assert over - first >= 0.25, f"{tokens + 1} requests within one interval"
