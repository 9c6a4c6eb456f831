"""robots.txt of each origin, kept in the database for all processes (P-049, DESIGN §11.13).

A worker that holds a grant for a domain whose robots.txt is unknown or too old spends that grant on
fetching it; its task goes back to the queue and takes the next one. One process refreshes an
origin at a time; the others put their tasks back for a moment. Nothing here ever allows by default.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit

import msgspec
import structlog
from psycopg.rows import dict_row

from winnow.db.engine import Database
from winnow.errors import NoHealthyProxies, ProxiesCooling
from winnow.fetch.failure import sentence_of
from winnow.fetch.http.client import HttpFetcher, OnHop
from winnow.fetch.outcome import FetchRequest
from winnow.fetch.robots.rules import (
    FIRST_TRIES,
    MAX_BYTES,
    RobotsDecision,
    RobotsKind,
    RobotsRules,
    parse,
    refresh_in_s,
    robots_url,
    state_of,
)
from winnow.fetch.settings import FetchSettings
from winnow.run.admission.proxy_choice import ANY, Exits, ProxyChoice, ProxyWish, is_proxy_failure, tunnel_of
from winnow.run.brief import Brief
from winnow.schedule.queue.task import Claimed

log = structlog.get_logger(__name__)

REFRESH_SECONDS = 60  # a refresher that has not finished by then is taken for dead
FETCH_BYTES = 8 * MAX_BYTES  # a larger file is read up to 500 KiB; only an absurd one is given up
CACHED_ORIGINS = 10_000

_LEASE = """
INSERT INTO robots (origin, domain, state, expires_at, refreshing_until)
VALUES (%(origin)s, %(domain)s, 'unknown', '-infinity', now() + make_interval(secs => %(seconds)s))
ON CONFLICT (origin) DO UPDATE SET refreshing_until = excluded.refreshing_until
WHERE (robots.refreshing_until IS NULL OR robots.refreshing_until < now()) AND robots.expires_at <= now()
RETURNING failures
"""
_STORE = """
UPDATE robots SET state = %(state)s, body = %(body)s, status_code = %(status)s, error_class = %(error)s,
    failures = %(failures)s, crawl_delay_seconds = %(delay)s, fetched_at = now(), refreshing_until = NULL,
    expires_at = now() + make_interval(secs => %(seconds)s)
WHERE origin = %(origin)s
"""


class Refreshed(Enum):
    NOW = auto()
    BY_OTHERS = auto()
    NOT_NOW = auto()  # there was no grant
    UNASKED = auto()  # the proxy failed: the site has not been asked


Grant = Callable[[], Awaitable[bool]]


class RobotsAnswer(msgspec.Struct, frozen=True):
    """May this URL be fetched. `known` False: robots.txt must be fetched first, after `wait_seconds`."""

    known: bool
    allowed: bool = False
    why: dict[str, Any] = {}
    wait_seconds: float = 0.0


UNKNOWN = RobotsAnswer(known=False)
SOON = RobotsAnswer(known=False, wait_seconds=1.0)  # it failed just now; two more tries before it counts (P-048)
UNREACHABLE = RobotsAnswer(True, False, {"robots": "unreachable"})


class RobotsBook:
    def __init__(self, database: Database, fetcher: HttpFetcher, settings: FetchSettings, exits: Exits) -> None:
        self._exits = exits
        self._database = database
        self._fetcher = fetcher
        self._settings = settings
        self._parsed: dict[str, tuple[datetime, RobotsRules]] = {}
        self._loading: dict[str, asyncio.Future[RobotsRules | None]] = {}

    async def ask(self, task: Claimed, brief: Brief, url: str) -> RobotsAnswer:
        """Decide by the stored robots.txt of the origin whether `url`, the task's own or another of its origin, may
        be fetched."""
        if brief.path_blocked or not brief.source_compliant:
            blocker = "target" if brief.path_blocked else "source"
            return RobotsAnswer(True, False, {"robots": f"blocked by the {blocker}"})
        if not brief.respect_robots:
            return RobotsAnswer(True, True, {"robots": "not respected: exception of the domain"})
        if not brief.robots_fresh or brief.robots_fetched_at is None:
            return UNKNOWN
        return await self._answer(task.origin, url, brief.robots_state, brief.robots_fetched_at, brief.robots_failures)

    async def _answer(
        self, origin: str, url: str, state: str | None, fetched_at: datetime, failures: int
    ) -> RobotsAnswer:
        if state == RobotsKind.ALLOW_ALL:
            return RobotsAnswer(True, True, {"robots": "none published"})
        if state != RobotsKind.RULES:
            return SOON if failures < FIRST_TRIES else UNREACHABLE
        rules = await self._rules(origin, fetched_at)
        return UNKNOWN if rules is None else self._decide(rules, url)

    def _decide(self, rules: RobotsRules, url: str) -> RobotsAnswer:
        parts = urlsplit(url)
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        decision: RobotsDecision = rules.decide_both(path, self._settings.agent_name)
        return RobotsAnswer(
            True, decision.allowed, {"robots": decision.rule or "no rule matches", "group": decision.group}
        )

    async def _rules(self, origin: str, fetched_at: datetime) -> RobotsRules | None:
        """Parsed once per process and version of the file."""
        cached = self._parsed.get(origin)
        if cached is not None and cached[0] == fetched_at:
            return cached[1]
        if origin not in self._loading:  # many tasks of one origin start together; one of them reads it
            self._loading[origin] = asyncio.ensure_future(self._load(origin))
            self._loading[origin].add_done_callback(lambda _: self._loading.pop(origin, None))
        return await asyncio.shield(self._loading[origin])

    async def _load(self, origin: str) -> RobotsRules | None:
        row = await self._row(origin)
        if row is None or row["body"] is None:
            return None
        rules = parse(bytes(row["body"]))
        if len(self._parsed) >= CACHED_ORIGINS:
            self._parsed.clear()
        self._parsed[origin] = (row["fetched_at"], rules)
        return rules

    async def ask_origin(self, origin: str, url: str) -> RobotsAnswer:
        """The same for a URL that is no task of its own (a redirect to another origin)."""
        row = await self._row(origin)
        if row is None or not row["fresh"] or row["fetched_at"] is None:
            return UNKNOWN
        answer = await self._answer(origin, url, row["state"], row["fetched_at"], row["failures"])
        if answer is SOON:
            return RobotsAnswer(known=False, wait_seconds=row["seconds"])
        if answer is UNREACHABLE:
            return RobotsAnswer(
                True, False, {"robots": f"robots.txt cannot be read: {sentence_of(row['error_class'])}"}
            )
        return answer

    async def sitemaps(self, origin: str) -> list[str]:
        """The sitemaps that the stored robots.txt of an origin names."""
        row = await self._row(origin)
        if row is None or row["state"] != RobotsKind.RULES or row["fetched_at"] is None:
            return []
        rules = await self._rules(origin, row["fetched_at"])
        return [] if rules is None else rules.sitemaps

    async def refresh(self, origin: str, domain: str, on_hop: OnHop, grant: Grant, wish: ProxyWish = ANY) -> Refreshed:
        """Fetches robots.txt, unless another process is doing it, or just did. The grant is asked for last: it
        is for sending at once."""
        failures = await self._lease(origin, domain)
        if failures is None:
            return Refreshed.BY_OTHERS
        try:
            through = await self._exits.choose(domain, wish)
        except (NoHealthyProxies, ProxiesCooling):
            await self._release(origin)
            raise
        if not await grant():
            await self._release(origin)
            await self._exits.give_back(through, domain)
            return Refreshed.NOT_NOW
        return await self._fetch(origin, on_hop, failures, through)

    async def _fetch(self, origin: str, on_hop: OnHop, failures: int, through: ProxyChoice | None) -> Refreshed:
        request = FetchRequest(
            url=robots_url(origin), timeout_ms=self._settings.fetch_timeout_ms, max_bytes=FETCH_BYTES
        )
        result = await self._fetcher.fetch(request, on_hop=on_hop, through=tunnel_of(through))
        await self._exits.report(through, result)
        if is_proxy_failure(result):
            await self._release(origin)
            return Refreshed.UNASKED
        state = state_of(result, missing_blocks=self._settings.robots_missing_blocks)
        failures = failures + 1 if state.kind is RobotsKind.UNREACHABLE else 0
        delay = parse(state.body).crawl_delay(self._settings.agent_name) if state.body is not None else None
        given = {
            "origin": origin,
            "state": state.kind.value,
            "body": state.body,
            "status": result.status_code,
            "error": result.error_class,
            "failures": failures,
            "delay": delay,
            "seconds": refresh_in_s(state, failures),
        }
        async with self._database.connection() as conn:
            await conn.execute(_STORE, given)
        log.info("robots_refreshed", origin=origin, state=state.kind.value, reason=state.reason, crawl_delay=delay)
        return Refreshed.NOW

    async def _lease(self, origin: str, domain: str) -> int | None:
        given = {"origin": origin, "domain": domain, "seconds": REFRESH_SECONDS}
        async with self._database.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(_LEASE, given)
            row = await cursor.fetchone()
        return None if row is None else int(row["failures"])

    async def _release(self, origin: str) -> None:
        async with self._database.connection() as conn:
            await conn.execute("UPDATE robots SET refreshing_until = NULL WHERE origin = %s", (origin,))

    async def _row(self, origin: str) -> dict[str, Any] | None:
        query = """
            SELECT state, body, fetched_at, failures, error_class, expires_at > now() AS fresh,
                   extract(epoch FROM expires_at - now())::float8 AS seconds
            FROM robots WHERE origin = %s"""
        async with self._database.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(query, (origin,))
            return await cursor.fetchone()
