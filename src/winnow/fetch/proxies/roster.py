"""The table of proxies: who is next, what became of it, and what people do with the list.

Selection is one statement under a lock of its own, so that all processes together go round in turn (S-110).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
import structlog
from psycopg import AsyncConnection
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row, dict_row

from winnow.db.sealed import KeyRing, seal, unseal
from winnow.db.sql import load
from winnow.errors import Conflict, NoHealthyProxies, NotFound, ProxiesCooling, SealBroken
from winnow.fetch.proxies.endpoint import ProxyEndpoint
from winnow.observe import audit

log = structlog.get_logger(__name__)

Connection = AsyncConnection[Any]
Ended = Literal["success", "failure", "silent"]

FAILURE_LIMIT = 10  # C-045: exceeding it switches a proxy off
SILENT_LIMIT = 3
LOCK = 0x77_70_72_78  # "wprx": the advisory lock of the chooser
CHOOSE, REPORT = load("fetch/proxies/choose.sql"), load("fetch/proxies/report.sql")

_COLUMNS = (
    "id, proxy_protocol AS protocol, proxy_url AS host, proxy_port AS port, proxy_username AS username, "
    "proxy_password IS NOT NULL AS has_password, region, is_active, is_healthy, failure_count, success_count, "
    "total_failure_count, last_used_at, last_success_at, last_failure_at, last_checked_at, avg_response_time_ms, "
    "from_settings, created_at, updated_at"
)


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy without its password, as it is listed (R-26)."""

    id: int
    protocol: str
    host: str
    port: int
    username: str | None
    has_password: bool
    region: str | None
    is_active: bool
    is_healthy: bool
    failure_count: int
    success_count: int
    total_failure_count: int
    last_used_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    last_checked_at: datetime | None
    avg_response_time_ms: int | None
    from_settings: bool
    created_at: datetime
    updated_at: datetime


class ProxyRules(msgspec.Struct, frozen=True):
    """How long a proxy rests for a domain it was used for (S-008), and how often a second it may be used (C-064)."""

    cooldown_seconds: float = 30.0
    per_second: int = 1


class Chosen(msgspec.Struct, frozen=True):
    id: int
    endpoint: ProxyEndpoint


async def choose(conn: Connection, ring: KeyRing, domain: str, rules: ProxyRules, region: str | None = None) -> Chosen:
    """The next proxy for this domain, stamped as used. Inside a transaction of its own."""
    given = {
        "domain": domain,
        "region": region.lower() if region else None,
        "cooldown": rules.cooldown_seconds,
        "per_second": rules.per_second,
    }
    await conn.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    while True:
        async with conn.cursor(row_factory=dict_row) as cursor:
            row = await (await cursor.execute(CHOOSE, given)).fetchone()
        assert row is not None
        if row["id"] is None:
            break
        try:
            return Chosen(row["id"], _endpoint(ring, row))
        except SealBroken as broken:  # it is never used without its password
            log.error("proxy_secret_broken", proxy_id=row["id"], reason=str(broken))
            await conn.execute("UPDATE proxies SET is_active = false WHERE id = %s", (row["id"],))
    if not row["healthy"]:
        raise NoHealthyProxies(f"no proxy{f' in {region}' if region else ''} is healthy")
    raise ProxiesCooling("every proxy was used for this domain a moment ago", float(row["wait"]))


async def can_crawl(conn: Connection, domain: str, proxy_id: int, rules: ProxyRules) -> bool:
    """C-064: whether this proxy may serve this domain now."""
    found = await conn.execute(
        "SELECT 1 FROM proxy_uses WHERE proxy_id = %s AND domain = %s AND ("
        "last_used_at > now() - %s * interval '1 second' OR "
        "(window_start > now() - interval '1 second' AND request_count >= %s))",
        (proxy_id, domain, rules.cooldown_seconds, rules.per_second),
    )
    return await found.fetchone() is None


async def give_back(conn: Connection, proxy_id: int, domain: str) -> None:
    """It was chosen and not used. Whatever use came before is older than the cooldown, so nothing is forgotten."""
    await conn.execute("DELETE FROM proxy_uses WHERE proxy_id = %s AND domain = %s", (proxy_id, domain))


async def report(conn: Connection, proxy_id: int, ended: Ended, ms: int = 0) -> tuple[bool, bool] | None:
    """Counts it (C-046, S-113). Whether the proxy is still active and healthy; None when it was removed."""
    given = {"id": proxy_id, "kind": ended, "ms": ms, "silent_limit": SILENT_LIMIT, "failure_limit": FAILURE_LIMIT}
    row = await (await conn.execute(REPORT, given)).fetchone()
    return None if row is None else (row[0], row[1])


async def unhealthy(conn: Connection, ring: KeyRing) -> list[Chosen]:
    """Those a health check may restore (S-066)."""
    return await _endpoints(conn, ring, "is_active AND NOT is_healthy", ())


async def one(conn: Connection, ring: KeyRing, proxy_id: int) -> Chosen:
    found = await _endpoints(conn, ring, "id = %s", (proxy_id,))
    if not found:
        raise NotFound(f"there is no proxy {proxy_id}")
    return found[0]


async def _endpoints(conn: Connection, ring: KeyRing, where: str, given: tuple[Any, ...]) -> list[Chosen]:
    query = (
        "SELECT id, proxy_protocol, proxy_url, proxy_port, proxy_username, proxy_password, region FROM proxies "
        f"WHERE {where} ORDER BY id"
    )
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, given)
        rows = await cursor.fetchall()
    return [Chosen(row["id"], _endpoint(ring, row)) for row in rows]


async def checked(conn: Connection, proxy_id: int, healthy: bool) -> None:
    """What a health check found. It is no request: the counts of C-046 stay as they are."""
    await conn.execute(
        "UPDATE proxies SET last_checked_at = now(), updated_at = now(), is_healthy = %s, "
        "failure_count = CASE WHEN %s THEN 0 ELSE failure_count END WHERE id = %s",
        (healthy, healthy, proxy_id),
    )


async def in_use(conn: Connection) -> bool:
    """Whether proxies are set up, switched-off ones included: then no request may be sent without a proxy."""
    row = await (await conn.execute("SELECT EXISTS (SELECT 1 FROM proxies)")).fetchone()
    return bool(row and row[0])


async def add(
    conn: Connection, ring: KeyRing, endpoint: ProxyEndpoint, actor: str, *, from_settings: bool = False
) -> Proxy:
    async with conn.transaction():
        proxy_id = await _insert(conn, endpoint, from_settings)
        await _set_password(conn, ring, proxy_id, endpoint.password)
        shown = {"url": endpoint.url, "username": endpoint.username, "region": endpoint.region}
        await audit.record(conn, actor, "proxy.created", "proxy", proxy_id, after=shown)
        return await get(conn, proxy_id)


async def _insert(conn: Connection, endpoint: ProxyEndpoint, from_settings: bool) -> int:
    given = (endpoint.protocol, endpoint.host, endpoint.port, endpoint.username, endpoint.region, from_settings)
    try:
        found = await conn.execute(
            "INSERT INTO proxies (proxy_protocol, proxy_url, proxy_port, proxy_username, region, from_settings) "
            "VALUES (%s, %s, %s, %s, %s, %s) RETURNING id",
            given,
        )
    except UniqueViolation:
        raise Conflict(f"there is a proxy {endpoint.url} already", existing=endpoint.url) from None
    row = await found.fetchone()
    assert row is not None
    return int(row[0])


async def _set_password(conn: Connection, ring: KeyRing, proxy_id: int, password: str | None) -> None:
    """Bound to its row: copied to another one it does not open (R-23)."""
    sealed = None if password is None else seal(ring, password.encode(), _aad(proxy_id))
    await conn.execute("UPDATE proxies SET proxy_password = %s, updated_at = now() WHERE id = %s", (sealed, proxy_id))


async def listed(conn: Connection) -> list[Proxy]:
    async with conn.cursor(row_factory=class_row(Proxy)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM proxies ORDER BY id")
        return await cursor.fetchall()


async def get(conn: Connection, proxy_id: int) -> Proxy:
    async with conn.cursor(row_factory=class_row(Proxy)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM proxies WHERE id = %s", (proxy_id,))
        found = await cursor.fetchone()
    if found is None:
        raise NotFound(f"there is no proxy {proxy_id}")
    return found


async def remove(conn: Connection, proxy_id: int, actor: str) -> None:
    async with conn.transaction():
        gone = await get(conn, proxy_id)
        await conn.execute("DELETE FROM proxy_uses WHERE proxy_id = %s", (proxy_id,))
        await conn.execute("DELETE FROM proxies WHERE id = %s", (proxy_id,))
        await audit.record(
            conn, actor, "proxy.removed", "proxy", proxy_id, before={"host": gone.host, "port": gone.port}
        )


async def set_active(conn: Connection, proxy_id: int, active: bool, actor: str) -> Proxy:
    """Switch a proxy on or off. Switching it on resets its failure counts."""
    async with conn.transaction():
        before = await get(conn, proxy_id)
        if before.is_active != active or (active and not before.is_healthy):
            await conn.execute(
                "UPDATE proxies SET is_active = %s, is_healthy = is_healthy OR %s, updated_at = now(), "
                "failure_count = CASE WHEN %s THEN 0 ELSE failure_count END WHERE id = %s",
                (active, active, active, proxy_id),
            )
            action = "proxy.enabled" if active else "proxy.disabled"
            await audit.record(conn, actor, action, "proxy", proxy_id)
        return await get(conn, proxy_id)


async def follow_settings(conn: Connection, ring: KeyRing, endpoints: Sequence[ProxyEndpoint], actor: str) -> None:
    """Synchronise rows that came from the settings with the current settings; rows added by people stay."""
    async with conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        kept = [await _followed(conn, ring, endpoint, actor) for endpoint in endpoints]
        found = await conn.execute("SELECT id FROM proxies WHERE from_settings AND id <> ALL(%s)", (kept,))
        for (proxy_id,) in await found.fetchall():
            await remove(conn, proxy_id, actor)


async def _followed(conn: Connection, ring: KeyRing, endpoint: ProxyEndpoint, actor: str) -> int:
    found = await conn.execute(
        "SELECT id, proxy_password, region FROM proxies "
        "WHERE proxy_protocol = %s AND proxy_url = %s AND proxy_port = %s AND proxy_username IS NOT DISTINCT FROM %s",
        (endpoint.protocol, endpoint.host, endpoint.port, endpoint.username),
    )
    row = await found.fetchone()
    if row is None:
        return (await add(conn, ring, endpoint, actor, from_settings=True)).id
    proxy_id, sealed, region = row
    known = None if sealed is None else unseal(ring, bytes(sealed), _aad(proxy_id)).decode()
    if known != endpoint.password:
        await _set_password(conn, ring, proxy_id, endpoint.password)
    if region != endpoint.region:
        await conn.execute("UPDATE proxies SET region = %s WHERE id = %s", (endpoint.region, proxy_id))
    return int(proxy_id)


async def forget_uses(conn: Connection, hours: float = 24.0) -> int:
    """Clean-up: no cooldown is that long."""
    gone = await conn.execute("DELETE FROM proxy_uses WHERE last_used_at < now() - %s * interval '1 hour'", (hours,))
    return gone.rowcount


def _endpoint(ring: KeyRing, row: dict[str, Any]) -> ProxyEndpoint:
    sealed = row["proxy_password"]
    return ProxyEndpoint(
        protocol=row["proxy_protocol"],
        host=row["proxy_url"],
        port=row["proxy_port"],
        username=row["proxy_username"],
        password=None if sealed is None else unseal(ring, bytes(sealed), _aad(row["id"])).decode(),
        region=row["region"],
    )


def _aad(proxy_id: int) -> str:
    return f"proxy:{proxy_id}"
