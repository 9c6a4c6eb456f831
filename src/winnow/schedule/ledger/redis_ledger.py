"""The ledger for large fleets: PostgreSQL proposes, Redis grants, the rest is released (DESIGN §11.16).

The limits, holds, hours, circuits and what is in flight stay in PostgreSQL and are read for every question, so
there is no second copy that could be out of date. Redis keeps one thing, the sliding log of grants, and no lane's
row is locked for it. Redis away, restarted or emptied: nothing is granted, or not for one interval (R-09).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

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
from winnow.schedule.ledger.ledger import Confirmed, PostgresLedger, Taken
from winnow.schedule.queue.task import Claimed

log = structlog.get_logger(__name__)

KEY = "winnow:ledger"
ANSWER_SECONDS = 1.0  # ten times as long as a grant is good for (DESIGN §11.11)
AWAY_SECONDS = 1.0  # how long a task waits before it is tried again while there is no Redis

_ASK = "SELECT room, wait, tokens, span, pace FROM lane_terms(%s, %s, %s)"
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


class Grant(msgspec.Struct, frozen=True):
    granted: int
    wait: float
    stamp: int


class _Away(Exception):
    """No answer from Redis."""


class RedisLedger(PostgresLedger):
    def __init__(self, database: Database, url: str) -> None:
        super().__init__(database)
        try:
            # Asked once more after a broken connection: what was granted but not heard of counts as granted.
            self._redis = Redis.from_url(
                url,
                socket_timeout=ANSWER_SECONDS,
                socket_connect_timeout=ANSWER_SECONDS,
                retry=Retry(NoBackoff(), 1),
            )
        except ValueError as wrong:
            raise ConfigError(f"WINNOW_REDIS_URL: {wrong}") from None
        self._grant = self._redis.register_script(load("schedule/ledger/grant.lua"))
        self._give_back = self._redis.register_script(load("schedule/ledger/give_back.lua"))
        self._away = False

    async def close(self) -> None:
        await self._redis.aclose()

    async def ready(self) -> bool:
        """Asks only after a failure, and then for all a grant needs: a server that answers may still not write."""
        if not self._away:
            return True
        try:
            await self._granted([])
        except _Away:
            return False
        return True

    async def take(self, lane: str, n: int = 1, *, holding: bool = False) -> Taken:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(Terms)) as cursor:
            await cursor.execute(_ASK, (lane, n, holding))
            terms = await cursor.fetchone()
        if terms is None or terms.room < 1:
            return Taken(0, AWAY_SECONDS if terms is None else terms.wait)
        try:
            (grant,) = await self._granted([(lane, terms.room, terms)])
        except _Away:
            return Taken(0, AWAY_SECONDS)
        return Taken(grant.granted, 0.0 if grant.granted == n else max(0.05, grant.wait, terms.wait))

    async def confirm(self, tasks: Sequence[Claimed]) -> Confirmed:
        """Lanes named @… make no requests and need no grant."""
        wanted = Counter(task.lane for task in tasks if not task.lane.startswith("@"))
        if not wanted:
            return Confirmed(list(tasks))
        terms = await self._terms(list(wanted))
        asked = [(lane, n, terms[lane]) for lane, n in wanted.items() if lane in terms]
        try:
            grants = dict(zip((lane for lane, _, _ in asked), await self._granted(asked), strict=True))
        except _Away:
            grants = {}
        return _split(tasks, grants)

    async def give_back(self, tasks: Sequence[Claimed]) -> None:
        """One that is lost stays in the log until its window is over: stricter, never looser."""
        given = [value for task in tasks if task.stamp for value in (task.lane, task.stamp)]
        if not given:
            return
        try:
            await self._asked(self._give_back(keys=[KEY], args=given))
        except _Away:
            return

    async def renew(self, task: Claimed) -> Taken:
        await self.give_back([task])
        return await super().renew(task)

    async def _terms(self, lanes: list[str]) -> dict[str, Terms]:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(Terms)) as cursor:
            await cursor.execute(_PROPOSED, (lanes,))
            return {terms.lane: terms for terms in await cursor.fetchall()}

    async def _granted(self, asked: Sequence[tuple[str, int, Terms]]) -> list[Grant]:
        given: list[str | int] = []
        for lane, n, terms in asked:
            given += [lane, n, terms.tokens, round(terms.span * 1e6), round(terms.pace * 1e6)]
        answer = await self._asked(self._grant(keys=[KEY], args=given))
        return [Grant(answer[i], answer[i + 1] / 1e6, answer[i + 2]) for i in range(0, len(answer), 3)]

    async def _asked(self, question: Any) -> Any:
        try:
            answer = await question
        except (RedisError, OSError) as failed:
            if not self._away:
                log.error("ledger_away", reason=str(failed))
            self._away = True
            raise _Away from failed
        if self._away:
            log.info("ledger_back")
        self._away = False
        return answer


def _split(tasks: Sequence[Claimed], grants: dict[str, Grant]) -> Confirmed:
    """The first tasks of each lane get its grants, in the order they were claimed."""
    left = {lane: grant.granted for lane, grant in grants.items()}
    granted: list[Claimed] = []
    refused: list[tuple[Claimed, float]] = []
    for task in tasks:
        if task.lane.startswith("@"):
            granted.append(task)
        elif left.get(task.lane, 0) > 0:
            left[task.lane] -= 1
            granted.append(msgspec.structs.replace(task, stamp=grants[task.lane].stamp))
        else:
            wait = grants[task.lane].wait if task.lane in grants else AWAY_SECONDS
            refused.append((task, max(0.05, wait)))
    return Confirmed(granted, refused)
