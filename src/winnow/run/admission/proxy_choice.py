"""Which way out a request takes: directly, or through the next proxy in turn (C-044 … C-047, S-110 … S-113).

    choice = await exits.choose(domain, region)          # None: directly
    result = await fetcher.fetch(request, through=tunnel_of(choice))
    await exits.report(choice, result)

Where no proxy was set up, requests go directly. Where some were, they go through one: when none is healthy, or all
were switched off, the task fails and says so (S-067), unless the settings name `direct`. A source decides for
itself with `proxy: direct` or `proxyRegion: us` in its scrape_config. None of it replaces the ledger: a proxy is a
way out, not another budget.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

import structlog

from winnow.db import keyring
from winnow.db.engine import Database
from winnow.db.sealed import KeyRing
from winnow.db.settings import DatabaseSettings
from winnow.errors import DatabaseUnavailable, NoHealthyProxies, ProxiesCooling, ProxyFailed
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.meaning import Fault
from winnow.fetch.outcome import FetchResult
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.roster import Chosen, Ended
from winnow.fetch.proxies.tunnel import Tunnel
from winnow.fetch.settings import FetchSettings
from winnow.run import settings_check

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0  # how soon a process notices the first proxy that is added
ACTOR = "settings"


@dataclass(frozen=True, slots=True)
class ProxyChoice:
    """A proxy for one request. `tunnel` is what the fetcher and the browser dial through; `url` has no password."""

    id: int
    url: str
    region: str | None
    tunnel: Tunnel


@dataclass(frozen=True, slots=True)
class ProxyWish:
    """What a source wants: no proxy at all, or one of a region."""

    direct: bool = False
    region: str | None = None


ANY = ProxyWish()


def tunnel_of(choice: ProxyChoice | None) -> Tunnel | None:
    return None if choice is None else choice.tunnel


def wish_of(config: Mapping[str, Any]) -> ProxyWish:
    region = config.get("proxyRegion")
    return ProxyWish(config.get("proxy") == "direct", region if isinstance(region, str) and region else None)


class Exits:
    def __init__(
        self, database: Database, db_settings: DatabaseSettings, settings: FetchSettings, guard: EgressGuard
    ) -> None:
        self._database = database
        self._db_settings = db_settings
        self._settings = settings
        self._guard = guard
        self._rules = roster.ProxyRules(settings.proxy_domain_cooldown_seconds, settings.proxy_domain_rate)
        self._endpoints, self._may_go_direct = settings_check.proxies(settings, guard.allow)
        self._ring: KeyRing | None = None
        self._in_use = False
        self._look_at = 0.0

    async def open(self) -> None:
        """Brings the table in line with the settings."""
        async with self._database.connection() as conn:
            found = await conn.execute("SELECT 1 FROM proxies WHERE from_settings LIMIT 1")
            if self._endpoints or await found.fetchone() is not None:
                await roster.follow_settings(conn, await self._keys(conn), self._endpoints, ACTOR)

    async def choose(self, domain: str, wish: ProxyWish = ANY) -> ProxyChoice | None:
        """None: directly. NoHealthyProxies or ProxiesCooling when there are proxies and none can be used."""
        if wish.direct or not await self._proxies_in_use():
            return None
        try:
            async with self._database.transaction() as conn:
                ring = await self._keys(conn)
                chosen = await roster.choose(conn, ring, domain, self._rules, wish.region)
        except (NoHealthyProxies, ProxiesCooling):
            if self._may_go_direct:
                return None
            raise
        return ProxyChoice(chosen.id, chosen.endpoint.url, chosen.endpoint.region, self._tunnel(chosen))

    async def give_back(self, choice: ProxyChoice | None, domain: str) -> None:
        """Nothing was sent: the proxy need not cool down."""
        if choice is not None:
            async with self._database.connection() as conn:
                await roster.give_back(conn, choice.id, domain)

    async def report(self, choice: ProxyChoice | None, result: FetchResult) -> None:
        """Record the result of a request. An answer of the site is a success of the proxy, whatever it says; where
        it is not known whether proxy or site failed, nothing is counted. A page is never lost for the sake of a
        count."""
        ended = _ended(result)
        if choice is None or ended is None:
            return
        try:
            async with self._database.connection() as conn:
                state = await roster.report(conn, choice.id, ended, result.duration_ms)
        except DatabaseUnavailable as away:
            log.warning("proxy_uncounted", proxy=choice.url, reason=str(away))
            return
        if ended != "success" and state is not None:
            log.warning("proxy_failed", proxy=choice.url, reason=result.error_class, healthy=state[1], active=state[0])

    async def check(self, proxy_id: int) -> str | None:
        """Test one proxy now and record the result; None, or why it cannot be used."""
        async with self._database.connection() as conn:
            chosen = await roster.one(conn, await self._keys(conn), proxy_id)
        return await self._checked(chosen)

    async def check_unhealthy(self) -> int:
        """S-066: those that failed are tried again; how many were restored."""
        async with self._database.connection() as conn:
            found = await roster.unhealthy(conn, await self._keys(conn)) if await roster.in_use(conn) else []
        troubles = await asyncio.gather(*(self._checked(chosen) for chosen in found))
        return sum(trouble is None for trouble in troubles)

    async def _checked(self, chosen: Chosen) -> str | None:
        trouble: str | None = None
        try:
            await self._tunnel(chosen).check()
        except ProxyFailed as failed:
            trouble = str(failed)
        async with self._database.connection() as conn:
            await roster.checked(conn, chosen.id, trouble is None)
        log.info("proxy_checked", proxy=chosen.endpoint.url, healthy=trouble is None, reason=trouble)
        return trouble

    async def tidy(self) -> int:
        async with self._database.connection() as conn:
            return await roster.forget_uses(conn)

    def _tunnel(self, chosen: Chosen) -> Tunnel:
        return Tunnel(chosen.endpoint, self._guard, seconds=0.9 * self._settings.fetch_connect_timeout_ms / 1000)

    async def state(self) -> str:
        """ "ok" when something can go out: directly, or through a healthy proxy (S-094, DESIGN §11.20)."""
        async with self._database.connection() as conn:
            listed = await roster.listed(conn)
        direct = self._may_go_direct or not (listed or self._endpoints)
        usable = direct or any(p.is_active and p.is_healthy for p in listed)
        return "ok" if usable else "none healthy"

    async def _proxies_in_use(self) -> bool:
        """Asked for every request, so the answer is kept for a while."""
        if monotonic() >= self._look_at:
            async with self._database.connection() as conn:
                self._in_use = bool(self._endpoints) or await roster.in_use(conn)
            self._look_at = monotonic() + LOOK_SECONDS
        return self._in_use

    async def _keys(self, conn: Any) -> KeyRing:
        if self._ring is None:
            self._ring = await keyring.open_ring(conn, self._db_settings)
        return self._ring


def is_proxy_failure(result: FetchResult) -> bool:
    """Whether a failure is the proxy's and says nothing about the site."""
    return result.error_class is not None and result.error_class.meaning.fault is Fault.PROXY


def _ended(result: FetchResult) -> Ended | None:
    if is_proxy_failure(result):
        return "silent" if result.error_class is FailureCode.PROXY_SILENT else "failure"
    return "success" if result.status_code is not None else None
