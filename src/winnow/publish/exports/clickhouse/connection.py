"""A client of ClickHouse that connects to admitted addresses and to nothing else (R-10).

The address is the operator's, but its name is resolved and judged like any other: a private one has to be opened with
WINNOW_EGRESS_ALLOW. The HTTP pool dials exactly the addresses that were judged, whatever the name says later.
"""

from __future__ import annotations

from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError
from urllib3.util.connection import create_connection

from winnow.errors import ConfigError
from winnow.fetch.egress.addresses import is_forbidden
from winnow.fetch.egress.guard import Admitted, EgressGuard
from winnow.publish.exports.arrow_batches import require
from winnow.publish.exports.clickhouse.address import NAME, Address


async def admit(address: Address, guard: EgressGuard) -> Admitted:
    admitted = await guard.admit_host(address.host, address.port)
    public = not guard.allow.host(address.host, address.port) and any(
        is_forbidden(ip) is None for ip in admitted.addresses
    )
    if address.scheme == "http" and public:
        raise ConfigError(f"{NAME} sends a password in clear text: begin it with https://")
    return admitted


def connect(address: Address, admitted: Admitted) -> Any:
    """Blocks: call it in a thread."""
    driver = require("clickhouse_connect")
    return driver.get_client(
        interface=address.scheme,
        host=address.host,
        port=address.port,
        username=address.user,
        password=address.password,
        database=address.database,
        pool_mgr=AdmittedPool(admitted),
        autogenerate_session_id=False,
        query_retries=0,
    )


class AdmittedPool(urllib3.PoolManager):
    """Knows one host, at the addresses that were admitted for it."""

    def __init__(self, admitted: Admitted) -> None:
        super().__init__(retries=False)
        self._admitted = admitted
        self.pool_classes_by_scheme = {"http": _pool(admitted, "http"), "https": _pool(admitted, "https")}

    def connection_from_host(self, host: str | None, *arguments: Any, **named: Any) -> HTTPConnectionPool:
        if (host or "").strip("[]").lower() != self._admitted.host.strip("[]").lower():
            raise urllib3.exceptions.LocationValueError("not the host that was admitted")
        return super().connection_from_host(host, *arguments, **named)


def _pool(admitted: Admitted, scheme: str) -> Any:
    dialling: type[HTTPConnection] = HTTPSConnection if scheme == "https" else HTTPConnection

    class Connection(dialling):  # type: ignore[misc,valid-type]
        def _new_conn(self) -> Any:
            for address in admitted.addresses:
                try:
                    return create_connection((address, admitted.port), self.timeout, socket_options=self.socket_options)
                except OSError as error:
                    failed = error
            raise NewConnectionError(self, f"could not connect: {failed}")

    class Pool(HTTPSConnectionPool if scheme == "https" else HTTPConnectionPool):  # type: ignore[misc]
        ConnectionCls = Connection

    return Pool
