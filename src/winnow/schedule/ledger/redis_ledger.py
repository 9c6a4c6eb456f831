"""The ledger for large fleets: PostgreSQL proposes, Redis grants, the rest is released (DESIGN §11.16).

The limits, holds, hours, circuits and what is in flight stay in PostgreSQL and are read for every question, so
there is no second copy that could be out of date. Redis keeps one thing, the sliding log of grants, and no lane's
row is locked for it. Redis away, restarted or emptied: nothing is granted, or not for one interval (R-09).
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence

import msgspec
import structlog
from psycopg.rows import class_row
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from winnow.db.engine import Database
from winnow.db.sql import load
from winnow.errors import ConfigError
from winnow.schedule.ledger.grant import Grant
from winnow.schedule.ledger.ledger import Confirmed, PostgresLedger, TakenGrants, grant_of
from winnow.schedule.queue.task import Claimed

log = structlog.get_logger(__name__)

KEY = "winnow:ledger"
ANSWER_SECONDS = 1.0  # ten times as long as a grant is good for (DESIGN §11.11)
AWAY_SECONDS = 1.0  # how long a task waits before it is tried again while there is no Redis

_TERMS = "SELECT room, wait, tokens, span, pace FROM lane_terms(%s, %s, %s)"
_PROPOSED = """
SELECT l.lane, l.tokens, extract(epoch FROM lane_window(l, now()))::float8 AS span,
       CASE WHEN l.spacing_seconds > 0 THEN extract(epoch FROM lane_pace(l, now())) ELSE 0 END::float8 AS pace
FROM lanes AS l WHERE l.lane = ANY(%s) AND left(l.lane, 1) <> '@'
"""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What the log of one lane has to hold: `tokens` in any `span` seconds, `pace` seconds between two."""

    tokens: int
    span: float
    pace: float
    room: int = 0
    wait: float = 0.0
    lane: str = ""


_NOTHING = Terms(tokens=0, span=0.0, pace=0.0)


class _Question(msgspec.Struct, frozen=True):
    """Up to `n` grants of a lane, after those under `stamps` have left its log."""

    lane: str
    n: int
    terms: Terms
    stamps: list[int] = []

    def arguments(self) -> list[str | int]:
        span, pace = round(self.terms.span * 1e6), round(self.terms.pace * 1e6)
        return [self.lane, self.n, self.terms.tokens, span, pace, len(self.stamps), *self.stamps]

    def without_returns(self) -> _Question:
        return msgspec.structs.replace(self, stamps=[])


class _Away(Exception):
    """No answer from Redis."""


class RedisLedger(PostgresLedger):
    def __init__(self, database: Database, url: str) -> None:
        super().__init__(database)
        try:
            self._redis = Redis.from_url(
                url,
                socket_timeout=ANSWER_SECONDS,
                socket_connect_timeout=ANSWER_SECONDS,
                retry=Retry(NoBackoff(), 0),  # _granted asks again itself
            )
        except ValueError as wrong:
            raise ConfigError(f"WINNOW_REDIS_URL: {wrong}") from None
        self._grant = self._redis.register_script(load("schedule/ledger/grant.lua"))
        self._away = False

    async def close(self) -> None:
        await self._redis.aclose()

    async def ready(self) -> bool:
        """Ask Redis only after a failure, and then for everything a grant needs: a server that answers may still
        refuse writes."""
        if not self._away:
            return True
        try:
            await self._granted([])
        except _Away:
            return False
        return True

    async def take(self, lane: str, n: int = 1, *, holding: bool = False) -> TakenGrants:
        terms = await self._terms(lane, n, holding)
        return TakenGrants(0, terms.wait) if terms.room < 1 else await self._one_lane(lane, n, terms, [])

    async def exchange(self, lane: str, unused: Sequence[Grant], n: int) -> TakenGrants:
        """PostgreSQL's log keeps the grants of the claim: it only proposes, and they were given then."""
        return await self._one_lane(lane, n, await self._terms(lane, n, holding=True), unused)

    async def confirm(self, tasks: Sequence[Claimed], good_until: float) -> Confirmed:
        wanted = Counter(task.lane for task in tasks if not task.lane.startswith("@"))
        if not wanted:
            return Confirmed([(task, None) for task in tasks])
        terms = await self._proposed(list(wanted))
        asked = [_Question(lane, n, terms[lane]) for lane, n in wanted.items() if lane in terms]
        try:
            taken = dict(zip((question.lane for question in asked), await self._granted(asked), strict=True))
        except _Away:
            taken = {}
        return _split(tasks, taken, good_until)

    async def give_back(self, grants: Sequence[Grant]) -> None:
        """One that is lost stays in the log until its window is over: stricter, never looser."""
        stamps: dict[str, list[int]] = {}
        for grant in grants:
            if grant.stamp:
                stamps.setdefault(grant.lane, []).append(grant.stamp)
        if stamps:
            with contextlib.suppress(_Away):
                await self._granted([_Question(lane, 0, _NOTHING, given) for lane, given in stamps.items()])

    async def _one_lane(self, lane: str, n: int, terms: Terms, unused: Sequence[Grant]) -> TakenGrants:
        stamps = [grant.stamp for grant in unused if grant.stamp]
        try:
            (taken,) = await self._granted([_Question(lane, max(0, terms.room), terms, stamps)])
        except _Away:
            return TakenGrants(0, AWAY_SECONDS)
        wait = 0.0 if taken.granted == n else max(0.05, taken.wait, terms.wait)
        return TakenGrants(taken.granted, wait, stamp=taken.stamp)

    async def _terms(self, lane: str, n: int, holding: bool) -> Terms:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(Terms)) as cursor:
            await cursor.execute(_TERMS, (lane, n, holding))
            return await cursor.fetchone() or Terms(tokens=0, span=0.0, pace=0.0, wait=AWAY_SECONDS)

    async def _proposed(self, lanes: list[str]) -> dict[str, Terms]:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(Terms)) as cursor:
            await cursor.execute(_PROPOSED, (lanes,))
            return {terms.lane: terms for terms in await cursor.fetchall()}

    async def _granted(self, asked: Sequence[_Question]) -> list[TakenGrants]:
        """Asked once more after a broken connection, now without what was to be given back: what was granted or
        returned but not heard of counts as granted. A second return would take somebody else's out of the log."""
        try:
            answer = await self._ask(asked)
        except (RedisError, OSError):
            answer = await self._ask_again([question.without_returns() for question in asked])
        if self._away:
            log.info("ledger_back")
        self._away = False
        return [TakenGrants(answer[i], answer[i + 1] / 1e6, stamp=answer[i + 2]) for i in range(0, len(answer), 3)]

    async def _ask_again(self, asked: Sequence[_Question]) -> list[int]:
        try:
            return await self._ask(asked)
        except (RedisError, OSError) as failed:
            if not self._away:
                log.error("ledger_away", reason=str(failed))
            self._away = True
            raise _Away from failed

    async def _ask(self, asked: Sequence[_Question]) -> list[int]:
        given = [value for question in asked for value in question.arguments()]
        answer: list[int] = await self._grant(keys=[KEY], args=given)
        return answer


def _split(tasks: Sequence[Claimed], taken: dict[str, TakenGrants], good_until: float) -> Confirmed:
    """The first tasks of each lane get its grants, in the order they were claimed."""
    left = {lane: grants.granted for lane, grants in taken.items()}
    granted: list[tuple[Claimed, Grant | None]] = []
    refused: list[tuple[Claimed, float]] = []
    for task in tasks:
        if task.lane.startswith("@"):
            granted.append((task, None))
        elif left.get(task.lane, 0) > 0:
            left[task.lane] -= 1
            granted.append((task, grant_of(task, good_until, taken[task.lane].stamp)))
        else:
            wait = taken[task.lane].wait if task.lane in taken else AWAY_SECONDS
            refused.append((task, max(0.05, wait)))
    return Confirmed(granted, refused)
