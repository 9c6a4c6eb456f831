"""Changes to the proxies. Every change is audited by the roster."""

from __future__ import annotations

from winnow.db import keyring
from winnow.db.engine import Connection
from winnow.db.settings import DatabaseSettings
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.endpoint import Protocol, endpoint
from winnow.fetch.proxies.roster import Proxy


async def add(
    conn: Connection,
    actor: str,
    settings: DatabaseSettings,
    allow: AllowList,
    *,
    protocol: Protocol,
    host: str,
    port: int,
    username: str | None = None,
    password: str | None = None,
    region: str | None = None,
) -> Proxy:
    """Adds a proxy whose host the egress guard lets through; its password is sealed with the key of `settings`."""
    made = endpoint(protocol, host, port, username=username, password=password, region=region, allow=allow)
    return await roster.add(conn, await keyring.open_ring(conn, settings), made, actor)


async def remove(conn: Connection, actor: str, proxy_id: int) -> None:
    await roster.remove(conn, proxy_id, actor)


async def set_active(conn: Connection, actor: str, proxy_id: int, active: bool) -> Proxy:
    return await roster.set_active(conn, proxy_id, active, actor)
