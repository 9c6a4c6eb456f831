"""What a person does with proxies: the same for the API and the command line, with the guard and the audit trail."""

from __future__ import annotations

from winnow.db import keyring
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.endpoint import Endpoint, Protocol, endpoint
from winnow.fetch.proxies.roster import Proxy
from winnow.run.admission.proxy_choice import Exits


class ProxyDesk:
    def __init__(self, database: Database, settings: DatabaseSettings, allow: AllowList, exits: Exits) -> None:
        self._database = database
        self._settings = settings
        self._allow = allow
        self._exits = exits

    async def add(
        self,
        actor: str,
        protocol: Protocol,
        host: str,
        port: int,
        *,
        username: str | None = None,
        password: str | None = None,
        region: str | None = None,
    ) -> Proxy:
        made: Endpoint = endpoint(
            protocol, host, port, username=username, password=password, region=region, allow=self._allow
        )
        async with self._database.connection() as conn:
            return await roster.add(conn, await keyring.open_ring(conn, self._settings), made, actor)

    async def listed(self) -> list[Proxy]:
        async with self._database.connection() as conn:
            return await roster.listed(conn)

    async def get(self, proxy_id: int) -> Proxy:
        async with self._database.connection() as conn:
            return await roster.get(conn, proxy_id)

    async def remove(self, actor: str, proxy_id: int) -> None:
        async with self._database.connection() as conn:
            await roster.remove(conn, proxy_id, actor)

    async def set_active(self, actor: str, proxy_id: int, active: bool) -> Proxy:
        async with self._database.connection() as conn:
            return await roster.set_active(conn, proxy_id, active, actor)

    async def state(self) -> str:
        return await self._exits.state()

    async def test(self, proxy_id: int) -> str | None:
        """None: it is there and lets us in; otherwise why not. What was found is noted."""
        return await self._exits.check(proxy_id)
