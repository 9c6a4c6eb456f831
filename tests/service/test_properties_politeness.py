"""Properties 22 and 24 to 29: the ledger's own arithmetic in the database, at moments of our choosing; robots.txt; the
circuits as they are kept."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import hypothesis
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import DOMAIN, World
from winnow.fetch.failure import of_status
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.fetch.robots.rules import RobotsRules as Robots
from winnow.fetch.robots.rules import parse
from winnow.run import closing
from winnow.run.admission.gatekeeper import Gatekeeper
from winnow.schedule import circuits
from winnow.schedule.circuit import CircuitRules, CircuitState
from winnow.schedule.circuits import CircuitAnswer
from winnow.schedule.ledger.ledger import PostgresLedger

PROFILE = hypothesis.settings.get_profile("service")
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)

_NEW_LANE = """
INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent, queued, slowed_until, limits_from)
VALUES (%s, %s, %s, 0, 1000000, 1000000, %s, '{}')
ON CONFLICT (lane) DO UPDATE SET tokens = excluded.tokens, interval_seconds = excluded.interval_seconds,
    slowed_until = excluded.slowed_until, grant_at = '{}', grant_n = '{}', in_flight = 0, queued = 1000000
"""
# What a claim does: as many as there is room for, written to the log.
_TAKE = """
WITH before AS MATERIALIZED (SELECT lane, lane_room(l, %(at)s) AS room FROM lanes AS l WHERE lane = ANY(%(lanes)s)),
after AS (
    SELECT b.lane, least(b.room, %(n)s) AS granted, lane_grant(l, least(b.room, %(n)s), NULL, %(at)s) AS row
    FROM before AS b JOIN lanes AS l USING (lane)
)
UPDATE lanes AS l SET grant_at = (a.row).grant_at, grant_n = (a.row).grant_n
FROM after AS a WHERE l.lane = a.lane RETURNING l.lane, a.granted
"""
asks = st.lists(st.tuples(st.integers(0, 1_500), st.integers(1, 6)), min_size=1, max_size=12)


async def _granted(
    world: World, rules: dict[str, tuple[int, float]], asks: list[tuple[int, int]], slowed: timedelta | None = None
) -> dict[str, list[datetime]]:
    """Asks every lane at each moment (milliseconds after the one before) for n: when what was granted."""
    grants: dict[str, list[datetime]] = {lane: [] for lane in rules}
    async with world.database.transaction() as conn:
        for lane, (tokens, interval) in rules.items():
            await conn.execute(_NEW_LANE, (lane, tokens, interval, None if slowed is None else NOON + slowed))
        at = NOON
        for wait, n in asks:
            at += timedelta(milliseconds=wait)
            found = await conn.execute(_TAKE, {"at": at, "n": n, "lanes": list(rules)})
            for lane, granted in await found.fetchall():
                grants[lane] += [at] * granted
    return grants


def _most_in_a_window(times: list[datetime], seconds: float) -> int:
    return max((sum(start <= t < start + timedelta(seconds=seconds) for t in times) for start in times), default=0)


# Feature: scraping-microservices, Property 22: Token bucket rate limiting per domain
@hypothesis.settings(PROFILE)
@given(tokens=st.integers(1, 40), interval=st.floats(0.05, 5), other=st.integers(1, 5), asks=asks)
def test_s114_no_window_of_any_domain_holds_more_grants_than_tokens(
    world: World, tokens: int, interval: float, other: int, asks: list[tuple[int, int]]
) -> None:
    rules = {"a.test": (tokens, interval), "b.test": (other, interval)}
    together = world.run(_granted(world, rules, asks))
    for lane, (most, seconds) in rules.items():
        assert _most_in_a_window(together[lane], seconds) <= most
        assert together[lane], "the first one asked for is granted"
    alone = world.run(_granted(world, {"a.test": rules["a.test"]}, asks))
    assert alone["a.test"] == together["a.test"], "domains are independent"


# What was not used in time goes back, and as many are taken at this moment (the arithmetic of lane_exchange).
_RETURN = """
UPDATE lanes AS l SET grant_at = (a.row).grant_at, grant_n = (a.row).grant_n
FROM (SELECT lane, lane_return(l, %(unused)s::timestamptz[], %(at)s) AS row FROM lanes AS l) AS a WHERE l.lane = a.lane
"""


async def _sent(world: World, tokens: int, interval: float, steps: list[tuple[int, int, bool]]) -> list[datetime]:
    """Takes n at each moment for up to n that are in hand; those that are sent are used at that moment, the others are
    kept in hand."""
    sent: list[datetime] = []
    held: list[datetime] = []
    async with world.database.transaction() as conn:
        await conn.execute(_NEW_LANE, (DOMAIN, tokens, interval, None))
        at = NOON
        for wait, n, used in steps:
            at += timedelta(milliseconds=wait)
            unused, held = held[:n], held[n:]
            await conn.execute(_RETURN, {"unused": unused, "at": at})
            found = await conn.execute(_TAKE, {"at": at, "n": n, "lanes": [DOMAIN]})
            (_, granted), *_ = await found.fetchall()
            (sent if used else held).extend([at] * granted)
    return sent


# The same window, however grants are kept, returned and exchanged.
@hypothesis.settings(PROFILE)
@given(
    tokens=st.integers(1, 40),
    interval=st.floats(0.05, 5),
    steps=st.lists(st.tuples(st.integers(1, 1_500), st.integers(1, 6), st.booleans()), min_size=1, max_size=20),
)
def test_s114_no_window_holds_more_requests_than_tokens_when_grants_are_exchanged(
    world: World, tokens: int, interval: float, steps: list[tuple[int, int, bool]]
) -> None:
    assert _most_in_a_window(world.run(_sent(world, tokens, interval, steps)), interval) <= tokens


# Feature: scraping-microservices, Property 24: Allowed scraping hours enforcement
@hypothesis.settings(PROFILE)
@given(start=st.integers(0, 23), end=st.integers(0, 23), minutes=st.integers(0, 2 * 24 * 60))
def test_s116_a_task_may_run_exactly_inside_the_allowed_hours(world: World, start: int, end: int, minutes: int) -> None:
    moment = NOON + timedelta(minutes=minutes)

    async def room() -> int:
        await world.rows(_NEW_LANE, DOMAIN, 5, 1.0, None)
        await world.rows("UPDATE lanes SET hours_start = %s, hours_end = %s WHERE lane = %s", start, end, DOMAIN)
        (found,) = await world.rows("SELECT lane_room(l, %s) FROM lanes AS l WHERE lane = %s", moment, DOMAIN)
        return int(found)

    hours = {(start + n) % 24 for n in range((end - start) % 24 or 24)}
    assert (world.run(room()) > 0) is (moment.hour in hours)


piece = st.sampled_from(["a", "b", "/", "ab", "*", "$", "x"])
patterns = st.lists(piece, max_size=4).map(lambda parts: "/" + "".join(parts))
lines = st.lists(st.tuples(st.booleans(), patterns), max_size=5)


def _allowed(rules: list[tuple[bool, str]], path: str) -> bool:
    """RFC 9309 §2.2.2, the plain way: the longest pattern that matches wins, and allow wins a draw."""
    matching = [(len(pattern), allow) for allow, pattern in rules if _matches(pattern, path)]
    return max(matching, default=(0, True))[1]


def _matches(pattern: str, path: str) -> bool:
    anchored = pattern.endswith("$")
    body = pattern[:-1] if anchored else pattern
    expression = ".*".join(re.escape(part) for part in body.split("*"))
    return re.match(expression + ("$" if anchored else ""), path) is not None


def _written(agent: str, rules: list[tuple[bool, str]]) -> str:
    return "\n".join([f"User-agent: {agent}", *(f"{'Allow' if a else 'Disallow'}: {p}" for a, p in rules), ""])


# Feature: scraping-microservices, Property 25: Robots.txt compliance
@hypothesis.settings(PROFILE, max_examples=500)
@given(everybody=lines, ours=st.none() | lines, path=st.lists(st.sampled_from("ab/x"), max_size=6).map("".join))
def test_s117_a_url_may_be_scraped_exactly_when_robots_allows_it(
    everybody: list[tuple[bool, str]], ours: list[tuple[bool, str]] | None, path: str
) -> None:
    """DESIGN §11.13: both everybody's group and our own have to allow it."""
    body = _written("*", everybody) + ("" if ours is None else _written("Winnow", ours))
    robots: Robots = parse(body.encode())
    wanted = _allowed(everybody, "/" + path) and _allowed(ours or [], "/" + path)
    assert robots.decide_both("/" + path, "Winnow").allowed is wanted


async def _heeded(world: World, status: int) -> list[bool]:
    """Whether the lane of a site that answers so is slowed down from now on, for the backoff period (S-059)."""
    gate = Gatekeeper(world.database, PostgresLedger(world.database), *[None] * 4)  # type: ignore[arg-type]
    url = f"https://{DOMAIN}/"
    said = FetchResult(
        outcome=Outcome.OK if status == 200 else Outcome.ERROR, url=url, final_url=url, duration_ms=1,
        status_code=status, error_class=None if status == 200 else of_status(status),
    )  # fmt: skip
    await world.rows("UPDATE lanes SET slowed_until = NULL")
    await gate.apply_backoff(DOMAIN, said)
    slowed = "SELECT coalesce(slowed_until - now() BETWEEN interval '295 s' AND interval '300 s', false) FROM lanes"
    return await world.rows(slowed + " WHERE lane = %s", DOMAIN)


# Feature: scraping-microservices, Property 26: Adaptive rate reduction on 429
@hypothesis.settings(PROFILE)
@given(
    tokens=st.integers(1, 20), interval=st.floats(0.2, 5), asks=asks, status=st.sampled_from([200, 404, 429, 500, 503])
)
def test_s118_after_a_429_half_the_rate_and_then_the_whole_again(
    world: World, tokens: int, interval: float, asks: list[tuple[int, int]], status: int
) -> None:
    assert world.run(_heeded(world, status)) == [status == 429]
    rules = {"a.test": (tokens, interval)}
    slow = world.run(_granted(world, rules, asks, slowed=timedelta(hours=1)))["a.test"]
    assert _most_in_a_window(slow, 2 * interval) <= tokens
    over = world.run(_granted(world, rules, asks, slowed=timedelta(seconds=-1)))["a.test"]
    assert over == world.run(_granted(world, rules, asks))["a.test"], "when the time is over it is as before"
    assert len(slow) <= len(over)


answers = st.lists(st.booleans(), max_size=24)


async def _tell(world: World, answers: list[bool], rules: CircuitRules) -> dict[str, Any]:
    """The answers of one domain, each in a commit of its own; what is kept of its circuit."""
    await world.rows("DELETE FROM domain_circuits")
    await world.rows("UPDATE lanes SET held_until = NULL, half_open = false")
    for ok in answers:
        async with world.database.transaction() as conn:
            turned = await circuits.record(conn, [CircuitAnswer(DOMAIN, ok)], rules)
            await circuits.apply_to_lanes(conn, turned)
    found = await world.rows("SELECT state, open_until IS NOT NULL FROM domain_circuits WHERE domain = %s", DOMAIN)
    return {"state": found[0][0] if found else CircuitState.CLOSED}


# Feature: scraping-microservices, Property 27: Circuit breaker state transition on failures
@hypothesis.settings(PROFILE)
@given(answers=answers, window=st.integers(1, 10), data=st.data())
def test_s119_open_on_too_many_failures_among_the_latest(
    world: World, answers: list[bool], window: int, data: st.DataObject
) -> None:
    rules = CircuitRules(window, data.draw(st.integers(1, window)), timedelta(hours=1))
    opened = any(
        answers[max(0, end - window) : end].count(False) >= rules.failures for end in range(1, len(answers) + 1)
    )
    assert (world.run(_tell(world, answers, rules))["state"] == CircuitState.OPEN) is opened


# Feature: scraping-microservices, Property 28: Open circuit rejects immediately
@hypothesis.settings(PROFILE)
@given(size=st.integers(1, 5), late=st.lists(st.booleans(), max_size=6))
def test_s120_open_fails_tasks_at_once_and_claims_nothing(world: World, size: int, late: list[bool]) -> None:
    async def ask() -> None:
        await world._reset()
        await _tell(world, [False] * 5, CircuitRules())
        await _tell_more(world, late, CircuitRules())
        job_id = await world.submit_job(size)
        assert await world.claim(10) == [], "nothing is handed to a worker, so no browser is started"
        async with world.database.transaction() as conn:
            refused = await circuits.refuse_waiting(conn)
            await closing.fail_refused(conn, refused)
        assert len(refused) == size
        assert await world.rows("SELECT DISTINCT status, reason FROM tasks") == [("failed", "domain circuit open")]
        assert await world.rows("SELECT status FROM jobs WHERE id = %s", job_id) == ["failed"]

    world.run(ask())


async def _tell_more(world: World, answers: list[bool], rules: CircuitRules, sent: datetime | None = None) -> None:
    """Answers to requests that had been sent before the circuit opened, unless `sent` says otherwise."""
    for ok in answers:
        async with world.database.transaction() as conn:
            turned = await circuits.record(conn, [CircuitAnswer(DOMAIN, ok, sent or NOON)], rules)
            await circuits.apply_to_lanes(conn, turned)


# Feature: scraping-microservices, Property 29: Half-open probe determines next state
@hypothesis.settings(PROFILE)
@given(success=st.booleans(), waiting=st.integers(2, 5), after=st.lists(st.booleans(), max_size=4))
def test_s121_half_open_lets_one_probe_through_and_its_answer_decides(
    world: World, success: bool, waiting: int, after: list[bool]
) -> None:
    async def ask() -> None:
        await world._reset()
        await _tell(world, [False] * 5, CircuitRules())
        await world.rows("UPDATE domain_circuits SET opened_at = now() - interval '3 minutes', open_until = now()")
        await world.rows("UPDATE lanes SET held_until = now() - interval '1 second'")
        await world.submit_job(waiting)
        (probe,) = await world.claim(10)
        assert await world.claim(10) == [], "one probe"
        await _tell_more(world, [success], CircuitRules(), probe.granted_at)
        found = await world.rows("SELECT state, open_until > now() + interval '100 s' FROM domain_circuits")
        if success:
            assert found == [], "closed, and the failures are forgotten"
            await _tell_more(world, [*after, False], CircuitRules(), datetime.now(UTC))
            assert await world.rows("SELECT count(*) FROM domain_circuits WHERE state = 'open'") == [
                int((*after, False).count(False) >= 5)
            ]
        else:
            assert found == [("open", True)], "open for another cooldown"
            assert await world.claim(10) == []

    world.run(ask())
